"""The measuring view: the logic of its three parts, without a browser.

What the table says is counted here once more, character by character, from the hits themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ragchunk.comparison import Cutting, ask, cut
from ragchunk.embedding import load_encoder
from ragchunk.evaluation.measures import MEASURES
from ragchunk.evaluation.questions import Question, key_of
from ragchunk.evaluation.setting import Setting
from ragchunk.strategies.paragraphs import Paragraphs
from ragchunk.strategies.recursive import Recursive
from ragchunk.strategies.window import Window
from ragchunk.ui import corpus_menu, measure_sweep, session
from tests.acting import press
from tests.test_app import WITH_HITS, paste, run, text
from tests.test_views import address, at_address, document_page, html_of, notes, seen

SHORT = "Docker packs the app.\n\nNginx sits in front.\n\nEnv vars hold the secrets."


def measuring(part: str = "columns", **params: str | list[str]) -> AppTest:
    return at_address(tab="measure", part=part, **params)


def click(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return run(at)


def choose(at: AppTest, key: str, value: str) -> AppTest:
    at.button_group(key=key).set_value(value)
    return run(at)


def typed(at: AppTest, key: str, value: str) -> AppTest:
    at.text_input(key=key).set_value(value)
    return run(at)


def load_file(at: AppTest, name: str, data: str) -> AppTest:
    number = held(at, "questions_uploaded", 0)
    at.file_uploader(key=f"question_file_{number}").set_value((name, data.encode(), "text/plain"))
    return run(at)


def held(at: AppTest, key: str, default: Any = None) -> Any:
    """A value of the session, which has no get() in a test."""
    return at.session_state[key] if key in at.session_state else default  # noqa: SIM401


def questions(at: AppTest) -> list[Question]:
    """What is labelled for the documents that are open."""
    lists = held(at, "question_lists", {})
    return list(lists.get(at.session_state["source"], ()))


def cells(at: AppTest, kind: str = "measured") -> list[list[str]]:
    """The rows of a table of the page, head first, as a person reads them."""
    found = re.findall(rf'<table class="{kind}">(.*?)</table>', html_of(at), re.S)
    assert len(found) == 1, kind
    return [
        [text(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr>(.*?)</tr>", found[0], re.S)
    ]


def decides(at: AppTest) -> str:
    [found] = re.findall(r'<p class="decides"[^>]*>(.*?)</p>', html_of(at))
    return text(found)


def row(at: AppTest, verb: str, question: str, which: int = 0) -> AppTest:
    """Press a button of a question in the table: of those with that text, by its place."""
    there = questions(at) or list(corpus_menu.sample_questions())
    return press(at, f"{verb} {key_of([each for each in there if each.text == question][which])}")


def line(question: str, *answers: tuple[str, int, int, str]) -> str:
    rows = [{"source": s, "start": a, "end": b, "quote": q} for s, a, b, q in answers]
    return json.dumps({"question": question, "answers": rows}) + "\n"


# The columns


def hits_hold(cutting: Cutting, asked: Question, k: int) -> float:
    """The share of the answers' characters in the first k chunks, counted one by one."""
    found = ask(asked.text, cutting, load_encoder(), k, "plain").hits
    wanted = {(a.source, at) for a in asked.answers for at in range(a.start, a.end)}
    held = {(h.chunk.source, at) for h in found for at in range(h.chunk.start, h.chunk.end)}
    return len(wanted & held) / len(wanted)


@WITH_HITS
def test_the_columns_are_measured_on_the_sample_questions_at_a_budget_and_at_k():
    at = measuring()
    head, *rows = cells(at)
    assert head[:2] == ["Column", "Recall"]
    assert "at 3 chunks" in head
    assert [row[0].split(" no ")[0].split(" 60")[0] for row in rows] == [
        "Whole document",
        "Fixed window",
        "Paragraph-aware",
    ]
    corpus, asked = corpus_menu.sample_corpus(), corpus_menu.sample_questions()
    at_three = head.index("at 3 chunks")
    for row, strategy in zip(rows[1:], (Window, Paragraphs), strict=True):
        cutting = cut(corpus, strategy(size=60, overlap=15, unit="words"))
        recall = sum(hits_hold(cutting, each, 3) for each in asked) / len(asked)
        assert row[at_three] == f"{recall:.2f}".removeprefix("0")
    choose(at, "cutoff", "hits")
    turned, *again = cells(at)
    assert "at 1,000 tokens" in turned
    assert [row[1] for row in again] == [row[at_three] for row in rows], "both are shown, turned"
    assert address(at)["cutoff"] == ["hits"]


