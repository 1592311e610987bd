"""Where the strategies differ: one question a row, one verdict a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk.comparison import read_ends
from ragchunk.evaluation.brief import Brief, brief
from ragchunk.evaluation.measures import Cutoff
from ragchunk.markup import act_button, count, escape
from ragchunk.measure_table import scrolled
from ragchunk.measured import Measured
from ragchunk.search import Hit

SIGNS = {"whole": "●", "part": "◐", "none": "○"}

# Questions that are drawn, and how many more a press of the button draws.
AT_FIRST, MORE = 12, 24


@dataclass(frozen=True)
class Line:
    """One question: what each column made of it, and what a reader pays there until complete."""

    question: str
    verdicts: Sequence[Brief]
    paid: Sequence[float]

    @property
    def differs(self) -> bool:
        """Whether the answer is whole in some columns, and in parts or not at all in others."""
        return len({each.sign for each in self.verdicts}) > 1


def lines(columns: Sequence[Measured], cutoff: Cutoff) -> list[Line]:
    """One line for each question, for columns asked the same questions."""
    if not columns:
        return []
    scores = [each.scores(cutoff) for each in columns]
    return [
        Line(
            question.text,
            [_brief(each, number, cutoff) for each in columns],
            [float(each.complete[number]) for each in scores],
        )
        for number, question in enumerate(columns[0].questions.questions)
    ]


def _brief(column: Measured, number: int, cutoff: Cutoff) -> Brief:
    answers = column.questions.questions[number].answers
    scores, chunks = column.scores(cutoff), column.cutting.chunks
    order = column.order[number, : scores.depth[number]]
    # Only the few hits that hold some of an answer: for a thousand questions the rest takes long.
    pool = column.labels.pool
    starts, ends = pool.starts[order], pool.ends[order]
    holds = np.zeros(len(order), dtype=bool)
    for each in answers:
        first, last = pool.places[each.source]
        inside = (first <= order) & (order < last)
        holds |= inside & (starts < each.end) & (each.start < ends)
    hits = [Hit(int(at) + 1, 0.0, chunks[order[at]]) for at in np.flatnonzero(holds)]
    read = read_ends(column.cutting, hits, column.way)
    return brief(answers, hits, read, float(scores.recall[number]), str(cutoff))


def table(found: Sequence[Line], names: Sequence[str], most: int, shown: str, total: int) -> str:
    """The first `most` lines as a table.

    `shown` says which these are, "differ" or "all"; `total` is how many there are.
    """
    rest = total - len(found)
    said = count(total, "question")
    if shown == "differ":
        has = "has" if rest == 1 else "have"
        said = f"{len(found):,} of {said} differ; {rest:,} {has} the same verdict in all columns."
    else:
        said = f"{said}."
    if not found:
        return f'<div class="rc measure"><p class="waiting">{said}</p></div>'
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(map(_line, found[:most]))
    more = ""
    if len(found) > most:
        more = act_button(f"{count(min(MORE, len(found) - most), 'more question')}", "lines")
    return (
        '<div class="rc measure">'
        + scrolled(
            "Questions and what each column made of them",
            f'<table class="differ"><thead><tr><th scope="col">Question</th>{top}</tr></thead>'
            f"<tbody>{body}</tbody></table>",
        )
        + f'<p class="acts">{more}</p><p class="small">{said} Choose a question to see its answer '
        "in every lane.</p></div>"
    )


def _line(line: Line) -> str:
    cells = "".join(
        f'<td class="words {each.sign}"><i aria-hidden="true">{SIGNS[each.sign]}</i>'
        f"{escape(each.words)}<small>{_paid(paid)}</small></td>"
        for each, paid in zip(line.verdicts, line.paid, strict=True)
    )
    question = escape(line.question)
    return (
        f'<tr><th scope="row"><button type="button" class="act" data-act="ask {question}">'
        f"{question}</button></th>{cells}</tr>"
    )


def _paid(paid: float) -> str:
    return f"complete after {paid:,.0f} tokens" if np.isfinite(paid) else "never complete"
