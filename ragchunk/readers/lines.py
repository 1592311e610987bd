"""The lines of a PDF page, with their places: what PDFium finds, in its order of reading."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

# PDFium puts this where a hyphen ends a line, in place of the hyphen and the line end.
HYPHEN = "\ufffe"

_BREAK = re.compile("\r\n|\r|\n|[\ufffe\x02]")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufeff\uffff]")

# A gap so wide, in heights of the line, lies between two cells of a table.
_CELL_GAP = 0.9


@dataclass(slots=True)
class Line:
    """One line: its text, and where it stands, in points from the lower left of the page.

    hyphen: a hyphen ended it, which is not in the text. cells: gaps as between cells are in it.
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    hyphen: bool = False
    cells: bool = False

    @property
    def height(self) -> float:
        return max(self.top - self.bottom, 1.0)


def lines_of(textpage: Any) -> list[Line]:
    """The lines of a page that hold more than white space; textpage: of pypdfium2."""
    text = _characters(textpage)
    found = []
    start = 0
    ends = [(each.start(), each.end(), each.group()) for each in _BREAK.finditer(text)]
    for end, after, sign in [*ends, (len(text), len(text), "")]:
        ends_with_hyphen = sign in ("\ufffe", "\x02") and sign != ""
        line = _line(textpage, text, start, end)
        if line is not None:
            if ends_with_hyphen and after < len(text) and _same_line(textpage, text, line, after):
                # Not the end of a line after all: the hyphen belongs where it is.
                text = text[:end] + "-" + text[after:]
                continue
            line.hyphen = ends_with_hyphen
            found.append(line)
        start = after
    return found


def _characters(textpage: Any) -> str:
    """One code point for each character that PDFium counts, so that positions can be asked for."""
    import pypdfium2.raw as raw

    count = textpage.count_chars()
    text = textpage.get_text_range() if count else ""
    if len(text) == count:
        return text
    codes = (raw.FPDFText_GetUnicode(textpage.raw, at) for at in range(count))
    return "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes)


def _line(textpage: Any, text: str, start: int, end: int) -> Line | None:
    words = text[start:end]
    first = start + len(words) - len(words.lstrip())
    last = start + len(words.rstrip())
    if first >= last:
        return None
    left, bottom, right, top = textpage.get_charbox(first, loose=True)
    if last - 1 > first:
        _, low, right, high = textpage.get_charbox(last - 1, loose=True)
        bottom, top = min(bottom, low), max(top, high)
    line = Line(_UNSEEN.sub("", text[first:last]), left, right, bottom, top)
    line.cells = any(
        _gap(textpage, space.start() + first, space.end() + first) > _CELL_GAP * line.height
        for space in re.finditer(r"\s+", text[first:last])
    )
    return line


def _gap(textpage: Any, start: int, end: int) -> float:
    return textpage.get_charbox(end)[0] - textpage.get_charbox(start - 1)[2]


def _same_line(textpage: Any, text: str, line: Line, after: int) -> bool:
    if text[after].isspace():
        return False
    left, bottom, _, top = textpage.get_charbox(after, loose=True)
    middle = (bottom + top) / 2
    return left >= line.right and line.bottom < middle < line.top