@WITH_HITS
def test_what_to_take_is_said_first_and_how_the_others_compare_with_the_best():
    at = measuring()
    assert decides(at).startswith("Take ")
    assert "on 36 questions" in decides(at)
    head, *rows = cells(at)
    against = [row[head.index("Against the best")] for row in rows]
    assert against.count("highest") == 1
    assert all(
        re.search("better by|cannot be told apart", each) for each in against if each != "highest"
    )


@WITH_HITS
def test_severed_and_omega_need_no_ranking_and_follow_the_size():
    at = measuring(model="no-such-model")
    small = cells(at)[2]
    assert "No model, no hits." in small[-1]
    assert small[-3] != "0 of 40"
    wide = cells(measuring(model="no-such-model", size="200"))[2]
    assert float(wide[-2]) < float(small[-2]), "larger chunks hold more that is no answer"
    assert int(wide[-3].split()[0]) < int(small[-3].split()[0]), "and sever fewer answers"


@WITH_HITS
def test_with_few_questions_there_are_counts_and_no_winner():
    at = measuring("questions")
    for each in list(corpus_menu.sample_questions())[:27]:
        row(at, "delete", each.text)
    choose(at, "part", "columns")
    assert decides(at) == "9 questions: counts only, no winner. 15 are the fewest."
    head, *rows = cells(at)
    assert head[1:3] == ["Full answers", "Hits"]
    assert all(re.fullmatch(r"\d of 9", row[1]) for row in rows)
    said = seen(at)
    assert "interval" not in said
    assert "highest" not in said
    assert "better by" not in said


def test_without_questions_it_says_where_to_get_some():
    at = at_address(tab="measure", corpus="docker")
    assert any("No question to measure with." in each for each in notes(at))
    choose(at, "part", "questions")
    assert "No question yet." in seen(at)


@WITH_HITS
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (0, "Budget: 0 must be a whole number from 1 to 100,000. Until then it is 400."),
        (-5, "Budget: -5 must be a whole number"),
        (99_999_999, "Budget: 99,999,999 must be a whole number"),
    ],
)
def test_a_budget_that_cannot_be_is_told_and_the_last_one_stays(asked: int, words: str):
    at = measuring(budget="400", cutoff="hits")
    before = cells(at)
    assert "at 400 tokens" in before[0]
    at.number_input(key="budget").set_value(asked)
    run(at)
    assert any(words in each for each in notes(at))
    assert cells(at) == before
    assert address(at)["budget"] == ["400"]
    choose(at, "part", "sweep")
    assert any(words in each for each in notes(at))
    choose(at, "tab", "compare")
    assert address(at)["budget"] == ["400"]
    choose(at, "tab", "measure")
    choose(at, "part", "columns")
    at.number_input(key="budget").set_value(500)
    assert "at 500 tokens" in cells(run(at))[0]
    assert not any("Until then" in each for each in notes(at))


@WITH_HITS
def test_all_measures_are_in_their_menu_at_both_cutoffs():
    at = measuring()
    at.session_state["more_measures"] = True
    names, under, *rows = cells(run(at), "every")
    assert names[0] == "Mean of"
    assert under == ["1,000 tokens", "3 chunks"] * 3
    assert [row[0] for row in rows] == [measure.label for measure in MEASURES]
    head, *columns = cells(at)
    three = head.index("at 3 chunks")
    assert rows[0][1:7] == [each for row in columns for each in (row[1], row[three])]


@WITH_HITS
def test_a_link_opens_the_measure_the_budget_and_the_cutoff_it_was_copied_with():
    at = measuring("columns", measure="severed", budget="400", cutoff="hits", k="4")
    head = cells(at)[0]
    assert head[1] == "Severed"
    assert "at 400 tokens" in head
    assert "measured at 4 chunks" in html_of(at)
    assert "lowest" in [row[-1] for row in cells(at)]
    found = address(at)
    assert [found[name] for name in ("part", "measure", "budget", "cutoff")] == [
        ["columns"],
        ["severed"],
        ["400"],
        ["hits"],
    ]


