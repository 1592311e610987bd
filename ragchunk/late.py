"""Late chunking: a document is read once, and the vector of any span follows by subtraction.

    plan(tokens, size) -> windows        what the model reads, and which outputs are taken of each
    TokenSums(starts, outputs, known)    sums of the outputs taken
    TokenSums.vectors(spans)             one vector a span: the mean of its tokens, of unit length

A model that takes the mean of its token outputs is linear in them, so all that a new setting needs
is two sums for each chunk (late chunking, Günther et al. 2024). Each token is taken from the window
in which it is most central, so it has seen text on both sides: also text that is not in the chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Outputs = npt.NDArray[np.float16]

# Tokens between two sums that are kept. All sums of a megabyte of text would take 0.7 GB; these
# take 46 MB, and at most half a block of outputs is added for each end of a span.
BLOCK = 16

# Chunks of this many tokens and fewer do better with late vectors than with those of any pipeline
# that embeds them one by one: they know their neighbourhood.
FLATTERED = 64


class Window(NamedTuple):
    """Tokens `first` to `last` are read together; of these, `take` to `until` are kept."""

    first: int
    last: int
    take: int
    until: int


def plan(tokens: int, size: int) -> list[Window]:
    """Windows of `size` tokens, half overlapping, that together keep every token once.

    A token is kept where it is farthest from an edge of its window: half a window is context on
    each side, except at the ends of the text.

    >>> for window in plan(9, 4):
    ...     print(*window)
    0 4 0 3
    2 6 3 5
    4 8 5 7
    5 9 7 9
    """
    if not tokens:
        return []
    final = max(0, tokens - size)  # as long as the others, so that it has as much context
    firsts = [*range(0, final, max(1, size // 2)), final]
    lasts = [min(first + size, tokens) for first in firsts]
    # Halfway between the end of a window and the start of the next.
    halves = [(first + last + 1) // 2 for first, last in zip(firsts[1:], lasts, strict=False)]
    return list(map(Window, firsts, lasts, [0, *halves], [*halves, tokens]))


class TokenSums:
    """The token outputs of one text, and sums of them.

    starts: where the tokens start, ascending, shape (n,), in code points.
    outputs: what the model made of each, float16, shape (n, d); a memory-mapped file will do.
    known: which tokens the model knows, shape (n,); spans without one have no vector.
    """

    def __init__(
        self,
        starts: Sequence[int] | npt.NDArray[np.integer],
        outputs: Outputs,
        known: npt.NDArray[np.bool_],
    ) -> None:
        self._starts = np.asarray(starts)
        self._outputs = outputs
        self._known = np.concatenate(([0], np.cumsum(known)))

    @property
    def nbytes(self) -> int:
        """Memory that the sums take, without the outputs; they are made at first use."""
        tokens, dimension = self._outputs.shape
        return 8 * (tokens // BLOCK + 1) * dimension + self._known.nbytes

    def vectors(self, spans: Sequence[tuple[int, int]]) -> npt.NDArray[np.float32]:
        """One vector for each span: float32, shape (m, d), unit length, or zeros.

        A span's vector is the mean of the outputs of the tokens that start in it. Zeros for a span
        in which no token starts that the model knows.
        """
        edges = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
        first, last = np.searchsorted(self._starts, edges.T)
        places, where = np.unique(np.concatenate([first, last]), return_inverse=True)
        sums = self._up_to(places)[where]
        found = sums[len(edges) :] - sums[: len(edges)]
        found[self._known[last] == self._known[first]] = 0
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return (found / lengths).astype(np.float32)

    @cached_property
    def _sums(self) -> npt.NDArray[np.float64]:
        """Sums of all outputs before token 0, `BLOCK`, 2 `BLOCK`, ...: shape (blocks + 1, d)."""
        tokens, dimension = self._outputs.shape
        blocks = tokens // BLOCK
        sums = np.zeros((blocks + 1, dimension))
        many = 512  # at a time: outputs need four times their space while they are added
        for at in range(0, blocks, many):
            part = self._outputs[at * BLOCK : min(at + many, blocks) * BLOCK]
            added = part.astype(np.float64).reshape(-1, BLOCK, dimension).sum(axis=1)
            sums[at + 1 : at + 1 + len(added)] = added
        return np.cumsum(sums, axis=0, out=sums)

    def _up_to(self, places: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """The sums of all outputs before some tokens: from the nearest sum kept, one by one."""
        near = np.minimum((places + BLOCK // 2) // BLOCK, len(self._sums) - 1)
        sums = self._sums[near]
        kept = near * BLOCK
        missing = places - kept
        for step in range(np.abs(missing).max(initial=0)):
            behind, before = np.flatnonzero(missing > step), np.flatnonzero(missing < -step)
            sums[behind] += self._outputs[kept[behind] + step]
            sums[before] -= self._outputs[kept[before] - step - 1]
        return sums
