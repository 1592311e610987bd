"""The chunks of all documents as arrays: what measures and rankings count in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ragchunk.chunks import Chunk
from ragchunk.errors import SettingsError
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import ruler

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Pool:
    """All chunks of all documents in one row, the index that is searched.

    `starts`, `ends` (code points of their document) and `tokens` have one entry a chunk;
    `places[source]` are the first chunk of a document and one past its last.
    """

    places: Mapping[str, tuple[int, int]]
    starts: Integers
    ends: Integers
    tokens: Integers

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def documents(self) -> Integers:
        """The number of its document for each chunk."""
        sizes = [last - first for first, last in self.places.values()]
        return np.repeat(np.arange(len(sizes)), sizes)


def pool_of(
    spans: Mapping[str, Sequence[tuple[int, int]]], tokens: Sequence[int] | Integers
) -> Pool:
    """The chunks of a cutting, document by document, as `chunk()` gives them.

    spans: by source, each list with strictly increasing starts and ends.
    tokens: what a reader pays for each chunk, in the same order.
    Raises SettingsError if there are not as many of both.
    """
    places, first = {}, 0
    for source, row in spans.items():
        places[source] = (first, first + len(row))
        first += len(row)
    if len(tokens) != first:
        raise SettingsError(f"{first} chunks were given with the tokens of {len(tokens)}.")
    edges = np.array([edge for row in spans.values() for edge in row], dtype=np.int64)
    starts, ends = edges.reshape(-1, 2).T
    return Pool(places, starts, ends, np.asarray(tokens, dtype=np.int64))


def pool_from(chunks: Iterable[Chunk], tokens: Sequence[int] | Integers) -> Pool:
    """The pool of chunks as `chunk()` gives them, in the same order; see `pool_of`."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for each in chunks:
        spans.setdefault(each.source, []).append((each.start, each.end))
    return pool_of(spans, tokens)


def token_counts(
    texts: Mapping[str, str],
    spans: Mapping[str, Sequence[tuple[int, int]]],
    model: str = DEFAULT_MODEL,
) -> list[int]:
    """How many tokens of the model each chunk has, in the order of `pool_of`.

    texts: the documents by source. Counted in one tokenisation of each document (see `units`).
    Raises ModelError for an unknown model.
    """
    counts: list[int] = []
    for source, row in spans.items():
        measure = ruler(texts[source], "tokens", model).measure
        counts += [measure(start, end) for start, end in row]
    return counts
