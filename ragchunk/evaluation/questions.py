"""Questions with their answers as spans of the source, so that they survive every re-chunking."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ragchunk.documents import Pair
from ragchunk.errors import LoadError


@dataclass(frozen=True, slots=True)
class Answer:
    """Characters `start` to `end` of the document `source`; `quote` is the text there."""

    source: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and every passage that answers it, or part of it."""

    text: str
    answers: tuple[Answer, ...]


def read_questions(path: Path) -> list[Question]:
    """Read one question a line (JSON) from `path`; LoadError names the file or line that is wrong.

    A line is `{"question": ..., "answers": [{"source", "start", "end", "quote"}, ...]}`, with
    half-open offsets in code points.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"{path.name} could not be read as UTF-8 text: {error}.") from error
    questions = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            answers = tuple(
                Answer(str(a["source"]), int(a["start"]), int(a["end"]), str(a["quote"]))
                for a in row["answers"]
            )
            questions.append(Question(str(row["question"]), answers))
        except (ValueError, KeyError, TypeError) as error:
            raise LoadError(f"{path.name}, line {number}: not a question ({error}).") from error
    return questions


def answers_in(documents: Iterable[Pair], question: Question) -> list[Answer]:
    """The answers whose quote still stands where the label says; a changed document has none."""
    texts = {source: text for source, text in documents}  # noqa: C416 (no tuples for dict())
    return [
        answer
        for answer in question.answers
        if texts.get(answer.source, "")[answer.start : answer.end] == answer.quote
    ]
