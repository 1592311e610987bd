"""The corpus the app opens with, its questions, and the story they tell on the first screen."""

import json
from collections import Counter
from pathlib import Path

import pytest

from ragchunk import STRATEGIES, chunk, load_documents, load_encoder, top_hits
from ragchunk.sentences import sentence_spans
from ragchunk.tokens import token_starts

SAMPLES = Path(__file__).parent.parent / "sample_docs"
READ = 254  # tokens of a text that the model reads

HOW_BIG = "how big should a chunk be?"
ENVIRONMENT = "how do I set environment variables?"

OPENING = {
    "whole": STRATEGIES["whole"](),
    "window": STRATEGIES["window"](size=60, overlap=15, unit="words"),
    "paragraphs": STRATEGIES["paragraphs"](size=60, overlap=15, unit="words"),
}

TEXTS = {document.source: document.text for document in load_documents(SAMPLES)}
QUESTIONS = [
    json.loads(line)
    for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
ANSWERS = [(each["question"], answer) for each in QUESTIONS for answer in each["answers"]]


def the_answer(question):
    """The only labelled answer of a question."""
    [answer] = [answer for asked, answer in ANSWERS if asked == question]
    return answer


def paragraph_around(answer):
    """The paragraph, from blank line to blank line, that an answer stands in."""
    text = TEXTS[answer["source"]]
    start = text.rfind("\n\n", 0, answer["start"]) + 2
    return start, text.index("\n\n", answer["end"])


def holds(piece, source, start, end):
    return piece.source == source and piece.start <= start and end <= piece.end


def holds_a_part_of(piece, source, start, end):
    return (
        piece.source == source
        and max(piece.start, start) < min(piece.end, end)
        and not holds(piece, source, start, end)
    )


# The documents


def test_there_is_enough_to_try_and_little_enough_to_read():
    assert len(TEXTS) >= 8
    assert 25_000 <= sum(map(len, TEXTS.values())) <= 40_000


def test_every_kind_of_place_for_a_document_is_there():
    assert {Path(source).suffix for source in TEXTS} == {".md", ".txt"}
    assert any("/" in source for source in TEXTS), "no document in a folder of its own"


@pytest.mark.parametrize("source", TEXTS)
def test_a_document_is_utf_8_with_plain_line_ends(source):
    data = (SAMPLES / source).read_bytes()
    assert data.decode("utf-8") == TEXTS[source]
    assert b"\r" not in data
    assert data.endswith(b"\n")
    assert not data.endswith(b"\n\n")


def test_a_paragraph_of_prose_fits_the_opening_size():
    paragraphs = [
        paragraph
        for text in TEXTS.values()
        for paragraph in text.split("\n\n")
        if not paragraph.startswith(("#", "|", "```"))
    ]
    fitting = [paragraph for paragraph in paragraphs if len(paragraph.split()) <= 60]
    assert len(fitting) >= 0.9 * len(paragraphs)


# The questions


def test_there_are_enough_questions_and_none_twice():
    asked = [each["question"] for each in QUESTIONS]
    assert len(asked) >= 24
    assert len({question.casefold() for question in asked}) == len(asked)


def test_the_first_two_questions_are_the_ones_the_app_opens_with():
    assert [each["question"] for each in QUESTIONS[:2]] == [HOW_BIG, ENVIRONMENT]


def test_some_questions_have_more_than_one_answer():
    assert all(each["answers"] for each in QUESTIONS)
    assert sum(len(each["answers"]) > 1 for each in QUESTIONS) >= 3


@pytest.mark.parametrize(
    ("question", "answer"), ANSWERS, ids=[f"{q}-{a['source']}-{a['start']}" for q, a in ANSWERS]
)
def test_an_answer_is_the_quoted_piece_of_its_document(question, answer):
    text = TEXTS[answer["source"]]
    assert 0 <= answer["start"] < answer["end"] <= len(text)
    assert text[answer["start"] : answer["end"]] == answer["quote"]
    assert answer["quote"] == answer["quote"].strip()
    assert text.count(answer["quote"]) == 1, f"{question}: the quote could be another place"


def test_every_document_answers_a_question():
    asked = Counter(answer["source"] for _, answer in ANSWERS)
    assert set(asked) == set(TEXTS)


# The deployment post


def test_the_deployment_post_is_about_two_thousand_words():
    assert 1_700 <= len(TEXTS["deployment.md"].split()) <= 2_300


def test_only_one_paragraph_of_the_post_is_about_environment_variables():
    text = TEXTS["deployment.md"]
    start, end = paragraph_around(the_answer(ENVIRONMENT))
    assert "environment variable" in text[start:end].lower()
    assert "environment" not in (text[:start] + text[end:]).lower()


@pytest.mark.parametrize(
    ("question", "source"), [(HOW_BIG, "rag.md"), (ENVIRONMENT, "deployment.md")]
)
def test_the_answer_stands_behind_what_the_model_reads_of_the_whole_document(question, source):
    answer = the_answer(question)
    assert answer["source"] == source
    starts = token_starts(TEXTS[source])
    assert starts[READ] < answer["start"]  # the first token not read


# The opening story: 60 words, overlap 15, three hits


@pytest.fixture(scope="module")
def hits():
    """The three best hits of each strategy, for both opening questions."""
    documents, encoder = load_documents(SAMPLES), load_encoder()
    chunks = {name: chunk(documents, strategy) for name, strategy in OPENING.items()}
    return {
        (question, name): top_hits(question, chunks[name], encoder, k=3)
        for question in (HOW_BIG, ENVIRONMENT)
        for name in OPENING
    }


@pytest.mark.model
def test_whole_documents_find_the_right_one_without_having_read_the_answer(hits):
    top = hits[HOW_BIG, "whole"][0].chunk
    assert top.id == "rag.md#0"
    generic = top.text[: token_starts(top.text)[READ]]
    assert the_answer(HOW_BIG)["quote"] in top.text
    assert "big enough" not in generic
    assert "250 tokens" not in generic


@pytest.mark.model
def test_fixed_windows_cut_in_the_middle_of_a_sentence(hits):
    top = hits[HOW_BIG, "window"][0].chunk
    assert any(
        start < edge < end
        for start, end in sentence_spans(TEXTS[top.source])
        for edge in (top.start, top.end)
    )


@pytest.mark.model
def test_fixed_windows_split_the_answer_over_the_first_two_hits(hits):
    answer = paragraph_around(the_answer(HOW_BIG))
    first, second, _ = (hit.chunk for hit in hits[HOW_BIG, "window"])
    assert holds_a_part_of(first, "rag.md", *answer)
    assert holds_a_part_of(second, "rag.md", *answer)
    assert not any(
        holds(piece, "rag.md", *answer)
        for piece in chunk(load_documents(SAMPLES), OPENING["window"])
    )


@pytest.mark.model
def test_paragraphs_bring_the_whole_answer_and_little_else(hits):
    start, end = paragraph_around(the_answer(HOW_BIG))
    top = hits[HOW_BIG, "paragraphs"][0].chunk
    assert holds(top, "rag.md", start, end)
    assert end - start >= len(top.text) / 2


@pytest.mark.model
def test_paragraphs_come_closest_to_the_question(hits):
    best = {name: hits[HOW_BIG, name][0].score for name in OPENING}
    assert best["paragraphs"] > best["window"]
    assert best["paragraphs"] > best["whole"]


@pytest.mark.model
def test_paragraphs_bring_the_environment_variables_whole(hits):
    answer = the_answer(ENVIRONMENT)
    assert any(
        holds(hit.chunk, "deployment.md", answer["start"], answer["end"])
        for hit in hits[ENVIRONMENT, "paragraphs"]
    )
