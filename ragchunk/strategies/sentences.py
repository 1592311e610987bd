"""Sentences: whole sentences, packed to a budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span
from ragchunk.strategies.base import Sized
from ragchunk.strategies.packing import packed, words_or_less
from ragchunk.units import Ruler, ruler


@dataclass(frozen=True)
class Sentences(Sized):
    """Whole sentences packed up to `size`, whatever paragraphs they stand in.

    >>> Sentences(size=12).spans("One. Two.\\n\\nThree. Four.")
    [Span(start=0, end=9), Span(start=11, end=23)]

    A sentence larger than `size` is packed word by word, a larger word cluster by cluster.
    `overlap` is a target: a chunk begins with as many trailing sentences of the one before as fit
    it, always at the start of a sentence. It shrinks, to nothing if need be, before `size` is
    exceeded.
    """

    name: ClassVar[str] = "sentences"
    label: ClassVar[str] = "Sentences"
    summary: ClassVar[str] = "Whole sentences, packed up to the size."

    def windows(self, text: str) -> list[Span]:
        measure = ruler(text, self.unit, self.model)
        pieces = list(_pieces(text, measure, self.size))
        starts = [start for start, _ in sentence_spans(text)]
        return packed(pieces, measure, self.size, self.overlap, starts)

    def describe(self) -> str:
        unit = self.unit if self.size != 1 else self.unit[:-1]
        return f"Whole sentences packed up to {self.size:,} {unit}."


def _pieces(text: str, measure: Ruler, size: int) -> Iterator[Span]:
    """Sentences in order, each one larger than `size` as words or clusters instead."""
    for sentence in sentence_spans(text):
        if measure.measure(*sentence) <= size:
            yield sentence
        else:
            yield from words_or_less(text, sentence, measure, size)
