"""The screen's logic, without a browser: which control does what, and what is said about it.

Tests that only look at cuts ask no question, so that nothing waits for the model.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Html, NumberInput, Pagination, Radio, Slider

from ragchunk.strategies import STRATEGIES
from ragchunk.strategies.window import Window
from ragchunk.ui.asking import NO_QUESTION

APP = str(Path(__file__).parents[1] / "app.py")
OPENING_QUESTION = "how big should a chunk be?"
COLUMNS = ("whole", "window", "paragraphs")
WITH_HITS = pytest.mark.model

THAI = "การแบ่งข้อความเป็นส่วนย่อยช่วยให้ค้นหาได้แม่นยำขึ้น " * 4
JAPANESE = "文書は小さな断片に分けられる。検索は断片だけを見る。" * 6


def opened(query: str | None = None) -> AppTest:
    """The page after its first run; with another question than the one it opens with."""
    at = AppTest.from_file(APP, default_timeout=30)
    if query is not None:
        at.query_params["q"] = query
    return run(at)


def cuts_only() -> AppTest:
    """The page without a question: cuts and figures are there at once."""
    return opened("")


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception
    return at


def drawn(place: Block) -> list[str]:
    """The HTML in a part of the page, from top to bottom."""
    return [str(each.value) for each in place.get("html") if isinstance(each, Html)]


def column(at: AppTest, number: int) -> str:
    """The HTML in a column: its head, its hits, and its figures."""
    keys = [[each.key for each in place.selectbox] for place in at.columns]
    place = at.columns[keys.index([f"strategy_{number}"])]
    return "\n".join(drawn(place))


def part(at: AppTest, number: int, sign: str) -> str:
    """The one piece of a column's HTML in which `sign` is found, "" without one."""
    pieces = [
        each for each in re.split(r"\n(?=<div class=\"rc\">)", column(at, number)) if sign in each
    ]
    assert len(pieces) < 2
    return "".join(pieces)


def head(at: AppTest, number: int) -> str:
    """The head of a column, but for the number of the column in its button."""
    return re.sub(r"lost \d", "lost", part(at, number, 'class="figures"'))


def open_menu(at: AppTest, key: str) -> AppTest:
    """Open a menu: what is in it is drawn only then."""
    at.session_state[key] = True
    return run(at)


def more_figures(at: AppTest, number: int) -> str:
    return part(open_menu(at, f"more_{number}"), number, "<table")


def waiting(at: AppTest, number: int) -> str:
    """What stands in the place of the hits."""
    return text(part(at, number, 'class="waiting"'))


def documents(at: AppTest, number: int) -> str:
    """The HTML of a column's chunks of the open document; the last three columns of the page."""
    return "".join(drawn(at.columns[number - 3]))


