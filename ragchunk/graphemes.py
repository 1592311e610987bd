"""Where a text may be cut without splitting what a reader sees as one character.

A grapheme cluster is a family emoji, a flag, a letter with its marks, or a line end of two
characters. A full scan for clusters runs at about 1.6 MB/s, so boundaries are tested only where
somebody wants to cut: first the two neighbours, and only then a short walk around them.

    >>> boundary_at_or_before("ne\u0301e", 2)     # not between the e and its accent
    1
    >>> boundary_at_or_after("ne\u0301e", 2)
    3

Does not know words or sentences. Rules: extended grapheme clusters of Unicode Standard Annex 29.
"""

from __future__ import annotations

import regex

# Two neighbours that no rule joins, whatever stands around them. Left out are the neighbours that
# some rule can join: a mark, joiner or vowel sign on the right; a joiner or mark (which may link
# an emoji or an Indic conjunct), a prefix sign, a leading Hangul consonant or a flag letter on the
# left; the later parts of a Hangul syllable on the right.
_ALONE = r"\p{GCB=Other}\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}"
_ENDS = _ALONE + r"\p{GCB=SpacingMark}\p{GCB=V}\p{GCB=T}\p{GCB=LV}\p{GCB=LVT}"
_STARTS = _ALONE + r"\p{GCB=Prepend}\p{GCB=RI}\p{GCB=L}\p{GCB=LV}\p{GCB=LVT}"
_LAST_SAFE_PAIR = regex.compile(rf"(?r)(?!\r\n)[{_ENDS}][{_STARTS}]")

# `\X` alone would be right, but to pair flag letters it counts all of them to the left each time,
# which is quadratic in a run of flags; taking them in pairs needs no look back.
_CLUSTER = regex.compile(r"\p{GCB=RI}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*|\X")


def is_boundary(text: str, position: int) -> bool:
    """Whether a cut at `position` (0 to `len(text)`, in code points) splits no cluster.

    Looks back as far as the nearest neighbours that are always apart, usually a few characters.
    """
    return boundary_at_or_before(text, position) == position


def boundary_at_or_before(text: str, position: int, floor: int = 0) -> int:
    """The last boundary that is at most `position`, in code points; `floor` if none is after it.

    `floor` is a position known to be a boundary, such as the last cut: nothing before it is
    looked at or returned, so cutting a text from left to right stays near-linear on any text.
    """
    if position <= floor:
        return floor
    if position >= len(text):
        return len(text)
    left, right = text[position - 1], text[position]
    if left < "\x80" and right < "\x80" and not (left == "\r" and right == "\n"):
        return position
    # Whether a cluster ends at `position` depends on one character to the right of it.
    end = position + 1
    pair = _LAST_SAFE_PAIR.search(text, floor, end)
    boundary = floor if pair is None else pair.start() + 1
    for cluster in _CLUSTER.finditer(text, boundary, end):
        boundary = cluster.start()
    return boundary


def boundary_at_or_after(text: str, position: int, floor: int = 0) -> int:
    """The first boundary that is at least `position`, in code points; `floor` as above."""
    if floor < position < len(text):
        # The way out for ASCII neighbours once more: most calls end here.
        left, right = text[position - 1], text[position]
        if left < "\x80" and right < "\x80" and not (left == "\r" and right == "\n"):
            return position
    boundary = boundary_at_or_before(text, position, floor)
    if boundary >= position or boundary == len(text):
        return boundary
    cluster = _CLUSTER.match(text, boundary)
    assert cluster is not None  # `\X` matches at any character
    return cluster.end()


def cluster_starts(text: str, start: int, end: int) -> list[int]:
    """Where each cluster of `text[start:end]` begins; `start` is a boundary. A full scan."""
    return [cluster.start() for cluster in _CLUSTER.finditer(text, start, end)]
