from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragchunk import embedding, tokens
from ragchunk.embedding import ModelEncoder, embed, embed_query, load_encoder
from ragchunk.errors import ModelError, SettingsError
from ragchunk.store import Store
from tests.encoders import Fixed, HashedWords

RUN = "QUJDRE1" * 300  # one unknown token


def test_rows_come_back_in_order_and_duplicates_are_read_once():
    encoder = HashedWords()
    vectors = embed(["b", "a", "b", "b"], encoder)
    assert encoder.seen == ["b", "a"]
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors[[0, 1]], encoder.encode(["b", "a"]))
    assert np.array_equal(vectors[0], vectors[2])


def test_texts_without_words_are_zeros_and_never_read():
    encoder = HashedWords()
    vectors = embed(["", "word", " ... \n", "\u200b"], encoder)
    assert encoder.seen == ["word"]
    assert vectors.any(axis=1).tolist() == [False, True, False, False]


def test_nothing_to_read_at_all():
    encoder = HashedWords()
    assert embed([], encoder).shape == (0, 0)
    assert embed(["", "?"], encoder).shape == (2, 0)
    assert embed_query(" ?! ", encoder).shape == (0,)
    assert encoder.seen == []


def test_rows_are_made_unit_length_and_never_nan():
    vectors = {"long": [3.0, 4.0], "nan": [np.nan, 1.0], "inf": [np.inf, 1.0], "zero": [0.0, 0.0]}
    found = embed(list(vectors), Fixed(vectors))
    assert found == pytest.approx(np.array([[0.6, 0.8], [0, 0], [0, 0], [0, 0]]))
    assert embed_query("long", Fixed(vectors)) == pytest.approx(np.array([0.6, 0.8]))
    assert not embed_query("nan", Fixed(vectors)).any()


def test_an_encoder_that_gives_too_few_vectors_is_told():
    class One(HashedWords):
        def encode(self, texts):
            return super().encode(texts[:1])

    with pytest.raises(ModelError, match=r"shape \(1, 64\) for 2 texts"):
        embed(["a", "b"], One())


def test_a_question_is_read_as_a_question_where_the_encoder_can():
    class Prompted(HashedWords):
        def encode_query(self, text: str) -> np.ndarray:
            return self.encode([f"query: {text}"])[0]

    encoder = Prompted()
    embed_query("cats", encoder)
    assert encoder.seen == ["query: cats"]


def test_averaged_is_the_mean_of_the_windows_by_tokens():
    encoder = HashedWords(max_tokens=4)
    text = "a b c d  e f g h  i j"
    windows = encoder.encode(["a b c d", "e f g h", "i j"])
    mean = (4 * windows[0] + 4 * windows[1] + 2 * windows[2]) / 10
    [found] = embed([text], encoder, "averaged")
    assert found == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert np.linalg.norm(found) == pytest.approx(1)
    assert not np.allclose(found, embed([text], encoder)[0])


def test_both_ways_agree_up_to_the_limit():
    encoder = HashedWords(max_tokens=4)
    texts = ["a b c d", "a", ""]
    assert embed(texts, encoder, "averaged") == pytest.approx(embed(texts, encoder, "plain"))


def test_windows_end_with_whole_words():
    limit = load_encoder().max_tokens
    text = "the retrievability of embeddings is tokenizable " * 80
    windows = embedding._windows(text, load_encoder(), "averaged")
    assert len(windows) > 1
    assert all(tokens.count_tokens(piece) == count <= limit for piece, count in windows)
    assert sum(count for _, count in windows) == tokens.count_tokens(text)
    assert "".join(piece for piece, _ in windows) == text


def test_windows_of_a_text_without_spaces():
    limit = load_encoder().max_tokens
    windows = embedding._windows("日本語" * 200, load_encoder(), "averaged")
    assert [count for _, count in windows] == [limit, limit, 600 - 2 * limit]


def test_an_unknown_way_names_the_choices():
    with pytest.raises(SettingsError, match=r'"mean" .* plain, averaged or late'):
        embed(["a"], HashedWords(), "mean")


def test_averaged_needs_to_know_where_tokens_start():
    text = "a b c " * 100
    with pytest.raises(SettingsError, match='Fixed has not: choose "plain"'):
        embed([text], Fixed({text: [1.0, 0.0]}), "averaged")


def test_one_encoder_per_name():
    assert load_encoder() is load_encoder("all-MiniLM-L6-v2")
    assert load_encoder() is load_encoder("sentence-transformers/all-MiniLM-L6-v2")
    assert load_encoder().max_tokens == 254


def test_an_unknown_model_is_refused_without_asking_the_network(monkeypatch: pytest.MonkeyPatch):
    asked: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, place: asked.append(place))
    with pytest.raises(ModelError, match='"no-such/model" was not found'):
        load_encoder("no-such/model")
    assert asked == []


def test_importing_and_counting_does_not_import_torch():
    code = (
        "import sys, os, ragchunk.search, ragchunk.embedding as e; e.load_encoder();"
        "slow = {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules);"
        "assert not slow, slow;"
        "assert os.environ['OMP_WAIT_POLICY'] == 'PASSIVE';"
        "assert os.environ['HF_HUB_OFFLINE'] == '1'"
    )
    ours = {"OMP_WAIT_POLICY", "HF_HUB_OFFLINE"}
    env = {name: value for name, value in os.environ.items() if name not in ours}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)


# The real model


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModelEncoder:
    """The shared model with nothing remembered."""
    shared = load_encoder()
    shared.load()
    shared._kept.clear()
    monkeypatch.setattr(shared, "store", Store(tmp_path))
    return shared


