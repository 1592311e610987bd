"""The lines of a PDF page, with their places: what PDFium finds, in its order of reading."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

# PDFium puts this where a hyphen ends a line, in place of the hyphen and the line end.
HYPHEN = "\ufffe"
_OLD_HYPHEN = "\x02"

Box = tuple[float, float, float, float]

_BREAK = re.compile(f"\r\n|\r|\n|[{HYPHEN}{_OLD_HYPHEN}]")
_SPACE = re.compile(r"\s+")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufeff\uffff]")

# A gap so wide, in heights of the line, lies between two cells of a table.
_CELL_GAP = 0.9
# The flag of a font whose signs are equally wide.
_ONE_WIDTH = 1
# From here on come scripts whose signs are so in every font.
_WIDE = "\u2e80"
# Dots lead from a title to its page.
_LEADERS = "....."


@dataclass(slots=True)
class Line:
    """One line: its text, and where it stands, in points from the lower left of the page.

    hyphen: a hyphen ended it, which is not in the text. cells: gaps as between cells are in it.
    mono: all its letters are equally wide, as in code.
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    hyphen: bool = False
    cells: bool = False
    mono: bool = False

    @property
    def height(self) -> float:
        return max(self.top - self.bottom, 1.0)


def lines_of(page: Any, textpage: Any) -> list[Line]:
    """The lines of a page that hold more than white space, as it is shown, which may be turned.

    page and textpage are of pypdfium2.
    """
    text = _characters(textpage)
    box = _boxes(page, textpage)
    found = []
    start = 0
    for sign in [*_BREAK.finditer(text), None]:
        end, after = sign.span() if sign else (len(text), len(text))
        hyphen = text[end:after] in (HYPHEN, _OLD_HYPHEN)
        line = _line(box, text, start, end)
        if line is not None and hyphen and _goes_on(box, text, line, after):
            # Not the end of a line after all: the hyphen belongs where it is.
            text = f"{text[:end]}-{text[after:]}"
            continue
        if line is not None:
            line.hyphen = hyphen
            line.mono = _is_mono(textpage, text, start, end)
            found.append(line)
        start = after
    return in_order(found)


def in_order(lines: list[Line]) -> list[Line]:
    """The lines from the top down, but as they were drawn where some stand in columns."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and line.left >= rows[-1][-1].right and _beside(line, rows[-1][-1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    rows.sort(key=lambda row: -row[0].bottom)
    if any(_beside(one[0], two[0]) for one, two in pairwise(rows)):
        return lines
    return [line for row in rows for line in row]


def _beside(one: Line, two: Line) -> bool:
    """Whether they stand in one line, neither above the other."""
    shared = min(one.top, two.top) - max(one.bottom, two.bottom)
    apart = one.left >= two.right or two.left >= one.right
    return apart and shared > 0.5 * min(one.height, two.height)


def _is_mono(textpage: Any, text: str, start: int, end: int) -> bool:
    """Whether the first and the last sign of a line are of a font of one width."""
    import pypdfium2.raw as raw

    words = text[start:end]
    first, last = start + len(words) - len(words.lstrip()), start + len(words.rstrip()) - 1
    name, flags = ctypes.create_string_buffer(100), ctypes.c_int()
    for at in {first, last}:
        if text[at] >= _WIDE:
            return False
        raw.FPDFText_GetFontInfo(textpage.raw, at, name, len(name), flags)
        # Courier is one of the fonts that a PDF need not say anything of.
        if not flags.value & _ONE_WIDTH and b"courier" not in name.value.lower():
            return False
    return True


def _characters(textpage: Any) -> str:
    """One code point for each character that PDFium counts, so that positions can be asked for."""
    import pypdfium2.raw as raw

    count = textpage.count_chars()
    text = textpage.get_text_range() if count else ""
    if len(text) == count:
        return text
    codes = (raw.FPDFText_GetUnicode(textpage.raw, at) for at in range(count))
    return "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes)


def _boxes(page: Any, textpage: Any) -> Callable[[int], Box]:
    """The left, bottom, right and top of a character; a page has thousands, so straight from C."""
    import pypdfium2.raw as raw

    rectangle = raw.FS_RECTF()
    handle, ask = textpage.raw, raw.FPDFText_GetLooseCharBox
    west, south, east, north = page.get_cropbox()
    turned = page.get_rotation()

    def box(at: int) -> Box:
        ask(handle, at, rectangle)
        if turned == 90:
            return (
                rectangle.bottom - south,
                east - rectangle.right,
                rectangle.top - south,
                east - rectangle.left,
            )
        if turned == 180:
            return (
                east - rectangle.right,
                north - rectangle.top,
                east - rectangle.left,
                north - rectangle.bottom,
            )
        if turned == 270:
            return (
                north - rectangle.top,
                rectangle.left - west,
                north - rectangle.bottom,
                rectangle.right - west,
            )
        return (
            rectangle.left - west,
            rectangle.bottom - south,
            rectangle.right - west,
            rectangle.top - south,
        )

    return box


def _line(box: Callable[[int], Box], text: str, start: int, end: int) -> Line | None:
    words = text[start:end]
    first = start + len(words) - len(words.lstrip())
    last = start + len(words.rstrip()) - 1
    if first > last:
        return None
    left, bottom, right, top = box(first)
    if last > first:
        _, low, right, high = box(last)
        bottom, top = min(bottom, low), max(top, high)
    words = text[first : last + 1]
    line = Line(_UNSEEN.sub("", words), left, right, bottom, top)
    gap = _CELL_GAP * line.height
    line.cells = _LEADERS in words.replace(" ", "") or any(
        box(first + space.end())[0] - box(first + space.start() - 1)[2] > gap
        for space in _SPACE.finditer(words)
    )
    return line


def _goes_on(box: Callable[[int], Box], text: str, line: Line, after: int) -> bool:
    """Whether what follows stands in the same line."""
    if after >= len(text) or text[after].isspace():
        return False
    left, bottom, _, top = box(after)
    return left >= line.right and line.bottom < (bottom + top) / 2 < line.top
