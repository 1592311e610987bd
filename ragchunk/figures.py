"""What a chunking did, in numbers: sizes, repeated text, overlap, cut sentences, unread tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ragchunk.chunks import Chunk
from ragchunk.documents import Pair
from ragchunk.memo import per_text
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span
from ragchunk.tokens import DEFAULT_MODEL, max_tokens, token_starts
from ragchunk.units import UNITS, inside_word, word_starts


@dataclass(frozen=True)
class Sizes:
    """Chunk sizes in one unit; `each` has one entry per chunk, in order."""

    each: np.ndarray
    min: int
    median: float
    mean: float
    max: int

    def histogram(self, bins: int = 12) -> tuple[np.ndarray, np.ndarray]:
        """Chunks per bin, and the `bins + 1` edges, from nothing to the largest chunk."""
        return np.histogram(self.each, bins=bins, range=(0, max(self.max, 1)))


@dataclass(frozen=True)
class Sentences:
    """What became of the sentences of a text, or of many.

    *Cut*: a chunk edge falls strictly inside. *Rescued*: cut, and whole in some chunk. *Lost*:
    cut, and whole in none. `lost_spans` are the lost ones.
    """

    total: int
    cut: int
    lost_spans: tuple[Span, ...]

    @property
    def lost(self) -> int:
        return len(self.lost_spans)

    @property
    def rescued(self) -> int:
        return self.cut - self.lost


@dataclass(frozen=True)
class Figures:
    """The figures of one chunking of one corpus.

    `stored` and `repeated` are characters: of all chunks together, and of these how many are a
    second copy. `joins` are places where one chunk of a document follows another; `joins_without`
    of them share nothing; `overlap_median` is the median of characters shared there. `unread` are
    the tokens that stand behind what the model reads of their chunk, in `blind_chunks` chunks.
    `left_out` are characters, other than white space, that no chunk holds.
    """

    chunks: int
    sizes: dict[str, Sizes]
    stored: int
    repeated: int
    joins: int
    joins_without: int
    overlap_median: float
    sentences: int
    sentences_cut: int
    sentences_lost: int
    tokens: int
    unread: int
    blind_chunks: int
    left_out: int

    @property
    def sentences_rescued(self) -> int:
        return self.sentences_cut - self.sentences_lost

    @property
    def repeated_share(self) -> float:
        """Share of the stored characters that are a second copy, 0 to 1."""
        return self.repeated / self.stored if self.stored else 0.0


def figures(
    documents: Iterable[Pair], chunks: Sequence[Chunk], model: str = DEFAULT_MODEL
) -> Figures:
    """The figures of `chunks`, cut from `documents`; `model` names whose tokens are counted."""
    by_source = {source: list(group) for source, group in groupby(chunks, lambda c: c.source)}
    sizes: dict[str, list[np.ndarray]] = {unit: [] for unit in UNITS}
    overlaps: list[int] = []
    repeated = left_out = sentences = cut = lost = 0
    for source, text in documents:
        own = by_source.get(source, [])
        spans = [(chunk.start, chunk.end) for chunk in own]
        for unit, counts in sizes_of(text, spans, model).items():
            sizes[unit].append(counts)
        joins = [chunk.overlap for chunk in own[1:]]
        overlaps += joins
        repeated += sum(joins)
        left_out += _left_out(text, spans)
        fate = sentence_fates(text, spans)
        sentences, cut, lost = sentences + fate.total, cut + fate.cut, lost + fate.lost
    every = {unit: _sizes(counts) for unit, counts in sizes.items()}
    tokens = every["tokens"].each
    limit = max_tokens(model)
    return Figures(
        chunks=len(chunks),
        sizes=every,
        stored=int(every["characters"].each.sum()),
        repeated=repeated,
        joins=len(overlaps),
        joins_without=sum(shared == 0 for shared in overlaps),
        overlap_median=float(np.median(overlaps)) if overlaps else 0.0,
        sentences=sentences,
        sentences_cut=cut,
        sentences_lost=lost,
        tokens=int(tokens.sum()),
        unread=int(np.maximum(tokens - limit, 0).sum()),
        blind_chunks=int((tokens > limit).sum()),
        left_out=left_out,
    )


def sizes_of(
    text: str, spans: Sequence[tuple[int, int]], model: str = DEFAULT_MODEL
) -> dict[str, np.ndarray]:
    """The length of each span in characters, words and tokens."""
    starts = np.array([span[0] for span in spans], dtype=np.int64)
    ends = np.array([span[1] for span in spans], dtype=np.int64)

    def begun(positions: Sequence[int]) -> np.ndarray:
        each = np.asarray(positions, dtype=np.int64)
        return np.searchsorted(each, ends) - np.searchsorted(each, starts)

    torn = np.array([inside_word(text, span[0]) for span in spans], dtype=np.int64)
    return {
        "characters": ends - starts,
        "words": begun(word_starts(text)) + torn,
        "tokens": begun(token_starts(text, model)),
    }


def sentence_fates(text: str, spans: Sequence[tuple[int, int]]) -> Sentences:
    """Which sentences of `text` the edges of `spans` cut, and which of these no span holds whole.

    `spans` have strictly increasing starts and ends.
    """
    sentences = sentence_spans(text)
    if not sentences or not spans:
        return Sentences(len(sentences), 0, ())
    begin, end = _sentence_edges(text)
    starts, ends = np.array(spans, dtype=np.int64).T
    cut = _any_inside(starts, begin, end) | _any_inside(ends, begin, end)
    # Of all spans that begin early enough, the last one reaches furthest.
    holder = np.searchsorted(starts, begin, "right") - 1
    whole = (holder >= 0) & (ends[np.maximum(holder, 0)] >= end)
    lost = np.flatnonzero(cut & ~whole)
    return Sentences(len(sentences), int(cut.sum()), tuple(Span(*sentences[i]) for i in lost))


@per_text
def _sentence_edges(text: str) -> np.ndarray:
    """Where the sentences begin and end, shape (2, n): making it takes longer than using it."""
    return np.ascontiguousarray(np.array(sentence_spans(text), dtype=np.int64).T)


def _any_inside(edges: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """For each sentence, whether one of the ascending edges falls strictly inside it."""
    return np.searchsorted(edges, begin, "right") < np.searchsorted(edges, end, "left")


def _left_out(text: str, spans: Sequence[tuple[int, int]]) -> int:
    missed = reached = 0
    for start, end in [*spans, (len(text), len(text))]:
        missed += sum(not character.isspace() for character in text[reached:start])
        reached = max(reached, end)
    return missed


def _sizes(counts: list[np.ndarray]) -> Sizes:
    each = np.concatenate(counts) if counts else np.zeros(0, dtype=np.int64)
    if not each.size:
        return Sizes(each, 0, 0.0, 0.0, 0)
    return Sizes(each, int(each.min()), float(np.median(each)), float(each.mean()), int(each.max()))
