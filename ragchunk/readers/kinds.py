"""Which reader a file needs: its first bytes decide where they are clear, else its ending."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from ragchunk.errors import LoadError
from ragchunk.readers import Reader, reader_named, reader_of

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Readers may put a few bytes in front of a PDF; how many is what its standard lets them.
_PDF_WITHIN = 1_024
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<!doctype\s+html|<html)\b", re.IGNORECASE)

# A part that only this format has.
_PARTS = {
    "word/document.xml": "Word",
    "ppt/presentation.xml": "PowerPoint",
    "META-INF/container.xml": "EPUB",
}
_ELSEWHERE = {
    "xl/workbook.xml": "is a spreadsheet. Save its sheets as .csv first.",
    "xl/workbook.bin": "is a spreadsheet. Save its sheets as .csv first.",
    "content.xml": "is an OpenDocument file. Save it as .docx, .pptx or .csv first.",
}
BINARY = "looks like a binary file, not text. Save or export it as .txt or .md first."


def parses(name: str, data: bytes) -> bool:
    """Whether reading the file parses more than text, so that it runs in a process of its own."""
    return reader_of(name).alone or data.startswith((ZIP, OLE, b"%PDF-"))


def kind_of(name: str, data: bytes) -> tuple[Reader, tuple[str, ...]]:
    """The reader for a file, and a note where it is not the one that the name promises.

    Raises LoadError, its message without the name, for a format that is known and not read.
    """
    promised = reader_of(name)
    found = _by_content(promised, data)
    if found.name == promised.name:
        return promised, ()
    return found, (f"Read as {found.name}, which its first bytes show, not as its name says.",)


def unit_of(name: str, data: bytes) -> str:
    """What reading the file counts (`Reader.unit`)."""
    try:
        return kind_of(name, data)[0].unit
    except LoadError:
        return reader_of(name).unit


def claims(data: bytes) -> str:
    """What the first bytes say that a file is, where a text can begin with them too."""
    if data.startswith(b"%PDF-"):
        return "PDF"
    return "ZIP" if data.startswith(ZIP) else ""


def _by_content(promised: Reader, data: bytes) -> Reader:
    if data.startswith(b"%PDF-"):
        return reader_named("PDF")
    if data.startswith(ZIP):
        return _archive(data)
    if data.startswith(OLE):
        raise LoadError(_old_office(data))
    if re.match(rb"\{\\rtf[0-9]", data):
        raise LoadError("is an RTF file. Save it as .docx or .txt first.")
    if promised.name == "PDF" and b"%PDF-" in data[:_PDF_WITHIN]:
        return promised
    if promised.is_binary:
        # Pages that were saved under the name of what they offered to load.
        if _HTML.match(data):
            return reader_named("HTML")
        raise LoadError(
            f"is no {promised.name} file, whatever its name says: it "
            + ("is empty." if not data else "begins otherwise. It may be cut off or renamed.")
        )
    return promised


def _archive(data: bytes) -> Reader:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise LoadError(
            "is damaged: the list of its parts is missing or wrong. It may be cut off; "
            "copy or load it again."
        ) from error
    for part, kind in _PARTS.items():
        if part in names:
            return reader_named(kind)
    for part, words in _ELSEWHERE.items():
        if part in names:
            raise LoadError(words)
    raise LoadError(BINARY)


def _old_office(data: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "is locked with a password. Save it without one first."
    return "is in the format of Office before 2007. Save it as .docx or .pptx first."
