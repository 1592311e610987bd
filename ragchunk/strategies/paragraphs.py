"""Paragraph-aware: whole paragraphs, packed to a budget."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ragchunk.graphemes import boundary_at_or_after
from ragchunk.paragraphs import paragraph_spans
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span, trimmed
from ragchunk.strategies.base import Sized
from ragchunk.units import Ruler, ruler, word_pieces


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
        starts = [piece.start for piece in pieces]
        spans: list[Span] = []
        start, end = pieces[0]
        for i, piece in enumerate(pieces[1:], 1):
            if measure.measure(start, piece.end) <= self.size:
                end = piece.end
                continue
            spans.append(Span(start, end))
            start = self._carried(text, measure, spans[-1], pieces[i - 1], piece, starts)
            end = piece.end
        spans.append(Span(start, end))
        return spans

    def describe(self) -> str:
        unit = self.unit if self.size != 1 else self.unit[:-1]
        return f"Whole paragraphs packed up to {self.size:,} {unit}."

    def _carried(
        self, text: str, measure: Ruler, chunk: Span, last: Span, piece: Span, starts: list[int]
    ) -> int:
        """Where the chunk that ends with `piece` begins: inside `chunk`, or at `piece`.

        `chunk` is the chunk before, `last` its last piece, `starts` where all pieces begin.
        """
        if self.overlap == 0:
            return piece.start

        def fits(start: int) -> bool:
            return (
                start > chunk.start  # or the chunk before would lie inside this one
                and measure.measure(start, chunk.end) <= self.overlap
                and measure.measure(start, piece.end) <= self.size
            )

        # What does not fit only comes before what does, so the first start that fits is found by
        # halving: among the pieces, and if none fits, among the sentences of the last piece.
        begin, end = bisect_left(starts, chunk.start), bisect_left(starts, piece.start)
        found = bisect_left(starts, True, begin, end, key=fits)
        if found < end:
            return starts[found]
        sentences = sentence_spans(text)
        begin = bisect_left(sentences, (last.start, 0))
        end = bisect_left(sentences, (piece.start, 0))
        found = bisect_left(sentences, True, begin, end, key=lambda span: fits(span[0]))
        return sentences[found][0] if found < end else piece.start


def _pieces(text: str, measure: Ruler, size: int) -> Iterator[Span]:
    """Paragraphs in order, each one larger than `size` as sentences, words or clusters instead."""
    for paragraph in paragraph_spans(text):
        if measure.measure(*paragraph) <= size:
            yield paragraph
            continue
        for sentence in _inside(sentence_spans(text), paragraph):
            if measure.measure(*sentence) <= size:
                yield sentence
                continue
            for word in _words(text, sentence):
                if measure.measure(*word) <= size:
                    yield word
                else:
                    yield from _joined(text, measure.pieces(*word), word.end)


def _words(text: str, sentence: Span) -> Iterator[Span]:
    starts = word_pieces(text).starts
    inner = starts[bisect_right(starts, sentence.start) : bisect_left(starts, sentence.end)]
    return _joined(text, [sentence.start, *inner], sentence.end)


def _joined(text: str, starts: list[int], end: int) -> Iterator[Span]:
    """The pieces from each start to the next, without the white space between them."""
    for start, limit in zip(starts, [*starts[1:], end], strict=True):
        content = trimmed(text, start, limit)
        if content.start < content.end:
            yield Span(start, boundary_at_or_after(text, content.end, start))


def _inside(spans: Sequence[tuple[int, int]], outer: Span) -> Iterator[Span]:
    """The spans that begin in `outer`."""
    first, last = bisect_left(spans, (outer.start, 0)), bisect_left(spans, (outer.end, 0))
    for start, end in spans[first:last]:
        yield Span(start, end)
