"""One sentence on what a question got, word for word."""

from __future__ import annotations

import pytest

from ragchunk import Chunk, Hit
from ragchunk.evaluation.questions import Answer
from ragchunk.evaluation.verdict import cost, fate, ranked_hits, verdict

A = Answer("a.md", 100, 200, "x" * 100)
A_LATER = Answer("a.md", 500, 600, "y" * 100)
B = Answer("b.md", 0, 50, "z" * 50)

WHOLE = ("a.md", 50, 300)
FIRST_PART = ("a.md", 0, 150)
MIDDLE = ("a.md", 120, 180)
LAST_PART = ("a.md", 150, 400)
ELSEWHERE = ("b.md", 100, 200)


def said(answers, *places, read=None, k=5) -> str:
    """The verdict on chunks at these places; `read` has where reading stops, by rank."""
    hits = [
        Hit(rank, 1 / rank, Chunk(f"{source}#{rank}", source, rank, start, end, ""))
        for rank, (source, start, end) in enumerate(places, 1)
    ]
    ends = [(read or {}).get(hit.rank, hit.chunk.end) for hit in hits]
    return verdict(answers, hits, ends, k)


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ([WHOLE], "The answer is whole in one chunk, rank 1."),
        ([ELSEWHERE, WHOLE], "The answer is whole in one chunk, rank 2."),
        ([FIRST_PART, WHOLE, WHOLE], "The answer is whole in one chunk, rank 2."),
        ([("a.md", 100, 200)], "The answer is whole in one chunk, rank 1."),
        ([FIRST_PART, LAST_PART], "The answer is split: ranks 1 and 2 hold a part each."),
        (
            [LAST_PART, ELSEWHERE, FIRST_PART],
            "The answer is split: ranks 1 and 3 hold a part each.",
        ),
        (
            [FIRST_PART, MIDDLE, LAST_PART],
            "The answer is split: ranks 1, 2 and 3 hold a part each.",
        ),
        ([ELSEWHERE, MIDDLE], "The answer is cut: rank 2 holds a part of it."),
        ([("a.md", 101, 300)], "The answer is cut: rank 1 holds a part of it."),
        ([("a.md", 0, 199)], "The answer is cut: rank 1 holds a part of it."),
        ([ELSEWHERE], "The answer is not among the first 5."),
        ([("a.md", 0, 100), ("a.md", 200, 300)], "The answer is not among the first 5."),
        ([("b.md", 50, 300)], "The answer is not among the first 5."),
        ([], "The answer is not among the first 5."),
    ],
)
def test_one_answer(places: list, sentence: str) -> None:
    assert said([A], *places) == sentence


def test_not_among_as_many_as_were_asked_for() -> None:
    assert said([A], ELSEWHERE, k=12) == "The answer is not among the first 12."


@pytest.mark.parametrize(
    ("read_end", "sentence"),
    [
        (200, "The answer is whole in one chunk, rank 2."),
        (199, "The answer is in rank 2, and the model reads only its beginning."),
        (100, "The answer is in rank 2, behind the part the model reads."),
        (60, "The answer is in rank 2, behind the part the model reads."),
    ],
)
def test_an_answer_counts_only_where_the_model_reads(read_end: int, sentence: str) -> None:
    assert said([A], ELSEWHERE, WHOLE, read={2: read_end}) == sentence


def test_a_chunk_read_to_the_end_says_more_than_a_better_one_that_is_not() -> None:
    assert said([A], WHOLE, WHOLE, read={1: 60}) == "The answer is whole in one chunk, rank 2."


def test_behind_the_limit_says_more_than_split() -> None:
    assert said([A], FIRST_PART, WHOLE, LAST_PART, read={2: 60}) == (
        "The answer is in rank 2, behind the part the model reads."
    )


def test_no_known_answer_no_sentence() -> None:
    assert said([], WHOLE) == ""


LATER = ("a.md", 450, 650)
OF_B = ("b.md", 0, 80)


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ([("a.md", 0, 700)], "All 2 parts of the answer are whole, rank 1."),
        ([LATER, WHOLE], "All 2 parts of the answer are whole, ranks 1 and 2."),
        ([WHOLE, FIRST_PART], "1 of 2 parts of the answer are whole, rank 1."),
        ([ELSEWHERE, LATER, FIRST_PART], "1 of 2 parts of the answer are whole, rank 2."),
        (
            [FIRST_PART, LAST_PART],
            "None of the 2 parts of the answer is whole; "
            "the best is split: ranks 1 and 2 hold a part each.",
        ),
        (
            [MIDDLE],
            "None of the 2 parts of the answer is whole; "
            "the best is cut: rank 1 holds a part of it.",
        ),
        ([ELSEWHERE], "The answer is not among the first 5."),
    ],
)
def test_an_answer_of_two_passages(places: list, sentence: str) -> None:
    assert said([A, A_LATER], *places) == sentence


def test_an_answer_of_three_passages_in_three_ranks() -> None:
    assert said([A, A_LATER, B], OF_B, WHOLE, LATER) == (
        "All 3 parts of the answer are whole, ranks 1, 2 and 3."
    )
    assert said([A, A_LATER, B], OF_B, WHOLE) == (
        "2 of 3 parts of the answer are whole, ranks 1 and 2."
    )


def test_of_several_passages_none_whole_the_one_behind_the_limit_is_told() -> None:
    assert said([A, A_LATER], FIRST_PART, LATER, read={2: 500}) == (
        "None of the 2 parts of the answer is whole; "
        "the best is in rank 2, behind the part the model reads."
    )


def test_split_with_a_gap_says_that_some_is_in_no_hit() -> None:
    assert said([A], ("a.md", 0, 130), ("a.md", 170, 300)) == (
        "The answer is split: ranks 1 and 2 hold a part each, and some of it is in none."
    )


def test_the_fate_of_an_answer_lists_every_rank_that_holds_a_part() -> None:
    hits = [
        Hit(rank, 0.0, Chunk(f"#{rank}", source, rank, start, end, ""))
        for rank, (source, start, end) in enumerate([FIRST_PART, WHOLE, ELSEWHERE, WHOLE], 1)
    ]
    found = fate(A, hits, [150, 120, 200, 300])
    assert (found.whole, found.unread, found.parts) == (4, 2, (1, 2, 4))


@pytest.mark.parametrize(
    ("paid", "sentence"),
    [
        (1.0, "It is complete after 1 token."),
        (1234.0, "It is complete after 1,234 tokens."),
        (float("inf"), "Some of it is in no chunk of the ranking."),
    ],
)
def test_what_a_complete_answer_costs(paid: float, sentence: str) -> None:
    assert cost(paid) == sentence


def test_a_row_of_a_ranking_is_hits_up_to_its_end() -> None:
    chunks = [Chunk(f"a#{n}", "a", n, n, n + 1, "") for n in range(3)]
    hits = ranked_hits(chunks, [2, 0, -1], scores=[0.25, 0.1, 0.5])
    assert [(hit.rank, hit.score, hit.chunk.index) for hit in hits] == [(1, 0.5, 2), (2, 0.25, 0)]
    assert [hit.score for hit in ranked_hits(chunks, [1])] == [0.0]
