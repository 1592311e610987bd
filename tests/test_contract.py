"""The contract of a chunker, for every strategy, unit and setting, over one nasty alphabet."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk import STRATEGIES, chunk
from ragchunk.sentences import sentence_spans
from ragchunk.strategies import TAILS, Sized
from ragchunk.tokens import token_starts
from ragchunk.units import UNITS, Unit
from tests.texts import any_texts

NAMED = ("paragraph", "line", "sentence", "word", "cluster")
PACKING = ["paragraphs", "sentences", "recursive"]
SIZED = [name for name, kind in STRATEGIES.items() if issubclass(kind, Sized)]


@st.composite
def sized_strategies(draw, names=tuple(SIZED), tails=TAILS):
    size = draw(st.integers(1, 40))
    return STRATEGIES[draw(st.sampled_from(names))](
        size=size,
        overlap=draw(st.integers(0, size - 1)),
        unit=draw(st.sampled_from(UNITS)),
        tail=draw(st.sampled_from(tails)),
        min_size=draw(st.none() | st.integers(0, size)),
    )


def measured(text: str, start: int, end: int, unit: Unit) -> int:
    """The definitions of the units, the slow way."""
    if unit == "characters":
        return len(text[start:end])
    if unit == "words":
        return len(text[start:end].split())
    return sum(start <= position < end for position in token_starts(text))


def cluster_edges(text: str) -> set[int]:
    return {0, len(text)} | {cluster.start() for cluster in regex.finditer(r"\X", text)}


def indivisible(text: str, start: int, end: int, unit: Unit) -> bool:
    """Whether no cut the unit allows lies inside the span."""
    inner = cluster_edges(text) & set(range(start + 1, end))
    if unit == "words":
        inner = {i for i in inner if not text[i].isspace() and text[i - 1].isspace()}
    if unit == "tokens":
        # What stands before the first token has no token before it, and goes with the first.
        inner &= set(token_starts(text)) - set(token_starts(text)[:1])
    return not inner


@settings(max_examples=600, deadline=None)
@given(any_texts, sized_strategies())
def test_every_promise_of_the_contract(text, strategy):
    keeps_the_contract(text, strategy)


def keeps_the_contract(text: str, strategy: Sized) -> None:
    cut = strategy.cut(text)
    spans = cut.spans
    assert spans == strategy.spans(text) == type(strategy)(**vars(strategy)).spans(text)

    if not text.strip():
        assert spans == []
        return
    starts, ends = [s for s, _ in spans], [e for _, e in spans]
    assert starts == sorted(set(starts))
    assert ends == sorted(set(ends))
    assert starts[0] >= 0
    assert ends[-1] <= len(text)
    assert all(start < end for start, end in spans)

    edges = cluster_edges(text)
    assert set(starts) | set(ends) <= edges

    covered = {i for start, end in spans for i in range(start, end)}
    if cut.dropped:
        covered |= set(range(*cut.dropped))
        assert strategy.tail == "drop"
    assert {i for i, c in enumerate(text) if not c.isspace()} <= covered

    for number, span in enumerate(spans):
        size = measured(text, span.start, span.end, strategy.unit)
        oversized = strategy.is_oversized(text, span)
        assert oversized == (size > strategy.size)
        if oversized and not (cut.merged and number == len(spans) - 1):
            assert indivisible(text, span.start, span.end, strategy.unit)


@settings(max_examples=400, deadline=None)
@given(any_texts, sized_strategies(names=PACKING, tails=["keep"]))
def test_packed_overlap_is_never_more_than_asked_and_never_all_of_a_chunk(text, strategy):
    chunks = chunk([("a", text)], strategy)
    for before, after in pairwise(chunks):
        if after.overlap:
            asked = measured(text, after.start, before.end, strategy.unit)
            assert asked <= strategy.overlap
        assert after.text.strip()
        assert any(not c.isspace() for c in text[before.end : after.end])


@settings(max_examples=200, deadline=None)
@given(any_texts, sized_strategies(names=["sentences"], tails=["keep"]))
def test_what_two_chunks_of_sentences_share_begins_where_a_sentence_does(text, strategy):
    starts = {start for start, _ in sentence_spans(text)}
    for each in chunk([("a", text)], strategy):
        assert not each.overlap or each.start in starts


SEPARATORS = st.sampled_from([*"abX. |", ". ", "\n", "\r", "\u200d", "\u0301", *NAMED[:-1]])


@settings(max_examples=400, deadline=None)
@given(
    any_texts,
    st.lists(SEPARATORS.filter(lambda each: not each.isalpha() or each in NAMED), unique=True),
    sized_strategies(names=["recursive"]),
)
def test_the_contract_holds_for_any_separators_that_end_in_clusters(text, separators, strategy):
    keeps_the_contract(text, replace(strategy, separators=(*separators, "cluster")))


@settings(max_examples=200, deadline=None)
@given(any_texts, st.integers(1, 30))
def test_what_no_separator_divides_is_whole_and_the_only_oversized_part(text, size):
    ours = STRATEGIES["recursive"](size=size, separators=["line"])
    for start, end in ours.spans(text):
        if ours.is_oversized(text, (start, end)):
            [line] = regex.split(r"[\r\n]", text[start:end])
            before = regex.split(r"[\r\n]", text[:start])[-1]
            behind = regex.split(r"[\r\n]", text[end:])[0]
            assert line
            assert [before.strip(), behind.strip()] == ["", ""]


@settings(max_examples=200, deadline=None)
@given(any_texts, sized_strategies(names=["window"], tails=["keep"]))
def test_window_overlap_is_exact_in_words_where_no_cluster_forbids_it(text, strategy):
    if strategy.unit != "words" or regex.search(r"\s\p{M}|\s\u200d|\p{GCB=Prepend}", text):
        return
    spans = strategy.spans(text)
    for before, after in pairwise(spans):
        assert measured(text, after.start, before.end, "words") == strategy.overlap


def test_a_mark_on_a_wide_space_is_lost_by_no_strategy_and_cut_by_none():
    paragraphs = STRATEGIES["paragraphs"]
    text = "First here.\n\n\u00a0\u0301 is an acute accent on a space.\n\nEnd."
    spans = paragraphs(size=5, unit="words").spans(text)
    covered = {i for start, end in spans for i in range(start, end)}
    assert {i for i, c in enumerate(text) if not c.isspace()} <= covered
    assert paragraphs(size=3).spans("\u3000\u0301abc def")[0] == (0, 3)
    assert paragraphs(size=1).spans("\u3000\u0301") == [(0, 2)]


def test_characters_before_the_first_token_do_not_tear_its_cluster_in_two():
    window = STRATEGIES["window"](size=3, overlap=2, unit="tokens")
    for text in ("\0한 a b", "\u0301क्ष.! x"):
        for each in chunk([("a", text)], window):
            assert each.oversized == (measured(text, each.start, each.end, "tokens") > 3)
            if each.oversized:
                assert indivisible(text, each.start, each.end, "tokens")


def test_characters_before_the_first_token_go_with_it_though_a_cut_could_stand_between():
    text = "\u00a0\u0301한"
    strategy = STRATEGIES["window"](size=1, unit="tokens")
    assert strategy.spans(text) == [(0, 3)]
    keeps_the_contract(text, strategy)


@given(any_texts)
def test_whole_documents_are_one_chunk(text):
    spans = STRATEGIES["whole"]().spans(text)
    assert spans == ([(0, len(text))] if text.strip() else [])


@given(any_texts, sized_strategies())
def test_chunks_are_slices_that_know_their_place(text, strategy):
    chunks = chunk([("notes.md", text)], strategy)
    for index, piece in enumerate(chunks):
        assert piece.id == f"notes.md#{index}"
        assert piece.text == text[piece.start : piece.end]
        before = chunks[index - 1].end if index else 0
        assert piece.overlap == max(0, before - piece.start)


@given(st.text("abc de\n.", max_size=200))
def test_a_text_of_exactly_the_size_is_one_chunk(text):
    if not text.strip():
        return
    strategy = STRATEGIES["window"](size=len(text), overlap=len(text) - 1)
    assert strategy.spans(text) == [(0, len(text))]
