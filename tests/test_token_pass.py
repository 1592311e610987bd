"""The token pass: documents read once, part by part, and late vectors from it."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ragchunk import STRATEGIES, Document, SettingsError, chunk, load_encoder, tokens, top_hits
from ragchunk.embedding import ModelEncoder
from ragchunk.late import plan
from ragchunk.models import fingerprint
from ragchunk.store import Store
from ragchunk.token_pass import WINDOWS, TokenPass
from ragchunk.tokens import DEFAULT_MODEL, token_ids, token_starts
from ragchunk.vectors import chunk_vectors
from tests.encoders import HashedWords

TEXT = "".join(f"Bee {number} danced for house {number % 7}. " for number in range(900))
OTHER = "A wholly different text. " * 60


class Reads:
    """In place of a model: a token's output is its id and where it stands in its window."""

    def __init__(self) -> None:
        self.windows: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, windows: list[Sequence[int]]) -> list[np.ndarray]:
        assert self.gate.wait(20)
        self.windows += map(list, windows)
        return [
            np.array([[each % 1_000, place, 1] for place, each in enumerate(window)], np.float32)
            for window in windows
        ]


@pytest.fixture
def reads() -> Reads:
    return Reads()


@pytest.fixture
def a_pass(reads: Reads, tmp_path: Path) -> TokenPass:
    return TokenPass(DEFAULT_MODEL, reads, Store(tmp_path))


def expected(text: str) -> np.ndarray:
    """The outputs that are kept of a text, by the plan."""
    ids = token_ids(text)
    rows = [
        (ids[at] % 1_000, at - each.first, 1)
        for each in plan(len(ids), 254)
        for at in range(each.take, each.until)
    ]
    return np.array(rows, dtype=np.float16)


def wait_until_read(a_pass: TokenPass, text: str) -> None:
    end = time.monotonic() + 20
    while not a_pass.is_read(text):
        assert time.monotonic() < end
        assert a_pass.failure is None
        time.sleep(0.01)


def test_each_token_is_taken_from_the_window_that_the_plan_says(a_pass: TokenPass, reads: Reads):
    assert len(plan(len(token_ids(TEXT)), 254)) > 2 * WINDOWS
    steps = list(a_pass.run([TEXT]))
    total = len(token_ids(TEXT))
    assert steps[-1] == (total, total)
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    sums = a_pass.sums(TEXT)
    assert sums is not None
    rows = expected(TEXT).astype(np.float64)
    starts = np.asarray(token_starts(TEXT))
    inside = rows[(starts >= 1_000) & (starts < 9_000)].mean(axis=0)
    [found] = sums.vectors([(1_000, 9_000)])
    assert found == pytest.approx(inside / np.linalg.norm(inside), abs=1e-5)


def test_a_text_is_read_once_and_found_again(a_pass: TokenPass, reads: Reads, tmp_path: Path):
    list(a_pass.run([TEXT]))
    read = len(reads.windows)
    assert list(a_pass.run([TEXT])) == []
    later = TokenPass(DEFAULT_MODEL, reads, Store(tmp_path))
    assert later.is_read(TEXT)
    assert list(later.run([TEXT])) == []
    assert len(reads.windows) == read


def test_what_was_read_before_a_stop_is_not_read_again(
    a_pass: TokenPass, reads: Reads, tmp_path: Path
):
    next(a_pass.run([TEXT]))
    assert len(reads.windows) == WINDOWS
    later = TokenPass(DEFAULT_MODEL, reads, Store(tmp_path))
    done, total = later.progress([TEXT])
    assert 0 < done < total
    list(later.run([TEXT]))
    assert len(reads.windows) == len(plan(len(token_ids(TEXT)), 254))
    sums = later.sums(TEXT)
    assert sums is not None
    assert sums.vectors([(0, len(TEXT))])[0] == pytest.approx(
        (lambda mean: mean / np.linalg.norm(mean))(expected(TEXT).astype(float).mean(axis=0)),
        abs=1e-5,
    )


