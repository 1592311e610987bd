"""A SQLite file that may be lost but is never in the way: no trouble with the disk raises.

    work(connection) -> read, or write in one transaction -> its result, or `otherwise`

A file that is damaged, or of another version, is set aside and built anew. What the disk refuses
is put into one sentence, `problem`, and tried again after a while.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeVar

Result = TypeVar("Result")
Kind = Literal["read", "write"]
Work = Callable[[sqlite3.Connection], Result]

# Seconds to wait for other processes, which hold the file for one batch at a time.
PATIENCE = 5
# Seconds before what the disk refused is tried again: not at every batch, and not never.
PAUSE = 60
# Free bytes below which a failure that has no clear reason is put down to a full disk.
FULL = 1_000_000

# For a new file; on another one they would be written again at each opening. Eight kilobytes hold
# five vectors of 384 numbers and waste little.
NEW = ["PRAGMA page_size = 8192", "PRAGMA auto_vacuum = INCREMENTAL"]

# With write-ahead logging and NORMAL a killed process loses nothing that was committed, and a power
# cut at most the last batches. Some systems build SQLite to overwrite what is deleted: this is a
# cache, and it would write everything twice.
PRAGMAS = [
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA journal_size_limit = 16000000",
    "PRAGMA secure_delete = OFF",
    "PRAGMA cell_size_check = ON",
]


class _OtherSchema(Exception):
    """The file is a database, but not one of this version."""


# A damaged file may make SQLite complain in bytes that are no text.
TROUBLE = (sqlite3.Error, OSError, UnicodeDecodeError, _OtherSchema)


class Database:
    """One connection to a file of tables, opened at first use. Safe under threads, not over a fork.

    path: the file; its folder is made. schema: its CREATE statements. version: of the schema.
    problem: one sentence for the screen on what is wrong now or was repaired, or "".
    openings: how many times the file was opened.
    """

    def __init__(self, path: Path, schema: Sequence[str], version: int) -> None:
        self.path = path
        self.openings = 0
        self._schema = list(schema)
        self._version = version
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        # Why the file that is open can only be read.
        self._refusal: Exception | None = None
        self._file: tuple[int, int] | None = None
        self._repaired = ""
        self._troubles: dict[Kind, str] = {"read": "", "write": ""}
        self._again: dict[Kind, float] = {"read": 0, "write": 0}

    @property
    def problem(self) -> str:
        return self._troubles["read"] or self._troubles["write"] or self._repaired

    @property
    def trouble(self) -> bool:
        """Whether something is wrong now, and not just repaired."""
        return any(self._troubles.values())

    def read(self, work: Work[Result], otherwise: Result) -> Result:
        """The result of work(connection), or `otherwise` if the file cannot be read."""
        return self._do("read", work, otherwise)

    def write(self, work: Work[Result], otherwise: Result) -> Result:
        """The same in one transaction: all of it is done, or none. Work may be started twice."""
        return self._do("write", lambda _: self._transaction(work), otherwise)

    def write_if_free(self, work: Work[object]) -> None:
        """Write what is not worth waiting for, nor a word if it fails."""
        with self._lock:
            if self._connection is None or self._refusal or self.paused:
                return
            with suppress(*TROUBLE):
                self._connection.execute("PRAGMA busy_timeout = 0")
                try:
                    self._transaction(work)
                finally:
                    self._connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")

    @property
    def paused(self) -> bool:
        """Whether writing was refused a short while ago, so that `write` does nothing."""
        return time.monotonic() < self._again["write"]

    def pause(self, kind: Kind, error: Exception) -> None:
        """Keep the reason as `problem`, and leave the disk alone for a while."""
        self._troubles[kind] = self._sentence(kind, error)
        self._again[kind] = time.monotonic() + PAUSE

    def discard(self) -> bool:
        """Delete the file with all that is in it, where there is no room even for emptying it."""
        with self._lock:
            self.close()
            try:
                if not self.path.is_file():
                    return False
                with self._alone():
                    for ending in ("-wal", "-shm", ""):
                        self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
            except TROUBLE as error:
                self.pause("write", error)
                return False
            self._troubles = {"read": "", "write": ""}
            self._again = {"read": 0, "write": 0}
            return True

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.close()
                self._connection = None

    def _do(self, kind: Kind, work: Work[Result], otherwise: Result) -> Result:
        with self._lock:
            if time.monotonic() < self._again[kind]:
                return otherwise
            try:
                try:
                    result = work(self._opened(kind))
                except TROUBLE as error:
                    if not self._is_damage(error):
                        raise
                    self._set_aside(error)
                    result = work(self._opened(kind))
            except TROUBLE as error:
                self.pause(kind, error)
                return otherwise
            self._troubles[kind] = ""
            return result

    def _transaction(self, work: Work[Result]) -> Result:
        connection = self._opened("write")
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk may have rolled back by itself
                connection.execute("ROLLBACK")
            raise
        return result

    def _opened(self, kind: Kind) -> sqlite3.Connection:
        if (self._refusal and kind == "write") or _identity(self.path) != self._file:
            # Perhaps it can be written by now; or it was deleted, or set aside by another process.
            self.close()
        if self._connection is None:
            self._connection = self._open()
            self.openings += 1
        if self._refusal and kind == "write":
            raise self._refusal
        return self._connection

    def _open(self) -> sqlite3.Connection:
        self._refusal = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not self._may_be_written():
                # SQLite itself would say so at the first write only.
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self.path))
            with self._alone():
                self._file = _identity(self.path)
                connection = self._connect(str(self.path))
                try:
                    empty = self._file is None or self.path.stat().st_size == 0
                    for pragma in [*NEW, *PRAGMAS] if empty else PRAGMAS:
                        connection.execute(pragma).fetchall()
                    self._check(connection)
                except BaseException:
                    connection.close()
                    raise
                self._file = _identity(self.path)
                return connection
        except TROUBLE as error:
            busy = _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if busy or self._is_damage(error) or not self.path.is_file():
                raise
            self._refusal = error
            self.pause("write", error)
            self._file = _identity(self.path)
            try:
                return self._open_to_read()
            except TROUBLE:
                raise error from None

    def _open_to_read(self) -> sqlite3.Connection:
        # Where no log can be written beside it, SQLite reads a file only if told that it is fixed.
        address = self.path.absolute().as_uri()
        try:
            return self._read_only(f"{address}?mode=ro")
        except sqlite3.Error:
            return self._read_only(f"{address}?immutable=1")

    def _read_only(self, address: str) -> sqlite3.Connection:
        connection = self._connect(address, uri=True)
        try:
            self._check(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self, address: str, uri: bool = False) -> sqlite3.Connection:
        connection = sqlite3.connect(
            address, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=uri
        )
        # Text that damage made of numbers or bytes is no text, and must not raise.
        connection.text_factory = bytes
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        """Write the schema into an empty file; _OtherSchema if there is another one."""
        found = connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL").fetchall()
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if not found and version == 0:
            connection.execute("BEGIN IMMEDIATE")
            for statement in self._schema:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {self._version}")
            connection.execute("COMMIT")
        elif version != self._version:
            raise _OtherSchema(f"has format {version}, and this version reads {self._version}")
        elif sorted(sql for (sql,) in found) != sorted(sql.encode() for sql in self._schema):
            raise _OtherSchema("was damaged")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While this process alone may create the file, open it to write, or set it aside.

        A lock of SQLite on an empty file beside it, as it works on every system and ends with
        the process.
        """
        path = self.path.with_name("lock")
        if path.is_file() and path.stat().st_size:
            path.unlink()  # never written by SQLite, so it is damage
        with closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as lock:
            lock.execute("PRAGMA journal_mode = MEMORY")  # a lock needs no room on the disk
            lock.execute("BEGIN EXCLUSIVE")
            yield

    def _is_damage(self, error: Exception) -> bool:
        """Whether the file itself is at fault, and can be replaced."""
        if self._refusal:
            return False
        if isinstance(error, _OtherSchema | UnicodeDecodeError):
            return True
        if _code(error) == sqlite3.SQLITE_READONLY:
            # SQLite says this too of a header that asks for a newer SQLite.
            return self._may_be_written()
        return _code(error) in (
            sqlite3.SQLITE_CORRUPT,
            sqlite3.SQLITE_NOTADB,
            sqlite3.SQLITE_FORMAT,
            sqlite3.SQLITE_TOOBIG,
            sqlite3.SQLITE_ERROR,  # tables or columns that are gone
        )

    def _may_be_written(self) -> bool:
        return os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)

    def _set_aside(self, error: Exception) -> None:
        """Rename the file to `.damaged-<n>`. Only the last stays: they may be as large as all."""
        self.close()
        with self._alone():
            if self._file is None or _identity(self.path) != self._file:
                return  # another process has done it
            earlier = damaged(self.path)
            number = 1 + max((int(each.name.rpartition("-")[2]) for each in earlier), default=0)
            name = f"{self.path.name}.damaged-{number}"
            # The log first: left beside a new file, it would be taken for a part of that.
            for ending in ("-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
            self.path.replace(self.path.with_name(name))
            for each in earlier:
                each.unlink(missing_ok=True)
        why = str(error) if isinstance(error, _OtherSchema) else "was damaged"
        self._repaired = (
            f"The store in {self.path.parent} {why}: it was set aside as {name}, and is being "
            "built anew."
        )

    def _sentence(self, kind: Kind, error: Exception) -> str:
        folder = self.path.parent
        nothing = "nothing new is kept" if kind == "write" else "nothing is read from it or kept"
        other = "set RAGCHUNK_CACHE to another folder"
        code = _code(error)
        if self._is_full(error):
            return (
                f"The disk with the store in {folder} is full, so {nothing}: free some space, "
                "or run python -m ragchunk cache --clear."
            )
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
            return (
                f"Another process has locked the store in {folder} for more than {PATIENCE} "
                f"seconds, so {nothing} for a while: end that process, or {other}."
            )
        if isinstance(error, FileExistsError | NotADirectoryError):
            return f"The store cannot be in {folder}, which is no folder, so {nothing}: {other}."
        if code in (
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_PERM,
        ) or isinstance(error, PermissionError):
            return (
                f"The store in {folder} cannot be written, so {nothing}: make the folder "
                f"writable, or {other}."
            )
        why = error.strerror if isinstance(error, OSError) else str(error)
        return f"The store in {folder} cannot be used ({why}), so {nothing}: {other}."

    def _is_full(self, error: Exception) -> bool:
        if isinstance(error, OSError):
            return error.errno in (errno.ENOSPC, errno.EDQUOT)
        if _code(error) in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
            with suppress(OSError):
                return shutil.disk_usage(self.path.parent).free < FULL
        return _code(error) == sqlite3.SQLITE_FULL


def damaged(path: Path) -> list[Path]:
    """The files that `path` was set aside as."""
    found = path.parent.glob(f"{path.name}.damaged-*")
    return [each for each in found if each.name.rpartition("-")[2].isdecimal()]


def _code(error: Exception) -> int:
    """SQLite's primary code of an error, 0 if it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
