"""Views, columns of their own, links and odd corpora: the screen's logic, without a browser.

What has no question waits for no model. Menus are opened first, as they may draw nothing before.
"""

from __future__ import annotations

import ast
import re

import pytest
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from ragchunk.documents import document_hash
from ragchunk.lessons import LESSONS
from ragchunk.state import MOST_COLUMNS, PageState, from_params, to_params
from ragchunk.ui.asking import NO_QUESTION
from tests.acting import column_ids, menu_button, open_menu, open_presets, own, press
from tests.test_app import (
    APP,
    OPENING_QUESTION,
    WITH_HITS,
    box,
    cards,
    choose,
    chunks,
    column,
    corpus_choice,
    cuts_only,
    documents,
    drawn,
    figure,
    handles,
    head,
    hits,
    opened,
    part,
    paste,
    run,
    set_box,
    set_setting,
    set_slider,
    set_unit,
    slider,
    text,
    upload,
    verdicts,
    waiting,
)

TABS = ["compare", "document", "measure", "prompt", "lessons"]
ENVIRONMENT = "how do I set environment variables?"


def at_address(**params: str | list[str]) -> AppTest:
    """The page that an address opens."""
    at = AppTest.from_file(APP, default_timeout=60)
    for name, value in params.items():
        at.query_params[name] = value
    return run(at)


def address(at: AppTest) -> dict[str, list[str]]:
    return {
        name: list(value) if isinstance(value, list) else [value]
        for name, value in at.query_params.items()
    }


def state_of(at: AppTest) -> PageState:
    """What the address of the page says."""
    state, problems = from_params(address(at))
    assert problems == []
    return state


def go_to(at: AppTest, tab: str) -> AppTest:
    at.button_group(key="tab").set_value(tab)
    return run(at)


def notes(at: AppTest) -> list[str]:
    return [text(found) for found in re.findall(r'<p class="note".*?</p>', html_of(at))]


def html_of(at: AppTest) -> str:
    """All HTML of the page, styles aside."""
    return re.sub(r"<style>.*?</style>", "", "\n".join(each.value for each in at.html), flags=re.S)


def seen(at: AppTest) -> str:
    """All that the page says in HTML."""
    return text(html_of(at))


def prompts(at: AppTest) -> list[str]:
    """The prompts on the page; the export menu may have code too."""
    return [each.value for each in at.code if "Question: " in each.value]


def document_page(at: AppTest) -> str:
    """The HTML of the document view: lanes, text and rail."""
    found = [each for each in drawn(at.main) if 'class="rc doc"' in each]
    assert len(found) == 1
    return found[0]


# Columns of their own


def test_two_hundred_and_eight_hundred_of_one_strategy_stand_side_by_side():
    at = cuts_only()
    own(at, 1, unit="characters", size=200, overlap=0)
    choose(at, "strategy_2", "window")
    own(at, 2, unit="characters", size=800, overlap=0)
    assert "A cut every 200 characters." in text(head(at, 1))
    assert "A cut every 800 characters." in text(head(at, 2))
    assert int(figure(at, 1, "Chunks")) > 3 * int(figure(at, 2, "Chunks"))
    assert address(at)["column"] == [
        "whole",
        "window,characters,200,0,plain",
        "window,characters,800,0,plain",
    ]


def test_shared_sliders_leave_a_column_with_its_own_alone():
    at = own(cuts_only(), 1, size=100, overlap=10)
    before, other = head(at, 1), head(at, 2)
    set_slider(at, "size_words", 30)
    assert head(at, 1) == before
    assert head(at, 2) != other
    set_unit(at, "characters")
    assert head(at, 1) == before
    assert "words" in text(before)


def test_own_sliders_leave_the_other_columns_alone():
    at = cuts_only()
    choose(at, "strategy_2", "window")
    before = head(at, 2)
    own(at, 1, size=100, overlap=10)
    assert head(at, 2) == before
    assert handles(at, "size_words") == (60, 60)


def test_a_column_has_its_own_unit_and_vectors():
    at = cuts_only()
    choose(at, "document", "rag.md")
    own(at, 0, way="averaged")
    own(at, 1, unit="tokens", size=400, overlap=0)
    assert 'class="blind"' not in documents(at, 0)
    assert 'class="blind"' in documents(at, 1)
    assert f"Median size {figure(at, 1, 'Median size')} tokens" in text(head(at, 1))
    assert f"Median size {figure(at, 2, 'Median size')} words" in text(head(at, 2))


def test_own_settings_begin_as_the_shared_ones_are():
    at = set_slider(cuts_only(), "size_words", 90)
    before = head(at, 1)
    own(at, 1)
    after = head(at, 1).replace(" <b>Own settings.</b>", "")
    assert after == before, "giving a column its own settings changed what it cuts"
    assert address(at)["column"][1] == "window,words,90,15,plain"


