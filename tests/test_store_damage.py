"""The store while its processes are killed, its files damaged and its disk full or read-only."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ragchunk import terminal
from ragchunk.store import Store
from tests.stored import (
    KIND,
    MODEL,
    PARTS,
    batch,
    keep_document,
    keep_vectors,
    part,
    vector,
    whole,
)

ROOT = Path(__file__).parents[1]
TEXTS = [f"text {number}" for number in range(150)]
DOCUMENTS = ["one", "two"]

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX processes")


def right(store: Store, texts: list[str]) -> int:
    """How many of the vectors are there; each must be the right one."""
    found = store.vectors(MODEL, KIND, texts)
    wrong = [text for text, value in found.items() if value.tobytes() != vector(text).tobytes()]
    assert wrong == []
    return len(found)


def right_documents(store: Store, texts: list[str]) -> int:
    """How many of the documents are there; each must be the right one."""
    found = [(text, store.outputs(MODEL, text)) for text in texts]
    kept = [(text, value) for text, value in found if value is not None]
    assert [text for text, value in kept if value.tobytes() != whole(text).tobytes()] == []
    return len(kept)


# Killed


@pytest.fixture
def forks(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.stored", str(tmp_path / "store"), str(tmp_path / "log")]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        yield process
        assert process.stdin
        process.stdin.close()
    assert process.returncode == 0


@posix
def test_a_writer_killed_many_times(tmp_path: Path, forks: subprocess.Popen[str]):
    assert forks.stdin
    assert forks.stdout
    when = random.Random(1)
    log = tmp_path / "log"
    tried: list[str] = []
    unfinished = 0
    for number in range(50):
        forks.stdin.write(f"{number}\n")
        forks.stdin.flush()
        process = int(forks.stdout.readline())
        time.sleep(when.uniform(0, 0.06))
        os.kill(process, signal.SIGKILL)
        assert forks.stdout.readline() == "ended\n"

        said = [line.split(" ", 1) for line in log.read_text().splitlines()] if log.exists() else []
        by_kind: dict[str, list[str]] = {}
        for kind, name in said:
            by_kind.setdefault(kind, []).append(name)
        assert "problem" not in by_kind
        tried = by_kind.get("try", [])
        store = Store(tmp_path / "store")
        # What was kept before is there, and what was being kept is there as a whole or not at all.
        committed = by_kind.get("vectors", [])
        there = {name: right(store, batch(name)) for name in tried}
        assert [name for name in committed if there[name] != 20] == []
        assert set(there.values()) <= {0, 20}
        documents = by_kind.get("document", [])
        assert right_documents(store, documents) == len(documents)
        # The next process goes on where a pass was interrupted.
        for name in set(tried) - set(documents):
            parts = store.parts(MODEL, name)
            if store.outputs(MODEL, name) is None:
                unfinished += 1
                logged = {n for n in range(PARTS) if name in by_kind.get(f"part{n}", [])}
                assert logged <= parts
                for missing in {*range(PARTS)} - parts:
                    store.keep_part(MODEL, name, missing, part(name, missing))
                found = store.finish(MODEL, name, PARTS)
                assert found is not None
            assert right_documents(store, [name]) == 1
        assert store.problem == ""
        store.close()
    assert len(tried) > 25
    assert unfinished > 3
    names = {path.suffix for path in (tmp_path / "store" / "outputs").iterdir()}
    assert names <= {".f16", ".draft"}


# Each line stops the process at one point of finishing, evicting or clearing.
POINTS = {
    "before the file is on the disk": "os.fsync = stop",
    "before it has its name": "Path.replace = stop",
    "before its row is there": "real = Path.replace; Path.replace = lambda *a: (real(*a), stop())",
    "before its row is deleted": "real = Path.unlink; "
    "Path.unlink = lambda *a, **k: (real(*a, **k), stop() if 'f16' in str(a) else None)",
}


@posix
@pytest.mark.parametrize("point", POINTS)
def test_a_writer_killed_at_the_worst_moment(tmp_path: Path, point: str):
    store = Store(tmp_path)
    keep_vectors(store, TEXTS)
    for name in DOCUMENTS:
        keep_document(store, name)
    store.close()
    code = f"""
