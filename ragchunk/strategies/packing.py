"""What the strategies that pack share: pieces of a text, put together up to a budget."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from ragchunk.graphemes import boundary_at_or_after
from ragchunk.spans import Span, trimmed
from ragchunk.units import Ruler, word_pieces


def packed(
    pieces: Sequence[Span], measure: Ruler, size: int, overlap: int, *carried: Sequence[int]
) -> list[Span]:
    """Chunks of as many neighbouring pieces as fit `size`; a piece that does not is one alone.

    pieces: at least one, in order and disjoint.
    carried: where the text that two chunks share may begin, each row ascending. A chunk begins at
    the first position of the first row that keeps the text carried within `overlap`, and the chunk
    with its own first piece within `size`; where no row has one, it carries nothing.
    """
    spans: list[Span] = []
    start, end = pieces[0]
    for piece in pieces[1:]:
        if measure.measure(start, piece.end) <= size:
            end = piece.end
            continue
        spans.append(Span(start, end))
        start = piece.start
        if overlap:
            start = _begin(measure, spans[-1], piece, size, overlap, carried)
        end = piece.end
    spans.append(Span(start, end))
    return spans


def _begin(
    measure: Ruler,
    chunk: Span,
    piece: Span,
    size: int,
    overlap: int,
    carried: Sequence[Sequence[int]],
) -> int:
    """Where the chunk that ends with `piece` begins: inside `chunk`, the one before, or at it."""

    def fits(start: int) -> bool:
        return (
            start > chunk.start  # or the chunk before would lie inside this one
            and measure.measure(start, chunk.end) <= overlap
            and measure.measure(start, piece.end) <= size
        )

    # What does not fit only comes before what does, so the first that fits is found by halving.
    for starts in carried:
        begin, end = bisect_left(starts, chunk.start), bisect_left(starts, chunk.end)
        found = bisect_left(starts, True, begin, end, key=fits)
        if found < end:
            return starts[found]
    return piece.start


def starts_inside(starts: Sequence[int], span: Span) -> Sequence[int]:
    """Those of the ascending `starts` that lie inside the span, not at its edges."""
    return starts[bisect_right(starts, span.start) : bisect_left(starts, span.end)]


def divided(text: str, span: Span, starts: Sequence[int]) -> list[Span]:
    """The span as pieces, one from its start and one from each of `starts`, all inside it.

    The white space behind each belongs to none.
    """
    pieces = []
    limits = [*starts, span.end]
    start = span.start
    for limit in limits:
        content = trimmed(text, start, limit)
        if content.start < content.end:
            pieces.append(Span(start, boundary_at_or_after(text, content.end, start)))
        start = limit
    return pieces


def words_or_less(text: str, span: Span, measure: Ruler, size: int) -> Iterator[Span]:
    """The words of a span, and of a word that is larger than `size` what the unit can divide."""
    for word in divided(text, span, starts_inside(word_pieces(text).starts, span)):
        if measure.measure(*word) <= size:
            yield word
        else:
            yield from divided(text, word, measure.pieces(*word)[1:])
