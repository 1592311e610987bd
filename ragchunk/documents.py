"""Documents and where they come from: what the rest of ragchunk, and a script, imports.

    document.py   a Document: source, text, pages, headings
    encodings.py  bytes -> text
    readers/      bytes -> text, by format
    files.py      files and uploads -> documents
    folder.py     a folder -> documents

The text of a plain file is what the file holds, character for character: line ends, odd spaces and
a second byte order mark stay, because every offset that is shown later counts in this text.
"""

from ragchunk.document import Document, Pair, document_hash, unique_sources
from ragchunk.encodings import decode
from ragchunk.files import Problem, Progress, read_bytes, read_files
from ragchunk.folder import holds_questions, is_document, load_documents, load_folder
from ragchunk.readers import ENDINGS, READERS, Heading, Mark, ReadOptions, reader_of
from ragchunk.readers.base import AS_USUAL, MOST_CHARACTERS
from ragchunk.readers.base import MOST_PACKED as MAX_FILE_BYTES
from ragchunk.readers.kinds import parses

__all__ = [
    "AS_USUAL",
    "ENDINGS",
    "MAX_FILE_BYTES",
    "MOST_CHARACTERS",
    "READERS",
    "Document",
    "Heading",
    "Mark",
    "Pair",
    "Problem",
    "Progress",
    "ReadOptions",
    "decode",
    "document_hash",
    "holds_questions",
    "is_document",
    "load_documents",
    "load_folder",
    "parses",
    "read_bytes",
    "read_files",
    "reader_of",
    "unique_sources",
]
