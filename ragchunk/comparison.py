"""One strategy on one corpus: what it cut, and what a question finds in it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from cachetools import LRUCache, cached

from ragchunk.chunks import Chunk, chunk
from ragchunk.corpus import Corpus
from ragchunk.embedding import Encoder, embed, embed_query, has_words
from ragchunk.figures import Figures, figures
from ragchunk.reading import Reading, reading
from ragchunk.search import Hit, cosines, noise_floor, rank, readable, unique_share
from ragchunk.spans import Span
from ragchunk.strategies import Strategy
from ragchunk.tokens import DEFAULT_MODEL

# Cuttings kept, over all people on one server: a slider that goes back finds its place again.
CUTTINGS_KEPT = 48


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
    def position(self) -> dict[str, int]:
        """Where each chunk stands in `chunks`, by its id."""
        return {each.id: number for number, each in enumerate(self.chunks)}

    def reading(self, each: Chunk, way: str) -> Reading:
        """How much of a chunk stands in its vector: with averaged windows, all of it."""
        found = reading(each, self.model)
        return found if way == "plain" else Reading(found.tokens, found.tokens, each.end)


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
    `tokens` into a prompt; the whole documents they come from would put `document_tokens`.
    """

    hits: list[Hit]
    scores: np.ndarray
    floor: float
    unique: float
    tokens: int
    document_tokens: int


def ask(query: str, cutting: Cutting, encoder: Encoder, k: int, way: str) -> Ranking:
    """Rank all chunks of a cutting by their cosine with `query`, and keep the first `k`.

    A question without words finds nothing.
    """
    vectors = embed([each.text for each in cutting.chunks], encoder, way)
    scores = cosines(embed_query(query, encoder), vectors)
    order = rank(scores, readable(vectors), k) if has_words(query) else []
    hits = [Hit(n, float(scores[i]), cutting.chunks[i]) for n, i in enumerate(order, 1)]
    found = [hit.chunk for hit in hits]
    return Ranking(
        hits=hits,
        scores=scores,
        floor=noise_floor(scores),
        unique=unique_share(found),
        tokens=sum(cutting.tokens[each.id] for each in found),
        document_tokens=cutting.corpus.tokens({each.source for each in found}, cutting.model),
    )


def read_ends(cutting: Cutting, hits: Sequence[Hit], way: str) -> list[int]:
    """For each hit, where in its document the model stops reading the chunk."""
    return [cutting.reading(hit.chunk, way).end for hit in hits]