import os, signal
from pathlib import Path
from ragchunk.store import Store
from tests.stored import keep_document
def stop(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
store = Store(Path({str(tmp_path)!r}))
{POINTS[point]}
{"store.clear()" if "deleted" in point else "keep_document(store, 'new')"}
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    again = Store(tmp_path)
    assert right(again, TEXTS) == 150
    if "deleted" in point:
        assert right_documents(again, DOCUMENTS) < 2
    else:
        assert right_documents(again, [*DOCUMENTS, "new"]) == 2
        assert again.parts(MODEL, "new") == {0, 1, 2}
    # The next writer leaves nothing of it behind.
    for draft in (tmp_path / "outputs").glob("*.draft"):
        os.utime(draft, (0, 0))
    other = Store(tmp_path)
    keep_document(other, "other")
    files = [path.suffix for path in (tmp_path / "outputs").iterdir()]
    assert files == [".f16"] * other.info().documents
    assert right_documents(other, [*DOCUMENTS, "other"]) == other.info().documents
    keep_document(other, "new")
    assert right_documents(other, ["new"]) == 1
    assert other.problem == ""


def test_two_processes_write_at_once(tmp_path: Path):
    code = f"""
import sys
from pathlib import Path
from ragchunk.store import Store
from tests.stored import batch, keep_document, keep_vectors
store = Store(Path({str(tmp_path)!r}))
sys.stdin.readline()
for number in range(40):
    keep_vectors(store, batch(f"both{{number}}"))
    keep_vectors(store, batch(sys.argv[1] + str(number)))
    keep_document(store, f"both{{number}}")
    keep_document(store, sys.argv[1] + str(number))
print(store.problem)
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, name],
            cwd=ROOT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for name in "ab"
    ]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    reader = Store(tmp_path)
    names = [f"{name}{number}" for number in range(40) for name in ("both", "a", "b")]
    while any(process.poll() is None for process in processes):
        assert all(right(reader, batch(name)) in (0, 20) for name in names[::7])
        right_documents(reader, names[::7])
    assert [process.communicate()[0] for process in processes] == ["\n", "\n"]
    assert [process.returncode for process in processes] == [0, 0]
    assert right(reader, [text for name in names for text in batch(name)]) == 2400
    assert right_documents(reader, names) == 120
    assert (reader.info().vectors, reader.info().documents) == (2400, 120)
    assert reader.info().unfinished == 0
    assert reader.problem == ""


# Damaged


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 150 vectors, two documents and an unfinished one, closed."""
    folder = tmp_path_factory.mktemp("sound")
    store = Store(folder)
    keep_vectors(store, TEXTS)
    for name in DOCUMENTS:
        keep_document(store, name)
    store.keep_part(MODEL, "begun", 0, part("begun", 0))
    store.keep_part(MODEL, "begun", 1, part("begun", 1))
    store.close()
    assert [path.name for path in folder.glob("store.sqlite*")] == ["store.sqlite"]
    return folder


class Copies:
    """Copies of a folder, one after the other, each with one file changed."""

    def __init__(self, source: Path, target: Path) -> None:
        self.source = source
        self.target = target

    def changed(self, name: str, content: bytes) -> Path:
        shutil.rmtree(self.target, ignore_errors=True)
        shutil.copytree(self.source, self.target)
        (self.target / name).write_bytes(content)
        return self.target


@pytest.fixture
def copies(sound: Path, tmp_path: Path) -> Copies:
    return Copies(sound, tmp_path / "copy")


def use(folder: Path) -> tuple[int, int, str]:
    """Read and write a damaged store in every way; how many vectors and documents it had."""
    store = Store(folder)
    vectors = right(store, TEXTS)
    documents = right_documents(store, DOCUMENTS)
    assert store.parts(MODEL, "begun") <= {0, 1}
    store.keep_part(MODEL, "begun", 2, part("begun", 2))
    found = store.finish(MODEL, "begun", PARTS)
    assert found is None or found.tobytes() == whole("begun").tobytes()
    store.info()
    # Whatever was wrong, the store works again once somebody has come upon the damage.
    names = ["new", *DOCUMENTS]
    for _ in range(3):
        keep_vectors(store, TEXTS)
        for name in names:
            for number in range(PARTS):
                store.keep_part(MODEL, name, number, part(name, number))
            store.finish(MODEL, name, PARTS)
        if right(store, TEXTS) == 150 and right_documents(store, names) == 3:
            break
    assert right(store, TEXTS) == 150
    assert right_documents(store, names) == 3
    store.clear()
    assert right(store, TEXTS) == right_documents(store, DOCUMENTS) == 0
    assert store.problem == "" or "being built anew" in store.problem
    store.close()
    return vectors, documents, store.problem


def test_what_is_sound(copies: Copies):
    content = (copies.source / "store.sqlite").read_bytes()
    assert use(copies.changed("store.sqlite", content)) == (150, 2, "")


def test_another_file_in_its_place_is_set_aside(copies: Copies, monkeypatch, capsys):
    folder = copies.changed("store.sqlite", b"a letter to a friend" * 1000)
    store = Store(folder)
    assert right(store, TEXTS) == 0
    assert store.problem == (
        f"The store in {folder} was damaged: it was set aside as store.sqlite.damaged-1, and is "
        "being built anew."
    )
    assert (folder / "store.sqlite.damaged-1").read_bytes() == b"a letter to a friend" * 1000
    keep_vectors(store, TEXTS)
    other = Store(folder)
    assert right(other, TEXTS) == 150
    other.close()
    # Its documents are of no use without their rows.
    assert list((folder / "outputs").glob("*.f16")) == []
    store.close()
    # The last one is enough.
    (folder / "store.sqlite").write_bytes(b"again" * 1000)
    assert right(store, TEXTS) == 0
    assert [path.name for path in folder.glob("*.damaged-*")] == ["store.sqlite.damaged-2"]
    assert store.info().bytes > 5000
    store.close()
    # And the command says it.
    (folder / "store.sqlite").write_bytes(b"once more" * 1000)
    monkeypatch.setenv("RAGCHUNK_CACHE", str(folder))
    assert terminal.run(["cache", "--clear"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Removed 0 vectors")
    assert err.startswith(f"ragchunk: note: The store in {folder} was damaged: it was set aside as")
    assert list(folder.glob("*.damaged-*")) == []


@pytest.mark.parametrize("version", [0, 2, 99])
def test_another_version_is_set_aside(copies: Copies, sound: Path, version: int):
    folder = copies.changed("store.sqlite", (sound / "store.sqlite").read_bytes())
    with closing(sqlite3.connect(folder / "store.sqlite")) as other:
        other.execute(f"PRAGMA user_version = {version}")
    assert use(folder) == (
        0,
        0,
        f"The store in {folder} has format {version}, and this version reads 1: it was set aside "
        "as store.sqlite.damaged-1, and is being built anew.",
    )


def test_missing_tables_are_built_anew(copies: Copies, sound: Path):
    for table in ("vectors", "parts", "outputs"):
        folder = copies.changed("store.sqlite", (sound / "store.sqlite").read_bytes())
        with closing(sqlite3.connect(folder / "store.sqlite")) as other:
            other.execute(f"DROP TABLE {table}")
        assert "was damaged" in use(folder)[2]


def test_a_schema_that_is_no_text(copies: Copies, sound: Path):
    content = (sound / "store.sqlite").read_bytes()
    names = [*re.finditer(rb"table|index|vectors|parts|outputs", content[:8192])]
    assert len(names) > 20
    problems = []
    for name in names:
        changed = content[: name.end() - 1] + b"\xae" + content[name.end() :]
        problems.append(use(copies.changed("store.sqlite", changed))[2])
    assert sum("set aside" in each for each in problems) > 10


def test_a_truncated_file(copies: Copies, sound: Path):
    content = (sound / "store.sqlite").read_bytes()
    lengths = [0, 1, 16, 50, 100, 101, 4096, *range(8192, len(content), 8192 * 3), len(content) - 1]
    for length in lengths:
        use(copies.changed("store.sqlite", content[:length]))


def test_any_byte_of_the_header(copies: Copies, sound: Path):
    content = (sound / "store.sqlite").read_bytes()
    for place in [*range(72), *range(92, 100)]:  # between them are 20 zeros
        changed = bytearray(content)
        changed[place] ^= 0xFF
        use(copies.changed("store.sqlite", bytes(changed)))


def test_garbage_and_flipped_bytes_anywhere(copies: Copies, sound: Path):
    content = (sound / "store.sqlite").read_bytes()
    dice = random.Random(1)
    for length in [1] * 30 + [16] * 20 + [600] * 20 + [9000] * 10:
        place = dice.randrange(100, len(content) - length)
        changed = bytearray(content)
        if length == 1:
            changed[place] ^= 1 << dice.randrange(8)
        else:
            changed[place : place + length] = dice.randbytes(length)
        use(copies.changed("store.sqlite", bytes(changed)))


def test_a_flipped_byte_in_a_vector_costs_that_vector(copies: Copies, sound: Path):
    content = (sound / "store.sqlite").read_bytes()
    value = vector("text 7").tobytes()
    assert value in content  # more than once, where SQLite has moved it
    folder = copies.changed(
        "store.sqlite", content.replace(value, value[:100] + b"?" + value[101:])
    )
    store = Store(folder)
    assert right(store, TEXTS) == 149
    assert store.info().vectors == 149
    assert store.problem == ""
    keep_vectors(store, ["text 7"])
    assert right(store, ["text 7"]) == 1


def test_a_flipped_byte_in_a_part_costs_that_part(copies: Copies, sound: Path):
    content = (sound / "store.sqlite").read_bytes()
    value = part("begun", 1).tobytes()[:1000]
    assert value in content
    folder = copies.changed(
        "store.sqlite", content.replace(value, value[:100] + b"?" + value[101:])
    )
    store = Store(folder)
    store.keep_part(MODEL, "begun", 2, part("begun", 2))
    assert store.finish(MODEL, "begun", PARTS) is None
    assert store.parts(MODEL, "begun") == {0, 2}
    store.keep_part(MODEL, "begun", 1, part("begun", 1))
    assert store.finish(MODEL, "begun", PARTS) is not None
    assert right_documents(store, ["begun"]) == 1
    assert store.problem == ""


def test_damaged_token_outputs_are_absent(copies: Copies, sound: Path):
    content = whole("one").tobytes()
    [file] = [path for path in (sound / "outputs").iterdir() if path.read_bytes() == content]
    name = f"outputs/{file.name}"
    flipped = [bytes([*content[:n], content[n] ^ 1, *content[n + 1 :]]) for n in (0, 5000, 11519)]
    for changed in [*flipped, content[:-1], content + b"\0", b"", whole("two").tobytes()]:
        folder = copies.changed(name, changed)
        store = Store(folder)
        assert right_documents(store, DOCUMENTS) == 1
        assert not (folder / name).exists()
        assert store.info().documents == 1
        keep_document(store, "one")
        assert right_documents(store, DOCUMENTS) == 2
        assert store.problem == ""
        store.close()


def test_token_outputs_and_rows_that_lost_each_other(copies: Copies, sound: Path):
    folder = copies.changed("outputs/" + "0" * 32 + ".f16", b"stray")
    for path in (folder / "outputs").iterdir():
        if path.read_bytes() == whole("one").tobytes():
            path.unlink()
    store = Store(folder)
    assert store.info().documents == 2
    keep_vectors(store, ["new"])
    assert store.info().documents == 1
    [file] = (folder / "outputs").iterdir()
    assert file.read_bytes() == whole("two").tobytes()
    assert right_documents(store, DOCUMENTS) == 1


def test_damage_that_is_found_while_finishing_costs_nothing(tmp_path: Path):
    store = Store(tmp_path)
    keep_document(store, "one")
    for number in range(PARTS):
        store.keep_part(MODEL, "new", number, part("new", number))
    store.close()
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as other:
        [root] = other.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_outputs_1'"
        ).fetchone()
    with (tmp_path / "store.sqlite").open("r+b") as file:
        file.seek(8192 * (root - 1) + 1)
        file.write(b"\x1f\xf0")  # where its free space begins: seen by the first to write there
    assert store.finish(MODEL, "new", PARTS) is not None
    assert right_documents(store, ["new"]) == 1
    assert "set aside as store.sqlite.damaged-1" in store.problem


def test_damage_while_the_store_is_open(copies: Copies, sound: Path):
    folder = copies.changed("store.sqlite", (sound / "store.sqlite").read_bytes())
    store = Store(folder)
    assert right(store, TEXTS[:1]) == 1
    # Through a process of its own: closing a file here would end SQLite's locks on it.
    code = f"""
with open({str(folder / "store.sqlite")!r}, "r+b") as file:
    file.seek(8192)
    file.write(bytes(10_000_000))
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    keep_vectors(store, TEXTS)
    right(store, TEXTS)
    keep_vectors(store, TEXTS)
    assert right(store, TEXTS) == 150
    assert "set aside as store.sqlite.damaged-1" in store.problem


def test_a_damaged_log(copies: Copies, tmp_path: Path):
    """The log of a process that was killed holds what it had committed last."""
    live = Store(tmp_path / "live")
    keep_vectors(live, TEXTS[:50])
    keep_document(live, "one")
    live.close()
    keep_vectors(live, TEXTS[50:])
    copies.source = tmp_path / "killed"
    shutil.copytree(live.folder, copies.source)
    content = (copies.source / "store.sqlite-wal").read_bytes()
    assert len(content) > 10_000
    dice = random.Random(1)
    for _ in range(40):
        place = dice.randrange(len(content))
        changed = bytearray(content)
        changed[place] ^= 1 << dice.randrange(8)
        vectors, _, _ = use(copies.changed("store.sqlite-wal", bytes(changed)))
        assert vectors >= 50
    for length in (0, 10, 5000, len(content) - 1):
        vectors, _, _ = use(copies.changed("store.sqlite-wal", content[:length]))
        assert vectors >= 50


# Read-only and full

READ_ONLY = """
import mmap, os, sys
from pathlib import Path
import numpy as np
from ragchunk.store import Store
from tests.stored import MODEL, keep_vectors, part, vector
from tests.test_store_damage import DOCUMENTS, TEXTS, right, right_documents
vector("")  # imports what it needs while this may be read
if os.geteuid() == 0:
    os.setuid(65534)  # root may write everywhere
store = Store(Path(sys.argv[1]))
print(right(store, TEXTS), right_documents(store, DOCUMENTS))
print(store.problem)
keep_vectors(store, ["new"])
store.keep_part(MODEL, "begun", 2, part("begun", 2))
print(store.finish(MODEL, "begun", 3))
print(right(store, ["new"]), right(store, TEXTS), right_documents(store, DOCUMENTS))
print(store.clear().vectors, store.info().vectors)
print(store.problem)
"""


@posix
@pytest.mark.parametrize("log", [False, True])
def test_a_read_only_folder_is_read(sound: Path, log: bool):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "store"
        shutil.copytree(sound, folder)
        writer = Store(folder)
        if log:
            keep_vectors(writer, ["in the log"])
        Path(name).chmod(0o755)
        for path in [*folder.rglob("*"), folder]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(folder)],
            cwd=ROOT,
            text=True,
            capture_output=True,
            check=False,
        )
        writer.close()
        folder.chmod(0o755)
        (folder / "outputs").chmod(0o755)
        assert done.stderr == ""
        problem = (
            f"The store in {folder} cannot be written, so nothing new is kept: make the folder "
            "writable, or set RAGCHUNK_CACHE to another folder."
        )
        assert done.stdout.splitlines() == [
            "150 2",
            problem,
            "None",
            "0 150 2",
            f"0 {151 if log else 150}",
            problem,
        ]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if not mount or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("needs root, to mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk(small_disk: Path):
    folder = small_disk / "store"
    store = Store(folder)
    keep_vectors(store, TEXTS)
    keep_document(store, "one")
    rows = np.ones((3000, 100), dtype=np.float16)  # 0.6 MB
    store.keep_part(MODEL, "long", 0, rows)
    assert store.problem == ""
    (small_disk / "other").write_bytes(bytes(shutil.disk_usage(small_disk).free - 200_000))
    assert store.finish(MODEL, "long", 1) is None
    assert store.problem == (
        f"The disk with the store in {folder} is full, so nothing new is kept: free some space, "
        "or run python -m ragchunk cache --clear."
    )
    assert list((folder / "outputs").glob("*.draft")) == []
    assert right(store, TEXTS) == 150
    assert right_documents(store, ["one"]) == 1

    with (small_disk / "more").open("wb", buffering=0) as file:
        while shutil.disk_usage(small_disk).free:
            file.write(bytes(4096))
    many = [f"more {number}" for number in range(800)]
    for _ in range(3):
        again = Store(folder)
        assert right(again, TEXTS) == 150
        assert right_documents(again, ["one"]) == 1
        keep_vectors(again, many)
        assert right(again, many) == 0
        assert again.problem == store.problem
        again.close()
    # The way out works, once no other process has the files open.
    store.close()
    clearing = Store(folder)
    assert clearing.clear().vectors == 150
    assert clearing.problem == ""
    assert shutil.disk_usage(small_disk).free > 500_000
    keep_vectors(clearing, many)
    assert right(clearing, many) == 800


def test_a_full_disk_from_the_start(small_disk: Path):
    with (small_disk / "other").open("wb", buffering=0) as file:
        while shutil.disk_usage(small_disk).free:
            file.write(bytes(4096))
    store = Store(small_disk / "store")
    keep_vectors(store, TEXTS)
    keep_vectors(store, TEXTS)
    store.keep_part(MODEL, "a", 0, part("a", 0))
    assert right(store, TEXTS) == 0
    assert store.outputs(MODEL, "a") is None
    assert "is full" in store.problem
