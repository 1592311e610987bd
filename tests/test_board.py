"""Many settings: who may be best, the cheapest of those, and the front of value and cost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk import SettingsError
from ragchunk.evaluation.board import board, pareto_front
from ragchunk.evaluation.compare import compare

NAMES = ["A", "B", "C"]


def test_of_two_that_are_equal_the_cheaper_is_best_and_each_is_best_half_the_time() -> None:
    found = board([[1] * 20, [1] * 20, [0] * 20], [300, 200, 100])
    assert found.best == found.recommended == 1
    assert found.share.tolist() == [0.5, 0.5, 0]
    assert found.is_tied.tolist() == [True, True, False]
    assert found.means.tolist() == [1, 1, 0]
    assert found.sentence(NAMES) == (
        "Take B. Of 3 settings, 2 cannot be told apart from the best on 20 questions; this one is "
        "the cheapest of them, at 200 tokens."
    )


def test_a_cheaper_setting_that_is_only_a_little_worse_is_recommended() -> None:
    # 15 and 14 of 20 right, on the same questions but for one.
    found = board([[1] * 15 + [0] * 5, [1] * 14 + [0] * 6], [900, 400])
    assert (found.best, found.recommended) == (0, 1)
    assert found.is_tied.tolist() == [True, True]


def test_a_clear_winner_is_recommended_at_any_cost() -> None:
    found = board([[1] * 20, [0] * 20], [5_000, 1])
    assert found.recommended == 0
    assert found.share.tolist() == [1, 0]
    assert found.sentence(NAMES) == (
        "Take A. It is the best of 2 settings on 20 questions, and told apart from all others, at "
        "5,000 tokens."
    )


def test_under_fifteen_questions_nothing_is_recommended() -> None:
    found = board([[1] * 14, [0] * 14], [1, 2])
    assert found.recommended is None
    assert found.sentence(NAMES) == (
        "14 questions: counts only, no winner. 15 are the fewest to compare on."
    )
    assert board([[1] * 15, [0] * 15], [1, 2]).recommended == 0


def test_one_setting_is_the_only_one() -> None:
    found = board([[0.5] * 20], [80])
    assert found.share.tolist() == [1]
    assert found.sentence(NAMES) == "Take A. It is the only setting, at 80 tokens, on 20 questions."


def test_the_interval_of_each_is_that_of_its_own_mean() -> None:
    # As the binomial distribution of 64 fair coins has it; see test_compare.
    found = board([[0, 1] * 32, [1] * 64], [1, 1])
    assert (found.low[0], found.high[0]) == (24 / 64, 40 / 64)
    assert (found.low[1], found.high[1]) == (1, 1)


@pytest.mark.parametrize(
    ("figures", "costs", "words"),
    [
        ([], [], "shape"),
        ([[]], [1], "shape"),
        ([1, 2], [1, 2], "shape"),
        ([[1, 2]], [1, 2], "shape"),
        ([[1, math.inf]], [1], "finite"),
        ([[1, 1]], [math.nan], "finite"),
    ],
)
def test_what_cannot_be_compared_is_refused(figures: list, costs: list, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        board(figures, costs)


def tables():
    def rows(shape: tuple[int, int]):
        row = st.lists(st.sampled_from([0, 0.5, 1]), min_size=shape[1], max_size=shape[1])
        return st.lists(row, min_size=shape[0], max_size=shape[0])

    return st.tuples(st.integers(1, 5), st.integers(15, 25)).flatmap(rows)


@settings(max_examples=60, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_settings_does_not_matter(table: list[list[float]], chance) -> None:
    costs = chance.sample(range(100), len(table))
    order = chance.sample(range(len(table)), len(table))
    here = board(table, costs, resamples=500)
    there = board([table[i] for i in order], [costs[i] for i in order], resamples=500)
    assert here.recommended is not None
    assert there.recommended is not None
    assert order[there.best] == here.best
    assert order[there.recommended] == here.recommended
    assert there.share == pytest.approx(here.share[order])


@settings(max_examples=60, deadline=None)
@given(tables())
def test_shares_are_of_all_draws_and_the_recommended_is_tied(table: list[list[float]]) -> None:
    costs = list(range(len(table)))
    found = board(table, costs, resamples=500)
    assert found.share.sum() == pytest.approx(1)
    assert found.is_tied[found.best]
    assert found.recommended == min(np.flatnonzero(found.is_tied))
    assert found.means[found.best] == found.means.max()


def test_of_two_settings_one_is_told_apart_as_a_pair_is() -> None:
    rng = np.random.default_rng(5)
    for keep in (0.99, 0.95, 0.9, 0.85, 0.8):
        one = rng.random(60) < 0.9
        two = one & (rng.random(60) < keep)
        table = np.array([one, two], dtype=float)
        assert board(table, [1, 2]).is_tied[1] == (not compare(*table).is_told_apart)


def test_among_many_equal_settings_hardly_ever_one_is_called_worse() -> None:
    """Thirty settings of one true value: 5 % of such boards may tell one apart."""
    wrong = 0
    for seed in range(20):
        table = (np.random.default_rng(seed).random((30, 60)) < 0.85).astype(float)
        wrong += not board(table, np.ones(30), resamples=2_000).is_tied.all()
    assert wrong <= 4


def test_of_many_settings_what_a_pair_does_not_tell_apart_the_board_does_not_either() -> None:
    rng = np.random.default_rng(7)
    best = rng.random(200) < 0.8
    others = [best & (rng.random(200) < keep) for keep in (1, 0.99, 0.95, 0.8, 0.5)]
    table = np.array([best, *others], dtype=float)
    found = board(table, range(6))
    for number in range(1, 6):
        pair = compare(table[0], table[number])
        assert found.is_tied[number] or pair.is_told_apart
    # Both kinds are among them.
    assert found.is_tied.tolist()[1:] == sorted(found.is_tied.tolist()[1:], reverse=True)
    assert set(found.is_tied.tolist()) == {True, False}


# The front


def test_the_front_of_four() -> None:
    # The last costs less than the second and has as much; the third has less and costs most.
    assert pareto_front([0.5, 0.7, 0.6, 0.7], [100, 300, 400, 200]) == [0, 3]


def test_equal_settings_are_on_the_front_together() -> None:
    assert pareto_front([0.5, 0.5, 0.4], [10, 10, 10]) == [0, 1]
    assert pareto_front([], []) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_the_front_is_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    def beaten(one: tuple[int, int]) -> bool:
        return any(v >= one[0] and c <= one[1] and (v, c) != one for v, c in points)

    values, costs = [v for v, _ in points], [c for _, c in points]
    front = pareto_front(values, costs)
    assert sorted(front) == [i for i, point in enumerate(points) if not beaten(point)]
    assert [costs[i] for i in front] == sorted(costs[i] for i in front)
