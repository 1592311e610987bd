"""Is A better than B: known answers, three ways of not knowing, and the same from both sides."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk import SettingsError
from ragchunk.evaluation.compare import (
    POINTS,
    TOKENS,
    Comparison,
    Scale,
    compare,
    interval,
    questions_needed,
    sign_flip_p,
)

FOUND = Comparison(
    questions=128,
    mean_a=0.8,
    mean_b=0.759,
    difference=0.041,
    low=0.012,
    high=0.07,
    p=0.006,
    wins=20,
    losses=9,
    ties=99,
    needed=70,
)


# The numbers


def test_the_p_value_of_few_figures_counts_every_flip_of_signs() -> None:
    # All five the same way: two of the 32 ways have a sum at least as large.
    assert sign_flip_p(np.ones(5)) == 2 / 32
    # 1 + 2 + 3 = 6: only all plus and all minus reach it, of eight.
    assert sign_flip_p(np.array([1.0, 2.0, 3.0])) == 2 / 8
    # 3 - 1 = 2, of ±3 ± 1: four ways, all at least 2.
    assert sign_flip_p(np.array([3.0, -1.0])) == 1


def test_the_interval_of_a_share_is_that_of_the_binomial_distribution() -> None:
    # The mean of 64 draws of a fair coin: at most 23 with .017, at most 24 with .030.
    assert interval(np.array([0.0, 1.0] * 32)) == (24 / 64, 40 / 64)


def test_the_interval_of_equal_figures_is_one_point() -> None:
    assert interval(np.full(20, 0.25)) == (0.25, 0.25)


def test_questions_needed_are_worked_out_and_rounded_to_two_figures() -> None:
    # Half at 1.5 and half at -0.5: the standard deviation is the root of 100/99.
    d = np.array([1.5, -0.5] * 50)
    # (1.96 * 1.00504 / 0.5)² = 15.5; by 0.1: 388.04; by 0.01: 38,804.
    assert questions_needed(d, 0.5) == 16
    assert questions_needed(d, 0.1) == 390
    assert questions_needed(d, 0.01) == 39_000


def test_more_than_a_hundred_thousand_questions_are_not_named() -> None:
    assert questions_needed(np.array([1.5, -0.5] * 50), 0.001) is None
    assert questions_needed(np.array([1.0, -1.0]), 0) is None
    assert questions_needed(np.array([1.0]), 1) is None


def test_a_comparison_worked_by_hand() -> None:
    # A answers 15 of 20, B 5; they agree on 6: 4 both, 2 neither.
    a = [1] * 4 + [1] * 11 + [0] * 1 + [0] * 2 + [0] * 2
    b = [1] * 4 + [0] * 11 + [1] * 1 + [0] * 2 + [1] * 2
    found = compare(a, b)
    assert (found.questions, found.wins, found.losses, found.ties) == (20, 11, 3, 6)
    assert (found.mean_a, found.mean_b) == (0.75, 0.35)
    assert found.difference == pytest.approx(0.4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.4 < found.high
    # 11 of 14 coins the same way: twice (1 + 14 + 91 + 364) / 2^14.
    assert found.p == pytest.approx(2 * 470 / 2**14, abs=0.01)


# The sentences


def test_one_is_better() -> None:
    assert FOUND.sentence() == "A is better by 4.1 points (1.2 to 7.0) on 128 questions."
    assert FOUND.winner == "a"


def test_the_other_is_better() -> None:
    turned = replace(FOUND, difference=-0.041, low=-0.07, high=-0.012)
    assert turned.winner == "b"
    assert turned.sentence("small", "large") == (
        "large is better by 4.1 points (1.2 to 7.0) on 128 questions."
    )


def test_an_interval_with_zero_in_it_tells_nothing_apart() -> None:
    open_ = replace(FOUND, questions=24, low=-0.03, p=0.2, needed=180)
    assert (open_.winner, open_.is_told_apart) == ("", False)
    assert open_.sentence() == (
        "A and B cannot be told apart on 24 questions; about 180 would settle a difference of this "
        "size."
    )


def test_an_interval_without_zero_is_not_enough_where_a_coin_would_do_as_well() -> None:
    # Four wins and no loss: 2 of 16 ways to toss four coins.
    found = compare([1] * 4 + [0] * 11, [0] * 15)
    assert found.low is not None
    assert found.low > 0
    assert found.p == pytest.approx(2 / 16, abs=0.01)
    assert found.winner == ""
    assert found.sentence() == (
        "A and B cannot be told apart on 15 questions; a few more may settle a difference of this "
        "size."
    )


def test_a_difference_too_small_to_settle() -> None:
    tiny = replace(FOUND, low=-0.1, p=0.9, needed=None)
    assert tiny.sentence().endswith(
        "on 128 questions; more than 100,000 would be needed for a difference of this size."
    )


def test_identical_results_equal_means_and_too_few_are_three_different_sentences() -> None:
    some = [0.0, 0.5, 1.0] * 8
    assert compare(some, some).sentence() == "A and B have identical results on 24 questions."
    assert compare([1, 0, 0.5] * 8, [0, 1, 0.5] * 8).sentence() == (
        "A and B are equal on average on 24 questions, and differ on 16 of them. "
        "A is ahead on 8, B on 8, and 8 are equal."
    )
    few = compare([1] * 8 + [0] * 6, [0] * 7 + [1] + [0] * 6)
    assert few.sentence() == (
        "14 questions: counts only, no winner. A is ahead on 7, B on 0, and 7 are equal."
    )
    assert (few.low, few.high, few.p, few.winner) == (None, None, None, "")


def test_identical_is_said_of_few_questions_only_as_counts() -> None:
    assert compare([1], [1]).sentence() == (
        "1 question: counts only, no winner. A is ahead on 0, B on 0, and 1 is equal."
    )


def test_no_question_at_all() -> None:
    assert compare([], []).sentence() == "A and B cannot be compared: there is no question."


def test_fewer_tokens_are_better_and_told_as_they_are() -> None:
    a = np.arange(20) + 500.0
    found = compare(a, a + 1_200, TOKENS)
    assert (found.winner, found.wins, found.losses) == ("a", 20, 0)
    assert found.sentence("small", "large") == (
        "small is cheaper than large by 1,200 tokens (1,200 to 1,200) on 20 questions."
    )
    assert (
        compare(a + 1, a, TOKENS).sentence().startswith("B is cheaper than A by 1 token (1 to 1)")
    )


def test_numbers_of_a_scale() -> None:
    assert [POINTS.told(value) for value in (0.041, 0.01, 1, -0.0001)] == [
        "4.1 points",
        "1.0 points",
        "100.0 points",
        "0.0 points",
    ]
    assert Scale(1, "chunk").told(1) == "1 chunk"


def test_rounding_in_the_last_digit_is_no_difference() -> None:
    a, b = [0.1 + 0.2] * 20, [0.3] * 20
    assert a != b
    assert compare(a, b).ties == 20


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([1] * 20, [1] * 19, "A has 20 questions and B 19"),
        ([1, math.inf], [1, 1], "finite"),
        ([1, 1], [1, math.nan], "finite"),
        ([[1], [1]], [1, 1], "shape"),
    ],
)
def test_what_cannot_be_compared_is_refused(a: list, b: list, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        compare(a, b)


# From both sides, and again

figures = st.integers(15, 30).flatmap(
    lambda count: st.tuples(
        *[st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=count, max_size=count)] * 2
    )
)


@settings(max_examples=60, deadline=None)
@given(figures)
def test_swapping_a_and_b_mirrors_everything(pair: tuple[list[float], list[float]]) -> None:
    a, b = pair
    one, other = compare(a, b), compare(b, a)
    assert (one.difference, one.wins, one.losses) == (-other.difference, other.losses, other.wins)
    assert one.low is not None
    assert other.high is not None
    assert one.low == pytest.approx(-other.high)
    assert one.p == pytest.approx(other.p)
    assert one.needed == other.needed
    assert one.sentence("x", "y") == other.sentence("y", "x") or one.winner == ""
    assert {one.winner, other.winner} in ({""}, {"a", "b"})


@settings(max_examples=60, deadline=None)
@given(figures, st.sampled_from([0.5, 3.0, -2.0]))
def test_only_differences_count(pair: tuple[list[float], list[float]], shift: float) -> None:
    a, b = map(np.array, pair)
    here, there = compare(a, b), compare(a + shift, b + shift)
    assert there.difference == pytest.approx(here.difference)
    assert (there.low, there.high) == pytest.approx((here.low, here.high))
    assert (there.wins, there.losses, there.ties) == (here.wins, here.losses, here.ties)
    assert there.sentence() == here.sentence()


@settings(max_examples=30, deadline=None)
@given(figures)
def test_the_same_questions_give_the_same_answer(pair: tuple[list[float], list[float]]) -> None:
    a, b = pair
    assert compare(a, b) == compare(a, b)


@settings(max_examples=60, deadline=None)
@given(figures)
def test_the_interval_holds_the_difference_and_no_winner_has_more_losses(
    pair: tuple[list[float], list[float]],
) -> None:
    a, b = pair
    found = compare(a, b)
    assert found.low is not None
    assert found.high is not None
    assert found.low - 1e-9 <= found.difference <= found.high + 1e-9
    if found.winner:
        assert (found.difference > 0) == (found.winner == "a")
        assert found.p is not None
        assert found.p < 0.05


def test_an_interval_can_be_had_while_another_thread_imports_torch() -> None:
    """In a process of its own, as torch is imported once."""
    script = """
import sys, threading
import numpy as np
from scipy import stats
from ragchunk.evaluation.compare import interval, sign_flip_p
from ragchunk.models import read_model
from ragchunk.tokens import DEFAULT_MODEL

d = np.array([0.0, 1.0] * 10)
loading = threading.Thread(target=read_model, args=(DEFAULT_MODEL,))
loading.start()
while "torch" not in sys.modules:
    pass
found = set()
while loading.is_alive():
    found.add((interval(d), sign_flip_p(d)))
print(len(found))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=False
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