@WITH_HITS
def test_a_setting_that_cannot_be_is_named_and_the_other_columns_are_measured():
    at = measuring(overlap="60")
    rows = cells(at)[1:]
    assert "Overlap 60 must be smaller than size 60" in rows[1][-1]
    assert re.fullmatch(r"\.\d\d|1\.00", rows[0][1])


# Where they differ


@WITH_HITS
def test_where_the_strategies_differ_each_verdict_has_what_a_reader_pays():
    at = measuring()
    head, *rows = cells(at, "differ")
    assert head == ["Question", "Whole document", "Fixed window", "Paragraph-aware"]
    first = dict(zip(head, rows[0], strict=True))
    assert first["Question"] == "how big should a chunk be?"
    # What Compare says of the same question: behind the limit, split, whole.
    assert "behind the model's limit, rank 1" in first["Whole document"]
    assert "split across 2" in first["Fixed window"]
    assert "whole, rank 1" in first["Paragraph-aware"]
    assert all("complete after" in cell for row in rows for cell in row[1:])
    assert len(rows) == 12
    press(at, "lines")
    more = cells(at, "differ")[1:]
    [told] = re.findall(r"(\d+) of 36 questions differ", seen(at))
    assert len(more) == int(told)
    assert all(len({cell[0] for cell in row[1:]}) > 1 for row in more)
    choose(at, "differ_shown", "all")
    assert len(cells(at, "differ")) == 37


@WITH_HITS
def test_a_question_opens_its_answer_in_every_lane():
    at = measuring()
    press(at, "ask how do I set environment variables?")
    assert at.button_group(key="tab").value == "document"
    assert at.text_input(key="query").value == "how do I set environment variables?"
    assert at.selectbox(key="document").value == "deployment.md"
    page = document_page(at)
    lit = text("".join(re.findall(r"<strong>(.*?)</strong>", page, re.S)))
    assert "write one `NAME=value` pair" in lit
    assert page.count('class="lane') >= 3


# Labels


def test_a_typed_answer_is_found_and_stored_with_its_place():
    at = measuring("questions")
    typed(at, "label_question", "what does nginx show?")
    typed(at, "label_answer", "nginx showed   IT to everyone")
    assert "Found in 1 place." in seen(at)
    assert "White space or case differ" in seen(at)
    [act] = re.findall(r'data-act="(use \d+ \d+ [^"]*)"', html_of(at))
    press(at, act)
    stored = questions(at)[-1]
    document = corpus_menu.sample_corpus().texts["deployment.md"]
    [answer] = stored.answers
    assert stored.text == "what does nginx show?"
    assert (answer.source, answer.quote) == ("deployment.md", "Nginx showed it to everyone")
    assert document[answer.start : answer.end] == answer.quote
    assert answer.origin == "typed"
    assert len(questions(at)) == 37
    assert at.text_input(key="label_answer").value == ""
    assert any("has 1 answer" in each for each in notes(at))


def test_of_several_places_each_can_be_used_and_a_near_miss_shows_the_closest_text():
    at = paste(at_address(tab="measure", part="questions", corpus="pasted"), "One day.\n\nOne day.")
    typed(at, "label_question", "when?")
    typed(at, "label_answer", "One day")
    acts = re.findall(r'data-act="(use [^"]*)"', html_of(at))
    assert acts == ["use 0 7 pasted.txt", "use 10 17 pasted.txt"]
    press(at, acts[1])
    assert [each.start for each in questions(at)[0].answers] == [10]
    typed(at, "label_answer", "One dey.")
    assert "The closest text," in seen(at)
    assert "alike" in seen(at)
    typed(at, "label_answer", "zebras")
    assert "nothing is like it" in seen(at)


def test_an_answer_without_a_question_is_not_stored_and_says_why():
    at = measuring("questions")
    typed(at, "label_answer", "Nginx showed it to everyone")
    press(at, re.findall(r'data-act="(use [^"]*)"', html_of(at))[0])
    assert questions(at) == []
    assert any("Type the question first" in each for each in notes(at))
    assert at.text_input(key="label_answer").value == "Nginx showed it to everyone"


