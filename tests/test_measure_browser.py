"""The measuring view in a headless Chromium: questions, columns, a sweep, a cell, the sliders."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragchunk.evaluation.questions import to_jsonl
from ragchunk.ui.corpus_menu import sample_questions
from tests.browser import FIRST_HITS, PATIENCE, playwright, without_errors
from tests.test_views_browser import View

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

expect = playwright().expect
expect.set_options(timeout=PATIENCE)

pytestmark = pytest.mark.browser

SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
WIDTHS = pytest.mark.parametrize("width", [1280, 390])
OpenMeasure = Callable[..., "Measure"]


class Measure(View):
    """The measuring view at an address."""

    def open_part(self, part: str) -> None:
        self.page.locator(".st-key-part button").filter(has_text=part).click()
        self.settle()

    @property
    def rows(self) -> Locator:
        """The columns, measured."""
        return self.page.locator("table.measured tbody tr")

    @property
    def cells(self) -> Locator:
        return self.page.locator(".heat .cell")

    def cell(self, name: str) -> Locator:
        """A cell by its name, such as `Fixed window, size 64, overlap 0`."""
        return self.page.get_by_role("gridcell", name=name)

    def await_verdict(self, words: str) -> None:
        expect(self.page.locator(".decides")).to_contain_text(words, timeout=FIRST_HITS)
        self.settle()

    def sweep(self, sizes: str = "64, 128", overlaps: str = "0, 50") -> None:
        for key, value in (("sweep_sizes_tokens", sizes), ("sweep_overlaps", overlaps)):
            self.field(key).fill(value)
            self.field(key).press("Enter")
            self.settle()
        self.page.locator(".st-key-sweep_start button").click()
        self.await_verdict("Take")


@pytest.fixture
def open_measure(chromium: Browser, server: str) -> Iterator[OpenMeasure]:
    """Opens the measuring view; asks it to have no errors."""
    views: list[Measure] = []

    def opener(
        part: str = "columns", width: int = 1280, height: int = 800, scheme: str = "light"
    ) -> Measure:
        view = Measure(chromium, f"{server}?tab=measure&part={part}", width, height, scheme)
        views.append(view)
        return view

    with without_errors(views):
        yield opener


def test_from_questions_to_the_sliders(open_measure: OpenMeasure, tmp_path: Path) -> None:
    """The way of a person: load questions, compare, sweep, choose a cell, see the sliders move."""
    view = open_measure("questions")
    view.page.locator(".st-key-delete_all button").click()
    expect(view.page.get_by_text("No question yet.")).to_be_visible()
    payload: Any = {
        "name": "mine.jsonl",
        "mimeType": "text/plain",
        "buffer": (to_jsonl(sample_questions()[:20]) + "not a row\n").encode(),
    }
    view.page.locator("input[type=file]").last.set_input_files(payload)
    expect(view.page.get_by_text("20 questions read, 1 note")).to_be_visible()
    expect(view.page.get_by_text("line 21: not JSON")).to_be_visible()
    with view.page.expect_download() as download:
        view.page.locator(".st-key-download_questions button").click()
    kept = tmp_path / "kept.jsonl"
    download.value.save_as(kept)
    assert kept.read_text(encoding="utf-8") == to_jsonl(sample_questions()[:20])

    view.open_part("Columns")
    view.await_verdict("on 20 questions")
    expect(view.rows).to_have_count(3)
    expect(view.rows.locator(".axis").first).to_be_visible()

    view.open_part("Sweep")
    view.sweep()
    expect(view.cells).to_have_count(12)
    view.cell("Paragraph-aware, size 128, overlap 50").click()
    expect(view.field("size_tokens_slider")).to_have_value("128")
    expect(view.field("overlap_tokens_box")).to_have_value("64")
    view.settle()
    params = view.params()
    assert (params["unit"], params["size"], params["overlap"]) == (["tokens"], ["128"], ["64"])
    assert params["vectors"] == ["late"]
    view.open_part("Columns")
    expect(view.rows.nth(2)).to_contain_text("128 / 64 tokens, late")
    view.page.locator(".st-key-tab button").filter(has_text="Compare").click()
    expect(view.figure(2, "Median size")).to_be_visible()
    expect(view.field("size_tokens_box")).to_have_value("128")


def test_the_arrow_keys_go_through_the_cells_and_enter_chooses(open_measure: OpenMeasure) -> None:
    view = open_measure("sweep")
    view.sweep()
    assert view.page.locator(".heat .cell[tabindex='0']").count() == 1, "Tab reaches one cell"
    first = view.cell("Fixed window, size 64, overlap 50")
    first.focus()
    view.page.keyboard.press("ArrowRight")
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("ArrowRight")  # there is none further right
    view.page.keyboard.press("Enter")
    expect(view.field("size_tokens_slider")).to_have_value("128")
    expect(view.field("overlap_tokens_slider")).to_have_value("0")
    view.settle()
    held = view.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert held.startswith("Fixed window, size 128, overlap 0"), "the focus stays on the cell"
    view.page.keyboard.press("ArrowDown")
    held = view.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert held.startswith("Paragraph-aware, size 128, overlap 50"), "and goes on to the next map"


def test_a_question_opens_where_its_answer_is_lit(open_measure: OpenMeasure) -> None:
    view = open_measure()
    view.await_verdict("Take")
    view.page.get_by_role("button", name="how do I set environment variables?").click()
    lit = view.page.locator(".doc strong").first
    lit.wait_for()
    expect(lit).to_contain_text("To set them")
    view.settle()
    assert view.params()["q"] == ["how do I set environment variables?"]


def test_a_typed_answer_is_matched_while_it_is_typed(open_measure: OpenMeasure) -> None:
    view = open_measure("questions")
    view.field("label_question").fill("what does nginx show?")
    view.field("label_answer").press_sequentially("Nginx showed it", delay=30)
    expect(view.page.get_by_text("Found in 1 place.")).to_be_visible()
    view.page.get_by_role("button", name="Use this").click()
    expect(view.page.get_by_text("has 1 answer")).to_be_visible()
    expect(view.page.locator(".st-key-part")).to_contain_text("Questions 37")
    expect(view.field("label_answer")).to_have_value("")


def test_a_budget_that_cannot_be_is_told(open_measure: OpenMeasure) -> None:
    view = open_measure()
    view.await_verdict("Take")
    before = view.page.locator("table.measured").inner_text()
    for typed, told in (("0", "0"), ("", "0"), ("-5", "-5"), ("99999999", "99,999,999")):
        view.field("budget").fill(typed)
        view.field("budget").press("Enter")
        said = f"Budget: {told} must be a whole number from 1 to 100,000. Until then it is 1,000."
        expect(view.page.get_by_text(said)).to_be_visible()
        view.settle()
        assert view.page.locator("table.measured").inner_text() == before
    view.field("budget").fill("500")
    view.field("budget").press("Enter")
    expect(view.page.get_by_text("Until then")).to_have_count(0)


def test_a_hit_becomes_a_label(open_measure: OpenMeasure) -> None:
    view = open_measure()
    view.page.locator(".st-key-tab button").filter(has_text="Compare").click()
    view.field("query").fill("who carries the lamp?")
    expect(view.column(2).locator(".verdict")).to_have_count(0)  # nobody has labelled this one
    view.ranked()
    buttons = view.column(2).get_by_role("button", name="This answers it")
    expect(buttons).to_have_count(3)
    buttons.nth(2).click()
    panel = view.page.locator("#label-result")
    panel.wait_for()
    expect(panel).to_be_in_viewport()
    pick = view.page.locator("button.pick").first
    pick.click()
    expect(pick).to_have_attribute("aria-pressed", "true")
    view.page.locator(".st-key-store_result button").click()
    expect(panel).to_have_count(0)
    expect(view.column(2).locator(".verdict")).to_contain_text("The answer")


def test_a_sweep_stops_and_goes_on(open_measure: OpenMeasure) -> None:
    view = open_measure("sweep")
    sizes = ", ".join(map(str, range(30, 90, 2)))
    for key, value in (("sweep_sizes_tokens", sizes), ("sweep_overlaps", "0, 10")):
        view.field(key).fill(value)
        view.field(key).press("Enter")
        view.settle()
    start = view.page.locator(".st-key-sweep_start button")
    expect(view.page.get_by_text("180 settings, about")).to_be_visible()
    start.click()
    stop = view.page.locator(".st-key-sweep_stop button")
    expect(view.page.get_by_text("a second, about").first).to_be_visible(timeout=FIRST_HITS)
    stop.click()
    expect(view.page.get_by_text("settings are measured and kept.")).to_be_visible()
    expect(start).to_have_text("Go on")
    before = view.cells.count()
    assert 0 < before < 180
    start.click()
    view.await_verdict("Of 180 settings")
    assert view.cells.count() == 180


@SCHEMES
@WIDTHS
def test_it_fits_and_can_be_read(open_measure: OpenMeasure, scheme: str, width: int) -> None:
    view = open_measure("sweep", width=width, scheme=scheme)
    view.sweep("64, 800", "0, 50")
    assert view.scrolls_sideways() == []
    for place in (
        view.cells,
        view.page.locator(".heat .cell small"),
        view.page.locator(".decides"),
    ):
        worst = min(view.contrast(each) for each in place.all())
        assert worst >= 4.5
    expect(view.page.get_by_test_id("stVegaLiteChart")).to_be_visible()
    for part, kind in (("Columns", "table.measured"), ("Questions", "table.labelled")):
        view.open_part(part)
        if part == "Columns":
            view.await_verdict("Of 3 settings")  # what was drawn before is replaced then
        table = view.page.locator(kind)
        table.wait_for()
        assert view.scrolls_sideways() == []
        for each in table.locator("tbody tr").first.locator("td, th, small").all():
            assert view.contrast(each) >= 4.5


def test_the_results_of_a_sweep_are_taken_away(open_measure: OpenMeasure) -> None:
    view = open_measure("sweep")
    view.sweep("64", "0")
    with view.page.expect_download() as download:
        view.page.locator(".st-key-download_sweep_json button").click()
    found = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert len(found["rows"]) == 3
    assert found["recipe"]["questions"]["count"] == 36
    with view.page.expect_download() as download:
        view.page.locator(".st-key-download_sweep_csv button").click()
    assert len(Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()) == 4
