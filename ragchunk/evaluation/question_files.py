"""Question files of three kinds: what is good in them is loaded, what is not is told.

- JSONL, one question a line, as `questions.to_jsonl` writes it.
- CSV with `question, references, corpus_id`, as the chunking-evaluation set has it (Smith and
  Troynikov 2024): the references are a JSON list of `content, start_index, end_index`.
- SQuAD-style JSON: articles of paragraphs, whose questions have answers with `answer_start`. Such
  a file brings its documents along.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ragchunk.documents import Document, decode, document_hash, unique_sources
from ragchunk.errors import LoadError
from ragchunk.evaluation.questions import (
    Answer,
    Question,
    question_of,
    span_in,
    text_in,
)

COLUMNS = ("question", "references", "corpus_id")
MOST_FIELD = 10_000_000
WHAT_IS_READ = (
    "It must be JSONL (question, answers), CSV (question, references, corpus_id) or SQuAD-style "
    "JSON (data)."
)

# Where a row stands ("line 7"), and its question or what is wrong with it.
Row = tuple[str, Question | ValueError]


@dataclass(frozen=True)
class QuestionFile:
    """What a file held: its questions, what was left out or is odd, and documents it brought.

    `places` says where each question stands in the file, such as "line 7".
    """

    questions: tuple[Question, ...]
    problems: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    places: tuple[str, ...] = ()


def load_questions(name: str, data: bytes) -> QuestionFile:
    """The questions of a file, and for each row that is none where it stands and why.

    name: for messages, and its ending tells CSV. Questions are in the order of the file, none
    twice. One without an answer is kept, and told: it can be asked, not measured.
    Raises LoadError if no row is a question.
    """
    text, _ = decode(data)
    documents: list[Document] = []
    notes: list[str] = []
    if name.lower().endswith(".csv"):
        rows = _csv_rows(name, text)
    elif squad := _squad(text):
        rows = _squad_rows(squad, documents, notes)
    else:
        rows = _lines(text)
    questions, problems = _gathered(rows)
    problems += notes
    if not questions:
        why = f" The first problem: {problems[0]}" if problems else " It is empty."
        raise LoadError(f"{name} holds no question that can be read.{why} {WHAT_IS_READ}")
    return QuestionFile(
        tuple(questions), tuple(problems), tuple(documents), tuple(questions.values())
    )


def _gathered(rows: Iterable[Row]) -> tuple[dict[Question, str], list[str]]:
    """The questions, none twice, each with its place, and all that is to be told."""
    questions: dict[Question, str] = {}
    asked: dict[str, str] = {}
    problems = []
    for place, found in rows:
        if isinstance(found, ValueError):
            problems.append(f"{place}: {found}.")
            continue
        words = found.text.strip().casefold()
        if found in questions:
            problems.append(f"{place}: the same as {questions[found]}; left out.")
            continue
        if words in asked:
            problems.append(
                f"{place}: the question of {asked[words]} with other answers; both are kept."
            )
        if not found.answers:
            problems.append(f"{place}: no answer; it can be asked, not measured.")
        questions[found] = place
        asked.setdefault(words, place)
    return questions, problems


def _made(make: Callable[[Any], Question], row: Any) -> Question | ValueError:
    """What `make` makes of a row, or why it makes nothing of it."""
    try:
        return make(row)
    except ValueError as error:
        return error
    except RecursionError:
        return ValueError("it is nested too deeply")


def _lines(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"line {number}", _made(_line_question, line)


def _line_question(line: str) -> Question:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from None
    return question_of(row)


def _csv_rows(name: str, text: str) -> Iterator[Row]:
    csv.field_size_limit(MOST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        columns = [column.strip() for column in next(reader, [])]
    except csv.Error as error:
        raise LoadError(f"{name} could not be read as CSV: {error}.") from None
    if missing := [column for column in COLUMNS if column not in columns]:
        raise LoadError(
            f"{name} has no column {', '.join(missing)}; its first line is "
            f"{', '.join(columns)[:200] or 'empty'}. A question file needs {', '.join(COLUMNS)}."
        )
    while True:
        place = f"line {reader.line_num + 1}"
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield place, ValueError(str(error))
            continue
        if not any(value.strip() for value in values):
            continue
        if len(values) != len(columns):
            yield (
                place,
                ValueError(f"{len(values)} fields, where the first line has {len(columns)}"),
            )
            continue
        yield place, _made(_csv_question, dict(zip(columns, values, strict=True)))


def _csv_question(row: dict[str, str]) -> Question:
    text, source = text_in(row, "question"), text_in(row, "corpus_id")
    try:
        references = json.loads(row["references"])
    except ValueError as error:
        raise ValueError(f'"references" is not JSON ({error})') from None
    if not isinstance(references, list) or not all(isinstance(each, dict) for each in references):
        raise ValueError('"references" must be a list of objects')
    answers = []
    for each in references:
        start, end = span_in(each, "start_index", "end_index")
        answers.append(Answer(source, start, end, text_in(each, "content")))
    return Question(text, tuple(answers))


def _squad(text: str) -> list[Any] | None:
    """The articles of a SQuAD-style file, or None for another kind of file."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    articles = found.get("data") if isinstance(found, dict) else None
    return articles if isinstance(articles, list) else None