def test_sentences_found_by_their_words_are_picked_and_neighbours_are_one_answer():
    at = paste(
        at_address(tab="measure", part="questions", corpus="pasted"),
        "The ferry leaves at nine. The ferry returns at noon. Bread is baked. A ferry sank once.",
    )
    typed(at, "label_question", "when does it go?")
    choose(at, "label_how", "search")
    typed(at, "label_words", "ferry")
    found = re.findall(r'data-act="(pick [^"]*)"', html_of(at))
    assert len(found) == 3
    for each in sorted(found, key=lambda act: int(act.split()[1]))[:2]:
        press(at, each)
    assert html_of(at).count('aria-pressed="true"') == 2
    click(at, "store_searched")
    [stored] = questions(at)
    assert [(a.quote, a.origin) for a in stored.answers] == [
        ("The ferry leaves at nine. The ferry returns at noon.", "searched")
    ]
    assert "found by words" in seen(at)


@WITH_HITS
def test_a_hit_that_answers_becomes_a_label_and_says_where_it_came_from():
    at = at_address(tab="compare", q="how do they keep the stars in view?", column="paragraphs")
    assert "This answers it" in html_of(at)
    assert 'class="verdict"' not in html_of(at)
    act = re.findall(r'data-act="(answers [^"]*)"', html_of(at))[0]
    press(at, act)
    assert "Which sentences answer how do they keep the stars in view?" in seen(at)
    assert "favours what found it" in seen(at)
    picks = re.findall(r'data-act="(pick [^"]*)"', html_of(at))
    press(at, picks[0])
    click(at, "store_result")
    stored = questions(at)[-1]
    assert stored.text == "how do they keep the stars in view?"
    assert [a.origin for a in stored.answers] == ["result"]
    assert "Which sentences answer" not in seen(at)
    assert 'class="verdict"' in html_of(at), "the question has an answer now, and so a verdict"
    choose(at, "tab", "measure")
    choose(at, "part", "questions")
    press(at, "questions")
    assert "from a result, which favours what found it" in seen(at)


def test_a_question_is_edited_deleted_and_put_back():
    at = measuring("questions")
    row(at, "edit", "when is the loaf done?")
    assert at.text_input(key="label_question").value == "when is the loaf done?"
    typed(at, "label_question", "when is bread done?")
    click(at, "label_rename")
    texts = [each.text for each in questions(at)]
    assert "when is bread done?" in texts
    assert "when is the loaf done?" not in texts
    [remove] = re.findall(r'data-act="(remove [^"]*)"', html_of(at))
    press(at, remove)
    assert next(q for q in questions(at) if q.text == "when is bread done?").answers == ()
    assert "35 can be measured" in seen(at)
    click(at, "label_done")
    row(at, "delete", "when is bread done?")
    assert len(questions(at)) == 35
    click(at, "undo_questions")
    assert len(questions(at)) == 36
    click(at, "delete_all")
    assert questions(at) == []
    assert "No question yet." in seen(at)
    click(at, "undo_questions")
    assert len(questions(at)) == 36


def test_a_question_is_not_renamed_to_one_that_is_there():
    at = measuring("questions")
    row(at, "edit", "when is the loaf done?")
    typed(at, "label_question", "how big should a chunk be?")
    click(at, "label_rename")
    assert any("already" in each for each in notes(at))
    assert "when is the loaf done?" in {each.text for each in corpus_menu.sample_questions()}


def pasted(words: str) -> AppTest:
    """The questions of a pasted text."""
    return paste(at_address(tab="measure", part="questions", corpus="pasted"), words)


FERRY = "The ferry leaves at nine. The ferry returns at noon. Bread is baked. A heron fishes."


def picks(at: AppTest) -> list[str]:
    return re.findall(r'data-act="(pick [^"]*)"', html_of(at))


def searching(at: AppTest, words: str) -> AppTest:
    choose(at, "label_how", "search")
    return typed(at, "label_words", words)


def test_sentences_picked_of_another_text_are_not_stored():
    at = pasted(FERRY)
    typed(at, "label_question", "who fishes?")
    searching(at, "heron")
    press(at, picks(at)[0])
    assert at.button(key="store_searched").label == "Store 1 sentence as the answer"
    paste(at, "Another text is pasted now, as long as the one before. A heron fishes here, too.")
    assert at.button(key="store_searched").label == "Pick the sentences"
    assert 'aria-pressed="true"' not in html_of(at)


