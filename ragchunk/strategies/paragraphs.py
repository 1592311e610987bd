"""Paragraph-aware: whole paragraphs, packed to a budget."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ragchunk.paragraphs import paragraph_spans
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span
from ragchunk.strategies.base import Sized
from ragchunk.strategies.packing import packed, words_or_less
from ragchunk.units import Ruler, ruler


@dataclass(frozen=True)
class Paragraphs(Sized):
    """Whole paragraphs packed up to `size`; a blank line ends a paragraph.

    >>> Paragraphs(size=12).spans("One.\\n\\nTwo.\\n\\nThree.")
    [Span(start=0, end=10), Span(start=12, end=18)]

    A paragraph larger than `size` is packed sentence by sentence, a larger sentence word by word,
    a larger word cluster by cluster. `overlap` is a target: a chunk begins with as many whole
    trailing paragraphs of the one before as fit it, or whole trailing sentences where no paragraph
    fits. It shrinks, to nothing if need be, before `size` is exceeded.
    """

    name: ClassVar[str] = "paragraphs"
    label: ClassVar[str] = "Paragraph-aware"
    summary: ClassVar[str] = "Whole paragraphs, packed up to the size."

    def windows(self, text: str) -> list[Span]:
        measure = ruler(text, self.unit, self.model)
        pieces = list(_pieces(text, measure, self.size))
        if not self.overlap:
            return packed(pieces, measure, self.size, 0)
        carried = [start for start, _ in pieces], [start for start, _ in sentence_spans(text)]
        return packed(pieces, measure, self.size, self.overlap, *carried)

    def describe(self) -> str:
        unit = self.unit if self.size != 1 else self.unit[:-1]
        return f"Whole paragraphs packed up to {self.size:,} {unit}."


def _pieces(text: str, measure: Ruler, size: int) -> Iterator[Span]:
    """Paragraphs in order, each one larger than `size` as sentences, words or clusters instead."""
    for paragraph in paragraph_spans(text):
        if measure.measure(*paragraph) <= size:
            yield paragraph
            continue
        for sentence in _inside(sentence_spans(text), paragraph):
            if measure.measure(*sentence) <= size:
                yield sentence
            else:
                yield from words_or_less(text, sentence, measure, size)


def _inside(spans: Sequence[tuple[int, int]], outer: Span) -> Iterator[Span]:
    """The spans that begin in `outer`."""
    first, last = bisect_left(spans, (outer.start, 0)), bisect_left(spans, (outer.end, 0))
    for start, end in spans[first:last]:
        yield Span(start, end)