def test_going_back_to_shared_settings_keeps_the_own_ones_for_later():
    at = own(cuts_only(), 1, size=100, overlap=10)
    open_menu(at, "own_menu_1")
    set_setting(at, "settings_1", "shared")
    assert "A cut every 45 words." in text(head(at, 1))
    open_menu(at, "own_menu_1")
    set_setting(at, "settings_1", "own")
    assert "A cut every 90 words." in text(head(at, 1))


def test_an_overlap_that_is_too_large_is_refused_in_its_own_column_only():
    at = own(cuts_only(), 1, size=20, overlap=20)
    assert "Error Overlap 20 must be smaller than size 20" in text(column(at, 1))
    assert "Error" not in text(column(at, 2))
    open_menu(at, "own_menu_1")
    box(at, "own_1_overlap_words").set_value(0)
    run(at)
    assert "Error" not in seen(at)


def test_shared_sliders_are_off_when_every_column_has_its_own():
    at = own(own(cuts_only(), 1), 2)
    assert slider(at, "size_words").disabled
    assert slider(at, "overlap_words").disabled
    assert "has its own settings" in slider(at, "size_words").help
    assert not slider(at, "own_1_size_words").disabled


def test_columns_are_added_up_to_four_and_closed_down_to_one():
    at = cuts_only()
    assert column_ids(at) == [0, 1, 2]
    menu_button(at, "own_menu_1", "add_1")
    assert len(column_ids(at)) == MOST_COLUMNS == 4
    fourth = column_ids(at)[-1]
    begun = head(at, fourth).replace(" <b>Own settings.</b>", "")
    assert begun == head(at, 2), "it begins like the last"
    for number in column_ids(at):
        open_menu(at, f"own_menu_{number}")
        assert at.button(key=f"add_{number}").disabled
    for number in (1, 0, fourth):
        assert not at.button(key=f"close_{number}").disabled
        menu_button(at, f"own_menu_{number}", f"close_{number}")
        assert number not in column_ids(at)
    assert column_ids(at) == [2]
    open_menu(at, "own_menu_2")
    assert at.button(key="close_2").disabled
    assert not at.button(key="add_2").disabled
    assert address(at)["column"] == ["paragraphs"]
    menu_button(at, "own_menu_2", "add_2")
    assert len(column_ids(at)) == 2


@pytest.mark.parametrize("tab", ["document", "prompt"])
def test_every_number_of_columns_shows_on_the_other_views(tab: str):
    at = at_address(q="", tab=tab, column=["whole"])
    lanes = "Chunks drawn in the text" if tab == "document" else "Hits of"
    assert [each.options for each in at.button_group if each.label == lanes] == [["Whole document"]]
    four = ["window", "window,words,100,0,plain", "paragraphs", "whole,words,60,15,averaged"]
    at = at_address(q="", tab=tab, column=four)
    assert [each.options for each in at.button_group if each.label == lanes] == [
        ["Fixed window", "Fixed window 100/0", "Paragraph-aware", "Whole document, averaged"]
    ]


# Pinned


def pinned(at: AppTest, number: int) -> str:
    [found] = re.findall(r'<p class="small pinned">.*?</p>', column(at, number))
    return text(found)


def pin_column(at: AppTest, number: int) -> AppTest:
    return menu_button(at, f"own_menu_{number}", f"pinning_{number}")


def test_pin_then_move_tells_what_changed():
    at = pin_column(cuts_only(), 1)
    label = "Pinned: Fixed window. A cut every 45 words."
    assert pinned(at, 1).startswith(label)
    assert pinned(at, 1).endswith("Since then: nothing has changed.")
    before = [int(figure(at, 1, "Chunks")), lost_in(at, 1)]
    set_box(at, "overlap_words", 0)
    now = [int(figure(at, 1, "Chunks")), lost_in(at, 1)]
    assert now[0] < before[0]
    assert now[1] > before[1]
    assert f"chunks −{before[0] - now[0]}, repeated −" in pinned(at, 1)
    assert f"lost +{now[1] - before[1]}" in pinned(at, 1)
    assert "answer" not in pinned(at, 1), "no question is asked"
    assert pinned(at, 1).startswith(label)
    set_box(at, "overlap_words", 15)
    assert pinned(at, 1).endswith("Since then: nothing has changed.")


def lost_in(at: AppTest, number: int) -> int:
    """The lost sentences of a column."""
    [found] = re.findall(r"rescued, ([\d,]+) lost", text(part(at, number, 'class="figures"')))
    return int(found.replace(",", ""))


