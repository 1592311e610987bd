"""Many settings at once: which may be the best, and which of those is the cheapest.

A best figure of many is partly luck. So the questions are drawn again, with repetition, thousands
of times: the share of draws in which a setting is best says how sure that is. Of two settings one
is told apart from the best as in `compare`: by the interval of the difference, and a p-value below
.05. Of more, many differences are looked at, and the best was chosen by its luck too: a difference
must then be larger than, in 95 % of the draws, any two settings of the board differ by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragchunk.errors import SettingsError
from ragchunk.evaluation.compare import FEWEST, RESAMPLES, ROUNDING, SIGNIFICANT

# For the largest difference of any two settings by chance: draws, and how many settings are looked
# at, the best ones.
CHANCE_DRAWS, MOST_COMPARED = 2_000, 400

# Draws computed at once: the counts of 500 draws of 1,000 questions take 4 MB.
BATCH = 500


@dataclass(frozen=True)
class Board:
    """What one measure, the more the better, says of several settings on the same questions.

    `means`, and `low` to `high`, their 95 % intervals. `best` is the setting with the highest
    mean, of several the cheapest. `share` is the share of draws in which each is best (a tie is
    shared out). `is_tied`: cannot be told apart from the best, which is itself among them.
    `recommended` is the cheapest of these; None where there are fewer than `FEWEST` questions.
    """

    questions: int
    means: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    costs: npt.NDArray[np.float64]
    best: int
    share: npt.NDArray[np.float64]
    is_tied: npt.NDArray[np.bool_]
    recommended: int | None

    def sentence(
        self,
        names: Sequence[str],
        unit: str = "tokens",
        shown: Callable[[float], str] | None = None,
        label: str = "mean",
    ) -> str:
        """What to take, in words, with the settings' names; `unit` is that of the costs.

        shown: how a mean, of what `label` says, is written. Where another setting has the best,
        both are then told: not to be told apart is not the same as to be equal.
        """
        asked = f"{self.questions:,} question{'s' * (self.questions != 1)}"
        if self.recommended is None:
            return f"{asked}: counts only, no winner. {FEWEST} are the fewest to compare on."
        chosen = f"Take {names[self.recommended]}."
        tied = int(self.is_tied.sum())
        cost = f"{self.costs[self.recommended]:,.0f} {unit}"
        if len(self.means) == 1:
            return f"{chosen} It is the only setting, at {cost}, on {asked}."
        if tied == 1:
            return (
                f"{chosen} It is the best of {len(self.means):,} settings on {asked}, and told "
                f"apart from all others, at {cost}."
            )
        said = (
            f"{chosen} Of {len(self.means):,} settings, {tied:,} cannot be told apart from the "
            f"best on {asked}; this one is the cheapest of them, at {cost}."
        )
        own, most = self.means[self.recommended], self.means[self.best]
        if shown is None or shown(own) == shown(most):
            return said
        best = names[self.best]
        return f"{said} Its {label} is {shown(own)}, that of the best, {best}, {shown(most)}."


def board(
    figures: npt.ArrayLike, costs: npt.ArrayLike, seed: int = 0, resamples: int = RESAMPLES
) -> Board:
    """Compare settings by one figure per question: shape (settings, questions).

    costs: one for each setting, such as the mean tokens spent; ties in cost go to the first.
    Raises SettingsError for other shapes, no setting or question, or a figure that is not finite.
    """
    table = np.asarray(figures, dtype=np.float64)
    paid = np.asarray(costs, dtype=np.float64)
    if table.ndim != 2 or not table.size or paid.shape != table.shape[:1]:
        raise SettingsError(
            f"The figures have the shape {table.shape} and the costs {paid.shape}: there must be a "
            "row of at least one question for each setting, and a cost."
        )
    if not np.isfinite(table).all() or np.isnan(paid).any():
        raise SettingsError("A figure of a setting is not a finite number.")
    means = table.mean(axis=1)
    candidates = np.flatnonzero(means >= means.max() - ROUNDING)
    best = int(candidates[np.argmin(paid[candidates])])

    drawn, share = _drawn_means(table, seed, resamples)
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    # The same draws for all: the difference is as sure as the questions are the same.
    behind = drawn[:, [best]] - drawn
    may_be_chance = means[best] - means <= _chance(drawn, means) * behind.std(axis=0) + ROUNDING
    if len(table) == 2:
        may_be_chance = np.percentile(behind, 2.5, axis=0) <= ROUNDING
    is_tied = may_be_chance | (_sign_flip_ps(table[best] - table, seed) >= SIGNIFICANT)
    is_tied[best] = True
    tied = np.flatnonzero(is_tied)
    enough = table.shape[1] >= FEWEST
    return Board(
        questions=table.shape[1],
        means=means,
        low=low,
        high=high,
        costs=paid,
        best=best,
        share=share,
        is_tied=is_tied,
        recommended=int(tied[np.argmin(paid[tied])]) if enough else None,
    )


def _drawn_means(
    table: npt.NDArray[np.float64], seed: int, resamples: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The mean of each setting in each draw, and the share of draws in which it is the best."""
    settings, questions = table.shape
    rng = np.random.default_rng(seed)
    drawn = np.empty((resamples, settings))
    wins = np.zeros(settings)
    for first in range(0, resamples, BATCH):
        count = min(BATCH, resamples - first)
        times = rng.multinomial(questions, np.full(questions, 1 / questions), size=count)
        means = times @ table.T / questions
        drawn[first : first + count] = means
        is_best = means >= means.max(axis=1, keepdims=True) - ROUNDING
        wins += (is_best / is_best.sum(axis=1, keepdims=True)).sum(axis=0)
    return drawn, wins / resamples


