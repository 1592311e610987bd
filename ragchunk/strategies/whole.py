"""Whole document: no cut at all, the baseline every other strategy is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragchunk.spans import Span
from ragchunk.strategies.base import Cut, Strategy


@dataclass(frozen=True)
class Whole(Strategy):
    """Each document is one chunk; size and overlap do not apply."""

    name: ClassVar[str] = "whole"
    label: ClassVar[str] = "Whole document"
    summary: ClassVar[str] = "Each file is one chunk."

    def cut(self, text: str) -> Cut:
        return Cut([] if not text or text.isspace() else [Span(0, len(text))])

    def is_oversized(self, text: str, span: tuple[int, int]) -> bool:
        return False

    def describe(self) -> str:
        return "Each file is one chunk; size and overlap do not apply."
