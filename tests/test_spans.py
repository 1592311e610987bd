"""Interval algebra: a picture cut at every edge is still the whole document."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragchunk.spans import Segment, Span, segments, shared, trimmed, union_length
from tests.texts import any_texts

LENGTH = 40


@st.composite
def rising_spans(draw) -> list[Span]:
    """Spans as strategies give them: starts and ends strictly increase, gaps and deep overlap."""
    number = draw(st.integers(0, 8))
    places = st.sets(st.integers(0, LENGTH - 1), min_size=number, max_size=number)
    starts, ends = sorted(draw(places)), sorted(draw(places))
    return [Span(a, b + 1) for a, b in zip(starts, ends, strict=True) if a <= b]


@st.composite
def stretches(draw) -> tuple[int, int]:
    start = draw(st.integers(0, LENGTH))
    return start, draw(st.integers(start, LENGTH))


def covered(spans: list[Span]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


@given(rising_spans(), stretches())
def test_segments_joined_are_the_text(spans: list[Span], stretch: tuple[int, int]) -> None:
    start, end = stretch
    found = segments(spans, start, end)
    text = "".join(chr(0x4E00 + place) for place in range(LENGTH))
    assert "".join(text[each.start : each.end] for each in found) == text[start:end]
    assert all(each.start < each.end for each in found)


@given(rising_spans(), stretches())
def test_each_character_has_its_true_owners(spans: list[Span], stretch: tuple[int, int]) -> None:
    for start, end, owners in segments(spans, *stretch):
        for place in range(start, end):
            naive = [number for number, (a, b) in enumerate(spans) if a <= place < b]
            assert list(owners) == naive


@given(rising_spans(), stretches())
def test_neighbouring_segments_differ_or_meet_at_an_edge(
    spans: list[Span], stretch: tuple[int, int]
) -> None:
    edges = {edge for span in spans for edge in span}
    found = segments(spans, *stretch)
    assert all(each.start in edges for each in found[1:])


def test_overlap_three_chunks_deep() -> None:
    assert segments([(0, 6), (2, 8), (4, 10)], 0, 10) == [
        Segment(0, 2, (0,)),
        Segment(2, 4, (0, 1)),
        Segment(4, 6, (0, 1, 2)),
        Segment(6, 8, (1, 2)),
        Segment(8, 10, (2,)),
    ]


def test_a_stretch_in_the_middle_knows_only_who_covers_it() -> None:
    assert segments([(0, 6), (2, 8), (8, 10)], 5, 9) == [
        Segment(5, 6, (0, 1)),
        Segment(6, 8, (1,)),
        Segment(8, 9, (2,)),
    ]


def test_text_in_no_chunk_has_no_owner() -> None:
    assert segments([], 0, 5) == [Segment(0, 5, ())]
    assert segments([(1, 2), (4, 5)], 0, 5) == [
        Segment(0, 1, ()),
        Segment(1, 2, (0,)),
        Segment(2, 4, ()),
        Segment(4, 5, (1,)),
    ]


def test_nothing_has_no_segments() -> None:
    assert segments([(0, 3)], 2, 2) == []


@given(st.lists(stretches(), max_size=8))
def test_the_union_counts_each_character_once(spans: list[tuple[int, int]]) -> None:
    assert union_length(spans) == len(covered([Span(*span) for span in spans]))


@given(stretches(), stretches())
def test_two_spans_share_the_characters_of_both(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    common = covered([Span(*one)]) & covered([Span(*other)])
    assert shared(one, other) == shared(other, one) == len(common)


@given(any_texts, st.data())
def test_trimming_moves_the_span_and_keeps_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = trimmed(text, start, end)
    assert text[slice(*found)] == text[start:end].strip()
    assert start <= found.start <= found.end <= end


def test_trimming_white_space_alone_leaves_nothing() -> None:
    assert trimmed("ab  \n c", 2, 5) == Span(5, 5)
