"""Question files of three kinds: good rows load, each bad one says where and why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragchunk import Document, LoadError
from ragchunk.documents import document_hash
from ragchunk.evaluation.question_files import load_questions
from ragchunk.evaluation.questions import Answer, Question

WHO = {
    "question": "who?",
    "answers": [{"source": "a.md", "start": 4, "end": 9, "quote": "Nginx"}],
}
WHO_READ = Question("who?", (Answer("a.md", 4, 9, "Nginx"),))


def lines(*rows: object) -> bytes:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()


def test_good_lines_load_and_bad_ones_say_where_and_why() -> None:
    why = {"question": "why?", "answers": [{"source": "b", "start": 0, "end": 1, "quote": "x"}]}
    backwards = {
        "question": "how?",
        "answers": [{"source": "b", "start": 9, "end": 4, "quote": "x"}],
    }
    read = load_questions("q.jsonl", lines(WHO, "", "{no", {"question": "how?"}, why, backwards))
    assert read.questions == (WHO_READ, Question("why?", (Answer("b", 0, 1, "x"),)))
    not_json, missing, no_span = read.problems
    assert not_json.startswith("line 3: not JSON (")
    assert missing == 'line 4: "answers" is missing.'
    assert no_span == 'line 6: "start" 9 to "end" 4 is no span of a text.'


def test_a_question_that_comes_twice_is_loaded_once() -> None:
    other = {**WHO, "answers": [{"source": "a.md", "start": 0, "end": 3, "quote": "Yes"}]}
    read = load_questions("q.jsonl", lines(WHO, WHO, other))
    assert [question.answers[0].quote for question in read.questions] == ["Nginx", "Yes"]
    assert read.problems == (
        "line 2: the same as line 1; left out.",
        "line 3: the question of line 1 with other answers; both are kept.",
    )


def test_a_question_without_an_answer_is_kept_and_told() -> None:
    read = load_questions("q.jsonl", lines({"question": "why?", "answers": []}))
    assert read.questions == (Question("why?", ()),)
    assert read.problems == ("line 1: no answer; it can be asked, not measured.",)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("q.jsonl", b"", ["q.jsonl holds no question", "It is empty.", "JSONL", "CSV", "SQuAD"]),
        ("q.jsonl", b" \n\n", ["It is empty."]),
        ("q.jsonl", b"who?\n", ["The first problem: line 1: not JSON"]),
        ("q.jsonl", b'{"question": "who?"}', ['line 1: "answers" is missing.']),
        ("q.json", b'{"data": []}', ["holds no question", '"data": the list is empty.']),
        ("q.json", b"[]", ["the file: its list is empty."]),
        ("q.json", b'[\n {"question": "who?",}\n]', ["line 2: not JSON (", "line 2 column"]),
        ("q.jsonl", b'"who?"\n"why?"\n', ["line 1: it must be an object with a question"]),
        ("q.json", b'{"data": [5]}', ["article 1: it has no list of paragraphs."]),
        ("q.csv", b"", ["no column question, references, corpus_id", "its first line is empty"]),
        (
            "q.csv",
            b"question,answer\na,b\n",
            ["no column references, corpus_id", "question, answer"],
        ),
        ("q.csv", b"question,references,corpus_id\n", ["q.csv holds no question", "It is empty."]),
        (
            "q.csv",
            b"question,references,corpus_id\nwho?,x,a\n",
            ['line 2: "references" is not JSON'],
        ),
        ("q.jsonl", b"\xff\xfe\x00\x01", ["holds no question"]),
    ],
)
def test_a_file_without_a_question_says_so_and_what_is_read(
    name: str, data: bytes, words: list[str]
) -> None:
    with pytest.raises(LoadError, match=r"\.$") as caught:
        load_questions(name, data)
    for each in words:
        assert each in str(caught.value)


WHY = {"question": "why?", "answers": [{"source": "b", "start": 0, "end": 1, "quote": "x"}]}
WHY_READ = Question("why?", (Answer("b", 0, 1, "x"),))


def test_a_json_list_of_questions_is_read_and_its_bad_entries_are_told() -> None:
    for indent in (None, 2):
        data = json.dumps([WHO, {"question": "how?"}, WHY, 5], indent=indent).encode()
        read = load_questions("q.json", data)
        assert read.questions == (WHO_READ, WHY_READ)
        assert read.places == ("entry 1", "entry 3")
        assert read.problems == (
            'entry 2: "answers" is missing.',
            "entry 4: it must be an object with a question and its answers.",
        )


def test_one_question_may_stand_on_several_lines() -> None:
    read = load_questions("q.json", b"\n\n" + json.dumps(WHO, indent=2).encode())
    assert (read.questions, read.places) == ((WHO_READ,), ("line 3",))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_on_any_system(end: str) -> None:
    data = end.join([json.dumps(WHO), "", "{no", json.dumps(WHY)]).encode()
    read = load_questions("q.jsonl", data)
    assert read.questions == (WHO_READ, WHY_READ)
    assert read.places == ("line 1", "line 4")
    [problem] = read.problems
    assert problem.startswith("line 3: not JSON (")


def test_other_line_ends_stay_in_a_question() -> None:
    row = {**WHO, "question": "who\u2028or\x85what?"}
    data = json.dumps(row, ensure_ascii=False) + "\n" + json.dumps(WHY)
    first, _ = load_questions("q.jsonl", data.encode()).questions
    assert first.text == "who\u2028or\x85what?"


# The chunking-evaluation set

HEAD = "question,references,corpus_id"


def reference(content: str, start: object, end: object) -> dict[str, Any]:
    return {"content": content, "start_index": start, "end_index": end}


def csv_row(question: str, references: object, corpus: str) -> str:
    field = json.dumps(references).replace('"', '""')
    return f'"{question}","{field}",{corpus}'


def test_a_row_of_csv_is_a_question_with_its_references() -> None:
    rows = [
        HEAD,
        csv_row("who,\nand how?", [reference("Nginx", 4, 9), reference("é", 0, 1)], "wiki"),
        csv_row("why?", [reference("x", 4, 5)], "chat"),
    ]
    read = load_questions("questions_df.csv", "\r\n".join(rows).encode())
    assert read.questions == (
        Question("who,\nand how?", (Answer("wiki", 4, 9, "Nginx"), Answer("wiki", 0, 1, "é"))),
        Question("why?", (Answer("chat", 4, 5, "x"),)),
    )
    assert read.problems == ()


def test_columns_may_come_in_any_order_with_others_between() -> None:
    data = 'corpus_id,n,references,question\nwiki,1,"[{""content"": ""x"", ""start_index"": 0, '
    data += '""end_index"": 1}]",why?\n'
    [question] = load_questions("q.CSV", data.encode()).questions
    assert question == Question("why?", (Answer("wiki", 0, 1, "x"),))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["q.csv", "q.tsv"])
def test_semicolons_and_tabs_may_stand_between_and_names_may_have_capitals(
    separator: str, name: str
) -> None:
    field = json.dumps([reference("x, y; z", 0, 7)]).replace('"', '""')
    rows = [["Question", " References", "CORPUS_ID"], ['"why, or; how?"', f'"{field}"', "wiki"]]
    data = "\n".join(separator.join(row) for row in [*rows, ["only one"]])
    read = load_questions(name, data.encode())
    assert read.questions == (Question("why, or; how?", (Answer("wiki", 0, 7, "x, y; z"),)),)
    assert read.problems == ("line 3: 1 fields, where the first line has 3.",)


def test_bad_rows_of_csv_are_told_by_the_line_they_begin_in() -> None:
    good = csv_row("who\nis\nit?", [reference("x", 0, 1)], "wiki")  # lines 2 to 4
    rows = [
        HEAD,
        good,
        csv_row("a?", [reference("x", "0", 1)], "wiki"),
        "b?",
        csv_row("c?", {"content": "x"}, "wiki"),
        csv_row("d?", [reference("x", 0, 1)], ""),
        csv_row("e?", [{"content": "x", "start_index": 0}], "wiki"),
        "",
        csv_row("f?", [reference("x", 5, 5)], "wiki"),
    ]
    read = load_questions("q.csv", "\n".join(rows).encode())
    assert [question.text for question in read.questions] == ["who\nis\nit?"]
    assert read.problems == (
        "line 5: \"start_index\" must be a whole number, not '0'.",
        "line 6: 1 fields, where the first line has 3.",
        'line 7: "references" must be a list of objects.',
        'line 8: "corpus_id" is empty.',
        'line 9: "end_index" is missing.',
        'line 11: "start_index" 5 to "end_index" 5 is no span of a text.',
    )


# SQuAD

NGINX = "Yes, Nginx does."
ROME = "Rome was not built in a day."


def asked(question: str, *answers: tuple[str, int], name: str = "q") -> dict[str, Any]:
    rows = [{"text": text, "answer_start": start} for text, start in answers]
    return {"id": name, "question": question, "answers": rows}


def article(title: str, *paragraphs: tuple[str, list[Any]]) -> dict[str, Any]:
    rows = [{"context": context, "qas": qas} for context, qas in paragraphs]
    return {"title": title, "paragraphs": rows}


def squad(*articles: Any) -> bytes:
    return json.dumps({"version": "1.1", "data": articles}, indent=1).encode()


def test_an_article_is_a_document_and_its_answers_stand_in_it() -> None:
    data = squad(
        article(
            "Servers", (NGINX, [asked("who?", ("Nginx", 5))]), (ROME, [asked("what?", ("Rome", 0))])
        )
    )
    read = load_questions("dev.json", data)
    text = NGINX + "\n\n" + ROME
    assert read.documents == (Document("Servers", text),)
    assert read.questions == (
        Question("who?", (Answer("Servers", 5, 10, "Nginx", document_hash(text)),)),
        Question("what?", (Answer("Servers", 18, 22, "Rome", document_hash(text)),)),
    )
    assert text[18:22] == "Rome"
    assert read.problems == ()


def test_articles_of_one_title_stay_apart_and_equal_ones_are_one() -> None:
    one = article("A", (NGINX, [asked("who?", ("Nginx", 5))]))
    two = article("A", (ROME, [asked("what?", ("Rome", 0))]))
    again = article("A", (NGINX, [asked("does it?", ("Yes", 0))]))
    read = load_questions("dev.json", squad(one, two, again))
    assert [source for source, _ in read.documents] == ["A", "A (2)"]
    assert [question.answers[0].source for question in read.questions] == ["A", "A (2)", "A"]


def test_of_several_people_the_first_answer_counts_and_unanswerable_ones_are_left_out() -> None:
    data = squad(
        article(
            "A",
            (
                NGINX,
                [asked("who?", ("Nginx", 5), ("Nginx does", 5)), asked("when?"), asked("why?")],
            ),
            (ROME, [asked("what?", ("Rome", 0), ("Rome", 0))]),
        )
    )
    read = load_questions("dev.json", data)
    assert [q.answers[0].quote for q in read.questions] == ["Nginx", "Rome"]
    assert read.problems == (
        "Questions without an answer, left out: 2.",
        "Questions with answers of several people, the first is used: 1.",
    )


def test_bad_parts_of_an_article_are_told_and_the_rest_loads() -> None:
    bad = {"title": "Bad", "paragraphs": [{"context": NGINX}, 7]}
    good = article(
        "Good",
        (
            NGINX,
            [
                asked("who?", ("Nginx", 4), name="off"),
                asked("who?", ("Nginx", -1), name="minus"),
                {"id": "none", "question": "who?"},
                "no question",
                asked("who?", ("Nginx", 5), name="good"),
            ],
        ),
    )
    read = load_questions("dev.json", squad(bad, "no article", good))
    assert [question.answers[0].start for question in read.questions] == [5]
    assert read.problems == (
        "article 1 (Bad), paragraph 1: it has no context, or no list of questions.",
        "article 1 (Bad), paragraph 2: it has no context, or no list of questions.",
        "article 2: it has no list of paragraphs.",
        "Good, paragraph 1, question off: the text at 4 is not 'Nginx'.",
        'Good, paragraph 1, question minus: "answer_start" must be a whole number from 0, not -1.',
        'Good, paragraph 1, question none: "answers" must be a list of objects.',
        "Good, paragraph 1, question: it must be an object with a question and its answers.",
    )


def flat(question: str, context: str, *answers: tuple[str, int], **more: str) -> dict[str, Any]:
    """A row of the Hugging Face copy of SQuAD."""
    texts, starts = [text for text, _ in answers], [start for _, start in answers]
    found = {"text": texts, "answer_start": starts}
    return {**more, "context": context, "question": question, "answers": found}


FLAT = [
    flat("who?", NGINX, ("Nginx", 5), id="1", title="Servers"),
    flat("what?", ROME, ("Rome", 0), ("Rome was", 0), id="2", title="Cities"),
    flat("does it?", NGINX, ("Yes", 0), id="3", title="Servers"),
    flat("when?", ROME, id="4", title="Cities"),
    flat("how?", NGINX, ("Nginx", 4), id="5", title="Servers"),
]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ("\n".join(map(json.dumps, FLAT)), "line 5"),
        (json.dumps(FLAT), "entry 5"),
        (json.dumps({"data": FLAT}), "entry 5"),
    ],
)
def test_flat_rows_of_squad_bring_each_context_once(data: str, place: str) -> None:
    read = load_questions("train.json", data.encode())
    servers, cities = Document("Servers", NGINX), Document("Cities", ROME)
    assert read.documents == (servers, cities)
    nginx, rome = document_hash(NGINX), document_hash(ROME)
    assert read.questions == (
        Question("who?", (Answer("Servers", 5, 10, "Nginx", nginx),)),
        Question("what?", (Answer("Cities", 0, 4, "Rome", rome),)),
        Question("does it?", (Answer("Servers", 0, 3, "Yes", nginx),)),
    )
    assert read.problems == (
        f"{place}: the text at 4 is not 'Nginx'.",
        "Questions without an answer, left out: 1.",
        "Questions with answers of several people, the first is used: 1.",
    )


def test_contexts_of_one_title_stay_apart_and_one_without_a_title_has_the_questions_id() -> None:
    rows = [
        flat("who?", NGINX, ("Nginx", 5), title="A"),
        flat("what?", ROME, ("Rome", 0), title="A"),
        flat("x?", "x marks it", ("x", 0), id="5733"),
    ]
    read = load_questions("q.jsonl", lines(*rows))
    assert [source for source, _ in read.documents] == ["A", "A (2)", "5733"]
    assert [question.answers[0].source for question in read.questions] == ["A", "A (2)", "5733"]


def test_a_line_of_ours_may_have_a_context_beside_its_answers() -> None:
    read = load_questions("q.jsonl", lines({**WHO, "context": "Yes, Nginx does."}, WHY))
    assert (read.questions, read.documents) == ((WHO_READ, WHY_READ), ())


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"text": "Nginx"}, '"answer_start" must be a whole number from 0, not None'),
        ({"text": ["Nginx"], "answer_start": []}, "\"text\" must be a text, not ['Nginx']"),
        ({}, '"text" is missing'),
    ],
)
def test_flat_answers_that_cannot_be_are_told(answers: dict[str, Any], words: str) -> None:
    row = {"question": "who?", "context": NGINX, "answers": answers}
    read = load_questions("q.jsonl", lines(WHO, row))
    assert read.problems == (f"line 2: {words}.",)
