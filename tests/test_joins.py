"""Why two neighbouring chunks share nothing: the sentences, and that their numbers hold."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk import STRATEGIES, Span
from ragchunk.joins import NOTHING_FITS, join_reason
from tests.texts import any_texts

WHOLE, WINDOW, PARAGRAPHS = STRATEGIES["whole"], STRATEGIES["window"], STRATEGIES["paragraphs"]
SENTENCES, RECURSIVE = STRATEGIES["sentences"], STRATEGIES["recursive"]

# Two paragraphs of ten characters: 0 to 10 and 12 to 22.
TWO = "abcdefghij\n\nklmnopqrst"
STORY = "One two three four. Five six seven.\n\nEight nine.\n\nTen."


@pytest.mark.parametrize(
    ("text", "strategy", "reason"),
    [
        (TWO, WHOLE(), "the whole document is one chunk"),
        (TWO, WINDOW(size=10), "no overlap was asked"),
        (TWO, PARAGRAPHS(size=10), "no overlap was asked"),
        (
            STORY,
            PARAGRAPHS(size=8, overlap=2, unit="words"),
            "the last paragraph (7 words) and its last sentence (3) are longer than the overlap "
            "asked (2)",
        ),
        (
            "One two three four.\n\nFive six.",
            PARAGRAPHS(size=5, overlap=3, unit="words"),
            "the last paragraph (4 words) is longer than the overlap asked (3)",
        ),
        (
            "One two. Three four five. Six seven.",
            PARAGRAPHS(size=5, overlap=2, unit="words"),
            "the last sentence (3 words) is longer than the overlap asked (2)",
        ),
        (
            "One. Two three.\n\nFour five six seven.",
            PARAGRAPHS(size=5, overlap=3, unit="words"),
            "the next paragraph (4 words) fills the budget: with the last sentence before it that "
            "would be 6, more than the size (5)",
        ),
        (
            "One two.\n\nThree four.",
            PARAGRAPHS(size=3, overlap=2, unit="words"),
            "the chunk before is one paragraph, and would be repeated whole",
        ),
        (
            "aaa👨‍👩‍👧bbb",
            WINDOW(size=8, overlap=3),
            "the last grapheme cluster (5 characters) is longer than the overlap asked (3)",
        ),
        (
            "abc👨‍👩‍👧👨‍👩‍👧",
            WINDOW(size=5, overlap=1),
            "the next grapheme cluster (5 characters) fills the budget: with the last grapheme "
            "cluster before it that would be 6, more than the size (5)",
        ),
        (
            "👨‍👩‍👧👨‍👩‍👧",
            WINDOW(size=6, overlap=5),
            "the chunk before is one grapheme cluster, and would be repeated whole",
        ),
        (
            "One two. Three four five. Six seven.",
            SENTENCES(size=5, overlap=2, unit="words"),
            "the last sentence (3 words) is longer than the overlap asked (2)",
        ),
        (
            "One. Two three. Four five six seven.",
            SENTENCES(size=5, overlap=3, unit="words"),
            "the next sentence (4 words) fills the budget: with the last sentence before it that "
            "would be 6, more than the size (5)",
        ),
        (
            "One two.\n\nThree four.",
            SENTENCES(size=3, overlap=2, unit="words"),
            "the chunk before is one sentence, and would be repeated whole",
        ),
        (
            "One two three.\n\nFour five.\n\nSix.",
            RECURSIVE(size=5, overlap=1, unit="words"),
            "the last part (2 words) is longer than the overlap asked (1)",
        ),
        (
            "One.\n\nTwo three.\n\nFour five six.",
            RECURSIVE(size=4, overlap=2, unit="words"),
            "the next part (3 words) fills the budget: with the last part before it that would be "
            "5, more than the size (4)",
        ),
        (
            "One two.\n\nThree four five. Six seven eight.",
            RECURSIVE(size=4, overlap=3, unit="words"),
            "here another division begins, and parts are repeated within one only",
        ),
    ],
)
def test_reasons(text: str, strategy, reason: str) -> None:
    spans = [*strategy.spans(text), Span(0, 0)]
    assert spans[1] == (0, 0) or spans[1].start >= spans[0].end
    assert join_reason(text, spans[0], spans[1], strategy) == reason


@given(any_texts, st.integers(2, 12), st.integers(1, 11), st.sampled_from(["characters", "words"]))
def test_there_is_always_a_reason_and_its_numbers_hold(
    text: str, size: int, overlap: int, unit
) -> None:
    overlap = min(overlap, size - 1)
    for kind in (WINDOW, PARAGRAPHS, SENTENCES, RECURSIVE):
        strategy = kind(size=size, overlap=overlap, unit=unit)
        for before, after in pairwise(strategy.spans(text)):
            if after.start < before.end:
                continue
            reason = join_reason(text, before, after, strategy)
            assert reason != NOTHING_FITS
            numbers = [int(number) for number in re.findall(r"\d+", reason)]
            if "longer than" in reason:
                assert numbers[-1] == overlap
                assert all(number > overlap for number in numbers[:-1])
            elif "fills the budget" in reason:
                assert numbers[-1] == size
                assert numbers[-2] > size
