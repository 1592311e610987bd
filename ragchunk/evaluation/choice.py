"""Which setting of a table to take, by one measure, and what that is worth on other questions.

A best figure of many is partly luck of the questions. So some can be held out: the choice is made
by the others alone, and its figure on those held out stands beside the one it was chosen by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ragchunk.errors import SettingsError
from ragchunk.evaluation.board import Board, pareto_front
from ragchunk.evaluation.compare import POINTS, TOKENS
from ragchunk.evaluation.measures import Cutoff
from ragchunk.evaluation.table import Table, measure_named
from ragchunk.late import FLATTERED

HELD_OUT = 0.3

# What costs count, see `Table.costs`.
UNIT = "tokens until the answer is complete"


@dataclass(frozen=True, eq=False)
class Choice:
    """What one measure at one cut-off says of the settings of a table.

    `tuned` is the table of the questions that were not held out, and `board` is of these. `mask`
    says which questions were held out, `held` is the mean of each setting on these; both None if
    none was. `front` are
    the settings that no other beats without costing more, from the cheapest on. Settings are
    numbers of the table's rows.
    """

    table: Table
    tuned: Table
    measure: str
    cutoff: Cutoff
    seed: int
    board: Board
    front: list[int]
    mask: npt.NDArray[np.bool_] | None
    held: npt.NDArray[np.float64] | None

    @property
    def held_questions(self) -> int:
        """How many questions were held out."""
        return 0 if self.mask is None else int(self.mask.sum())

    @property
    def chosen(self) -> int:
        """The setting recommended; with too few questions to recommend one, the best figure."""
        return self.board.best if self.board.recommended is None else self.board.recommended

    def sentence(self) -> str:
        """What to take, and the held-out figure beside the one it was chosen by."""
        measure = measure_named(self.measure)
        scale = POINTS if measure.is_share else TOKENS
        said = self.board.sentence(self.table.labels, UNIT, scale.number, measure.label)
        if (
            self.board.recommended is not None
            and self.table.results[self.chosen].setting.is_flattered
        ):
            said += (
                f" Late vectors flatter chunks of {FLATTERED} tokens and fewer: measure it with "
                "plain ones first."
            )
        if self.held is None:
            return said
        of = "its" if self.board.recommended is not None else "the best figure's"
        return (
            f"{said} On {_questions(self.held_questions)} held out {of} {measure.label} is "
            f"{scale.number(float(self.held[self.chosen]))}, and "
            f"{scale.number(float(self.board.means[self.chosen]))} on those it was chosen by."
        )

    def rows(self) -> list[dict[str, Any]]:
        """For each setting, in the order of the table, plain values."""
        return [
            {
                "mean": float(self.board.means[number]),
                "low": float(self.board.low[number]),
                "high": float(self.board.high[number]),
                "cost": float(self.board.costs[number]),
                "best_share": float(self.board.share[number]),
                "tied": bool(self.board.is_tied[number]),
                "recommended": number == self.board.recommended,
                "on_front": number in self.front,
                "held_out": None if self.held is None else float(self.held[number]),
            }
            for number in range(len(self.table.results))
        ]


def choose(
    table: Table, measure: str, cutoff: Cutoff, hold_out: float = 0.0, seed: int = 0
) -> Choice:
    """Judge the settings of a table; `hold_out` is the share of the questions to hold out.

    Raises SettingsError for a table without results, an unknown measure, a cut-off that was not
    measured, or a share that leaves no question on one side.
    """
    if not table.results:
        raise SettingsError("No setting was measured, so there is nothing to choose from.")
    values = table.figures(measure, cutoff)
    held = mask = None
    tuned = table
    if hold_out:
        mask = held_out(values.shape[1], hold_out, seed)
        held = values[:, mask].mean(axis=1)
        tuned = table.only(~mask)
    found = tuned.board(measure, cutoff, seed)
    sign = -1 if measure_named(measure).better == "lower" else 1
    front = pareto_front(sign * found.means, found.costs)
    return Choice(table, tuned, measure, cutoff, seed, found, front, mask, held)


def held_out(questions: int, share: float = HELD_OUT, seed: int = 0) -> npt.NDArray[np.bool_]:
    """Which of so many questions to hold out, drawn by chance: a mask, shape (questions,).

    Raises SettingsError unless at least one is held out, and one is not.
    """
    count = int(share * questions + 0.5) if 0 < share < 1 else 0
    if not 0 < count < questions:
        raise SettingsError(
            f"Holding out {100 * share:g} % of {_questions(questions)} leaves none on one side: "
            "give a share between 0 and 1, use more questions, or hold none out."
        )
    mask = np.zeros(questions, dtype=bool)
    mask[np.random.default_rng(seed).permutation(questions)[:count]] = True
    return mask


def _questions(count: int) -> str:
    return f"{count:,} question{'s' * (count != 1)}"
