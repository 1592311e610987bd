"""From the lines of a PDF to flowing text: what repeats on every page goes, lines are joined.

    lines by page -> without running headers, footers and page numbers -> paragraphs -> text

Everything is judged by place and likeness, never by a list of words, but for the end of a sentence.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median, quantiles

from ragchunk.readers.lines import Line

# What runs along every page stands in this share of it, at the top or the bottom, and within an
# inch, which is where the text of many begins.
_MARGIN = 0.1
_INCH = 72.0
# So much space is between it and the text, in heights of a line: a heading stands nearer.
_APART = 1.5
# Or it is smaller than this share of the usual height, or of the heading behind it. What is larger
# than this one is a title.
_SMALLER = 0.9
_LARGER = 1.15
# On so many pages, and this share of those between its first and its last: on left pages, say.
_LEAST = 3
_OFTEN = 0.4
# So many lines at either end of a page are looked at.
_LINES = 3
# A longer line is no header of one page.
_MOST_HEADER = 300
# Places that differ by no more are the same, in points.
_SAME_PLACE = 4.0
# A line that a sentence leaves in its middle may end at this share of the column.
_NEARLY_FULL = 0.75
# Columns whose left edges differ by no more are one over the pages, in points.
_SAME_COLUMN = 20.0
# So many lines of a column, and so large a share, show how far to the right it goes, each within
# this share of its width.
_SHOWN = 4
_SHOWN_SHARE = 0.5
_AT_THE_EDGE = 0.1
# Lines of code that are further apart, in heights of a line, have a blank one between them.
_BLANK_LINE = 1.8
# A word so short may link others: up-to-date.
_LINK = 3
# A longer word than this may have been too long for the line anywhere.
_MOST_WORD = 30
# So many words that were joined are listed.
_MOST_LISTED = 200

_NUMBER = re.compile(r"(?a:\d{1,6}|\b[ivxlc]+\b|\b[IVXLC]+\b)")
_ITEM = re.compile(r"(?:[•‣▪◦●○■□–—*·-]|\(?(?:\d{1,3}|[a-z])[.)])\s")
_NUMBERED = re.compile(r"\(?(\d{1,3})[.)]\s")
_SUSPENDED = re.compile(r"[^\W\d_]-\s+\w+\s+[^\W\d_]+\Z")
_IN_AN_ADDRESS = re.compile(r"(?:://|www\.|[@/\\_]|\w\.\w)\S*\Z")
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", "।", "…", "”", '"', ")")
_SPACELESS = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_LETTERS = re.compile(r"[^\W\d_]+\Z")
_FIRST_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(slots=True)
class Page:
    """One page, numbered from 1, with its lines in the order of reading; width 0 is not known."""

    number: int
    height: float
    lines: list[Line]
    width: float = 0.0


Found = tuple[Page, Line]


@dataclass(frozen=True, slots=True)
class Mended:
    """Each page with its text, and what was taken away or joined, in words with counts."""

    pages: list[tuple[Page, str]]
    removed: list[str]


def as_drawn(pages: list[Page]) -> Mended:
    """The text line by line, with everything on it; a wide gap leaves a blank line."""
    made = []
    for page in pages:
        blocks = [_line_by_line(block) for block in _blocks(page.lines)]
        made.append((page, "\n\n".join(blocks)))
    return Mended(made, [])


def mended(pages: list[Page]) -> Mended:
    """Flowing text: without what runs along the pages, lines of a paragraph and words joined."""
    running, removed = _running(pages)
    kept = [
        replace(page, lines=[each for each in page.lines if id(each) not in running])
        for page in pages
    ]
    joiner = _Joiner(kept)
    made = [(page, _spaced([joiner.text(block) for block in _blocks(page.lines)])) for page in kept]
    return Mended(made, removed + joiner.removed())


def _line_by_line(block: list[Line]) -> str:
    """Each line by itself; those of code with their indentation and blank lines."""
    parts: list[str] = []
    edge = min(line.left for line in block)
    for before, line in zip([None, *block], block, strict=False):
        if before is not None:
            blank = line.mono and before.bottom - line.bottom > _BLANK_LINE * line.height
            parts.append("\n\n" if blank else "\n")
        words = line.text.replace("\xad", "") + "-" * line.hyphen
        wide = (line.right - line.left) / max(len(line.text), 1)
        parts.append(" " * round((line.left - edge) / wide) * line.mono + words)
    return "".join(parts)


def _spaced(blocks: list[str]) -> str:
    """Blank lines between the blocks, but not between the items of a list."""
    parts = blocks[:1]
    for before, block in pairwise(blocks):
        both = _ITEM.match(before) and _ITEM.match(block)
        parts += ["\n" if both else "\n\n", block]
    return "".join(parts)


def _running(pages: list[Page]) -> tuple[set[int], list[str]]:
    """The lines (by id) that run along the pages, and what they are.

    They stand apart from the text in the same place, and say the same, or the same but for the
    number of the page; lines larger than most are titles, and stay.
    """
    edges = list(_at_the_edges(pages))
    running: set[int] = set()
    removed = []
    numbered: dict[tuple[str, str, int], list[Found]] = defaultdict(list)
    same: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for page, zone, line in edges:
        for words, number in _without_number(line.text):
            numbered[zone, words, number - page.number].append((page, line))
        # A number that stays the same, alone in its line, is no header.
        if re.search(r"[^\W\d_]", line.text):
            same[zone, line.text].append((page, line))
    groups = [(f"running {zone}", found) for (zone, _), found in same.items()]
    groups += [("page number", found) for found in numbered.values()]
    for kind, group in groups:
        found = [each for each in _in_one_place(group) if id(each[1]) not in running]
        numbers = sorted({page.number for page, _ in found})
        on = len(numbers)
        # What comes back after many other pages is a line of the text.
        if on >= _LEAST and on >= _OFTEN * (numbers[-1] - numbers[0] + 1):
            running.update(id(line) for _, line in found)
            removed.append(f"{kind} “{found[0][1].text}” on {on:,} pages")
    # Where a page is numbered in another place, its number still goes on from the others.
    singles = [line for line in _numbered(edges, len(pages)) if id(line) not in running]
    running.update(map(id, singles))
    if singles:
        more = " more" * any(each.startswith("page number") for each in removed)
        on = f"{len(singles):,}{more} page{'s' if len(singles) > 1 else ''}"
        removed.append(f"page number “{singles[0].text}” and its like on {on}")
    return running, removed


def _at_the_edges(pages: list[Page]) -> Iterator[tuple[Page, str, Line]]:
    """The lines in the margins of each page that stand apart from its text, and which margin.

    They are further from it than its lines from each other, or smaller.
    """
    heights = [line.height for page in pages for line in page.lines]
    usual = median(heights) if heights else 0.0
    drops = [drop for page in pages for drop in _drops(page.lines)]
    step = quantiles(drops, n=4)[0] if len(drops) > 1 else 0.0
    far = max(_APART * usual, 1.3 * step - usual)
    for page in pages:
        rows = _rows(page.lines)
        margin = min(_MARGIN * page.height, _INCH)
        for zone, inward in (("header", rows), ("footer", rows[::-1])):
            outer: list[Line] = []
            for row, within in pairwise(inward[: _LINES + 1]):
                middle = (row[0].top + row[0].bottom) / 2
                if margin < (page.height - middle if zone == "header" else middle):
                    break
                outer += row
                size = _SMALLER * max(usual, within[0].height)
                smaller = all(line.height < size for line in row)
                upper, lower = (row, within) if zone == "header" else (within, row)
                if smaller or upper[0].bottom - lower[0].top > far:
                    for line in outer:
                        if line.height <= _LARGER * usual:
                            yield page, zone, line
                    outer.clear()


def _rows(lines: list[Line]) -> list[list[Line]]:
    """The lines from the top of the page, those beside each other together."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: -line.bottom):
        if rows and rows[-1][0].bottom - line.bottom < 0.5 * line.height:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _without_number(text: str) -> Iterator[tuple[str, int]]:
    """The line without each of its numbers in turn, and that number.

    >>> list(_without_number("Page 3 of 12"))
    [('Page # of 12', 3), ('Page 3 of #', 12)]
    """
    if len(text) > _MOST_HEADER:
        return
    for found in _NUMBER.finditer(text):
        digits = found.group()
        number = int(digits) if digits.isdigit() else _roman(digits.lower())
        yield f"{text[: found.start()]}#{text[found.end() :]}", number


