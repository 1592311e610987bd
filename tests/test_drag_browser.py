"""Sliders that move the page while they are dragged, in a headless Chromium.

First the two handles alone, with a clock that the test moves; then in the app.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from ragchunk.ui import drag
from tests.browser import PATIENCE, Screen, box_of, playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

    from tests.conftest import OpenPage

expect = playwright().expect
expect.set_options(timeout=PATIENCE)

pytestmark = pytest.mark.browser

WINDOW, PARAGRAPHS = 1, 2

MOUNT = """
async ([script, html]) => {
    const address = URL.createObjectURL(new Blob([script], {type: 'text/javascript'}));
    const module = await import(address);
    const place = document.createElement('div');
    place.innerHTML = html;
    document.body.append(place);
    window.sent = [];
    const setStateValue = (name, move) => window.sent.push(move);
    window.show = data => module.default({data, parentElement: place, setStateValue});
}
"""


class Handles:
    """The two handles of Size in an empty page, where no time passes by itself."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.clock.install(time=0)
        page.clock.pause_at(1_000)
        page.set_content(f"<style>{(drag.HERE / 'drag.css').read_text('utf-8')}</style>")
        page.evaluate(MOUNT, [(drag.HERE / "drag.js").read_text("utf-8"), drag.HTML])
        self.range = page.locator("input[type=range]")
        self.box = page.locator("input[type=number]")
        self.show()

    def show(self, **changes: Any) -> None:
        """What the server says of the number."""
        words = {"key": "size_words", "label": "Size", "unit": "words"}
        bounds = {"least": 5, "most": 1_000, "step": 1}
        said = {"number": 60, "version": 1, "why": None}
        self.page.evaluate("data => show(data)", {**words, **bounds, **said, **changes})

    def drawn(self) -> None:
        """The server says that the picture of the last move is there."""
        self.page.evaluate(
            """() => document.dispatchEvent(
                new CustomEvent('ragchunk-drawn', {detail: sent.at(-1)?.move ?? 0}))"""
        )

    def wait(self, milliseconds: int) -> None:
        self.page.clock.run_for(milliseconds)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def sent(self) -> list[int | None]:
        """The numbers that were sent."""
        return [move["number"] for move in self.page.evaluate("sent")]

    @property
    def shown(self) -> tuple[str, str]:
        return self.range.input_value(), self.box.input_value()


OpenHandles = Callable[..., Handles]


@pytest.fixture
def handles(chromium: Browser) -> Any:
    page = chromium.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield Handles(page)
    page.close()
    assert errors == []


# When a number is sent


def test_one_number_is_on_its_way_and_the_newest_goes_next(handles: Handles):
    handles.range.focus()
    handles.press(*["ArrowRight"] * 5)
    assert handles.sent == [61]
    assert handles.shown == ("65", "65")
    handles.wait(40)
    handles.drawn()
    assert handles.sent == [61], "two numbers are 50 ms apart"
    handles.wait(10)
    assert handles.sent == [61, 65]
    handles.drawn()
    handles.wait(5_000)
    assert handles.sent == [61, 65]


def test_a_picture_that_does_not_come_is_waited_for_longer_each_time(handles: Handles):
    handles.range.focus()
    handles.press("ArrowRight", "ArrowRight")
    handles.wait(990)
    assert handles.sent == [61]
    handles.wait(10)
    assert handles.sent == [61, 62]
    handles.press("ArrowRight")
    handles.wait(1_990)
    assert handles.sent == [61, 62]
    handles.wait(10)
    assert handles.sent == [61, 62, 63]


def test_the_picture_of_an_older_number_is_no_sign(handles: Handles):
    handles.range.focus()
    handles.press("ArrowRight", "ArrowRight")
    handles.wait(1_000)
    handles.press("ArrowRight")
    handles.page.evaluate(
        "document.dispatchEvent(new CustomEvent('ragchunk-drawn', {detail: sent[0].move}))"
    )
    handles.wait(1_000)
    assert handles.sent == [61, 62]
    handles.drawn()
    assert handles.sent == [61, 62, 63]


def test_letting_go_sends_the_last_number_at_once_and_says_that_the_drag_is_over(handles: Handles):
    box = box_of(handles.range)
    x, y = box["x"] + box["width"] / 2, box["y"] + 20
    handles.page.mouse.move(x, y)
    handles.page.mouse.down()
    for step in range(1, 11):
        handles.page.mouse.move(x + 4 * step, y)
    assert len(handles.sent) == 1
    handles.page.mouse.up()
    moves = handles.page.evaluate("sent")
    assert [move["dragged"] for move in moves] == [True, False]
    assert str(moves[-1]["number"]) == handles.shown[0] == handles.shown[1]
    assert moves[-1]["number"] > moves[0]["number"]
    assert moves[-1]["move"] > moves[0]["move"]