@WITH_HITS
def test_pin_then_move_tells_where_the_answer_went():
    at = pin_column(opened(), 2)
    assert pinned(at, 2).endswith("Since then: nothing has changed.")
    set_box(at, "size_words", 30)
    set_box(at, "overlap_words", 0)
    assert "answer rank 1 to not whole" in pinned(at, 2)
    assert pinned(at, 2).count("chunks +") == 1


def test_a_pin_is_taken_off():
    at = pin_column(cuts_only(), 1)
    assert "Pinned" in column(at, 1)
    open_menu(at, "own_menu_1")
    assert at.button(key="pinning_1").label == "Unpin"
    pin_column(at, 1)
    assert "Pinned" not in html_of(at)
    open_menu(at, "own_menu_1")
    assert at.button(key="pinning_1").label == "Pin, then move"


def test_only_the_pinned_column_says_so_and_an_error_has_no_figures_to_compare():
    at = pin_column(cuts_only(), 1)
    assert [("Pinned" in column(at, number)) for number in range(3)] == [False, True, False]
    set_box(at, "overlap_words", 60)
    assert "Pinned" not in column(at, 1)
    open_menu(at, "own_menu_2")
    assert at.button(key="pinning_2").disabled
    set_box(at, "overlap_words", 15)
    assert pinned(at, 1).endswith("nothing has changed.")


# Links

ALWAYS = [name for name in to_params(PageState()) if name != "file"]


def test_the_address_has_every_setting_after_the_first_run():
    at = cuts_only()
    assert list(address(at)) == ALWAYS
    wanted = to_params(PageState(query="", document=str(at.selectbox(key="document").value)))
    assert address(at) == {name: values for name, values in wanted.items() if values}


def test_the_address_follows_every_change():
    at = cuts_only()
    set_slider(at, "size_words", 80)
    assert address(at)["size"] == ["80"]
    set_box(at, "overlap_words", 8)
    assert address(at)["overlap"] == ["8"]
    set_unit(at, "characters")
    assert [address(at)[name] for name in ("unit", "size", "overlap")] == [
        ["characters"],
        ["800"],
        ["200"],
    ]
    choose(at, "strategy_0", "paragraphs")
    assert address(at)["column"] == ["paragraphs", "window", "paragraphs"]
    at.number_input(key="k").set_value(9)
    assert address(run(at))["k"] == ["9"]
    choose(at, "document", "bees.md")
    assert address(at)["document"] == ["bees.md"]
    for key, name, value in (
        ("way", "vectors", "averaged"),
        ("tail", "tail", "drop"),
        ("neighbours", "neighbours", "merged"),
    ):
        open_menu(at, "settings_menu")
        set_setting(at, key, value)
        assert address(at)[name] == [value]
    open_menu(at, "settings_menu")
    at.number_input(key="min_size").set_value(33)
    assert address(run(at))["min"] == ["33"]
    open_menu(at, "settings_menu")
    at.text_input(key="model").set_value("no-such-model")
    assert address(run(at))["model"] == ["no-such-model"]
    at.text_input(key="query").set_value("what? & why=#?")
    assert address(run(at))["q"] == ["what? & why=#?"]
    open_menu(at, "corpus_menu")
    corpus_choice(at).set_value("docker")
    assert address(run(at))["corpus"] == ["docker"]
    for tab in reversed(TABS):
        assert address(go_to(at, tab))["tab"] == [tab]
    assert list(address(at)) == ALWAYS


LINK = {
    "tab": "compare",
    "q": "",
    "k": "7",
    "unit": "tokens",
    "size": "64",
    "overlap": "8",
    "vectors": "averaged",
    "tail": "drop",
    "min": "12",
    "neighbours": "merged",
    "column": ["paragraphs", "window,characters,200,0,plain"],
    "corpus": "samples",
    "document": "maps.md",
}


@pytest.mark.parametrize("tab", TABS)
def test_a_link_opens_exactly_its_page(tab: str):
    at = at_address(**{**LINK, "tab": tab})
    asked = {name: value if isinstance(value, list) else [value] for name, value in LINK.items()}
    found = address(at)
    assert {name: found[name] for name in asked} == {**asked, "tab": [tab]}
    assert at.button_group(key="tab").value == tab
    assert notes(at) == []
    go_to(at, "compare")
    assert [at.selectbox(key=f"strategy_{n}").value for n in column_ids(at)] == [
        "paragraphs",
        "window",
    ]
    assert handles(at, "size_tokens") == (64, 64)
    assert handles(at, "overlap_tokens") == (8, 8)
    assert at.number_input(key="k").value == 7
    assert at.selectbox(key="document").value == "maps.md"
    assert "A cut every 200 characters." in text(head(at, 1))


