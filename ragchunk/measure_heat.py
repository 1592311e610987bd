"""A measure over size and overlap as heat maps, one a strategy, all on one scale.

Buttons in a grid: which are inside the outline cannot be told apart from the best. Every sign has
a form beside its colour, and every cell says all of it to a screen reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk.evaluation.choice import Choice
from ragchunk.evaluation.measures import Cutoff, Measure
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.table import Table
from ragchunk.markup import escape, percent
from ragchunk.measure_table import figure
from ragchunk.strategies import Sized

# The scale of colours reaches over at least so much: points of a hundred, or a part of the tokens.
LEAST_RANGE = 0.05

# More of the accent than this, and ink on it is hard to read.
MOST_ACCENT = 44

LEGEND = (
    '<p class="small legend"><span><b class="sample outline"></b> cannot be told apart from the '
    'best</span><span><b class="sample">●</b> best</span><span><b class="sample">○</b> of these '
    'the least to read</span><span><b class="sample long"></b> longer than the model reads</span>'
    '<span><b class="sample"><u>.90</u></b> on the sliders now</span>'
    "<span>Small figures: tokens until the answer is complete. Choose a cell to set the sliders."
    "</span></p>"
)


@dataclass(frozen=True)
class Cell:
    """A setting: its number in the recipe, its mean, what a reader pays, what is said of it.

    `share` is the overlap as a share of the size, the same for all that share a row.
    """

    number: int
    setting: Setting
    mean: float
    cost: float
    share: float = 0.0
    is_tied: bool = False
    is_best: bool = False
    is_cheapest: bool = False
    is_long: bool = False
    is_set: bool = False


Place = tuple[int, float]


def cells(
    table: Table,
    measure: Measure,
    cutoff: Cutoff,
    choice: Choice | None,
    limit: int,
    on_sliders: Sequence[Setting] = (),
) -> list[Cell]:
    """A cell for each setting that is measured. Without a `choice` nothing is said of the best.

    limit: the tokens that the model reads. on_sliders: what the columns are set to.
    """
    board = None if choice is None else choice.board
    means = table.means(measure.name, cutoff) if board is None else board.means
    costs = table.costs(cutoff) if board is None else board.costs
    shares = _shares(table.recipe.settings)
    numbers = {setting: number for number, setting in enumerate(table.recipe.settings)}
    return [
        Cell(
            number=numbers[each.setting],
            setting=each.setting,
            mean=float(means[row]),
            cost=float(costs[row]),
            share=_share(each.setting, shares),
            is_tied=board is not None
            and board.recommended is not None
            and bool(board.is_tied[row]),
            is_best=board is not None and board.recommended is not None and row == board.best,
            is_cheapest=board is not None and row == board.recommended,
            is_long=each.setting.is_longer_than(limit),
            is_set=each.setting in on_sliders,
        )
        for row, each in enumerate(table.results)
    ]


def heat_maps(found: Sequence[Cell], measure: Measure) -> str:
    """All maps, and a line for each strategy without a size."""
    if not found:
        return ""
    values = np.array([each.mean for each in found])
    high = float(values.max())
    # Hardly any difference must not look like a large one.
    low = min(float(values.min()), high - (LEAST_RANGE if measure.is_share else LEAST_RANGE * high))
    if measure.better == "lower":
        low, high = high, low
    groups: dict[str, list[Cell]] = {}
    for each in found:
        groups.setdefault(each.setting.strategy.label, []).append(each)
    maps, lines = "", ""
    for label, group in groups.items():
        if isinstance(group[0].setting.strategy, Sized):
            maps += _map(label, group, measure, low, high)
        else:
            # Nothing about it can be set, but it can be looked at beside the others.
            button = _button(group[0], measure, low, high, "", f"{label}")
            lines += f'<div class="single"><span class="name">{escape(label)}</span>{button}</div>'
    return f'<div class="maps">{maps}</div>{lines}'


def _map(
    label: str,
    group: Sequence[Cell],
    measure: Measure,
    low: float,
    high: float,
) -> str:
    places = {(_sized(each.setting).size, each.share): each for each in group}
    sizes = sorted({size for size, _ in places})
    rows = sorted({share for _, share in places}, reverse=True)
    long = {size for (size, _), each in places.items() if each.is_long}
    top = "".join(
        f'<span role="columnheader" class="size{" long" if size in long else ""}">{size:,}</span>'
        for size in sizes
    )
    body = "".join(
        f'<div role="row" class="row"><span role="rowheader" class="share">{percent(share)}</span>'
        + "".join(
            _button(
                places[size, share],
                measure,
                low,
                high,
                _edges((size, share), places, sizes, rows),
                f"{label}, size {size:,}, overlap {percent(share)}",
            )
            if (size, share) in places
            else '<span class="none"></span>'
            for size in sizes
        )
        + "</div>"
        for share in rows
    )
    unit = _sized(group[0].setting).unit
    return (
        f'<section style="--columns:{len(sizes)}"><h3>{escape(label)}</h3>'
        f'<div class="grid" role="grid" aria-label="{escape(label)}: size in {unit} by overlap">'
        f'<div role="row" class="row"><span role="columnheader" class="share corner">overlap</span>'
        f"{top}</div>{body}</div></section>"
    )


def _button(each: Cell, measure: Measure, low: float, high: float, edges: str, name: str) -> str:
    at = 1.0 if high == low else (each.mean - low) / (high - low)
    said = [
        f"{name}: {measure.label} {figure(measure, each.mean)}",
        f"{each.cost:,.0f} tokens until the answer is complete",
    ]
    said += [
        words
        for words, applies in (
            ("best", each.is_best),
            ("cannot be told apart from the best", each.is_tied and not each.is_best),
            ("of these the least to read", each.is_cheapest),
            ("longer than the model reads", each.is_long),
            ("on the sliders now", each.is_set),
        )
        if applies
    ]
    signs = "●" * each.is_best + "○" * each.is_cheapest
    mark = f'<i aria-hidden="true">{signs}</i>' if signs else ""
    shown = figure(measure, each.mean)
    shown = f"<u>{shown}</u>" if each.is_set else shown
    return (
        f'<button type="button" role="gridcell" tabindex="-1" data-cell="{each.number}" '
        f'class="cell {edges}" style="--i:{at * MOST_ACCENT:.0f}%" '
        f'title="{escape("; ".join(said))}" aria-label="{escape("; ".join(said))}">'
        f"{mark}<b>{shown}</b><small>{each.cost:,.0f}</small></button>"
    )


def _edges(
    place: Place, places: Mapping[Place, Cell], sizes: Sequence[int], rows: Sequence[float]
) -> str:
    """The sides on which the outline of the plateau runs past a cell: `t`, `r`, `b`, `l`."""
    if not places[place].is_tied:
        return ""
    column, row = sizes.index(place[0]), rows.index(place[1])

    def is_outside(column: int, row: int) -> bool:
        if not (0 <= column < len(sizes) and 0 <= row < len(rows)):
            return True
        other = places.get((sizes[column], rows[row]))
        return other is None or not other.is_tied

    sides = {
        "t": (column, row - 1),
        "r": (column + 1, row),
        "b": (column, row + 1),
        "l": (column - 1, row),
    }
    return " ".join(side for side, beside in sides.items() if is_outside(*beside))


def _shares(settings: Sequence[Setting]) -> list[float]:
    """The overlaps as shares of the size, from the largest size, where rounding did least."""
    sized = [each.strategy for each in settings if isinstance(each.strategy, Sized)]
    largest = max((each.size for each in sized), default=0)
    return sorted({round(each.overlap / each.size, 2) for each in sized if each.size == largest})


def _share(setting: Setting, shares: Sequence[float]) -> float:
    """The share that the overlap was made from: it was rounded to whole units."""
    if not isinstance(setting.strategy, Sized):
        return 0.0
    share = setting.strategy.overlap / setting.strategy.size
    return min(shares, key=lambda each: abs(each - share))


def _sized(setting: Setting) -> Sized:
    assert isinstance(setting.strategy, Sized)
    return setting.strategy
