"""Chunks in the order of their likeness to a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ragchunk.embedding import Encoder, Vectors, check_way, embed, embed_query, has_words
from ragchunk.errors import SettingsError
from ragchunk.vectors import chunk_vectors

if TYPE_CHECKING:
    from ragchunk.chunks import Chunk
    from ragchunk.documents import Pair


@dataclass(frozen=True)
class Hit:
    """One result: its rank from 1, its cosine with the question, and the chunk."""

    rank: int
    score: float
    chunk: Chunk


def top_hits(
    query: str,
    chunks: Sequence[Chunk],
    encoder: Encoder,
    k: int = 5,
    way: str = "plain",
    documents: Iterable[Pair] = (),
) -> list[Hit]:
    """The k chunks closest to the question, best first; fewer if there are fewer chunks.

    documents: those that the chunks were cut from, for the way "late" alone.
    Ties break by position. Chunks without a vector (no words, nothing the model knows) score 0
    and come last, behind negative scores. A question without words has no hits.
    Raises SettingsError unless k is an integer of at least 1, or for an unknown way, or one that
    cannot be had here (see `chunk_vectors`).
    """
    check_k(k)
    check_way(way)
    if not chunks or not has_words(query):
        return []
    vectors = chunk_vectors(chunks, encoder, way, documents)
    found = cosines(embed_query(query, encoder), vectors)
    order = rank(found, readable(vectors), k)
    return [Hit(n, float(found[i]), chunks[i]) for n, i in enumerate(order, start=1)]


def scores(query: str, texts: Sequence[str], encoder: Encoder, way: str = "plain") -> Vectors:
    """The cosine of the question with each text: float32, shape (n,), 0 without a vector.

    Raises SettingsError for an unknown way.
    """
    return cosines(embed_query(query, encoder), embed(texts, encoder, way))


def cosines(query: Vectors, vectors: Vectors) -> Vectors:
    """Cosines of one unit vector (d,) with the rows of (n, d): float32, shape (n,).

    0 where either is all zeros, or empty as `embed` makes it when no text has words.
    """
    if not query.size or not vectors.size:
        return np.zeros(len(vectors), dtype=np.float32)
    return np.clip(vectors @ query, -1, 1)


def readable(vectors: Vectors) -> npt.NDArray[np.bool_]:
    """Which rows are vectors at all, and not zeros for a text that nothing was read of."""
    return np.any(vectors != 0, axis=1)


def rank(scores: npt.NDArray[Any], known: npt.NDArray[np.bool_], k: int) -> list[int]:
    """Positions of the k best scores, best first; those not known last, ties by position.

    known: which scores come from a vector, as `readable` tells.
    Scores that agree to six decimals are a tie: the digits behind depend on which texts shared a
    batch.
    Raises SettingsError unless k is an integer of at least 1.
    """
    check_k(k)
    known = known & np.isfinite(scores)
    rounded = np.round(np.where(known, scores, 0).astype(np.float64), 6)
    return np.lexsort((-rounded, ~known))[:k].tolist()


def check_k(k: int) -> None:
    """Raise SettingsError unless k is an integer of at least 1."""
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise SettingsError(f"k is {k!r}: the number of hits must be an integer, 1 or more.")


def noise_floor(scores: npt.NDArray[Any]) -> float:
    """The median score of all chunks, what a chunk scores for no reason; 0.0 if there are none."""
    return float(np.median(scores)) if len(scores) else 0.0


def merge_neighbours(hits: Sequence[Hit], texts: Mapping[str, str]) -> list[Hit]:
    """Hits that touch or overlap in their document, joined; best first, ranked anew.

    texts: the documents by source. A joined hit has the score of its best and an id that names
    all it is made of, such as `notes.md#3+4`.
    """
    groups: list[list[Hit]] = []
    for hit in sorted(hits, key=lambda hit: (hit.chunk.source, hit.chunk.start)):
        last = groups[-1] if groups else None
        if last and last[-1].chunk.source == hit.chunk.source:
            # White space alone between two chunks is no text left out.
            between = texts[hit.chunk.source][last[-1].chunk.end : hit.chunk.start]
            if not between.strip():
                last.append(hit)
                continue
        groups.append([hit])
    groups.sort(key=lambda group: min(hit.rank for hit in group))
    return [_joined(rank, group, texts) for rank, group in enumerate(groups, start=1)]


def _joined(rank: int, group: list[Hit], texts: Mapping[str, str]) -> Hit:
    first, last = group[0].chunk, group[-1].chunk
    if first is last:
        return replace(group[0], rank=rank)
    names = "+".join(str(hit.chunk.index) for hit in group)
    whole = replace(
        first,
        id=f"{first.source}#{names}",
        end=last.end,
        text=texts[first.source][first.start : last.end],
    )
    return Hit(rank, max(hit.score for hit in group), whole)


def unique_share(chunks: Sequence[Chunk]) -> float:
    """The share of these chunks' characters that are not repeats of each other, 0 to 1.

    Length of the union of their spans by the sum of their lengths; 1.0 for no chunks.
    """
    total = sum(chunk.end - chunk.start for chunk in chunks)
    unique = 0
    source, reach = None, 0
    for chunk in sorted(chunks, key=lambda chunk: (chunk.source, chunk.start)):
        if chunk.source != source:
            source, reach = chunk.source, 0
        unique += max(0, chunk.end - max(chunk.start, reach))
        reach = max(reach, chunk.end)
    return unique / total if total else 1.0