@WITH_HITS
def test_a_link_opens_the_page_it_was_copied_from():
    at = opened(ENVIRONMENT)
    own(at, 1, unit="characters", size=400, overlap=100, way="averaged")
    choose(at, "document", "bees.md")
    at.number_input(key="k").set_value(5)
    run(at)
    again = at_address(**address(at))
    assert address(again) == address(at)
    for number in range(3):
        assert head(again, number) == head(at, number)
        assert hits(again, number) == hits(at, number)
    assert again.selectbox(key="document").value == "bees.md", "not that of the answer"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("k", "99", "k = '99'; it must be a number from 1 to 20. Used: 3."),
        ("size", "1", "size = '1'; it must be a number from 5 to 1,000. Used: 60."),
        ("column", "magic", "column = 'magic'; it must be a strategy"),
        ("tab", "<b>x</b>", "tab = '<b>x</b>'; it must be one of compare, document"),
    ],
)
def test_a_bad_value_in_a_link_is_named_in_a_note(name: str, value: str, words: str):
    at = at_address(q="", **{name: value})
    assert any(words in each for each in notes(at))
    assert "<b>x</b>" not in html_of(at)
    assert len(chunks(at)) == 3


def test_a_smallest_size_that_can_be_set_makes_a_link_that_opens():
    at = cuts_only()
    open_menu(at, "settings_menu")
    set_setting(at, "tail", "merge")
    at.number_input(key="min_size").set_value(6_001)
    run(at)
    assert from_params(address(at))[1] == []


def test_a_link_to_files_asks_for_them_by_name_and_says_if_they_are_others():
    at = upload(cuts_only(), ("a:b&c.md", b"# Apples"), ("d.txt", b"Damsons."))
    link = address(at)
    assert link["file"] == [
        f"{document_hash('# Apples')}:a:b&c.md",
        f"{document_hash('Damsons.')}:d.txt",
    ]
    assert "Apples" not in str(link)
    again = at_address(**link)
    asks = "Note This link was made with {}. Open it in the documents menu."
    assert asks.format("a:b&c.md") in notes(again)
    assert asks.format("d.txt") in notes(again)
    assert "Nothing loaded." in seen(again)
    assert address(again) == link, "the link still asks for the files"
    upload(again, ("a:b&c.md", b"# Apples"), ("d.txt", b"Dates."))
    assert notes(again) == [
        "Note d.txt is not the text this link was made with: results may differ."
    ]
    upload(again, ("a:b&c.md", b"# Apples"), ("d.txt", b"Damsons."))
    assert notes(again) == []
    assert address(again) == {**link, "document": address(again)["document"]}


def test_pasted_text_is_never_in_the_link():
    at = paste(cuts_only(), "My secret recipe: zabaglione.\n\nStir it.")
    assert "zabaglione" not in str(address(at))
    assert address(at)["file"] == [
        f"{document_hash(str(at.text_area(key='pasted').value))}:pasted.txt"
    ]
    assert address(at)["corpus"] == ["pasted"]
    again = at_address(**address(at))
    assert any("This link was made with pasted.txt" in each for each in notes(again))
    for tab in ("document", "prompt", "lessons"):
        assert "zabaglione" not in str(address(go_to(at, tab)))


# Inside a hit


@WITH_HITS
def test_a_hit_opens_sentence_by_sentence_and_closes():
    at = opened(ENVIRONMENT)
    first = hits(at, 2)[0]
    assert first == "deployment.md#19"
    press(at, f"inside 2 {first}")
    [inside] = re.findall(r'<div class="inside">.*?</ol></div>', column(at, 2))
    scores = [float(each) for each in re.findall(r'"score">(-?\.\d{3})<', inside)]
    sentences = re.findall(r"<li>", inside)
    assert len(scores) == len(sentences) > 1
    found = re.search(r"the answer sentence alone (\.\d{3}), this chunk (\.\d{3})", text(inside))
    assert found
    assert float(found[1]) in scores
    assert scores[1] == float(found[1]), "the answer begins with the second sentence"
    [score] = re.findall(r'"score">(\.\d{3})<', re.split(r"</header>", column(at, 2))[0])
    assert found[2] == score
    assert "Hide sentences" in text(column(at, 2))
    assert 'class="inside"' not in column(at, 1)
    press(at, f"inside 2 {first}")
    assert 'class="inside"' not in html_of(at)


@WITH_HITS
def test_a_hit_without_the_answer_has_a_best_sentence():
    at = opened("do herrings sleep?")
    press(at, f"inside 1 {hits(at, 1)[0]}")
    assert re.search(r"the best sentence alone -?\.\d{3}, this chunk", text(column(at, 1)))


