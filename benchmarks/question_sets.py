"""Public question sets with their corpora, and the order in which a cutting's chunks are found.

They are third-party texts and no part of this project: a folder on this machine holds them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ragchunk import Chunk, Document, RagchunkError, Span, load_documents, load_encoder
from ragchunk.embedding import ModelEncoder
from ragchunk.evaluation.anchoring import anchored, measurable
from ragchunk.evaluation.measures import Labels
from ragchunk.evaluation.pool import Integers, pool_of, token_counts
from ragchunk.evaluation.question_files import load_questions
from ragchunk.evaluation.questions import Question
from ragchunk.evaluation.trial import rankings
from ragchunk.vectors import chunk_vectors

Cutter = Callable[[str], list[Span]]
Cutting = dict[str, list[Span]]

QUICK_CORPORA = ("chatlogs.md", "state_of_the_union.md")


@dataclass(frozen=True)
class QuestionSet:
    """A corpus with its questions."""

    documents: Sequence[Document]
    questions: list[Question]

    def cut(self, cutter: Cutter) -> Cutting:
        return {source: cutter(text) for source, text in self.documents}

    def labels(self, cutting: Cutting) -> Labels:
        texts = {source: text for source, text in self.documents}  # noqa: C416
        return Labels(self.questions, pool_of(cutting, token_counts(texts, cutting)))

    def of(self, sources: Iterable[str], most: int | None = None) -> QuestionSet:
        """The part of the set that is in some of the documents."""
        kept = set(sources)
        asked = [each for each in self.questions if each.answers[0].source in kept]
        return QuestionSet([each for each in self.documents if each.source in kept], asked[:most])


def options_of(doc: str, quick: str) -> argparse.ArgumentParser:
    """The options of a benchmark on these sets; `quick` says what its --quick does."""
    parser = argparse.ArgumentParser(description=doc.split("\n", 1)[0])
    parser.add_argument("--data", required=True, metavar="FOLDER")
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--json", action="store_true")
    return parser


@contextmanager
def resumable() -> Iterator[None]:
    """Work that Ctrl-C may end: what the model has read is in the store."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit("\nStopped. What was read is kept; run the same line again to go on.")


def chunking_set(folder: Path) -> QuestionSet:
    here = folder / "chunking_eval"
    questions = load_questions("questions_df.csv", _read(here / "questions_df.csv")).questions
    try:
        documents = load_documents(here / "corpora")
    except RagchunkError as error:
        _give_up(str(error))
    return QuestionSet(documents, measurable(anchored(questions, documents)))


def xquad_set(folder: Path) -> QuestionSet:
    found = load_questions("xquad.en.json", _read(folder / "xquad" / "xquad.en.json"))
    return QuestionSet(found.documents, measurable(anchored(found.questions, found.documents)))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        _give_up(f"{path} could not be read: {error.strerror}. --data names the folder it is in.")


def _give_up(why: str) -> NoReturn:
    print(why, file=sys.stderr)
    sys.exit(2)


def ranked(whole: QuestionSet, cutting: Cutting, name: str, way: str = "plain") -> Integers:
    """All chunks in the order of their likeness to each question: shape (questions, chunks).

    What is left of the work is said on stderr, with the `name`.
    """
    encoder = load_encoder()
    chunks = [
        Chunk(f"{source}#{number}", source, number, start, end, text[start:end])
        for source, text in whole.documents
        for number, (start, end) in enumerate(cutting[source])
    ]
    if way != "late":
        _encode(encoder, [each.text for each in chunks], f"{name}, {way}", way)
    vectors = chunk_vectors(chunks, encoder, way, whole.documents)
    return rankings([each.text for each in whole.questions], vectors, encoder)


def _encode(encoder: ModelEncoder, texts: list[str], name: str, way: str) -> None:
    began, said = time.monotonic(), 0.0
    for done, total in encoder.fill(texts, way):
        passed = time.monotonic() - began
        if passed - said >= 20:
            said = passed
            left = passed / done * (total - done)
            print(f"  {name}: {done:,} of {total:,} read, about {left:.0f} s left",
                  file=sys.stderr, flush=True)  # fmt: skip
