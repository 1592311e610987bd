"""One strategy on one corpus: what it cut, and what a question finds in it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from cachetools import LRUCache, cached

from ragchunk.chunks import Chunk, chunk
from ragchunk.corpus import Corpus
from ragchunk.embedding import Encoder, ModelEncoder, Vectors, embed_query, has_words
from ragchunk.figures import Figures, figures, sentence_fates
from ragchunk.reading import Reading, reading
from ragchunk.search import (
    Hit,
    cosines,
    merge_neighbours,
    noise_floor,
    rank,
    readable,
    scores,
    unique_share,
)
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span
from ragchunk.strategies import Strategy
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import ruler
from ragchunk.vectors import chunk_vectors

# Cuttings kept, over all people on one server: a slider that goes back finds its place again.
CUTTINGS_KEPT = 32

# Bytes of the matrices that `Cutting.vectors` keeps, over all people on one server.
MATRIX_BYTES_KEPT = 64_000_000


class _Made(NamedTuple):
    vectors: Vectors
    from_store: int


@dataclass(frozen=True, eq=False)
class Cutting:
    """All chunks of a corpus under one strategy, and their figures."""

    corpus: Corpus
    strategy: Strategy
    model: str
    chunks: list[Chunk]
    figures: Figures

    @cached_property
    def by_source(self) -> dict[str, list[Chunk]]:
        """The chunks of each document, in order; documents without chunks have an empty list."""
        groups: dict[str, list[Chunk]] = {source: [] for source in self.corpus.texts}
        for each in self.chunks:
            groups[each.source].append(each)
        return groups

    @cached_property
    def spans(self) -> dict[str, list[Span]]:
        """The span of each chunk by source; the position in the list is the chunk's index."""
        return {
            source: [Span(each.start, each.end) for each in chunks]
            for source, chunks in self.by_source.items()
        }

    @cached_property
    def tokens(self) -> dict[str, int]:
        """Tokens by chunk id, counted in one tokenisation of each document."""
        counts = self.figures.sizes["tokens"].each
        return {each.id: int(count) for each, count in zip(self.chunks, counts, strict=True)}

    @cached_property
    def _lost(self) -> dict[str, tuple[Span, ...]]:
        return {}

    def lost(self, source: str) -> tuple[Span, ...]:
        """The sentences of a document that are whole in none of its chunks."""
        if source not in self._lost:
            found = sentence_fates(self.corpus.texts[source], self.spans[source])
            self._lost[source] = found.lost_spans
        return self._lost[source]

    def has_vectors(self, encoder: Encoder, way: str) -> bool:
        """Whether `vectors` answers at once."""
        with _matrices_lock:
            return (self, encoder, way) in _matrices

    def vectors(self, encoder: Encoder, way: str) -> Vectors:
        """The vector of every chunk, float32, shape (n, d); kept while there is room."""
        return self._made(encoder, way).vectors

    def from_store(self, encoder: Encoder, way: str) -> int:
        """How many chunks had vectors that came from a store when `vectors` was first asked."""
        return self._made(encoder, way).from_store

    def _made(self, encoder: Encoder, way: str) -> _Made:
        key = (self, encoder, way)
        with _matrices_lock:
            found = _matrices.get(key)
        if found is None:
            vectors = chunk_vectors(self.chunks, encoder, way, self.corpus.documents)
            stored = 0
            if way != "late" and isinstance(encoder, ModelEncoder):
                stored = encoder.from_store([each.text for each in self.chunks], way)
            found = _Made(vectors, stored)
            if vectors.nbytes < MATRIX_BYTES_KEPT:
                with _matrices_lock:
                    _matrices[key] = found
        return found

    def count_tokens(self, each: Chunk) -> int:
        """Tokens of a chunk or of joined chunks, in one tokenisation of its document."""
        text = self.corpus.texts[each.source]
        return ruler(text, "tokens", self.model).measure(each.start, each.end)

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each chunk stands in `chunks`, by its id."""
        return {each.id: number for number, each in enumerate(self.chunks)}

    def reading(self, each: Chunk, way: str) -> Reading:
        """How much of a chunk stands in its vector: with averaged windows, all of it.

        Joined hits were read one by one, so no one place is where the model stops.
        """
        found = reading(each, self.model)
        if way == "plain" and each.id in self.position:
            return found
        return Reading(found.tokens, found.tokens, each.end)


# A cutting and an encoder are keys as the objects they are, so nothing stale is ever found.
_matrices: LRUCache[tuple[Cutting, Encoder, str], _Made] = LRUCache(
    MATRIX_BYTES_KEPT, getsizeof=lambda made: made.vectors.nbytes + 1
)
_matrices_lock = threading.Lock()


def _key(
    corpus: Corpus, strategy: Strategy, model: str = DEFAULT_MODEL
) -> tuple[str, Strategy, str]:
    return (corpus.key, strategy, model)


@cached(LRUCache(CUTTINGS_KEPT), key=_key, lock=threading.Lock())
def cut(corpus: Corpus, strategy: Strategy, model: str = DEFAULT_MODEL) -> Cutting:
    """Cut a corpus; remembered for the corpus and strategies used last."""
    chunks = chunk(corpus.documents, strategy)
    return Cutting(corpus, strategy, model, chunks, figures(corpus.documents, chunks, model))


@dataclass(frozen=True, eq=False)
class Ranking:
    """What a question finds in a cutting.

    `scores` has the cosine of every chunk, in the order of the chunks. `floor` is the noise floor,
    the median of them. `unique` is the share of the hits' text that is no repeat. The hits put
    `tokens` into a prompt; the whole documents they come from would put `document_tokens`. `way`
    says how the vectors of the chunks were made.
    """

    hits: list[Hit]
    scores: np.ndarray
    floor: float
    unique: float
    tokens: int
    document_tokens: int
    way: str


def ask(
    query: str, cutting: Cutting, encoder: Encoder, k: int, way: str, merge: bool = False
) -> Ranking:
    """Rank all chunks of a cutting by their cosine with `query`, and keep the first `k`.

    `merge` joins those of the `k` that are neighbours. A question without words finds nothing.
    """
    vectors = cutting.vectors(encoder, way)
    found = cosines(embed_query(query, encoder), vectors)
    order = rank(found, readable(vectors), k) if has_words(query) else []
    hits = [Hit(n, float(found[i]), cutting.chunks[i]) for n, i in enumerate(order, 1)]
    if merge:
        hits = merge_neighbours(hits, cutting.corpus.texts)
    chunks = [hit.chunk for hit in hits]
    return Ranking(
        hits=hits,
        scores=found,
        floor=noise_floor(found),
        unique=unique_share(chunks),
        tokens=sum(cutting.count_tokens(each) for each in chunks),
        document_tokens=cutting.corpus.tokens({each.source for each in chunks}, cutting.model),
        way=way,
    )


def way_at_hand(
    cutting: Cutting, encoder: ModelEncoder, way: str, hurry: bool = False
) -> str | None:
    """The way in which a question can be ranked now: `way`, late vectors as a preview, or none.

    In a `hurry` late vectors are taken without looking for others in the store.
    """
    if cutting.has_vectors(encoder, way):
        return way
    late = not encoder.why_not_late and all(
        encoder.token_pass.is_read(text) for text in cutting.corpus.texts.values()
    )
    if way == "late":
        return "late" if late else None
    # Cutting every chunk into windows, to find out what is known of them, would take longer than
    # the preview: it is found out behind it.
    if late and (hurry or way == "averaged"):
        return "late"
    if not encoder.pending([each.text for each in cutting.chunks], way):
        return way
    return "late" if late else None


def sentence_scores(
    query: str, cutting: Cutting, each: Chunk, encoder: Encoder
) -> list[tuple[Span, float]]:
    """What of each sentence lies in a chunk, and its own cosine with `query`."""
    text = cutting.corpus.texts[each.source]
    inner = [
        Span(max(start, each.start), min(end, each.end))
        for start, end in sentence_spans(text)
        if start < each.end and end > each.start
    ]
    found = scores(query, [text[start:end] for start, end in inner], encoder)
    return list(zip(inner, map(float, found), strict=True))


def read_ends(cutting: Cutting, hits: Sequence[Hit], way: str) -> list[int]:
    """For each hit, where in its document the model stops reading the chunk."""
    return [cutting.reading(hit.chunk, way).end for hit in hits]
