"""Reading files as `read_bytes` does, with one process for all tests of a run."""

from __future__ import annotations

import atexit

from ragchunk.documents import Document, ReadOptions
from ragchunk.files import reading, run
from ragchunk.readers.base import AS_USUAL
from ragchunk.readers.isolated import Child

_CHILD = Child()
atexit.register(_CHILD.close)


def read(source: str, data: bytes, options: ReadOptions = AS_USUAL) -> Document:
    return run(reading(source, data, options, _CHILD), None)
