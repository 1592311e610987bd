"""Questions with answers: read line by line, and dropped where the text has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragchunk import LoadError
from ragchunk.evaluation.questions import Answer, Question, answers_in, read_questions

GOOD = {
    "question": "who sits in front?",
    "answers": [{"source": "a.md", "start": 4, "end": 9, "quote": "Nginx"}],
}
TEXT = "Yes Nginx does."


def written(folder: Path, *lines: object) -> Path:
    path = folder / "questions.jsonl"
    rows = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in lines]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_line_is_a_question_with_its_answers(tmp_path: Path) -> None:
    assert read_questions(written(tmp_path, GOOD)) == [
        Question("who sits in front?", (Answer("a.md", 4, 9, "Nginx"),))
    ]


def test_a_question_may_have_no_answer_or_several(tmp_path: Path) -> None:
    none = {"question": "why?", "answers": []}
    both = {"question": "who?", "answers": GOOD["answers"] * 2}
    read = read_questions(written(tmp_path, none, both))
    assert [len(question.answers) for question in read] == [0, 2]


def test_blank_lines_are_no_questions(tmp_path: Path) -> None:
    assert len(read_questions(written(tmp_path, "", GOOD, "   ", GOOD, ""))) == 2


def test_an_odd_line_separator_in_a_quote_ends_no_line(tmp_path: Path) -> None:
    # U+2028 and U+0085 are line ends to str.splitlines, but ordinary characters in JSON.
    quote = "one\u2028two\u0085three"
    row = {"question": "q", "answers": [{"source": "a", "start": 0, "end": 13, "quote": quote}]}
    [question] = read_questions(written(tmp_path, row))
    assert question.answers[0].quote == quote


@pytest.mark.parametrize(
    "line",
    [
        "{not json",
        '{"question": "who?"',
        '{"question": "who?"}',
        '{"answers": []}',
        '{"question": "who?", "answers": [{"source": "a.md", "start": 4, "end": 9}]}',
        '{"question": "who?", "answers": [{"source": "a", "start": "x", "end": 9, "quote": ""}]}',
        '{"question": "who?", "answers": [{"source": "a", "start": [], "end": 9, "quote": ""}]}',
        '{"question": "who?", "answers": 5}',
        '["who?"]',
        "7",
        "null",
    ],
)
def test_a_wrong_line_is_named_with_its_file(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, GOOD, "", line, GOOD)
    with pytest.raises(LoadError, match=r"^questions\.jsonl, line 3: not a question \(.+\)\.$"):
        read_questions(path)


def test_the_first_wrong_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"line 2"):
        read_questions(written(tmp_path, GOOD, "{", GOOD, "{"))


def test_an_answer_stands_where_its_quote_stands() -> None:
    question = Question("who?", (Answer("a.md", 4, 9, "Nginx"),))
    assert answers_in([("a.md", TEXT)], question) == list(question.answers)


@pytest.mark.parametrize(
    "documents",
    [
        [("a.md", "Yes, Nginx does.")],
        [("a.md", "Yes nginx does.")],
        [("a.md", "Yes Ngin")],
        [("a.md", "")],
        [("b.md", TEXT)],
        [],
    ],
)
def test_an_answer_whose_quote_no_longer_stands_there_is_dropped(documents: list) -> None:
    assert answers_in(documents, Question("who?", (Answer("a.md", 4, 9, "Nginx"),))) == []


def test_only_the_answers_that_no_longer_stand_are_dropped() -> None:
    yes, does, gone = (
        Answer("a.md", 0, 3, "Yes"),
        Answer("a.md", 10, 14, "does"),
        Answer("a.md", 10, 14, "did!"),
    )
    assert answers_in([("a.md", TEXT)], Question("who?", (yes, gone, does))) == [yes, does]