def _chance(drawn: npt.NDArray[np.float64], means: npt.NDArray[np.float64]) -> float:
    """How many standard errors any two settings differ by through chance alone: 95 % of the draws.

    The largest deviation of a difference from its mean, over all pairs, draw by draw (a bootstrap
    of the studentised range). Settings that rise and fall together count as hardly more than one.
    """
    first = np.argsort(-means, kind="stable")[:MOST_COMPARED]
    deviations = drawn[:CHANCE_DRAWS, first] - means[first]
    spread = np.cov(deviations, rowvar=False).reshape(len(first), len(first))
    variance = np.diag(spread)[:, None] + np.diag(spread) - 2 * spread
    # Settings with the same results have no difference to divide.
    errors = np.sqrt(np.where(variance > ROUNDING**2, variance, np.inf))
    largest = [(np.abs(row[:, None] - row) / errors).max() for row in deviations]
    return float(np.percentile(largest, 95))


def _sign_flip_ps(
    differences: npt.NDArray[np.float64], seed: int, flips: int = RESAMPLES
) -> npt.NDArray[np.float64]:
    """The two-sided p-value of each row's mean if the sign of each figure were a toss of a coin."""
    rng = np.random.default_rng(seed)
    least = np.abs(differences.sum(axis=1)) - ROUNDING * differences.shape[1]
    as_large = np.ones(len(differences))  # the draw that is the data itself
    for first in range(0, flips, BATCH):
        count = min(BATCH, flips - first)
        signs = rng.integers(0, 2, (count, differences.shape[1])) * 2 - 1
        as_large += (np.abs(signs @ differences.T) >= least).sum(axis=0)
    return as_large / (flips + 1)


def pareto_front(values: npt.ArrayLike, costs: npt.ArrayLike) -> list[int]:
    """The settings that no other beats in value without costing more, from the cheapest on.

    Of settings equal in both all are given.

    >>> pareto_front([0.5, 0.7, 0.6, 0.7], [100, 300, 400, 200])
    [0, 3]
    """
    value, paid = np.asarray(values, dtype=np.float64), np.asarray(costs, dtype=np.float64)
    front: list[int] = []
    best = -np.inf
    for number in np.lexsort((-value, paid)):
        is_equal = bool(front) and (value[front[-1]], paid[front[-1]]) == (
            value[number],
            paid[number],
        )
        if value[number] > best or is_equal:
            front.append(int(number))
            best = value[number]
    return front