def test_a_key_that_is_held_is_a_drag_until_it_is_let_go(handles: Handles):
    handles.range.focus()
    for _ in range(4):
        handles.page.keyboard.down("ArrowRight")  # the browser repeats it
        handles.drawn()
        handles.wait(50)
    handles.page.keyboard.up("ArrowRight")
    moves = handles.page.evaluate("sent")
    assert [move["number"] for move in moves] == [61, 62, 63, 64, 64]
    assert [move["dragged"] for move in moves] == [False, True, True, True, False]


# What the server says


def test_an_echo_pulls_nothing_back_and_a_new_version_moves_both_handles(handles: Handles):
    handles.range.focus()
    handles.press("ArrowRight", "ArrowRight", "ArrowRight")
    handles.show(number=61)
    assert handles.shown == ("63", "63")
    handles.show(number=200, version=2)
    assert handles.shown == ("200", "200")
    handles.drawn()
    handles.wait(5_000)
    assert handles.sent == [61], "a number that was set from elsewhere takes the place of moves"
    handles.press("ArrowRight")
    assert handles.page.evaluate("sent.at(-1).version") == 2
    assert handles.sent == [61, 201]


def test_both_handles_have_names_values_and_units_for_a_screen_reader(handles: Handles):
    assert handles.page.get_by_role("slider", name="Size, words").count() == 1
    assert handles.page.get_by_role("spinbutton", name="Size", exact=True).count() == 1
    expect(handles.range).to_have_attribute("aria-valuetext", "60 words")
    handles.show(number=1, least=0, version=2, label="Overlap")
    expect(handles.range).to_have_attribute("aria-valuetext", "1 word")
    assert handles.page.get_by_role("slider", name="Overlap, words").count() == 1


def test_handles_that_are_off_say_why(handles: Handles):
    handles.show(why="No column takes these.")
    for handle in (handles.range, handles.box):
        expect(handle).to_be_disabled()
        expect(handle).to_have_accessible_description("No column takes these.")
    handles.show()
    for handle in (handles.range, handles.box):
        expect(handle).to_be_enabled()
        expect(handle).to_have_accessible_description("")


# Keys, and what is typed


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("ArrowLeft", 790),
        ("ArrowDown", 790),
        ("ArrowRight", 810),
        ("ArrowUp", 810),
        ("PageUp", 900),
        ("PageDown", 700),
        ("Home", 20),
        ("End", 6_000),
    ],
)
def test_keys_go_by_steps(handles: Handles, key: str, number: int):
    handles.show(unit="characters", least=20, most=6_000, step=10, number=800, version=2)
    handles.range.focus()
    handles.press(key)
    assert handles.sent == [number]
    assert handles.shown == (str(number), str(number))


@pytest.mark.parametrize(("start", "key"), [(5, "ArrowLeft"), (12, "PageDown")])
def test_keys_end_at_the_bounds(handles: Handles, start: int, key: str):
    handles.show(number=start, version=2)
    handles.range.focus()
    handles.press(key, key)
    assert handles.shown == ("5", "5")


def test_a_drag_goes_by_steps_and_a_typed_number_need_not(handles: Handles):
    handles.show(unit="characters", least=20, most=6_000, step=10, number=800, version=2)
    box = box_of(handles.range)
    handles.page.mouse.move(box["x"] + 100, box["y"] + 20)
    handles.page.mouse.down()
    for step in range(20):
        handles.page.mouse.move(box["x"] + 100 + step, box["y"] + 20)
        handles.drawn()
        handles.wait(50)
    handles.page.mouse.up()
    handles.wait(50)
    dragged = [number for number in handles.sent if number is not None]
    assert len(set(dragged)) > 5
    assert all(number % 10 == 0 for number in dragged)
    handles.drawn()
    handles.box.fill("813")
    handles.press("Enter")
    assert handles.sent[-1] == 813
    assert handles.shown == ("813", "813")
    handles.press("ArrowUp")
    assert handles.shown == ("823", "823")


@pytest.mark.parametrize("leave", ["Enter", "Tab"])
@pytest.mark.parametrize(
    ("typed", "number"),
    [("72", 72), ("1000", 1_000), ("1001", 1_000), ("4", 5), ("-7", 5), ("1e2", 100), ("12.6", 13)],
)
def test_what_is_typed_counts_when_the_box_is_left(
    handles: Handles, typed: str, number: int, leave: str
):
    handles.box.focus()
    handles.press("Control+A", *typed)
    assert handles.sent == []
    handles.press(leave)
    assert handles.sent == [number]
    assert handles.shown == (str(number), str(number))


@pytest.mark.parametrize("leave", ["Enter", "Tab"])
@pytest.mark.parametrize("typed", ["", "-", "e"])
def test_an_emptied_box_takes_up_the_last_number(handles: Handles, typed: str, leave: str):
    handles.box.focus()
    handles.press("Control+A", "Delete", *typed)
    handles.wait(5_000)
    handles.press(leave)
    assert handles.sent == []
    assert handles.shown == ("60", "60")


