"""From the bytes of files and uploads, of every format, to documents.

bytes -> a reader, in a process of its own where it parses -> Extract -> Document
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass

from ragchunk.document import Document
from ragchunk.errors import LoadError
from ragchunk.readers.base import AS_USUAL, ReadOptions
from ragchunk.readers.extracting import extract
from ragchunk.readers.isolated import Child
from ragchunk.readers.kinds import parses


@dataclass(frozen=True, slots=True)
class Progress:
    """How far reading one file is. `total` is 0 while that is not known.

    >>> str(Progress("report.pdf", 120, 500, "page"))
    'report.pdf, page 120 of 500'
    """

    source: str
    done: int = 0
    total: int = 0
    unit: str = ""

    def __str__(self) -> str:
        if not self.total:
            return self.source
        return f"{self.source}, {self.unit} {self.done:,} of {self.total:,}".replace(",  ", ", ")


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be read, and why, in words that name it."""

    source: str
    words: str


def read_files(
    files: Iterable[tuple[str, bytes]],
    options: ReadOptions = AS_USUAL,
) -> Generator[Progress | Document | Problem, None, None]:
    """Read files one after the other: each ends with its Document or its Problem.

    files: pairs of name and bytes; taken one by one, so they may be read from the disk as they are
    needed. Before a file's end come any number of Progress, a few a second at least and one at its
    beginning: whoever wants to stop does so at one of them, by closing the generator (or leaving
    its loop), which ends the process that reads. A Document may hold no text but white space.
    """
    with closing(Child()) as child:
        for source, data in files:
            try:
                yield (yield from reading(source, data, options, child))
            except LoadError as error:
                yield Problem(source, str(error))


def read_bytes(
    source: str,
    data: bytes,
    options: ReadOptions = AS_USUAL,
    progress: Callable[[Progress], None] | None = None,
) -> Document:
    """The document that a file's or an upload's bytes hold; it may be empty or white space only.

    Its format is that of the ending, or of the first bytes where these are clear. Text beyond
    `MOST_CHARACTERS` is left out, and noted. Raises LoadError for a file that is too large,
    damaged, locked or without text, and for a binary file of no known format.
    """
    with closing(Child()) as child:
        return run(reading(source, data, options, child), progress)


def reading(
    source: str, data: bytes, options: ReadOptions, child: Child
) -> Generator[Progress, None, Document]:
    """Yields how far it is, returns the document, and raises LoadError as `read_bytes`."""
    yield Progress(source)
    if not parses(source, data):
        found = extract(source, data, options, lambda done, total: None)
    else:
        steps = child.read(source, data, options)
        try:
            while True:
                yield Progress(source, *next(steps))
        except StopIteration as stop:
            found = stop.value
        finally:
            steps.close()
    return Document(source, found.text, found.notes, found.pages, found.headings, found.removed)


def run(
    steps: Generator[Progress, None, Document], progress: Callable[[Progress], None] | None
) -> Document:
    """The document at the end of `reading`, with each step told."""
    while True:
        try:
            step = next(steps)
        except StopIteration as stop:
            return stop.value
        if progress is not None:
            progress(step)
