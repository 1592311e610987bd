"""What the page is set to, as one value: it goes into a link and comes back the same.

A link always carries every setting, defaults too, so that it opens the same page after a default
has changed. It never carries text of a pasted or uploaded document: only names and hashes, so that
the page can ask for the files and tell whether they are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast, get_args

from ragchunk.embedding import WAYS
from ragchunk.evaluation.measures import MEASURES, OPENING_BUDGET
from ragchunk.strategies import STRATEGIES, Sized, Strategy, Tail
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import UNITS, Unit

TABS = ("compare", "document", "measure", "prompt", "lessons")
PARTS = ("columns", "sweep", "questions")
CUTOFFS = ("budget", "hits")
CORPORA = ("samples", "docker", "pasted", "files")
MOST_COLUMNS = 4
MOST_HITS = 20
MOST_BUDGET = 100_000

MEASURED = tuple(measure.name for measure in MEASURES)


@dataclass(frozen=True)
class Range:
    """What a slider of size, and the one of overlap, may be set to, and where both begin."""

    least: int
    most: int
    size: int
    overlap: int
    step: int


RANGES: dict[Unit, Range] = {
    "characters": Range(20, 6_000, 800, 200, 10),
    "words": Range(5, 1_000, 60, 15, 1),
    "tokens": Range(8, 1_024, 120, 20, 1),
}

LARGEST_SIZE = max(limits.most for limits in RANGES.values())


@dataclass(frozen=True)
class Cutter:
    """How text is cut and turned into vectors: for all columns, or for one with its own."""

    unit: Unit = "words"
    size: int = 60
    overlap: int = 15
    way: str = "plain"


@dataclass(frozen=True)
class ColumnState:
    """One column: its strategy, and its own settings if it does not share the others'."""

    strategy: str
    own: Cutter | None = None


OPENING_COLUMNS = tuple(ColumnState(name) for name in ("whole", "window", "paragraphs"))


@dataclass(frozen=True)
class PageState:
    """Everything a link opens again. `files` are (name, hash) of documents it cannot carry.

    `part`, `measure`, `budget` and `cutoff` are what the measuring view shows.
    """

    tab: str = "compare"
    query: str = "how big should a chunk be?"
    k: int = 3
    shared: Cutter = field(default_factory=Cutter)
    tail: Tail = "keep"
    min_size: int | None = None
    model: str = DEFAULT_MODEL
    merge: bool = False
    columns: tuple[ColumnState, ...] = OPENING_COLUMNS
    corpus: str = "samples"
    files: tuple[tuple[str, str], ...] = ()
    document: str = ""
    preset: str = ""
    part: str = "columns"
    measure: str = "recall"
    budget: int = OPENING_BUDGET
    cutoff: str = "budget"


def strategy_of(
    name: str, cutter: Cutter, tail: Tail, min_size: int | None, model: str
) -> Strategy:
    """The strategy of a column; SettingsError if its settings cannot work."""
    kind = STRATEGIES[name]
    if not issubclass(kind, Sized):
        return kind()
    return kind(
        size=cutter.size,
        overlap=cutter.overlap,
        unit=cutter.unit,
        tail=tail,
        # Nothing is short where all is kept, so a size left in the box may not refuse anything.
        min_size=None if tail == "keep" else min_size,
        model=model,
    )


def to_params(state: PageState) -> dict[str, list[str]]:
    """The query parameters of a link to this state."""
    shared = state.shared
    return {
        "tab": [state.tab],
        "q": [state.query],
        "k": [str(state.k)],
        "unit": [shared.unit],
        "size": [str(shared.size)],
        "overlap": [str(shared.overlap)],
        "vectors": [shared.way],
        "tail": [state.tail],
        "min": ["" if state.min_size is None else str(state.min_size)],
        "model": [state.model],
        "neighbours": ["merged" if state.merge else "separate"],
        "column": [_column_param(column) for column in state.columns],
        "corpus": [state.corpus],
        "file": [f"{digest}:{name}" for name, digest in state.files],
        "document": [state.document],
        "preset": [state.preset],
        "part": [state.part],
        "measure": [state.measure],
        "budget": [str(state.budget)],
        "cutoff": [state.cutoff],
    }


