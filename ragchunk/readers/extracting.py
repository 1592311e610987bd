"""From the bytes of one file to its extract: size, kind, reader, and how much of the text stays."""

from __future__ import annotations

from dataclasses import replace

from ragchunk.errors import LoadError
from ragchunk.readers import Reader, reader_of
from ragchunk.readers.base import AS_USUAL, MOST_CHARACTERS, Extract, ReadOptions, Told
from ragchunk.readers.cutting import end_within, least_of
from ragchunk.readers.kinds import claims, kind_of
from ragchunk.readers.plain import text_of


class OutOfMemory(LoadError):
    """A file that needs more memory than one file may have."""


def extract(source: str, data: bytes, options: ReadOptions, told: Told) -> Extract:
    """What the reader of this file makes of it; the text may be empty or white space only.

    Raises LoadError, which names the file, for what is too large, of no known kind, damaged,
    locked or without text, or needs a package that is missing.
    """
    check_size(source, len(data))
    try:
        try:
            reader, notes = kind_of(source, data)
            found = _read(reader, data, options, told)
        except LoadError:
            # What only begins like another format is what its name says.
            reader, notes = reader_of(source), _only_begins(source, data)
            if not notes:
                raise
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


def _only_begins(source: str, data: bytes) -> tuple[str, ...]:
    """A note if this is a text that begins like a binary file."""
    claimed = claims(data)
    if not claimed or reader_of(source).is_binary:
        return ()
    try:
        text_of(data, AS_USUAL)
    except LoadError:
        return ()
    return (f"Read as {reader_of(source).name}: it begins like a {claimed} file, and is none.",)


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
    if "Excessive depth" in said:  # so the parser of XML says it
        return "is nested too deeply to be read."
    why = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return (
        f"could not be read as {reader.name}: it seems to be damaged ({why}). "
        "Open it where it was made, and save it again."
    )


def shortened(found: Extract, most: int = MOST_CHARACTERS) -> Extract:
    """The extract with at most `most` characters, cut between pages, else as `end_within`, noted.

    >>> shortened(Extract("One.\\n\\nTwo."), 5).notes
    ('Only the first 4 of 10 characters were read: no more than 5 are taken from one file.',)
    """
    length = len(found.text)
    if length <= most:
        return found
    ends = [page.end for page in found.pages if least_of(most) <= page.end <= most]
    end = ends[-1] if ends else end_within(found.text, most)
    pages = tuple(replace(page, end=min(page.end, end)) for page in found.pages if page.start < end)
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