def test_in_the_background_the_first_text_comes_first(a_pass: TokenPass, reads: Reads):
    reads.gate.clear()
    a_pass.want([TEXT, OTHER])
    a_pass.want([OTHER])  # which is on the screen now
    reads.gate.set()
    wait_until_read(a_pass, TEXT)
    assert a_pass.is_read(OTHER)
    assert not a_pass.is_wanted([TEXT, OTHER])
    # At most the part that was begun stands before it.
    first = next(at for at, each in enumerate(reads.windows) if each[0] == token_ids(OTHER)[0])
    assert first <= WINDOWS


def test_what_is_dropped_stops_at_the_next_part_and_keeps_what_it_has(
    a_pass: TokenPass, reads: Reads
):
    reads.gate.clear()
    a_pass.want([TEXT])
    a_pass.drop([TEXT])
    reads.gate.set()
    end = time.monotonic() + 20
    while a_pass._thread is not None:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert len(reads.windows) <= WINDOWS
    assert not a_pass.is_read(TEXT)


def test_the_background_waits_for_what_is_more_urgent(reads: Reads, tmp_path: Path):
    urgent = threading.Event()
    urgent.set()
    a_pass = TokenPass(DEFAULT_MODEL, reads, Store(tmp_path), urgent.is_set)
    a_pass.want([OTHER])
    time.sleep(0.2)
    assert reads.windows == []
    urgent.clear()
    wait_until_read(a_pass, OTHER)


def test_a_failure_is_kept_and_another_wish_tries_again(tmp_path: Path):
    reads = Reads()
    broken = True

    def sometimes(windows: list[Sequence[int]]) -> list[np.ndarray]:
        if broken:
            raise RuntimeError("no memory")
        return reads(windows)

    a_pass = TokenPass(DEFAULT_MODEL, sometimes, Store(tmp_path))
    a_pass.want([OTHER])
    end = time.monotonic() + 20
    while a_pass.failure is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert str(a_pass.failure) == "no memory"
    broken = False
    a_pass.want([OTHER])
    wait_until_read(a_pass, OTHER)


def test_without_a_store_it_goes_on_in_memory(reads: Reads, tmp_path: Path):
    blocked = tmp_path / "a file"
    blocked.write_text("no folder")
    store = Store(blocked)
    a_pass = TokenPass(DEFAULT_MODEL, reads, store)
    list(a_pass.run([TEXT]))
    assert store.problem
    sums = a_pass.sums(TEXT)
    assert sums is not None
    rows = expected(TEXT).astype(np.float64).mean(axis=0)
    assert sums.vectors([(0, len(TEXT))])[0] == pytest.approx(rows / np.linalg.norm(rows), abs=1e-5)


def test_outputs_that_half_precision_cannot_hold_are_refused(tmp_path: Path):
    a_pass = TokenPass(
        DEFAULT_MODEL, lambda windows: [np.full((len(w), 2), 1e6, np.float32) for w in windows],
        Store(tmp_path),
    )  # fmt: skip
    with pytest.raises(Exception, match=r"larger than half precision holds \(65,504\)"):
        list(a_pass.run([OTHER]))


def test_texts_without_a_token_are_read_as_they_are(a_pass: TokenPass, reads: Reads):
    assert list(a_pass.run(["", " \n", "\0"])) == []
    assert reads.windows == []
    assert a_pass.progress(["", " \n"]) == (0, 0)


# Late vectors of chunks


class Sums(HashedWords):
    """The words of a text as token outputs, so that a chunk's late vector is its bag of words."""

    def __init__(self, tmp_path: Path) -> None:
        super().__init__()
        self.a_pass = TokenPass(DEFAULT_MODEL, Reads(), Store(tmp_path))

    def token_sums(self, text: str):
        list(self.a_pass.run([text]))
        return self.a_pass.sums(text)


def test_chunks_of_several_documents_in_any_order(tmp_path: Path):
    documents = [Document("a", TEXT), Document("b", OTHER), Document("c", "?! …")]
    chunks = chunk(documents, STRATEGIES["window"](size=300, overlap=60))
    encoder = Sums(tmp_path)
    forward = chunk_vectors(chunks, encoder, "late", documents)
    backward = chunk_vectors(chunks[::-1], encoder, "late", documents)
    assert np.array_equal(forward, backward[::-1])
    assert np.linalg.norm(forward, axis=1) == pytest.approx(
        [1.0] * (len(chunks) - 1) + [0.0]  # a chunk without a word has no vector
    )


