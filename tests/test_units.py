"""Characters, words and tokens, against their definitions written the slow way."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk.tokens import count_tokens, token_starts
from ragchunk.units import UNITS, Unit, inside_word, is_unspaced, ruler, token_pieces, word_pieces
from tests.texts import any_texts, nasty_texts


def slow(text: str, start: int, end: int, unit: str) -> int:
    if unit == "characters":
        return len(text[start:end])
    if unit == "words":
        return len(text[start:end].split())
    return sum(start <= place < end for place in token_starts(text))


@st.composite
def texts_and_spans(draw) -> tuple[str, int, int]:
    text = draw(any_texts)
    start = draw(st.integers(0, len(text)))
    return text, start, draw(st.integers(start, len(text)))


@pytest.mark.parametrize("unit", UNITS)
@given(case=texts_and_spans())
@settings(max_examples=300, deadline=None)
def test_a_span_measures_what_its_definition_says(case: tuple[str, int, int], unit: Unit) -> None:
    text, start, end = case
    assert ruler(text, unit).measure(start, end) == slow(text, start, end, unit)


@pytest.mark.parametrize("unit", UNITS)
@given(text=any_texts)
@settings(max_examples=200, deadline=None)
def test_no_piece_begins_inside_a_cluster(text: str, unit: Unit) -> None:
    edges = [cluster.start() for cluster in regex.finditer(r"\X", text)]
    pieces = ruler(text, unit).pieces(0, len(text))
    assert pieces == sorted(set(pieces))
    if text:
        assert pieces[0] == 0
        assert set(pieces) <= set(edges)
    if unit == "characters":
        assert pieces == edges


@pytest.mark.parametrize("pieces_of", [word_pieces, lambda text: token_pieces(text, MODEL)])
@given(text=nasty_texts)
@settings(max_examples=200, deadline=None)
def test_pieces_hold_every_unit_once(text: str, pieces_of) -> None:
    row = pieces_of(text)
    before = list(row.before)
    assert len(before) == len(row.starts) + 1
    assert before == sorted(before)
    assert list(row.starts) == sorted(set(row.starts))
    units = len(text.split()) if pieces_of is word_pieces else len(token_starts(text))
    assert before[-1] == units
    assert before[0] == 0


MODEL = "all-MiniLM-L6-v2"


def test_a_torn_word_reads_as_a_word_but_a_torn_token_is_none() -> None:
    # The cut tears `elephant`, one word and one token.
    text = "an elephant"
    assert ruler(text, "words").measure(5, 11) == 1
    assert ruler(text, "tokens").measure(5, 11) == 0
    assert ruler(text, "characters").measure(5, 11) == 6


def test_tokens_are_of_the_whole_text_so_the_parts_add_up() -> None:
    text = "Tokenizers tokenize untokenizable tokens."
    whole = count_tokens(text)
    for place in range(len(text) + 1):
        measure = ruler(text, "tokens").measure
        assert measure(0, place) + measure(place, len(text)) == whole


def test_characters_without_a_token_belong_to_the_token_before() -> None:
    # U+200B gives no token: it can begin no window.
    text = "cat \u200b dog"
    row = token_pieces(text, MODEL)
    assert list(row.starts) == [0, 6]
    assert ruler(text, "tokens").measure(4, 5) == 0


def test_tokens_that_begin_in_one_cluster_are_one_piece() -> None:
    # Korean in single letters: each syllable is three letters and three tokens, then one of `x`.
    row = token_pieces("\u1112\u1161\u11ab \u1112\u1161\u11ab x", MODEL)
    assert list(row.starts) == [0, 4, 8]
    assert list(row.before) == [0, 3, 6, 7]


@pytest.mark.parametrize(
    ("place", "torn"), [(0, False), (1, True), (2, False), (3, False), (4, True), (5, False)]
)
def test_a_cut_tears_a_word_only_between_two_of_its_letters(place: int, torn: bool) -> None:
    assert inside_word("ab cd", place) is torn


def test_scripts_without_spaces_are_known() -> None:
    assert is_unspaced("今日は雨です。明日は晴れです。")
    assert is_unspaced("สวัสดีครับ")
    assert not is_unspaced("The word 雨 means rain in a long enough English sentence.")
    assert not is_unspaced("안녕하세요 세계")  # Korean has spaces
    assert not is_unspaced("")