@pytest.mark.parametrize("act", ["store", "use"])
def test_a_button_that_comes_with_another_text_stores_nothing(act: str):
    """The click that leaves the box of the pasted text comes with the text."""
    at = pasted(FERRY)
    typed(at, "label_question", "who fishes?")
    other = "Another text of which all that is said is new. " * 3
    if act == "store":
        searching(at, "heron")
        press(at, picks(at)[0])
        at.text_area(key="pasted").set_value(other)
        click(at, "store_searched")
    else:
        typed(at, "label_answer", "A heron fishes.")
        [use] = re.findall(r'data-act="(use [^"]*)"', html_of(at))
        at.text_area(key="pasted").set_value(other)
        press(at, use)
    assert questions(at) == []
    assert any("the documents have changed" in each for each in notes(at))


def test_what_was_picked_by_other_words_stays_in_sight_and_is_stored():
    at = pasted(FERRY)
    typed(at, "label_question", "who goes?")
    searching(at, "nine")
    press(at, picks(at)[0])
    typed(at, "label_words", "heron")
    assert picks(at) == ["pick 0 25 pasted.txt", "pick 69 84 pasted.txt"]
    assert html_of(at).count('aria-pressed="true"') == 1
    assert "picked before" in seen(at)
    typed(at, "label_words", "")
    assert picks(at) == ["pick 0 25 pasted.txt"]
    click(at, "store_searched")
    [stored] = questions(at)
    assert [a.quote for a in stored.answers] == ["The ferry leaves at nine."]


def test_an_answer_goes_to_the_question_that_is_typed_while_another_is_edited():
    at = measuring("questions")
    row(at, "edit", "how big should a chunk be?")
    before = {each.text: each for each in corpus_menu.sample_questions()}
    typed(at, "label_question", "what does nginx show?")
    assert "An answer goes to the question as it is typed." in seen(at)
    assert "Its answer" not in seen(at), "what is typed has none yet"
    typed(at, "label_answer", "Nginx showed it to everyone")
    press(at, re.findall(r'data-act="(use [^"]*)"', html_of(at))[0])
    now = {each.text: each for each in questions(at)}
    assert now.pop("what does nginx show?").answers[0].quote == "Nginx showed it to everyone"
    assert now == before
    assert at.text_input(key="label_question").value == "what does nginx show?"
    assert "Edit a question" not in seen(at)


def test_an_answer_stays_with_the_question_that_is_edited_in_any_case_of_its_letters():
    at = measuring("questions")
    row(at, "edit", "how big should a chunk be?")
    typed(at, "label_question", "How big should a chunk be?")
    typed(at, "label_answer", "Nginx showed it to everyone")
    press(at, re.findall(r'data-act="(use [^"]*)"', html_of(at))[0])
    click(at, "label_rename")
    assert len(questions(at)) == 36
    [found] = [each for each in questions(at) if each.text == "How big should a chunk be?"]
    assert found.answers[-1].quote == "Nginx showed it to everyone"


TWINS = line("dup?", ("pasted.txt", 0, 9, "The ferry")) + line(
    "dup?", ("pasted.txt", 26, 35, "The ferry")
)


def starts(at: AppTest) -> list[tuple[str, list[int]]]:
    return [(each.text, [a.start for a in each.answers]) for each in questions(at)]


def table_acts(at: AppTest, verb: str) -> list[str]:
    return re.findall(rf'data-act="({verb} [0-9a-f]+)"', html_of(at))


def test_of_two_questions_of_one_text_the_buttons_mean_their_own():
    at = load_file(pasted(FERRY), "twins.jsonl", TWINS)
    press(at, table_acts(at, "delete")[1])
    assert starts(at) == [("dup?", [0])]
    click(at, "undo_questions")
    assert starts(at) == [("dup?", [0]), ("dup?", [26])]

    press(at, table_acts(at, "edit")[1])
    typed(at, "label_answer", "A heron fishes.")
    press(at, re.findall(r'data-act="(use [^"]*)"', html_of(at))[0])
    assert starts(at) == [("dup?", [0]), ("dup?", [26, 69])]
    press(at, re.findall(r'data-act="(remove [^"]*)"', html_of(at))[0])
    assert starts(at) == [("dup?", [0]), ("dup?", [69])]
    typed(at, "label_question", "another?")
    click(at, "label_rename")
    assert starts(at) == [("dup?", [0]), ("another?", [69])]


def test_a_second_press_on_delete_deletes_no_other():
    at = load_file(pasted(FERRY), "twins.jsonl", TWINS)
    first = table_acts(at, "delete")[0]
    press(press(at, first), first)
    assert starts(at) == [("dup?", [26])]


