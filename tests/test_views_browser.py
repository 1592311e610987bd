"""Document, prompt, lessons, columns of their own, links and downloads, in a headless Chromium."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from ragchunk.state import PageState, to_params
from tests.browser import FIRST_HITS, PATIENCE, Screen, box_of, playwright, required, without_errors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

expect = playwright().expect
expect.set_options(timeout=PATIENCE)

pytestmark = pytest.mark.browser

SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
TABS = ["compare", "document", "measure", "prompt", "lessons"]
ENVIRONMENT = "how do I set environment variables?"
WHOLE, WINDOW, PARAGRAPHS = range(3)

HOSTILE_NAME = "<img src=x onerror=alert(1)>.md"
HOSTILE = "\n\n".join(
    [
        "<script>window.hacked = 1; alert(1)</script>",
        '<img src=x onerror="alert(1)"> <svg onload=alert(1)> <style>* { display: none }</style>',
        "costs $5 or $6_x, $$\\frac{1}{2}$$, email:example@host :smile: :red[red]",
        "# x",
        "- *y* **z** `code` [link](javascript:alert(1)) &amp; &lt; </div></section></article>",
        "👨‍👩‍👧‍👦 🇩🇪 👍🏽 e\u0301 שלום עולם",
        "0123456789abcdef" * 19,
        "before\0after ~~~~ [rag.md#3]",
    ]
)


class View(Screen):
    """The app at any address: what it waits for is there on every view."""

    def await_hits(self) -> None:
        self.page.locator(".wordmark").wait_for()
        self.page.locator(".st-key-tab button").first.wait_for(state="attached")
        self.ranked()

    def await_controls(self) -> None:
        self.page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
        self.settle()

    def ranked(self) -> None:
        """Wait until no column waits for the model."""
        self.settle()
        self.page.wait_for_function(
            """() => ![...document.querySelectorAll('.waiting')].some(
                each => /^(Chunks are ready|Embedding|Reading the)/.test(each.textContent))""",
            timeout=FIRST_HITS,
        )

    def go_to(self, tab: str) -> None:
        """Open a view by its button."""
        button = self.page.locator(".st-key-tab").get_by_text(tab.capitalize(), exact=True)
        button.click()
        self.page.locator(SIGN_OF[tab]).first.wait_for()
        self.ranked()

    def params(self) -> dict[str, list[str]]:
        """What the address says."""
        return parse_qs(urlsplit(self.page.url).query, keep_blank_values=True)

    def in_view(self, place: Locator) -> bool:
        """Whether an element stands within the window."""
        return place.evaluate(
            """e => { const box = e.getBoundingClientRect();
                      return box.top >= 0 && box.bottom <= innerHeight; }"""
        )

    def paste(self, text: str) -> None:
        area = self.open_menu("corpus_menu").get_by_label("Paste text")
        area.fill(text)
        area.press("Control+Enter")


SIGN_OF = {
    "compare": ".figures",
    "document": ".doc .row .text",
    "prompt": ".st-key-prompt_of button",
    "measure": ".st-key-measure_head",
    "lessons": ".lesson h2",
}

OpenView = Callable[..., View]


@pytest.fixture
def open_view(chromium: Browser, server: str) -> Iterator[OpenView]:
    """Opens the app at an address, as `tab="document"`; asks it to have no errors."""
    views: list[View] = []

    def opener(
        width: int = 1280, height: int = 720, scheme: str = "light", **params: str | list[str]
    ) -> View:
        query = urlencode(params, doseq=True)
        view = View(chromium, f"{server}?{query}", width, height, scheme)
        views.append(view)
        return view

    with without_errors(views):
        yield opener


def text_of(view: View, key: str) -> Locator:
    """The pieces of text of a chunk, `lane-index`, in the document view."""
    return view.page.locator(f'.run[data-c~="{key}"]')


def bars_of(view: View, key: str) -> Locator:
    return view.page.locator(f'.ext[data-c="{key}"]')


def rings(place: Locator) -> list[bool]:
    """Of each element, whether a line is drawn around it: a shadow or outline in a colour."""
    return place.evaluate_all(
        """all => all.map(e => {
            const style = getComputedStyle(e);
            const drawn = colour => !/rgba\\([^)]*, 0\\)|transparent/.test(colour);
            const shadow = style.boxShadow !== 'none' && drawn(style.boxShadow);
            return shadow || (style.outlineStyle !== 'none' && drawn(style.outlineColor));
        })"""
    )


def backgrounds(place: Locator) -> list[str]:
    return place.evaluate_all("all => all.map(e => getComputedStyle(e).backgroundColor)")


# Links


@pytest.mark.parametrize("tab", TABS)
def test_an_address_opens_its_view_and_says_it_all(open_view: OpenView, tab: str):
    wanted = to_params(
        PageState(tab=tab, query=ENVIRONMENT, k=4, document="maps.md", corpus="samples")
    )
    more = {"lesson": ["3"]} if tab == "lessons" else {}
    view = open_view(**wanted, **more)
    view.page.locator(SIGN_OF[tab]).first.wait_for()
    filled = {name: values for name, values in wanted.items() if values}
    assert view.params() == {**filled, **more}
    expect(view.page.locator(".note")).to_have_count(0)
    if tab == "document":
        expect(view.field("document")).to_have_value("maps.md")
        expect(view.page.locator(".rail .entry .id").first).to_contain_text("deployment.md") if (
            view.page.locator(".rail .entry .id").count()
        ) else None
    if tab == "lessons":
        expect(view.page.locator(".st-key-lesson_number button")).to_have_count(6)
        chosen = view.page.locator(".st-key-lesson_number button[aria-checked=true]")
        expect(chosen).to_contain_text("3 ")
    view.page.reload()
    view.page.locator(SIGN_OF[tab]).first.wait_for()
    view.settle()
    assert view.params() == {**filled, **more}


def test_a_copied_address_opens_the_same_page_in_another_browser(open_view: OpenView):
    view = open_view()
    view.type_into("size_words_box", 80)
    expect(view.column(WINDOW).locator(".what")).to_contain_text("65 words")
    view.ask(ENVIRONMENT)
    expect(view.column(PARAGRAPHS).locator(".card .id").first).to_contain_text("deployment.md#")
    view.ranked()
    menu = view.open_menu("own_menu_1")
    menu.get_by_text("own", exact=True).click()
    menu.locator(".st-key-own_1_unit").get_by_text("characters").click()
    expect(view.column(WINDOW).locator(".what")).to_contain_text("characters")
    view.close_menu()
    view.ranked()
    ids = [view.ids(number) for number in range(3)]
    expect(view.page).to_have_url(re.compile("window%2Ccharacters"))
    other = open_view(**view.params())
    assert other.params() == view.params()
    assert [other.ids(number) for number in range(3)] == ids
    expect(other.column(WINDOW).locator(".what")).to_have_text(
        view.column(WINDOW).locator(".what").inner_text()
    )


def test_a_bad_value_in_the_address_is_named_and_runs_nothing(open_view: OpenView):
    view = open_view(q="", k="<img src=x onerror=alert(1)>", tab="compare")
    expect(view.notes()).to_have_count(1)
    expect(view.notes()).to_contain_text("it must be a number from 1 to 20. Used: 3.")
    assert view.page.locator("img[src=x]").count() == 0
    assert view.dialogs == []


def test_pasted_text_never_comes_into_the_address(open_view: OpenView):
    view = open_view(q="")
    view.paste("My secret zabaglione.")
    expect(view.document(WHOLE).locator(".chunk")).to_have_text("My secret zabaglione.")
    view.close_menu()
    expect(view.page).to_have_url(re.compile("corpus=pasted"))
    assert view.params()["file"][0].endswith(":pasted.txt")
    assert "zabaglione" not in view.page.url
    other = open_view(**view.params())
    expect(other.notes().first).to_contain_text("This link was made with pasted.txt.")


# From a hit to its document


def test_a_hit_opens_its_document_at_its_page_and_comes_into_view(open_view: OpenView):
    view = open_view(q=ENVIRONMENT)
    card = view.column(PARAGRAPHS).locator(".card").first
    expect(card.locator(".id")).to_have_text("deployment.md#19")
    card.get_by_role("button", name="Open in document").click()
    mark = view.page.locator("#chunk-2-19")
    expect(mark).to_contain_text("#19 · rank 1 · ")
    expect(view.field("document")).to_have_value("deployment.md")
    assert re.search(
        r"characters [1-9]", view.page.locator(".doc").get_attribute("aria-label") or ""
    )
    view.page.wait_for_function(
        """() => { const box = document.getElementById('chunk-2-19').getBoundingClientRect();
                   return box.top >= 0 && box.bottom <= innerHeight; }"""
    )
    assert view.params()["tab"] == ["document"]
    entry = view.page.locator('.rail a.entry[data-c="2-19"]').first
    expect(entry).to_have_class(re.compile("rest"))
    current = view.page.locator("[data-testid=stPagination] [aria-current]")
    if current.count():
        expect(current.first).not_to_have_text("1")


def test_a_hit_shows_its_sentences(open_view: OpenView):
    view = open_view(q=ENVIRONMENT)
    card = view.column(PARAGRAPHS).locator(".card").first
    button = card.get_by_role("button", name="Sentence by sentence")
    button.focus()
    view.page.keyboard.press("Enter")
    inside = view.column(PARAGRAPHS).locator(".inside")
    expect(inside).to_contain_text(
        re.compile(r"the answer sentence alone \.\d{3}, this chunk \.\d")
    )
    expect(inside.locator("li .score").first).to_be_visible()
    view.column(PARAGRAPHS).get_by_role("button", name="Hide sentences").click()
    expect(inside).to_have_count(0)


def test_the_figure_of_lost_sentences_steps_through_them(open_view: OpenView):
    view = open_view(overlap="0")
    figure = view.column(WINDOW).locator('.figures button[data-act="lost 1"]')
    expect(figure).to_have_text(re.compile(r"\d+ lost"))
    total = figure.inner_text().split()[0]
    figure.click()
    note = view.page.locator(".st-key-lost .note")
    expect(note).to_contain_text(f"Lost sentence 1 of {total} in ")
    first = note.inner_text()
    expect(view.page.locator(".doc .text .lost").first).to_be_attached()
    view.page.get_by_role("button", name="Next", exact=True).click()
    expect(note).to_contain_text(f"Lost sentence 2 of {total} in ")
    view.settle()
    # The cut that loses it is in view.
    view.page.wait_for_function(
        """() => [...document.querySelectorAll('.doc .text .lost')].some(e => {
            const box = e.getBoundingClientRect();
            return box.top >= 0 && box.bottom <= innerHeight; })"""
    )
    view.page.get_by_role("button", name="Previous", exact=True).click()
    expect(note).to_have_text(re.sub(r"\s+", " ", first))
    view.page.get_by_role("button", name="Done", exact=True).click()
    expect(note).to_have_count(0)


# The document view


def test_a_hit_in_the_rail_lights_its_bars_and_its_text(open_view: OpenView):
    view = open_view(q=ENVIRONMENT, tab="document", document="deployment.md")
    view.page.locator(".st-key-lane").get_by_text("Paragraph-aware").click()
    entry = view.page.locator(".rail .entry").first
    expect(entry).to_contain_text("deployment.md#19")
    if entry.get_attribute("data-act"):  # on another page
        entry.click()
    bars, runs = bars_of(view, "2-19"), text_of(view, "2-19")
    expect(bars.first).to_be_visible()
    view.settle()
    lanes = view.page.locator(".names .lane")
    expect(lanes).to_have_text(["Whole document", "Fixed window", "Paragraph-aware"])
    for number in range(3):
        assert box_of(view.page.locator(f'.ext[data-c^="{number}-"]').first)["width"] > 8
    # With the pointer on another chunk it is dark, so that what follows is no rest of before.
    view.page.locator(".every summary").click()
    other = view.page.locator(".every a.entry:not([data-c='2-19'])").first
    key = other.get_attribute("data-c") or ""
    other.hover()
    assert not any(rings(bars))
    dark = backgrounds(runs)
    assert all(rings(bars_of(view, key)))
    entry = view.page.locator('.rail a.entry[data-c="2-19"]').first
    entry.hover()
    assert all(rings(bars))
    assert all(rings(entry))
    assert all(one != other for one, other in zip(backgrounds(runs), dark, strict=True))
    assert not any(rings(bars_of(view, key)))
    # The same by keyboard, with the pointer away.
    view.page.mouse.move(2, 2)
    other.focus()
    view.page.keyboard.press("Shift+Tab")
    view.page.keyboard.press("Tab")
    assert all(rings(bars_of(view, key)))
    assert not any(rings(bars))


def test_what_is_in_the_rail_does_not_move_under_the_pointer(open_view: OpenView):
    view = open_view(q=ENVIRONMENT, tab="document", document="deployment.md")
    view.page.locator(".st-key-lane").get_by_text("Paragraph-aware").click()
    expect(view.page.locator(".names .lane.drawn")).to_have_text("Paragraph-aware")
    view.settle()
    summary = view.page.locator(".every summary")
    summary.click()
    top = summary.evaluate("e => e.offsetTop")
    facts = view.page.locator(".facts .fact")
    for link in view.page.locator(".every a.entry").all()[:6]:
        link.hover()
        seen = facts.evaluate_all(
            "all => all.filter(e => getComputedStyle(e).visibility === 'visible')"
            ".map(e => e.dataset.f)"
        )
        assert seen == [link.get_attribute("data-c")]
        assert summary.evaluate("e => e.offsetTop") == top


def test_hits_elsewhere_open_by_keyboard(open_view: OpenView):
    view = open_view(q=ENVIRONMENT, tab="document", document="bees.md", column=["paragraphs"])
    expect(view.page.locator(".rail")).to_contain_text("Not here: the first 3 hits are in other")
    button = view.page.locator('.rail .elsewhere button[data-act="show deployment.md#19"]')
    assert button.evaluate("e => e.tagName") == "BUTTON"
    button.focus()
    view.page.keyboard.press("Enter")
    expect(view.field("document")).to_have_value("deployment.md")
    expect(view.page.locator("#chunk-0-19")).to_be_attached()
    view.page.wait_for_function(
        """() => { const box = document.getElementById('chunk-0-19').getBoundingClientRect();
                   return box.top >= 0 && box.bottom <= innerHeight; }"""
    )


def test_the_pages_of_a_document_are_turned(open_view: OpenView):
    view = open_view(q="", tab="document", document="deployment.md")
    doc = view.page.locator(".doc")
    expect(doc).to_have_attribute("aria-label", re.compile(r"^deployment\.md, characters 0 to "))
    first_end = (doc.get_attribute("aria-label") or "").split()[-1]
    view.page.get_by_role("button", name="Next page").click()
    expect(doc).to_have_attribute("aria-label", re.compile(f"characters {first_end} to "))
    view.page.get_by_role("button", name="Previous page").click()
    expect(doc).to_have_attribute("aria-label", re.compile("characters 0 to "))


def test_a_document_of_a_megabyte_opens_and_turns_a_page(open_view: OpenView):
    view = open_view(q="", tab="compare")
    paragraph = "The ferry leaves at nine and comes back at noon, if the wind allows it. " * 8
    data = "\n\n".join(f"{n}. {paragraph}" for n in range(1_700)).encode()
    assert 950_000 < len(data) < 1_050_000
    view.upload(("large.txt", data))
    expect(view.figure(WHOLE, "Chunks")).to_have_text("1")
    view.page.locator(".st-key-tab").get_by_text("Document", exact=True).click()
    doc = view.page.locator(".doc")
    expect(doc).to_have_attribute("aria-label", re.compile(r"^large\.txt, characters 0 to "))
    view.settle()
    view.page.get_by_role("button", name="Next page").click()
    expect(doc).not_to_have_attribute("aria-label", re.compile("characters 0 to "))


def test_tab_goes_through_the_document_view_in_its_order(open_view: OpenView):
    view = open_view(q=ENVIRONMENT, tab="document", document="deployment.md")
    reached = []
    for _ in range(60):
        view.page.keyboard.press("Tab")
        reached.append(
            view.page.evaluate("document.activeElement.closest('.rail') ? 'rail' : ''")
            or view.focused()
        )
        if reached[-1] == "rail":
            break
    wanted = ["tab", "corpus_menu", "export_menu", "settings_menu", "query", "sample_question"]
    wanted += ["size_words_slider", "size_words_box", "overlap_words_slider", "overlap_words_box"]
    wanted += ["unit", "k", "document", "lane", "rail"]
    assert [key for key in dict.fromkeys(reached) if key in wanted] == wanted


# Columns and presets


def test_a_column_is_added_and_closed_and_a_preset_goes_back(open_view: OpenView):
    view = open_view(q="")
    columns = view.page.locator(".st-key-columns [data-testid=stColumn]").filter(
        has=view.page.locator(".figures")
    )
    expect(columns).to_have_count(3)
    view.open_menu("own_menu_2").get_by_role("button", name="Add a column").click()
    expect(columns).to_have_count(4)
    view.page.keyboard.press("Escape")
    assert view.scrolls_sideways() == []
    view.open_menu("own_menu_3").get_by_role("button", name="Close this one").click()
    expect(columns).to_have_count(3)
    view.settle()
    before = view.params()
    view.page.get_by_role("button", name="Presets").click()
    view.menu.get_by_role("button", name="A sentence cut in half").click()
    expect(view.page.locator(".st-key-preset .note")).to_contain_text("The same windows with")
    expect(view.menu).to_have_count(0)
    expect(columns.nth(0)).to_contain_text("0 lost")
    expect(columns.nth(1)).to_contain_text("2 lost")
    view.page.get_by_role("button", name="Back to my own").click()
    expect(view.page.locator(".st-key-preset .note")).to_have_count(0)
    expect(view.page).to_have_url(re.compile("corpus=samples"))
    assert view.params() == before


# The prompt


def test_the_prompt_can_be_copied_and_its_cost_follows_the_price(open_view: OpenView):
    view = open_view(q=ENVIRONMENT, tab="prompt")
    code = view.page.locator("[data-testid=stCode]").last
    expect(code).to_contain_text("~~~~ [deployment.md#19]")
    expect(code).to_contain_text(f"Question: {ENVIRONMENT}")
    code.hover()
    expect(code.get_by_role("button", name=re.compile("copy", re.I))).to_be_visible()
    under = view.page.locator(".figures.wide .under").first
    before = under.inner_text()
    view.type_into("price", 50)
    expect(under).not_to_have_text(before)
    assert view.scrolls_sideways() == []


# Take it away


def download(view: View, menu: Locator, label: str) -> tuple[str, str]:
    """Press a button that downloads; the name of the file, and what is in it."""
    with view.page.expect_download() as found:
        menu.get_by_role("button", name=label).click()
    return found.value.suggested_filename, Path(found.value.path()).read_bytes().decode("utf-8")


def test_chunks_and_report_are_downloaded_for_the_column_chosen(open_view: OpenView):
    view = open_view(q=ENVIRONMENT)
    windows = int(view.figure(WINDOW, "Chunks").inner_text().replace(",", ""))
    menu = view.open_menu("export_menu")
    menu.get_by_text("Fixed window", exact=True).click()
    expect(menu.locator("[data-testid=stCode]")).to_contain_text("window")
    view.settle()
    name, lines = download(view, menu, "Chunks, JSONL")
    assert name == "chunks.jsonl"
    chunks = [json.loads(line) for line in lines.splitlines()]
    assert len(chunks) == windows
    assert list(chunks[0]) == ["id", "source", "start", "end", "text", "tokens", "place"]
    name, table = download(view, menu, "Chunks, CSV")
    assert name == "chunks.csv"
    assert table.startswith("\ufeff"), "without the mark a spreadsheet does not read UTF-8"
    rows = list(csv.DictReader(table[1:].splitlines(keepends=True)))
    assert [row["id"] for row in rows] == [each["id"] for each in chunks]
    name, report = download(view, menu, "Report of this view")
    assert name == "ragchunk.html"
    assert report.lstrip().lower().startswith("<!doctype html>")
    assert ENVIRONMENT in report
    assert "deployment.md#19" in report
    assert "<script" not in report
    code = menu.locator("[data-testid=stCode] code").inner_text()
    ast.parse(code)
    assert "size=60" in code


# Every view: accessible, narrow, and harmless


def violations(view: View) -> list[str]:
    """What axe finds that is serious or critical."""
    if required():
        from axe_playwright_python import sync_playwright as axe
    else:
        axe = pytest.importorskip(
            "axe_playwright_python.sync_playwright",
            reason="the axe test needs axe-playwright-python: requirements-dev.txt",
        )
    return [
        f"{each['impact']} {each['id']}: {each['help']}: {node['html'][:160]}"
        for each in axe.Axe().run(view.page).response["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


@SCHEMES
def test_axe_finds_nothing_serious_on_any_view(open_view: OpenView, scheme: str):
    view = open_view(scheme=scheme, overlap="0")
    found = {}
    card = view.column(PARAGRAPHS).locator(".card").first
    card.get_by_role("button", name="Sentence by sentence").click()
    expect(view.column(PARAGRAPHS).locator(".inside")).to_have_count(1)
    found["compare"] = violations(view)
    for menu in ("export_menu", "own_menu_1"):
        view.open_menu(menu)
        view.settle()
        found[menu] = violations(view)
        view.close_menu()
    view.page.get_by_role("button", name="Presets").click()
    view.menu.wait_for()
    view.settle()
    found["presets"] = violations(view)
    view.close_menu()
    view.column(WINDOW).locator('.figures button[data-act="lost 1"]').click()
    view.page.locator(".st-key-lost .note").wait_for()
    view.ranked()
    found["document"] = violations(view)
    view.go_to("prompt")
    found["prompt"] = violations(view)
    view.go_to("lessons")
    found["lessons"] = violations(view)
    assert {name: each for name, each in found.items() if each} == {}


def cut_off(view: View) -> list[str]:
    """Buttons, fields and text of ours that reach over the right edge of the window."""
    return view.page.evaluate(
        """() => [...document.querySelectorAll('main button, main input, .rc p, .rc h2, .rc dd')]
            .filter(e => {
                const box = e.getBoundingClientRect();
                if (!box.width || !box.height) return false;
                if (e.closest('.rc pre, [data-testid=stCode]')) return false;
                if (e.type === 'range') return false;  // the slider's own, which is never seen
                return box.right > innerWidth + 1 || box.left < -1;
            })
            .map(e => `${e.tagName} ${e.textContent.slice(0, 40)}`)"""
    )


@pytest.mark.parametrize("tab", TABS)
def test_on_a_phone_nothing_is_cut_off_on_any_view(open_view: OpenView, tab: str):
    view = open_view(390, 844, tab=tab)
    view.page.locator(SIGN_OF[tab]).first.wait_for()
    assert view.scrolls_sideways() == []
    assert cut_off(view) == []
    if tab == "document":
        text, rail = box_of(view.page.locator(".doc .lines")), box_of(view.page.locator(".rail"))
        assert rail["y"] >= text["y"] + text["height"] - 1, "the rail stands below the text"
        assert box_of(view.page.locator(".row .text").first)["width"] > 250
        assert box_of(view.page.locator(".ext:visible").first)["width"] > 4
    if tab == "prompt":
        box = box_of(view.page.locator("[data-testid=stCode]").last)
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    if tab == "compare":
        boxes = [box_of(view.column(number)) for number in range(3)]
        assert all(
            above["y"] + above["height"] <= below["y"] + 1 for above, below in pairwise(boxes)
        )


def test_on_a_phone_every_view_can_be_reached(open_view: OpenView):
    view = open_view(390, 844, q="")
    for tab in ("document", "measure", "prompt", "lessons", "compare"):
        button = view.page.locator(".st-key-tab").get_by_text(tab.capitalize(), exact=True)
        expect(button).to_be_visible(timeout=3_000)
        box = box_of(button)
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        button.click()
        view.page.locator(SIGN_OF[tab]).first.wait_for()


def test_a_hostile_corpus_runs_nothing_on_any_view(open_view: OpenView):
    view = open_view(q=HOSTILE.replace("\0", ""), tab="compare")
    view.upload((HOSTILE_NAME, HOSTILE.encode()), ("=1+1 $5 $6.txt", b"=cmd() *y*"))
    view.ranked()
    for tab in ("compare", "document", "measure", "prompt", "lessons"):
        if tab != "compare":
            view.go_to(tab)
        assert view.page.evaluate("window.hacked") is None, tab
        assert view.page.locator("img[src=x], svg[onload], a[href^=javascript]").count() == 0, tab
        assert view.page.locator("script", has_text="window.hacked").count() == 0, tab
        katex = ".rc .katex, .rc em, .rc code, .rc li li, [data-testid=stMarkdown] .katex"
        assert view.page.locator(katex).count() == 0, tab
        assert view.page.locator("[data-testid=stException]").count() == 0, tab
        assert view.scrolls_sideways() == [], tab
    view.go_to("document")
    text = view.page.locator(".doc").inner_text()
    assert '<img src=x onerror="alert(1)">' in text
    assert "costs $5 or $6_x, $$\\frac{1}{2}$$" in text
    expect(view.field("document")).to_have_value(HOSTILE_NAME)
    menu = view.open_menu("export_menu")
    _, report = download(view, menu, "Report of this view")
    assert "<img" not in report
    assert "<script" not in report
    _, table = download(view, menu, "Chunks, CSV")
    cells = [cell for row in csv.reader(table.splitlines(keepends=True)) for cell in row]
    assert not any(cell.startswith("=") for cell in cells)
    assert view.dialogs == []


# Lessons


def test_a_lesson_is_predicted_moved_and_answered(open_view: OpenView):
    view = open_view(tab="lessons", lesson="3")
    expect(view.page.locator(".st-key-lesson_number button")).to_have_count(6)
    slider = view.page.locator(".st-key-lesson_slider_3 input").first
    expect(slider).to_be_disabled()
    view.page.locator(".st-key-lesson_prediction_3 button").first.click()
    expect(slider).to_be_enabled()
    view.settle()
    slider.press("End")
    slider.press("Home")
    slider.press("End")
    expect(view.page.locator("section.answer")).to_contain_text("The law")
    assert view.scrolls_sideways() == []
    view.page.get_by_role("button", name="Next", exact=True).click()
    expect(view.page).to_have_url(re.compile("lesson=4"))


def test_documents_that_a_preset_or_an_upload_opened_stay_when_a_slider_moves(open_view: OpenView):
    """A browser is not told what a choice was set to while the menu with it is closed."""
    view = open_view(q="")
    view.open_menu("corpus_menu")
    view.close_menu()
    view.page.get_by_role("button", name="Presets").click()
    view.menu.get_by_role("button", name="The redundant tail").click()
    menu = view.page.locator(".st-key-corpus_menu")
    expect(menu).to_contain_text("1 document")
    view.field("size_characters_slider").press("ArrowRight")
    expect(view.field("size_characters_box")).to_have_value("40")
    view.settle()
    expect(menu).to_contain_text("1 document")
    expect(view.page.locator(".figures .value").first).to_have_text("2")

    view.open_menu("corpus_menu").locator("input[type=file]").first.set_input_files(
        {"name": "mine.txt", "mimeType": "text/plain", "buffer": b"One of my own."}
    )
    expect(view.page.locator(".card .id").first).to_contain_text("mine.txt")
    view.close_menu()
    view.field("size_characters_slider").press("ArrowRight")
    expect(view.field("size_characters_box")).to_have_value("50")
    view.settle()
    expect(view.page.locator(".card .id").first).to_contain_text("mine.txt")


def test_back_and_forward_lead_through_the_views_and_questions_that_were_open(open_view: OpenView):
    view = open_view()
    page = view.page

    def settled() -> None:
        view.settle()
        page.wait_for_timeout(2_000)  # a moment later an address counts as taken in

    settled()
    for tab in ("Document", "Prompt", "Compare"):
        page.locator(".st-key-tab button").filter(has_text=tab).click()
        settled()
    view.ask(ENVIRONMENT)
    view.field("query").press("Enter")
    settled()
    tab = page.locator(".st-key-tab button[aria-checked=true]")
    page.go_back()
    expect(view.field("query")).to_have_value("how big should a chunk be?")
    for name in ("Prompt", "Document"):
        settled()
        page.go_back()
        expect(tab).to_have_text(name)
    settled()
    page.go_forward()
    expect(tab).to_have_text("Prompt")
