"""Files being read beside the page: every run looks at it, and a button stops it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from ragchunk.background import ending, start
from ragchunk.documents import Document, Problem, Progress, ReadOptions, read_files


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was given: `key` is one for each giving, as names may come twice."""

    key: str
    name: str
    data: bytes


class Uploading:
    """Files being read in a thread, one after the other.

    found: what came of each, by its key, as they are ready. progress: of the file at work.
    is_running: whether the thread is at work.
    """

    def __init__(self, files: Sequence[Upload], options: ReadOptions) -> None:
        """Start at once."""
        self.files, self.options = files, options
        self.found: dict[str, Document | Problem] = {}
        self.progress = Progress(files[0].name)
        self.is_running = True
        self._stopped = False
        start(self._run)

    def stop(self) -> None:
        """Stop within the file at work. What is read is kept, the rest is not in `found`."""
        self._stopped = True

    def said(self) -> str:
        """How far it is, in words."""
        number = min(len(self.found) + 1, len(self.files))
        of = f" ({number:,} of {len(self.files):,} files)" if len(self.files) > 1 else ""
        return f"Reading {self.progress}{of}."

    def _run(self) -> None:
        waiting = iter(self.files)
        pairs = ((each.name, each.data) for each in self.files)
        try:
            with closing(read_files(pairs, self.options)) as steps:
                for step in steps:
                    if isinstance(step, Progress):
                        self.progress = step
                    else:
                        self.found[next(waiting).key] = step
                    if self._stopped or ending.is_set():
                        return
        finally:
            self.is_running = False
