"""The process that parses files: requests on standard input, results on standard output.

    python -m ragchunk.readers.worker MEMORY SECONDS

It is started by isolated.py. A request is {source, options} and the bytes of the file. Answers are
{progress: [done, total, unit]}, any number of them, then {extract: ...} with the text beside it,
or {problem: words, over: bool}; over says that this process is not fit for another file.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from queue import SimpleQueue
from typing import IO, Any

from ragchunk.errors import LoadError
from ragchunk.readers.base import Extract, ReadOptions
from ragchunk.readers.extracting import OutOfMemory, extract
from ragchunk.readers.frames import receive, send
from ragchunk.readers.kinds import unit_of

# Progress is told at most so often, in seconds.
_EVERY = 0.1


def main() -> None:
    memory, seconds = int(sys.argv[1]), int(sys.argv[2])
    requests: SimpleQueue[tuple[dict[str, Any], bytes]] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    # What a library prints must not stand between the answers.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _limit_memory(memory)
    while True:
        head, data = requests.get()
        _limit_time(seconds)
        try:
            _answer(out, head, data)
        except OSError:
            return  # nobody waits for it


def _listen(requests: SimpleQueue[tuple[dict[str, Any], bytes]]) -> None:
    while (request := receive(sys.stdin.buffer)) is not None:
        requests.put(request)
    # The other side has closed the pipe or is gone: what is being read is of no use to anybody.
    os._exit(0)


def _answer(out: IO[bytes], head: dict[str, Any], data: bytes) -> None:
    source, options = head["source"], ReadOptions(**head["options"])
    last = 0.0
    unit = ""

    def told(done: int, total: int) -> None:
        nonlocal last, unit
        now = time.monotonic()
        if now - last < _EVERY:
            return
        last = now
        unit = unit or unit_of(source, data)
        send(out, {"progress": [done, total, unit]})

    try:
        found = extract(source, data, options, told)
    except LoadError as error:
        send(out, {"problem": str(error), "over": isinstance(error, OutOfMemory)})
    else:
        send(out, {"extract": as_plain(found)}, found.text.encode("utf-8", "surrogatepass"))


def as_plain(found: Extract) -> dict[str, Any]:
    """All but the text, as JSON can hold it."""
    return {
        "pages": [(page.start, page.end, page.label) for page in found.pages],
        "headings": [(each.start, each.level, each.title) for each in found.headings],
        "notes": found.notes,
        "removed": found.removed,
    }


def _limit_memory(most: int) -> None:
    """No more than `most` bytes beyond what this process has now, where the system can do that."""
    try:
        import resource
        from pathlib import Path

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limit = pages * resource.getpagesize() + most
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, OSError, ValueError):
        return


def _limit_time(seconds: int) -> None:
    """The system ends this process where the other side cannot: a second after it would have."""
    try:
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + seconds + 2
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    except (ImportError, OSError, ValueError):
        return


if __name__ == "__main__":
    main()
