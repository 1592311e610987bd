"""Questions with their answers as spans of the source, so that they survive every re-chunking.

Written one a line, as JSON, in UTF-8; offsets are half-open and count code points:

    {"question": "who?", "answers": [{"source": "a.md", "start": 4, "end": 9, "quote": "Nginx"}]}

An answer may also say `document_hash`, the text that it was labelled in, and `origin`, how the
label was found. What else a line says is not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ragchunk.documents import Pair, document_hash
from ragchunk.errors import LoadError

# A label that came from a result favours what found it; the screen says so.
ORIGINS = ("", "typed", "searched", "result")


@dataclass(frozen=True, slots=True)
class Answer:
    """Characters `start` to `end` of the document `source`; `quote` is the text there.

    `document_hash` is that of the whole text (see `documents.document_hash`), "" if not known.
    `origin` says how the label was found: "typed", "searched", "result" (a hit), "" if not known.
    """

    source: str
    start: int
    end: int
    quote: str
    document_hash: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and every passage that answers it, or part of it."""

    text: str
    answers: tuple[Answer, ...]


def answer_at(document: Pair, start: int, end: int, origin: str = "") -> Answer:
    """The answer that is characters `start` to `end` of a document."""
    source, text = document
    return Answer(source, start, end, text[start:end], document_hash(text), origin)


def read_questions(path: Path) -> list[Question]:
    """Read one question a line (JSON) from `path`; LoadError names the file or line that is wrong.

    For files that should have no fault; `question_files.load_questions` reads what is good in any.
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
            questions.append(question_of(json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise LoadError(f"{path.name}, line {number}: not a question ({error}).") from error
    return questions


def to_jsonl(questions: Iterable[Question]) -> str:
    """The questions one a line, as `read_questions` reads them; what is not known is left out."""
    return "".join(_line(question) + "\n" for question in questions)


def key_of(question: Question) -> str:
    """Sixteen hexadecimal digits that tell a question with its answers from all others."""
    return blake2b(_line(question).encode("utf-8"), digest_size=8).hexdigest()


def _line(question: Question) -> str:
    answers = [
        {"source": each.source, "start": each.start, "end": each.end, "quote": each.quote}
        | ({"document_hash": each.document_hash} if each.document_hash else {})
        | ({"origin": each.origin} if each.origin else {})
        for each in question.answers
    ]
    row = {"question": question.text, "answers": answers}
    line = json.dumps(row, ensure_ascii=False)
    # Half a surrogate pair, from a broken escape, has no UTF-8: it stays an escape.
    return line if _is_utf8(line) else json.dumps(row)


def _is_utf8(line: str) -> bool:
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def question_of(row: Any) -> Question:
    """The question that a row of JSON says; ValueError says what is wrong with it."""
    if not isinstance(row, Mapping):
        raise ValueError("it must be an object with a question and its answers")
    text = text_in(row, "question")
    answers = row.get("answers")
    if not isinstance(answers, Sequence) or isinstance(answers, str):
        raise ValueError('"answers" must be a list' if answers else '"answers" is missing')
    return Question(text, tuple(map(_answer_of, answers)))


def _answer_of(row: Any) -> Answer:
    if not isinstance(row, Mapping):
        raise ValueError("each answer must be an object with source, start, end and quote")
    start, end = span_in(row, "start", "end")
    origin = row.get("origin", "")
    return Answer(
        text_in(row, "source"),
        start,
        end,
        text_in(row, "quote"),
        str(row.get("document_hash") or ""),
        origin if origin in ORIGINS else "",
    )


def text_in(row: Mapping[str, Any], name: str) -> str:
    """The text under `name`, which must be more than white space; ValueError if it is not."""
    if name not in row:
        raise ValueError(f'"{name}" is missing')
    value = row[name]
    if not isinstance(value, str):
        raise ValueError(f'"{name}" must be a text, not {value!r}')
    if not value.strip():
        raise ValueError(f'"{name}" is empty')
    return value


def span_in(row: Mapping[str, Any], first: str, last: str) -> tuple[int, int]:
    """The offsets under two names, `0 <= start < end`; ValueError if they are not."""
    for name in (first, last):
        if name not in row:
            raise ValueError(f'"{name}" is missing')
        if not isinstance(row[name], int) or isinstance(row[name], bool):
            raise ValueError(f'"{name}" must be a whole number, not {row[name]!r}')
    start, end = row[first], row[last]
    if not 0 <= start < end:
        raise ValueError(f'"{first}" {start} to "{last}" {end} is no span of a text')
    return start, end


def answers_in(documents: Iterable[Pair], question: Question) -> list[Answer]:
    """The answers whose quote still stands where the label says; `anchoring` looks for the rest."""
    texts = {source: text for source, text in documents}  # noqa: C416 (no tuples for dict())
    return [
        answer
        for answer in question.answers
        if texts.get(answer.source, "")[answer.start : answer.end] == answer.quote
    ]
