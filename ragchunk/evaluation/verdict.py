"""One sentence on what a question got: the answer whole, split, unread, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragchunk.evaluation.questions import Answer
from ragchunk.search import Hit
from ragchunk.spans import shared


@dataclass(frozen=True)
class Fate:
    """What the hits hold of one answer.

    `whole` is the rank of the first hit that holds all of it where the model reads it, `unread`
    the rank of the first that holds all of it behind the model's limit; None where there is
    none. `parts` are the ranks of the hits that hold some of it.
    """

    whole: int | None
    unread: int | None
    parts: tuple[int, ...]


def fate(answer: Answer, hits: Sequence[Hit], read_ends: Sequence[int]) -> Fate:
    """`read_ends[i]` is where, in its document, the model stops reading the chunk of `hits[i]`."""
    whole = unread = None
    parts = []
    for hit, read_end in zip(hits, read_ends, strict=True):
        chunk = hit.chunk
        if chunk.source != answer.source:
            continue
        if not shared((chunk.start, chunk.end), (answer.start, answer.end)):
            continue
        parts.append(hit.rank)
        if chunk.start <= answer.start and answer.end <= chunk.end:
            if answer.end <= read_end:
                whole = whole or hit.rank
            else:
                unread = unread or hit.rank
    return Fate(whole, unread, tuple(parts))


def verdict(
    answers: Sequence[Answer], hits: Sequence[Hit], read_ends: Sequence[int], k: int
) -> str:
    """The sentence at the head of a column, for the first `k` hits; "" where no answer is known."""
    if not answers:
        return ""
    fates = [fate(answer, hits, read_ends) for answer in answers]
    if len(fates) == 1:
        return _one(fates[0], k)
    ranks = sorted({each.whole for each in fates if each.whole})
    found = sum(each.whole is not None for each in fates)
    if found == len(fates):
        return f"All {found} parts of the answer are whole, {_ranks(ranks)}."
    if found:
        return f"{found} of {len(fates)} parts of the answer are whole, {_ranks(ranks)}."
    # None is whole: say the best that can be said of any of them.
    best = max(fates, key=lambda each: (each.unread is not None, len(each.parts)))
    return _one(best, k)


def _one(one: Fate, k: int) -> str:
    if one.whole:
        return f"The answer is whole in one chunk, rank {one.whole}."
    if one.unread:
        return f"The answer is in rank {one.unread}, behind the part the model reads."
    if len(one.parts) > 1:
        return f"The answer is split: {_ranks(one.parts)} hold a part each."
    if one.parts:
        return f"The answer is cut: rank {one.parts[0]} holds a part of it."
    return f"The answer is not among the first {k}."


def _ranks(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"