@WITH_HITS
def test_repeated_text_is_marked_and_its_characters_counted():
    at = at_address(unit="tokens", size="120", overlap="100", k="5", column=["window"])
    found = text(column(at, 0))
    told = re.findall(r"([\d,]+) characters repeat a hit above", found)
    assert len(told) >= 3
    cards_of = re.split(r"(?=<article)", column(at, 0))[1:]
    for card in cards_of:
        marks = "".join(re.findall(r'class="again">([^<]*)', card))
        assert bool(marks) == ("repeat a hit above" in card)
    assert "repeat a hit above" not in cards_of[0]
    [unique] = re.findall(r"(\d+)\s% unique text", found)
    assert int(unique) < 50


@WITH_HITS
def test_merged_neighbours_have_joined_ids_and_no_text_twice():
    at = at_address(
        unit="tokens", size="120", overlap="100", k="5", column=["window"], neighbours="merged"
    )
    [joined] = hits(at, 0)
    assert re.fullmatch(r"rag\.md#\d+(\+\d+){4}", joined)
    assert re.search(r"100\s% unique text", text(head(at, 0)))
    assert "repeat a hit above" not in column(at, 0)
    assert "neighbouring hits joined" in text(column(at, 0))
    press(at, f"open 0 {joined}")
    assert at.button_group(key="tab").value == "document"
    assert "Error" not in seen(at)
    open_menu(at, "settings_menu")
    set_setting(at, "neighbours", "separate")
    assert len(hits(go_to(at, "compare"), 0)) == 5


@WITH_HITS
def test_a_hit_opens_in_its_document_at_its_page():
    at = opened(ENVIRONMENT)
    press(at, "open 2 deployment.md#19")
    assert at.button_group(key="tab").value == "document"
    assert at.selectbox(key="document").value == "deployment.md"
    assert at.button_group(key="lane").value == 2
    [pages] = at.pagination
    assert pages.value > 1
    assert 'id="chunk-2-19"' in document_page(at)
    assert state_of(at).document == "deployment.md"
    pages.set_value(1)
    run(at)
    assert 'id="chunk-2-19"' not in document_page(at), "the page can be turned afterwards"
    press(at, "show deployment.md#19")
    assert 'id="chunk-2-19"' in document_page(at)


@WITH_HITS
def test_a_hit_elsewhere_opens_its_document():
    at = opened(ENVIRONMENT)
    go_to(at, "document")
    at.button_group(key="lane").set_value(2)
    acts = re.findall(r'data-act="show ([^"]*)"', document_page(run(at)))
    other = next(each for each in acts if each.startswith("meeting-open-day.txt#"))
    press(at, f"show {other}")
    assert at.selectbox(key="document").value == "meeting-open-day.txt"
    assert f'id="chunk-2-{other.partition("#")[2]}"' in document_page(at)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "open",
        "open 99 rag.md#1",
        "open x y",
        "open 1 nowhere.md#1",
        "open 1 rag.md#9999",
        "open 1 rag.md",
        "show",
        "show #",
        "show rag.md#x",
        "inside 1 rag.md#9999",
        "inside 1",
        "lost 99",
        "lost",
        "lost 0",
        "explode 1",
        "pick",
        "pick 1 x rag.md",
        "pick 1 9 nowhere.md",
        "use 1 9 nowhere.md",
        "use 99999 99999 rag.md",
        "remove 1 2 rag.md",
        "ask",
        "ask what nobody asked",
        "edit what nobody asked",
        "delete what nobody asked",
        "answers 99 rag.md#1",
        "answers 1",
        "open ² x",
    ],
)
def test_a_button_that_is_out_of_date_breaks_nothing(words: str):
    at = press(cuts_only(), words)
    assert "Error" not in seen(at)
    run(at)


# Lost sentences


def lost_note(at: AppTest) -> tuple[int, int, str]:
    [found] = [each for each in notes(at) if "Lost sentence" in each]
    told = re.fullmatch(r"Lost sentence (\d+) of (\d+) in (\S+): (.*)", found)
    assert told, found
    return int(told[1]), int(told[2]), told[3]


def click(at: AppTest, label: str) -> AppTest:
    [button] = [each for each in at.button if each.label == label]
    button.click()
    return run(at)


