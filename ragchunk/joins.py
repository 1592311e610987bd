"""Why a chunk repeats nothing of the one before it, in words and measured numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from ragchunk.graphemes import boundary_at_or_after, boundary_at_or_before
from ragchunk.markup import count
from ragchunk.memo import per_text
from ragchunk.paragraphs import paragraph_spans
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span, trimmed
from ragchunk.strategies import Paragraphs, Recursive, Sentences, Sized, Strategy, Whole
from ragchunk.units import Ruler, Unit, ruler, token_pieces, word_pieces

NOTHING_FITS = "nothing that may be repeated fits the overlap asked"


class _Piece(NamedTuple):
    """What a strategy never divides, and its name."""

    kind: str
    span: Span


def join_reason(text: str, before: Span, after: Span, strategy: Strategy) -> str:
    """Why the chunk `after` repeats nothing of `before`, the chunk it follows, as half a sentence.

    Looks at the least that could have been repeated, the last piece or sentence of `before`:
    whatever keeps that out keeps out all that is longer. Every number is measured in the text.

    >>> join_reason("One.\\n\\nTwo two.", Span(0, 4), Span(6, 14), Paragraphs(size=8, overlap=3))
    'the last paragraph (4 characters) is longer than the overlap asked (3)'
    """
    if isinstance(strategy, Whole):
        return "the whole document is one chunk"
    if not isinstance(strategy, Sized) or strategy.overlap == 0:
        return "no overlap was asked"
    measure = ruler(text, strategy.unit, strategy.model)
    last = _piece(text, before.end - 1, measure, strategy)
    following = _piece(text, after.start, measure, strategy)
    least = last
    if isinstance(strategy, Recursive):
        if _run(text, before.end - 1, strategy) != _run(text, after.start, strategy):
            return "here another division begins, and parts are repeated within one only"
    elif isinstance(strategy, (Paragraphs, Sentences)):
        sentences = sentence_spans(text)
        final = sentences[bisect_left(sentences, (before.end, 0)) - 1] if sentences else last.span
        if isinstance(strategy, Sentences) or last.span.start < final.start:
            least = _Piece("sentence", Span(final.start, before.end))

    def sized(piece: _Piece) -> str:
        return f"({measured(measure, *piece.span, strategy.unit)})"

    length = measure.measure(least.span.start, before.end)
    if length > strategy.overlap:
        if isinstance(strategy, Paragraphs) and least is not last:
            words = f"the last {last.kind} {sized(last)} and its last sentence ({length:,}) are"
        else:
            words = f"the last {least.kind} {sized(least)} is"
        return f"{words} longer than the overlap asked ({strategy.overlap:,})"
    if least.span.start <= before.start:
        return f"the chunk before is one {least.kind}, and would be repeated whole"
    together = measure.measure(least.span.start, following.span.end)
    if together > strategy.size:
        return (
            f"the next {following.kind} {sized(following)} fills the budget: with the last "
            f"{least.kind} before it that would be {together:,}, more than the size "
            f"({strategy.size:,})"
        )
    return NOTHING_FITS


def measured(measure: Ruler, start: int, end: int, unit: Unit) -> str:
    """`12 words`."""
    return count(measure.measure(start, end), unit.removesuffix("s"))


def _piece(text: str, position: int, measure: Ruler, strategy: Sized) -> _Piece:
    """The piece of the strategy that holds `position`."""
    if isinstance(strategy, Recursive):
        return _Piece("part", _part(text, position, strategy)[0])
    if isinstance(strategy, Paragraphs):
        return _packed_piece(text, position, measure, strategy, ("paragraph", "sentence"))
    if isinstance(strategy, Sentences):
        return _packed_piece(text, position, measure, strategy, ("sentence",))
    return _whole_piece(text, position, strategy, Span(0, len(text)))


def _packed_piece(
    text: str, position: int, measure: Ruler, strategy: Sized, kinds: tuple[str, ...]
) -> _Piece:
    """What is packed at `position`: the first of the kinds within the size, a word, or less."""
    outer = Span(0, len(text))
    for kind in kinds:
        spans = paragraph_spans(text) if kind == "paragraph" else sentence_spans(text)
        span = spans[bisect_right(spans, position, key=lambda span: span.start) - 1]
        if measure.measure(*span) <= strategy.size:
            return _Piece(kind, span)
        outer = span
    starts = word_pieces(text).starts
    number = bisect_right(starts, position)
    start = max(outer.start, starts[number - 1] if number else 0)
    end = min(outer.end, starts[number] if number < len(starts) else len(text))
    word = Span(start, trimmed(text, start, end).end)
    if measure.measure(*word) <= strategy.size:
        return _Piece("word", word)
    return _whole_piece(text, position, strategy, word)


def _whole_piece(text: str, position: int, strategy: Sized, outer: Span) -> _Piece:
    """The piece of the unit, inside `outer`, that holds `position`."""
    if strategy.unit == "characters":
        start = boundary_at_or_before(text, position, outer.start)
        return _Piece(
            "grapheme cluster", Span(start, boundary_at_or_after(text, position + 1, start))
        )
    words = strategy.unit == "words"
    starts = (word_pieces(text) if words else token_pieces(text, strategy.model)).starts
    number = bisect_right(starts, position)
    start = max(outer.start, starts[number - 1] if number else 0)
    end = min(outer.end, starts[number] if number < len(starts) else len(text))
    return _Piece("word" if words else "token", Span(start, end))


# The parts that a recursive strategy packs


def _part(text: str, position: int, strategy: Recursive) -> tuple[Span, int]:
    """The part that holds `position`, and the number of its run."""
    parts = _parts(text, strategy)
    return parts[bisect_right(parts, position, key=lambda each: each[0].start) - 1]


def _run(text: str, position: int, strategy: Recursive) -> int:
    return _part(text, position, strategy)[1]


@per_text
def _parts(text: str, strategy: Recursive) -> list[tuple[Span, int]]:
    return [(part, number) for number, run in enumerate(strategy.runs(text)) for part in run]
