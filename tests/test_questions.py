"""Questions with answers: read line by line, and dropped where the text has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk import LoadError
from ragchunk.documents import document_hash
from ragchunk.evaluation.questions import (
    ORIGINS,
    Answer,
    Question,
    answer_at,
    answers_in,
    read_questions,
    to_jsonl,
)

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
        '{"question": "who?", "answers": [{"source": "a", "start": 9, "end": 4, "quote": "x"}]}',
        '{"question": "who?", "answers": [{"source": "a", "start": -1, "end": 4, "quote": "x"}]}',
        '{"question": "who?", "answers": [{"source": "a", "start": 4, "end": 4, "quote": "x"}]}',
        '{"question": "who?", "answers": [{"source": "a", "start": true, "end": 4, "quote": "x"}]}',
        '{"question": "who?", "answers": [{"source": "a", "start": 1.0, "end": 4, "quote": "x"}]}',
        '{"question": "who?", "answers": [{"source": "a", "start": 0, "end": 4, "quote": "  "}]}',
        '{"question": "who?", "answers": "Nginx"}',
        '{"question": "who?", "answers": ["Nginx"]}',
        '{"question": "  ", "answers": []}',
        '{"question": 5, "answers": []}',
        pytest.param('{"question": "who?", "answers": ' + "[" * 100_000, id="too deep"),
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


texts = st.text(min_size=1).filter(lambda text: text.strip())


@st.composite
def answers(draw) -> Answer:
    start = draw(st.integers(0, 10**9))
    return Answer(
        draw(texts),
        start,
        start + draw(st.integers(1, 10**9)),
        draw(texts),
        draw(st.sampled_from(["", "0123456789abcdef"])),
        draw(st.sampled_from(ORIGINS)),
    )


questions = st.builds(Question, texts, st.lists(answers(), max_size=3).map(tuple))


@given(st.lists(questions, max_size=4))
def test_what_is_written_is_read_again(tmp_path_factory, written_down: list[Question]) -> None:
    path = tmp_path_factory.mktemp("questions") / "questions.jsonl"
    path.write_text(to_jsonl(written_down), encoding="utf-8", newline="")
    assert read_questions(path) == written_down


def test_half_a_surrogate_is_written_as_an_escape_and_read_again(tmp_path: Path) -> None:
    question = Question("why \ud83d?", (Answer("a.md", 0, 2, "\ud83d!"),))
    path = tmp_path / "questions.jsonl"
    path.write_text(to_jsonl([question]), encoding="utf-8")
    assert read_questions(path) == [question]


def test_a_question_is_written_as_the_samples_are() -> None:
    samples = Path(__file__).parents[1] / "sample_docs" / "questions.jsonl"
    assert to_jsonl(read_questions(samples)) == samples.read_text(encoding="utf-8")


def test_what_is_known_of_an_answer_is_written_beside_it() -> None:
    answer = answer_at(("a.md", TEXT), 4, 9, "result")
    assert answer == Answer("a.md", 4, 9, "Nginx", document_hash(TEXT), "result")
    assert to_jsonl([Question("who?", (answer,))]) == (
        '{"question": "who?", "answers": [{"source": "a.md", "start": 4, "end": 9, '
        f'"quote": "Nginx", "document_hash": "{document_hash(TEXT)}", "origin": "result"}}]}}\n'
    )
