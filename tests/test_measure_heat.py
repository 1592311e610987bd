"""Heat maps: figures, the outline of the plateau, and what each cell says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ragchunk.evaluation.choice import Choice, choose
from ragchunk.evaluation.measures import Cutoff, Measure
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.table import Recipe, Table, table_of
from ragchunk.evaluation.trial import Result
from ragchunk.measure_chart import numbers, scatter, told
from ragchunk.measure_heat import Cell, cells, heat_maps
from ragchunk.measure_table import BY_NAME
from ragchunk.strategies.whole import Whole
from ragchunk.strategies.window import Window
from tests.pages import Element, read
from tests.test_measure_table import scores

BUDGET = Cutoff(budget=1000)
RECALL = BY_NAME["recall"]


def window(size: int, overlap: int) -> Setting:
    return Setting(Window(size=size, overlap=overlap, unit="tokens"), "late")


def answered(number: int) -> list[float]:
    """Of 40 questions the first `number` are answered."""
    return [1.0] * number + [0.0] * (40 - number)


# Size 100, 200 and 300 by overlap 0 and half; 200 is the plateau, with 100/50.
FIGURES = {
    window(100, 0): (20, 10.0),
    window(200, 0): (38, 30.0),
    window(300, 0): (18, 40.0),
    window(100, 50): (37, 20.0),
    window(200, 100): (39, 35.0),
    window(300, 150): (10, 50.0),
    Setting(Whole(), "late"): (4, 90.0),
}


def made() -> Table:
    results = [
        Result(setting, 10, 500, 0, 0.1, {BUDGET: scores(answered(number), complete=cost)})
        for setting, (number, cost) in FIGURES.items()
    ]
    recipe = Recipe(tuple(FIGURES), (BUDGET,), "m", "f", "c", (), 40, "q")
    return table_of(recipe, results)


@pytest.fixture(scope="module")
def choice() -> Choice:
    return choose(made(), "recall", BUDGET)


@pytest.fixture(scope="module")
def page(choice: Choice) -> Element:
    return drawn(cells(choice.table, RECALL, BUDGET, choice, 254, [window(200, 0)]))


def drawn(found: Sequence[Cell], measure: Measure = RECALL) -> Element:
    return read(f"<div>{heat_maps(found, measure)}</div>")


def cell(page: Element, size: int, overlap: str) -> Element:
    name = f"size {size}, overlap {overlap}"
    [found] = [each for each in page.all("button") if name in str(each.attributes["aria-label"])]
    return found


def test_each_cell_has_its_figure_and_what_a_reader_pays(page: Element) -> None:
    found = cell(page, 200, "50\u202f%")
    assert found.one("b").text == ".97"  # 39 of 40
    assert found.one("small").text == "35"
    grid = page.one("section")
    assert [each.text for each in grid.all("span.size")] == ["100", "200", "300"]
    assert [each.text for each in grid.all("span.share")] == ["overlap", "50\u202f%", "0\u202f%"]


def test_the_outline_runs_round_those_that_cannot_be_told_apart(page: Element) -> None:
    sides = {
        (size, share): set(cell(page, size, share).classes) - {"cell"}
        for size in (100, 200, 300)
        for share in ("50\u202f%", "0\u202f%")
    }
    assert sides == {
        (100, "50\u202f%"): {"t", "l", "b"},
        (200, "50\u202f%"): {"t", "r"},
        (300, "50\u202f%"): set(),
        (100, "0\u202f%"): set(),
        (200, "0\u202f%"): {"r", "b", "l"},
        (300, "0\u202f%"): set(),
    }


def test_best_cheapest_too_long_and_the_one_on_the_sliders_have_signs_and_words(
    page: Element,
) -> None:
    best, cheapest = cell(page, 200, "50\u202f%"), cell(page, 100, "50\u202f%")
    assert best.one("i").text == "●"
    assert cheapest.one("i").text == "○"
    assert str(cheapest.attributes["aria-label"]).endswith(
        "20 tokens until the answer is complete; cannot be told apart from the best; of these the "
        "least to read"
    )
    assert "longer than the model reads" in str(cell(page, 300, "0\u202f%").attributes)
    assert ["long" in each.classes for each in page.all("span.size")] == [False, False, True]
    assert cell(page, 200, "0\u202f%").one("u").text == ".95"
    assert "on the sliders now" in str(cell(page, 200, "0\u202f%").attributes)


def test_all_maps_are_on_one_scale_and_a_strategy_without_a_size_has_one_cell(
    page: Element,
) -> None:
    shades = {
        str(each.attributes["data-cell"]): str(each.attributes["style"])
        for each in page.all("button")
    }
    # The best of 39 answered is full, the whole documents with 4 nothing; 20 are 16 / 35 of 44.
    assert shades["4"] == "--i:44%"
    assert shades["6"] == "--i:0%"
    assert shades["0"] == "--i:20%"
    [single] = page.all("div.single")
    assert single.text.startswith("Whole document.10")


def test_where_less_is_better_the_least_is_darkest() -> None:
    found = cells(made(), BY_NAME["tokens"], BUDGET, None, 254)
    assert all(not each.is_tied and not each.is_best for each in found), "nobody has judged"
    severed = BY_NAME["severed"]
    page = drawn(cells(made(), severed, BUDGET, choose(made(), "severed", BUDGET), 254), severed)
    assert {each.one("b").text for each in page.all("button")} == {".50"}


def test_a_missing_cell_leaves_its_place_open() -> None:
    table = made()
    half = Table(table.recipe, table.results[:4])
    page = drawn(cells(half, RECALL, BUDGET, None, 254))
    assert len(page.all("button")) == 4
    assert len(page.all("span.none")) == 2
    assert heat_maps([], RECALL) == ""


def test_overlaps_that_were_rounded_share_a_row() -> None:
    settings = [window(10, 3), window(254, 64), window(800, 200)]  # a quarter of each
    recipe = Recipe(tuple(settings), (BUDGET,), "m", "f", "c", (), 40, "q")
    results = [Result(s, 1, 1, 0, 0.1, {BUDGET: scores(answered(1))}) for s in settings]
    page = drawn(cells(table_of(recipe, results), RECALL, BUDGET, None, 254))
    assert [each.text for each in page.all("span.share")] == ["overlap", "25\u202f%"]


# The chart


def test_the_chart_has_a_point_for_each_setting_and_joins_the_front(choice: Choice) -> None:
    spec = scatter(choice, "light")
    points = {each["label"]: each for each in spec["data"]["values"]}
    assert len(points) == 7
    best = points["Fixed window 200/100 tokens, late"]
    assert (best["mean"], best["cost"], best["told"]) == (0.975, 35.0, ".97")
    # 100/0 costs least; 100/50, 200/0 and 200/100 each answer more for more.
    front = [each["label"] for each in spec["data"]["values"] if each["front"]]
    assert front == [
        "Fixed window 100/0 tokens, late",
        "Fixed window 200/0 tokens, late",
        "Fixed window 100/50 tokens, late",
        "Fixed window 200/100 tokens, late",
    ]
    assert [each["name"] for each in points.values() if each["name"]] == [
        "Fixed window 100/50",
        "Fixed window 200/100",
    ]
    assert "Fixed window 100/50 tokens, late: .93 at 20" in told(choice)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_colours_of_the_chart_are_those_of_the_theme(choice: Choice, theme: str) -> None:
    other = "dark" if theme == "light" else "light"
    accent = {"light": "#0A6A60", "dark": "#5FD0BF"}
    assert accent[theme] in str(scatter(choice, theme))
    assert accent[other] not in str(scatter(choice, theme))


def test_the_numbers_are_a_table_best_first(choice: Choice) -> None:
    rows = [
        [cell.text for cell in each.all("th") + each.all("td")]
        for each in read(numbers(choice)).all("tr")
    ]
    assert rows[0][:2] == ["Setting", "Recall"]
    assert [row[1] for row in rows[1:]] == [".97", ".95", ".93", ".50", ".45", ".25", ".10"]
    assert rows[1][4] == "best"
    assert rows[3][4] == "cannot be told apart, to take"
    assert rows[4][4] == "worse"
    assert np.isclose(sum(float(row[3].replace("\u202f%", "")) for row in rows[1:]), 100, atol=2)


def test_where_questions_are_held_out_all_of_a_cell_is_of_the_others() -> None:
    """Questions that cost 10 and 100 in turn: what is held out changes the mean."""
    costs = np.array([10.0, 100.0] * 20)
    results = [
        Result(each, 10, 500, 0, 0.1, {BUDGET: replace(scores(answered(30)), complete=costs)})
        for each in (window(100, 0), window(200, 0))
    ]
    table = table_of(
        Recipe((window(100, 0), window(200, 0)), (BUDGET,), "m", "f", "c", (), 40, "q"), results
    )
    choice = choose(table, "recall", BUDGET, hold_out=0.3)
    assert choice.mask is not None
    [first, _] = cells(table, RECALL, BUDGET, choice, 254)
    assert first.cost == costs[~choice.mask].mean() != costs.mean()
    assert first.mean == pytest.approx(np.array(answered(30))[~choice.mask].mean())


def test_hardly_any_difference_does_not_look_like_a_large_one() -> None:
    def depth(mean: float, other: float) -> float:
        page = drawn([Cell(0, window(100, 0), mean, 1), Cell(1, window(200, 0), other, 1)])
        style = str(cell(page, 100, "0\u202f%").attributes["style"])
        return float(style.removeprefix("--i:").removesuffix("%"))

    # 0.3 points apart on a scale of five: nearly as dark as the best, which has 44.
    assert depth(0.997, 1.0) == round(44 * (0.997 - 0.95) / 0.05)
    assert depth(0.5, 1.0) == 0


def test_a_recommended_setting_that_late_vectors_flatter_says_so(choice: Choice) -> None:
    small = Setting(Window(size=64, unit="tokens"), "late")
    results = [
        Result(each, 10, 500, 0, 0.1, {BUDGET: scores(answered(38), complete=cost)})
        for each, cost in ((small, 10.0), (window(200, 0), 30.0))
    ]
    table = table_of(
        Recipe((small, window(200, 0)), (BUDGET,), "m", "f", "c", (), 40, "q"), results
    )
    words = "Late vectors flatter chunks of 64 tokens and fewer"
    assert words in choose(table, "recall", BUDGET).sentence()
    assert words not in choice.sentence()
