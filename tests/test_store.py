from __future__ import annotations

import json
import sqlite3
import threading
import tracemalloc
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import platformdirs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk import database, store, terminal
from ragchunk.store import Store, default_store
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
from tests.texts import any_texts

TEXTS = batch("one") + batch("two")


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    """A store of 40 vectors, one document with token outputs and one that is unfinished."""
    kept = Store(tmp_path / "store")
    keep_vectors(kept, TEXTS)
    keep_document(kept, "finished")
    kept.keep_part(MODEL, "begun", 1, part("begun", 1))
    assert kept.problem == ""
    return kept


def on_disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# Values


# Lone surrogates too: an upload may hold them.
texts = st.one_of(any_texts, st.text(st.characters(exclude_categories=[])))
# Any bits: NaN with a payload, infinities, -0.
vectors = st.binary(max_size=64).map(lambda bits: np.frombuffer(bits[: len(bits) // 4 * 4], "<f4"))


@settings(max_examples=60, deadline=None)
@given(expected=st.dictionaries(texts, vectors, max_size=20), other=texts)
def test_vectors_come_back_to_the_bit(
    tmp_path_factory: pytest.TempPathFactory, expected: dict[str, np.ndarray], other: str
):
    folder = tmp_path_factory.mktemp("store")
    one = Store(folder)
    one.keep(MODEL, KIND, expected)
    for each in (one, Store(folder)):
        found = each.vectors(MODEL, KIND, [*expected, other])
        assert {text: value.tobytes() for text, value in found.items()} == {
            text: value.tobytes() for text, value in expected.items()
        }
        assert all(value.dtype == np.float32 and value.ndim == 1 for value in found.values())
        assert each.problem == ""
        each.close()


def test_a_pair_of_surrogates_is_not_the_character_it_would_make(tmp_path: Path):
    one = Store(tmp_path)
    keep_vectors(one, ["😀", "\ud83d\ude00"])
    found = one.vectors(MODEL, KIND, ["😀", "\ud83d\ude00"])
    assert (found["😀"] == vector("😀")).all()
    assert (found["\ud83d\ude00"] == vector("\ud83d\ude00")).all()


def test_each_model_and_kind_has_its_own(tmp_path: Path):
    one = Store(tmp_path)
    names = [("a", "bc"), ("ab", "c"), ("", "abc"), ("abc", "")]
    for number, (model, kind) in enumerate(names):
        one.keep(model, kind, {"text": np.array([number], dtype=np.float32)})
    one.keep_part("a", "text", 0, np.zeros((1, 1), dtype=np.float16))
    for number, (model, kind) in enumerate(names):
        assert one.vectors(model, kind, ["text"])["text"].tolist() == [number]
    assert one.vectors("a", "c", ["text"]) == {}
    assert one.parts("ab", "text") == set()


def test_what_is_kept_again_is_replaced(tmp_path: Path):
    one = Store(tmp_path)
    one.keep(MODEL, KIND, {"a": np.array([1, 2], dtype=np.float32)})
    one.keep(MODEL, KIND, {"a": np.array([3], dtype=np.float32)})
    assert one.vectors(MODEL, KIND, ["a", "a", "b"])["a"].tolist() == [3]
    assert one.info().vectors == 1


def test_thousands_of_texts_at_once(tmp_path: Path):
    one = Store(tmp_path)
    many = [str(number) for number in range(2500)]
    keep_vectors(one, many[:2400])
    found = one.vectors(MODEL, KIND, many)
    assert sorted(found, key=int) == many[:2400]
    assert all((found[text] == vector(text)).all() for text in found)


def test_token_outputs_are_mapped_to_read(kept: Store):
    for each in (kept, Store(kept.folder)):
        found = each.outputs(MODEL, "finished")
        assert isinstance(found, np.memmap)
        assert (found.dtype, found.shape) == (np.float16, (120, 48))
        assert (found == whole("finished")).all()
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 0
    assert kept.parts(MODEL, "finished") == set()
    [file] = (kept.folder / "outputs").iterdir()
    assert file.read_bytes() == whole("finished").tobytes()


def test_a_document_is_finished_when_all_parts_are_there(kept: Store):
    assert kept.parts(MODEL, "begun") == {1}
    assert kept.finish(MODEL, "begun", PARTS) is None
    assert kept.outputs(MODEL, "begun") is None
    kept.keep_part(MODEL, "begun", 2, part("begun", 2))
    again = Store(kept.folder)  # another process goes on
    assert again.parts(MODEL, "begun") == {1, 2}
    again.keep_part(MODEL, "begun", 0, part("begun", 0))
    found = again.finish(MODEL, "begun", PARTS)
    assert found is not None
    assert (found == whole("begun")).all()
    assert [path.suffix for path in (kept.folder / "outputs").iterdir()] == [".f16", ".f16"]


def test_the_first_to_finish_wins_and_the_second_gets_it(kept: Store):
    other = Store(kept.folder)
    other.keep_part(MODEL, "finished", 0, part("finished", 0))  # it did not know
    assert other.parts(MODEL, "finished") == set()
    found = other.finish(MODEL, "finished", PARTS)
    assert found is not None
    assert (found == whole("finished")).all()


def test_documents_without_tokens(tmp_path: Path):
    one = Store(tmp_path)
    nothing = one.finish(MODEL, "", 0)
    assert nothing is not None
    assert nothing.shape == (0, 0)
    one.keep_part(MODEL, " ", 0, np.zeros((0, 48), dtype=np.float16))
    found = one.finish(MODEL, " ", 1)
    assert found is not None
    assert (found.shape, found.dtype, found.flags.writeable) == ((0, 48), np.float16, False)
    again = Store(tmp_path).outputs(MODEL, " ")
    assert again is not None
    assert again.shape == (0, 48)


def test_parts_of_two_dimensions_are_not_joined(tmp_path: Path):
    one = Store(tmp_path)
    one.keep_part(MODEL, "a", 0, np.zeros((2, 8), dtype=np.float16))
    one.keep_part(MODEL, "a", 1, np.ones((2, 4), dtype=np.float16))
    assert one.parts(MODEL, "a") == {1}
    assert one.finish(MODEL, "a", 2) is None
    one.keep_part(MODEL, "a", 0, np.zeros((2, 4), dtype=np.float16))
    found = one.finish(MODEL, "a", 2)
    assert found is not None
    assert found.tolist() == [[0] * 4, [0] * 4, [1] * 4, [1] * 4]


def test_finishing_needs_the_memory_of_a_part(tmp_path: Path):
    one = Store(tmp_path)
    rows = np.ones((5_000, 100), dtype=np.float16)  # 1 MB
    for number in range(12):
        one.keep_part(MODEL, "long", number, rows)
    tracemalloc.start()
    found = one.finish(MODEL, "long", 12)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert found.shape == (60_000, 100)
    assert peak < 4_000_000
    # The parts are no second copy on the disk.
    assert on_disk(tmp_path) < 14_000_000


def test_threads_share_a_store(tmp_path: Path):
    one = Store(tmp_path)
    wrong: list[str] = []

    def work(name: str) -> None:
        for number in range(10):
            mine = batch(f"{name}{number}")
            keep_vectors(one, mine)
            found = one.vectors(MODEL, KIND, mine)
            wrong.extend(text for text in mine if (found[text] != vector(text)).any())
            keep_document(one, f"{name}{number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert (one.info().vectors, one.info().documents, one.problem) == (800, 40, "")


# Size and age


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time that stores see, in its first element."""
    time = [1_000_000]
    monkeypatch.setattr(store, "_now", lambda: time[0])
    return time


def keep_large(one: Store, name: str) -> None:
    """Vectors of 160 KB."""
    one.keep(MODEL, KIND, {f"{name}{n}": np.full(400, n, dtype=np.float32) for n in range(100)})


def left(one: Store, name: str) -> int:
    return len(one.vectors(MODEL, KIND, [f"{name}{n}" for n in range(100)]))


def times(folder: Path) -> list[int]:
    """When what is left was used, without using it."""
    with closing(sqlite3.connect(folder / "store.sqlite")) as other:
        tables = ("vectors", "outputs", "parts")
        union = " UNION ".join(f"SELECT used FROM {table}" for table in tables)
        return sorted(used for (used,) in other.execute(union))


def test_what_was_used_longest_ago_goes_first(tmp_path: Path, clock: list[int]):
    one = Store(tmp_path, limit=1_000_000)
    block = np.zeros((1000, 80), dtype=np.float16)  # 160 KB
    for name in "abc":
        clock[0] += 10
        keep_large(one, name)
    clock[0] += 10
    one.keep_part(MODEL, "finished", 0, block)
    one.finish(MODEL, "finished", 1)
    clock[0] += 10
    one.keep_part(MODEL, "begun", 0, block)
    clock[0] += 10_000
    assert left(one, "a") == 100  # a use
    order = [1_000_020, 1_000_030, 1_000_040, 1_000_050, 1_010_050]
    assert times(tmp_path) == order
    documents = []
    for name in "defghijk":
        clock[0] += 10
        keep_large(one, name)
        order.append(clock[0])
        still = times(tmp_path)
        assert still == order[-len(still) :]
        documents.append((one.info().documents, one.info().unfinished))
        assert on_disk(tmp_path) - (tmp_path / "store.sqlite-wal").stat().st_size <= 1_050_000
    assert documents[0] == (1, 1)
    assert (0, 1) in documents
    assert documents[-1] == (0, 0)
    assert left(one, "k") == 100
    assert list((tmp_path / "outputs").iterdir()) == []
    assert one.problem == ""


def test_an_unfinished_document_goes_as_a_whole(tmp_path: Path, clock: list[int]):
    one = Store(tmp_path, limit=400_000)
    one.keep_part(MODEL, "a", 0, np.zeros((1000, 80), dtype=np.float16))
    one.keep_part(MODEL, "a", 1, np.zeros((100, 80), dtype=np.float16))
    for number in range(3):
        clock[0] += 10
        one.keep_part(MODEL, "b", number, np.zeros((500, 80), dtype=np.float16))
    assert one.parts(MODEL, "a") == set()
    assert one.parts(MODEL, "b") == {0, 1, 2}


def test_a_document_above_the_limit_is_given_once(tmp_path: Path):
    one = Store(tmp_path, limit=100_000)
    keep_document(one, "a")
    rows = np.ones((1000, 80), dtype=np.float16)
    one.keep_part(MODEL, "large", 0, rows)
    one.finish(MODEL, "large", 1)
    assert one.problem == ""
    assert one.outputs(MODEL, "large") is None
    assert on_disk(tmp_path / "outputs") == 0


def test_reading_does_not_write(clock: list[int], kept: Store):
    clock[0] += store.USE
    with closing(sqlite3.connect(kept.folder / "store.sqlite")) as other:

        def version() -> int:
            return other.execute("PRAGMA data_version").fetchone()[0]

        before = version()
        kept.vectors(MODEL, KIND, TEXTS)
        kept.outputs(MODEL, "finished")
        kept.parts(MODEL, "begun")
        kept.info()
        assert version() == before
        clock[0] += 1  # more than an hour since the last use
        kept.vectors(MODEL, KIND, TEXTS)
        kept.outputs(MODEL, "finished")
        after = version()
        assert after != before
        kept.vectors(MODEL, KIND, TEXTS)
        kept.outputs(MODEL, "finished")
        assert version() == after
    newest = kept.info().newest
    assert newest == datetime.fromtimestamp(clock[0], UTC)


def test_info(kept: Store):
    info = kept.info()
    assert (info.folder, info.limit) == (kept.folder, 2_000_000_000)
    assert (info.vectors, info.documents, info.unfinished) == (40, 1, 1)
    assert info.bytes == on_disk(kept.folder)
    assert info.oldest is not None
    assert info.newest is not None
    assert info.oldest <= info.newest
    empty = Store(kept.folder / "other").info()
    assert (empty.vectors, empty.documents, empty.unfinished) == (0, 0, 0)
    assert (empty.oldest, empty.newest) == (None, None)


def test_clear(kept: Store):
    keep_large(kept, "a")
    before = kept.info()
    found = kept.outputs(MODEL, "finished")
    removed = kept.clear()
    assert (removed.vectors, removed.documents, removed.unfinished) == (140, 1, 1)
    after = kept.info()
    assert (after.vectors, after.documents, after.unfinished) == (0, 0, 0)
    assert removed.bytes == before.bytes - after.bytes
    assert (kept.folder / "store.sqlite").stat().st_size < 100_000
    assert list((kept.folder / "outputs").iterdir()) == []
    assert kept.vectors(MODEL, KIND, TEXTS) == {}
    assert kept.outputs(MODEL, "finished") is None
    # Who has a document open keeps it.
    assert found is not None
    assert (found == whole("finished")).all()
    keep_vectors(kept, TEXTS)
    assert len(kept.vectors(MODEL, KIND, TEXTS)) == 40


# Which store


def test_the_default_store_is_where_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAGCHUNK_CACHE", str(tmp_path / "here"))
    assert default_store() is default_store()
    assert (default_store().folder, default_store().limit) == (tmp_path / "here", 2_000_000_000)
    assert not (tmp_path / "here").exists()
    for value, limit in [("5", 5_000_000), ("0", 0), ("", 2_000_000_000), ("1.5", 2_000_000_000)]:
        monkeypatch.setenv("RAGCHUNK_CACHE_MB", value)
        assert default_store().limit == limit
    monkeypatch.delenv("RAGCHUNK_CACHE")
    assert default_store().folder == platformdirs.user_cache_path("ragchunk", appauthor=False)


def test_tests_have_a_store_of_their_own(tmp_path_factory: pytest.TempPathFactory):
    assert default_store().folder.is_relative_to(tmp_path_factory.getbasetemp())


# The disk


def test_a_folder_that_cannot_be(tmp_path: Path):
    (tmp_path / "file").write_text("text", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        one = Store(folder)
        keep_vectors(one, TEXTS)
        one.keep_part(MODEL, "a", 0, part("a", 0))
        assert one.vectors(MODEL, KIND, TEXTS) == {}
        assert one.parts(MODEL, "a") == set()
        assert one.finish(MODEL, "a", 1) is None
        assert one.outputs(MODEL, "a") is None
        assert one.info().vectors == one.clear().vectors == 0
        assert str(folder) in one.problem
        assert "no folder" in one.problem
        assert "set RAGCHUNK_CACHE to another folder" in one.problem
    assert (tmp_path / "file").read_text(encoding="utf-8") == "text"


def test_a_full_database_goes_on_with_what_it_has(kept: Store, monkeypatch: pytest.MonkeyPatch):
    kept.close()
    pages = (kept.folder / "store.sqlite").stat().st_size // 8192
    limit = f"PRAGMA max_page_count = {pages + 2}"
    monkeypatch.setattr(database, "PRAGMAS", [*database.PRAGMAS, limit])
    keep_large(kept, "a")
    assert kept.problem == (
        f"The disk with the store in {kept.folder} is full, so nothing new is kept: free some "
        "space, or run python -m ragchunk cache --clear."
    )
    assert left(kept, "a") == 0  # all or none
    assert len(kept.vectors(MODEL, KIND, TEXTS)) == 40
    assert kept.outputs(MODEL, "finished") is not None

    # It is not tried at every batch, but it is tried again.
    monkeypatch.setattr(database, "PRAGMAS", database.PRAGMAS[:-1])
    kept.close()
    keep_large(kept, "b")
    assert left(kept, "b") == 0
    monkeypatch.setattr(database, "PAUSE", 0)
    later = Store(kept.folder)
    keep_large(later, "b")
    assert left(later, "b") == 100
    assert later.problem == ""


def test_a_store_that_another_process_locks(kept: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(database, "PATIENCE", 0)
    monkeypatch.setattr(database, "PAUSE", 0)
    one = Store(kept.folder)
    with closing(sqlite3.connect(kept.folder / "store.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        keep_vectors(one, ["new"])
        assert "Another process has locked the store" in one.problem
        assert len(one.vectors(MODEL, KIND, TEXTS)) == 40
        other.execute("ROLLBACK")
    keep_vectors(one, ["new"])
    assert one.problem == ""
    assert len(one.vectors(MODEL, KIND, ["new"])) == 1


def test_a_folder_that_was_deleted_is_made_again(kept: Store):
    for path in sorted(kept.folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    kept.folder.rmdir()
    assert kept.vectors(MODEL, KIND, TEXTS) == {}
    keep_vectors(kept, TEXTS)
    keep_document(kept, "a")
    assert len(Store(kept.folder).vectors(MODEL, KIND, TEXTS)) == 40
    assert kept.problem == ""


# The command


@pytest.fixture
def cache(kept: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The command on the store `kept`: status, output, errors."""
    monkeypatch.setenv("RAGCHUNK_CACHE", str(kept.folder))

    def run(*options: str) -> tuple[int, str, str]:
        status = terminal.run(["cache", *options])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_the_command_shows_what_is_kept(kept: Store, cache):
    info = kept.info()
    assert info.newest is not None
    day = f"{info.newest:%Y-%m-%d}"
    expected = (
        f"{kept.folder}: {info.bytes / 1e6:.1f} MB of 2,000.0 MB\n"
        "40 vectors and token outputs of 1 document (1 more unfinished)\n"
        f"Last used from {day} to {day}\n"
    )
    assert cache() == cache("--info") == (0, expected, "")
    status, out, err = cache("--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "removed": False,
        "folder": str(kept.folder),
        "bytes": info.bytes,
        "limit": 2_000_000_000,
        "vectors": 40,
        "documents": 1,
        "unfinished": 1,
        "oldest": info.oldest and info.oldest.isoformat(),
        "newest": info.newest.isoformat(),
        "results": 0,
        "results_bytes": 0,
    }


def test_the_command_clears(kept: Store, cache):
    status, out, err = cache("--clear")
    assert (status, err) == (0, "")
    assert out.startswith("Removed 40 vectors and token outputs of 1 document (1 more unfinished)")
    assert out.endswith(f" from {kept.folder}\n")
    assert kept.vectors(MODEL, KIND, TEXTS) == {}
    keep_vectors(kept, ["one"])
    found = json.loads(cache("--clear", "--json")[1])
    assert (found["removed"], found["vectors"], found["documents"]) == (True, 1, 0)


def test_the_command_says_what_is_wrong(tmp_path: Path, cache, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("RAGCHUNK_CACHE", str(tmp_path / "file"))
    status, out, err = cache()
    assert status == 0
    assert "0 vectors" in out
    assert err.startswith(f"ragchunk: note: The store cannot be in {tmp_path / 'file'}")
    status, out, err = cache("--clear")
    assert (status, out) == (1, "")
    assert err.startswith(f"ragchunk: error: The store cannot be in {tmp_path / 'file'}")
    for options, words in [
        (["--info", "--clear"], "not allowed with argument --info"),
        (["folder"], "unrecognized arguments: folder"),
        (["--size", "3"], "unrecognized arguments: --size 3"),
    ]:
        status, out, err = cache(*options)
        assert (status, out) == (2, "")
        assert words in err
        assert err.endswith("See python -m ragchunk cache --help.\n")
        assert err.count("\n") == 1
