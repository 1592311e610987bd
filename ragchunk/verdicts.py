"""What each question got under each setting, in a few words, and what a reader pays for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk.comparison import read_ends
from ragchunk.evaluation.brief import Brief, brief
from ragchunk.evaluation.measures import Cutoff
from ragchunk.measured import Measured
from ragchunk.search import Hit


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


def paid_in_words(paid: float) -> str:
    """`complete after 64 tokens`."""
    return f"complete after {paid:,.0f} tokens" if np.isfinite(paid) else "never complete"
