from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ragchunk import tokens
from ragchunk.errors import ModelError
from ragchunk.tokens import count_tokens, max_tokens, model_folder, reads_anything, token_starts
from tests.texts import any_texts

LICENCE = "Permission is hereby granted, free of charge, to any person obtaining a copy.\n"


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """The model's tokenizer used the simplest way: all of the text in one call."""
    tokenizer = Tokenizer.from_file(str(model_folder(tokens.DEFAULT_MODEL) / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def starts_of(tokenizer: Tokenizer, text: str) -> list[int]:
    return [start for start, _ in tokenizer.encode(text, add_special_tokens=False).offsets]


def test_starts_of_known_words():
    assert list(token_starts("Where is the app?")) == [0, 6, 9, 13, 16]
    assert list(token_starts("a tokenization")) == [0, 2, 7]  # a, token, ##ization


def test_starts_count_code_points():
    assert list(token_starts("👍🏽 café x")) == [0, 3, 8]


@pytest.mark.parametrize("text", ["", " \n\t", "\0", "\u200b", "\ufeff"])
def test_nothing_to_read(text: str):
    assert list(token_starts(text)) == []
    assert count_tokens(text) == 0
    assert not reads_anything(text)


def test_more_than_a_hundred_letters_are_one_unknown_token():
    run = "QUJDRE1" * 300
    assert count_tokens(run) == 1
    assert list(token_starts(run)) == [0]
    assert not reads_anything(run)
    assert reads_anything(run + " end")


def test_no_limit_of_128_as_in_the_file():
    assert count_tokens("word " * 1000) == 1000
    assert count_tokens("word") == 1


def test_special_tokens_of_models_are_ordinary_text():
    assert count_tokens("<|endoftext|>") == 8
    assert list(token_starts("a [CLS] b [SEP]")) == [0, 2, 8, 10]
    assert reads_anything("<|endoftext|>")


def test_a_lone_surrogate_moves_no_offset():
    assert list(token_starts("a \ud800 bc \udfff d")) == [0, 4, 9]
    assert count_tokens("\ud800") == 0
    assert tokens.without_surrogates("a\ud800😀") == "a\ufffd😀"


def test_max_tokens_leaves_room_for_the_two_special_ones():
    assert max_tokens() == 254


def test_a_long_text_has_the_tokens_of_one_call(reference: Tokenizer):
    text = LICENCE * 1000
    assert len(text) > 5 * tokens.PIECE
    assert list(token_starts(text)) == starts_of(reference, text)
    assert count_tokens(text) == len(token_starts(text))


def test_a_long_run_without_spaces_has_the_tokens_of_one_call(reference: Tokenizer):
    text = "日本語です。" * tokens.PIECE + " end of it " + "x" * 3 * tokens.PIECE
    assert list(token_starts(text)) == starts_of(reference, text)


@given(text=any_texts, size=st.integers(1, 30))
def test_pieces_have_the_tokens_of_the_whole(text: str, size: int, reference: Tokenizer):
    text = tokens.without_surrogates(text)
    pieces = list(tokens._pieces(text, size))
    assert "".join(text[start:end] for start, end in pieces) == text
    in_pieces = [
        start + offset for start, end in pieces for offset in starts_of(reference, text[start:end])
    ]
    assert in_pieces == starts_of(reference, text)


@given(any_texts)
def test_starts_ascend_inside_the_text(text: str):
    starts = token_starts(text)
    assert list(starts) == sorted(starts)
    assert all(0 <= start < len(text) for start in starts)
    assert len(starts) == count_tokens(text)


def test_threads_do_not_get_in_each_others_way():
    def work(thread: int) -> bool:
        texts = [f"thread {thread} says {number} " * 50 for number in range(60)]
        counts = [count_tokens(text) for text in texts]
        return counts == [len(token_starts(text)) for text in texts]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


@pytest.mark.parametrize("name", ["no-such-model", "nobody/no-such-model", "a/b/c", "", " ", "\0"])
def test_an_unknown_model_is_named_without_asking_the_network(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    asked: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, place: asked.append(place))
    with pytest.raises(ModelError, match="was not found on this machine") as caught:
        token_starts("text", name)
    assert f'"{name}"' in str(caught.value)
    assert asked == []


def test_a_folder_without_a_tokenizer_says_so(tmp_path: Path):
    with pytest.raises(ModelError, match=r"no tokenizer\.json in"):
        max_tokens(str(tmp_path))


def test_a_broken_tokenizer_says_which_file(tmp_path: Path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        count_tokens("text", str(tmp_path))


def folder_with(tmp_path: Path, **settings: str) -> str:
    """A folder with the default's tokenizer and these files of settings."""
    source = model_folder(tokens.DEFAULT_MODEL) / "tokenizer.json"
    (tmp_path / "tokenizer.json").symlink_to(source)
    for name, content in settings.items():
        (tmp_path / f"{name}.json").write_text(content)
    return str(tmp_path)


def test_a_local_folder_is_a_model(tmp_path: Path):
    model = folder_with(tmp_path, sentence_bert_config='{"max_seq_length": 64}')
    assert max_tokens(model) == 62
    assert count_tokens("two words", model) == 2


def test_without_a_stated_limit_the_smaller_of_model_and_tokenizer_counts(tmp_path: Path):
    model = folder_with(
        tmp_path,
        sentence_bert_config='{"max_seq_length": null}',
        config='{"max_position_embeddings": 512}',
        tokenizer_config='{"model_max_length": 100}',
    )
    assert max_tokens(model) == 98


def test_a_model_without_any_limit_says_what_to_set(tmp_path: Path):
    with pytest.raises(ModelError, match="set max_seq_length"):
        max_tokens(folder_with(tmp_path))


def test_the_hub_name_of_the_default_is_the_default():
    assert model_folder("sentence-transformers/all-MiniLM-L6-v2") == model_folder(
        "all-MiniLM-L6-v2"
    )
