"""Where the headings of Markdown and reStructuredText are; their text stays as it is."""

from __future__ import annotations

import re

from ragchunk.readers.base import Heading

# A longer title is cut where it is told, as it would be told with every chunk.
_MOST_TITLE = 200

_LINE = re.compile(r"[^\r\n]+(?:\r\n|\r|\n|\Z)|\r\n|\r|\n")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\r\n]*)")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t\r\n]|\Z)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*[\r\n]*\Z")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_NO_TITLE = re.compile(r"\s*\Z| {4}|\t| {0,3}(?:[-*+>|]|\d+[.)])")
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*[\r\n]*\Z")


def titled(title: str) -> str:
    """The title as it is told.

    >>> titled("Bread"), len(titled("Bread " * 100))
    ('Bread', 200)
    """
    return title if len(title) <= _MOST_TITLE else f"{title[: _MOST_TITLE - 1]}…"


def markdown_headings(text: str) -> tuple[Heading, ...]:
    """`# Title` and titles underlined with = or -, but for those in fenced code and front matter.

    >>> [each.title for each in markdown_headings("~~~\\n# no\\n~~~\\n# Yes #\\nTwo\\n---\\n")]
    ['Yes', 'Two']
    """
    found: list[Heading] = []
    fence = ""
    before: re.Match[str] | None = None  # the line above, where it is a paragraph by itself
    inside = False  # a paragraph of several lines, or a list or quotation
    front = _FRONT_MATTER.match(text)
    for line in _LINE.finditer(text, front.end() if front else 0):
        words = line.group()
        mark = _FENCE.match(words)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
            continue
        above, before = before, None
        if mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence, inside = mark[1], False
        elif atx := _ATX.match(words):
            if title := _without_closing(words[atx.end() :].strip()):
                found.append(Heading(line.start(), len(atx[1]), titled(title)))
            inside = False
        elif above and (under := _UNDERLINE.match(words)):
            level = 1 if under[1][0] == "=" else 2
            found.append(Heading(above.start(), level, titled(above.group().strip())))
        elif not words.strip():
            inside = False
        elif not inside:
            inside = True
            before = None if _NO_TITLE.match(words) else line
    return tuple(found)


def _without_closing(title: str) -> str:
    """
    >>> _without_closing("C# ##"), _without_closing("C#"), _without_closing("#")
    ('C#', 'C#', '')
    """
    kept = title.rstrip("#")
    return kept.rstrip() if not kept or kept[-1] in " \t" else title


def rst_headings(text: str) -> tuple[Heading, ...]:
    """Titles underlined, or between two lines, of one sign; a style's level is that of its turn.

    >>> text = "====\\nBook\\n====\\n\\nOne\\n---\\n\\nTwo\\n---\\n"
    >>> [(each.level, each.title) for each in rst_headings(text)]
    [(1, 'Book'), (2, 'One'), (2, 'Two')]
    """
    found: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    lines = list(_LINE.finditer(text))
    for number in range(1, len(lines)):
        rule = _RULE.match(lines[number].group())
        title = lines[number - 1].group().strip()
        if not rule or not title or _RULE.match(lines[number - 1].group()):
            continue
        if len(rule.group().strip()) < min(len(title), 4):
            continue
        above = lines[number - 2].group() if number > 1 else ""
        over = above.strip() == rule.group().strip()
        # Without a line over it a title follows a blank one, and is not indented.
        if not over and (above.strip() or lines[number - 1].group()[:1].isspace()):
            continue
        style = (rule[1], over)
        if style not in styles:
            styles.append(style)
        found.append(Heading(lines[number - 1].start(), styles.index(style) + 1, titled(title)))
    return tuple(found)
