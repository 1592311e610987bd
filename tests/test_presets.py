"""Presets: each opens, and what its sentence claims is true of the sample documents."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ragchunk.comparison import Cutting, Ranking, ask, cut, read_ends
from ragchunk.corpus import Corpus
from ragchunk.embedding import load_encoder
from ragchunk.evaluation.questions import Answer, answers_in
from ragchunk.evaluation.verdict import fate
from ragchunk.presets import DOCKER, PRESETS, Preset, look_of
from ragchunk.state import OPENING_COLUMNS, ColumnState, PageState, from_params
from ragchunk.tokens import max_tokens
from ragchunk.ui.columns import make_strategy
from ragchunk.ui.corpus_menu import sample_corpus, sample_questions
from ragchunk.ui.settings_menu import Settings
from tests.acting import back_to_my_own, choose_preset, column_ids, own
from tests.test_app import (
    WITH_HITS,
    choose,
    cuts_only,
    documents,
    handles,
    head,
    opened,
    part,
    paste,
    run,
    seen,
    set_box,
    set_setting,
    set_unit,
    text,
    upload,
)

NAMES = [each.name for each in PRESETS]


def preset(name: str) -> Preset:
    return next(each for each in PRESETS if each.name == name)


# What the presets say, with the library


def corpus_of(state: PageState) -> Corpus:
    return Corpus((DOCKER,)) if state.corpus == "docker" else sample_corpus()


def cutting(state: PageState, number: int) -> Cutting:
    """What a column of a preset cuts."""
    column: ColumnState = state.columns[number]
    settings = Settings(state.model, state.tail, state.min_size, state.merge)
    strategy = make_strategy(column.strategy, column.own or state.shared, settings)
    return cut(corpus_of(state), strategy, state.model)


def way(state: PageState, number: int) -> str:
    return (state.columns[number].own or state.shared).way


@cache
def ranking(state: PageState, number: int) -> Ranking:
    return ask(
        state.query,
        cutting(state, number),
        load_encoder(),
        state.k,
        way(state, number),
        state.merge,
    )


def answer(state: PageState) -> Answer:
    """The only passage that answers the question of a preset."""
    question = next(each for each in sample_questions() if each.text == state.query)
    [found] = answers_in(sample_corpus().documents, question)
    return found


def rank_of_answer(state: PageState, number: int) -> int | None:
    """The rank of the first hit that holds the answer whole where the model reads it."""
    found, cut_so = ranking(state, number), cutting(state, number)
    return fate(answer(state), found.hits, read_ends(cut_so, found.hits, way(state, number))).whole


def column_number(state: PageState, strategy: str) -> int:
    return [each.strategy for each in state.columns].index(strategy)


def test_there_are_seven_and_each_has_a_name_and_one_sentence():
    assert NAMES == [
        "Confetti",
        "Whole files",
        "A sentence cut in half",
        "The redundant tail",
        "The averaging problem",
        "What overlap costs",
        "The blind tail",
    ]
    for each in PRESETS:
        assert each.look.endswith(".")
        assert look_of(each.name) == each.look
        assert each.state.preset == each.name
    assert look_of("") == look_of("confetti") == look_of("<b>") == ""


def test_confetti_is_in_crumbs_and_loses_more_sentences_than_the_opening():
    confetti, opening = preset("Confetti").state, PageState()
    assert confetti.columns == OPENING_COLUMNS
    for name in ("window", "paragraphs"):
        number = column_number(confetti, name)
        found, before = cutting(confetti, number), cutting(opening, number)
        assert found.figures.sizes["characters"].max <= 200
        assert found.figures.sentences_lost > before.figures.sentences_lost
        assert found.figures.sentences_cut > 0
    assert cutting(confetti, 1).figures.sentences_lost > 100


@WITH_HITS
def test_confetti_has_the_whole_answer_in_no_hit():
    confetti, opening = preset("Confetti").state, PageState()
    assert [rank_of_answer(confetti, number) for number in (1, 2)] == [None, None]
    assert rank_of_answer(opening, 2) == 1


def test_whole_files_have_become_whole_documents():
    state = preset("Whole files").state
    limit = max_tokens(state.model)
    for name in ("window", "paragraphs"):
        found = cutting(state, column_number(state, name))
        in_pieces = [source for source, each in found.by_source.items() if len(each) > 1]
        assert in_pieces == ["deployment.md"], name
        assert max(found.corpus.texts, key=lambda each: len(found.corpus.texts[each])) in in_pieces
        assert max(found.figures.sizes["tokens"].each) > limit


def test_whole_files_are_read_only_at_their_start():
    state = preset("Whole files").state
    found = cutting(state, column_number(state, "window"))
    long = [each for each in found.chunks if len(each.text) > 2_000]
    assert long
    assert all(found.reading(each, "plain").end < each.end for each in long)


def test_a_sentence_is_cut_in_half_and_overlap_rescues_it():
    state = preset("A sentence cut in half").state
    with_overlap, without = (cutting(state, number).figures for number in (0, 1))
    assert (cutting(state, 0).strategy.name, cutting(state, 1).strategy.name) == ("window",) * 2
    assert (with_overlap.sentences_lost, without.sentences_lost) == (0, 2)
    assert with_overlap.sentences_cut > without.sentences_cut == 2
    assert with_overlap.sentences_rescued == with_overlap.sentences_cut


def plain_windows(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """The loop of many a tutorial: it steps on while there is text left."""
    return [(start, min(start + size, len(text))) for start in range(0, len(text), size - overlap)]


def test_the_plain_loop_makes_a_redundant_tail_and_ours_does_not():
    plain = plain_windows(DOCKER.text, 30, 10)
    assert len(plain) == 4
    (start, end), third = plain[-1], plain[2]
    assert DOCKER.text[start:end] == " secrets."
    assert third[0] <= start < end <= third[1]
    ours = cutting(preset("The redundant tail").state, 0)
    assert [(each.start, each.end) for each in ours.chunks] == plain[:3]


@WITH_HITS
def test_the_averaging_problem_is_one():
    state = preset("The averaging problem").state
    known = answer(state)
    assert known.source == "deployment.md"
    plain, averaged = cutting(state, 0), cutting(state, 1)
    [post] = plain.by_source["deployment.md"]
    assert plain.reading(post, way(state, 0)).end <= known.start, "plain reads the paragraph"
    [post] = averaged.by_source["deployment.md"]
    assert averaged.reading(post, way(state, 1)).end >= known.end
    assert rank_of_answer(state, 0) is None
    assert rank_of_answer(state, 1) is None, "it is not lost among the others"
    assert rank_of_answer(state, 2) == 1


def test_overlap_costs_what_the_preset_says():
    state = preset("What overlap costs").state
    sharing, alone = cutting(state, 0).figures, cutting(state, 1).figures
    assert sharing.repeated_share > 0.75
    assert alone.repeated_share == 0
    assert state.k == 5


@WITH_HITS
def test_overlap_fills_the_top_five_with_copies():
    state = preset("What overlap costs").state
    sharing, alone = ranking(state, 0), ranking(state, 1)
    assert len(sharing.hits) == len(alone.hits) == 5
    assert sharing.unique < 0.5
    assert alone.unique == 1


def test_the_blind_tail_is_read_by_averaged_vectors_only():
    state = preset("The blind tail").state
    plain, averaged = cutting(state, 0), cutting(state, 1)
    assert plain.chunks == averaged.chunks
    assert plain.figures.blind_chunks > 0
    assert max_tokens(state.model) == 254
    blind = [each for each in plain.chunks if plain.reading(each, way(state, 0)).end < each.end]
    assert blind
    assert all(averaged.reading(each, way(state, 1)).end == each.end for each in blind)


# On the page


def notes(at: AppTest) -> list[str]:
    return [text(each.value) for each in at.html if 'class="note"' in each.value]


@WITH_HITS
def test_each_opens_with_its_sentence_and_goes_back_to_where_it_came_from():
    at = opened()
    own = address(at)
    for each in PRESETS:
        choose_preset(at, each.name)
        assert f"{each.name} {each.look}" in notes(at)
        assert "Error" not in seen(at)
        state, problems = from_params(address(at))
        assert problems == []
        assert state == each.state
        assert len(column_ids(at)) == len(each.state.columns)
    back_to_my_own(at)
    assert address(at) == own
    assert notes(at) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_link_to_a_preset_brings_its_sentence_along(name: str):
    at = AppTest.from_file("../app.py", default_timeout=30)
    at.query_params["preset"] = name
    at.query_params["q"] = ""
    assert f"{name} {look_of(name)}" in notes(run(at))
    back_to_my_own(at)
    assert notes(at) == []


def test_a_preset_that_is_not_ours_says_nothing():
    at = AppTest.from_file("../app.py", default_timeout=30)
    at.query_params["preset"] = "<img src=x onerror=alert(1)>"
    at.query_params["q"] = ""
    assert notes(run(at)) == []


def address(at: AppTest) -> dict[str, list[str]]:
    """The query parameters that the page has written."""
    return {
        name: list(value) if isinstance(value, list) else [value]
        for name, value in at.query_params.items()
    }


def my_own(at: AppTest) -> AppTest:
    """A state of the page that has something of one's own everywhere; nothing is asked."""
    set_unit(at, "characters")
    set_box(at, "size_characters", 500)
    set_box(at, "overlap_characters", 50)
    at.number_input(key="k").set_value(7)
    run(at)
    choose(at, "strategy_0", "paragraphs")
    own(at, 1, unit="tokens", size=64, overlap=8, way="averaged")
    choose(at, "document", "bees.md")
    for key, value in (("tail", "merge"), ("neighbours", "merged"), ("way", "averaged")):
        set_setting_in_menu(at, key, value)
    at.number_input(key="min_size").set_value(40)
    return run(at)


