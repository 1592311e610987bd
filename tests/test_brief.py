"""Verdicts in a few words, on answers and hits laid out by hand."""

from __future__ import annotations

import pytest

from ragchunk.chunks import Chunk
from ragchunk.evaluation.brief import brief
from ragchunk.evaluation.questions import Answer
from ragchunk.search import Hit


def hit(rank: int, start: int, end: int) -> Hit:
    return Hit(rank, 0.5, Chunk(f"a#{rank}", "a", rank, start, end, "x" * (end - start)))


def answer(start: int, end: int) -> Answer:
    return Answer("a", start, end, "x" * (end - start))


ONE = [answer(100, 200)]
TWO = [answer(100, 200), answer(400, 500)]


@pytest.mark.parametrize(
    ("answers", "hits", "read", "recall", "expected"),
    [
        (ONE, [hit(2, 50, 250)], [250], 1.0, ("whole", "whole, rank 2")),
        (
            ONE,
            [hit(1, 50, 150), hit(4, 150, 300)],
            [150, 300],
            1.0,
            ("part", "split across 2, all of it"),
        ),
        (
            ONE,
            [hit(1, 0, 120), hit(3, 180, 300)],
            [120, 300],
            0.4,
            ("part", "split across 2, 40 % of it"),
        ),
        (ONE, [hit(3, 0, 157)], [157], 0.57, ("part", "cut, 57 % of it in rank 3")),
        (ONE, [hit(1, 0, 900)], [90], 1.0, ("part", "behind the model's limit, rank 1")),
        (ONE, [hit(1, 0, 900)], [150], 1.0, ("part", "the model reads only its beginning, rank 1")),
        (ONE, [], [], 0.0, ("none", "not in 1,000 tokens")),
        (
            TWO,
            [hit(1, 0, 250), hit(3, 350, 600)],
            [250, 600],
            1.0,
            ("whole", "all 2 parts whole, ranks 1 and 3"),
        ),
        (TWO, [hit(1, 0, 250)], [250], 0.5, ("part", "1 of 2 parts whole, rank 1")),
        (TWO, [hit(2, 0, 600)], [600], 1.0, ("whole", "all 2 parts whole, rank 2")),
    ],
)
def test_what_became_of_the_answer(answers, hits, read, recall, expected) -> None:
    found = brief(answers, hits, read, recall, "1,000 tokens")
    assert (found.sign, found.words.replace("\u202f", " ")) == expected
