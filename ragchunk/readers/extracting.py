"""From the bytes of one file to its extract: size, kind, reader, and how much of the text stays."""

from __future__ import annotations

import re
from dataclasses import replace

from ragchunk.errors import LoadError
from ragchunk.readers import Reader, reader_of
from ragchunk.readers.base import MOST_CHARACTERS, Extract, ReadOptions, Told
from ragchunk.readers.kinds import kind_of


class OutOfMemory(LoadError):
    """A file that needs more memory than one file may have."""


def extract(source: str, data: bytes, options: ReadOptions, told: Told) -> Extract:
    """What the reader of this file makes of it; the text may be empty or white space only.

    Raises LoadError, which names the file, for what is too large, of no known kind, damaged,
    locked or without text, or needs a package that is missing.
    """
    check_size(source, len(data))
    try:
        reader, notes = kind_of(source, data)
        found = _read(reader, data, options, told)
    except LoadError as error:
        raise type(error)(f"{source} {error}") from error
    return shortened(replace(found, notes=notes + found.notes))


def check_size(source: str, size: int) -> None:
    """Raises LoadError where a file of this name has more bytes than are read of its format."""
    most = reader_of(source).most
    if size > most:
        raise LoadError(
            f"{source} has {size:,} bytes, more than the {most:,} that are read. "
            "Split it into smaller files."
        )


def _read(reader: Reader, data: bytes, options: ReadOptions, told: Told) -> Extract:
    try:
        return reader.read(data, options, told)
    except LoadError:
        raise
    except ModuleNotFoundError as error:
        package = reader.package.partition("==")[0]
        raise LoadError(
            f"needs the package {package}: pip install {reader.package}"
            if package
            else f"needs a module that is missing: {error.name}."
        ) from error
    except MemoryError as error:
        raise OutOfMemory("needs more memory than one file may have. Split it.") from error
    except RecursionError as error:
        raise LoadError("is nested too deeply to be read.") from error
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise  # nobody waits for the result
        raise LoadError(_damaged(reader, error)) from error
    except Exception as error:
        # Every library has its own errors for a damaged file, and none must hide the other files.
        raise LoadError(_damaged(reader, error)) from error


def _damaged(reader: Reader, error: Exception) -> str:
    said = " ".join(str(error).split())[:120]
    why = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return (
        f"could not be read as {reader.name}: it seems to be damaged ({why}). "
        "Open it where it was made, and save it again."
    )


def shortened(found: Extract, most: int = MOST_CHARACTERS) -> Extract:
    """The extract with at most `most` characters, cut between pages, else paragraphs, and noted.

    >>> shortened(Extract("One.\\n\\nTwo."), 9).notes
    ('Only the first 4 of 10 characters were read: no more than 9 are taken from one file.',)
    """
    length = len(found.text)
    if length <= most:
        return found
    ends = [page.end for page in found.pages if page.end <= most]
    blank = [gap.start() for gap in re.finditer(r"\n[ \t\r]*\n", found.text[: most + 2])]
    end = next(
        (each[-1] for each in (ends, blank) if each and 0 < each[-1] <= most),
        most,
    )
    pages = tuple(page for page in found.pages if page.end <= end)
    up_to = f", up to {pages[-1].label}" if pages else ""
    note = (
        f"Only the first {end:,} of {length:,} characters were read{up_to}: "
        f"no more than {most:,} are taken from one file."
    )
    return replace(
        found,
        text=found.text[:end],
        pages=pages,
        headings=tuple(each for each in found.headings if each.start < end),
        notes=(*found.notes, note),
    )
