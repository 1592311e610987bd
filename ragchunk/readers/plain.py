"""Text that is what it is: line ends, odd spaces and a second byte order mark stay."""

from __future__ import annotations

import re

from ragchunk.encodings import decode
from ragchunk.errors import LoadError
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.kinds import BINARY

_BINARY_STARTS = (b"\x89PNG", b"\x7fELF", b"\xff\xd8\xff", b"\x1f\x8b")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    return Extract(text, notes=notes)


def text_of(data: bytes, options: ReadOptions) -> tuple[str, tuple[str, ...]]:
    """The text of a file that should be text, and notes in words on what was repaired.

    Raises LoadError as `check_text`.
    """
    text, notes = decode(data, options.encoding)
    check_text(data, text)
    return text, notes


def check_text(data: bytes, text: str) -> None:
    """Raises LoadError for a binary file, of which `text` is what decoding made of it.

    It has a known start (PNG, gzip, ...), or control characters in more than one of twenty places.
    """
    controls = sum(1 for _ in _CONTROL.finditer(text))
    if data.startswith(_BINARY_STARTS) or controls > 1 + len(text) / 20:
        raise LoadError(BINARY)
