"""The published figures of chunking evaluation, reproduced, and people's questions by chunk size.

    python benchmarks/published.py --data FOLDER [--set chunking_eval|xquad] [--quick] [--json]

FOLDER holds `chunking_eval/questions_df.csv` with its five `corpora/` (Smith and Troynikov,
"Evaluating Chunking Strategies for Retrieval", 2024), and `xquad/xquad.en.json` (XQuAD, English).
They are third-party texts and no part of this project.

*chunking_eval.* Published rows for all-MiniLM-L6-v2, the best five chunks of all five corpora, in
one index, for 472 questions. Recursive cuts stand twice: cut by the report's own rule of length
(see report_splitter.py), and under the contract of ragchunk in tokens of the model. Precision-omega
needs no model, so it comes first.

*xquad.* 1,188 questions that people wrote, with short answers, by strategy and size: at five chunks
and at budgets of tokens side by side, as the two give opposite answers.

The encoding takes minutes for each row, on two cores. It may be stopped (Ctrl-C) at any moment:
what was read is in the store (`python -m ragchunk cache`), and the next run goes on from there.
--quick leaves it out, but for a few questions that show that it works.

A missed mark is printed as missed; the exit code is 0 all the same, and 2 if FOLDER lacks a file.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.common import Report
from benchmarks.question_sets import (
    QUICK_CORPORA,
    Cutter,
    QuestionSet,
    chunking_set,
    options_of,
    ranked,
    resumable,
    xquad_set,
)
from benchmarks.report_splitter import report_spans
from ragchunk import STRATEGIES, Span
from ragchunk.evaluation.board import board
from ragchunk.evaluation.compare import interval
from ragchunk.evaluation.measures import Cutoff
from ragchunk.tokens import count_tokens

Floats = npt.NDArray[np.float64]

# Points by which a figure may differ from the published one.
MOST_RECALL = {"recursive": 1.0, "window": 2.5}
MOST_OMEGA = 0.3

# [CLS] and [SEP], which the report counts with every part.
SPECIAL = 2

XQUAD_SETTINGS = [
    (kind, size) for kind in ("recursive", "window") for size in (64, 96, 128, 192, 254, 400)
]
XQUAD_QUICK = 40
CUTOFFS = (Cutoff(k=5), Cutoff(budget=500), Cutoff(budget=1_000))


@dataclass(frozen=True)
class Published:
    """A row of the report's table, in per cent."""

    strategy: str
    size: int
    overlap: int
    recall: float
    precision: float
    omega: float
    iou: float

    def __str__(self) -> str:
        return f"{self.strategy} {self.size}/{self.overlap}"


PUBLISHED = [
    Published("recursive", 250, 125, 78.7, 4.9, 21.9, 4.9),
    Published("recursive", 250, 0, 78.5, 5.4, 26.7, 5.4),
    Published("recursive", 200, 0, 75.7, 6.5, 31.2, 6.5),
    Published("window", 250, 125, 82.4, 3.6, 11.4, 3.5),
    Published("window", 250, 0, 77.1, 3.3, 16.4, 3.3),
    Published("window", 200, 0, 76.6, 4.1, 19.1, 4.1),
]

WINDOWS_DIFFER = (
    "Windows of the model's own word pieces. Which tokenizer the published windows were counted\n"
    "in is not certain. Precision-omega, which needs no model, says that they are longer than\n"
    "ours of the same size:"
)
# Tried for windows as long as the published ones.
LONGER = [1 + step / 40 for step in range(9)]


def main() -> None:
    parser = options_of(__doc__ or "", "no encoding but a small sample")
    parser.add_argument("--set", choices=["chunking_eval", "xquad"], default="chunking_eval")
    options = parser.parse_args()
    report = Report(options.json)
    folder = Path(options.data)
    with resumable():
        if options.set == "xquad":
            xquad(report, xquad_set(folder), options.quick)
        else:
            published(report, chunking_set(folder), options.quick)
    report.close()


# The published rows


def published(report: Report, whole: QuestionSet, quick: bool) -> None:
    report.say(f"{len(whole.questions)} questions, {len(whole.documents)} corpora\n")
    rows = [(row, name, whole.cut(cut)) for row in PUBLISHED for name, cut in cutters(row)]
    labels = [whole.labels(cutting) for _, _, cutting in rows]

    report.say("Precision-omega (%)".ljust(39) + "published    here   95 %            difference")
    for (row, name, _), found in zip(rows, labels, strict=True):
        _beside(report, row, name, "omega", row.omega, found.omega, _most(row, name, "omega"))
    report.say(f"\n{WINDOWS_DIFFER}")
    for row in PUBLISHED:
        if row.strategy == "window":
            _as_long(report, row, whole)
    report.say()

    if quick:
        part = whole.of(QUICK_CORPORA, most=20)
        row, name, _ = rows[0]
        cutting = part.cut(cutters(row)[0][1])
        ranking = ranked(part, cutting, f"{row}, {name}")
        scores = part.labels(cutting).scores(ranking, Cutoff(k=5))
        report.keep("sample_recall", scores.mean("recall"))
        report.say(
            f"A sample, {len(part.questions)} questions on {len(part.documents)} corpora, {row}: "
            f"recall {100 * scores.mean('recall'):.1f}. Without --quick: all rows."
        )
        return
    for (row, name, cutting), found in zip(rows, labels, strict=True):
        scores = found.scores(ranked(whole, cutting, f"{row}, {name}"), Cutoff(k=5))
        report.say(f"\n{row}, {name}")
        for measure in ("recall", "precision", "iou"):
            most = _most(row, name, measure)
            _beside(report, row, name, measure, getattr(row, measure), scores[measure], most)


