"""What the model has read, kept on disk: vectors of chunks, and token outputs of documents.

    folder/
      store.sqlite       vectors, parts of unfinished token outputs, one row per finished document
      outputs/*.f16      the token outputs of one document each, rows of float16

Keyed by a hash of the text with the model's fingerprint. Shared by all processes of a user; a
process may be killed at any moment. Each value has a checksum over its key and its numbers: one
that does not fit counts as absent and is deleted, so a wrong vector never comes back. Values come
back as exactly what was kept.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import platformdirs

from ragchunk.database import Database, damaged

# A vector of 384 numbers takes 1.6 KB, the token outputs of a MB of text 177 MB.
LIMIT_BYTES = 2_000_000_000
# Over the limit, the oldest go until this share of it is left, so that not every batch has to.
LEFT = 0.9
# Seconds within which a second use is not written down: reading must not turn into writing.
USE = 3600
# Seconds after which a half-written file is known to be left by a process that was killed.
DRAFT = 3600
# Rows per statement: SQLite's limit on older systems is 999.
ROWS = 900
# Bytes of a file that are checked at a time, and pages that are given back at a time.
BLOCK = 1 << 20
PAGES = 2000

VERSION = 1
SCHEMA = [
    "CREATE TABLE vectors (key BLOB PRIMARY KEY, used INTEGER, crc INTEGER, data BLOB)",
    "CREATE INDEX vectors_used ON vectors (used)",
    "CREATE TABLE parts (document BLOB, number INTEGER, rows INTEGER, dimension INTEGER, "
    "used INTEGER, crc INTEGER, data BLOB, PRIMARY KEY (document, number))",
    "CREATE TABLE outputs (key BLOB PRIMARY KEY, rows INTEGER, dimension INTEGER, "
    "used INTEGER, crc INTEGER)",
]


@dataclass(frozen=True)
class StoreInfo:
    """What is in a store, or was removed from it.

    bytes: on disk, everything in the folder that is the store's. limit: in bytes.
    vectors: of chunks. documents: with token outputs. unfinished: documents with some of them.
    oldest, newest: when the least and the most recently used of these was used, to the hour.
    """

    folder: Path
    bytes: int
    limit: int
    vectors: int
    documents: int
    unfinished: int
    oldest: datetime | None
    newest: datetime | None


_default_lock = threading.Lock()


def default_store() -> Store:
    """The user's store, one per process: in RAGCHUNK_CACHE, or else in the user's cache folder.

    RAGCHUNK_CACHE_MB sets its limit, a whole number of millions of bytes.
    """
    named = os.environ.get("RAGCHUNK_CACHE")
    folder = Path(named) if named else platformdirs.user_cache_path("ragchunk", appauthor=False)
    limit = os.environ.get("RAGCHUNK_CACHE_MB", "")
    with _default_lock:
        return _store(folder, int(limit) * 1_000_000 if limit.isdecimal() else LIMIT_BYTES)


@cache
def _store(folder: Path, limit: int) -> Store:
    return Store(folder, limit)


class Store:
    """A folder of vectors and token outputs. Safe under threads and several processes.

    folder: made at first use. limit: bytes on disk; what was used longest ago goes first.
    Trouble with the disk never raises: then nothing is found or kept, and `problem` says so.
    """

    def __init__(self, folder: Path, limit: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit = limit
        self._database = Database(folder / "store.sqlite", SCHEMA, VERSION)
        self._outputs_folder = folder / "outputs"
        # Files whose checksum was right in this process.
        self._checked: set[tuple[bytes, int, int, int]] = set()
        self._tidied = 0

    @property
    def problem(self) -> str:
        """One sentence for the screen on what is wrong with the store or was repaired, or ""."""
        return self._database.problem

    @property
    def trouble(self) -> bool:
        """Whether `problem` is of now, and not of something that was repaired."""
        return self._database.trouble

    def vectors(
        self, model: str, kind: str, texts: Iterable[str]
    ) -> dict[str, npt.NDArray[np.float32]]:
        """Those vectors that are there, by text: float32, shape (d,), read-only."""
        key = _keys(model, kind)
        wanted = {key(text): text for text in texts}
        rows = self._database.read(lambda database: _vector_rows(database, list(wanted)), [])
        found: dict[str, npt.NDArray[np.float32]] = {}
        bad: list[tuple[bytes, object]] = []
        stale: list[tuple[int, bytes]] = []
        now = _now()
        for row, used, crc, data in rows:
            text = wanted.get(row)
            if text is None or not isinstance(data, bytes) or crc != _checksum(data, row):
                bad.append((row, data))
                continue
            found[text] = np.frombuffer(data, dtype="<f4")
            if _is_old(used, now):
                stale.append((now, row))
        if bad:
            self._database.write(
                lambda database: database.executemany(
                    "DELETE FROM vectors WHERE key = ? AND data IS ?", bad
                ),
                None,
            )
        if stale:
            self._database.write_if_free(
                lambda database: database.executemany(
                    "UPDATE vectors SET used = ? WHERE key = ?", stale
                )
            )
        return found

    def keep(self, model: str, kind: str, vectors: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep vectors by text, float32, shape (d,): all of them, or none if the disk refuses."""
        if not vectors:
            return
        key = _keys(model, kind)
        now = _now()
        rows: list[tuple[bytes, int, int, bytes]] = []
        for text, vector in vectors.items():
            data = np.asarray(vector, dtype="<f4").tobytes()
            row = key(text)
            rows.append((row, now, _checksum(data, row), data))
        self._database.write(
            lambda database: database.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE "
                "SET used = excluded.used, crc = excluded.crc, data = excluded.data",
                rows,
            ),
            None,
        )
        self._make_room()

    def parts(self, model: str, text: str) -> set[int]:
        """The numbers of the parts of a document's token outputs that are kept and intact."""
        document = _keys(model, "outputs")(text)
        found: set[int] = set()
        bad: list[tuple[bytes, object]] = []

        def look(database: sqlite3.Connection) -> None:
            found.clear()
            bad.clear()
            for part in database.execute(
                "SELECT number, rows, dimension, crc, data FROM parts WHERE document = ?",
                (document,),
            ):
                if _is_part(document, *part):
                    found.add(part[0])
                else:
                    bad.append((document, part[0]))

        self._database.read(look, None)
        if bad:
            self._database.write(
                lambda database: database.executemany(
                    "DELETE FROM parts WHERE document = ? AND number IS ?", bad
                ),
                None,
            )
        return found

    def keep_part(self, model: str, text: str, number: int, rows: npt.NDArray[Any]) -> None:
        """Keep one part of a document's token outputs: float16, shape (n, d).

        Does nothing if the document is finished. Parts of another dimension are forgotten.
        """
        document = _keys(model, "outputs")(text)
        count, dimension = rows.shape
        data = np.asarray(rows, dtype="<f2").tobytes()
        crc = _checksum(data, document, number, count, dimension)

        def work(database: sqlite3.Connection) -> None:
            if database.execute("SELECT 1 FROM outputs WHERE key = ?", (document,)).fetchone():
                return
            database.execute(
                "DELETE FROM parts WHERE document = ? AND dimension <> ?", (document, dimension)
            )
            database.execute(
                "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)",
                (document, number, count, dimension, _now(), crc, data),
            )

        self._database.write(work, None)
        self._make_room()

    def finish(self, model: str, text: str, count: int) -> npt.NDArray[np.float16] | None:
        """Join parts 0 to count - 1 into one file, and return it as `outputs` does.

        Needs the memory of one part. None if a part is missing or the disk refuses.
        """
        key = _keys(model, "outputs")(text)
        kept = self._read_outputs(key)
        if kept is not None or self._database.paused:
            return kept
        name = f"{key.hex()}.{os.getpid()}-{threading.get_ident()}.draft"
        draft = self._outputs_folder / name
        try:
            joined = self._join(key, count, draft)
            if joined is not None:
                self._database.write(
                    lambda database: self._publish(database, key, draft, *joined), 0
                )
        except OSError as error:
            self._database.pause("write", error)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
        # Another process may have finished it meanwhile, so that parts were missing here.
        found = self._read_outputs(key)
        self._make_room()
        self._give_back()
        return found

    def outputs(self, model: str, text: str) -> npt.NDArray[np.float16] | None:
        """A document's token outputs: a read-only memory map, float16, shape (n, d); else None."""
        return self._read_outputs(_keys(model, "outputs")(text))

    def info(self) -> StoreInfo:
        """What is in the store now."""
        counts = self._database.read(_counts, (0, 0, 0, None, None))
        vectors, documents, unfinished, oldest, newest = counts
        return StoreInfo(
            folder=self.folder,
            bytes=sum(_size(path) for path in self._files()),
            limit=self.limit,
            vectors=vectors,
            documents=documents,
            unfinished=unfinished,
            oldest=_moment(oldest),
            newest=_moment(newest),
        )

    def clear(self) -> StoreInfo:
        """Remove everything, and return what that was; nothing if the disk refuses."""
        before = self.info()

        def work(database: sqlite3.Connection) -> bool:
            # The files first: on a full disk the tables need their room.
            for path in (*self._outputs_folder.glob("*.f16"), *damaged(self._database.path)):
                path.unlink(missing_ok=True)
            for table in ("vectors", "parts", "outputs"):
                database.execute(f"DELETE FROM {table}")
            return True

        cleared = self._database.write(work, False) or self._database.discard()
        if cleared:
            self._give_back()
        after = self.info()
        return StoreInfo(
            folder=self.folder,
            bytes=max(0, before.bytes - after.bytes),
            limit=self.limit,
            vectors=before.vectors if cleared else 0,
            documents=before.documents if cleared else 0,
            unfinished=before.unfinished if cleared else 0,
            oldest=before.oldest if cleared else None,
            newest=before.newest if cleared else None,
        )

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()

    def _join(self, key: bytes, count: int, draft: Path) -> tuple[int, int, int] | None:
        """Write the parts to a file: their rows, dimension and checksum; None if one is missing."""
        draft.parent.mkdir(parents=True, exist_ok=True)
        crc = rows = dimension = 0
        with draft.open("wb") as file:
            for number in range(count):
                part = self._database.read(
                    lambda database, number=number: database.execute(
                        "SELECT number, rows, dimension, crc, data FROM parts "
                        "WHERE document = ? AND number = ?",
                        (key, number),
                    ).fetchone(),
                    None,
                )
                if part is None or not _is_part(key, *part):
                    return None
                if number and part[2] != dimension:
                    return None
                dimension = part[2]
                rows += part[1]
                crc = zlib.crc32(part[4], crc)
                file.write(part[4])
            file.flush()
            os.fsync(file.fileno())
        return rows, dimension, _sealed(crc, key, rows, dimension)

    def _publish(
        self,
        database: sqlite3.Connection,
        key: bytes,
        draft: Path,
        rows: int,
        dimension: int,
        crc: int,
    ) -> None:
        """In a transaction, so that a file without its row is one that a kill left behind."""
        if database.execute("SELECT 1 FROM outputs WHERE key = ?", (key,)).fetchone():
            return  # another process was first, and others may have its file open
        database.execute(
            "INSERT INTO outputs VALUES (?, ?, ?, ?, ?)", (key, rows, dimension, _now(), crc)
        )
        database.execute("DELETE FROM parts WHERE document = ?", (key,))
        with suppress(FileNotFoundError):  # has its name, if this is started again
            draft.replace(self._path(key))

    def _read_outputs(self, key: bytes) -> npt.NDArray[np.float16] | None:
        row = self._database.read(
            lambda database: database.execute(
                "SELECT rows, dimension, used, crc FROM outputs WHERE key = ?", (key,)
            ).fetchone(),
            None,
        )
        if row is None:
            return None
        rows, dimension, used, crc = row
        seen: int | None = None
        try:
            with self._path(key).open("rb") as file:
                seen = os.fstat(file.fileno()).st_ino
                if self._is_whole(file, key, rows, dimension, crc):
                    if _is_old(used, _now()):
                        self._database.write_if_free(
                            lambda database: database.execute(
                                "UPDATE outputs SET used = ? WHERE key = ?", (_now(), key)
                            )
                        )
                    return _mapped(file, rows, dimension)
        except FileNotFoundError:
            pass
        except OSError as error:
            self._database.pause("write", error)
            return None
        self._database.write(lambda database: self._forget(database, key, seen, crc), None)
        return None

    def _is_whole(self, file: BinaryIO, key: bytes, rows: Any, dimension: Any, crc: Any) -> bool:
        """Whether the file is what its row says; it is read once per process."""
        if not (isinstance(rows, int) and isinstance(dimension, int) and isinstance(crc, int)):
            return False
        found = os.fstat(file.fileno())
        if found.st_size != rows * dimension * 2 or rows < 0:
            return False
        mark = (key, found.st_ino, found.st_mtime_ns, crc)
        if mark not in self._checked:
            real = 0
            while block := file.read(BLOCK):
                real = zlib.crc32(block, real)
            if _sealed(real, key, rows, dimension) != crc:
                return False
            self._checked.add(mark)
        return True

    def _forget(
        self, database: sqlite3.Connection, key: bytes, seen: int | None, crc: object
    ) -> None:
        """Delete a document that was found damaged, unless it was replaced meanwhile."""
        path = self._path(key)
        try:
            now = path.stat().st_ino
        except FileNotFoundError:
            now = None
        if now == seen:
            database.execute("DELETE FROM outputs WHERE key = ? AND crc IS ?", (key, crc))
            path.unlink(missing_ok=True)

    def _make_room(self) -> None:
        """Tidy up once after each opening, and delete the oldest while the store is too large."""
        if self._database.paused:
            return
        if self._tidied != self._database.openings:
            self._tidied = self._database.openings
            self._database.write(self._tidy, None)
        pages, _ = self._database.read(self._sizes, (0, 0))
        if pages <= self.limit:
            return
        while self._database.write(self._evict, False):
            pass
        self._give_back()

    def _sizes(self, database: sqlite3.Connection) -> tuple[int, int]:
        """Bytes of the tables and of the files of outputs: on disk, and without unused pages."""
        [files] = database.execute(
            "SELECT min(total(rows * dimension * 2), 1e15) FROM outputs"
        ).fetchone()
        pages, free, size = (
            database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int(files) + pages * size, int(files) + (pages - free) * size

    def _evict(self, database: sqlite3.Connection) -> bool:
        """Delete some of what was used longest ago; False if there is room, or nothing left."""
        _, used = self._sizes(database)
        excess = used - int(LEFT * self.limit)
        if excess <= 0:
            return False
        oldest = [
            *database.execute(
                "SELECT used, 'vectors', ifnull(length(data), 0) FROM vectors ORDER BY used LIMIT 1"
            ),
            *database.execute("SELECT used, 'outputs', key FROM outputs ORDER BY used LIMIT 1"),
            *database.execute(
                "SELECT max(used) AS last, 'parts', document FROM parts "
                "GROUP BY document ORDER BY last LIMIT 1"
            ),
        ]
        if not oldest:
            return False
        # A time that damage made of something else is taken for the oldest.
        oldest = [(used if isinstance(used, int) else 0, *rest) for used, *rest in oldest]
        oldest.sort(key=lambda row: row[0])
        _, table, what = oldest[0]
        if table == b"vectors":
            # As many as are too many, but none that was used later than the other kinds.
            until = oldest[1][0] if len(oldest) > 1 else _now()
            gone = database.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors "
                "WHERE used <= ? OR typeof(used) <> 'integer' ORDER BY used, rowid LIMIT ?)",
                (until, min(ROWS, 1 + excess // (what + 1))),
            )
        elif table == b"outputs":
            gone = database.execute("DELETE FROM outputs WHERE key IS ?", (what,))
            if isinstance(what, bytes):
                self._path(what).unlink(missing_ok=True)
        else:
            gone = database.execute("DELETE FROM parts WHERE document IS ?", (what,))
        return gone.rowcount > 0

    def _give_back(self) -> None:
        """Make the file smaller by its unused pages, a few at a time, so that others may write."""

        def unused(database: sqlite3.Connection) -> int:
            return database.execute("PRAGMA freelist_count").fetchone()[0]

        def work(database: sqlite3.Connection) -> int:
            before = unused(database)
            database.execute(f"PRAGMA incremental_vacuum({PAGES})").fetchall()
            after = unused(database)
            return after if after < before else 0  # a damaged file may say so for ever

        def shorten(database: sqlite3.Connection) -> None:
            with suppress(sqlite3.OperationalError):  # it can wait: it is no trouble
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

        while self._database.write(work, 0):
            pass
        self._database.read(shorten, None)

    def _tidy(self, database: sqlite3.Connection) -> None:
        """Remove files without a row, rows without a file, and files that were never finished."""
        keys = {key for (key,) in database.execute("SELECT key FROM outputs")}
        kept = {self._path(key) for key in keys if isinstance(key, bytes)}
        files = set(self._outputs_folder.glob("*.f16"))
        for path in files - kept:
            path.unlink(missing_ok=True)
        lost = [
            (key,) for key in keys if not isinstance(key, bytes) or self._path(key) not in files
        ]
        database.executemany("DELETE FROM outputs WHERE key IS ?", lost)
        for draft in self._outputs_folder.glob("*.draft"):
            with suppress(FileNotFoundError):
                if time.time() - draft.stat().st_mtime > DRAFT:
                    draft.unlink()

    def _path(self, key: bytes) -> Path:
        return self._outputs_folder / f"{key.hex()}.f16"

    def _files(self) -> Iterator[Path]:
        path = self._database.path
        yield path
        yield from (path.with_name(path.name + ending) for ending in ("-wal", "-shm"))
        with suppress(OSError):
            yield from damaged(path)
            yield from self._outputs_folder.iterdir()


def _keys(model: str, kind: str) -> Callable[[str], bytes]:
    """The key of a text, 16 bytes, for a model and a kind of vector."""
    start = hashlib.blake2b(digest_size=16)
    for name in (model, kind):
        encoded = name.encode("utf-8", "surrogatepass")
        # With its length, so that no two pairs run together to the same bytes.
        start.update(len(encoded).to_bytes(8, "little") + encoded)

    def key(text: str) -> bytes:
        whole = start.copy()
        whole.update(text.encode("utf-8", "surrogatepass"))
        return whole.digest()

    return key


def _checksum(data: bytes, key: bytes, *numbers: int) -> int:
    return _sealed(zlib.crc32(data), key, *numbers)


def _sealed(crc: int, key: bytes, *numbers: int) -> int:
    """The checksum of data with what it is: a damaged index may lead to another row's data."""
    return zlib.crc32(repr((key, numbers)).encode(), crc)


def _is_part(document: bytes, number: Any, rows: Any, dimension: Any, crc: Any, data: Any) -> bool:
    """Whether a row of the table of parts is as it was written."""
    return isinstance(data, bytes) and crc == _checksum(data, document, number, rows, dimension)


def _vector_rows(
    database: sqlite3.Connection, keys: Sequence[bytes]
) -> list[tuple[bytes, int, int, object]]:
    found: list[tuple[bytes, int, int, object]] = []
    for start in range(0, len(keys), ROWS):
        some = keys[start : start + ROWS]
        marks = ",".join("?" * len(some))
        found += database.execute(
            f"SELECT key, used, crc, data FROM vectors WHERE key IN ({marks})", some
        )
    return found


def _counts(database: sqlite3.Connection) -> tuple[int, int, int, int | None, int | None]:
    [vectors] = database.execute("SELECT count(*) FROM vectors").fetchone()
    [documents] = database.execute("SELECT count(*) FROM outputs").fetchone()
    [unfinished] = database.execute("SELECT count(DISTINCT document) FROM parts").fetchone()
    ends = [
        end
        for table in ("vectors", "parts", "outputs")
        for end in database.execute(f"SELECT min(used), max(used) FROM {table}").fetchone()
        if isinstance(end, int) and 0 <= end <= _now()
    ]
    return vectors, documents, unfinished, min(ends, default=None), max(ends, default=None)


def _mapped(file: BinaryIO, rows: int, dimension: int) -> npt.NDArray[np.float16]:
    if rows * dimension == 0:  # nothing to map
        empty = np.zeros((rows, dimension), dtype=np.float16)
        empty.flags.writeable = False
        return empty
    return np.memmap(file, dtype="<f2", mode="r", shape=(rows, dimension))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_old(used: object, now: int) -> bool:
    """Whether the time of the last use is to be written anew."""
    return not isinstance(used, int) or abs(now - used) > USE


def _moment(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _now() -> int:
    """Seconds since 1970."""
    return int(time.time())
