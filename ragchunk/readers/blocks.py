"""Building a text block by block, with blank lines between, and its pages and headings."""

from __future__ import annotations

from collections.abc import Iterable

from ragchunk.readers.base import MOST_CHARACTERS, MOST_MARKS, Extract, Heading, Mark
from ragchunk.readers.cutting import end_within, least_of
from ragchunk.readers.headings import titled

_LIMIT = f"no more than {MOST_CHARACTERS:,} are taken from one file."


class Blocks:
    """Blocks are texts without white space around them; what is empty is left out.

    No more are taken than fit into `MOST_CHARACTERS`, the last one in part where much would be
    left out. `full` says that there was more, so that a reader can stop.
    """

    def __init__(self) -> None:
        self.length = 0
        self.full = False
        self._parts: list[str] = []
        self._pages: list[Mark] = []
        self._headings: list[Heading] = []
        self._page: tuple[str, int] | None = None

    def add(self, text: str, gap: str = "\n\n") -> int:
        """A block, `gap` behind the one before; how many characters of it were taken."""
        if self.full or not text.strip():
            return 0
        room = MOST_CHARACTERS - self.length - len(gap) * bool(self._parts)
        if len(text) > room:
            self.full = True
            if self.length >= least_of(MOST_CHARACTERS):
                return 0
            text = text[: end_within(text, room)]
        if self._parts:
            self._parts.append(gap)
            self.length += len(gap)
        if self._page is not None and self._page[1] < 0:
            self._page = (self._page[0], self.length)
        self._parts.append(text)
        self.length += len(text)
        return len(text)

    def heading(self, level: int, title: str) -> None:
        """A heading, a block of one line."""
        title = " ".join(title.split())
        if taken := self.add(title):
            self._headings.append(Heading(self.length - taken, level, titled(title)))

    def extract(self, inner: Extract) -> None:
        """A text with headings of its own, as one block; it may have white space around it."""
        text = inner.text.strip()
        if taken := self.add(text):
            shift = self.length - taken - inner.text.index(text[0])
            self._headings += [
                Heading(each.start + shift, each.level, each.title)
                for each in inner.headings
                if each.start + shift < self.length
            ]
        self.full = self.full or any(note.endswith(_LIMIT) for note in inner.notes)

    def page(self, label: str) -> None:
        """What is added from here on is on this page, until the next one."""
        self._end_page()
        self._page = (label, -1)

    def done(self, notes: tuple[str, ...] = (), removed: tuple[str, ...] = ()) -> Extract:
        self._end_page()
        if self.full:
            up_to = f", up to {self._pages[-1].label}" if self._pages else ""
            notes += (f"Only the first {self.length:,} characters were read{up_to}: {_LIMIT}",)
        if len(self._pages) > MOST_MARKS:
            kind = self._pages[0].label.partition(" ")[0]
            notes += (f"More than {MOST_MARKS:,} numbers ({kind} 1, ...) are not kept.",)
            self._pages.clear()
        text = "".join(self._parts)
        return Extract(text, tuple(self._pages), tuple(self._headings), notes, removed)

    def _end_page(self) -> None:
        if self._page is not None and self._page[1] >= 0:
            label, start = self._page
            self._pages.append(Mark(start, self.length, label))
        self._page = None


def row(cells: list[str]) -> str:
    """A row of a table on one line; empty without any text.

    >>> row(["Apple", "1.20 \\n EUR", ""])
    'Apple | 1.20 EUR |'
    """
    flat = [" ".join(cell.split()) for cell in cells]
    return " | ".join(flat).rstrip(" ") if any(flat) else ""


def in_words(numbers: Iterable[int], noun: str) -> str:
    """Increasing numbers of pages or slides, runs drawn together.

    >>> in_words([1, 3, 4, 5], "page"), in_words([7, 7], "slide")
    ('pages 1, 3–5', 'slide 7')
    """
    runs: list[list[int]] = []
    for number in dict.fromkeys(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [f"{first}" if first == last else f"{first}–{last}" for first, last in runs]
    more = f" and {len(words) - 20:,} more" if len(words) > 20 else ""
    plural = "s" if runs and runs[0][0] != runs[-1][1] else ""
    return f"{noun}{plural} {', '.join(words[:20])}{more}"
