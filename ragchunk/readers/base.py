"""What a reader takes and gives: bytes and options in, a text and where its parts stand out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# Called with how far a reader is and how far it goes, in its own unit (see `Reader.unit`).
Told = Callable[[int, int], None]

# Bytes of a file, and characters of the text that is taken from it.
MOST_TEXT = 20_000_000
MOST_MARKUP = 25_000_000
MOST_PACKED = 50_000_000
MOST_CHARACTERS = 5_000_000
# Pages, rows or records that are numbered; each is an object beside the text.
MOST_MARKS = 200_000

# What an archive (DOCX, PPTX, EPUB) may hold once it is unpacked, and in how many parts.
MOST_UNPACKED = 300_000_000
MOST_PARTS = 20_000

# What reading one file may take. The memory is what a child process takes beyond its start.
MOST_SECONDS = 120
MOST_MEMORY = 1_500_000_000


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start` up to, not including, `end` of a text are on this page, slide or row.

    Labels count: "p. 4", "slide 4", "row 12", "cell 3"; subtitles have the time, "0:04:10".
    """

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading whose line begins at `start`; level 1 is the highest."""

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files are read, where there is a choice.

    mend: of PDFs, take page headers, page footers and page numbers away and join lines and
    hyphenated words; leave out the headers of Word files, the footers of slides, and lines that
    captions show twice. encoding: of text formats, such as "cp1250"; "" finds it.
    field: the one of a JSON record that is read, such as "body" or "post.body"; "" finds it.
    """

    mend: bool = True
    encoding: str = ""
    field: str = ""


AS_USUAL = ReadOptions()


@dataclass(frozen=True, slots=True)
class Extract:
    """What a reader took from a file. Offsets are code points of `text`, in increasing order.

    `notes` say what could not be read or was repaired, `removed` what mending took away or joined,
    in words with counts.
    """

    text: str
    pages: tuple[Mark, ...] = ()
    headings: tuple[Heading, ...] = ()
    notes: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
