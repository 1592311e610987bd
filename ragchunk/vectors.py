"""The vectors of chunks, made in one of three ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ragchunk.embedding import Encoder, ReadsTokens, Vectors, check_way, embed, has_words
from ragchunk.errors import SettingsError

if TYPE_CHECKING:
    from ragchunk.chunks import Chunk
    from ragchunk.documents import Pair


def chunk_vectors(
    chunks: Sequence[Chunk],
    encoder: Encoder,
    way: str = "plain",
    documents: Iterable[Pair] = (),
) -> Vectors:
    """The vector of each chunk: float32, shape (n, d), each row of unit length or all zeros.

    way: one of `WAYS`. "late" needs the `documents` that the chunks were cut from, and an encoder
    with `token_sums`.
    Raises SettingsError for an unknown way, or one that cannot be had here; ModelError as `embed`.
    """
    check_way(way)
    if way != "late":
        return embed([each.text for each in chunks], encoder, way)
    if not isinstance(encoder, ReadsTokens):
        raise SettingsError(
            f'The way "late" needs an encoder with token_sums(text), which '
            f'{type(encoder).__name__} has not: choose "plain" or "averaged".'
        )
    texts = {source: text for source, text in documents}  # noqa: C416, as a Document is no tuple
    groups: dict[str, list[int]] = {}
    for number, each in enumerate(chunks):
        groups.setdefault(each.source, []).append(number)
    parts: list[tuple[list[int], Vectors]] = []
    for source, numbers in groups.items():
        if source not in texts:
            raise SettingsError(
                f"Late vectors are made of whole documents, and {source} is not among the "
                f"{len(texts):,} given: pass documents=, those that the chunks were cut from."
            )
        spans = [(chunks[number].start, chunks[number].end) for number in numbers]
        parts.append((numbers, encoder.token_sums(texts[source]).vectors(spans)))
    dimension = max((found.shape[1] for _, found in parts), default=0)
    vectors = np.zeros((len(chunks), dimension), dtype=np.float32)
    for numbers, found in parts:
        if found.shape[1] == dimension:  # less where a document has no token at all
            vectors[numbers] = found
    # As in the other ways, text without a word is nothing to be found.
    vectors[[number for number, each in enumerate(chunks) if not has_words(each.text)]] = 0
    return vectors
