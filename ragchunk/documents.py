"""From folders, files and uploads to documents: a source and its text.

    bytes -> decode -> read_bytes -> Document      load_folder does so for a whole folder

The text is what the file holds, character for character: line ends, odd spaces and a second byte
order mark stay, because every offset that is shown later counts in this text.
"""

from __future__ import annotations

import codecs
import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from ragchunk.errors import FolderNotFound, LoadError
from ragchunk.memo import per_text

MAX_FILE_BYTES = 5_000_000
ENDINGS = (".txt", ".md")

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = [
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF32_LE, "UTF-32-LE"),
    (codecs.BOM_UTF32_BE, "UTF-32-BE"),
    (codecs.BOM_UTF16_LE, "UTF-16-LE"),
    (codecs.BOM_UTF16_BE, "UTF-16-BE"),
]
# Parts of a PDF read like text, so the control characters alone do not give it away.
_BINARY_STARTS = (b"%PDF-", b"\x89PNG", b"PK\x03\x04", b"\x7fELF", b"\xff\xd8\xff", b"\x1f\x8b")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Document:
    """A text and where it comes from; unpacks like the pair `source, text = document`.

    `notes` say in words what reading had to repair. They are no part of what the document is, so
    two documents with the same source and text are equal.
    """

    source: str
    text: str
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[str]:
        return iter((self.source, self.text))


# What everything that cuts and measures takes: a Document, or a plain pair of source and text.
Pair = Document | tuple[str, str]


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    r"""The text of a file's bytes, and notes in words on anything that was not plain UTF-8.

    Tried in turn: a byte order mark, UTF-16 by its NULs, UTF-8, Windows-1252. One mark is removed.
    What cannot be read becomes U+FFFD and is noted; nothing is dropped. Never fails.

    >>> decode(b"\x93quoted\x94")
    ('“quoted”', ('Read as Windows-1252, because it is not UTF-8.',))
    """
    marked = [(data[len(mark) :], name) for mark, name in _MARKS if data.startswith(mark)]
    for body, name in marked:
        text = _strictly(body, name)
        if text is not None:
            return text, _mark_notes(name)
    if marked:
        body, name = marked[-1]
        note = f"Some bytes are not {name} and are shown as \ufffd."
        return body.decode(name, "replace"), (*_mark_notes(name), note)

    as_utf8 = _strictly(data, "UTF-8")
    # ASCII text in UTF-16 is also valid UTF-8, with a NUL in every other byte; text that is not
    # UTF-8 needs fewer NULs to be UTF-16, such as those of its line ends.
    name = _unmarked_utf16(data, least=0.01 if as_utf8 is None else 0.5)
    if name and (text := _strictly(data, name)) is not None:
        return text, (f"Read as {name}, recognised by its NULs.",)
    if as_utf8 is not None:
        return as_utf8, ()

    notes = ["Read as Windows-1252, because it is not UTF-8."]
    text = data.decode("cp1252", "replace")
    if lost := text.count("\ufffd"):
        notes.append(f"Bytes without a meaning in Windows-1252, shown as \ufffd: {lost}.")
    return text, tuple(notes)


def _mark_notes(name: str) -> tuple[str, ...]:
    removed = "A byte order mark was removed."
    return (removed,) if name == "UTF-8" else (removed, f"Read as {name}, as its mark says.")


def _strictly(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        return None


def _unmarked_utf16(data: bytes, least: float) -> str | None:
    """The byte order in which at least the share `least` of the units are below 256, if any."""
    units = len(data) // 2
    even, odd = data[::2].count(0), data[1::2].count(0)
    name, zeros, others = ("UTF-16-LE", odd, even) if odd > even else ("UTF-16-BE", even, odd)
    return name if zeros > 3 * others and zeros >= least * units else None


def read_bytes(source: str, data: bytes) -> Document:
    """The document that a file's or an upload's bytes hold; it may be empty or white space only.

    Raises LoadError for more than `MAX_FILE_BYTES` bytes, and for a binary file: a known start
    (PDF, PNG, ZIP, ...), or control characters in more than one of twenty places.
    """
    _check_size(source, len(data))
    text, notes = decode(data)
    controls = sum(1 for _ in _CONTROL.finditer(text))
    if data.startswith(_BINARY_STARTS) or controls > 1 + len(text) / 20:
        raise LoadError(
            f"{source} looks like a binary file, not text. Save or export it as .txt or .md first."
        )
    return Document(source, text, notes)


def _check_size(source: str, size: int) -> None:
    if size > MAX_FILE_BYTES:
        raise LoadError(
            f"{source} has {size:,} bytes, more than the {MAX_FILE_BYTES:,} that are read. "
            "Split it into smaller files."
        )


def load_documents(folder: str | os.PathLike[str]) -> list[Document]:
    """Every `.txt` and `.md` file in a folder and the folders in it, in the order of their paths.

    The source is the path relative to `folder`, with `/`. Endings may be upper case; hidden files
    and folders are read too; links to files are followed, links to folders are not.
    Raises FolderNotFound, and LoadError for the first file that cannot be read.
    """
    documents, problems = load_folder(folder)
    if problems:
        raise LoadError(problems[0])
    return documents


def load_folder(folder: str | os.PathLike[str]) -> tuple[list[Document], list[str]]:
    """As `load_documents`, but what cannot be read is told in words, and the rest is returned.

    Raises FolderNotFound if `folder` is missing or is not a folder.
    """
    root = Path(folder)
    if not root.is_dir():
        why = "is a file, not a folder" if root.exists() else "does not exist"
        raise FolderNotFound(
            f"The folder {root} {why}. Give a folder that holds {' or '.join(ENDINGS)} files."
        )
    documents: list[Document] = []
    problems: list[str] = []

    def unreadable(error: OSError) -> None:
        problems.append(f"The folder {error.filename} could not be read: {error.strerror}.")

    files: dict[str, Path] = {}
    for parent, _, names in os.walk(root, onerror=unreadable):
        for name in names:
            if name.lower().endswith(ENDINGS):
                path = Path(parent, name)
                files[path.relative_to(root).as_posix()] = path
    for source, path in sorted(files.items()):
        # A name whose bytes are not UTF-8 could be neither printed nor saved.
        source = source.encode("utf-8", "replace").decode("utf-8")
        try:
            documents.append(_read_file(source, path))
        except LoadError as error:
            problems.append(str(error))
    return unique_sources(documents), problems


def _read_file(source: str, path: Path) -> Document:
    try:
        # Opening a pipe would wait for ever.
        if path.exists() and not path.is_file():
            raise LoadError(f"{source} is not an ordinary file. Move it out of the folder.")
        _check_size(source, path.stat().st_size)
        return read_bytes(source, path.read_bytes())
    except OSError as error:
        raise LoadError(f"{source} could not be read: {error.strerror}.") from error


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
