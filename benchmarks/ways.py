"""Three ways to make a chunk's vector, on the 472 questions of the chunking-evaluation set.

    python benchmarks/ways.py --data FOLDER [--quick] [--json]

FOLDER holds `chunking_eval/questions_df.csv` with its five `corpora/`, as for published.py.

For each setting: recall at five chunks with plain, averaged and late vectors; how much late and
averaged differ from plain, question by question, with the 95 % interval of the mean; and how much
of plain's first five the two find too. Up to the 254 tokens that the model reads, plain and
averaged are the same. The same at a budget of 1,000 tokens is kept for --json.

The encoding takes minutes. It may be stopped (Ctrl-C) at any moment: what was read is in the store
(`python -m ragchunk cache`), and the next run goes on from there. --quick takes two corpora and
two settings.

There is no target; the exit code is 0, and 2 if FOLDER lacks a file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.common import Report
from benchmarks.question_sets import (
    QUICK_CORPORA,
    QuestionSet,
    chunking_set,
    options_of,
    ranked,
    resumable,
)
from ragchunk import STRATEGIES
from ragchunk.embedding import WAYS
from ragchunk.evaluation.compare import compare
from ragchunk.evaluation.measures import OPENING_BUDGET, Cutoff, Labels
from ragchunk.evaluation.pool import Integers

SETTINGS = [
    ("window", 32, 0),
    ("window", 64, 0),
    ("window", 200, 0),
    ("window", 250, 0),
    ("window", 250, 125),
    ("window", 400, 0),
    ("window", 800, 0),
    ("recursive", 200, 0),
    ("recursive", 400, 0),
]
QUICK = SETTINGS[4:6]

FIRST = 5
OTHERS = [way for way in WAYS if way != "plain"]
CUTOFFS = (Cutoff(k=FIRST), Cutoff(budget=OPENING_BUDGET))


def main() -> None:
    options = options_of(__doc__ or "", "two corpora and two settings").parse_args()
    report = Report(options.json)
    whole = chunking_set(Path(options.data))
    if options.quick:
        whole = whole.of(QUICK_CORPORA)
    with resumable():
        _table(report, whole, QUICK if options.quick else SETTINGS)
    report.close()


def _table(report: Report, whole: QuestionSet, settings: list[tuple[str, int, int]]) -> None:
    report.say(f"{len(whole.questions)} questions, {len(whole.documents)} corpora\n")
    report.say(f"Recall at {FIRST} (%), and the difference from plain in points, with its interval")
    report.say(
        f"{'':22}{'plain':>7}"
        + "".join(f"{way:>10}{'difference':>24}{'same hits':>12}" for way in OTHERS)
    )
    for kind, size, overlap in settings:
        name = f"{kind} {size}/{overlap}"
        cutting = whole.cut(STRATEGIES[kind](size=size, overlap=overlap, unit="tokens").spans)
        labels = whole.labels(cutting)
        rankings = {way: ranked(whole, cutting, name, way) for way in WAYS}
        rows = [_row(labels, rankings, cutoff) for cutoff in CUTOFFS]
        report.found.setdefault("rows", []).extend({"setting": name, **row} for row in rows)
        report.say(f"  {name:20}{_line(rows[0])}")


def _row(labels: Labels, rankings: dict[str, Integers], cutoff: Cutoff) -> dict[str, Any]:
    """Recall with plain vectors, and the others beside it."""
    plain = labels.scores(rankings["plain"], cutoff)
    row: dict[str, Any] = {"cutoff": str(cutoff), "plain": plain.mean("recall")}
    for way in OTHERS:
        found = labels.scores(rankings[way], cutoff)
        told = compare(found.recall, plain.recall)
        row[way] = {
            "recall": found.mean("recall"),
            "difference": told.difference,
            "low": told.low,
            "high": told.high,
            "p": told.p,
            "same_hits": _shared(rankings[way], rankings["plain"]),
        }
    return row


def _line(row: dict[str, Any]) -> str:
    line = f"{100 * row['plain']:7.1f}"
    for way in OTHERS:
        found = row[way]
        difference, low, high = (_points(found[name]) for name in ("difference", "low", "high"))
        line += f"{100 * found['recall']:10.1f}{f'{difference} ({low} to {high})':>24}"
        line += f"{100 * found['same_hits']:10.0f} %"
    return line


def _points(share: float) -> str:
    return f"{round(100 * share, 1) + 0.0:+.1f}"


def _shared(ranking: Integers, plain: Integers) -> float:
    """How much of plain's first hits are among the first of the other, on average."""
    first, others = plain[:, :FIRST], ranking[:, :FIRST]
    return float(np.mean((first[:, :, None] == others[:, None, :]).any(axis=2)))


if __name__ == "__main__":
    main()
