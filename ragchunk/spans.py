"""Interval algebra on half-open spans of characters: what is covered, shared, and by whom."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Span(NamedTuple):
    """Characters `start` up to, not including, `end` of one text."""

    start: int
    end: int


class Segment(NamedTuple):
    """A stretch of a document without a chunk edge inside it.

    `owners` are the positions, in the list of spans, of all spans that cover it: none is text in
    no chunk, one is plain text, two or more are overlap.
    """

    start: int
    end: int
    owners: tuple[int, ...]


def segments(spans: Sequence[tuple[int, int]], start: int, end: int) -> list[Segment]:
    """Cut the characters `start` to `end` at every edge of `spans`.

    `spans` have strictly increasing starts and ends, as every strategy gives them. The segments
    joined are the text from `start` to `end`, whatever the spans are.

    >>> segments([(0, 6), (4, 9)], 0, 10)  # doctest: +NORMALIZE_WHITESPACE
    [Segment(start=0, end=4, owners=(0,)), Segment(start=4, end=6, owners=(0, 1)),
     Segment(start=6, end=9, owners=(1,)), Segment(start=9, end=10, owners=())]
    """
    first = last = bisect_right(spans, start, key=lambda span: span[1])
    edges = {start, end}
    for span in spans[first : bisect_left(spans, (end, 0))]:
        edges.update(edge for edge in span if start < edge < end)
    found = []
    for left, right in pairwise(sorted(edges)):
        while last < len(spans) and spans[last][0] <= left:
            last += 1
        while first < last and spans[first][1] <= left:
            first += 1
        found.append(Segment(left, right, tuple(range(first, last))))
    return found


def union_length(spans: Sequence[tuple[int, int]]) -> int:
    """How many characters lie in at least one span; the spans may come in any order."""
    covered = reached = 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered


def shared(one: tuple[int, int], other: tuple[int, int]) -> int:
    """How many characters two spans of the same text have in common."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without white space at its two ends; empty, at `end`, if nothing is left."""
    inner = text[start:end].lstrip()
    start = end - len(inner)
    return Span(start, start + len(inner.rstrip()))