def _numbered(edges: list[tuple[Page, str, Line]], pages: int) -> Iterator[Line]:
    """The lines that are nothing but the number of their page, as most pages count."""
    shifts = Counter(
        shift
        for page, _, line in edges
        for shift in {number - page.number for _, number in _without_number(line.text)}
    )
    if not shifts:
        return
    shift, count = shifts.most_common(1)[0]
    if count < max(_LEAST, _OFTEN * pages):
        return
    for page, _, line in edges:
        alone = re.fullmatch(r"\W*(\d{1,6})\W*", line.text)
        if alone and int(alone[1]) == page.number + shift:
            yield line


def _in_one_place(group: list[Found]) -> list[Found]:
    """Those at the height at which most of them stand."""
    places = Counter(round(line.bottom / _SAME_PLACE) for _, line in group)
    common = places.most_common(1)[0][0]
    return [each for each in group if abs(each[1].bottom / _SAME_PLACE - common) <= 1]


def _roman(numeral: str) -> int:
    """
    >>> _roman("xiv")
    14
    """
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[sign] for sign in numeral]
    after = [*values[1:], 0]
    return sum(-one if one < two else one for one, two in zip(values, after, strict=True))


def _drops(lines: list[Line]) -> list[float]:
    """How far each line stands below the one before, without what begins elsewhere."""
    return [
        one.bottom - two.bottom
        for one, two in pairwise(lines)
        if 0 < one.bottom - two.bottom < 4 * one.height
    ]


