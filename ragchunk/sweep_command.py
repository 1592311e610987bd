"""`python -m ragchunk sweep`: many settings on the same questions, and which of them to take."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar, cast

from ragchunk import measuring
from ragchunk.console import Parser, say
from ragchunk.errors import LoadError, SettingsError
from ragchunk.evaluation import sweep_files
from ragchunk.evaluation.choice import HELD_OUT, Choice, choose, held_out
from ragchunk.evaluation.compare import FEWEST
from ragchunk.evaluation.measures import Cutoff
from ragchunk.evaluation.setting import OVERLAPS, SIZES, Setting, grid
from ragchunk.evaluation.sweep import MOST_SETTINGS, estimate
from ragchunk.evaluation.sweep_files import Run
from ragchunk.evaluation.table import measure_named, recipe
from ragchunk.late import FLATTERED
from ragchunk.measuring import Ground
from ragchunk.options import add_reading, add_vectors, choices, chosen_reading
from ragchunk.settings import integer, one_of
from ragchunk.strategies import STRATEGIES, TAILS, Tail
from ragchunk.tokens import max_tokens
from ragchunk.units import UNITS, Unit

Value = TypeVar("Value")

MOST_JOBS = 1_000

# The options that a file of results stands for: see --again.
SAID_BY_FILE = (
    "strategies",
    "sizes",
    "overlaps",
    "unit",
    "tail",
    "vectors",
    "model",
    "k",
    "budget",
)

# Settings measured to tell how long a very large sweep would take.
TRIED = 3


def run(arguments: Sequence[str]) -> int:
    """Sweep and print; returns the exit status. Raises RagchunkErrors as the library does."""
    options = _parser().parse_args(arguments)
    measuring.check_measure(options.measure)
    integer("Seed", options.seed, least=0)
    integer("Jobs", options.jobs, least=-MOST_JOBS, most=MOST_JOBS)
    first = _first_run(options, arguments) if options.again else None
    if first:
        settings, model = list(first.recipe.settings), first.recipe.model
        cutoffs, cutoff = first.recipe.cutoffs, first.cutoff
    else:
        settings, model = _settings(options), options.model
        cutoffs = measuring.cutoffs(options.k, options.budget)
        cutoff = cutoffs[0]
    ground = measuring.ground(options.folder, options.questions, chosen_reading(options))
    if options.hold_out:
        held_out(len(ground.questions), options.hold_out)  # or it is refused before any work
    if first:
        now = recipe(settings, ground.corpus, ground.questions, cutoffs, model)
        for difference in first.recipe.differences(now):
            say("note", difference)
    if len(settings) > MOST_SETTINGS and not options.yes:
        _refuse(settings, ground, cutoffs, model, options.jobs)
    table = measuring.measured(
        settings, ground, cutoffs, model, options.jobs, max(len(settings), MOST_SETTINGS)
    )
    choice = choose(table, options.measure, cutoff, options.hold_out, options.seed)
    if options.json:
        print(json.dumps(sweep_files.to_json(choice), indent=2, allow_nan=False))
    elif options.csv:
        print(sweep_files.to_csv(choice), end="")
    else:
        for line in _lines(choice):
            print(line)
    for caution in _cautions(choice):
        say("note", caution)
    return 0


def _parser() -> Parser:
    parser = Parser(
        prog="python -m ragchunk sweep",
        description="Measure strategies at many sizes and overlaps by questions whose answers are "
        "known. What was measured is kept: the same command goes on after a stop.",
        epilog="To cut a folder named sweep, write ./sweep.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="read with all folders in it")
    measuring.add_questions(parser)
    add_reading(parser)
    sizes = " ".join(f"{','.join(map(str, row))} {unit};" for unit, row in SIZES.items())
    add(
        "--strategies",
        default=",".join(STRATEGIES),
        metavar="NAMES",
        help="names, a comma between (default: all)",
    )
    add("--sizes", metavar="NUMBERS", help=f"sizes, a comma between (default: {sizes[:-1]})")
    add(
        "--overlaps",
        default=",".join(map(str, OVERLAPS)),
        metavar="SHARES",
        help="of the size, a comma between (default: %(default)s)",
    )
    add("--unit", default="tokens", metavar="UNIT", help=choices(UNITS, "tokens"))
    add(
        "--tail",
        default="keep",
        metavar="WAY",
        help=f"what to do with a short last chunk: {choices(TAILS, 'keep')}",
    )
    add_vectors(parser, "late")
    measuring.add_cutoffs(parser)
    add(
        "--hold-out",
        nargs="?",
        type=float,
        const=HELD_OUT,
        default=0.0,
        metavar="SHARE",
        help=f"choose without this share of the questions ({HELD_OUT} if none is named), and say "
        "what the choice is worth to them",
    )
    add("--seed", type=int, default=0, metavar="N", help="of what is drawn by chance (default: 0)")
    add("--jobs", type=int, default=1, metavar="N", help="threads; -1 for all cores (default: 1)")
    add(
        "--again",
        metavar="FILE",
        help="run the sweep whose JSON this is: its settings, cut-offs, model, measure, share held "
        "out and seed; of these --measure, --hold-out and --seed may be others",
    )
    add("--yes", action="store_true", help=f"run more than {MOST_SETTINGS:,} settings")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--json", action="store_true", help="print everything as one JSON object")
    kind.add_argument("--csv", action="store_true", help="print the settings as CSV")
    return parser


def _settings(options: argparse.Namespace) -> list[Setting]:
    unit = cast(Unit, one_of("Unit", options.unit, UNITS))
    tail = cast(Tail, one_of("Tail", options.tail, TAILS))
    return grid(
        _listed("--strategies", options.strategies, str),
        None if options.sizes is None else _listed("--sizes", options.sizes, int),
        _listed("--overlaps", options.overlaps, float),
        unit,
        options.vectors,
        tail,
        options.model,
    )


def _listed(option: str, said: str, kind: Callable[[str], Value]) -> list[Value]:
    """The values between commas; SettingsError for one that is none."""
    found = []
    parts = list(filter(None, map(str.strip, said.split(","))))
    if not parts:
        raise SettingsError(
            f"The sweep is empty: {option} names nothing. Give at least one, or leave the option "
            "out."
        )
    for part in parts:
        try:
            found.append(kind(part))
        except ValueError:
            raise SettingsError(
                f"{option}: {part!r} is no number. Write numbers with a comma between."
            ) from None
    return found


def _first_run(options: argparse.Namespace, arguments: Sequence[str]) -> Run:
    """The run that is to be run again; `options` get how it was judged, where they do not say it.

    Raises SettingsError for a file that is none, and for options that say what the file says.
    """
    file = options.again
    try:
        first = sweep_files.run_from(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"{file} could not be read as UTF-8 text: {error}.") from error
    # What has a value gets no default, so that those of an option not given stay None.
    given = _parser().parse_args(arguments, argparse.Namespace(**dict.fromkeys(vars(options))))
    if said := [f"--{name}" for name in SAID_BY_FILE if getattr(given, name) is not None]:
        raise SettingsError(
            f"{', '.join(said)} cannot stand beside --again: {file} says it. Leave it out, or make "
            "a sweep of its own."
        )
    for name in ("measure", "hold_out", "seed"):
        if getattr(given, name) is None:
            setattr(options, name, getattr(first, name))
    return first


def _refuse(
    settings: list[Setting], ground: Ground, cutoffs: Sequence[Cutoff], model: str, jobs: int
) -> None:
    """Raise SettingsError with how long it would take, by a few of the settings."""
    few = settings[:: len(settings) // TRIED][:TRIED]
    measured = measuring.measured(few, ground, cutoffs, model).results
    seconds = estimate(settings, measured, max(1, jobs))
    raise SettingsError(
        f"{len(settings):,} settings are more than {MOST_SETTINGS:,}, and would take about "
        f"{measuring.duration(seconds)}. Leave out sizes or overlaps, or add --yes."
    )


def _lines(choice: Choice) -> list[str]:
    """The settings, the best first, and what to take."""
    table = choice.table
    board = choice.board
    asked = f"{board.questions:,} question{'s' * (board.questions != 1)}"
    label = measure_named(choice.measure).label
    count = len(table.results)
    lines = [
        f"{count:,} setting{'s' * (count != 1)} on {asked}, by {label} at {choice.cutoff}.",
        *(["> to take, = cannot be told apart from the best"] if board.questions >= FEWEST else []),
        "Read: tokens until the answer is complete. Tokens: of the hits. Stored: of all chunks.",
        "",
    ]
    columns = _columns(choice)
    widths = [max(map(len, column)) for column in columns]
    sign = 1 if measure_named(choice.measure).better == "lower" else -1
    order = sorted(range(count), key=lambda row: (sign * board.means[row], board.costs[row]))
    for row in (0, *(each + 1 for each in order)):
        cells = [f"{cell[row]:>{width}}" for cell, width in zip(columns, widths, strict=True)]
        lines.append("  ".join([*cells, table.labels[row - 1] if row else "Setting"]))
    return [*lines, "", choice.sentence()]


def _columns(choice: Choice) -> list[list[str]]:
    """For each column of figures its head, then a cell for each row of the table."""
    board, results = choice.board, choice.tuned.results
    measure = measure_named(choice.measure)
    figure = _points if measure.is_share else _tokens
    columns = []
    if board.questions >= FEWEST:
        marks = [
            (">" if row == board.recommended else " ") + ("=" if tied else " ")
            for row, tied in enumerate(board.is_tied)
        ]
        columns.append(["", *marks])
    columns.append([measure.label, *map(figure, board.means)])
    if board.questions >= FEWEST:
        ends = zip(board.low, board.high, strict=True)
        columns.append(["95 %", *(f"{figure(a)} to {figure(b)}" for a, b in ends)])
        columns.append(["Best in", *(f"{100 * share:.0f} %" for share in board.share)])
    else:
        whole = [int(each.scores[choice.cutoff].full.sum()) for each in results]
        columns.append(["Answered", *(f"{each} of {board.questions}" for each in whole)])
    if choice.held is not None:
        columns.append(["Held out", *map(figure, choice.held)])
    columns.append(["Read", *map(_tokens, board.costs)])
    spent = choice.tuned.means("tokens", choice.cutoff)
    columns.append(["Tokens", *map(_tokens, spent)])
    columns.append(["Stored", *(f"{each.tokens:,}" for each in results)])
    if any(each.unread for each in results):
        columns.append(
            ["Not read", *(f"{100 * each.unread / each.tokens:.0f} %" for each in results)]
        )
    return columns


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _tokens(number: float) -> str:
    return f"{number:,.0f}"


def _cautions(choice: Choice) -> list[str]:
    """What is to be known of the figures of late vectors."""
    late = [each.setting for each in choice.table.results if each.setting.way == "late"]
    limit = max_tokens(choice.table.recipe.model)
    found = []
    if any(each.is_flattered for each in late):
        found.append(
            f"Late vectors flatter chunks of {FLATTERED} tokens and fewer, by 4 to 9 points "
            "of recall."
        )
    if any(each.is_longer_than(limit) for each in late):
        found.append(
            f"Sizes over the {limit} tokens that the model reads do better with late vectors than "
            "with plain ones, by 8 to 20 points of recall: measure in the way you will use."
        )
    return found
