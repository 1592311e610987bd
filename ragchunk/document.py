"""A document: a source, its text, and where in the text its pages and headings are."""

from __future__ import annotations

import posixpath
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from ragchunk.memo import per_text
from ragchunk.readers.base import Heading, Mark


@dataclass(frozen=True, slots=True)
class Document:
    """A text and where it comes from; unpacks like the pair `source, text = document`.

    `notes` say in words what reading had to repair, `removed` what it took away or joined. `pages`
    and `headings` are in the order of the text; a text without pages has none. They are no part of
    what the document is, so two documents with the same source and text are equal.
    """

    source: str
    text: str
    notes: tuple[str, ...] = field(default=(), compare=False)
    pages: tuple[Mark, ...] = field(default=(), compare=False)
    headings: tuple[Heading, ...] = field(default=(), compare=False)
    removed: tuple[str, ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[str]:
        return iter((self.source, self.text))

    def place(self, start: int, end: int) -> str:
        """Where the characters `start` to `end` are: `page`, or `heading` of a text without any."""
        return self.page(start, end) if self.pages else self.heading(start, end)

    def heading(self, start: int, end: int) -> str:
        """The headings that the characters `start` to `end` stand under, the highest first.

        The last heading at or before `start` and those above it, else the first before `end`, else
        nothing.

        >>> headings = (Heading(0, 1, "Bread"), Heading(9, 2, "Flour"), Heading(20, 2, "Oven"))
        >>> Document("a.md", "# Bread ...", headings=headings).heading(25, 30)
        'Bread › Oven'
        """
        last = bisect_right(self.headings, start, key=lambda heading: heading.start) - 1
        if last < 0:
            return self.headings[0].title if self.headings and self.headings[0].start < end else ""
        path = [self.headings[last]]
        for each in reversed(self.headings[:last]):
            if each.level < path[-1].level:
                path.append(each)
            if path[-1].level == 1:
                break
        return " › ".join(each.title for each in reversed(path))

    def page(self, start: int, end: int) -> str:
        """The pages that the characters `start` to `end` are on: "p. 4", "p. 4–5" or "".

        >>> pages = (Mark(0, 5, "p. 4"), Mark(7, 9, "p. 5"))
        >>> document = Document("a.pdf", "Four.\\n\\n5.", pages=pages)
        >>> document.page(0, 4), document.page(0, 9), document.page(5, 7)
        ('p. 4', 'p. 4–5', '')
        """
        first = bisect_right(self.pages, start, key=lambda page: page.end)
        last = bisect_left(self.pages, max(end, start + 1), key=lambda page: page.start) - 1
        if last < first:
            return ""
        one, other = self.pages[first].label, self.pages[last].label
        if one == other:
            return one
        # "p. 4" and "p. 5" share all words but the last.
        shared, _, number = other.rpartition(" ")
        return f"{one}–{number}" if one.rpartition(" ")[0] == shared else f"{one}–{other}"


# What everything that cuts and measures takes: a Document, or a plain pair of source and text.
Pair = Document | tuple[str, str]


def unique_sources(documents: Iterable[Document]) -> list[Document]:
    """The documents with no source twice: `notes.md`, `notes (2).md`; same source and text, once.

    >>> two = [Document("notes.md", "one"), Document("notes.md", "two")]
    >>> [document.source for document in unique_sources(two)]
    ['notes.md', 'notes (2).md']
    """
    different = list(dict.fromkeys(documents))
    names = {document.source for document in different}
    taken: set[str] = set()
    found = []
    for document in different:
        source, number = document.source, 2
        while source in taken or (source != document.source and source in names):
            stem, ending = posixpath.splitext(document.source)
            source = f"{stem} ({number}){ending}"
            number += 1
        taken.add(source)
        found.append(replace(document, source=source))
    return found


@per_text
def document_hash(text: str) -> str:
    """Sixteen hexadecimal digits that stand for a text: the same on every machine and day."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