def test_put_back_brings_what_was_deleted_and_keeps_what_came_since():
    at = load_file(pasted(FERRY), "twins.jsonl", TWINS)
    row(at, "delete", "dup?")
    typed(at, "label_question", "who fishes?")
    typed(at, "label_answer", "A heron fishes.")
    press(at, re.findall(r'data-act="(use [^"]*)"', html_of(at))[0])
    load_file(at, "more.jsonl", line("what is baked?", ("pasted.txt", 53, 58, "Bread")))
    click(at, "undo_questions")
    kept = [("dup?", [0]), ("dup?", [26]), ("who fishes?", [69]), ("what is baked?", [53])]
    assert starts(at) == kept
    click(at, "delete_all")
    load_file(at, "more.jsonl", line("what is baked?", ("pasted.txt", 53, 58, "Bread")))
    click(at, "undo_questions")
    assert sorted(starts(at)) == sorted(kept)


def test_put_back_and_the_report_of_a_file_are_of_the_documents_they_came_with():
    at = measuring("questions")
    row(at, "delete", "how big should a chunk be?")
    load_file(at, "wrong.csv", "a,b\n")
    assert any("wrong.csv has no column" in each for each in notes(at))
    paste(at, FERRY)
    assert not [each for each in at.button if each.key == "undo_questions"]
    assert not any("wrong.csv" in each for each in notes(at))
    assert questions(at) == []
    session_source(at, "samples")
    assert any("wrong.csv has no column" in each for each in notes(at))
    click(at, "undo_questions")
    assert [each.text for each in questions(at)] == [
        each.text for each in corpus_menu.sample_questions()
    ]


# Files


def test_of_a_file_full_of_faults_twenty_are_shown_and_the_rest_is_counted():
    at = load_file(pasted(FERRY), "bad.jsonl", "x\n" * 1_000 + TWINS)
    assert "bad.jsonl: 2 questions read, 1,001 notes." in seen(at)
    assert html_of(at).count("<li>") == 20
    assert "981 more like these." in seen(at)
    assert "line 20: not JSON" in seen(at)
    assert "line 21:" not in seen(at)


def test_good_rows_of_a_file_load_and_bad_ones_are_told_with_their_line():
    at = paste(at_address(tab="measure", part="questions", corpus="pasted"), SHORT)
    rows = (
        line("what packs?", ("pasted.txt", 0, 6, "Docker"))
        + "not json\n"
        + line("who is in front?", ("pasted.txt", 23, 28, "Nginx"))
        + '{"question": "", "answers": []}\n'
    )
    load_file(at, "mine.jsonl", rows)
    said = seen(at)
    assert "mine.jsonl: 2 questions read, 2 notes." in said
    assert "line 2: not JSON" in said
    assert 'line 4: "question" is empty' in said
    assert "2 questions, 2 can be measured." in said
    assert [each.text for each in questions(at)] == ["what packs?", "who is in front?"]
    load_file(at, "mine.jsonl", rows)
    assert "2 of them known" in seen(at)
    assert len(questions(at)) == 2


def test_a_file_without_a_question_loses_nothing():
    at = measuring("questions")
    load_file(at, "notes.csv", "a,b\n1,2\n")
    assert any("no column question" in each for each in notes(at))
    assert "36 questions, 36 can be measured." in seen(at)


def test_the_chunking_evaluation_csv_loads_and_finds_its_documents_by_their_stem():
    at = paste(at_address(tab="measure", part="questions", corpus="pasted"), SHORT)
    reference = json.dumps([{"content": "Docker", "start_index": 0, "end_index": 6}])
    cell = reference.replace('"', '""')
    load_file(at, "set.csv", f'question,references,corpus_id\nwhat packs?,"{cell}",pasted\n')
    assert "1 question, 1 can be measured." in seen(at)
    assert cells(at, "labelled")[1][2].startswith("pasted.txt")


def test_a_squad_file_brings_its_documents_which_are_opened_when_asked():
    at = measuring("questions")
    squad = {
        "data": [
            {
                "title": "Ferries",
                "paragraphs": [
                    {
                        "context": "The ferry leaves at nine.",
                        "qas": [
                            {
                                "id": "1",
                                "question": "When does it leave?",
                                "answers": [{"text": "nine", "answer_start": 20}],
                            }
                        ],
                    }
                ],
            }
        ]
    }
    load_file(at, "squad.json", json.dumps(squad))
    assert "It brings its own documents, which are not open." in seen(at)
    assert "36 questions" in seen(at), "those of the samples stay"
    click(at, "open_brought")
    assert at.session_state["source"] == "files"
    assert "1 question, 1 can be measured." in seen(at)
    assert cells(at, "labelled")[1][1] == "nine"


