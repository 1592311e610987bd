"""How far into a chunk the model reads."""

from __future__ import annotations

from dataclasses import dataclass

from ragchunk.chunks import Chunk
from ragchunk.graphemes import boundary_at_or_before
from ragchunk.tokens import DEFAULT_MODEL, count_tokens, max_tokens, token_starts


@dataclass(frozen=True, slots=True)
class Reading:
    """What stands behind `limit` tokens of a chunk is not in its plain vector.

    `tokens` is the chunk's length as the model sees it, by itself. `end` is where, in the
    document, the part that is read ends: the chunk's own end if the model reads all of it.
    """

    tokens: int
    limit: int
    end: int

    @property
    def is_blind(self) -> bool:
        return self.tokens > self.limit


def reading(chunk: Chunk, model: str = DEFAULT_MODEL) -> Reading:
    """How much of `chunk` the plain vector of `model` is made from."""
    limit = max_tokens(model)
    tokens = count_tokens(chunk.text, model)
    end = chunk.end
    if tokens > limit:
        # A token may start inside a cluster, which is not drawn in two halves.
        behind = token_starts(chunk.text, model)[limit]
        end = chunk.start + boundary_at_or_before(chunk.text, behind)
    return Reading(tokens, limit, end)
