"""Question files of three kinds: what is good in them is loaded, what is not is told.

- JSON, one question a line, as `questions.to_jsonl` writes it, or a list of them.
- CSV with `question, references, corpus_id`, as the chunking-evaluation set has it (Smith and
  Troynikov 2024): the references are a JSON list of `content, start_index, end_index`. Commas,
  semicolons or tabs stand between, and the columns' names may have capitals.
- SQuAD-style JSON: articles of paragraphs, whose questions have answers with `answer_start`; or
  flat, a `context` with each question, as the Hugging Face copy has it. Such a file brings its
  documents along.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
TABLES = (".csv", ".tsv")
SEPARATORS = ",;\t"
MOST_FIELD = 10_000_000
WHAT_IS_READ = (
    "It must be JSON or JSONL (question, answers), CSV (question, references, corpus_id) or "
    "SQuAD-style JSON (data, or question, context, answers)."
)

# All that may end a line; JSON may hold other line ends as they are.
_LINE_END = re.compile(r"\r\n|\n|\r")

# Where a row stands ("line 7"), and its question or what is wrong with it.
Row = tuple[str, Question | ValueError]
# The same before it is made a question of.
Raw = tuple[str, Any]


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
    if name.lower().endswith(TABLES):
        rows = _csv_rows(name, text)
    else:
        rows = _json_rows(text, documents, notes)
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


def _json_rows(text: str, documents: list[Document], notes: list[str]) -> Iterator[Row]:
    """The questions of JSON: one value in the whole file, else one a line."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield from _flat_rows(_lines(text, error), documents, notes)
        return
    if isinstance(whole, dict) and isinstance(articles := whole.get("data"), list):
        if not articles:
            yield '"data"', ValueError("the list is empty")
        elif any(isinstance(each, dict) and "context" in each for each in articles):
            yield from _flat_rows(_entries(articles), documents, notes)
        else:
            yield from _squad_rows(articles, documents, notes)
    elif isinstance(whole, list):
        if not whole:
            yield "the file", ValueError("its list is empty")
        yield from _flat_rows(_entries(whole), documents, notes)
    else:
        before = text[: len(text) - len(text.lstrip())]
        line = len(_LINE_END.split(before))
        yield from _flat_rows([(f"line {line}", whole)], documents, notes)


def _entries(rows: Sequence[Any]) -> list[Raw]:
    return [(f"entry {number}", row) for number, row in enumerate(rows, 1)]


def _lines(text: str, whole: Exception) -> list[Raw]:
    """Each line's value, or what is wrong with it; `whole` says why the text is no one value."""
    found: list[Raw] = []
    for number, line in enumerate(_LINE_END.split(text), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            row = ValueError(f"not JSON ({error})")
        except RecursionError:
            row = ValueError("it is nested too deeply")
        found.append((f"line {number}", row))
    meant_as_one = found and all(isinstance(row, ValueError) for _, row in found)
    if meant_as_one and isinstance(whole, json.JSONDecodeError):
        return [(f"line {whole.lineno}", ValueError(f"not JSON ({whole})"))]
    return found


def _csv_rows(name: str, text: str) -> Iterator[Row]:
    csv.field_size_limit(MOST_FIELD)
    try:
        heads = {each: _columns(text, each) for each in SEPARATORS}
    except csv.Error as error:
        raise LoadError(f"{name} could not be read as CSV: {error}.") from None
    # The comma, where none or several of them have all columns or equally many.
    separator = max(heads, key=lambda each: (set(COLUMNS) <= set(heads[each]), len(heads[each])))
    columns = heads[separator]
    if missing := [column for column in COLUMNS if column not in columns]:
        raise LoadError(
            f"{name} has no column {', '.join(missing)}; its first line is "
            f"{', '.join(columns)[:200] or 'empty'}. A question file needs {', '.join(COLUMNS)}."
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    next(reader)
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


def _columns(text: str, separator: str) -> list[str]:
    """The names in the first line, in small letters."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return [column.strip().lower() for column in next(reader, [])]


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


def _flat_rows(rows: Sequence[Raw], documents: list[Document], notes: list[str]) -> Iterator[Row]:
    """Questions that say their answers' sources; or flat ones of SQuAD, which have their context.

    Equal contexts are one document, named by the title or the id of the first question about it.
    """
    names: dict[str, str] = {}
    for place, row in rows:
        if _is_flat(row):
            names.setdefault(row["context"], str(row.get("title") or row.get("id") or place))
    made = [Document(name, context) for context, name in names.items()]
    named = {each.text: each for each in unique_sources(made)}
    documents += named.values()
    several = unanswered = 0
    for place, row in rows:
        if isinstance(row, ValueError):
            yield place, row
            continue
        if not _is_flat(row):
            yield place, _made(question_of, row)
            continue
        answers = _one_by_one(row["answers"])
        if isinstance(answers, list) and not answers:
            unanswered += 1
            continue
        several += isinstance(answers, list) and len(set(map(str, answers))) > 1
        document = named[row["context"]]
        yield place, _made(partial(_squad_question, document, 0), {**row, "answers": answers})
    notes += _squad_notes(unanswered, several)


def _is_flat(row: Any) -> bool:
    """Whether a row has its document with it: a context, and answers that count in it."""
    if not isinstance(row, dict) or not isinstance(row.get("context"), str):
        return False
    answers = row.get("answers")
    if isinstance(answers, list):
        return any(isinstance(each, dict) and "answer_start" in each for each in answers)
    return isinstance(answers, dict)


def _one_by_one(answers: Any) -> Any:
    """`{text: [..], answer_start: [..]}` as the list of answers that it stands for."""
    if not isinstance(answers, Mapping):
        return answers
    texts, starts = answers.get("text"), answers.get("answer_start")
    if isinstance(texts, list) and isinstance(starts, list) and len(texts) == len(starts):
        return [{"text": t, "answer_start": s} for t, s in zip(texts, starts, strict=True)]
    return [answers]


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
    notes += _squad_notes(unanswered, several)


def _squad_notes(unanswered: int, several: int) -> Iterator[str]:
    if unanswered:
        yield f"Questions without an answer, left out: {unanswered:,}."
    if several:
        yield f"Questions with answers of several people, the first is used: {several:,}."


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
