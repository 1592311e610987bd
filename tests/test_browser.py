"""The page as a person meets it: seen, clicked, typed into, in a headless Chromium."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser import PATIENCE, Screen, box_of, playwright, ratio, required

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.conftest import OpenPage

expect = playwright().expect
expect.set_options(timeout=PATIENCE)

pytestmark = pytest.mark.browser

SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
WHOLE, WINDOW, PARAGRAPHS = range(3)

HOSTILE_NAME = "<img src=x onerror=alert(1)>.md"
HASH = "0123456789abcdef" * 19
HOSTILE = "\n\n".join(
    [
        "<script>window.hacked = 1; alert(1)</script>",
        '<img src=x onerror="alert(1)"> <svg onload=alert(1)> <style>* { display: none }</style>',
        "costs $5 or $6_x, $$\\frac{1}{2}$$, email:example@host :word: :smile: :red[red]",
        "# x",
        "- *y* **z** `code` [link](javascript:alert(1)) &amp; &lt; </div></article>",
        "👨‍👩‍👧‍👦 🇩🇪 👍🏽 e\u0301",
        HASH,
        "שלום עולם, مرحبا بالعالم",
        "before\0after",
    ]
)
# HTML has no NUL: its picture stands for it.
DRAWN = HOSTILE.replace("\0", "␀")


# At first sight


def test_the_start_of_the_first_hit_of_every_column_is_seen_without_scrolling(open_page: OpenPage):
    screen = open_page(1280, 720)
    for number in range(3):
        first = screen.column(number).locator(".card .chunk").first
        seen = first.evaluate(
            """chunk => {
                const text = document.createTreeWalker(chunk, NodeFilter.SHOW_TEXT).nextNode();
                const range = document.createRange();
                range.setStart(text, 0);
                range.setEnd(text, 10);
                const box = range.getClientRects()[0];
                const at = document.elementFromPoint(box.x + 2, box.y + box.height / 2);
                return {top: box.top, bottom: box.bottom, height: innerHeight,
                        uncovered: chunk.contains(at)};
            }"""
        )
        assert 0 < seen["top"] < seen["bottom"] <= seen["height"] == 720, number
        assert seen["uncovered"], number
    assert screen.page.evaluate("document.querySelector('main').scrollTop") == 0
    assert screen.scrolls_sideways() == []


def test_figures_and_verdicts_stand_at_the_same_height_in_all_columns(open_page: OpenPage):
    screen = open_page(1280, 720)
    for part in (".figures", ".verdict", ".prompt", ".card header"):
        boxes = [box_of(screen.column(n).locator(part).first) for n in range(3)]
        assert len({round(box["y"]) for box in boxes}) == 1, part


def test_nothing_is_fetched_from_another_host(open_page: OpenPage):
    screen = open_page()
    screen.upload(("a.md", b"# A\n\n![picture](https://example.com/a.png) https://example.com"))
    for key in ("corpus_menu", "settings_menu", "more_1"):
        screen.open_menu(key)
        screen.close_menu()
    screen.ask("what is a picture?")
    screen.await_hits()
    screen.settle()
    parts = [urlsplit(each) for each in screen.requested]
    assert {each.scheme for each in parts} <= {"http", "ws", "data", "blob"}
    hosts = {each.hostname for each in parts if each.scheme in ("http", "ws")}
    assert hosts == {"127.0.0.1"}


# Controls


def test_the_slider_moves_by_key_and_takes_the_number_box_and_the_figures_along(
    open_page: OpenPage,
):
    screen = open_page()
    figure = screen.figure(WINDOW, "Chunks")
    before = figure.inner_text()
    screen.field("size_words_slider").press("ArrowLeft")
    expect(screen.field("size_words_box")).to_have_value("59")
    expect(figure).not_to_have_text(before)
    expect(screen.column(WINDOW).locator(".what")).to_contain_text("44 words")
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("11")
    screen.field("size_words_slider").press("ArrowRight")
    expect(screen.field("size_words_box")).to_have_value("60")
    expect(figure).to_have_text(before)


def test_many_quick_moves_end_where_the_last_one_went(open_page: OpenPage):
    screen = open_page()
    slider = screen.field("size_words_slider")
    slider.focus()
    for _ in range(12):
        screen.page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("72")
    expect(screen.field("size_words_box")).to_have_value("72")
    expect(screen.column(WINDOW).locator(".what")).to_contain_text("57 words")
    screen.settle()
    screen.await_hits()
    expect(slider).to_have_value("72")
    expect(screen.field("size_words_box")).to_have_value("72")


def test_an_overlap_that_is_too_large_is_refused_in_its_columns_and_can_be_mended(
    open_page: OpenPage,
):
    screen = open_page()
    screen.type_into("overlap_words_box", 60)
    for number in (WINDOW, PARAGRAPHS):
        note = screen.column(number).locator(".note")
        expect(note).to_contain_text("Overlap 60 must be smaller than size 60")
        expect(screen.column(number).locator(".card")).to_have_count(0)
        expect(screen.document(number).locator(".card")).to_have_count(0)
    expect(screen.column(WHOLE).locator(".card")).to_have_count(3)
    expect(screen.column(WHOLE).locator(".note")).to_have_count(0)
    screen.type_into("overlap_words_box", 15)
    for number in (WINDOW, PARAGRAPHS):
        expect(screen.column(number).locator(".card")).to_have_count(3)
    expect(screen.notes()).to_have_count(0)
    expect(screen.field("overlap_words_slider")).to_have_value("15")


def test_each_unit_keeps_its_own_size(open_page: OpenPage):
    screen = open_page()
    screen.type_into("size_words_box", 90)
    expect(screen.column(WINDOW).locator(".what")).to_contain_text("75 words")
    unit = screen.page.locator(".st-key-unit")
    unit.get_by_text("characters").click()
    expect(screen.field("size_characters_box")).to_have_value("800")
    expect(screen.field("size_characters_slider")).to_have_value("800")
    expect(screen.column(WINDOW).locator(".what")).to_contain_text("600 characters")
    unit.get_by_text("words").click()
    expect(screen.field("size_words_box")).to_have_value("90")
    expect(screen.field("size_words_slider")).to_have_value("90")


def test_controls_without_effect_are_off_and_say_why(open_page: OpenPage):
    screen = open_page()
    for number in (1, 2):
        field = screen.field(f"strategy_{number}")
        field.click()
        screen.page.get_by_role("option", name="Whole document").click()
        expect(field).to_have_value("Whole document")
    for key in ("size_words_slider", "size_words_box", "overlap_words_slider", "overlap_words_box"):
        expect(screen.field(key)).to_be_disabled()
        expect(screen.field(key)).to_have_accessible_description(re.compile("^No column takes "))
    expect(screen.page.get_by_text("No column takes these").first).to_be_visible()


# Questions


def test_hits_follow_the_question_while_it_is_typed(open_page: OpenPage):
    screen = open_page()
    screen.field("query").click()
    screen.page.keyboard.press("Control+a")
    screen.page.keyboard.type("how do I set environment variables?", delay=15)
    for number in (WINDOW, PARAGRAPHS):  # of the whole document the model reads too little
        expect(screen.column(number).locator(".card .id").first).to_contain_text("deployment.md#")
    expect(screen.field("query")).to_have_value("how do I set environment variables?")
    assert screen.focused() == "query", "the cursor left the question"


def test_without_a_question_the_page_asks_for_one(open_page: OpenPage):
    screen = open_page()
    screen.ask("")
    for number in range(3):
        expect(screen.column(number)).to_contain_text("Type a question to see what comes back.")
        expect(screen.column(number).locator(".card")).to_have_count(0)
    expect(screen.page.locator(".rank")).to_have_count(0)


def test_a_sample_question_is_picked_by_keyboard(open_page: OpenPage):
    screen = open_page()
    screen.field("sample_question").focus()
    screen.page.keyboard.type("boat shed")
    expect(screen.page.get_by_role("option")).to_have_count(1)
    screen.page.keyboard.press("ArrowDown")
    screen.page.keyboard.press("Enter")
    expect(screen.field("query")).to_have_value("where is the spare key to the boat shed?")
    for number in range(3):
        expect(screen.column(number).locator(".card .id").first).to_have_text("note.txt#0")
        expect(screen.column(number).locator(".verdict")).to_have_text(
            "The answer is whole in one chunk, rank 1."
        )


# Documents


def test_a_hostile_document_is_shown_as_text_and_runs_nothing(open_page: OpenPage):
    screen = open_page()
    screen.upload(
        ("good.txt", b"Zebras graze."), (HOSTILE_NAME, HOSTILE.encode()), ("more.md", b"More.")
    )
    screen.ask("a script that calls alert(1), and an img with onerror")
    card = screen.column(WHOLE).locator(".card").first  # the first hit is not folded
    expect(card.locator(".id")).to_have_text(f"{HOSTILE_NAME}#0")
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("3")
    seen = card.locator(".chunk").inner_text()
    for line in DRAWN.split("\n\n"):
        assert line in seen
    screen.settle()
    assert screen.page.evaluate("window.hacked") is None
    assert screen.page.locator("img[src=x], svg[onload], a[href^=javascript]").count() == 0
    assert screen.page.locator("script", has_text="window.hacked").count() == 0
    assert screen.page.locator(".rc .katex, .rc h1, .rc em, .rc code, .rc li").count() == 0
    assert screen.scrolls_sideways() == []
    assert screen.dialogs == []


def test_every_character_of_a_document_is_drawn(open_page: OpenPage):
    screen = open_page()
    screen.upload((HOSTILE_NAME, HOSTILE.encode()))
    chunk = screen.document(WHOLE).locator(".chunk").first
    expect(chunk).to_contain_text("window.hacked")
    drawn = chunk.evaluate(
        """chunk => {
            const copy = chunk.cloneNode(true);
            copy.querySelectorAll('summary, small, .limit').forEach(each => each.remove());
            return copy.textContent;
        }"""
    )
    assert drawn == DRAWN


def test_a_hostile_name_is_shown_in_full_wherever_it_stands(open_page: OpenPage):
    screen = open_page()
    screen.upload((HOSTILE_NAME, b"Text."), (f"2{HOSTILE_NAME}", b"\x89PNG\r\n\x1a\n\0"))
    expect(screen.notes().first).to_contain_text(f"2{HOSTILE_NAME} looks like a binary file")
    screen.ask("what text?")
    expect(screen.column(WHOLE).locator(".card .id").first).to_have_text(f"{HOSTILE_NAME}#0")
    expect(screen.page.get_by_label("All chunks of")).to_have_value(HOSTILE_NAME)
    expect(screen.open_menu("corpus_menu").locator(".id")).to_have_text(HOSTILE_NAME)
    assert screen.page.locator("img[src=x]").count() == 0
    assert screen.dialogs == []


def test_an_uploaded_file_is_still_there_after_a_slider_moves(open_page: OpenPage):
    screen = open_page()
    screen.upload(("long.txt", b"Every boat has a name. " * 60), ("short.txt", b"Short."))
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("2")
    before = screen.figure(WINDOW, "Chunks").inner_text()
    screen.field("size_words_slider").press("ArrowLeft")
    # The box follows by being drawn anew: what is typed before that goes into the old one.
    expect(screen.field("size_words_box")).to_have_value("59")
    screen.type_into("size_words_box", 20)
    expect(screen.figure(WINDOW, "Chunks")).not_to_have_text(before)
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("2")
    expect(screen.document(WINDOW).locator(".chunk").first).to_contain_text(
        "Every boat has a name."
    )
    expect(screen.notes()).to_have_count(0)


def test_files_that_cannot_be_read_are_named_and_the_good_one_is_loaded(open_page: OpenPage):
    screen = open_page()
    screen.upload(
        ("binary.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        ("empty.txt", b""),
        ("large.txt", b"far too much " * 1_600_000),
        ("good.txt", b"A good file."),
    )
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("1")
    expect(screen.document(WHOLE).locator(".chunk")).to_contain_text("A good file.")
    notes = "\n".join(screen.notes().all_inner_texts())
    assert "binary.md looks like a binary file" in notes
    assert "empty.txt holds no text that can be read. 1 other file is loaded." in notes
    assert "large.txt has 20,800,000 bytes, more than the 20,000,000 that are read." in notes


def test_two_files_of_one_name_are_both_loaded(open_page: OpenPage):
    screen = open_page()
    screen.upload(("notes.md", b"The first."), ("notes.md", b"The second."))
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("2")
    screen.ask("which is first?")
    expect(screen.column(WHOLE).locator(".card")).to_have_count(2)
    assert sorted(screen.ids(WHOLE)) == ["notes (2).md#0", "notes.md#0"]


def test_pasted_text_is_opened_and_clearing_it_says_that_nothing_is_loaded(open_page: OpenPage):
    screen = open_page()
    area = screen.open_menu("corpus_menu").get_by_label("Paste text")
    area.fill("Pasted by hand.")
    area.press("Control+Enter")
    expect(screen.document(WHOLE).locator(".chunk")).to_have_text("Pasted by hand.")
    area.fill("")
    area.press("Control+Enter")
    expect(screen.notes()).to_have_text(
        "Note Nothing loaded. Choose the sample documents, paste text or drop files."
    )


# What is drawn in the chunks


def test_shared_text_is_labelled_in_both_neighbours(open_page: OpenPage):
    screen = open_page()
    cards = screen.document(WINDOW).locator(".card")
    for number in range(3):
        shared = rf"shared by #{number} and #{number + 1}, (\d+) characters"
        texts = []
        for card in (cards.nth(number), cards.nth(number + 1)):
            marks = card.locator(".shared").all()
            found = [
                mark for mark in marks if re.fullmatch(shared, mark.get_attribute("title") or "")
            ]
            assert found, f"#{number} and #{number + 1}"
            for mark in found:
                assert mark.get_attribute("aria-label") == mark.get_attribute("title")
            texts.append("".join(mark.text_content() or "" for mark in found))
        assert texts[0] == texts[1]
        label = re.fullmatch(shared, found[0].get_attribute("title") or "")
        assert label
        assert len(texts[0]) == int(label[1])


def test_shared_text_is_striped_and_underlined_and_not_only_coloured(open_page: OpenPage):
    mark = open_page().column(WINDOW).locator(".shared").first
    style = mark.evaluate(
        "e => [getComputedStyle(e).backgroundImage, getComputedStyle(e).textDecoration]"
    )
    assert "gradient" in style[0]
    assert "underline" in style[1]


def test_the_part_the_model_does_not_read_is_hatched_and_counted(open_page: OpenPage):
    card = open_page().column(WHOLE).locator(".card").first
    label = card.locator(".limit")
    expect(label).to_have_text(re.compile(r"^the model reads 254 of \d[\d,]* tokens, to here$"))
    blind = card.locator(".blind")
    assert "gradient" in blind.evaluate("e => getComputedStyle(e).backgroundImage")
    assert box_of(blind)["y"] > box_of(label)["y"]


def test_a_folded_chunk_opens_by_keyboard(open_page: OpenPage):
    screen = open_page()
    fold = screen.column(WINDOW).locator("details.fold").first
    inside = fold.evaluate("e => e.lastChild.textContent.trim().slice(0, 20)")
    chunk = fold.locator("xpath=ancestor::*[contains(@class, 'chunk')]")
    assert inside not in chunk.inner_text()
    fold.locator("summary").focus()
    screen.page.keyboard.press("Enter")
    expect(fold).to_have_attribute("open", "")
    assert inside in chunk.inner_text()
    screen.page.keyboard.press("Enter")
    expect(fold).not_to_have_attribute("open", "")


def test_the_chunks_of_a_document_are_turned_page_by_page(open_page: OpenPage):
    screen = open_page()
    place = screen.document(WINDOW)
    ids = place.locator(".card .id")
    expect(ids.first).to_have_text("rag.md#0")
    expect(ids).to_have_count(6)
    place.get_by_role("button", name="Next page").click()
    expect(place).to_contain_text("Chunks 7 to 12 of ")
    expect(ids.first).to_have_text("rag.md#6")
    expect(screen.document(PARAGRAPHS).locator(".card .id").first).to_have_text("rag.md#0")


def test_more_figures_open_in_their_own_column(open_page: OpenPage):
    screen = open_page()
    menu = screen.open_menu("more_1")
    expect(menu.locator("table")).to_be_visible()
    expect(menu).to_contain_text("Overlap asked 15 words")
    assert screen.scrolls_sideways() == []


# Light and dark

ON_THE_PAGE = {
    "chunk": ".card .chunk.even",
    "other chunk": ".card .chunk.odd",
    "shared text": ".card .shared",
    "figure": ".figures .value",
    "small print": ".prompt span",
    "verdict": ".verdict",
    "description": ".what",
    "label": ".figures dt",
    "under a figure": ".figures .under",
    "score": ".score",
    "id": ".card .id",
    "limit": ".limit",
    "not read": ".blind > span",
    "fold": ".fold summary",
    "foot of a card": ".card > .small",
    "key": ".key",
}
IN_A_MENU = {
    "column head": "th[scope=col]",
    "row head": "th[scope=row]",
    "number": "td",
    "line": "p",
}


def hard_to_read(screen: Screen, place: Locator, signs: dict[str, str]) -> dict[str, float]:
    """What in a place has less contrast than the 4.5 that small text needs."""
    found = {name: screen.contrast(place.locator(sign).first) for name, sign in signs.items()}
    return {name: round(each, 2) for name, each in found.items() if each < 4.5}


def assert_readable(screen: Screen, dark: bool) -> None:
    app = screen.page.get_by_test_id("stApp")
    expect(app).to_have_css("color-scheme", "dark" if dark else "light")
    assert hard_to_read(screen, app, ON_THE_PAGE) == {}
    paper = screen.contrast(app)
    assert paper > 4.5, "Streamlit's own text"


@SCHEMES
def test_text_can_be_read_in_the_light_and_in_the_dark(open_page: OpenPage, scheme: str):
    assert_readable(open_page(scheme=scheme), dark=scheme == "dark")


@SCHEMES
def test_text_can_be_read_in_a_theme_that_is_not_the_systems(open_page: OpenPage, scheme: str):
    screen = open_page(scheme=scheme)
    other = "Light" if scheme == "dark" else "Dark"
    screen.page.get_by_role("button", name="Main menu").click()
    screen.page.get_by_test_id(f"stMainMenuItem-theme-{other}").click()
    screen.page.keyboard.press("Escape")
    assert_readable(screen, dark=other == "Dark")


@SCHEMES
def test_text_can_be_read_in_the_menus_too(open_page: OpenPage, scheme: str):
    screen = open_page(scheme=scheme)
    menu = screen.open_menu("more_1")
    assert hard_to_read(screen, menu, IN_A_MENU) == {}
    screen.close_menu()
    menu = screen.open_menu("corpus_menu")
    assert hard_to_read(screen, menu.locator(".rc"), {"file": ".id", "its size": "p"}) == {}


def test_contrast_is_computed_as_wcag_does():
    assert ratio((0, 0, 0, 1), (255, 255, 255, 1)) == pytest.approx(21)
    assert ratio((0x77, 0x77, 0x77, 1), (255, 255, 255, 1)) == pytest.approx(4.48, abs=0.01)


# On a phone, and by keyboard


@SCHEMES
def test_on_a_phone_the_columns_stack_and_nothing_is_too_wide(open_page: OpenPage, scheme: str):
    screen = open_page(390, 844, scheme)
    assert screen.scrolls_sideways() == []
    for places in (screen.column, screen.document):
        boxes = [box_of(places(number)) for number in range(3)]
        assert len({round(box["x"]) for box in boxes}) == 1
        for above, below in pairwise(boxes):
            assert above["y"] + above["height"] <= below["y"] + 1
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    for key in ("query", "size_words_box", "overlap_words_box", "k"):
        box = box_of(screen.field(key))
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    unit = box_of(screen.page.locator(".st-key-unit button").last)
    assert unit["x"] + unit["width"] <= 390
    assert box_of(screen.column(WHOLE).locator(".verdict"))["y"] < 844


def test_on_a_phone_a_hostile_document_is_not_too_wide(open_page: OpenPage):
    screen = open_page(390, 844)
    screen.upload((HOSTILE_NAME, HOSTILE.encode()))
    expect(screen.document(WHOLE).locator(".chunk").first).to_contain_text("window.hacked")
    assert screen.scrolls_sideways() == []


def test_tab_reaches_every_control_in_the_order_of_the_page(open_page: OpenPage):
    screen = open_page()
    reached = []
    for _ in range(90):
        screen.page.keyboard.press("Tab")
        reached.append(screen.focused())
        if reached[-1] == "document":
            break
    wanted = [
        "corpus_menu",
        "settings_menu",
        "query",
        "sample_question",
        "size_words_slider",
        "size_words_box",
        "overlap_words_slider",
        "overlap_words_box",
        "unit",
        "k",
        "strategy_0",
        "more_0",
        "strategy_1",
        "more_1",
        "strategy_2",
        "more_2",
        "document",
    ]
    assert [key for key in dict.fromkeys(reached) if key in wanted] == wanted
    assert "columns" in reached, "folds of chunks are reached too"


@SCHEMES
def test_what_has_the_focus_looks_different(open_page: OpenPage, scheme: str):
    screen = open_page(scheme=scheme)
    screen.page.keyboard.press("Tab")  # from here on the browser shows the focus
    same = []
    for key in (
        "corpus_menu",
        "query",
        "sample_question",
        "size_words_slider",
        "size_words_box",
        "unit",
        "k",
        "strategy_0",
        "more_0",
    ):
        place = screen.page.locator(f".st-key-{key.replace('_box', '_slider')}").first
        inside = place.locator("input, button, summary").first
        target = screen.field(key) if "_words_" in key else inside
        target.focus()
        assert screen.focused() == key
        focused = place.screenshot(animations="disabled")  # without the blinking cursor
        screen.page.keyboard.press("Shift+Tab")
        if place.screenshot(animations="disabled") == focused:
            same.append(key)
    assert same == []


@SCHEMES
def test_axe_finds_nothing_serious_on_the_page_and_in_its_menus(open_page: OpenPage, scheme: str):
    if required():
        from axe_playwright_python import sync_playwright as axe
    else:
        axe = pytest.importorskip(
            "axe_playwright_python.sync_playwright",
            reason="the axe test needs axe-playwright-python: requirements-dev.txt",
        )
    screen = open_page(scheme=scheme)
    found = axe.Axe().run(screen.page).response["violations"]
    for key in ("corpus_menu", "settings_menu", "more_1"):
        screen.open_menu(key)
        found += axe.Axe().run(screen.page).response["violations"]
        screen.close_menu()
    serious = [
        f"{each['impact']} {each['id']}: {each['help']}: {node['html'][:120]}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
    assert serious == []
