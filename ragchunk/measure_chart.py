"""A measure against what a reader pays, as a Vega-Lite chart, and the same numbers as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ragchunk.evaluation.choice import Choice
from ragchunk.evaluation.measures import Measure
from ragchunk.evaluation.table import measure_named
from ragchunk.markup import escape, percent
from ragchunk.measure_table import figure, scrolled

# The form tells the strategy; the accent is for the front alone.
SHAPES = {
    "circle": "○",
    "square": "□",
    "diamond": "◇",
    "triangle-up": "△",
    "cross": "✚",
    "triangle-down": "▽",
}

# Ink, muted, line, accent and paper in the two themes.
PALETTES = {
    "light": ("#1D2125", "#5B626A", "#DDD9D0", "#0A6A60", "#FBFAF7"),
    "dark": ("#E8E6E1", "#A3A9AF", "#30363C", "#5FD0BF", "#14171A"),
}
# As everywhere: `.76`, without the leading zero.
SHARE_LABEL = "replace(format(datum.value, '.2f'), /^0/, '')"
FONT = "Source Sans, sans-serif"
X_TITLE = "tokens read until the answer is complete"


def scatter(choice: Choice, theme: str) -> dict[str, Any]:
    """The chart: a point for each setting, and a line that joins those that none beats on both.

    theme: "light" or "dark".
    """
    measure = measure_named(choice.measure)
    ink, muted, line, accent, paper = PALETTES[theme]
    points = _points(choice, measure)
    strategies = _strategies(choice)
    axis = {
        "labelColor": muted,
        "titleColor": muted,
        "gridColor": line,
        "domain": False,
        "ticks": False,
        "labelFontSize": 13,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "tickCount": 5,
    }
    x = {
        "field": "cost",
        "type": "quantitative",
        "title": X_TITLE,
        "scale": {"zero": False, "nice": True},
    }
    y = {
        "field": "mean",
        "type": "quantitative",
        "title": None,
        "scale": {"zero": False, "nice": True},
    }
    shape = {
        "field": "strategy",
        "type": "nominal",
        "scale": {"domain": strategies, "range": list(SHAPES)[: len(strategies)]},
        "legend": None,  # the key below says it, with the front
    }
    tooltip = [
        {"field": "label", "title": "Setting"},
        {"field": "told", "title": measure.label},
        {"field": "read", "title": "Tokens"},
    ]
    front = {"filter": "datum.front"}
    named = {"filter": "datum.name"}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": points},
        "height": 340,
        "encoding": {"x": x, "y": y},
        "layer": [
            {
                "transform": [front],
                "mark": {"type": "line", "color": accent, "strokeWidth": 2},
                "encoding": {"order": {"field": "cost"}},
            },
            {
                "mark": {"type": "point", "size": 64, "strokeWidth": 1.5, "filled": False},
                "encoding": {
                    "shape": shape,
                    "tooltip": tooltip,
                    "stroke": {
                        "condition": {"test": "datum.front", "value": accent},
                        "value": muted,
                    },
                    "fill": {"condition": {"test": "datum.front", "value": accent}, "value": paper},
                },
            },
            {
                "transform": [named],
                "mark": {
                    "type": "text",
                    "align": "left",
                    "dx": 10,
                    "dy": {"expr": "datum.best ? -9 : 14"},
                    "fontSize": 13,
                    "fontWeight": 600,
                    "color": ink,
                },
                "encoding": {"text": {"field": "name"}},
            },
        ],
        "config": {
            "background": "transparent",
            "font": FONT,
            "view": {"stroke": None},
            "axis": axis,
            "axisX": {"grid": False},
            "axisY": {"labelExpr": SHARE_LABEL} if measure.is_share else {"format": ",.0f"},
        },
    }


def _points(choice: Choice, measure: Measure) -> list[dict[str, Any]]:
    board = choice.board
    names = {board.best: "best"}
    names.setdefault(choice.chosen, "least to read")
    return [
        {
            "label": each.setting.label,
            "strategy": each.setting.strategy.label,
            "mean": float(board.means[row]),
            "cost": float(board.costs[row]),
            "told": figure(measure, float(board.means[row])),
            "read": f"{board.costs[row]:,.0f}",
            "front": row in choice.front,
            "best": row == board.best,
            "name": _short(each.setting.label) if row in names else "",
        }
        for row, each in enumerate(choice.table.results)
    ]


def _short(label: str) -> str:
    """`Fixed window 64/16` of `Fixed window 64/16 tokens, late`."""
    return label.partition(",")[0].rsplit(" ", 1)[0] if "/" in label else label.partition(",")[0]


def _strategies(choice: Choice) -> list[str]:
    return list(dict.fromkeys(each.setting.strategy.label for each in choice.table.results))


def key(choice: Choice) -> str:
    """What the forms of the chart stand for."""
    forms = "".join(
        f'<span><b class="sample">{form}</b> {escape(name)}</span>'
        for form, name in zip(SHAPES.values(), _strategies(choice), strict=False)
    )
    line = "<span>The line joins the settings that no other beats without costing more.</span>"
    front = f'<p class="small">{escape(told(choice))}</p>'
    return f'<div class="rc"><p class="small key">{forms}{line}</p>{front}</div>'


def alternative(choice: Choice) -> str:
    """What the chart is, for those who do not see it; the rest is in `key` and `numbers`."""
    label = measure_named(choice.measure).label
    return f"{label} against {X_TITLE}, {len(choice.board.means):,} settings"


def told(choice: Choice) -> str:
    """The settings of the line, in words."""
    measure = measure_named(choice.measure)
    board = choice.board
    front = "; ".join(
        f"{choice.table.labels[row]}: {figure(measure, float(board.means[row]))} at "
        f"{board.costs[row]:,.0f}"
        for row in choice.front
    )
    return f"On the line: {front}."


def numbers(choice: Choice) -> str:
    """Every setting as a row, best first: what the maps and the chart show."""
    measure, board = measure_named(choice.measure), choice.board
    held = choice.held is not None
    sure = board.recommended is not None
    lower = measure.better == "lower"
    order = np.lexsort((board.costs, board.means if lower else -board.means))
    head = ["Setting", escape(measure.label)]
    head += ["95\u202f% interval", "Best in", "Against the best"] if sure else []
    head += ["Held out"] if held else []
    head += ["Until complete", "Chunks", "Tokens stored", "Not read"]
    rows = []
    for row in order:
        result = choice.table.results[row]
        cells = [f'<th scope="row">{escape(result.setting.label)}</th>']
        cells.append(f'<td class="lead">{figure(measure, float(board.means[row]))}</td>')
        if sure:
            interval = [figure(measure, float(each[row])) for each in (board.low, board.high)]
            tied = "cannot be told apart" if board.is_tied[row] else "worse"
            verdict = "best" if row == board.best else tied
            if row == board.recommended:
                verdict += ", to take"
            cells += [
                f"<td>{interval[0]} to {interval[1]}</td>",
                f"<td>{percent(float(board.share[row]))}</td>",
                f"<td>{verdict}</td>",
            ]
        if choice.held is not None:
            cells.append(f"<td>{figure(measure, float(choice.held[row]))}</td>")
        unread = result.unread / result.tokens if result.tokens else 0.0
        cells += [
            f"<td>{board.costs[row]:,.0f}</td>",
            f"<td>{result.chunks:,}</td>",
            f"<td>{result.tokens:,}</td>",
            f"<td>{percent(unread)}</td>",
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    top = "".join(f'<th scope="col">{each}</th>' for each in head)
    return (
        '<div class="rc measure">'
        + scrolled(
            "All settings, best first",
            f'<table class="numbers"><thead><tr>{top}</tr></thead><tbody>{"".join(rows)}</tbody>'
            "</table>",
        )
        + "</div>"
    )
