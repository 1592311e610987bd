"""Labels: places of a typed answer, near misses, and sentences by rare words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk.evaluation.finding import loose_passages, nearest, passages
from ragchunk.evaluation.labelling import answers_from, find_answer, search_sentences
from ragchunk.sentences import sentence_spans
from tests.texts import any_texts

HARBOUR = (
    "The ferry leaves at nine. Captains meet on Monday.\n\nThe ferry\nleaves at Nine on Sunday."
)
BREAD = "The loaf is done at 96 degrees. Captains eat it."
DOCUMENTS = [("harbour.md", HARBOUR), ("bread.md", BREAD)]


def shown(places) -> list[tuple[str, str]]:
    return [(answer.source, answer.quote) for answer in places.answers]


def test_a_typed_answer_is_found_in_every_document() -> None:
    places = find_answer("  Captains ", DOCUMENTS)
    assert shown(places) == [("harbour.md", "Captains"), ("bread.md", "Captains")]
    assert (places.total, places.exact) == (2, True)
    assert [(each.start, each.origin) for each in places.answers] == [(26, "typed"), (32, "typed")]


def test_more_places_than_wanted_are_counted() -> None:
    places = find_answer("the", [("a", "the " * 30)], limit=3)
    assert ([each.start for each in places.answers], places.total) == ([0, 4, 8], 30)


def test_white_space_and_case_do_not_matter_where_nothing_stands_exactly() -> None:
    places = find_answer("the FERRY leaves at nine", DOCUMENTS)
    assert shown(places) == [
        ("harbour.md", "The ferry leaves at nine"),
        ("harbour.md", "The ferry\nleaves at Nine"),
    ]
    assert not places.exact


def test_an_answer_found_exactly_offers_no_looser_places() -> None:
    places = find_answer("The ferry leaves at nine", DOCUMENTS)
    assert places.total == 1


def test_a_near_miss_shows_the_closest_text_in_whole_words() -> None:
    places = find_answer("loaf is dome at 96 degres", DOCUMENTS)
    assert places.answers == ()
    assert places.closest is not None
    assert (places.closest.source, places.closest.quote) == (
        "bread.md",
        "loaf is done at 96 degrees",
    )
    # 25 and 26 characters, 24 of them shared in order: 2 * 24 / 51.
    assert places.likeness == pytest.approx(48 / 51)


def test_what_is_like_nothing_has_no_closest_text() -> None:
    assert find_answer("zzzz qqqq xxxx", DOCUMENTS).closest is None


@pytest.mark.parametrize("typed", ["", "  \n"])
def test_nothing_typed_is_found_nowhere(typed: str) -> None:
    places = find_answer(typed, DOCUMENTS)
    assert (places.answers, places.total, places.closest) == ((), 0, None)


def test_a_very_long_answer_is_found_and_never_nearly() -> None:
    long = "The loaf is done. " * 300
    assert find_answer(long, [("a", f"Before. {long}After.")]).total == 1
    assert find_answer(long + "x", [("a", f"Before. {long}After.")]).closest is None


def test_a_short_passage_stands_for_whole_words() -> None:
    assert passages("cat", "concatenate the cat") == [(16, 19)]
    assert loose_passages("CAT", "Concatenate the Cat") == [(16, 19)]
    assert passages("晴れ", "今日は晴れです") == [(3, 5)]


def test_letters_that_change_length_keep_their_place() -> None:
    # Two letters in lower case: the place of what follows must not move.
    assert loose_passages("stanbul is", "In İSTANBUL  IS it") == []
    assert loose_passages("istanbul is big, truly", "İ İSTANBUL IS big, truly") == []
    assert loose_passages("is  it", "İİİ IS it") == [(4, 9)]


@given(any_texts, any_texts, any_texts)
def test_loose_passages_are_the_quote_but_for_space_and_case(quote, before, behind) -> None:
    text = f"{before} {quote.upper()} {behind}"
    for start, end in loose_passages(quote, text):
        assert text[start:end].split() != []
        assert [w.lower() for w in text[start:end].split()] == [w.lower() for w in quote.split()]


@settings(max_examples=200)
@given(st.text("abc d", min_size=1, max_size=30), any_texts)
def test_the_nearest_text_is_inside_and_never_more_than_alike(quote, text) -> None:
    near = nearest(quote, text)
    if near is not None:
        assert 0 <= near.span.start < near.span.end <= len(text)
        assert text[slice(*near.span)].strip() == text[slice(*near.span)]
        assert 0.6 <= near.likeness <= 1


def test_rare_words_come_before_common_ones() -> None:
    found = search_sentences("The ferry on Sunday", DOCUMENTS)
    texts = dict(DOCUMENTS)
    shown = [texts[each.source][each.start : each.end] for each in found]
    # `Sunday` stands in one sentence, `ferry` and `on` in two, `the` in three of five.
    assert shown[0] == "The ferry\nleaves at Nine on Sunday."
    assert shown[-1] == "The loaf is done at 96 degrees."
    assert found[0].words[0] == "sunday"
    assert found[0].words[-1] == "the"
    assert [each.score for each in found] == sorted((e.score for e in found), reverse=True)


def test_the_score_of_one_word_is_bm25() -> None:
    # Two sentences of two words, one holds `cat`: ln(1 + (2 - 1 + .5) / (1 + .5)) = ln 2, and the
    # rest is (1 * 2.2) / (1 + 1.2 * 1) = 1.
    [one] = search_sentences("cat", [("a", "Cat sits. Dog runs.")])
    assert one.score == pytest.approx(0.6931471805599453)
    assert (one.source, one.start, one.end, one.words) == ("a", 0, 9, ("cat",))


def test_words_of_a_script_without_spaces_are_found_by_character() -> None:
    [one] = search_sentences("雨", [("a", "今日は晴れ。明日は雨。")])
    assert (one.start, one.end) == (6, 11)


@pytest.mark.parametrize("words", ["", "  ", "?!", "zebra"])
def test_words_that_stand_nowhere_find_nothing(words: str) -> None:
    assert search_sentences(words, DOCUMENTS) == []


def test_nothing_is_found_in_nothing() -> None:
    assert search_sentences("cat", []) == []
    assert search_sentences("cat", [("a", "")]) == []


@given(any_texts, st.sampled_from(["a", "word", "sentence", "한"]))
def test_every_sentence_found_is_one_and_holds_the_word(text: str, word: str) -> None:
    spans = sentence_spans(text)
    for each in search_sentences(word, [("a", text)], limit=99):
        assert (each.start, each.end) in spans
        assert word in text[each.start : each.end].lower()


def test_picked_neighbours_are_one_answer_and_others_two() -> None:
    first, second, _ = sentence_spans(HARBOUR)
    [one] = answers_from(("harbour.md", HARBOUR), [second, first], "searched")
    assert one.quote == "The ferry leaves at nine. Captains meet on Monday."
    assert one.origin == "searched"
    two = answers_from(("harbour.md", HARBOUR), [(0, 25), (52, 61)], "result")
    assert [each.quote for each in two] == ["The ferry leaves at nine.", "The ferry"]
    assert answers_from(("harbour.md", HARBOUR), [], "searched") == []
