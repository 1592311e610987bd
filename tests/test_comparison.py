"""A corpus cut and asked: the order of the hits, what is remembered, and what has one key."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragchunk import STRATEGIES, Document, top_hits
from ragchunk.comparison import Cutting, Ranking, ask, cut, read_ends, way_at_hand
from ragchunk.corpus import Corpus
from ragchunk.embedding import ModelEncoder, load_encoder
from ragchunk.store import Store
from tests.encoders import Fixed, HashedWords

ANIMALS = {
    "a.txt": "cat dog\n\nsun sky",
    "b.txt": "cat\n\ntree tree",
    "c.txt": "cat\n\ndog cat",
}


def corpus(**texts: str) -> Corpus:
    return Corpus(tuple(Document(f"{name}.txt", text) for name, text in texts.items()))


def animals() -> Corpus:
    return Corpus(tuple(Document(source, text) for source, text in ANIMALS.items()))


def by_two_words() -> Cutting:
    """Each paragraph of the animals, of one or two words, is a chunk."""
    return cut(animals(), STRATEGIES["window"](size=2, unit="words"))


def asked(query: str, k: int = 5, way: str = "plain") -> Ranking:
    return ask(query, by_two_words(), HashedWords(), k, way)


def ids(ranking: Ranking) -> list[str]:
    return [hit.chunk.id for hit in ranking.hits]


# Asking


def test_the_closest_chunk_is_first_and_ties_stand_in_the_order_of_the_documents() -> None:
    # b.txt is cut `cat tree` and `tree`; c.txt `cat dog` and `cat`.
    found = asked("cat", k=4)
    assert ids(found) == ["c.txt#1", "a.txt#0", "b.txt#0", "c.txt#0"]
    assert [hit.rank for hit in found.hits] == [1, 2, 3, 4]
    half = 0.5**0.5
    assert [hit.score for hit in found.hits] == pytest.approx([1, half, half, half], abs=1e-6)


def test_no_more_hits_than_asked_for_and_no_more_than_chunks() -> None:
    assert len(asked("cat", k=2).hits) == 2
    assert len(asked("cat", k=100).hits) == 6


def test_every_chunk_has_a_score_in_its_place() -> None:
    found = asked("sun sky", k=1)
    chunks = by_two_words().chunks
    assert found.scores.shape == (len(chunks),)
    assert chunks[int(np.argmax(found.scores))].text == "sun sky"
    assert found.hits[0].score == pytest.approx(1)


def test_the_noise_floor_is_the_median_of_all_chunks_not_of_the_hits() -> None:
    found = asked("sun sky", k=1)
    assert found.floor == 0
    assert asked("cat", k=1).floor == pytest.approx(0.5**0.5, abs=1e-6)


def test_the_prompt_is_the_tokens_of_the_hits_against_their_documents() -> None:
    found = asked("sun sky", k=1)
    assert (found.tokens, found.document_tokens) == (2, 4)
    both = ask("sun", cut(animals(), STRATEGIES["whole"]()), HashedWords(), 1, "plain")
    assert (both.tokens, both.document_tokens) == (4, 4)


def test_hits_of_one_document_count_it_once() -> None:
    found = asked("sun cat dog", k=6)
    assert (found.tokens, found.document_tokens) == (10, 10)


def test_copies_among_the_hits_are_told() -> None:
    one = corpus(a="cat dog sun sky")
    twice = cut(one, STRATEGIES["window"](size=3, overlap=2, unit="words"))
    found = ask("dog sun", twice, HashedWords(), 2, "plain")
    # 0 to 11 and 4 to 15: fifteen characters of twenty-two.
    assert found.unique == pytest.approx(15 / 22)


def test_the_same_hits_as_the_library_gives_to_scripts() -> None:
    chunks = by_two_words().chunks
    for query in ("cat", "sun tree", "tree sky dog", "bird"):
        assert asked(query, k=4).hits == top_hits(query, chunks, HashedWords(), 4)


@pytest.mark.parametrize("query", ["", "   ", "?!", "…", "🙂"])
def test_a_question_without_words_has_no_hits(query: str) -> None:
    found = asked(query)
    assert found.hits == []
    assert found.tokens == found.document_tokens == 0
    assert found.scores.tolist() == [0] * 6


def test_chunks_without_words_come_last_behind_negative_scores() -> None:
    encoder = Fixed({"cat": [1, 0], "dog": [-1, 0], "q": [1, 0]})
    made = cut(corpus(a="--- dog cat"), STRATEGIES["window"](size=1, unit="words"))
    found = ask("q", made, encoder, 3, "plain")
    assert [hit.chunk.text for hit in found.hits] == ["cat", "dog", "---"]
    assert [hit.score for hit in found.hits] == [1, -1, 0]


@pytest.mark.parametrize("texts", [{}, {"a": ""}, {"a": " \n ", "b": ""}])
def test_nothing_to_find_finds_nothing(texts: dict[str, str]) -> None:
    found = ask("cat", cut(corpus(**texts), STRATEGIES["whole"]()), HashedWords(), 5, "plain")
    assert found.hits == []
    assert (found.floor, found.unique, found.tokens) == (0, 1, 0)


# What the model reads


def test_reading_stops_at_the_limit_of_the_plain_way_only() -> None:
    made = cut(corpus(a="cat " * 300), STRATEGIES["whole"]())
    [chunk] = made.chunks
    plain, averaged = made.reading(chunk, "plain"), made.reading(chunk, "averaged")
    assert (plain.tokens, plain.limit, plain.end, plain.is_blind) == (300, 254, 1016, True)
    assert (averaged.tokens, averaged.end, averaged.is_blind) == (300, 1200, False)
    hits = ask("cat", made, HashedWords(), 1, "plain").hits
    assert read_ends(made, hits, "plain") == [1016]
    assert read_ends(made, hits, "averaged") == [1200]


def test_a_chunk_within_the_limit_is_read_to_its_end() -> None:
    made = cut(corpus(a="cat " * 254), STRATEGIES["whole"]())
    reading = made.reading(made.chunks[0], "plain")
    assert (reading.end, reading.is_blind) == (1016, False)


def test_the_averaged_way_finds_what_the_plain_way_does_not_read() -> None:
    made = cut(corpus(a="cat " * 300 + "zebra"), STRATEGIES["whole"]())
    plain = ask("zebra", made, HashedWords(), 1, "plain")
    averaged = ask("zebra", made, HashedWords(), 1, "averaged")
    assert plain.hits[0].score == 0
    assert averaged.hits[0].score > 0


# What is remembered


def test_the_same_corpus_and_settings_are_cut_once() -> None:
    first = cut(animals(), STRATEGIES["window"](size=2, unit="words"))
    assert cut(animals(), STRATEGIES["window"](size=2, unit="words")) is first


def test_another_size_strategy_or_text_is_another_cutting() -> None:
    window, paragraphs = STRATEGIES["window"], STRATEGIES["paragraphs"]
    base = cut(animals(), window(size=20))
    others = [
        cut(animals(), window(size=21)),
        cut(animals(), window(size=20, overlap=1)),
        cut(animals(), window(size=20, unit="tokens")),
        cut(animals(), paragraphs(size=20)),
        cut(animals(), STRATEGIES["whole"]()),
        cut(corpus(a="cat"), window(size=20)),
    ]
    assert all(other is not base for other in others)
    assert [type(each.strategy).__name__ for each in others][3:5] == ["Paragraphs", "Whole"]


def test_the_key_of_a_corpus_is_its_names_and_texts_and_their_limits() -> None:
    def key(*pairs: tuple[str, str]) -> str:
        return Corpus(tuple(Document(*pair) for pair in pairs)).key

    assert key(("a", "bc")) == key(("a", "bc"))
    different = [
        key(("a", "bc")),
        key(("ab", "c")),
        key(("", "abc")),
        key(("abc", "")),
        key(("a", "b"), ("c", "")),
        key(("a", "bc"), ("", "")),
        key(),
    ]
    assert len(set(different)) == len(different)


def test_a_corpus_with_half_a_surrogate_pair_has_a_key() -> None:
    assert Corpus((Document("a", "\ud800"),)).key != Corpus((Document("a", "\ud801"),)).key


def test_notes_on_how_a_file_was_read_do_not_change_the_key() -> None:
    plain, noted = Document("a", "b"), Document("a", "b", ("Read as Windows-1252.",))
    assert Corpus((plain,)).key == Corpus((noted,)).key


# What the panels look up


def test_chunks_spans_and_tokens_by_document() -> None:
    made = cut(
        corpus(a="cat dog sun", empty="", b="sky"), STRATEGIES["window"](size=2, unit="words")
    )
    assert {source: [c.id for c in chunks] for source, chunks in made.by_source.items()} == {
        "a.txt": ["a.txt#0", "a.txt#1"],
        "empty.txt": [],
        "b.txt": ["b.txt#0"],
    }
    assert made.spans["a.txt"] == [(0, 7), (8, 11)]
    assert made.tokens == {"a.txt#0": 2, "a.txt#1": 1, "b.txt#0": 1}
    assert made.position == {"a.txt#0": 0, "a.txt#1": 1, "b.txt#0": 2}


def test_a_corpus_counts_the_tokens_of_whole_documents() -> None:
    assert animals().tokens(["a.txt", "b.txt"]) == 7
    assert animals().tokens([]) == 0


# The way in which a question can be ranked now


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModelEncoder:
    """A model that has read nothing yet."""
    load_encoder().load()
    encoder = ModelEncoder("all-MiniLM-L6-v2", Store(tmp_path))
    monkeypatch.setattr(encoder, "_model", load_encoder()._model)
    return encoder


@pytest.mark.model
@pytest.mark.parametrize("way", ["plain", "averaged"])
def test_late_vectors_stand_in_until_those_asked_for_are_there(
    encoder: ModelEncoder, way: str
) -> None:
    made = cut(corpus(a="The bees dance. " * 200), STRATEGIES["window"](size=300, unit="tokens"))
    assert way_at_hand(made, encoder, way) is None
    list(encoder.token_pass.run(made.corpus.texts.values()))
    assert way_at_hand(made, encoder, way) == "late"
    assert ask("what do bees do?", made, encoder, 3, "late").way == "late"
    assert way_at_hand(made, encoder, way) == "late"
    made.vectors(encoder, way)
    assert way_at_hand(made, encoder, way) == way


@pytest.mark.model
def test_late_vectors_wait_for_all_documents(encoder: ModelEncoder) -> None:
    made = cut(corpus(a="The bees dance. " * 20, b="Bread rests."), STRATEGIES["whole"]())
    list(encoder.token_pass.run([made.corpus.texts["a.txt"]]))
    assert way_at_hand(made, encoder, "late") is None
    list(encoder.token_pass.run([made.corpus.texts["b.txt"]]))
    assert way_at_hand(made, encoder, "late") == "late"


@pytest.mark.model
def test_no_preview_by_a_model_that_has_no_late_vectors(
    encoder: ModelEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cut(corpus(a="The bees dance. " * 20), STRATEGIES["whole"]())
    list(encoder.token_pass.run(made.corpus.texts.values()))
    monkeypatch.setattr(encoder, "why_not_late", "Its pooling is cls.")
    assert way_at_hand(made, encoder, "plain") is None


@pytest.mark.model
def test_in_a_hurry_late_vectors_are_taken_even_if_others_are_in_the_store(
    encoder: ModelEncoder,
) -> None:
    made = cut(corpus(a="The bees dance. " * 90), STRATEGIES["window"](size=100, unit="tokens"))
    list(encoder.token_pass.run(made.corpus.texts.values()))
    encoder.encode([each.text for each in made.chunks])
    assert way_at_hand(made, encoder, "plain", hurry=True) == "late"
    assert way_at_hand(made, encoder, "plain") == "plain"
    made.vectors(encoder, "plain")
    assert way_at_hand(made, encoder, "plain", hurry=True) == "plain"
