"""How much of a figure is the place of the grid: the same windows, moved by fractions of a step.

    results = [each.result for each in sweep(moved(setting), corpus, questions)]
    luck(results, "recall", cutoff).sentence()

Where a fixed window cuts is chance: one character more at the start of a text moves every cut. So
the grid is moved over one step, in equal parts, by making the first window shorter; size, overlap
and text stay. What a measure varies by is chance, and so is a gain that is smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from ragchunk import settings
from ragchunk.errors import SettingsError
from ragchunk.evaluation.compare import POINTS, TOKENS
from ragchunk.evaluation.measures import Cutoff
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.table import means, measure_named
from ragchunk.evaluation.trial import Result
from ragchunk.strategies.shifted import ShiftedWindow
from ragchunk.strategies.window import Window

PLACES = 8


@dataclass(frozen=True)
class Luck:
    """What a measure is at each place of the grid, in the order of the shifts; the first is 0."""

    label: str
    measure: str
    shifts: tuple[int, ...]
    values: tuple[float, ...]

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)

    @property
    def spread(self) -> float:
        """From the lowest to the highest."""
        return self.high - self.low

    def sentence(self) -> str:
        """What follows, in words."""
        measure = measure_named(self.measure)
        scale = POINTS if measure.is_share else TOKENS
        if len(self.values) < 2:
            return f"{self.label} has a step of one, so its grid cannot be moved."
        return (
            f"{measure.label} of {self.label} is {scale.number(self.low)} to "
            f"{scale.told(self.high)} at {len(self.values)} places of its grid: a gain of less "
            f"than {scale.told(self.spread)} may be chance."
        )


def moved(setting: Setting, places: int = PLACES) -> list[Setting]:
    """The setting, and the same with its grid moved by equal parts of a step.

    Fewer where a step has less than `places` units. Raises SettingsError for any strategy but the
    fixed window: only that has a grid, the others cut where the text has edges.
    """
    strategy = setting.strategy
    settings.integer("Places", places, least=2)
    if type(strategy) is not Window:
        raise SettingsError(
            f"{strategy.label} has no grid to move: it cuts where the text has edges. Check the "
            "luck of a fixed window of the same size."
        )
    step = strategy.size - strategy.overlap
    shifts = sorted({step * place // places for place in range(places)} - {0})
    values = {each.name: getattr(strategy, each.name) for each in fields(strategy)}
    return [
        setting,
        *(Setting(ShiftedWindow(**values, shift=shift), setting.way) for shift in shifts),
    ]


def luck(results: Sequence[Result], measure: str, cutoff: Cutoff) -> Luck:
    """What the results of `moved` settings, in any order, say of a measure at a cut-off.

    Raises SettingsError for an unknown measure, a cut-off that was not measured, or where the
    grid's own place is not among the results.
    """
    values = means(results, measure, cutoff).tolist()
    found = {_shift(each): value for each, value in zip(results, values, strict=True)}
    own = next((each.setting for each in results if not _shift(each)), None)
    if own is None:
        raise SettingsError("The setting itself is not among the results of its moved grids.")
    shifts = sorted(found)
    return Luck(own.label, measure, tuple(shifts), tuple(found[each] for each in shifts))


def _shift(result: Result) -> int:
    strategy = result.setting.strategy
    return strategy.shift if isinstance(strategy, ShiftedWindow) else 0