def forget(encoder: ModelEncoder, folder: Path) -> None:
    """As if nothing had been read before: neither in memory nor in the store."""
    encoder._kept.clear()
    encoder.store = Store(folder / "empty")


class Counting:
    """The model itself, with a note of each text that it reads."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.read: list[str] = []

    def encode_document(self, texts: list[str], **options: Any) -> np.ndarray:
        self.read += texts
        return self.model.encode_document(texts, **options)

    def encode_query(self, texts: list[str], **options: Any) -> np.ndarray:
        self.read += texts
        return self.model.encode_query(texts, **options)


@pytest.fixture
def counting(encoder: ModelEncoder, monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting(encoder._model)
    monkeypatch.setattr(encoder, "_model", counting)
    return counting


@pytest.mark.model
def test_golden_cosine(encoder: ModelEncoder):
    a, b = encoder.encode(["This is an example sentence", "Each sentence is converted"])
    assert a @ b == pytest.approx(0.4046, abs=1e-4)


@pytest.mark.model
def test_vectors_are_float32_of_unit_length(encoder: ModelEncoder):
    vectors = encoder.encode(["a cat", "cats " * 500, "<|endoftext|>", "x \ud800 y", "日本語"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (5, encoder.dimension) == (5, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert encoder.encode([]).shape == (0, 384)
    assert encoder.encode_query("a cat") == pytest.approx(vectors[0], abs=1e-6)


@pytest.mark.model
def test_unreadable_texts_are_zeros_and_not_read(encoder: ModelEncoder, counting: Counting):
    vectors = encoder.encode(["", "\0", "\u200b", " ?! ", RUN, "word"])
    assert vectors.any(axis=1).tolist() == [False] * 5 + [True]
    assert counting.read == ["word"]


@pytest.mark.model
def test_each_text_is_read_once(encoder: ModelEncoder, counting: Counting):
    first = encoder.encode(["a cat", "a dog", "a cat"])
    again = encoder.encode(["a dog", "a cat", "a bird"])
    assert sorted(counting.read) == ["a bird", "a cat", "a dog"]
    assert np.array_equal(first[[1, 0]], again[:2])


@pytest.mark.model
def test_a_vector_does_not_depend_on_its_company(encoder: ModelEncoder, tmp_path: Path):
    texts = [f"number {number} " * (number % 60 + 1) for number in range(50)]
    together = encoder.encode(texts)
    forget(encoder, tmp_path)
    alone = np.stack([encoder.encode([text])[0] for text in texts])
    assert together == pytest.approx(alone, abs=1e-5)


@pytest.mark.model
def test_what_stands_behind_the_limit_is_lost_unless_averaged(encoder: ModelEncoder):
    licence = "Permission is hereby granted, free of charge, to any person. " * 100
    limit = tokens.token_starts(licence)[encoder.max_tokens]
    bananas = licence[:limit] + "banana " * 1000
    plain = embed([licence, bananas], encoder)
    assert plain[0] @ plain[1] == pytest.approx(1, abs=1e-5)
    averaged = embed([licence, bananas], encoder, "averaged")
    assert averaged[0] @ averaged[1] < 0.9


@pytest.mark.model
def test_filling_can_stop_and_go_on(encoder: ModelEncoder, counting: Counting):
    texts = [f"text {number} of some words" for number in range(100)] + ["text 0 of some words", ""]
    assert encoder.pending(texts) == 100
    done, total = next(encoder.fill(texts))
    assert total == 100
    assert 0 < done < 100
    assert encoder.pending(texts) == 100 - done
    rest = list(encoder.fill(texts))
    assert rest[-1] == (100 - done, 100 - done)
    assert encoder.pending(texts) == 0
    assert len(counting.read) == 100
    embed(texts, encoder)
    assert len(counting.read) == 100


@pytest.mark.model
def test_threads_share_the_work(encoder: ModelEncoder, counting: Counting):
    texts = [f"text {number} of some words" for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(lambda _: encoder.encode(texts), range(8)))
    assert len(counting.read) == 60
    assert all(np.array_equal(vectors[0], other) for other in vectors[1:])


@pytest.mark.model
def test_filling_averaged_reads_the_windows(encoder: ModelEncoder, counting: Counting):
    texts = ["one word after another " * 100, "short"]  # 400 tokens: two windows
    assert encoder.pending(texts, "averaged") == 3
    assert list(encoder.fill(texts, "averaged"))[-1] == (3, 3)
    embed(texts, encoder, "averaged")
    assert len(counting.read) == 3


@pytest.mark.model
def test_loading_in_a_thread_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: Any) -> None:
        raise AssertionError("something asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    encoder = ModelEncoder(str(copy_of_model(tmp_path)))
    assert not encoder.ready
    assert encoder.dimension is None
    encoder.start_loading()
    encoder.start_loading()
    wait_for(encoder)
    assert encoder.failure is None
    assert encoder.ready
    assert encoder.dimension == 384


@pytest.mark.model
def test_a_failure_in_the_thread_is_kept(tmp_path: Path):
    folder = copy_of_model(tmp_path)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").write_bytes(b"broken")
    encoder = ModelEncoder(str(folder))
    encoder.start_loading()
    wait_for(encoder)
    assert not encoder.ready
    assert isinstance(encoder.failure, ModelError)
    assert str(folder) in str(encoder.failure)
    with pytest.raises(ModelError, match="could not be loaded"):
        encoder.encode(["a"])


def copy_of_model(tmp_path: Path) -> Path:
    for path in tokens.model_folder(tokens.DEFAULT_MODEL).iterdir():
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def wait_for(encoder: ModelEncoder) -> None:
    deadline = time.monotonic() + 60
    while not encoder.ready and encoder.failure is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
