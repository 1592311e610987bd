"""Readers: from the bytes of a file to its text, a small module for each format.

    READERS   ending -> module with read(data, options, told) -> Extract

A new format is a module and a line of the table. Modules are imported when a file needs them, and
those that parse run in a process of their own (see isolated.py).
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from importlib import import_module

from ragchunk.readers.base import (
    MOST_MARKUP,
    MOST_PACKED,
    MOST_TEXT,
    Extract,
    Heading,
    Mark,
    ReadOptions,
    Told,
)

__all__ = [
    "ENDINGS",
    "READERS",
    "Extract",
    "Heading",
    "Mark",
    "ReadOptions",
    "Reader",
    "Told",
    "reader_of",
]

_CODE = (
    ".py .pyi .js .mjs .jsx .ts .tsx .java .kt .scala .c .h .cc .cpp .hpp .cs .go .rs .rb .php "
    ".swift .lua .pl .r .jl .sh .ps1 .sql .css .xml .yaml .yml .toml .ini .cfg .tex"
)


@dataclass(frozen=True, slots=True)
class Reader:
    """One format: how files of it are known, what reads them, and what that needs.

    module: of this folder, with `read(data, options, told) -> Extract`. keeps: what comes out, in
    words. most: bytes a file may have. package: as in requirements.txt, "" for the standard
    library. unit: what progress counts. alone: whether it runs in a process of its own.
    """

    name: str
    endings: tuple[str, ...]
    module: str
    keeps: str
    most: int
    package: str = ""
    unit: str = ""
    alone: bool = True

    @property
    def is_binary(self) -> bool:
        """Whether files of it are binary, so that text under its name is not of this format."""
        return self.most == MOST_PACKED

    def read(self, data: bytes, options: ReadOptions, told: Told) -> Extract:
        """Raises LoadError, its message without the file's name, for what cannot be read."""
        return import_module(f"{__name__}.{self.module}").read(data, options, told)


_AS_IT_IS = "every character"

READERS = (
    Reader("Text", (".txt", ".text", ".log"), "plain", _AS_IT_IS, MOST_TEXT, alone=False),
    Reader(
        "Markdown",
        (".md", ".markdown"),
        "markdown",
        f"{_AS_IT_IS}; headings",
        MOST_TEXT,
        alone=False,
    ),
    Reader("reStructuredText", (".rst",), "rst", f"{_AS_IT_IS}; headings", MOST_TEXT, alone=False),
    Reader("Source code", tuple(_CODE.split()), "plain", _AS_IT_IS, MOST_TEXT, alone=False),
    Reader(
        "HTML",
        (".html", ".htm", ".xhtml"),
        "web",
        "headings, lists, tables, preformatted text",
        MOST_MARKUP,
        "selectolax==1.0.2",
        "character",
    ),
    Reader(
        "PDF", (".pdf",), "pdf", "page numbers, outline", MOST_PACKED, "pypdfium2==5.15.2", "page"
    ),
    Reader(
        "Word",
        (".docx", ".docm"),
        "word",
        "headings, lists, tables, footnotes",
        MOST_PACKED,
        "python-docx==1.2.0",
    ),
    Reader(
        "PowerPoint",
        (".pptx",),
        "slides",
        "slide numbers, titles, tables, notes",
        MOST_PACKED,
        "python-pptx==1.0.2",
        "slide",
    ),
    Reader(
        "CSV",
        (".csv", ".tsv"),
        "rows",
        "rows with their header, row numbers",
        MOST_MARKUP,
        unit="row",
    ),
    Reader(
        "JSON",
        (".json", ".jsonl", ".ndjson"),
        "records",
        "a field, or all",
        MOST_MARKUP,
        unit="record",
    ),
    Reader(
        "Notebook",
        (".ipynb",),
        "notebook",
        "text, code, text output, cell numbers",
        MOST_MARKUP,
        unit="cell",
    ),
    Reader(
        "EPUB",
        (".epub",),
        "book",
        "chapters in order, as HTML",
        MOST_PACKED,
        "selectolax==1.0.2",
        "part",
    ),
    Reader("Subtitles", (".srt", ".vtt"), "subtitles", "the words, times", MOST_TEXT),
)

ENDINGS = tuple(ending for reader in READERS for ending in reader.endings)

_BY_ENDING = {ending: reader for reader in READERS for ending in reader.endings}
_BY_NAME = {reader.name: reader for reader in READERS}


def reader_of(name: str) -> Reader:
    """The reader for a file of this name; that of plain text where the ending is none of ENDINGS.

    >>> reader_of("Report.PDF").name, reader_of("LICENSE").name
    ('PDF', 'Text')
    """
    return _BY_ENDING.get(posixpath.splitext(name.lower())[1], _BY_NAME["Text"])


def reader_named(name: str) -> Reader:
    """The reader with this `Reader.name`."""
    return _BY_NAME[name]
