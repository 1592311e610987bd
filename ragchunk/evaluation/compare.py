"""Is A better than B? Two settings on the same questions, and one honest sentence.

All of it works on d = a - b, question by question: the interval is a percentile bootstrap of the
mean of d, the p-value a sign-flip permutation test. `scipy.stats` does both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragchunk.errors import SettingsError
from ragchunk.importing import scipy_stats

# With fewer questions there are counts and no winner.
FEWEST = 15
MOST_NEEDED = 100_000
RESAMPLES = 9_999
SIGNIFICANT = 0.05

# Sums of the same numbers in another order differ in their last digits.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Scale:
    """How a measure's differences are told: shares in points, of a hundred; tokens as they are."""

    factor: float = 100
    unit: str = "point"
    lower_is_better: bool = False

    def told(self, value: float) -> str:
        """`4.1 points`; without the unit it is `number`."""
        number = self.number(value)
        return f"{number} {self.unit}{'s' * (number != '1')}"

    def number(self, value: float) -> str:
        decimals = 1 if self.factor == 100 else 0
        text = f"{value * self.factor:,.{decimals}f}"
        return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


POINTS = Scale()
TOKENS = Scale(1, "token", lower_is_better=True)


@dataclass(frozen=True)
class Comparison:
    """A against B on `questions` questions; all differences are A less B.

    `low` to `high` is the 95 % interval of `difference`, `p` the chance of one at least so large if
    A and B were exchangeable; None where there are fewer than `FEWEST` questions. `wins`, `losses`
    and `ties` count the questions on which A is better, worse and equal. `needed` is how many
    questions like these would make the interval as narrow as the difference is large; None where no
    number up to `MOST_NEEDED` would.
    """

    questions: int
    mean_a: float
    mean_b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    wins: int
    losses: int
    ties: int
    needed: int | None
    scale: Scale = POINTS

    @property
    def is_told_apart(self) -> bool:
        """Whether one is better: the interval excludes 0, and the p-value is below .05.

        Four wins, no loss and eleven ties have an interval above 0, and are no more than luck.
        """
        if self.low is None or self.high is None or self.p is None:
            return False
        return (self.low > 0 or self.high < 0) and self.p < SIGNIFICANT

    @property
    def winner(self) -> str:
        """ "a", "b", or "" where they cannot be told apart."""
        if not self.is_told_apart:
            return ""
        return "a" if (self.difference > 0) != self.scale.lower_is_better else "b"

    def sentence(self, a: str = "A", b: str = "B") -> str:
        """What is known, in one sentence with the names given."""
        asked = f"{self.questions:,} question{'s' * (self.questions != 1)}"
        if self.questions == 0:
            return f"{a} and {b} cannot be compared: there is no question."
        if self.questions < FEWEST:
            return f"{asked}: counts only, no winner. {self._counts(a, b)}"
        if self.ties == self.questions:
            return f"{a} and {b} have identical results on {asked}."
        if self.winner:
            assert self.low is not None
            assert self.high is not None
            names = (a, b) if self.winner == "a" else (b, a)
            turned = 1 if self.difference > 0 else -1
            low, high = sorted((turned * self.low, turned * self.high))
            by = self.scale.told(abs(self.difference))
            interval = f"{self.scale.number(low)} to {self.scale.number(high)}"
            better = "cheaper" if self.scale.lower_is_better else "better"
            than = f" than {names[1]}" if self.scale.lower_is_better else ""
            return f"{names[0]} is {better}{than} by {by} ({interval}) on {asked}."
        if self.difference == 0:
            return (
                f"{a} and {b} are equal on average on {asked}, and differ on "
                f"{self.wins + self.losses:,} of them. {self._counts(a, b)}"
            )
        return f"{a} and {b} cannot be told apart on {asked}; {self._what_would_settle()}."

    def _counts(self, a: str, b: str) -> str:
        equal = "is" if self.ties == 1 else "are"
        return (
            f"{a} is ahead on {self.wins:,}, {b} on {self.losses:,}, and {self.ties:,} {equal} "
            "equal."
        )

    def _what_would_settle(self) -> str:
        if self.needed is None:
            return f"more than {MOST_NEEDED:,} would be needed for a difference of this size"
        if self.needed <= self.questions:
            return "a few more may settle a difference of this size"
        return f"about {self.needed:,} would settle a difference of this size"


def compare(a: npt.ArrayLike, b: npt.ArrayLike, scale: Scale = POINTS, seed: int = 0) -> Comparison:
    """Compare two settings by one figure per question, of the same questions in the same order.

    Raises SettingsError if there are not as many of both, or one is not finite.
    """
    one, other = _figures(a), _figures(b)
    if len(one) != len(other):
        raise SettingsError(
            f"A has {len(one)} questions and B {len(other)}: only the same questions, in the same "
            "order, can be compared."
        )
    d = one - other
    d[np.abs(d) < ROUNDING] = 0
    count = len(d)
    difference = float(d.mean()) if count else 0.0
    # Wins and losses of the same size may leave a rest of rounding.
    if abs(difference) < ROUNDING:
        difference = 0.0
    gained = -d if scale.lower_is_better else d
    low = high = p = None
    if count >= FEWEST:
        low, high = interval(d, seed)
        p = sign_flip_p(d, seed)
    return Comparison(
        questions=count,
        mean_a=float(one.mean()) if count else 0.0,
        mean_b=float(other.mean()) if count else 0.0,
        difference=difference,
        low=low,
        high=high,
        p=p,
        wins=int((gained > 0).sum()),
        losses=int((gained < 0).sum()),
        ties=int((d == 0).sum()),
        needed=questions_needed(d, abs(difference)),
        scale=scale,
    )


def interval(d: npt.NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean; at least two figures."""
    with scipy_stats() as stats:
        # The default BCa gives NaN when all are equal.
        found = stats.bootstrap(
            (d,),
            np.mean,
            method="percentile",
            n_resamples=RESAMPLES,
            rng=np.random.default_rng(seed),
            batch=500,
        ).confidence_interval
    return float(found.low), float(found.high)


def sign_flip_p(d: npt.NDArray[np.float64], seed: int = 0) -> float:
    """The two-sided p-value of the mean if the sign of each figure were a toss of a coin."""
    with scipy_stats() as stats:
        found = stats.permutation_test(
            (d,),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
            rng=np.random.default_rng(seed),
            batch=500,
        )
    return float(found.pvalue)


def questions_needed(d: npt.NDArray[np.float64], half_width: float) -> int | None:
    """How many questions make a 95 % interval of this half width, to two figures.

    None where that is more than `MOST_NEEDED`, or the half width is 0.
    """
    if len(d) < 2 or half_width <= 0:
        return None
    number = (1.96 * float(np.std(d, ddof=1)) / half_width) ** 2
    if number > MOST_NEEDED:
        return None
    rounded = float(f"{math.ceil(number):.2g}")
    return max(1, int(rounded))


def _figures(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise SettingsError(
            f"A comparison needs one finite figure a question; got the shape {found.shape}."
        )
    return found