def _blocks(lines: list[Line]) -> list[list[Line]]:
    """Paragraphs, headings, items: cut where the space, the size or the indentation changes."""
    drops = _drops(lines)
    step = quantiles(drops, n=4)[0] if len(drops) > 1 else (drops or [0.0])[0]
    blocks: list[list[Line]] = []
    for number, line in enumerate(lines):
        after = lines[number + 1] if number + 1 < len(lines) else None
        if blocks and not _begins(blocks[-1], line, after, step):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _begins(block: list[Line], line: Line, after: Line | None, step: float) -> bool:
    """Whether a line begins a block of its own, behind the lines of `block`."""
    before = block[-1]
    drop = before.bottom - line.bottom
    em = line.height
    if abs(before.height - line.height) > 0.15 * max(before.height, line.height):
        return True
    if drop < -em:  # up: the next column
        return line.mono or before.text.endswith(_ENDS)
    if before.cells and line.cells and 0 < drop < 2.5 * em:  # the next row
        return False
    if before.mono != line.mono and drop > 0.5 * em:
        return True
    if before.mono and line.mono and 0 < drop < 2.5 * em:  # code, which indents as it likes
        return False
    if drop > 1.3 * max(step, 1.1 * em) or (_ITEM.match(line.text) and not _counts_on(block, line)):
        return True
    if drop < 0.5 * em:  # beside it
        return False
    indent = line.left - before.left
    if indent > 0.7 * em:
        # A first line stands further in than those before and behind it; in an item that hangs
        # all but the first do.
        return after is not None and after.left < line.left - 0.7 * em and len(block) > 1
    if indent < -0.7 * em:
        return len(block) > 1
    return False


def _counts_on(block: list[Line], line: Line) -> bool:
    """Whether a line that begins like an item of a list, "12. It …", goes on with a sentence."""
    number = _NUMBERED.match(line.text)
    before = block[-1]
    return (
        number is not None
        and int(number[1]) != 1
        and not _ITEM.match(block[0].text)
        and not before.text.endswith(_ENDS)
        and abs(line.left - before.left) < 0.3 * line.height
        and before.right - before.left > _NEARLY_FULL * (line.right - line.left)
    )


