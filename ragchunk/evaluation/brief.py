"""What a question got, in a few words with a sign: for tables of many questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ragchunk.evaluation.questions import Answer
from ragchunk.evaluation.verdict import fate, ranks_in_words
from ragchunk.search import Hit


class Brief(NamedTuple):
    """`sign`: "whole", "part" or "none"; `words`: *whole, rank 1*."""

    sign: Literal["whole", "part", "none"]
    words: str


def brief(
    answers: Sequence[Answer],
    hits: Sequence[Hit],
    read_ends: Sequence[int],
    recall: float,
    cutoff: str,
) -> Brief:
    """The verdict on the hits within a cut-off, such as `1,000 tokens`.

    recall: the share of the answers' characters that these hits hold.
    """
    fates = [fate(answer, hits, read_ends) for answer in answers]
    whole = sorted({each.whole for each in fates if each.whole})
    found = sum(each.whole is not None for each in fates)
    if found == len(fates):
        lead = "whole" if found == 1 else f"all {found} parts whole"
        return Brief("whole", f"{lead}, {ranks_in_words(whole)}")
    if found:
        return Brief("part", f"{found} of {len(fates)} parts whole, {ranks_in_words(whole)}")
    unread = next((each for each in fates if each.unread), None)
    if unread is not None and unread.torn:
        return Brief("part", f"the model reads only its beginning, rank {unread.unread}")
    if unread is not None:
        # The words are among the hits, by the luck of what the model did read.
        return Brief("part", f"behind the model's limit, rank {unread.unread}")
    parts = sorted({rank for each in fates for rank in each.parts})
    if not parts:
        return Brief("none", f"not in {cutoff}")
    held = "all of it" if recall >= 1 else f"{recall * 100:.0f}\u202f% of it"
    if len(parts) > 1:
        return Brief("part", f"split across {len(parts)}, {held}")
    return Brief("part", f"cut, {held} in rank {parts[0]}")