def test_a_pause_in_typing_counts_if_there_is_a_number_within_bounds(handles: Handles):
    handles.box.focus()
    handles.press("Control+A", "1")
    handles.wait(5_000)
    assert handles.sent == [], "1 is less than the least, and may be the start of more"
    assert handles.shown == ("60", "1")
    handles.press("2")
    handles.wait(390)
    assert handles.sent == []
    handles.wait(10)
    assert handles.sent == [12]
    handles.show(number=12)
    handles.press("0")
    handles.drawn()
    handles.wait(400)
    assert handles.sent == [12, 120]
    assert handles.shown == ("120", "120")


def test_arrows_in_the_box_go_on_from_what_was_typed(handles: Handles):
    handles.box.focus()
    handles.press("Control+A", "8", "0", "ArrowUp")
    assert handles.shown == ("81", "81")
    handles.press("PageDown")
    assert handles.shown == ("71", "71")
    handles.drawn()
    handles.wait(50)
    assert handles.sent[-1] == 71


# In the app


@pytest.fixture
def screen(open_page: OpenPage) -> Screen:
    """The app without a question, so that nothing waits for the model."""
    screen = open_page()
    screen.ask("")
    expect(screen.column(PARAGRAPHS).locator(".waiting")).to_contain_text("Type a question")
    screen.settle()
    return screen


def packed(screen: Screen) -> Locator:
    """The sentence with the size in it."""
    return screen.column(PARAGRAPHS).locator(".what")


def expect_size(screen: Screen, size: int, unit: str = "words") -> None:
    """Both handles, the picture and the address are at this size."""
    expect(packed(screen)).to_have_text(f"Whole paragraphs packed up to {size:,} {unit}.")
    expect(screen.field(f"size_{unit}_slider")).to_have_value(str(size))
    expect(screen.field(f"size_{unit}_box")).to_have_value(str(size))
    expect(screen.page).to_have_url(re.compile(rf"[?&]unit={unit}&size={size}&"))


# Each new picture: the size it says, the number of chunks, the first of them, and whether the
# pointer was still down.
WATCH = """
() => {
    window.pictures = [];
    const column = document.querySelectorAll('.st-key-documents [data-testid=stColumn]')[2];
    const look = () => JSON.stringify([
        document.querySelectorAll('.what')[2]?.innerText,
        document.querySelectorAll('.figures')[2]?.querySelector('.value').innerText,
        column.querySelector('.chunk')?.textContent,
    ]);
    let last = look();
    new MutationObserver(() => {
        const now = look();
        if (now === last) return;
        last = now;
        window.pictures.push([...JSON.parse(now), window.held]);
    }).observe(document.body, {childList: true, characterData: true, subtree: true});
    addEventListener('pointerdown', () => { window.held = true; }, true);
    addEventListener('pointerup', () => { window.held = false; }, true);
}
"""


def test_a_drag_of_two_seconds_moves_the_picture_all_along_and_ends_where_it_ended(
    open_page: OpenPage,
):
    screen = open_page()
    page, box = screen.page, box_of(screen.field("size_words_slider"))
    left, y = box["x"] + 12, box["y"] + box["height"] / 2
    steps = page.evaluate("history.length")
    page.evaluate(WATCH)
    page.mouse.move(left + 20, y)
    page.mouse.down()
    for step in range(100):
        page.mouse.move(left + 40 - 20 * math.cos(step / 10), y)
        page.wait_for_timeout(20)
    size = int(screen.field("size_words_box").input_value())
    page.mouse.up()
    expect_size(screen, size)
    screen.await_hits()
    screen.settle()
    expect_size(screen, size)
    pictures = page.evaluate("pictures")
    during = [picture for picture in pictures if picture[3]]
    assert len({said for said, *_ in during}) >= 5
    assert len({count for _, count, *_ in during}) >= 4
    assert len({chunk for *_, chunk, _ in during}) >= 3
    assert pictures[-1][0] == f"Whole paragraphs packed up to {size} words."
    assert page.evaluate("history.length") - steps <= 1, "one way back, not one for each picture"
    # What was seen at the end is what the same size shows when it is opened anew.
    count, chunk = pictures[-1][1:3]
    page.reload()
    screen.await_hits()
    expect_size(screen, size)
    assert screen.figure(PARAGRAPHS, "Chunks").inner_text() == count
    assert screen.document(PARAGRAPHS).locator(".chunk").first.text_content() == chunk


