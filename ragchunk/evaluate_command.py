"""`python -m ragchunk evaluate`: what a setting is worth to questions whose answers are known."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ragchunk import measuring
from ragchunk.console import Parser, say
from ragchunk.embedding import WAYS
from ragchunk.errors import SettingsError
from ragchunk.evaluation.brief import Brief
from ragchunk.evaluation.compare import Comparison, compare
from ragchunk.evaluation.measures import MEASURES, Cutoff, Measure, Scores
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.table import Table, finite, measure_named, name_of
from ragchunk.evaluation.trial import Result
from ragchunk.measuring import Ground
from ragchunk.options import add_reading, add_strategy, add_vectors, chosen_reading, chosen_strategy
from ragchunk.units import UNITS
from ragchunk.verdicts import Line, paid_in_words

# Widths of the columns: the names of measures, and a number.
NAME, NUMBER = 18, 9

_SIZES = re.compile(r"(\d+)(?:/(\d+))?")


def run(arguments: Sequence[str]) -> int:
    """Measure and print; returns the exit status. Raises RagchunkErrors as the library does."""
    options = _parser().parse_args(arguments)
    own = Setting(chosen_strategy(options), options.vectors)
    others = [_against(each, options) for each in options.against]
    settings = list(dict.fromkeys([own, *others]))
    for number, each in enumerate(others):
        if each in [own, *others[:number]]:
            say(
                "note",
                f"--against {options.against[number]} is the same setting as "
                f"{_letter(settings.index(each))}, and is measured once.",
            )
    cutoffs = measuring.cutoffs(options.k, options.budget)
    measuring.check_measure(options.measure)
    ground = measuring.ground(options.folder, options.questions, chosen_reading(options))
    table = measuring.measured(settings, ground, cutoffs, options.model)
    verdicts = [
        (cutoff, number, _compared(table, number, options.measure, cutoff))
        for cutoff in cutoffs
        for number in range(1, len(table.results))
    ]
    # What every setting made of every question, at each cut-off.
    words = {
        cutoff: measuring.verdicts(settings, ground, cutoff, options.model)
        for cutoff in (cutoffs if options.json else cutoffs[: options.each])
    }
    if options.json:
        found = _as_json(table, ground, verdicts, options.measure, words)
        print(json.dumps(found, indent=2, allow_nan=False))
        return 0
    for line in _lines(table, cutoffs):
        print(line)
    if verdicts:
        print()
    letters = _letters(table)
    for cutoff, number, found in verdicts:
        pair = letters[0], letters[number]
        label = measure_named(options.measure).label
        print(f"{' and '.join(pair)}, {label} at {cutoff}: {found.sentence(*pair)}")
    for lines in words.values():
        for line in lines:
            print(f"\n{line.question}")
            for letter, verdict, paid in zip(letters, line.verdicts, line.paid, strict=True):
                print(f"  {letter}  {verdict.words}; {paid_in_words(paid)}")
    return 0


def _parser() -> Parser:
    parser = Parser(
        prog="python -m ragchunk evaluate",
        description="Measure how well chunks of a folder answer questions whose answers are known, "
        "at k chunks and at a budget of tokens.",
        epilog="To cut a folder named evaluate, write ./evaluate.",
        allow_abbrev=False,
    )
    parser.add_argument("folder", metavar="FOLDER", help="read with all folders in it")
    measuring.add_questions(parser)
    add_reading(parser)
    add_strategy(parser)
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="SETTING",
        help="compare with NAME:SIZE/OVERLAP, such as paragraphs:120/30; a unit or a way to make "
        "vectors may follow, each behind a colon; may be given several times",
    )
    add_vectors(parser, "plain")
    measuring.add_cutoffs(parser)
    parser.add_argument(
        "--each",
        action="store_true",
        help="say of each question what it got: whole in one chunk, split, unread or not found",
    )
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    return parser


def _against(said: str, options: argparse.Namespace) -> Setting:
    """The setting that `paragraphs:120/30:late` says; what it does not say is as in the options."""
    name, *parts = said.split(":")
    values: dict[str, Any] = dict.fromkeys(("size", "overlap", "min_size"))
    values |= {"unit": options.unit, "tail": options.tail, "vectors": options.vectors}
    for part in parts:
        if sizes := _SIZES.fullmatch(part):
            values["size"] = int(sizes[1])
            values["overlap"] = None if sizes[2] is None else int(sizes[2])
        elif part in UNITS:
            values["unit"] = part
        elif part in WAYS:
            values["vectors"] = part
        else:
            raise SettingsError(
                f"--against {said!r}: {part!r} is no SIZE/OVERLAP, unit or way to make vectors. "
                "Write it as paragraphs:120/30, or paragraphs:120/30:tokens:late."
            )
    if name == "whole":
        values |= {"unit": None, "tail": None}
    else:
        values["min_size"] = options.min_size
    found = argparse.Namespace(strategy=name, model=options.model, **values)
    return Setting(chosen_strategy(found), values["vectors"])


def _compared(table: Table, number: int, measure: str, cutoff: Cutoff) -> Comparison:
    """The first setting against another."""
    figures = table.figures(measure, cutoff)
    return compare(figures[0], figures[number])


def _letters(table: Table) -> list[str]:
    return [_letter(number) for number in range(len(table.results))]


def _letter(number: int) -> str:
    """A to Z, then A2 and so on."""
    row, place = divmod(number, 26)
    return chr(ord("A") + place) + (str(row + 1) if row else "")


def _lines(table: Table, cutoffs: Sequence[Cutoff]) -> list[str]:
    """The settings by letter, and the measures as rows: shares in percent."""
    letters = _letters(table)
    lines = [
        f"{letter}  {each.setting.label}: {_count(each.chunks, 'chunk')}, {each.tokens:,} tokens"
        + (f", of which the model does not read {each.unread:,}" if each.unread else "")
        for letter, each in zip(letters, table.results, strict=True)
    ]
    heads = [f"at {cutoff}" for cutoff in cutoffs]
    block = max(NUMBER * len(letters), *(len(each) + 2 for each in heads))
    lines += ["", _row(_count(table.recipe.questions, "question"), heads, block)]
    lines.append(_row("", ["".join(f"{each:>{NUMBER}}" for each in letters)] * len(heads), block))
    for measure in MEASURES:
        cells = [
            "".join(f"{_number(each.scores[cutoff], measure):>{NUMBER}}" for each in table.results)
            for cutoff in cutoffs
        ]
        lines.append(_row(measure.label, cells, block))
    return lines


def _row(name: str, cells: Sequence[str], width: int) -> str:
    return (f"{name:{NAME}}" + "".join(f"{each:>{width}}" for each in cells)).rstrip()


def _number(scores: Scores, measure: Measure) -> str:
    mean = scores.mean(measure.name)
    return f"{100 * mean:.1f}" if measure.is_share else f"{mean:,.0f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _as_json(
    table: Table,
    ground: Ground,
    verdicts: Sequence[tuple[Cutoff, int, Comparison]],
    measure: str,
    words: Mapping[Cutoff, Sequence[Line]],
) -> dict[str, Any]:
    return {
        "recipe": table.recipe.to_json(),
        "rows": table.rows(),
        "comparisons": [
            {
                "a": table.labels[0],
                "b": table.labels[number],
                "measure": measure,
                "cutoff": name_of(cutoff),
                "winner": found.winner,
                "sentence": found.sentence(table.labels[0], table.labels[number]),
                **{key: value for key, value in asdict(found).items() if key != "scale"},
            }
            for cutoff, number, found in verdicts
        ],
        "questions": [
            {
                "question": question.text,
                "settings": [
                    _of_one(
                        each, at, {name_of(c): said[at].verdicts[n] for c, said in words.items()}
                    )
                    for n, each in enumerate(table.results)
                ],
            }
            for at, question in enumerate(ground.questions)
        ],
    }


def _of_one(result: Result, question: int, verdicts: Mapping[str, Brief]) -> dict[str, Any]:
    """What a setting is worth to one question; `complete` is None where the ranking ends before."""
    found: dict[str, Any] = {
        name_of(cutoff): {
            **{each.name: float(scores[each.name][question]) for each in MEASURES},
            "verdict": verdicts[name_of(cutoff)].words,
        }
        for cutoff, scores in result.scores.items()
    }
    [scores, *_] = result.scores.values()
    return {**found, "complete_after_tokens": finite(scores.complete[question])}
