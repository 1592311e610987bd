"""Reading a file in a process of its own, which may take no more than so much time and memory.

A file that hangs its parser, fills the memory or ends the process costs that process and nothing
else. It is a plain child and not `multiprocessing`, whose children import the main module again:
under Streamlit that is the app.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from ragchunk.errors import LoadError
from ragchunk.readers.base import (
    MOST_MEMORY,
    MOST_SECONDS,
    Extract,
    Heading,
    Mark,
    ReadOptions,
)
from ragchunk.readers.frames import receive, send

# How far a reader is: done, in all, and the unit that counts them ("page").
Step = tuple[int, int, str]

_EVERY = 0.3  # seconds between two signs of life
_ROOT = Path(__file__).parents[2]


class Child:
    """A process that reads one file after the other; started when needed, and after each loss.

    Close it in the end (`contextlib.closing`). Not for several threads at once.
    """

    def __init__(self, seconds: int = MOST_SECONDS, memory: int = MOST_MEMORY) -> None:
        self.seconds = seconds
        self.memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: SimpleQueue[tuple[dict[str, Any], bytes] | None] = SimpleQueue()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was not written yet has no reader

    def read(
        self, source: str, data: bytes, options: ReadOptions
    ) -> Generator[Step, None, Extract]:
        """Yields how far it is, a few times a second at least; returns the extract.

        A generator that is closed before its end ends the process, so a caller can give up at each
        step. Raises LoadError, which names the file, for what `extract` refuses, and where time or
        memory do not suffice.
        """
        step: Step = (0, 0, "")
        finished = False
        try:
            ends = time.monotonic() + self.seconds
            process = self._running()
            assert process.stdin is not None
            try:
                head = {"source": source, "options": asdict(options)}
                send(process.stdin, head, data)
            except OSError as error:
                raise LoadError(self._lost(source, step)) from error
            while True:
                try:
                    answer = self._answers.get(timeout=_EVERY)
                except Empty:
                    if time.monotonic() > ends:
                        raise LoadError(self._too_slow(source, step)) from None
                    yield step
                    continue
                if answer is None:
                    raise LoadError(self._lost(source, step))
                head, body = answer
                if "progress" in head:
                    done, total, unit = head["progress"]
                    step = (done, total, unit)
                    yield step
                    if time.monotonic() > ends:
                        raise LoadError(self._too_slow(source, step))
                    continue
                if "problem" in head:
                    finished = not head["over"]
                    raise LoadError(head["problem"])
                finished = True
                return _extract(head["extract"], body)
        finally:
            if not finished:
                self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        command = [sys.executable, "-P", "-m", "ragchunk.readers.worker"]
        process = subprocess.Popen(
            [*command, str(self.memory), str(self.seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        assert process.stdout is not None
        self._process, self._answers = process, SimpleQueue()
        listen = threading.Thread(target=_listen, args=(process.stdout, self._answers), daemon=True)
        listen.start()
        return process

    def _too_slow(self, source: str, step: Step) -> str:
        return (
            f"{source} was given up after {self.seconds} seconds{_at(step)}. "
            "Split it, or save it in a simpler format."
        )

    def _lost(self, source: str, step: Step) -> str:
        status = None if self._process is None else self._process.wait()
        return (
            f"{source} could not be read: its reader broke off{_at(step)} (status {status}), as "
            f"happens with a damaged file, and with one that needs more than "
            f"{self.memory / 1e9:.1f} GB of memory."
        )


def _at(step: Step) -> str:
    done, total, unit = step
    return f" at {unit or 'step'} {done:,} of {total:,}" if total else ""


def _listen(stream: IO[bytes], answers: SimpleQueue[tuple[dict[str, Any], bytes] | None]) -> None:
    try:
        while (answer := receive(stream)) is not None:
            answers.put(answer)
    except (OSError, ValueError):  # closed while it was read
        pass
    answers.put(None)


def _extract(head: dict[str, Any], body: bytes) -> Extract:
    return Extract(
        body.decode("utf-8", "surrogatepass"),
        tuple(Mark(*page) for page in head["pages"]),
        tuple(Heading(*heading) for heading in head["headings"]),
        tuple(head["notes"]),
        tuple(head["removed"]),
    )
