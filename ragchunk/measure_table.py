"""The columns, measured: a table of figures with intervals, and who is better than whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragchunk.evaluation.board import Board, board
from ragchunk.evaluation.compare import FEWEST, POINTS, ROUNDING, TOKENS, Scale, compare
from ragchunk.evaluation.measures import MEASURES, Cutoff, Measure, Scores
from ragchunk.markup import escape

STYLE = f"<style>{(Path(__file__).parent / 'measure.css').read_text(encoding='utf-8')}</style>"

BY_NAME = {measure.name: measure for measure in MEASURES}


@dataclass(frozen=True)
class Row:
    """One column of the page.

    `scores` are those at the cut-off that leads, `other` at the other one; None until the chunks
    are ranked. `omega` and `severed` need no ranking: the mean, and how many of `answers` answers
    no chunk holds whole. `total` are the tokens of all chunks. `note` says what a reader must know
    of it: that it is a preview, or why there are no figures.
    """

    name: str
    settings: str
    omega: float | None = None
    severed: int = 0
    answers: int = 0
    total: int = 0
    scores: Scores | None = None
    other: Scores | None = None
    note: str = ""


@dataclass(frozen=True)
class Verdict:
    """What can be said of all rows together.

    `board` has their means and intervals, in the order of the rows that have figures; `against`
    says in a sentence how the best compares with each, "" for the best itself.
    """

    board: Board
    against: tuple[str, ...]


def scale_of(measure: Measure) -> Scale:
    """How differences of a measure are told."""
    if not measure.is_share:
        return TOKENS
    return Scale(lower_is_better=True) if measure.better == "lower" else POINTS


def weigh(
    measure: Measure, names: Sequence[str], scores: Sequence[Scores], totals: Sequence[int]
) -> Verdict | None:
    """The verdict on settings measured by the same questions; None if there is nothing to weigh.

    totals: the tokens of all chunks of each setting, what a reader pays who never finds all of an
    answer. Takes a tenth of a second for a few dozen questions, some seconds for a thousand.
    """
    if not scores or not len(scores[0]):
        return None
    scale = scale_of(measure)
    figures = np.stack([each[measure.name] for each in scores])
    turned = -figures if scale.lower_is_better else figures
    costs = [each.reading_cost(total) for each, total in zip(scores, totals, strict=True)]
    found = board(turned, costs)
    against = []
    for number, (name, row) in enumerate(zip(names, figures, strict=True)):
        pair = compare(figures[found.best], row, scale)
        said = "" if number == found.best else pair.sentence(names[found.best], name)
        if said and pair.winner and found.is_tied[number] and found.recommended is not None:
            said += f" Among {len(names)} columns that may be chance."
        against.append(said)
    return Verdict(found, tuple(against))


def share(value: float) -> str:
    """A share to two decimals without the leading zero: `.76`, `1.00`."""
    return f"{value:.2f}".removeprefix("0")


def figure(measure: Measure, value: float) -> str:
    """A mean of a measure as it is shown."""
    if not np.isfinite(value):
        return "–"
    return share(value) if measure.is_share else f"{value:,.0f}"


def table(
    rows: Sequence[Row], measure: Measure, cutoff: Cutoff, other: Cutoff, verdict: Verdict | None
) -> str:
    """The table. With fewer than `FEWEST` questions it has counts only."""
    asked = next((len(row.scores) for row in rows if row.scores is not None), None)
    few = asked is not None and asked < FEWEST
    head = [("Column", "")]
    if not few:
        head += [
            (escape(measure.label), measure.meaning),
            ("95\u202f% interval", "of the mean, by drawing the questions again"),
            (f"at {other}", f"{measure.label} at the other cut-off"),
        ]
    head += [
        ("Full answers", BY_NAME["full"].meaning),
        *([("Hits", BY_NAME["hit"].meaning)] if few else []),
        ("Tokens spent", "mean over the questions; under it all tokens by the full answers"),
        ("Until complete", "mean tokens read, chunk by chunk, until the answer is complete"),
        ("Severed", BY_NAME["severed"].meaning),
        ("Precision-omega", BY_NAME["omega"].meaning),
        ("Against the best" if not few else "Notes", ""),
    ]
    top = "".join(
        f'<th scope="col"{kind}{f""" title="{escape(why)}" """ if why else ""}>{label}</th>'
        for label, why in head
        for kind in [' class="interval"' if "interval" in label else ""]
    )
    ranked = iter(range(len(rows)))
    body = "".join(
        _row(row, measure, few, verdict, next(ranked) if row.scores is not None else None)
        for row in rows
    )
    return scrolled(
        f"The columns, measured at {cutoff}",
        f'<table class="measured"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>',
    )


def scrolled(label: str, inner: str) -> str:
    """Something wide, which scrolls in its own box; the keyboard reaches it."""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}">{inner}</div>'
    )


def _row(row: Row, measure: Measure, few: bool, verdict: Verdict | None, number: int | None) -> str:
    name = f'<th scope="row"><b>{escape(row.name)}</b><small>{escape(row.settings)}</small></th>'
    note = f"<small>{escape(row.note)}</small>" if row.note else ""
    if row.omega is None:
        return f'<tr>{name}<td class="words" colspan="10">{note}</td></tr>'
    static = f"<td>{row.severed:,} of {row.answers:,}</td><td>{share(row.omega)}</td>"
    if row.scores is None:
        empty = "<td>…</td>" * (4 if few else 6)
        return f'<tr>{name}{empty}{static}<td class="words">{note}</td></tr>'
    scores = row.scores
    asked = len(scores)
    per = scores.tokens_per_answered
    spent = f"{per:,.0f} per answered" if np.isfinite(per) else "none answered"
    cells = []
    if not few:
        mean = scores.mean(measure.name)
        lead = f'<td class="lead">{figure(measure, mean)}</td>'
        beside = "–" if row.other is None else figure(measure, row.other.mean(measure.name))
        cells += [lead, _interval(measure, mean, verdict, number), f"<td>{beside}</td>"]
    cells.append(f"<td>{scores.full.sum():,.0f} of {asked:,}</td>")
    if few:
        cells.append(f"<td>{scores.hit.sum():,.0f} of {asked:,}</td>")
    cells += [
        f"<td>{scores.mean('tokens'):,.0f}<small>{spent}</small></td>",
        f"<td>{scores.reading_cost(row.total):,.0f}</td>",
        static,
    ]
    said = "" if few else _against(measure, verdict, number)
    return f'<tr>{name}{"".join(cells)}<td class="words">{said}{note}</td></tr>'


def _against(measure: Measure, verdict: Verdict | None, number: int | None) -> str:
    if verdict is None or number is None:
        return "…"
    if number != verdict.board.best:
        return escape(verdict.against[number])
    return "lowest" if measure.better == "lower" else "highest"


def _interval(measure: Measure, mean: float, verdict: Verdict | None, number: int | None) -> str:
    """The interval as a bar on an axis from 0 to 1 (to the largest, for tokens), and in words."""
    if verdict is None or number is None:
        return '<td class="interval"><small>…</small></td>'
    edges = sorted((abs(verdict.board.low[number]), abs(verdict.board.high[number])))
    most = 1.0 if measure.is_share else _largest(verdict)
    low, high, at = (100 * min(value / most, 1) for value in (*edges, mean))
    words = f"{figure(measure, edges[0])} to {figure(measure, edges[1])}"
    if edges[1] - edges[0] < ROUNDING:
        # Drawing equal figures again gives equal means, which says nothing of other questions.
        return '<td class="interval"><small>all equal: spread not known</small></td>'
    return (
        f'<td class="interval"><span class="axis" aria-hidden="true">'
        f'<i style="--from:{low:.1f}%;--to:{high:.1f}%"></i><b style="--at:{at:.1f}%"></b></span>'
        f"<small>{words}</small></td>"
    )


def _largest(verdict: Verdict) -> float:
    edges = np.abs(np.concatenate([verdict.board.low, verdict.board.high]))
    return float(edges.max()) or 1.0


def all_measures(rows: Sequence[Row], cutoff: Cutoff, other: Cutoff) -> str:
    """Every measure of every row that has figures, at both cut-offs, and what each one says."""
    ranked = [(row, row.scores, row.other) for row in rows if row.scores and row.other]
    if not ranked:
        return '<div class="rc measure"><p class="waiting">No column is ranked yet.</p></div>'
    names = "".join(
        f'<th scope="colgroup" colspan="2">{escape(row.name)}<small>{escape(row.settings)}</small>'
        "</th>"
        for row, *_ in ranked
    )
    under = f'<th scope="col">{cutoff}</th><th scope="col">{other}</th>' * len(ranked)
    body = "".join(
        f'<tr><th scope="row">{escape(each.label)}</th>'
        + "".join(
            f"<td>{figure(each, scores.mean(each.name))}</td>"
            for _, *both in ranked
            for scores in both
        )
        + f'<td class="words"><small>{escape(each.meaning)}</small></td></tr>'
        for each in MEASURES
    )
    return (
        '<div class="rc measure">'
        + scrolled(
            "All measures",
            f'<table class="every"><thead><tr><th scope="col" rowspan="2">Mean of</th>{names}'
            f'<th scope="col" rowspan="2">What it is</th></tr><tr>{under}</tr></thead>'
            f"<tbody>{body}</tbody></table>",
        )
        + "</div>"
    )
