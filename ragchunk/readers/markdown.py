"""Markdown: the text as it is, with its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragchunk.readers.base import Extract, Heading, ReadOptions, Told
from ragchunk.readers.headings import markdown_headings
from ragchunk.readers.plain import text_of

_PLUS_MATTER = re.compile(r"\+\+\+[ \t]*\r?\n(?:.*?\n)??\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL)
# Code is among them, as these are signs like others in it.
_OPENING = re.compile(
    r"^ {0,3}(?P<fence>`{3,}(?=[^`\r\n]*(?:[\r\n]|\Z))|~{3,})|(?P<ticks>`+)|(?P<comment><!--)"
    r"|^ {0,3}<(?P<raw>pre|script|style|textarea)\b",
    re.MULTILINE | re.IGNORECASE,
)
_INLINE = 1_000  # characters of code within a line of text
_WRITTEN = re.compile(r"[^\r\n]")


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    return Extract(text, headings=headings(text), notes=notes)


def headings(text: str) -> tuple[Heading, ...]:
    """As `markdown_headings`, without those in comments, `<pre>` and front matter between +++.

    >>> [each.title for each in headings("<!-- \\n# no\\n-->\\n# Yes")]
    ['Yes']
    """
    parts = []
    shown = 0
    for start, end in _hidden(text):
        parts += [text[shown:start], _WRITTEN.sub(" ", text[start:end])]
        shown = end
    return markdown_headings("".join([*parts, text[shown:]]))


def _hidden(text: str) -> Iterator[tuple[int, int]]:
    """Where front matter between +++, comments and raw HTML stand; what is never closed is none."""
    front = _PLUS_MATTER.match(text)
    at = front.end() if front else 0
    if front:
        yield 0, at
    unclosed: set[str] = set()
    while opening := _OPENING.search(text, at):
        at = opening.end()
        kind = opening["raw"] or opening.lastgroup or ""
        end = None if kind in unclosed else _end(text, opening)
        if end is None:
            if kind not in ("fence", "ticks"):
                unclosed.add(kind)  # so that nobody looks for its end again
            continue
        at = end
        start = opening.start()
        begins_line = start == 0 or text[start - 1] in "\r\n"
        if kind not in ("fence", "ticks") and (begins_line or "\n" in text[start:end]):
            yield start, end


def _end(text: str, opening: re.Match[str]) -> int | None:
    """Where that ends which begins with an opening."""
    at = opening.end()
    if fence := opening["fence"]:
        sign = re.escape(fence[0])
        pattern = rf"^ {{0,3}}{sign}{{{len(fence)},}}[ \t]*\r?$"
        closing = re.compile(pattern, re.MULTILINE).search(text, at)
        return closing.end() if closing else len(text)
    if ticks := opening["ticks"]:
        closing = re.compile(rf"(?<!`){ticks}(?!`)").search(text, at, at + _INLINE)
        return closing.end() if closing and "\n\n" not in text[at : closing.start()] else None
    if opening["comment"]:
        end = text.find("-->", at)
        return end + 3 if end >= 0 else None
    closing = re.compile(rf"</{opening['raw']}\s{{0,10}}>", re.IGNORECASE).search(text, at)
    return closing.end() if closing else None