def set_setting_in_menu(at: AppTest, key: str, value: str) -> None:
    at.session_state["settings_menu"] = True
    set_setting(run(at), key, value)


def test_the_way_back_restores_every_setting():
    at = my_own(cuts_only())
    before = address(at)
    assert before["document"] == ["bees.md"]
    assert before["column"] == ["paragraphs", "window,tokens,64,8,averaged", "paragraphs"]
    figures = [head(at, number) for number in column_ids(at)]
    choose_preset(at, "A sentence cut in half")
    assert address(at) != before
    back_to_my_own(at)
    assert address(at) == before
    assert [head_at(at, place) for place in range(3)] == figures


def head_at(at: AppTest, place: int) -> str:
    """The head of the column at a place; its number may have changed."""
    return head(at, column_ids(at)[place])


def test_the_way_back_is_the_first_one_after_several_presets_and_moves():
    at = my_own(cuts_only())
    before = address(at)
    choose_preset(at, "Confetti")
    set_box(at, "size_characters", 300)
    choose_preset(at, "The redundant tail")
    choose_preset(at, "Whole files")
    back_to_my_own(at)
    assert address(at) == before


@WITH_HITS
@pytest.mark.parametrize("name", ["The averaging problem", "The redundant tail", "Confetti"])
def test_the_way_back_leads_to_the_document_that_was_open(name: str):
    at = opened()
    choose(at, "document", "bees.md")
    before = address(at)
    choose_preset(at, name)
    back_to_my_own(at)
    assert address(at)["document"] == ["bees.md"]
    assert address(at) == before


