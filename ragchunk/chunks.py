"""From documents to chunks: slices of their source that know where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragchunk import settings
from ragchunk.documents import Pair
from ragchunk.spans import Span, shared
from ragchunk.strategies import Cut, Strategy


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a document: `text == document.text[start:end]`, in code points.

    `id` is `source#index`, what an answer cites. `overlap` is how many characters it really shares
    with the chunk before. `oversized`: larger than the size asked, because one piece of it cannot
    be divided or a short tail was merged into it (`merged`).
    """

    id: str
    source: str
    index: int
    start: int
    end: int
    text: str
    overlap: int = 0
    oversized: bool = False
    merged: bool = False


def chunk(documents: Iterable[Pair], strategy: Strategy) -> list[Chunk]:
    """Cut every document; `documents` are pairs of source and text, such as `Document`s."""
    return [
        piece
        for source, text in documents
        for piece in chunks_of(source, text, strategy, strategy.cut(text))
    ]


def chunks_of(source: str, text: str, strategy: Strategy, cut: Cut) -> Iterator[Chunk]:
    """The chunks of one document that `strategy` has cut."""
    before = Span(0, 0)
    last = len(cut.spans) - 1
    for index, span in enumerate(cut.spans):
        yield Chunk(
            id=f"{source}#{index}",
            source=source,
            index=index,
            start=span.start,
            end=span.end,
            text=text[span.start : span.end],
            overlap=shared(before, span),
            oversized=strategy.is_oversized(text, span),
            merged=cut.merged and index == last,
        )
        before = span


def chunk_text(text: str, size: int, overlap: int) -> list[str]:
    """Windows of `size` code points, each `size - overlap` after the one before.

    The tutorials' function, and no other rule: white space alone gives windows, and a cut may fall
    anywhere. The first window that reaches the end is the last, so none only repeats a tail.
    `[]` for an empty text. ValueError unless `size > 0` and `0 <= overlap < size`.

    >>> chunk_text("abcdefgh", size=4, overlap=1)
    ['abcd', 'defg', 'gh']
    """
    size, overlap = settings.size_and_overlap(size, overlap)
    if not text:
        return []
    # The last window is the first to reach the end: none starts at or behind len(text) - overlap.
    starts = range(0, max(1, len(text) - overlap), size - overlap)
    return [text[start : start + size] for start in starts]


def build_corpus(
    docs: Iterable[Pair], size: int = 800, overlap: int = 200
) -> list[tuple[str, str]]:
    """`chunk_text` over pairs of source and text, as pairs of chunk id and chunk text.

    >>> build_corpus([("notes.md", "abcdef")], size=4, overlap=1)
    [('notes.md#0', 'abcd'), ('notes.md#1', 'def')]
    """
    return [
        (f"{source}#{index}", piece)
        for source, text in docs
        for index, piece in enumerate(chunk_text(text, size, overlap))
    ]
