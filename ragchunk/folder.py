"""From a folder on the disk to its documents."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from ragchunk.document import Document, unique_sources
from ragchunk.errors import FolderNotFound, LoadError
from ragchunk.files import Progress, reading, run
from ragchunk.readers import ENDINGS
from ragchunk.readers.base import AS_USUAL, ReadOptions
from ragchunk.readers.extracting import check_size
from ragchunk.readers.isolated import Child

# What tools put into a folder, by the thousand.
_OF_TOOLS = {".git", ".venv", "node_modules", "__pycache__"}
# What Word and macOS lay beside a file: no text of anybody's.
_BESIDE = ("~$", "._")


def load_documents(
    folder: str | os.PathLike[str], options: ReadOptions = AS_USUAL
) -> list[Document]:
    """Every file of the formats in `readers.READERS` in a folder and the folders in it, by path.

    The source is the path relative to `folder`, with `/`. Endings may be upper case; hidden files
    and folders are read too, but not those of tools (.git, .venv, node_modules, __pycache__); links
    to files are followed, links to folders are not. Questions with
    their answers, as `evaluate` takes them, are no document.
    Raises FolderNotFound, and LoadError for the first file that cannot be read.
    """
    documents, problems = load_folder(folder, options)
    if problems:
        raise LoadError(problems[0])
    return documents


def load_folder(
    folder: str | os.PathLike[str],
    options: ReadOptions = AS_USUAL,
    progress: Callable[[Progress], None] | None = None,
    without: Iterable[str | os.PathLike[str]] = (),
) -> tuple[list[Document], list[str]]:
    """As `load_documents`, but what cannot be read is told in words, and the rest is returned.

    without: files that are not read, wherever they are.
    Raises FolderNotFound if `folder` is missing or is not a folder.
    """
    root = Path(folder)
    if not root.is_dir():
        why = "is a file, not a folder" if root.exists() else "does not exist"
        raise FolderNotFound(
            f"The folder {root} {why}. Give a folder that holds documents "
            f"({', '.join(ENDINGS[:2])}, .pdf, .docx, ...)."
        )
    documents: list[Document] = []
    problems: list[str] = []

    def unreadable(error: OSError) -> None:
        problems.append(f"The folder {error.filename} could not be read: {error.strerror}.")

    left_out = {_resolved(path) for path in without}
    files: dict[str, Path] = {}
    for parent, folders, names in os.walk(root, onerror=unreadable):
        folders[:] = [folder for folder in folders if folder not in _OF_TOOLS]
        for name in names:
            path = Path(parent, name)
            if is_document(name):
                files[path.relative_to(root).as_posix()] = path
    with closing(Child()) as child:
        for source, path in sorted(files.items()):
            if left_out and _resolved(path) in left_out:
                continue
            # A name whose bytes are not UTF-8 could be neither printed nor saved.
            source = source.encode("utf-8", "replace").decode("utf-8")
            try:
                data = _bytes_of(source, path)
                if not holds_questions(source, data):
                    documents.append(run(reading(source, data, options, child), progress))
            except LoadError as error:
                problems.append(str(error))
    return unique_sources(documents), problems


def is_document(name: str) -> bool:
    """Whether a file of this name or path, found in a folder, is of a format that is read.

    >>> is_document("docs/a.md"), is_document("a/node_modules/b/a.md"), is_document("~$a.docx")
    (True, False, False)
    """
    folder, _, own = name.rpartition("/")
    if not _OF_TOOLS.isdisjoint(folder.split("/")):
        return False
    return own.lower().endswith(ENDINGS) and not own.startswith(_BESIDE)


def _resolved(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError):  # a link that leads to itself
        return Path(path).absolute()


def _bytes_of(source: str, path: Path) -> bytes:
    try:
        # Opening a pipe would wait for ever.
        if path.exists() and not path.is_file():
            raise LoadError(f"{source} is not an ordinary file. Move it out of the folder.")
        check_size(source, path.stat().st_size)
        return path.read_bytes()
    except OSError as error:
        raise LoadError(f"{source} could not be read: {error.strerror}.") from error


def holds_questions(source: str, data: bytes) -> bool:
    """Whether these are questions with their answers: found as text, they would answer all."""
    if not source.lower().endswith(".jsonl"):
        return False
    try:
        row = json.loads(data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and {"question", "answers"} <= row.keys()