def test_twenty_quick_keys_are_twenty_steps(screen: Screen):
    screen.field("size_words_slider").focus()
    for _ in range(20):
        screen.page.keyboard.press("ArrowRight")
    expect_size(screen, 80)
    assert screen.focused() == "size_words_slider"
    for _ in range(20):
        screen.page.keyboard.press("ArrowLeft")
    expect_size(screen, 60)


def test_home_and_end_go_to_the_ends(screen: Screen):
    screen.field("overlap_words_slider").press("Home")
    expect(screen.field("overlap_words_box")).to_have_value("0")
    screen.field("size_words_slider").press("Home")
    expect_size(screen, 5)
    screen.field("size_words_slider").press("End")
    expect_size(screen, 1_000)


def test_typing_goes_on_where_it_was_while_the_page_follows(screen: Screen):
    screen.field("size_words_box").focus()
    screen.page.keyboard.press("Control+A")
    screen.page.keyboard.type("20")
    expect_size(screen, 20)
    screen.page.keyboard.type("0")
    expect_size(screen, 200)
    assert screen.focused() == "size_words_box"
    screen.page.keyboard.press("Backspace")
    expect_size(screen, 20)


def test_keys_on_one_slider_and_then_on_the_other_are_all_there(screen: Screen):
    for _ in range(3):
        screen.field("size_words_slider").press("ArrowRight")
        screen.field("overlap_words_slider").press("ArrowLeft")
    expect_size(screen, 63)
    expect(screen.field("overlap_words_slider")).to_have_value("12")
    expect(screen.page).to_have_url(re.compile("overlap=12&"))
    expect(screen.column(WINDOW).locator(".what")).to_have_text("A cut every 51 words.")


def test_a_preset_moves_the_slider_and_the_way_back_too(screen: Screen):
    unit = screen.page.locator(".st-key-unit")
    screen.type_into("size_words_box", 90)
    expect_size(screen, 90)
    unit.get_by_text("characters").click()
    expect_size(screen, 800, "characters")
    screen.page.get_by_role("button", name="Presets").click()
    screen.menu.get_by_role("button", name="Confetti").click()
    expect_size(screen, 200, "characters")
    screen.field("size_characters_slider").press("ArrowRight")
    expect_size(screen, 210, "characters")
    screen.page.get_by_role("button", name="Back to my own").click()
    expect_size(screen, 800, "characters")
    screen.field("size_characters_slider").press("ArrowLeft")
    expect_size(screen, 790, "characters")
    unit.get_by_role("radio", name="words").click()
    expect_size(screen, 90)


def test_own_settings_have_handles_that_keep_the_focus(screen: Screen):
    menu = screen.open_menu(f"own_menu_{PARAGRAPHS}")
    menu.get_by_text("own", exact=True).click()
    slider = screen.field(f"own_{PARAGRAPHS}_size_words_slider")
    slider.focus()
    for _ in range(5):
        screen.page.keyboard.press("ArrowLeft")
    expect(packed(screen)).to_contain_text("packed up to 55 words.")
    expect(screen.field(f"own_{PARAGRAPHS}_size_words_box")).to_have_value("55")
    assert screen.focused() == f"own_{PARAGRAPHS}_size_words_slider"
    expect(screen.field("size_words_box")).to_have_value("60")
    expect(screen.page).to_have_url(re.compile("paragraphs%2Cwords%2C55%2C15"))


def test_sliders_on_release_are_those_of_streamlit_and_go_on_from_the_same_number(
    screen: Screen,
):
    screen.type_into("size_words_box", 70)
    expect_size(screen, 70)
    screen.open_menu("settings_menu").get_by_text("on release", exact=True).click()
    native = screen.page.locator(".st-key-size_words_slider [data-testid=stSlider] input").first
    box = screen.page.locator(".st-key-size_words_box input").first
    screen.close_menu()  # one more run, before the handles are there
    screen.settle()
    expect(native).to_have_value("70")
    expect(box).to_have_value("70")
    native.focus()
    for _ in range(12):
        screen.page.keyboard.press("ArrowRight")
    expect(native).to_have_value("82")
    expect(box).to_have_value("82")
    expect(packed(screen)).to_have_text("Whole paragraphs packed up to 82 words.")
    screen.open_menu("settings_menu").get_by_text("live", exact=True).click()
    expect_size(screen, 82)
    screen.close_menu()
    screen.field("size_words_slider").press("ArrowRight")
    expect_size(screen, 83)
    screen.open_menu("settings_menu").get_by_text("on release", exact=True).click()
    expect(native).to_have_value("83")
    expect(box).to_have_value("83")


def test_on_a_phone_both_handles_fit_and_can_be_touched(open_page: OpenPage):
    screen = open_page(390, 844)
    for name in ("size", "overlap"):
        for handle in ("slider", "box"):
            box = box_of(screen.field(f"{name}_words_{handle}"))
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
            assert box["height"] >= 24
        assert box_of(screen.field(f"{name}_words_slider"))["width"] > 200
