"""What the commands that measure share: questions and their options, and progress for a person."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragchunk.comparison import cut
from ragchunk.console import Parser, say
from ragchunk.corpus import Corpus
from ragchunk.documents import AS_USUAL, ReadOptions, unique_sources
from ragchunk.embedding import ModelEncoder, load_encoder
from ragchunk.errors import LoadError, SettingsError
from ragchunk.evaluation.anchoring import anchored
from ragchunk.evaluation.measures import MEASURES, OPENING_BUDGET, Cutoff
from ragchunk.evaluation.question_files import load_questions
from ragchunk.evaluation.questions import Question
from ragchunk.evaluation.results import default_results
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.sweep import MOST_SETTINGS, Progress, sweep
from ragchunk.evaluation.table import Table, check_cutoff, recipe, table_of
from ragchunk.measured import ask_all, question_set
from ragchunk.options import choices, read_folder
from ragchunk.settings import one_of
from ragchunk.verdicts import Line, lines

# Notes on one file of questions; the rest is counted.
NOTES_SHOWN = 20
OPENING_K = 5

JUDGED_BY = [each.name for each in MEASURES if each.judges]


@dataclass(frozen=True)
class Ground:
    """What settings are measured on: documents, and the questions whose answers stand in them."""

    corpus: Corpus
    questions: list[Question]


def add_questions(parser: Parser) -> None:
    parser.add_argument(
        "--questions",
        required=True,
        metavar="FILE",
        help="questions with their answers: JSON or JSONL (question, answers), CSV (question, "
        "references, corpus_id) or SQuAD-style JSON",
    )


def add_cutoffs(parser: Parser) -> None:
    """`--k`, `--budget` and `--measure`."""
    add = parser.add_argument
    add(
        "--k",
        type=int,
        metavar="N",
        help=f"measure the first N chunks, too (default: {OPENING_K})",
    )
    add(
        "--budget",
        type=int,
        metavar="N",
        help="measure as many chunks as N tokens hold: the fair comparison of sizes (default: "
        f"{OPENING_BUDGET:,})",
    )
    add(
        "--measure",
        default="recall",
        metavar="NAME",
        help=f"what settings are judged by: {choices(JUDGED_BY, 'recall')}",
    )


def check_measure(name: str) -> None:
    """Raise SettingsError unless settings can be judged by that measure."""
    one_of("Measure", name, JUDGED_BY)


def cutoffs(k: int | None, budget: int | None) -> tuple[Cutoff, Cutoff]:
    """Both, that first which settings are judged at: the budget, unless k alone was given."""
    by_k = Cutoff(k=OPENING_K if k is None else k)
    by_budget = Cutoff(budget=OPENING_BUDGET if budget is None else budget)
    for each in (by_k, by_budget):
        check_cutoff(each)
    return (by_k, by_budget) if k is not None and budget is None else (by_budget, by_k)


def ground(folder: str, file: str, how: ReadOptions = AS_USUAL) -> Ground:
    """Load both; says on standard error what is not as it should be, with line numbers.

    Where the file of the questions is in the folder, it is no document.
    Raises LoadError for a file that cannot be read or holds no question, SettingsError where no
    question can be measured.
    """
    documents = read_folder(folder, how, [file])
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LoadError(f"{file} could not be read: {error.strerror}.") from error
    found = load_questions(path.name, data)
    if found.documents:
        say("note", f"{path.name} brings {len(found.documents):,} documents: they are added.")
        documents = unique_sources([*documents, *found.documents])
    rows = anchored(found.questions, documents)
    notes = list(found.problems)
    for place, row in zip(found.places, rows, strict=True):
        left = "" if row.measurable or not row.notes else " The question is left out."
        notes += [f"{place}: {note}{left}" for note in row.notes]
    for note in notes[:NOTES_SHOWN]:
        say("note", f"{path.name}, {note}")
    if len(notes) > NOTES_SHOWN:
        say("note", f"{path.name}: {len(notes) - NOTES_SHOWN:,} more like these.")
    questions = list(dict.fromkeys(row.standing for row in rows if row.measurable))
    if not questions:
        raise SettingsError(
            f"None of the {len(rows):,} questions in {path.name} can be measured: each needs "
            f"answers that stand in the documents of {folder}."
        )
    return Ground(Corpus(tuple(documents)), questions)


def measured(
    settings: Sequence[Setting],
    ground: Ground,
    cutoffs: Sequence[Cutoff],
    model: str,
    jobs: int = 1,
    most: int = MOST_SETTINGS,
) -> Table:
    """The settings measured, with progress on standard error if a person looks at it.

    Stopped by Ctrl-C it says what is kept, and raises KeyboardInterrupt.
    """
    encoder = load_encoder(model)
    found = []
    steps = sweep(
        settings,
        ground.corpus,
        ground.questions,
        model,
        cutoffs,
        jobs,
        most=most,
        encoder=load_encoder,
    )
    shown = sys.stderr.isatty()
    try:
        if shown and isinstance(encoder, ModelEncoder):
            _read_documents(settings, ground, encoder)
        for each in steps:
            found.append(each.result)
            if shown:
                print(f"\r\x1b[K{told(each)}", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        if found:
            say(
                "note",
                f"Stopped: {len(found):,} of {len(settings):,} settings are measured and kept; "
                "the same command goes on from there.",
            )
        raise
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if problem := default_results().problem:
        say("note", problem)
    return table_of(recipe(settings, ground.corpus, ground.questions, cutoffs, model), found)


def verdicts(settings: Sequence[Setting], ground: Ground, cutoff: Cutoff, model: str) -> list[Line]:
    """What each question got, in words, one line a question; needs no model after `measured`."""
    asked = question_set(ground.questions, ground.corpus)
    encoder = load_encoder(model)
    return lines(
        [
            ask_all(cut(ground.corpus, each.strategy, model), asked, encoder, each.way)
            for each in settings
        ],
        cutoff,
    )


def told(progress: Progress) -> str:
    """`12 of 85 settings, 3.1 a second, about 24 s left`."""
    said = f"{progress.done:,} of {progress.total:,} settings"
    if progress.rate is not None and progress.left:
        said += f", {progress.rate:,.1f} a second, about {duration(progress.left)} left"
    return said


def duration(seconds: float) -> str:
    """`24 s`, `3 min`, `2.5 h`."""
    if seconds < 100:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 6_000 else f"{seconds / 3_600:,.1f} h"


def _read_documents(settings: Sequence[Setting], ground: Ground, encoder: ModelEncoder) -> None:
    """Have the model read what late vectors need, and say how far it is."""
    if encoder.why_not_late or all(each.way != "late" for each in settings):
        return
    for done, total in encoder.token_pass.run(ground.corpus.texts.values()):
        said = f"Reading {done:,} of {total:,} tokens"
        print(f"\r\x1b[K{said}", end="", file=sys.stderr, flush=True)