def test_late_vectors_need_the_documents(tmp_path: Path):
    chunks = chunk([("a", OTHER)], STRATEGIES["window"](size=300, overlap=0))
    with pytest.raises(SettingsError, match="a is not among the 1 given: pass documents="):
        top_hits("what?", chunks, Sums(tmp_path), way="late", documents=[("b", OTHER)])


def test_late_vectors_need_an_encoder_that_reads_tokens():
    chunks = chunk([("a", OTHER)], STRATEGIES["window"](size=300, overlap=0))
    with pytest.raises(SettingsError, match='HashedWords has not: choose "plain" or "averaged"'):
        top_hits("what?", chunks, HashedWords(), way="late", documents=[("a", OTHER)])


# The real model


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModelEncoder:
    """The shared model, with a store and a token pass of its own."""
    shared = load_encoder()
    shared.load()
    store = Store(tmp_path)
    monkeypatch.setattr(shared, "store", store)
    monkeypatch.setattr(
        shared, "token_pass", TokenPass(shared.name, shared._token_outputs, store, lambda: False)
    )
    return shared


@pytest.mark.model
def test_half_precision_costs_less_than_a_thousandth_of_cosine(encoder: ModelEncoder):
    text = TEXT[:6_000]
    sums = encoder.token_sums(text)
    ids = token_ids(text)
    windows = plan(len(ids), encoder.max_tokens)
    exact = np.concatenate(
        [
            outputs[each.take - each.first : each.until - each.first]
            for each in windows
            for outputs in encoder._token_outputs([ids[each.first : each.last]])
        ]
    ).astype(np.float64)
    spans = [(at, at + size) for size in (12, 60, 400, 2_000) for at in range(0, 4_000, size)]
    first, last = np.searchsorted(np.asarray(token_starts(text)), np.array(spans).T)
    means = np.stack([exact[a:b].mean(axis=0) for a, b in zip(first, last, strict=True)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    cosines = np.einsum("ij,ij->i", means, sums.vectors(spans))
    assert cosines.min() > 1 - 1e-3


@pytest.mark.model
def test_late_hits_find_what_plain_ones_find(encoder: ModelEncoder):
    documents = [
        Document("bees", "Scout bees dance for a house they like. " * 12),
        Document("bread", "Knead the dough for ten minutes and let it rest. " * 12),
    ]
    chunks = chunk(documents, STRATEGIES["window"](size=200, overlap=0))
    hits = top_hits("how long is dough kneaded?", chunks, encoder, 3, "late", documents)
    assert {hit.chunk.source for hit in hits} == {"bread"}


@pytest.mark.model
def test_nothing_behind_the_limit_is_lost(encoder: ModelEncoder):
    text = "Permission is hereby granted, free of charge, to any person. " * 100
    limit = tokens.token_starts(text)[encoder.max_tokens]
    bananas = text[:limit] + "banana " * 1_000
    one, other = (
        chunk_vectors(chunk([("a", each)], STRATEGIES["whole"]()), encoder, "late", [("a", each)])
        for each in (text, bananas)
    )
    assert float(one[0] @ other[0]) < 0.9


@pytest.mark.model
def test_a_model_that_has_no_late_vectors_says_why(encoder: ModelEncoder, monkeypatch):
    monkeypatch.setattr(encoder, "why_not_late", "Its pooling is cls.")
    with pytest.raises(SettingsError, match=r"Its pooling is cls\. Choose"):
        encoder.token_sums("a text")


def test_outputs_of_another_model_are_not_mixed(reads: Reads, tmp_path: Path):
    store = Store(tmp_path)
    list(TokenPass(DEFAULT_MODEL, reads, store).run([OTHER]))
    assert store.outputs(f"{fingerprint(DEFAULT_MODEL)} other layout", OTHER) is None
