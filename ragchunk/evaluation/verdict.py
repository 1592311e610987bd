"""One sentence on what a question got: the answer whole, split, unread, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragchunk.chunks import Chunk
from ragchunk.evaluation.questions import Answer
from ragchunk.search import Hit
from ragchunk.spans import shared, union_length


@dataclass(frozen=True)
class Fate:
    """What the hits hold of one answer.

    `whole` is the rank of the first hit that holds all of it where the model reads it, `unread`
    the rank of the first that holds all of it but not where the model reads it; None where there
    is none. `torn`: the model reads the beginning of the answer in `unread`. `parts` are the
    ranks of the hits that hold some of it, `complete` whether they hold all of it together.
    """

    whole: int | None
    unread: int | None
    parts: tuple[int, ...]
    torn: bool = False
    complete: bool = False


def fate(answer: Answer, hits: Sequence[Hit], read_ends: Sequence[int]) -> Fate:
    """`read_ends[i]` is where, in its document, the model stops reading the chunk of `hits[i]`."""
    whole = unread = None
    torn = False
    parts, held = [], []
    for hit, read_end in zip(hits, read_ends, strict=True):
        chunk = hit.chunk
        if chunk.source != answer.source:
            continue
        if not shared((chunk.start, chunk.end), (answer.start, answer.end)):
            continue
        parts.append(hit.rank)
        held.append((max(chunk.start, answer.start), min(chunk.end, answer.end)))
        if chunk.start <= answer.start and answer.end <= chunk.end:
            if answer.end <= read_end:
                whole = whole or hit.rank
            elif unread is None:
                unread, torn = hit.rank, answer.start < read_end
    complete = union_length(held) == answer.end - answer.start
    return Fate(whole, unread, tuple(parts), torn, complete)


def verdict(
    answers: Sequence[Answer], hits: Sequence[Hit], read_ends: Sequence[int], k: int
) -> str:
    """The sentence at the head of a column, for the first `k` hits; "" where no answer is known."""
    if not answers:
        return ""
    fates = [fate(answer, hits, read_ends) for answer in answers]
    if len(fates) == 1 or not any(each.parts for each in fates):
        return f"The answer {_one(fates[0], k)}"
    ranks = sorted({each.whole for each in fates if each.whole})
    found = sum(each.whole is not None for each in fates)
    if found == len(fates):
        return f"All {found} parts of the answer are whole, {ranks_in_words(ranks)}."
    if found:
        return f"{found} of {len(fates)} parts of the answer are whole, {ranks_in_words(ranks)}."
    best = max(fates, key=lambda each: (each.unread is not None, len(each.parts)))
    return f"None of the {len(fates)} parts of the answer is whole; the best {_one(best, k)}"


def cost(paid: float) -> str:
    """What a reader pays, chunk by chunk in rank order, until the answer is complete.

    paid: `Scores.complete` of the question.
    """
    if paid == float("inf"):
        return "Some of it is in no chunk of the ranking."
    return f"It is complete after {paid:,.0f} token{'s' * (paid != 1)}."


def ranked_hits(
    chunks: Sequence[Chunk], order: Iterable[int], scores: Sequence[float] | None = None
) -> list[Hit]:
    """Chunks in the order of a row of a ranking, as hits; -1 ends the row.

    scores: the cosine of each chunk, if it is known; 0 if not.
    """
    hits = []
    for rank, number in enumerate(order, 1):
        if number < 0:
            break
        hits.append(Hit(rank, float(scores[number]) if scores is not None else 0.0, chunks[number]))
    return hits


def _one(one: Fate, k: int) -> str:
    """What became of an answer, as the rest of a sentence about it."""
    if one.whole:
        return f"is whole in one chunk, rank {one.whole}."
    if one.unread and one.torn:
        return f"is in rank {one.unread}, and the model reads only its beginning."
    if one.unread:
        return f"is in rank {one.unread}, behind the part the model reads."
    if len(one.parts) > 1:
        rest = "" if one.complete else ", and some of it is in none"
        return f"is split: {ranks_in_words(one.parts)} hold a part each{rest}."
    if one.parts:
        return f"is cut: rank {one.parts[0]} holds a part of it."
    return f"is not among the first {k}."


def ranks_in_words(ranks: Sequence[int]) -> str:
    """`rank 2`; `ranks 1, 2 and 5`."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"