@WITH_HITS
@pytest.mark.parametrize("name", ["The averaging problem", "The blind tail"])
def test_a_preset_opens_the_document_it_speaks_of(name: str):
    at = choose_preset(opened(), name)
    assert at.selectbox(key="document").value == "deployment.md"


def test_the_way_back_leads_to_pasted_text():
    at = paste(cuts_only(), "My own text.\n\nIn two paragraphs.")
    before = address(at)
    choose_preset(at, "The redundant tail")
    assert at.selectbox(key="document").value == "docker.txt"
    back_to_my_own(at)
    assert address(at) == before
    assert at.selectbox(key="document").value == "pasted.txt"
    assert "My own text." in seen(at)


def test_the_way_back_leads_to_uploaded_files():
    at = upload(cuts_only(), ("a.txt", b"Apples."), ("b:c&d.md", b"Pears."))
    before = address(at)
    choose_preset(at, "Confetti")
    assert "rag.md" in at.selectbox(key="document").options
    back_to_my_own(at)
    assert address(at) == before
    assert at.selectbox(key="document").options == ["a.txt", "b:c&d.md"]


def test_the_way_back_keeps_the_sizes_of_the_other_units():
    at = cuts_only()
    set_unit(at, "characters")
    set_box(at, "size_characters", 500)
    set_unit(at, "words")
    choose_preset(at, "Confetti")
    back_to_my_own(at)
    set_unit(at, "characters")
    assert handles(at, "size_characters") == (500, 500)


def test_after_a_preset_its_settings_can_be_moved_and_the_sentence_stays():
    at = choose_preset(cuts_only(), "A sentence cut in half")
    first = column_ids(at)[0]
    assert "0 lost" in text(head(at, first))
    set_box(at, "overlap_characters", 0)
    assert "2 lost" in text(part(at, first, 'class="figures"'))
    assert look_of("A sentence cut in half") in seen(at)


@WITH_HITS
def test_the_blind_tail_is_hatched_in_the_plain_column_only():
    at = choose_preset(opened(), "The blind tail")
    plain, averaged, _ = (documents(at, place) for place in range(3))
    assert re.search(r"the model reads 254 of \d+ tokens, to here", text(plain))
    assert 'class="blind"' in plain
    assert 'class="blind"' not in averaged


@WITH_HITS
def test_the_figures_of_the_docker_text_stand_on_the_page():
    at = choose_preset(opened(), "A sentence cut in half")
    said: list[Any] = [text(head(at, number)) for number in column_ids(at)]
    assert "Sentences cut 3 3 rescued, 0 lost" in said[0]
    assert "Sentences cut 2 0 rescued, 2 lost" in said[1]
    choose_preset(at, "The redundant tail")
    [only] = column_ids(at)
    assert "Chunks 3 " in text(head(at, only))
