from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ragchunk.embedding import load_encoder
from ragchunk.errors import SettingsError
from ragchunk.search import check_k, noise_floor, rank, scores, top_hits, unique_share
from tests.encoders import Fixed, HashedWords

NAN = float("nan")


def chunks_of(*texts: str) -> list[Any]:
    """Chunks as search needs them: a text and a place in it."""
    return [
        SimpleNamespace(text=text, source="a.md", index=n, start=0, end=len(text))
        for n, text in enumerate(texts)
    ]


def found(query: str, texts: list[str], encoder: Any, k: int = 99) -> list[tuple[str, float]]:
    hits = top_hits(query, chunks_of(*texts), encoder, k)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    return [(hit.chunk.text, round(hit.score, 3)) for hit in hits]


def test_cosines_by_hand():
    encoder = Fixed({"q": [1, 0], "same": [1, 0], "half": [3, 4], "none": [0, 1], "back": [-2, 0]})
    assert found("q", ["back", "none", "half", "same"], encoder) == [
        ("same", 1.0),
        ("half", 0.6),
        ("none", 0.0),
        ("back", -1.0),
    ]


def test_the_chunk_with_the_words_comes_first():
    texts = ["nginx sits in front", "docker packs the app", "env vars hold secrets"]
    assert found("what packs the app", texts, HashedWords(), k=1)[0][0] == texts[1]


def test_ties_break_by_position():
    encoder = Fixed({"q": [1, 0], "a": [3, 4], "b": [3, -4], "c": [1, 0]})
    assert [text for text, _ in found("q", ["b", "a", "c"], encoder)] == ["c", "b", "a"]
    assert [text for text, _ in found("q", ["a", "b", "c"], encoder)] == ["c", "a", "b"]


def test_last_digits_do_not_decide():
    encoder = Fixed({"q": [1, 0], "a": [0.6, 0.8], "b": [0.6000001, 0.7999999]})
    assert [text for text, _ in found("q", ["a", "b"], encoder)] == ["a", "b"]
    assert [text for text, _ in found("q", ["b", "a"], encoder)] == ["b", "a"]


def test_chunks_without_a_vector_score_zero_and_come_last():
    encoder = Fixed({"q": [1, 0], "nan": [NAN, 1], "zero": [0, 0], "back": [-1, 0], "off": [0, 1]})
    assert found("q", ["nan", "", "zero", "...", "back", "off"], encoder) == [
        ("off", 0.0),
        ("back", -1.0),
        ("nan", 0.0),
        ("", 0.0),
        ("zero", 0.0),
        ("...", 0.0),
    ]


def test_an_encoder_of_nan_only_breaks_nothing():
    encoder = Fixed({"q": [NAN, NAN], "a": [NAN, NAN], "b": [NAN, NAN]})
    assert found("q", ["a", "b"], encoder) == [("a", 0.0), ("b", 0.0)]
    assert scores("q", ["a", "b"], encoder).tolist() == [0, 0]


@pytest.mark.parametrize("query", ["", " \n", "?!"])
def test_a_question_without_words_finds_nothing(query: str):
    encoder = HashedWords()
    assert top_hits(query, chunks_of("a", "b"), encoder) == []
    assert scores(query, ["a", "b"], encoder).tolist() == [0, 0]
    assert query not in encoder.seen


def test_nothing_to_search():
    encoder = HashedWords()
    assert top_hits("cats", [], encoder) == []
    assert scores("cats", [], encoder).shape == (0,)
    assert found("cats", ["", "?"], encoder) == [("", 0.0), ("?", 0.0)]


def test_k_hits_or_as_many_as_there_are():
    chunks = chunks_of(*"abcdefg")
    assert len(top_hits("a", chunks, HashedWords())) == 5
    assert len(top_hits("a", chunks, HashedWords(), k=1)) == 1
    assert len(top_hits("a", chunks, HashedWords(), k=100)) == 7


@pytest.mark.parametrize("k", [0, -1, 2.0, "5", True, None])
def test_k_must_be_a_positive_integer(k: Any):
    with pytest.raises(SettingsError, match="integer, 1 or more") as caught:
        top_hits("a", chunks_of("a"), HashedWords(), k)
    assert repr(k) in str(caught.value)


@pytest.mark.parametrize("texts", [["a"], []])
def test_an_unknown_way_is_refused(texts: list[str]):
    with pytest.raises(SettingsError, match="plain, averaged or late"):
        top_hits("a", chunks_of(*texts), HashedWords(), way="best")


def test_averaged_finds_what_stands_behind_the_limit():
    encoder = HashedWords(max_tokens=3)
    text = "docker packs apps nginx sits in front"
    assert scores("front", [text], encoder, "plain")[0] == 0
    assert scores("front", [text], encoder, "averaged")[0] > 0.2


def test_rank_puts_the_unknown_last():
    assert rank(np.array([0.0, -0.5, NAN, 0.2]), np.array([False, True, True, True]), 9) == [
        3,
        1,
        0,
        2,
    ]


def test_noise_floor_is_the_median():
    assert noise_floor(np.array([0.1, 0.9, 0.3], dtype=np.float32)) == pytest.approx(0.3)
    assert noise_floor(np.array([])) == 0.0


def spans(*places: tuple[str, int, int]) -> list[Any]:
    return [SimpleNamespace(source=source, start=start, end=end) for source, start, end in places]


@pytest.mark.parametrize(
    ("places", "share"),
    [
        ([], 1.0),
        ([("a", 0, 10)], 1.0),
        ([("a", 0, 10), ("a", 10, 20)], 1.0),
        ([("a", 0, 10), ("b", 0, 10)], 1.0),
        ([("a", 5, 15), ("a", 0, 10)], 0.75),
        ([("a", 0, 10)] * 4, 0.25),
        ([("a", 0, 20), ("a", 5, 10), ("a", 15, 30)], 0.75),
    ],
)
def test_unique_share(places: list[tuple[str, int, int]], share: float):
    assert unique_share(spans(*places)) == share


@pytest.mark.model
def test_the_real_model_answers():
    texts = ["Nginx is a web server.", "QUJDRE1" * 300, "Cats sleep most of the day.", ""]
    hits = top_hits("How long do kittens rest?", chunks_of(*texts), load_encoder())
    assert [hit.chunk.text for hit in hits] == [texts[2], texts[0], texts[1], texts[3]]
    assert hits[0].score > 0.4
    assert [hit.score for hit in hits[2:]] == [0, 0]


def test_a_numpy_integer_is_an_integer():
    two: Any = np.int64(2)
    check_k(two)
    half: Any = np.float64(2.5)
    with pytest.raises(SettingsError, match="integer"):
        check_k(half)
