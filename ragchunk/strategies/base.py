"""What every strategy shares: its settings, their check, and the short last chunk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args

from ragchunk import settings
from ragchunk.spans import Span
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import UNITS, Unit, ruler

Tail = Literal["keep", "merge", "drop"]
TAILS: tuple[str, ...] = get_args(Tail)


class Cut(NamedTuple):
    """How one text was cut: the spans, whether the short last one was merged, what was dropped."""

    spans: list[Span]
    merged: bool = False
    dropped: Span | None = None


@dataclass(frozen=True)
class Strategy(ABC):
    """A way to cut a text into spans. Frozen, so that it can be a key and be written down."""

    name: ClassVar[str]
    label: ClassVar[str]
    summary: ClassVar[str]

    def spans(self, text: str) -> list[Span]:
        """The chunks of `text`, half-open spans of code points; `[]` for white space only."""
        return self.cut(text).spans

    @abstractmethod
    def cut(self, text: str) -> Cut:
        """The spans, and what became of a short last chunk."""

    @abstractmethod
    def is_oversized(self, text: str, span: tuple[int, int]) -> bool:
        """Whether a chunk is larger than the size asked; see `Sized` for when that happens."""

    @abstractmethod
    def describe(self) -> str:
        """What these settings do, in one sentence."""


@dataclass(frozen=True)
class Sized(Strategy):
    """A strategy with a size and an overlap.

    `size` and `overlap` are in `unit`; `model` names whose tokens are counted. `tail` says what
    happens to a last chunk shorter than `min_size` (by default a quarter of the size): it is kept,
    merged into the one before, or dropped (never a text's only chunk). A chunk is larger than
    `size` only where one indivisible piece is, or where a short tail was merged into it.

    Raises SettingsError (a ValueError) unless `size >= 1` and `0 <= overlap < size`, all integers.
    """

    size: int
    overlap: int = 0
    unit: Unit = "characters"
    tail: Tail = "keep"
    min_size: int | None = None
    model: str = DEFAULT_MODEL

    def __post_init__(self) -> None:
        size, overlap = settings.size_and_overlap(self.size, self.overlap)
        settings.one_of("Unit", self.unit, UNITS)
        settings.one_of("Tail", self.tail, TAILS)
        if not isinstance(self.model, str):
            raise settings.SettingsError(f"Model {self.model!r} must be a name or a folder.")
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "overlap", overlap)
        if self.min_size is not None:
            least = settings.integer("Minimum size", self.min_size, least=0)
            if least > size:
                raise settings.SettingsError(
                    f"Minimum size {least} is larger than size {size}: every last chunk would be "
                    f"short. Choose a minimum size from 0 to {size}."
                )
            object.__setattr__(self, "min_size", least)

    def cut(self, text: str) -> Cut:
        if not text or text.isspace():
            return Cut([])
        spans = self.windows(text)
        if self.tail == "keep" or len(spans) < 2 or not self._is_short(text, spans[-1]):
            return Cut(spans)
        *most, before, last = spans
        if self.tail == "merge":
            return Cut([*most, Span(before.start, last.end)], merged=True)
        return Cut([*most, before], dropped=Span(max(before.end, last.start), last.end))

    @abstractmethod
    def windows(self, text: str) -> list[Span]:
        """The spans of a text that is not white space only, before the tail is looked at."""

    def is_oversized(self, text: str, span: tuple[int, int]) -> bool:
        return ruler(text, self.unit, self.model).measure(*span) > self.size

    def _is_short(self, text: str, last: Span) -> bool:
        least = self.size // 4 if self.min_size is None else self.min_size
        return ruler(text, self.unit, self.model).measure(*last) < least