def text(markup: str) -> str:
    """What a person reads of some HTML, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def seen(at: AppTest) -> str:
    """All that the page says in HTML, styles aside."""
    return text(" ".join(each.value for each in at.html if not each.value.startswith("<style")))


def figure(at: AppTest, number: int, label: str) -> str:
    return text(re.findall(rf"<dt>{label}</dt><dd[^>]*>(.*?)</dd>", head(at, number))[0])


def chunks(at: AppTest) -> list[str]:
    return [figure(at, number, "Chunks") for number in range(3)]


def verdicts(at: AppTest) -> list[str]:
    """The verdict row of each column; columns without one are left out."""
    heads = (head(at, number) for number in range(3))
    return [text(found) for each in heads for found in re.findall(r'"verdict">(.*?)</p>', each)]


def cards(markup: str) -> list[str]:
    """The ids of the chunks that are drawn."""
    return re.findall(r'<article class="card" aria-label="([^"]*)"', markup)


def hits(at: AppTest, number: int) -> list[str]:
    return cards(column(at, number))


def slider(at: AppTest, key: str) -> Slider[int]:
    return next(each for each in at.slider if (each.key or "").startswith(f"{key}_slider"))


def box(at: AppTest, key: str) -> NumberInput:
    return next(each for each in at.number_input if (each.key or "").startswith(f"{key}_box"))


def set_slider(at: AppTest, key: str, value: int) -> AppTest:
    slider(at, key).set_value(value)
    return run(at)


def set_box(at: AppTest, key: str, value: int) -> AppTest:
    box(at, key).set_value(value)
    return run(at)


def handles(at: AppTest, key: str) -> tuple[object, object]:
    """Where the slider and the number box of a setting stand."""
    return slider(at, key).value, box(at, key).value


def set_unit(at: AppTest, unit: str) -> AppTest:
    at.button_group(key="unit").set_value(unit)
    return run(at)


def corpus_choice(at: AppTest) -> Radio[str]:
    """Which documents are open, in the documents menu."""
    return next(each for each in at.radio if each.label == "Open")


def paste(at: AppTest, pasted: str) -> AppTest:
    at.text_area(key="pasted").set_value(pasted)
    return run(at)


def choose(at: AppTest, key: str, value: str) -> AppTest:
    at.selectbox(key=key).set_value(value)
    return run(at)


# How it opens


def test_it_opens_with_sixty_words_overlapping_by_fifteen_and_three_hits():
    at = cuts_only()
    assert at.button_group(key="unit").value == "words"
    assert handles(at, "size_words") == (60, 60)
    assert handles(at, "overlap_words") == (15, 15)
    assert at.number_input(key="k").value == 3
    assert corpus_choice(at).value == "samples"


def test_it_opens_with_the_three_strategies_side_by_side():
    at = cuts_only()
    assert [at.selectbox(key=f"strategy_{number}").value for number in range(3)] == list(COLUMNS)
    assert at.selectbox(key="strategy_0").options == [each.label for each in STRATEGIES.values()]
    whole, *cut = (int(found.replace(",", "")) for found in chunks(at))
    assert all(found > 5 * whole for found in cut)


@WITH_HITS
def test_it_opens_with_the_question_answered_three_ways():
    at = opened()
    assert at.text_input(key="query").value == OPENING_QUESTION
    assert verdicts(at) == [
        "The answer is in rank 1, behind the part the model reads.",
        "The answer is split: ranks 1 and 2 hold a part each.",
        "The answer is whole in one chunk, rank 1.",
    ]
    assert [len(hits(at, number)) for number in range(3)] == [3, 3, 3]
    assert at.selectbox[-1].value == "rag.md", "the document with the answer is open"


@WITH_HITS
def test_the_tokens_of_the_prompt_stand_beside_those_of_the_whole_documents():
    at = opened()
    for number in range(3):
        said = text(head(at, number))
        found = re.search(r"Prompt ([\d,]+) against ([\d,]+) tokens", said)
        assert found, said
        prompt, whole = (int(each.replace(",", "")) for each in found.groups())
        assert prompt == whole if number == 0 else prompt < whole / 3


def test_one_line_for_all_says_that_cosine_is_not_quality():
    assert seen(cuts_only()).count("cosine is not quality") == 1


# Size, overlap and unit


@pytest.mark.parametrize("name", ["size", "overlap"])
def test_slider_and_number_box_move_each_other(name):
    key = f"{name}_words"
    at = cuts_only()
    assert handles(set_slider(at, key, 40), key) == (40, 40)
    assert handles(set_box(at, key, 44), key) == (44, 44)
    assert handles(set_slider(at, key, 43), key) == (43, 43)


def test_a_smaller_size_gives_more_chunks_and_going_back_gives_the_first_ones():
    at = cuts_only()
    before = chunks(at)
    after = chunks(set_slider(at, "size_words", 30))
    assert after[0] == before[0], "size does not apply to whole documents"
    assert int(after[1]) > int(before[1])
    assert int(after[2]) > int(before[2])
    assert chunks(set_box(at, "size_words", 60)) == before


@pytest.mark.parametrize(
    ("unit", "least", "most", "size", "overlap"),
    [
        ("characters", 20, 6_000, 800, 200),
        ("words", 5, 1_000, 60, 15),
        ("tokens", 8, 1_024, None, None),
    ],
)
def test_each_unit_has_its_own_bounds_and_start(unit, least, most, size, overlap):
    at = cuts_only()
    if unit != "words":
        set_unit(at, unit)
    for each in (slider(at, f"size_{unit}"), box(at, f"size_{unit}")):
        assert (each.min, each.max) == (least, most)
    for each in (slider(at, f"overlap_{unit}"), box(at, f"overlap_{unit}")):
        assert (each.min, each.max) == (0, most)
    if size is not None:
        assert handles(at, f"size_{unit}") == (size, size)
        assert handles(at, f"overlap_{unit}") == (overlap, overlap)
    assert "Error" not in seen(at)


@pytest.mark.parametrize("key", ["tab", "unit", "way", "tail", "neighbours", "sliders"])
def test_a_choice_that_comes_back_empty_is_the_one_before(key: str):
    at = open_menu(cuts_only(), "settings_menu")
    before = at.session_state[key]
    at.button_group(key=key).set_value(None)
    run(at)
    assert at.session_state[key] == before
    assert chunks(at) == chunks(cuts_only())


def test_each_unit_keeps_its_own_values():
    at = cuts_only()
    set_box(at, "size_words", 90)
    set_box(at, "overlap_words", 9)
    set_unit(at, "characters")
    set_slider(at, "size_characters", 500)
    set_unit(at, "tokens")
    set_slider(at, "size_tokens", 64)
    set_unit(at, "words")
    assert (handles(at, "size_words"), handles(at, "overlap_words")) == ((90, 90), (9, 9))
    set_unit(at, "characters")
    assert (handles(at, "size_characters"), handles(at, "overlap_characters")) == (
        (500, 500),
        (200, 200),
    )
    set_unit(at, "tokens")
    assert handles(at, "size_tokens") == (64, 64)


@pytest.mark.parametrize("unit", ["characters", "words", "tokens"])
def test_sizes_are_shown_in_the_unit_chosen(unit):
    at = cuts_only()
    if unit != "words":
        set_unit(at, unit)
    for number in range(3):
        assert f"Median size {figure(at, number, 'Median size')} {unit}" in text(head(at, number))


@pytest.mark.parametrize("unit", ["characters", "words", "tokens"])
@pytest.mark.parametrize("end", ["least", "most"])
def test_both_ends_of_each_slider_work(unit, end):
    at = cuts_only()
    if unit != "words":
        set_unit(at, unit)
    ends = slider(at, f"size_{unit}")
    set_box(at, f"overlap_{unit}", 0)
    set_slider(at, f"size_{unit}", int(ends.min if end == "least" else ends.max))
    assert "Error" not in seen(at)
    assert all(int(found.replace(",", "")) > 0 for found in chunks(at))


# Overlap refused


REFUSED = "Overlap 60 must be smaller than size 60"


def test_an_overlap_as_large_as_the_size_is_refused_in_the_words_of_the_error():
    at = set_box(cuts_only(), "overlap_words", 60)
    with pytest.raises(ValueError, match=REFUSED) as refused:
        Window(size=60, overlap=60, unit="words")
    for number in (1, 2):
        assert f"Error {refused.value}" in text(column(at, number))
    assert "Error" not in text(column(at, 0))


def test_a_size_pulled_below_the_overlap_is_refused_too():
    at = set_slider(cuts_only(), "size_words", 10)
    for number in (1, 2):
        assert "Overlap 15 must be smaller than size 10" in text(column(at, number))


@WITH_HITS
def test_whole_documents_keep_their_hits_while_an_overlap_is_refused():
    at = opened()
    before, found = verdicts(at), [hits(at, number) for number in range(3)]
    set_box(at, "overlap_words", 60)
    assert hits(at, 0) == found[0]
    assert verdicts(at) == before[:1]
    for number in (1, 2):
        assert not cards(column(at, number))
    set_box(at, "overlap_words", 15)
    assert [hits(at, number) for number in range(3)] == found
    assert verdicts(at) == before
    assert "Error" not in seen(at)


# Strategies


def test_any_strategy_can_stand_in_any_column():
    at = cuts_only()
    heads = [head(at, number) for number in range(3)]
    choose(at, "strategy_0", "window")
    assert [head(at, number) for number in range(3)] == [heads[1], heads[1], heads[2]]
    choose(at, "strategy_1", "paragraphs")
    choose(at, "strategy_2", "whole")
    assert [head(at, number) for number in range(3)] == [heads[1], heads[2], heads[0]]


def test_size_and_overlap_are_off_and_say_why_when_no_column_uses_them():
    at = cuts_only()
    choose(at, "strategy_1", "whole")
    assert not any(each.disabled for each in at.slider), "one column still cuts to a size"
    choose(at, "strategy_2", "whole")
    assert [each.disabled for each in at.slider] == [True, True]
    assert all(box(at, f"{name}_words").disabled for name in ("size", "overlap"))
    for each in at.slider:
        assert "No column takes these: each is whole" in each.help
    choose(at, "strategy_2", "window")
    assert not any(each.disabled for each in at.slider)
    assert not any(each.help for each in at.slider)
    assert handles(at, "size_words") == (60, 60)


def test_each_column_keeps_more_figures_folded_away():
    at = cuts_only()
    menus = [each.proto.popover.label for each in at.get("popover")]
    assert menus.count("More figures") == 3
    for number in range(3):
        more = text(more_figures(at, number))
        for said in ("characters", "words", "tokens", "min", "max", "rescued", "the model reads"):
            assert said in more


# Questions


def test_an_empty_question_asks_for_one():
    at = cuts_only()
    for number in range(3):
        assert waiting(at, number) == NO_QUESTION == "Type a question to see what comes back."
    assert verdicts(at) in ([], ["", "", ""])


@pytest.mark.parametrize("query", ["   ", "\t"])
def test_a_question_of_spaces_is_an_empty_one(query):
    at = opened(query)
    assert [waiting(at, number) for number in range(3)] == [NO_QUESTION] * 3


@WITH_HITS
def test_clearing_the_question_takes_its_hits_away():
    at = opened()
    at.text_input(key="query").set_value("")
    run(at)
    for number in range(3):
        assert waiting(at, number) == NO_QUESTION
        assert "<strong>" not in documents(at, number), "the answer of the old question is marked"
        assert 'class="rank"' not in documents(at, number)


@WITH_HITS
def test_picking_a_sample_question_fills_in_the_question_and_asks_it():
    at = opened()
    before = hits(at, 2)
    choose(at, "sample_question", "where is the spare key to the boat shed?")
    assert at.text_input(key="query").value == "where is the spare key to the boat shed?"
    assert at.selectbox(key="sample_question").value is None, "ready for another"
    assert hits(at, 2) != before
    assert hits(at, 2)[0] == "note.txt#0"
    assert verdicts(at)[0] == "The answer is whole in one chunk, rank 1."
    assert at.selectbox[-1].value == "note.txt"


@WITH_HITS
def test_a_question_without_a_known_answer_has_no_verdict_row_in_any_column():
    at = opened("do herrings sleep?")
    assert verdicts(at) == []
    assert all(len(hits(at, number)) == 3 for number in range(3))
    assert not any("<strong>" in column(at, number) for number in range(3))


@WITH_HITS
@pytest.mark.parametrize("query", ["???", "👍🏽", "$x^2$ <b>bold</b>", "a" * 5_000])
def test_an_odd_question_breaks_nothing(query):
    at = opened(query)
    assert chunks(at)[0] == "11"
    assert all(hits(at, number) or waiting(at, number) for number in range(3))


@WITH_HITS
@pytest.mark.parametrize("k", [1, 5, 20])
def test_as_many_hits_are_shown_as_asked_for(k):
    at = opened()
    at.number_input(key="k").set_value(k)
    run(at)
    assert [len(hits(at, number)) for number in range(3)] == [min(k, 11), k, k]
    assert f"Top {min(k, 11)} of 11" in text(head(at, 0))


@WITH_HITS
@pytest.mark.parametrize("k", [0, -1, 21])
def test_a_number_of_hits_that_cannot_be_is_told_and_the_last_one_stays(k: int):
    at = opened()
    at.number_input(key="k").set_value(k)
    run(at)
    said = f"Hits: {k} must be a whole number from 1 to 20. Until then it is 3."
    assert any(said in each.value for each in at.html)
    assert len(hits(at, 1)) == 3
    at.number_input(key="k").set_value(4)
    run(at)
    assert len(hits(at, 1)) == 4
    assert not any("Until then" in each.value for each in at.html)


@WITH_HITS
def test_hits_come_in_the_order_of_their_scores():
    at = opened()
    for number in range(3):
        found = column(at, number)
        ranks = re.findall(r'"rank">(\d+)<', found)
        scores = [float(each) for each in re.findall(r'"score">(-?\.\d{3}|1\.000)<', found)]
        assert ranks == ["1", "2", "3"]
        assert len(scores) == 3
        assert scores == sorted(scores, reverse=True)


# Documents


def test_pasted_text_is_opened():
    at = paste(cuts_only(), "One short text.\n\nWith two paragraphs.")
    assert corpus_choice(at).value == "pasted"
    assert chunks(at) == ["1", "1", "1"]
    assert "One short text." in text(documents(at, 0))
    assert at.selectbox(key="sample_question").disabled
    assert "come without questions" in at.selectbox(key="sample_question").help


@WITH_HITS
def test_pasted_text_is_searched():
    at = paste(opened("what do herrings do?"), "Herrings sing.\n\n" + "Boats float on water. " * 30)
    assert hits(at, 2)[0] == "pasted.txt#0"


def test_the_samples_come_back_after_pasting():
    at = cuts_only()
    before = chunks(at)
    paste(at, "Something else.")
    corpus_choice(at).set_value("samples")
    assert chunks(run(at)) == before
    corpus_choice(at).set_value("pasted")
    assert chunks(run(at)) == ["1", "1", "1"], "pasted text is lost"


@pytest.mark.parametrize("left", ["", "  \n\n \t"])
def test_clearing_the_pasted_text_says_that_nothing_is_loaded(left):
    at = paste(paste(cuts_only(), "Some text."), left)
    said = "Note Nothing loaded. Choose the sample documents, paste text or drop files."
    assert said in seen(at)
    corpus_choice(at).set_value("samples")
    assert chunks(run(at))[0] == "11"


def test_choosing_files_before_there_are_any_says_that_nothing_is_loaded():
    at = cuts_only()
    corpus_choice(at).set_value("files")
    assert "Nothing loaded." in seen(run(at))


def upload(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    at.file_uploader(key="upload_True").set_value([(*each, "text/plain") for each in files])
    return run(at)


def test_uploaded_files_are_opened_and_stay_when_a_slider_moves():
    at = upload(cuts_only(), ("a.txt", b"Apples.\n\nPears."), ("b.md", b"# Plums"))
    assert chunks(at)[0] == "2"
    assert at.selectbox[-1].options == ["a.txt", "b.md"]
    set_slider(at, "size_words", 20)
    assert at.selectbox[-1].options == ["a.txt", "b.md"]
    assert "Apples." in text(documents(at, 0))


def test_what_cannot_be_read_is_named_and_the_rest_is_loaded():
    at = upload(
        cuts_only(),
        ("good.txt", b"Good."),
        ("empty.txt", b""),
        ("picture.md", b"\x89PNG\r\n\x1a\n\0"),
    )
    assert at.selectbox[-1].options == ["good.txt"]
    said = seen(at)
    assert "empty.txt holds no text that can be read. 1 other file is loaded." in said
    assert "picture.md looks like a binary file" in said


def test_files_without_any_text_lose_nothing_else():
    at = upload(cuts_only(), ("empty.txt", b""))
    assert "empty.txt holds no text that can be read." in seen(at)
    corpus_choice(at).set_value("samples")
    assert chunks(run(at))[0] == "11"


def test_two_files_of_one_name_are_both_loaded():
    at = upload(cuts_only(), ("notes.md", b"one"), ("notes.md", b"two"))
    assert at.selectbox[-1].options == ["notes.md", "notes (2).md"]


def test_what_was_repaired_on_reading_is_said():
    at = upload(
        cuts_only(), ("old.txt", "“quoted” café".encode("cp1252")), ("bom.md", b"\xef\xbb\xbfx")
    )
    assert "Read as Windows-1252" in seen(at)
    assert "A byte order mark was removed." in seen(at)
    assert "“quoted” café" in text(documents(at, 0))


@pytest.mark.parametrize("written", [THAI, JAPANESE], ids=["Thai", "Japanese"])
def test_words_of_a_script_without_spaces_get_a_note_that_offers_characters(written):
    at = paste(cuts_only(), written)
    assert "written without spaces" in seen(at)
    assert "Characters cut it evenly." in seen(at)
    assert "written without spaces" not in seen(set_unit(at, "characters"))


def test_the_samples_get_no_note_about_words():
    assert "written without spaces" not in seen(cuts_only())


def test_the_chunks_of_a_document_come_in_pages_in_their_order():
    at = cuts_only()
    choose(at, "document", "deployment.md")
    first = cards(documents(at, 1))
    assert first == [f"deployment.md#{number}" for number in range(6)]
    assert "Chunks 1 to 6 of " in text(documents(at, 1))
    turn(at, 2)
    assert cards(documents(at, 1)) == [f"deployment.md#{number}" for number in range(6, 12)]
    assert cards(documents(at, 2))[0] == "deployment.md#0", "each column turns its own pages"
    turn(at, pages(at).num_pages)
    total = int(re.findall(r" of (\d+)", text(documents(at, 1)))[0])
    assert cards(documents(at, 1))[-1] == f"deployment.md#{total - 1}"


def pages(at: AppTest) -> Pagination:
    """The pages of the second column."""
    return next(each for each in at.pagination if (each.key or "").startswith("page_1_"))


def turn(at: AppTest, page: int) -> AppTest:
    pages(at).set_value(page)
    return run(at)


# Settings


def set_setting(at: AppTest, key: str, value: str) -> AppTest:
    open_menu(at, "settings_menu")
    at.button_group(key=key).set_value(value)
    return run(at)


def test_an_unknown_model_is_named_and_chunks_and_figures_stay():
    at = open_menu(cuts_only(), "settings_menu")
    before = chunks(at)
    at.text_input(key="query").set_value(OPENING_QUESTION)
    at.text_input(key="model").set_value("no-such-model")
    run(at)
    assert 'Error Model "no-such-model" was not found' in seen(at)
    assert "Chunks and figures still work." in seen(at)
    assert chunks(at) == before
    assert all(cards(documents(at, number)) for number in range(3))
    assert all(waiting(at, number) for number in range(3))


@pytest.mark.parametrize("name", ["../..", "<b>x</b>", "a b c", "/", "x" * 3_000, "\0"])
def test_a_name_that_is_no_model_is_only_a_message(name):
    at = open_menu(cuts_only(), "settings_menu")
    at.text_input(key="model").set_value(name)
    run(at)
    assert "Chunks and figures still work." in seen(at)
    assert chunks(at)[0] == "11"


@WITH_HITS
def test_the_model_can_be_mended():
    at = open_menu(opened(), "settings_menu")
    before = [hits(at, number) for number in range(3)]
    at.text_input(key="model").set_value("no-such-model")
    assert not hits(run(at), 0)
    at.text_input(key="model").set_value("")
    assert [hits(run(at), number) for number in range(3)] == before


def test_averaged_vectors_leave_nothing_behind_the_limit():
    at = cuts_only()
    choose(at, "document", "rag.md")
    assert re.search(r"the model reads 254 of \d+ tokens, to here", text(documents(at, 0)))
    assert 'class="blind"' in documents(at, 0)
    set_setting(at, "way", "averaged")
    assert "to here" not in text(documents(at, 0))
    assert 'class="blind"' not in documents(at, 0)


@WITH_HITS
def test_averaged_vectors_change_the_score_of_a_long_document():
    at = opened()
    before = column(at, 0)
    set_setting(at, "way", "averaged")
    assert column(at, 0) != before
    assert "behind the part the model reads" not in verdicts(at)[0]


# Thirteen words: one window of ten, and three left over.
LEFT_OVER = " ".join(f"word{number}" for number in range(13))


def test_a_short_last_chunk_is_kept_merged_or_dropped():
    at = paste(cuts_only(), LEFT_OVER)
    set_box(at, "overlap_words", 0)
    set_box(at, "size_words", 10)
    assert figure(at, 1, "Chunks") == "2"
    set_setting(at, "tail", "merge")
    at.number_input(key="min_size").set_value(5)
    run(at)
    assert figure(at, 1, "Chunks") == "1"
    assert "short tail merged" in text(documents(at, 1))
    assert "word12" in text(documents(at, 1))
    set_setting(at, "tail", "drop")
    assert figure(at, 1, "Chunks") == "1"
    assert "word12" not in text(documents(at, 1))
    assert re.search(r"\d+ characters dropped with short last chunks", text(more_figures(at, 1)))
    set_setting(at, "tail", "keep")
    assert figure(at, 1, "Chunks") == "2"


def test_what_is_short_can_only_be_set_where_it_applies():
    at = open_menu(cuts_only(), "settings_menu")
    assert at.number_input(key="min_size").disabled
    assert "merge and drop" in at.number_input(key="min_size").help
    set_setting(at, "tail", "merge")
    assert not at.number_input(key="min_size").disabled


# What documents may not do


def test_a_document_cannot_write_html():
    hostile = "<script>alert(1)</script> <img src=x onerror=alert(1)> & costs $5 or $6_x"
    at = paste(cuts_only(), hostile)
    drawn = documents(at, 0)
    assert "<script" not in drawn
    assert "<img" not in drawn
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in drawn
    assert hostile in html.unescape(drawn)


def test_a_file_name_cannot_write_html():
    name = "<img src=x onerror=alert(1)>.md"
    at = upload(cuts_only(), (name, b"Text."), ("<b>.txt", b""))
    assert not any("<img" in each.value or "<b>.txt" in each.value for each in at.html)
    assert name in seen(at).replace("&lt;", "<").replace("&gt;", ">")
    assert at.selectbox[-1].options == [name]
