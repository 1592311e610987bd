"""Values that follow from their text, and a process that writes them until it is killed.

    python -m tests.stored FOLDER LOG

forks a writer for each line it reads and prints its number. A writer adds a line to LOG after each
thing the store has taken.
"""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragchunk.store import Store

MODEL = "a model"
KIND = "document"
DIMENSION = 48
PARTS = 3
ROWS = 40


def vector(text: str) -> npt.NDArray[np.float32]:
    """float32 (48,), its own for each text."""
    random = np.random.default_rng(zlib.crc32(text.encode("utf-8", "surrogatepass")))
    return random.normal(size=DIMENSION).astype(np.float32)


def part(text: str, number: int) -> npt.NDArray[np.float16]:
    """float16 (40, 48), its own for each text and number."""
    random = np.random.default_rng([zlib.crc32(text.encode("utf-8", "surrogatepass")), number])
    return random.normal(size=(ROWS, DIMENSION)).astype(np.float16)


def whole(text: str) -> npt.NDArray[np.float16]:
    """float16 (120, 48): all parts of a document."""
    return np.concatenate([part(text, number) for number in range(PARTS)])


def keep_vectors(store: Store, texts: list[str]) -> None:
    store.keep(MODEL, KIND, {text: vector(text) for text in texts})


def keep_document(store: Store, text: str) -> None:
    for number in range(PARTS):
        store.keep_part(MODEL, text, number, part(text, number))
    assert store.finish(MODEL, text, PARTS) is not None


def batch(name: str) -> list[str]:
    """The texts of one batch of vectors."""
    return [f"{name}.{number}" for number in range(20)]


def write_until_killed(folder: Path, log: Path, name: str) -> None:
    store = Store(folder)
    kept = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    number = 0
    while True:
        each = f"{name}.{number}"
        os.write(kept, f"try {each}\n".encode())
        keep_vectors(store, batch(each))
        os.write(kept, f"vectors {each}\n".encode())
        for count in range(PARTS):
            store.keep_part(MODEL, each, count, part(each, count))
            os.write(kept, f"part{count} {each}\n".encode())
        store.finish(MODEL, each, PARTS)
        os.write(kept, f"document {each}\n".encode())
        if store.problem:
            os.write(kept, f"problem {store.problem}\n".encode())
        number += 1


def main() -> None:
    folder, log = map(Path, sys.argv[1:])
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            write_until_killed(folder, log, line.strip())
        print(process, flush=True)
        os.waitpid(process, 0)
        print("ended", flush=True)


if __name__ == "__main__":
    main()