def test_the_lost_sentences_are_stepped_through_in_their_documents():
    at = set_box(cuts_only(), "overlap_words", 0)
    total = lost_in(at, 1)
    assert 'data-act="lost 1"' in column(at, 1)
    press(at, "lost 1")
    assert at.button_group(key="tab").value == "document"
    assert at.button_group(key="lane").value == 1
    number, of, source = lost_note(at)
    assert (number, of) == (1, total)
    assert at.selectbox(key="document").value == source
    assert 'class="lost"' in document_page(at)
    click(at, "Next")
    assert lost_note(at)[:2] == (2, total)
    click(at, "Previous")
    assert lost_note(at) == (1, total, source)
    click(at, "Previous")
    number, _, last = lost_note(at)
    assert number == total, "before the first comes the last"
    assert at.selectbox(key="document").value == last != source
    click(at, "Next")
    assert lost_note(at) == (1, total, source)
    click(at, "Done")
    assert not any("Lost sentence" in each for each in notes(at))
    assert at.button_group(key="tab").value == "document"
    press(go_to(at, "compare"), "lost 1")
    assert lost_note(at)[0] == 1, "it begins anew"


def test_each_lost_sentence_is_on_the_page_that_opens():
    at = set_box(cuts_only(), "overlap_words", 0)
    press(at, "lost 1")
    for _ in range(12):
        [found] = [each for each in notes(at) if "Lost sentence" in each]
        sentence = " ".join(found.partition(": ")[2].split())[:40]
        page = document_page(at)
        marked = text("".join(re.findall(r'class="lost"[^>]*>(.*?)</span>', page)))
        squeezed = re.sub(r"\s", "", marked)
        assert re.sub(r"\s", "", sentence)[:15] in squeezed, sentence
        click(at, "Next")


def test_a_column_that_loses_nothing_has_no_button_for_it():
    at = cuts_only()
    assert 'data-act="lost' not in column(at, 0)


# The document view


def test_the_document_view_has_a_lane_for_every_column():
    at = at_address(q="", tab="document", document="bees.md")
    page = document_page(at)
    for label in ("Whole document", "Fixed window", "Paragraph-aware"):
        assert re.search(rf'<span class="lane[^"]*">(<b>)?{label}', page)
    assert 'class="ext' in page
    assert "Nothing has been asked yet" in page
    for number in range(3):
        at.button_group(key="lane").set_value(number)
        run(at)
        assert f'id="chunk-{number}-0"' in document_page(at)


def test_a_column_that_cannot_be_cut_is_named_on_the_document_view():
    at = at_address(q="", tab="document", overlap="60")
    assert "Error Fixed window: Overlap 60 must be smaller than size 60" in seen(at)
    assert "Whole document" in document_page(at)
    at = at_address(q="", tab="document", overlap="60", column=["window"])
    assert "Error Fixed window: Overlap 60" in seen(at)


# The prompt


@WITH_HITS
def test_the_prompt_has_its_passages_with_ids_and_what_it_costs():
    at = at_address(q=ENVIRONMENT, tab="prompt")
    [prompt] = prompts(at)
    first = prompt.index("~~~~ [deployment.md#19]\n")
    assert "cite the id" in prompt
    assert "write one `NAME=value` pair" in prompt[first:]
    assert prompt.rstrip().endswith(f"Question: {ENVIRONMENT}")
    said = seen(at)
    found = re.search(r"Prompt with these chunks ([\d,]+) tokens, costs ([\d.]+)", said)
    assert found
    whole = re.search(r"With their whole documents ([\d,]+) tokens, costs ([\d.]+)", said)
    assert whole
    tokens, all_tokens = (int(each[1].replace(",", "")) for each in (found, whole))
    assert tokens < all_tokens / 3
    assert re.search(rf"Share {round(100 * tokens / all_tokens)}\s%", said)
    assert float(found[2]) == pytest.approx(tokens * 0.5 / 1e6, rel=0.05)
    at.number_input(key="price").set_value(5.0)
    dear = re.search(r"Prompt with these chunks [\d,]+ tokens, costs ([\d.]+)", seen(run(at)))
    assert dear
    assert float(dear[1]) == pytest.approx(tokens * 5 / 1e6, rel=0.05)
    at.number_input(key="price").set_value(0.0)
    assert f"Prompt with these chunks {found[1]} tokens, costs 0 " in seen(run(at))


@WITH_HITS
def test_the_prompt_is_that_of_the_column_chosen():
    at = at_address(q=ENVIRONMENT, tab="prompt")
    at.button_group(key="prompt_of").set_value(1)
    run(at)
    found = re.findall(r"^~~~~\d* \[(.*)\]$", prompts(at)[0], re.M)
    assert found == hits(go_to(at, "compare"), 1)


def test_without_a_question_there_is_no_prompt():
    at = at_address(q="", tab="prompt")
    assert not prompts(at)
    assert NO_QUESTION in seen(at)


# Export


@WITH_HITS
def test_the_settings_of_the_column_chosen_are_valid_python():
    at = at_address(q='"""\n\\x', size="77", overlap="7")
    open_menu(at, "export_menu")
    at.button_group(key="export_of").set_value(1)
    run(at)
    code = next(each.value for each in at.code if "STRATEGIES" in each.value)
    ast.parse(code)
    assert "size=77" in code
    assert "STRATEGIES['window']" in code
    assert "'words'" in code


