"""Results of settings, kept on disk, so that a sweep that was stopped goes on where it was.

    folder/results.sqlite     one row a setting, with what it was measured on

Beside the store of vectors, in the same folder; killed, damaged or full disks cost no more than
measuring again. A result is found for the same documents, questions, cut-offs, model and setting,
measured by the same program.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from ragchunk.database import Database, damaged
from ragchunk.evaluation.measures import Cutoff, Scores
from ragchunk.evaluation.questions import Question, to_jsonl
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.trial import Result

SCHEMA = [
    "CREATE TABLE results (key BLOB PRIMARY KEY, used INTEGER, crc INTEGER, data BLOB)",
    "CREATE INDEX results_used ON results (used)",
]
VERSION = 1

# A result of 472 questions takes about 20 KB. What was used longest ago goes first.
MOST_RESULTS = 20_000

# Rows per statement: SQLite's limit on older systems is 999.
ROWS = 900


@dataclass(frozen=True)
class Basis:
    """What results were measured on: only those of the same basis stand beside each other."""

    corpus: str
    questions: str
    cutoffs: tuple[Cutoff, ...]
    model: str
    encoder: str = ""


class Results:
    """A file of results. Safe under threads and several processes.

    Trouble with the disk never raises: then nothing is found or kept, and `problem` says so.
    """

    def __init__(self, folder: Path, most: int = MOST_RESULTS) -> None:
        self._path = folder / "results.sqlite"
        self._database = Database(self._path, SCHEMA, VERSION)
        self._most = most

    @property
    def problem(self) -> str:
        return self._database.problem

    def find(self, basis: Basis, settings: Iterable[Setting]) -> dict[Setting, Result]:
        """Those results that are there, by setting."""
        wanted = {_key(basis, setting): setting for setting in settings}
        rows = self._database.read(lambda database: _rows(database, list(wanted)), [])
        found: dict[Setting, Result] = {}
        for key, crc, data in rows:
            setting = wanted.get(key)
            if setting is None or not isinstance(data, bytes) or crc != zlib.crc32(key + data):
                continue  # it is measured and kept again
            found[setting] = _unpacked(setting, basis.cutoffs, data)
        now = int(time.time())
        used = [(now, key) for key, setting in wanted.items() if setting in found]
        self._database.write_if_free(
            lambda database: database.executemany("UPDATE results SET used = ? WHERE key = ?", used)
        )
        return found

    def keep(self, basis: Basis, result: Result) -> None:
        key = _key(basis, result.setting)
        data = _packed(result, basis.cutoffs)
        row = (key, int(time.time()), zlib.crc32(key + data), data)

        def work(database: sqlite3.Connection) -> None:
            database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", row)
            database.execute(
                "DELETE FROM results WHERE key IN "
                "(SELECT key FROM results ORDER BY used DESC LIMIT -1 OFFSET ?)",
                (self._most,),
            )

        self._database.write(work, None)

    def size(self) -> tuple[int, int]:
        """How many results there are, and the bytes that they take on the disk."""
        if not self._path.is_file():
            return 0, 0
        count = self._database.read(_count, 0)
        return count, sum(each.stat().st_size for each in self._files() if each.is_file())

    def clear(self) -> tuple[int, int]:
        """Remove everything, and return what that was, as `size`; nothing if the disk refuses."""
        before = self.size()
        if self._path.is_file() and not self._database.discard():
            return 0, 0
        for each in damaged(self._path):
            each.unlink(missing_ok=True)
        return before

    def _files(self) -> list[Path]:
        logs = [self._path.with_name(self._path.name + ending) for ending in ("-wal", "-shm")]
        return [self._path, *logs, *damaged(self._path)]

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()


def default_results() -> Results:
    """The user's results, one object per process and folder: beside the store of vectors."""
    named = os.environ.get("RAGCHUNK_CACHE")
    folder = Path(named) if named else platformdirs.user_cache_path("ragchunk", appauthor=False)
    return _results(folder)


@cache
def _results(folder: Path) -> Results:
    return Results(folder)


def questions_hash(questions: Sequence[Question]) -> str:
    """Sixteen hexadecimal digits that stand for questions with their answers, in their order."""
    data = to_jsonl(questions).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


@cache
def program_hash() -> str:
    """Sixteen hexadecimal digits of the program: another one may cut or measure differently."""
    digest = hashlib.blake2b(digest_size=8)
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        if "ui" not in path.relative_to(root).parts:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(basis: Basis, setting: Setting) -> bytes:
    said = [
        program_hash(),
        basis.corpus,
        basis.questions,
        [[each.k, each.budget] for each in basis.cutoffs],
        basis.model,
        basis.encoder,
        setting.to_json(),
    ]
    return hashlib.blake2b(json.dumps(said).encode(), digest_size=16).digest()


def _rows(database: sqlite3.Connection, keys: list[bytes]) -> list[tuple[bytes, Any, Any]]:
    rows: list[tuple[bytes, Any, Any]] = []
    for at in range(0, len(keys), ROWS):
        part = keys[at : at + ROWS]
        rows += database.execute(
            f"SELECT key, crc, data FROM results WHERE key IN ({','.join('?' * len(part))})", part
        ).fetchall()
    return rows


def _count(database: sqlite3.Connection) -> int:
    [count] = database.execute("SELECT count(*) FROM results").fetchone()
    return count


def _packed(result: Result, cutoffs: Sequence[Cutoff]) -> bytes:
    """JSON, whose numbers come back to the last bit."""
    row = {
        "chunks": result.chunks,
        "tokens": result.tokens,
        "unread": result.unread,
        "seconds": result.seconds,
        "scores": [
            {
                each.name: getattr(result.scores[cutoff], each.name).tolist()
                for each in fields(Scores)
            }
            for cutoff in cutoffs
        ],
    }
    return zlib.compress(json.dumps(row).encode())


def _unpacked(setting: Setting, cutoffs: Sequence[Cutoff], data: bytes) -> Result:
    row = json.loads(zlib.decompress(data))
    scores = map(_scores, row.pop("scores"))
    return Result(setting=setting, scores=dict(zip(cutoffs, scores, strict=True)), **row)


def _scores(row: dict[str, list[float]]) -> Scores:
    kinds = {"depth": np.int64}
    figures: dict[str, Any] = {
        name: np.array(values, dtype=kinds.get(name, np.float64)) for name, values in row.items()
    }
    return Scores(**figures)