def cutters(row: Published) -> list[tuple[str, Cutter]]:
    """The ways that a row is cut here, by name."""
    strategy = STRATEGIES[row.strategy](size=row.size, overlap=row.overlap, unit="tokens")
    found: list[tuple[str, Cutter]] = [("ragchunk", strategy.spans)]
    if row.strategy == "recursive":

        def by_the_rule(text: str) -> list[Span]:
            return report_spans(text, row.size, row.overlap, _report_length)

        found.insert(0, ("the report's rule", by_the_rule))
    return found


def _report_length(part: str) -> int:
    return count_tokens(part) + SPECIAL


def _most(row: Published, name: str, measure: str) -> float | None:
    """How far a figure may be from the published one; None where there is no mark."""
    if row.strategy == "recursive" and name == "ragchunk":
        return None  # other lengths, so other chunks
    if measure == "omega":
        return MOST_OMEGA if row.strategy == "recursive" else None
    # Windows with overlap differ by as much as the tokenizers do.
    has_mark = measure == "recall" and (row.strategy == "recursive" or not row.overlap)
    return MOST_RECALL[row.strategy] if has_mark else None


def _beside(
    report: Report,
    row: Published,
    name: str,
    measure: str,
    there: float,
    figures: Floats,
    most: float | None,
) -> None:
    """One line: published, here, the interval of here, and the difference."""
    here = 100 * float(figures.mean())
    low, high = (100 * edge for edge in interval(figures))
    title = f"{row}, {name}" if measure == "omega" else measure
    mark = ""
    if most is not None:
        mark = report.mark(f"{row}, {name}: {measure}", abs(here - there), most, "points", True)
    report.say(
        f"  {title:38}{there:8.1f}{here:8.1f}   {f'({low:.1f} to {high:.1f})':16}"
        f"{round(here - there, 1) + 0.0:+10.1f}   {mark}"
    )
    entry = {"row": asdict(row), "cut": name, "measure": measure, "published": there}
    entry |= {"here": here, "low": low, "high": high}
    report.found.setdefault("rows", []).append(entry)


def _as_long(report: Report, row: Published, whole: QuestionSet) -> None:
    """Which windows of ours have the precision-omega of the published ones."""
    found: list[tuple[float, int, int]] = []
    for times in LONGER:
        size, overlap = round(times * row.size), round(times * row.overlap)
        cutting = whole.cut(STRATEGIES["window"](size=size, overlap=overlap, unit="tokens").spans)
        found.append((100 * float(whole.labels(cutting).omega.mean()), size, overlap))
    omega, size, overlap = min(found, key=lambda each: abs(each[0] - row.omega))
    report.say(f"  {row}: {row.omega} published, {omega:.1f} for ours of {size}/{overlap}")
    entry = {"row": asdict(row), "omega": omega, "size": size, "overlap": overlap}
    report.found.setdefault("as_long", []).append(entry)


# People's questions


def xquad(report: Report, whole: QuestionSet, quick: bool) -> None:
    some = whole.of([each.source for each in whole.documents[:5]], XQUAD_QUICK) if quick else whole
    report.say(f"{len(some.questions)} questions, {len(some.documents)} articles\n")
    report.say(
        "Full answer (%), and its 95 % interval".ljust(28)
        + "".join(str(cutoff).rjust(24) for cutoff in CUTOFFS)
    )
    figures: dict[Cutoff, list[Floats]] = {cutoff: [] for cutoff in CUTOFFS}
    tokens: dict[Cutoff, list[float]] = {cutoff: [] for cutoff in CUTOFFS}
    names = [f"{name} {size}/0" for name, size in XQUAD_SETTINGS[: 2 if quick else None]]
    for name, (kind, size) in zip(names, XQUAD_SETTINGS, strict=False):
        cutting = some.cut(STRATEGIES[kind](size=size, unit="tokens").spans)
        labels = some.labels(cutting)
        ranking = ranked(some, cutting, name)
        line = f"  {name:38}"
        for cutoff in CUTOFFS:
            scores = labels.scores(ranking, cutoff)
            figures[cutoff].append(scores.full)
            tokens[cutoff].append(scores.mean("tokens"))
            low, high = (100 * edge for edge in interval(scores.full))
            line += f"{100 * scores.full.mean():.1f} ({low:.1f} to {high:.1f})".rjust(24)
            entry = {"setting": name, "cutoff": str(cutoff), "low": low, "high": high}
            entry |= {measure: scores.mean(measure) for measure in ("full", "recall", "tokens")}
            report.found.setdefault("settings", []).append(entry)
        report.say(line)
    for cutoff in CUTOFFS:
        verdict = board(np.stack(figures[cutoff]), tokens[cutoff]).sentence(names)
        report.keep(f"verdict at {cutoff}", verdict)
        report.say(f"\nAt {cutoff}: {verdict}")


if __name__ == "__main__":
    main()