# Odd corpora, on every view


def on_every_view(at: AppTest) -> dict[str, str]:
    """What each view says; none of them may fail."""
    said = {}
    for tab in ("document", "measure", "prompt", "lessons", "compare"):
        go_to(at, tab)
        said[tab] = seen(at)
        assert "Error" not in said[tab], tab
    return said


def test_no_documents():
    at = cuts_only()
    open_menu(at, "corpus_menu")
    corpus_choice(at).set_value("files")
    run(at)
    for tab, said in on_every_view(at).items():
        assert (
            "Nothing loaded. Choose the sample documents, paste text or drop files." in said
        ) == (tab != "lessons")


def test_one_document_that_is_one_chunk():
    at = paste(cuts_only(), "Only this.")
    assert chunks(at) == ["1", "1", "1"]
    said = on_every_view(at)
    assert "Only this." in said["document"]
    assert all(NO_QUESTION in said[tab] for tab in ("prompt", "compare"))


@WITH_HITS
def test_one_chunk_is_found_and_has_no_note_that_it_is_weak():
    at = paste(opened("What is it?"), "Only this.")
    assert [hits(at, number) for number in range(3)] == [["pasted.txt#0"]] * 3
    assert "Top 1 of 1" in text(head(at, 0))
    said = on_every_view(at)
    assert "Hits in this document" in said["document"]
    assert "probably nothing here" not in said["compare"]


def test_five_hundred_documents():
    files = [(f"note-{n:03}.txt", b"Note %d is short. It ends here." % n) for n in range(500)]
    at = upload(cuts_only(), *files)
    assert chunks(at) == ["500", "500", "500"]
    assert len(at.selectbox(key="document").options) == 500
    choose(at, "document", "note-499.txt")
    said = on_every_view(at)
    assert "Note 499 is short." in said["document"]
    assert at.query_params["corpus"] == "files"
    assert len(address(at)["file"]) == 500


def test_a_file_too_many_is_left_out_and_said():
    files = [(f"note-{n:03}.txt", b"Note.") for n in range(501)]
    at = upload(cuts_only(), *files)
    assert chunks(at)[0] == "500"
    assert any("501 files" in each and "the first 500 were read" in each for each in notes(at))


def test_the_note_about_too_many_files_counts_none_as_other_ones():
    at = upload(cuts_only(), *[(f"note-{n:03}.txt", b"Note.") for n in range(501)])
    assert not any("other file" in each for each in notes(at))


def test_a_smallest_size_left_in_the_box_refuses_nothing_where_all_is_kept():
    at = at_address(q="", min="500", tail="keep")
    assert figure(at, 1, "Chunks") == "128"


@pytest.mark.model
def test_joined_hits_that_were_read_one_by_one_are_not_said_to_be_unread():
    question = "what happens to text the embedding model does not read?"
    at = at_address(
        q=question,
        k="5",
        unit="tokens",
        size="200",
        overlap="40",
        column="paragraphs",
        neighbours="merged",
    )
    assert "The answer is whole in one chunk, rank 1." in html_of(at)


def test_the_way_back_from_a_preset_is_ones_own_page_after_a_link_with_an_unknown_preset():
    at = at_address(q="my own question", size="33", preset="zzz")
    open_presets(at).button(key="preset_Confetti").click()
    run(at)
    at.button(key="preset_back").click()
    run(at)
    assert at.text_input(key="query").value == "my own question"
    assert handles(at, "size_words") == (33, 33)


def test_the_way_back_from_a_preset_keeps_a_pin():
    at = cuts_only()
    pin_column(at, 1)
    open_presets(at).button(key="preset_Confetti").click()
    run(at)
    at.button(key="preset_back").click()
    run(at)
    assert pinned(at, column_ids(at)[1]).endswith("nothing has changed.")


def test_the_address_is_written_once_while_nothing_changes(monkeypatch):
    written = []
    real = QueryParamsProxy.from_dict
    monkeypatch.setattr(
        QueryParamsProxy, "from_dict", lambda self, params: (written.append(1), real(self, params))
    )
    at = cuts_only()
    first = len(written)
    run(run(at))
    assert len(written) == first == 1


