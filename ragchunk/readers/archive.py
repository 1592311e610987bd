"""Opening the archives that DOCX, PPTX and EPUB are, without being filled by them."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from ragchunk.errors import LoadError
from ragchunk.readers.base import MOST_PARTS, MOST_UNPACKED

# Before the first element only these may stand; office files have no use for a DOCTYPE.
_DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_PROLOGUE = 4_096


def opened(data: bytes) -> zipfile.ZipFile:
    """The archive; raises LoadError where it would unpack to more than is taken, or is locked."""
    archive = zipfile.ZipFile(BytesIO(data))
    parts = archive.infolist()
    size = sum(part.file_size for part in parts)
    if size > MOST_UNPACKED or len(parts) > MOST_PARTS:
        raise LoadError(
            f"unpacks to {size:,} bytes in {len(parts):,} parts, more than the "
            f"{MOST_UNPACKED:,} in {MOST_PARTS:,} that are read. "
            "Take large pictures out, or split it."
        )
    if any(part.flag_bits & 1 for part in parts):
        raise LoadError("is locked with a password. Save it without one first.")
    return archive


def check_office(data: bytes) -> None:
    """Raises LoadError for a DOCX or PPTX that is not safe to unpack and parse."""
    with opened(data) as archive:
        for part in archive.infolist():
            if not part.filename.lower().endswith((".xml", ".rels")):
                continue
            with archive.open(part) as stream:
                begins = stream.read(_PROLOGUE)
            # UTF-16 shows it too without its NULs.
            if _DOCTYPE.search(begins.replace(b"\0", b"")):
                raise LoadError(
                    f"defines XML entities in {part.filename!r}, which no office program does "
                    "and which can be a trap. It is not read."
                )