def _squad_rows(articles: list[Any], documents: list[Document], notes: list[str]) -> Iterator[Row]:
    """The questions of all articles, each article a document: its paragraphs, a blank line between.

    Several answers to a question are several people's, so the first stands for all.
    """
    made: list[Document] = []
    found: list[tuple[str, int, int, dict[str, Any]]] = []
    for number, article in enumerate(articles, 1):
        article = article if isinstance(article, dict) else {}
        title = str(article.get("title") or f"article {number}")
        paragraphs = article.get("paragraphs")
        if not isinstance(paragraphs, list):
            yield f"article {number}", ValueError("it has no list of paragraphs")
            continue
        text = ""
        for place, paragraph in enumerate(paragraphs, 1):
            context = paragraph.get("context") if isinstance(paragraph, dict) else None
            if not isinstance(context, str) or not isinstance(paragraph.get("qas"), list):
                where = f"article {number} ({title}), paragraph {place}"
                yield where, ValueError("it has no context, or no list of questions")
                continue
            text += "\n\n" if text else ""
            for row in paragraph["qas"]:
                where = f"{title}, paragraph {place}, {_squad_name(row)}"
                found.append((where, len(made), len(text), row))
            text += context
        made.append(Document(title, text))
    different = dict.fromkeys(made)
    named = dict(zip(different, unique_sources(different), strict=True))
    documents += named.values()
    unanswered = several = 0
    for where, number, shift, row in found:
        answers = row.get("answers") if isinstance(row, dict) else None
        if isinstance(answers, list) and not answers:
            unanswered += 1
            continue
        several += isinstance(answers, list) and len(set(map(str, answers))) > 1
        yield where, _made(partial(_squad_question, named[made[number]], shift), row)
    if unanswered:
        notes.append(f"Questions without an answer, left out: {unanswered:,}.")
    if several:
        notes.append(f"Questions with answers of several people, the first is used: {several:,}.")


def _squad_name(row: Any) -> str:
    return f"question {row.get('id', '')!s}".strip() if isinstance(row, dict) else "question"


def _squad_question(document: Document, shift: int, row: Any) -> Question:
    if not isinstance(row, dict):
        raise ValueError("it must be an object with a question and its answers")
    text = text_in(row, "question")
    answers = row.get("answers")
    if not isinstance(answers, list) or not isinstance(answers[0], dict):
        raise ValueError('"answers" must be a list of objects')
    quote = text_in(answers[0], "text")
    start = answers[0].get("answer_start")
    if not isinstance(start, int) or isinstance(start, bool) or start < 0:
        raise ValueError(f'"answer_start" must be a whole number from 0, not {start!r}')
    start += shift
    end = start + len(quote)
    if document.text[start:end] != quote:
        raise ValueError(f"the text at {start - shift} is not {quote[:60]!r}")
    return Question(
        text, (Answer(document.source, start, end, quote, document_hash(document.text)),)
    )