def from_params(params: Mapping[str, Sequence[str]]) -> tuple[PageState, list[str]]:
    """The state that query parameters ask for, and what in them could not be used, in words.

    A value that is missing or makes no sense gives way to the default of the opening page.
    """
    read = _Reader(params)
    opening = PageState()
    unit = cast(Unit, read.choice("unit", UNITS, opening.shared.unit))
    limits = RANGES[unit]
    shared = Cutter(
        unit=unit,
        size=read.number("size", limits.least, limits.most, limits.size),
        overlap=read.number("overlap", 0, limits.most, limits.overlap),
        way=read.choice("vectors", tuple(WAYS), opening.shared.way),
    )
    state = PageState(
        tab=read.choice("tab", TABS, opening.tab),
        query=read.text("q", opening.query),
        k=read.number("k", 1, MOST_HITS, opening.k),
        shared=shared,
        tail=cast(Tail, read.choice("tail", get_args(Tail), opening.tail)),
        min_size=read.optional_number("min", 0, LARGEST_SIZE),
        model=read.text("model", opening.model) or opening.model,
        merge=read.choice("neighbours", ("separate", "merged"), "separate") == "merged",
        columns=read.columns(opening.columns),
        corpus=read.choice("corpus", CORPORA, opening.corpus),
        files=read.files(),
        document=read.text("document", opening.document),
        preset=read.text("preset", opening.preset),
        part=read.choice("part", PARTS, opening.part),
        measure=read.choice("measure", MEASURED, opening.measure),
        budget=read.number("budget", 1, MOST_BUDGET, opening.budget),
        cutoff=read.choice("cutoff", CUTOFFS, opening.cutoff),
    )
    return state, read.problems


def _column_param(column: ColumnState) -> str:
    if column.own is None:
        return column.strategy
    own = column.own
    return f"{column.strategy},{own.unit},{own.size},{own.overlap},{own.way}"


class _Reader:
    """Reads parameters one by one, and keeps what is wrong with them."""

    def __init__(self, params: Mapping[str, Sequence[str]]) -> None:
        self._params = params
        self.problems: list[str] = []

    def text(self, name: str, default: str) -> str:
        values = self._params.get(name)
        return values[-1] if values else default

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        value = self.text(name, default)
        if value in choices:
            return value
        self._refuse(name, value, f"one of {', '.join(choices)}", default)
        return default

    def number(self, name: str, least: int, most: int, default: int) -> int:
        value = self.text(name, str(default))
        number = _whole(value, least, most)
        if number is not None:
            return number
        self._refuse(name, value, f"a number from {least:,} to {most:,}", str(default))
        return default

    def optional_number(self, name: str, least: int, most: int) -> int | None:
        if not (value := self.text(name, "")):
            return None
        number = _whole(value, least, most)
        if number is None:
            self._refuse(name, value, f"a number from {least:,} to {most:,}", "none")
        return number

    def columns(self, default: tuple[ColumnState, ...]) -> tuple[ColumnState, ...]:
        values = self._params.get("column")
        if not values:
            return default
        columns = []
        for value in values[:MOST_COLUMNS]:
            column = _column(value)
            if column is None:
                self._refuse("column", value, "a strategy, or one with its own settings", "none")
            else:
                columns.append(column)
        for value in values[MOST_COLUMNS:]:
            self._refuse("column", value, f"one of {MOST_COLUMNS} columns at most", "none")
        return tuple(columns) or default

    def files(self) -> tuple[tuple[str, str], ...]:
        pairs = []
        for value in self._params.get("file", ()):
            digest, _, name = value.partition(":")
            if name:
                pairs.append((name, digest))
            else:
                self._refuse("file", value, "a hash and a name", "none")
        return tuple(pairs)

    def _refuse(self, name: str, value: str, wanted: str, used: str) -> None:
        self.problems.append(
            f"The link says {name} = {value!r}; it must be {wanted}. Used: {used}."
        )


def _whole(value: str, least: int, most: int) -> int | None:
    # isascii: int() also reads digits of other scripts, which no link of ours holds.
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        return None
    return int(value) if least <= int(value) <= most else None


def _column(value: str) -> ColumnState | None:
    strategy, *own = value.split(",")
    if strategy not in STRATEGIES:
        return None
    if not own:
        return ColumnState(strategy)
    if len(own) != 4 or own[0] not in UNITS or own[3] not in WAYS:
        return None
    unit = cast(Unit, own[0])
    limits = RANGES[unit]
    size = _whole(own[1], limits.least, limits.most)
    overlap = _whole(own[2], 0, limits.most)
    if size is None or overlap is None:
        return None
    return ColumnState(strategy, Cutter(unit, size, overlap, own[3]))
