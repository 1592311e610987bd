"""Where the sentences of a text are.

The library sentencex proposes the cuts, because it knows abbreviations and the full stops of many
scripts; this file sees to it that they are cuts of *this* text. Every character that is not white
space lies in exactly one sentence, no sentence crosses a blank line, and a Markdown heading, list
item or table row never runs together with its neighbours.

Does not know languages other than English by name, nor code: a code block is prose to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import sentencex

from ragchunk.graphemes import boundary_at_or_after, boundary_at_or_before
from ragchunk.memo import per_text
from ragchunk.spans import Span, trimmed

LineKind = Literal["blank", "alone", "item", "plain"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_HEADING_OR_ROW = re.compile(r" {0,3}(?:#{1,6}(?!\S)|\|)")
# Up to three digits: a longer number at the start of a line is a year that a sentence ends in.
_ITEM_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+")

# `**Bold.** Next`: the marks that close a sentence belong to it, not to the one after.
_CLOSING_MARKS = re.compile(r"""[*_`~)\]"'”’»」』]+(?!\S)""")

# sentencex 1.0.32 panics on white space of more than one byte, and cannot read half a surrogate
# pair. It sees a stand-in of the same length for each, so that its cuts hold for the real text.
_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

# Where sentences end, for a piece of text that sentencex fails on.
_PLAIN_END = re.compile(r"(?<=[.!?…؟]\s)|(?<=[。！？।॥])")

# Characters given to sentencex at once. Its time grows with the square of the length where no
# space follows the full stops, as in Japanese.
_PIECE = 4_000


@per_text
def sentence_spans(text: str) -> list[Span]:
    """The sentences of a text as half-open spans of code points, in order and disjoint.

    White space between sentences belongs to none; each other character belongs to exactly one.
    No span ends inside a grapheme cluster. Any text is fine; one without letters may be a
    sentence. Cuts by sentencex (https://github.com/wikimedia/sentencex).

    >>> sentence_spans("Dr. Smith waits. Nginx is in front.")
    [Span(start=0, end=16), Span(start=17, end=35)]
    """
    found: list[Span] = []
    # In ASCII the only cluster of two is \r\n, and trimming takes both.
    has_clusters = not text.isascii()
    for block, kind in _blocks(text):
        in_block: list[Span] = []
        left = block.start
        for right in [*_cuts(text, block, kind), block.end]:
            start, end = trimmed(text, left, right)
            if start < end:
                if has_clusters:
                    # A mark can sit on a space, so trimming too may stop only between clusters.
                    start = boundary_at_or_before(text, start, left)
                    end = boundary_at_or_after(text, end, start)
                if in_block and not _has_letters(text, start, end):
                    # Lone closing marks, dots or emoji go with the sentence before.
                    start = in_block.pop().start
                in_block.append(Span(start, end))
            left = right
        found += in_block
    return found


def _has_letters(text: str, start: int, end: int) -> bool:
    return text[start].isalnum() or any(map(str.isalnum, text[start:end]))


def _blocks(text: str) -> Iterator[tuple[Span, LineKind]]:
    """The stretches of lines that sentences may run through, and the kind of their first line."""
    start, kind = 0, "blank"
    for line in _LINE.finditer(text):
        here = _kind(line[0])
        goes_on = here == "plain" and (kind == "plain" or (kind == "item" and line[0][0] in " \t"))
        if not goes_on:
            if kind != "blank":
                yield Span(start, line.start()), kind
            start, kind = line.start(), here
    if kind != "blank":
        yield Span(start, len(text)), kind


def _kind(line: str) -> LineKind:
    if line.isspace():
        return "blank"
    if _HEADING_OR_ROW.match(line):
        return "alone"
    return "item" if _ITEM_MARKER.match(line) else "plain"


def _cuts(text: str, block: Span, kind: LineKind) -> Iterator[int]:
    """Positions inside the block where one sentence ends and the next begins, ascending."""
    if kind == "alone":
        return
    # "1. Install it": the full stop of a list item's marker ends no sentence.
    marker = _ITEM_MARKER.match(text, *block) if kind == "item" else None
    body = marker.end() if marker else block.start
    last = block.start
    for proposed in _proposed(text[body : block.end]):
        cut = body + proposed
        if cut >= block.end:
            return
        if not text[cut - 1].isspace():
            if closing := _CLOSING_MARKS.match(text, cut, block.end):
                cut = closing.end()
            elif text[cut - 1] in ".!?":
                continue  # node.JS, ![image](...), ?a=1: no white space behind it, so no end
        cut = boundary_at_or_after(text, cut, last)
        if last < cut < block.end:
            yield cut
            last = cut


def _proposed(block: str) -> Iterator[int]:
    """Where sentencex ends the sentences of a block, in code points, ascending.

    A long block is read in pieces, each starting where the last whole sentence ended.
    """
    done, size = 0, _PIECE
    while done < len(block):
        sentences = _split(block[done : done + size])
        if done + size < len(block):
            if len(sentences) == 1:
                size *= 2
                continue
            sentences.pop()  # goes on in the next piece
        for sentence in sentences:
            done += len(sentence)
            yield done
        size = _PIECE


def _split(piece: str) -> list[str]:
    """The piece in sentences, with the white space behind each: joined they are as long as it."""
    if not piece.isascii():
        piece = _SURROGATE.sub("\ufffd", _WIDE_SPACE.sub(" ", piece))
    try:
        sentences = sentencex.segment("en", piece)  # pyright: ignore[reportAttributeAccessIssue]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a Rust panic is not an Exception
        sentences = []
    if "".join(sentences) != piece:
        sentences = [sentence for sentence in _PLAIN_END.split(piece) if sentence]
    return sentences