def test_labels_that_moved_or_are_lost_say_so_and_lost_ones_are_not_measured():
    at = paste(at_address(tab="measure", part="questions", corpus="pasted"), SHORT)
    load_file(
        at,
        "mine.jsonl",
        line("what packs?", ("pasted.txt", 3, 9, "Docker"))
        + line("what is hot?", ("pasted.txt", 0, 6, "Coffee")),
    )
    states = {row[0]: row[3] for row in cells(at, "labelled")[1:]}
    assert states["what packs?"].startswith("◐ moved")
    assert '"Docker" was found again at 0' in states["what packs?"]
    assert states["what is hot?"].startswith("○ lost")
    assert "1 label moved." in seen(at)
    assert "1 label lost." in seen(at)
    choose(at, "part", "columns")
    assert any("1 question of 2 is not measured" in each for each in notes(at))


def test_the_samples_questions_are_there_again_when_the_samples_are():
    at = measuring("questions")
    row(at, "delete", "how big should a chunk be?")
    paste(at, SHORT)
    assert "No question yet." in seen(at)
    load_file(at, "mine.jsonl", line("what packs?", ("pasted.txt", 0, 6, "Docker")))
    session_source(at, "samples")
    assert "35 questions" in seen(at)
    session_source(at, "pasted")
    assert "1 question, 1 can be measured." in seen(at)


def session_source(at: AppTest, source: str) -> AppTest:
    begin = session.open_session

    def opened() -> None:
        begin()
        session.set_source(source)

    return run_with(at, opened)


