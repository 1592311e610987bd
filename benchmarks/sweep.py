"""How long a sweep takes: from an empty store, again from the store, and the measures alone.

    python benchmarks/sweep.py [--quick] [--json]

*Sweeps.* The command `python -m ragchunk sweep`, each time in a new process, so with its imports
and the reading of the model: 50 settings (two strategies, five sizes, five overlaps) on the sample
documents and their questions. First with a store that is empty; then again, where the results are
found; then with the results deleted, where all settings are measured anew from the token outputs
in the store. Late vectors have targets; plain ones, for which the model reads the chunks of every
setting, are printed beside them. Beside the clock stands the time that the process computed: where
that is much less, other programs wanted the cores.

*Measures.* All measures of 500 questions at k and at a budget, for rankings of 2,000 chunks: no
model and no text. Timed is what the thread computes; the median over the rounds.

--quick leaves plain vectors out. A missed mark is printed as missed; the exit code is 0 all the
same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.common import ROOT, SAMPLES, Report
from ragchunk.evaluation.measures import OPENING_BUDGET, Cutoff, Labels
from ragchunk.evaluation.pool import pool_of
from ragchunk.evaluation.questions import Answer, Question

SWEEP = ["--strategies", "window,paragraphs", "--sizes", "64,128,192,254,400"]
SWEEP += ["--overlaps", "0,.1,.25,.4,.5"]
SETTINGS = 50
JOBS = 2

QUESTIONS, CHUNKS, DOCUMENTS, CHARACTERS = 500, 2_000, 20, 500


def sweep(folder: Path, vectors: str) -> tuple[float, float, dict[str, Any]]:
    """Seconds on the clock and computed, and what the command printed, with its store in folder."""
    command = [sys.executable, "-m", "ragchunk", "sweep", str(SAMPLES), *SWEEP]
    command += ["--questions", str(SAMPLES / "questions.jsonl"), "--vectors", vectors]
    command += ["--jobs", str(JOBS), "--json"]
    before = os.times()
    began = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "RAGCHUNK_CACHE": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    clock = time.perf_counter() - began
    after = os.times()
    computed = sum(after[2:4]) - sum(before[2:4])  # of children, in user and in system mode
    found = json.loads(done.stdout)
    assert len(found["rows"]) == SETTINGS
    return clock, computed, found


def without_times(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: row[key] for key in row if key != "seconds"} for row in found["rows"]]


def measure_sweeps(report: Report, quick: bool) -> None:
    report.say(f"{SETTINGS} settings on the sample documents, {JOBS} threads: seconds on the clock")
    for vectors in ("late",) if quick else ("late", "plain"):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            first = sweep(folder, vectors)
            again = sweep(folder, vectors)
            for path in folder.glob("results.sqlite*"):
                path.unlink()
            anew = sweep(folder, vectors)
        assert without_times(first[2]) == without_times(again[2]) == without_times(anew[2])
        for what, (clock, computed, _), most in (
            ("from an empty store", first, 60),
            ("again, results kept", again, 10),
            ("measured anew, from the store", anew, 10),
        ):
            line = f"  {vectors:6} {what:30} {clock:6.1f} s ({computed:.1f} computed)"
            report.keep(f"{vectors}: {what}", {"clock": clock, "computed": computed})
            if vectors == "late":
                line += f"  {report.mark(f'{vectors}: {what}', clock, most, 's', most=True)}"
            report.say(line)


def measure_measures(report: Report, quick: bool) -> None:
    random = np.random.default_rng(0)
    each = CHUNKS // DOCUMENTS
    spans = {
        f"{number}.md": [(at * CHARACTERS, (at + 1) * CHARACTERS) for at in range(each)]
        for number in range(DOCUMENTS)
    }
    pool = pool_of(spans, np.full(CHUNKS, CHARACTERS // 4))
    questions = []
    for number in range(QUESTIONS):
        starts = random.integers(0, each * CHARACTERS - 200, 1 + number % 3)
        source = f"{number % DOCUMENTS}.md"
        answers = [Answer(source, int(at), int(at) + 150, "x" * 150) for at in starts]
        questions.append(Question(f"question {number}", tuple(answers)))
    rankings = random.permuted(np.tile(np.arange(CHUNKS), (QUESTIONS, 1)), axis=1)
    times = []
    for _ in range(5 if quick else 15):
        began = time.thread_time()
        labels = Labels(questions, pool)
        for cutoff in (Cutoff(k=5), Cutoff(budget=OPENING_BUDGET)):
            labels.scores(rankings, cutoff)
        times.append(time.thread_time() - began)
    name = f"measures of {QUESTIONS:,} questions by {CHUNKS:,} chunks"
    said = report.mark(name, median(times), 1, "s", most=True)
    report.say(f"{name}: {median(times):.2f} s  {said}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="late vectors only, fewer rounds")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args()
    report = Report(options.json)
    measure_measures(report, options.quick)
    measure_sweeps(report, options.quick)
    report.close()


if __name__ == "__main__":
    main()