def test_twenty_thousand_chunks():
    line = "The ferry leaves at nine and comes back at noon. "
    written = line * (1_000_000 // len(line))
    at = AppTest.from_file(APP, default_timeout=120)
    at.query_params.update({"q": "", "unit": "characters", "size": "50", "overlap": "0"})
    paste(run(at), written)
    found = figure(at, 1, "Chunks")
    assert int(found.replace(",", "")) > 19_900
    said = on_every_view(at)
    assert "Fixed window" in said["document"]
    assert 'class="ext' in document_page(go_to(at, "document"))


@WITH_HITS
@pytest.mark.parametrize("query", ["???", "👍🏽"])
def test_a_question_that_finds_nothing_on_any_view(query: str):
    at = opened(query)
    said = on_every_view(at)
    assert re.search(r"or nothing was found|Hits in this", said["document"])


@pytest.mark.parametrize("tab", TABS)
def test_a_model_that_is_missing_is_named_on_every_view(tab: str):
    at = at_address(model="no-such-model", tab=tab)
    if tab == "lessons":
        assert "Error" not in seen(at), "lessons have a model of their own"
        return
    assert 'Error Model "no-such-model" was not found' in seen(at)
    assert "Chunks and figures still work." in seen(at)
    if tab == "document":
        assert 'class="ext' in document_page(at)
    else:
        assert "No model, no hits." in seen(at)


# What documents may not do, on any view

HOSTILE = (
    '<script>alert(1)</script> <img src=x onerror="alert(1)"> costs $5 or $6_x, $$x^2$$ '
    "email:example@host :smile: :red[red] </div></section> # x\n\n- *y* [link](javascript:alert(1))"
    "\n\nbefore\0after 👨‍👩‍👧‍👦 שלום"
)
HOSTILE_NAME = "<img src=x onerror=alert(1)>.md"


@WITH_HITS
def test_hostile_text_names_and_questions_run_nothing_on_any_view():
    at = upload(opened(HOSTILE), (HOSTILE_NAME, HOSTILE.encode()), ("=1+1.txt", b"=cmd()"))
    for tab in ("document", "measure", "prompt", "lessons", "compare"):
        go_to(at, tab)
        found = html_of(at).lower()
        assert "<script" not in found, tab
        assert "<img" not in found, tab
        assert "javascript:alert" not in re.sub(r">[^<]*<", "><", found), tab
        said = [each.value for each in (*at.markdown, *at.caption)]
        assert not any("onerror" in each or "$5" in each for each in said), tab
    press(at, f"inside 1 {hits(at, 1)[0]}")
    press(at, f"open 1 {HOSTILE_NAME}#0")
    assert at.selectbox(key="document").value == HOSTILE_NAME
    assert "<script" not in html_of(at)
    press(go_to(at, "compare"), "lost 1")


# Lessons


def test_the_lessons_are_six_and_have_links():
    assert len(LESSONS) == 6
    at = at_address(tab="lessons", lesson="3")
    lesson = at.button_group(key="lesson_number")
    assert lesson.options == [f"{n} {each.title}" for n, each in enumerate(LESSONS, 1)]
    assert lesson.value == 3
    assert LESSONS[2].question in seen(at)
    assert address(at)["lesson"] == ["3"]
    assert address(at)["tab"] == ["lessons"]
    at.button(key="lesson_next").click()
    assert LESSONS[3].question in seen(run(at))
    assert address(at)["lesson"] == ["4"]


@pytest.mark.parametrize("lesson", ["0", "7", "x", "", "³", "1 "])
def test_a_lesson_that_is_none_opens_the_first(lesson: str):
    at = at_address(tab="lessons", lesson=lesson)
    assert at.button_group(key="lesson_number").value == 1
    assert address(at)["lesson"] == ["1"]


def test_lessons_leave_the_settings_of_the_page_alone():
    at = set_slider(cuts_only(), "size_words", 77)
    choose(at, "document", "bees.md")
    own(at, 1, unit="tokens", size=64, overlap=8)
    before = address(at)
    go_to(at, "lessons")
    at.button(key="lesson_next").click()
    run(at)
    go_to(at, "compare")
    assert {**address(at), "tab": ["compare"]} == before


@pytest.mark.parametrize("tab", ["document", "measure", "prompt", "lessons"])
def test_the_settings_of_the_page_stay_on_every_view(tab: str):
    at = set_slider(cuts_only(), "size_words", 77)
    own(at, 1, unit="tokens", size=64, overlap=8)
    choose(at, "document", "bees.md")
    before = address(at)
    heads = [head(at, number) for number in range(3)]
    run(run(go_to(at, tab)))
    go_to(at, "compare")
    assert address(at) == before
    assert [head(at, number) for number in range(3)] == heads
    assert verdicts(at) == ["", "", ""]


def test_the_open_question_waits_for_nobody_when_it_is_cleared():
    at = cuts_only()
    assert [waiting(at, number) for number in range(3)] == [NO_QUESTION] * 3
    assert OPENING_QUESTION not in seen(at)
    assert not cards(column(at, 0))