def run_with(at: AppTest, opened: Callable[[], None]) -> AppTest:
    """Run the page after something that a callback does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "open_session", opened)
        return run(at)


def test_hostile_questions_and_names_are_escaped():
    at = paste(at_address(tab="measure", part="questions", corpus="pasted"), "<b>x</b> and y")
    load_file(at, "<i>.jsonl", line("<script>alert(1)</script>", ("pasted.txt", 0, 8, "<b>x</b>")))
    assert "<script" not in html_of(at)
    assert "<b>x</b>" not in html_of(at)
    row(at, "edit", "<script>alert(1)</script>")
    assert "<script" not in html_of(at)


# The sweep


def swept(at: AppTest, sizes: str = "64, 128", overlaps: str = "0, 50", **groups: Any) -> AppTest:
    at.session_state["sweep_sizes_tokens"] = sizes
    at.session_state["sweep_overlaps"] = overlaps
    for key, value in groups.items():
        at.session_state[key] = value
    return click(run(at), "sweep_start")


@WITH_HITS
def test_a_small_sweep_says_what_to_take():
    at = measuring("sweep")
    assert "settings, about" in seen(at)
    swept(at)
    assert re.match(r"Take .* Of 12 settings, \d+ cannot be told apart|Take ", decides(at))
    assert "until the answer is complete" in decides(at)
    sweeping = at.session_state["sweeping"]
    assert sweeping.is_done
    assert len(sweeping.results) == 12


@WITH_HITS
def test_a_cell_sets_the_sliders_and_a_column():
    at = measuring("sweep")
    setting = Setting(Recursive(size=96, overlap=24, unit="tokens"), "late")

    begin = session.open_session

    def chosen() -> None:
        begin()
        measure_sweep.set_to(setting)

    run_with(at, chosen)
    found = address(at)
    assert [found[name] for name in ("unit", "size", "overlap", "vectors")] == [
        ["tokens"],
        ["96"],
        ["24"],
        ["late"],
    ]
    assert found["column"] == ["whole", "window", "recursive"], "the last gives its place"


@WITH_HITS
def test_a_cell_of_a_strategy_that_is_on_the_board_has_it_share_the_sliders():
    at = measuring("sweep", column=["paragraphs,words,30,5,plain", "window"])
    setting = Setting(Paragraphs(size=64, overlap=0, unit="tokens"), "plain")
    begin = session.open_session

    def chosen() -> None:
        begin()
        measure_sweep.set_to(setting)

    run_with(at, chosen)
    assert address(at)["column"] == ["paragraphs", "window"]


@WITH_HITS
def test_many_settings_are_asked_about_before_they_start():
    at = measuring("sweep")
    sizes = ", ".join(map(str, range(10, 110)))
    swept(at, sizes, "0")
    assert held(at, "sweeping") is None
    assert "300 settings" in seen(at)
    assert "Start them all?" in seen(at)
    assert at.button(key="sweep_start").label == "Start all 300"
    click(at, "sweep_not_now")
    assert at.button(key="sweep_start").label == "Sweep"
    assert held(at, "sweeping") is None


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("sweep_sizes_tokens", "64, x", "'x' must be a whole number from 8 to 1,024"),
        ("sweep_sizes_tokens", "4", "'4' must be a whole number from 8 to 1,024"),
        ("sweep_sizes_tokens", "", "give at least one number"),
        ("sweep_overlaps", "100", "'100' must be a whole number from 0 to 99"),
        ("sweep_overlaps", "²", "must be a whole number"),
    ],
)
def test_a_form_that_cannot_be_read_says_why_and_starts_nothing(field: str, value: str, words: str):
    at = measuring("sweep")
    typed(at, field, value)
    assert any(words in each for each in notes(at))
    assert at.button(key="sweep_start").disabled


def test_an_empty_sweep_says_so():
    at = measuring("sweep")
    at.session_state["sweep_strategies"] = []
    assert any("The sweep is empty" in each for each in notes(run(at)))
    assert at.button(key="sweep_start").disabled


@WITH_HITS
def test_another_budget_says_that_it_was_not_measured():
    at = swept(measuring("sweep"), "64", "0")
    at.number_input(key="budget").set_value(500)
    run(at)
    assert any("Measured at 1,000 tokens. Sweep again" in each for each in notes(at))
    assert "Take" in decides(at)
    choose(at, "cutoff", "hits")
    assert not any("Measured at" in each for each in notes(at)), "hits were measured beside it"


@WITH_HITS
def test_questions_held_out_stand_beside_those_it_was_chosen_by():
    at = swept(measuring("sweep"), "64, 128", "0")
    choose(at, "sweep_held", "30\u202f%")
    assert "on 25 questions" in decides(at)
    assert "On 11 questions held out its Recall is" in decides(at)


@WITH_HITS
def test_the_luck_of_the_grid_says_what_is_chance():
    at = swept(measuring("sweep"), "64", "0", sweep_strategies=["window"])
    click(at, "sweep_luck")
    assert re.search(
        r"Recall of Fixed window 64/0 tokens, late is [\d.]+ to [\d.]+ points at 8 places of its "
        r"grid: a gain of less than [\d.]+ points? may be chance\.",
        seen(at),
    )


@WITH_HITS
def test_the_numbers_of_the_chart_are_a_table():
    at = swept(measuring("sweep"), "64, 128", "0", sweep_strategies=["window", "whole"])
    at.session_state["sweep_numbers"] = True
    rows = cells(run(at), "numbers")
    assert len(rows) == 4
    assert {row[0] for row in rows[1:]} == {
        "Fixed window 64/0 tokens, late",
        "Fixed window 128/0 tokens, late",
        "Whole document, late",
    }
    means = [float(row[1]) for row in rows[1:]]
    assert means == sorted(means, reverse=True)


@WITH_HITS
def test_a_sweep_of_other_questions_is_not_shown():
    at = swept(measuring("sweep"), "64", "0", sweep_strategies=["window"])
    assert "Take" in decides(at)
    choose(at, "part", "questions")
    row(at, "delete", "how big should a chunk be?")
    choose(at, "part", "sweep")
    assert 'class="decides"' not in html_of(at)


def test_nothing_of_it_runs_on_other_views(monkeypatch: pytest.MonkeyPatch):
    called: list[str] = []
    for name in ("labels_of", "ask_all"):
        monkeypatch.setattr(
            f"ragchunk.ui.measure_columns.{name}", lambda *_, name=name: called.append(name)
        )
    monkeypatch.setattr("ragchunk.measured.anchored", lambda *_: called.append("anchored") or [])
    for tab in ("compare", "document", "prompt", "lessons"):
        at_address(q="", tab=tab)
    assert called == []


def test_the_corpus_of_another_person_has_its_own_questions():
    one, other = measuring("questions"), measuring("questions")
    row(one, "delete", "how big should a chunk be?")
    assert len(questions(one)) == 35
    assert "36 questions" in seen(run(other))