class _Joiner:
    """Joins the lines of blocks, and remembers which words it joined."""

    def __init__(self, pages: list[Page]) -> None:
        self.joined: Counter[str] = Counter()
        self.soft = 0
        self.right, self.edge = _right_margins(pages)
        # What stands inside lines shows how a word is written.
        self.words: Counter[str] = Counter(
            word.casefold() for page in pages for word in _whole_words(page.lines)
        )
        # Compounds, and their first and last words: "well-known", "well-", "-known".
        self.compounds = {
            part
            for word in self.words
            if "-" in word
            for part in (word, f"{word.split('-')[0]}-", f"-{word.split('-')[-1]}")
        }

    def text(self, block: list[Line]) -> str:
        if all(line.mono for line in block):
            return _line_by_line(block)
        parts: list[str] = []
        for line, after in zip(block, [*block[1:], None], strict=True):
            words = line.text
            if words.endswith("\xad"):
                words, line.hyphen = words[:-1], True
            self.soft += words.count("\xad")
            words = words.replace("\xad", "")
            if after is None:
                parts.append(words + "-" * line.hyphen)
            elif _is_hyphenated(line):
                parts.append(self._hyphenated(words if line.hyphen else words[:-1], after.text))
            else:
                parts.append(words + self._between(line, after))
        return "".join(parts)

    def removed(self) -> list[str]:
        said = [
            f"hyphen at a line end: “{words}” ({'once' if count == 1 else f'{count:,} times'})"
            for words, count in self.joined.most_common(_MOST_LISTED)
        ]
        if (more := len(self.joined) - _MOST_LISTED) > 0:
            said.append(f"hyphens at line ends: {more:,} more words")
        if self.soft:
            said.append(f"soft hyphens inside lines: {self.soft:,}")
        return said

    def _hyphenated(self, before: str, after: str) -> str:
        """The line without its hyphen, where that divides a word; with it, where it is written."""
        first, second = _LAST_LETTERS.search(before), _FIRST_LETTERS.match(after)
        if not first or not second or not second.group()[0].islower():
            return f"{before}-"
        if len(first.group()) < 2 or not first.group()[1:].islower():
            return f"{before}-"  # X-ray, or a code, such as YYMMDD-hh
        if _IN_AN_ADDRESS.search(before):
            return f"{before}-"
        if len(second.group()) <= _LINK and after[second.end() :].startswith("-"):
            return f"{before}-"  # left-to-right
        one, two = first.group().casefold(), second.group().casefold()
        if not self.words[one + two]:
            # As the document writes it, or as its words are: "well-known" of "well" and "known",
            # or beside "well-read", and "post-war" behind "pre- and".
            of_words = min(len(one), len(two)) > _LINK and self.words[one] and self.words[two]
            alike = {f"{one}-" * (len(one) > _LINK), f"-{two}" * (len(two) > _LINK)}
            known = self.compounds & {f"{one}-{two}", *alike}
            if known or of_words or _SUSPENDED.search(before):
                return f"{before}-"
        self.joined[f"{first.group()}-{second.group()}"] += 1
        return before

    def _between(self, line: Line, after: Line) -> str:
        """A space between the lines, or a line end that was meant: the next word had room."""
        if line.cells or after.cells:
            return "\n" if line.bottom - after.bottom > 0.5 * after.height else " "
        word = after.text.split(maxsplit=1)[0] if after.text.strip() else ""
        width = (after.right - after.left) / max(len(after.text), 1)
        # The column may end further left than its longest line seems to say.
        goes_on = word[:1].islower() and not line.text.endswith(_ENDS)
        if goes_on:
            room = line.left + _NEARLY_FULL * (self.right[id(line)] - line.left)
        else:
            room = self.edge[id(line)]
        if line.right + (len(word) + 2) * width < room and len(word) < _MOST_WORD:
            return "\n"
        if _SPACELESS.match(line.text[-1:]) and _SPACELESS.match(after.text[:1]):
            return ""
        return " "


def _right_margins(pages: list[Page]) -> tuple[dict[int, float], dict[int, float]]:
    """How far to the right the lines of each line's (id's) column go, and how far they may go.

    Where few lines are as long as the longest, as in a poem, they may go as far as the margin of
    the page, which is as wide as the one on the left.
    """
    right: dict[int, float] = {}
    edge: dict[int, float] = {}
    alike: dict[int, list[tuple[Page, list[Line]]]] = defaultdict(list)
    for page in pages:
        for column in _columns(page.lines):
            left = min(line.left for line in column)
            right.update(dict.fromkeys(map(id, column), max(line.right for line in column)))
            alike[round(left / _SAME_COLUMN)].append((page, column))
    for columns in alike.values():
        lines = [line for _, column in columns for line in column]
        left, most = min(line.left for line in lines), max(line.right for line in lines)
        full = sum(most - line.right < _AT_THE_EDGE * (most - left) for line in lines)
        shown = full >= max(_SHOWN, _SHOWN_SHARE * len(lines))
        for page, column in columns:
            mirrored = most if shown else max(right[id(column[0])], page.width - left)
            edge.update(dict.fromkeys(map(id, column), mirrored))
    return right, edge


def _columns(lines: list[Line]) -> list[list[Line]]:
    columns: list[list[Line]] = []
    for line in lines:
        if columns and line.bottom <= columns[-1][-1].bottom:
            columns[-1].append(line)
        else:
            columns.append([line])
    return columns


def _is_hyphenated(line: Line) -> bool:
    """Whether a hyphen ends it that touches a letter or a number."""
    return line.hyphen or re.search(r"\w[-\u2010\xad]\Z", line.text) is not None


def _whole_words(lines: list[Line]) -> Iterator[str]:
    """The words of lines, without those that a line end divides."""
    divided = False
    for line in lines:
        words = _WORD.findall(line.text)
        first, divided = int(divided), _is_hyphenated(line)
        yield from words[first : len(words) - divided]
