"""The fixed window with its grid moved: to see what the place of the grid is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragchunk import settings
from ragchunk.strategies.window import Window


@dataclass(frozen=True)
class ShiftedWindow(Window):
    """The windows of `Window`, all but the first `shift` units further on.

    >>> ShiftedWindow(size=4, overlap=1, shift=2).spans("abcdefgh")
    [Span(start=0, end=3), Span(start=2, end=6), Span(start=5, end=8)]

    The first window is shorter, `shift` + `overlap`, so that text and overlaps are as before.
    Raises SettingsError unless `0 <= shift < size - overlap`, one step of the grid.
    """

    name: ClassVar[str] = "shifted-window"
    label: ClassVar[str] = "Fixed window, moved"
    summary: ClassVar[str] = "The fixed window with its grid moved."

    shift: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        shift = settings.integer("Shift", self.shift, least=0)
        step = self.size - self.overlap
        if shift >= step:
            raise settings.SettingsError(
                f"Shift {shift} is a whole step of {step} or more, which is the same grid again: "
                f"choose a shift from 0 to {step - 1}."
            )
        object.__setattr__(self, "shift", shift)

    @property
    def first(self) -> int:
        return self.shift + self.overlap if self.shift else self.size
