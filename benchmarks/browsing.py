"""Steps of a slider in a headless Chromium, timed inside the page, beside those of an empty page.

Time is taken inside the page: a listener notes when a key goes down or the handle moves, a
MutationObserver when text or elements of the page change (the slider and its number box do not
count, as they move without the server). *First* is the first change, *all* the last one before the
script has ended and nothing moved for a while.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.common import Report, Server, large_document, p95

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Locator, Page

CHROMIUM = Path("/usr/bin/chromium")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EMPTY_PAGE = """\
import streamlit as st

st.write(st.slider("Size, words", 5, 1_000, 60))
"""
SLIDER = 'input[type="range"][aria-label="Size, words"]'
STEPS_AT_LEAST = 6  # with --quick, when the time is over
QUIET = 120  # milliseconds without a change, after the script's end

WATCH = """
quiet => {
  const bench = {begun: null, first: null, last: null};
  const main = '[data-testid="stMain"]';
  const handles = '.drag, [data-testid="stSlider"], [data-testid="stNumberInput"]';
  const element = node => node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  const begin = () => { bench.begun = performance.now(); bench.first = bench.last = null; };
  document.addEventListener('keydown', begin, true);
  const moved = event => { if (event.target.type === 'range') begin(); };
  document.addEventListener('input', moved, true);
  new MutationObserver(found => {
    if (bench.begun === null) return;
    const places = found.map(each => element(each.target));
    if (!places.some(each => each?.closest(main) && !each.closest(handles))) return;
    bench.last = performance.now();
    bench.first ??= bench.last;
  }).observe(document.body, {childList: true, characterData: true, subtree: true});
  const app = document.querySelector('[data-test-script-state]');
  const runs = () => app !== null && app.dataset.testScriptState === 'running';
  bench.settled = limit => new Promise((done, fail) => {
    const look = () => {
      const now = performance.now();
      if (bench.last !== null && !runs() && now - bench.last > quiet)
        done([bench.first - bench.begun, bench.last - bench.begun]);
      else if (now - bench.begun > limit) fail(new Error('no change after ' + limit + ' ms'));
      else setTimeout(look, 10);
    };
    look();
  });
  window.bench = bench;
}
"""
# What the page says of the size: in the app the second column, on the empty page the number.
SAID = """
() => (document.querySelectorAll('.what')[1]
       ?? document.querySelector('[data-testid="stMarkdown"]')).innerText
"""
QUESTION = "why does a small chunk answer better?"
WAITS_FOR_HITS = "() => document.querySelector('.waiting') === null"


def why_no_browser() -> str:
    """What is missing for a browser to be driven, in a few words; "" if nothing is."""
    if find_spec("playwright") is None:
        return "playwright is not installed (requirements-dev.txt)"
    if not CHROMIUM.exists():
        return f"there is no {CHROMIUM} (Debian: apt-get install chromium)"
    return ""


@contextmanager
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(CHROMIUM), args=CHROMIUM_FLAGS)
        try:
            yield opened
        finally:
            opened.close()


def open_page(opened: Browser, server: Server, asked: str = "") -> Page:
    """A page of a server, in a browser profile of its own; `asked` is what its address asks for."""
    page = opened.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(server.url + asked)
    return page


def await_hits(page: Page, limit: float = 120_000) -> None:
    """Wait until every column has hits."""
    page.locator(".card .rank").first.wait_for(timeout=limit)
    page.wait_for_function(WAITS_FOR_HITS, timeout=limit)


class Stepper:
    """A page whose slider is moved to and fro, by its arrow keys."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.forward = False
        page.evaluate(WATCH, QUIET)

    def step(self, limit: float = 30_000) -> tuple[float, float]:
        """Milliseconds from the key to the first and to the last change of the page."""
        before = self.page.evaluate(SAID)
        self.move()
        first, last = self.page.evaluate("limit => bench.settled(limit)", limit)
        if self.page.evaluate(SAID) == before:
            raise RuntimeError(f"The page did not follow the slider: it still says {before!r}.")
        return first, last

    def move(self) -> None:
        self.forward = not self.forward
        self.page.locator(SLIDER).focus()
        self.page.keyboard.press("ArrowRight" if self.forward else "ArrowLeft")

    def visit(self, limit: float = 60_000) -> None:
        """Two sizes and back, until the hits of both are there."""
        for _ in range(4):
            self.step(limit)
            self.page.wait_for_function(WAITS_FOR_HITS, timeout=limit)


class Dragger(Stepper):
    """A page whose slider is held with the pointer; each step goes to a size not seen before."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.x, self.y = handle_of(page.locator(SLIDER))

    def hold(self) -> None:
        """Put the pointer down on the handle, and wait until what went on has stopped."""
        self.page.mouse.move(self.x, self.y)
        self.page.mouse.down()
        self.step()

    def move(self) -> None:
        self.x += 1
        self.page.mouse.move(self.x, self.y)

    def hurry(self) -> None:
        """A step, without waiting for longer than until the page says the new size."""
        before = self.page.evaluate(SAID)
        self.move()
        self.page.wait_for_function(f"before => ({SAID})() !== before", arg=before)

    def let_go(self) -> None:
        self.page.mouse.up()


def handle_of(slider: Locator) -> tuple[float, float]:
    """Where the handle of a slider is on the page."""
    slider.scroll_into_view_if_needed()
    box: FloatRect | None = slider.bounding_box()
    if box is None:
        raise RuntimeError("The slider is not to be seen.")
    share = slider.evaluate("it => (it.value - it.min) / (it.max - it.min)")
    thumb = 16  # pixels, which the handle's middle does not leave at the ends
    x = box["x"] + thumb / 2 + share * (box["width"] - thumb)
    return x, box["y"] + box["height"] / 2


def compare(
    report: Report,
    what: str,
    empty: Stepper,
    app: Stepper,
    target: float,
    steps: int,
    until: float | None,
) -> None:
    """Steps of both pages in turn, and the ratio of their medians beside the target."""
    pairs: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for number in range(steps):
        if until is not None and number >= STEPS_AT_LEAST and time.monotonic() > until:
            report.say(f"  ({what}: {number} steps, not {steps}, as the time of --quick is over)")
            break
        pairs.append((empty.step(), app.step()))
    report.say(f"\nA slider step, {what}: {len(pairs)} steps, milliseconds")
    figures: dict[str, float] = {"steps": len(pairs)}
    for at, name in enumerate(("first", "all")):
        bare = [pair[0][at] for pair in pairs]
        ours = [pair[1][at] for pair in pairs]
        ratio = median(ours) / median(bare)
        line = f"  {name:5} empty page {median(bare):7.1f}, app {median(ours):7.1f}"
        line += f" (p95 {p95(ours):.1f}), ratio {ratio:.2f}"
        figures |= {f"empty_{name}": median(bare), f"app_{name}": median(ours)}
        figures |= {f"ratio_{name}": ratio, f"app_{name}_p95": p95(ours)}
        if name == "all":
            line += "   " + report.mark(f"slider step, {what}", ratio, target, "x", most=True)
        report.say(line)
    report.keep(f"step, {what}", figures)


def upload(page: Page) -> float:
    """Open a document of 1 MB and nothing else; the seconds until its first chunks are there.

    Then asks it something, as the page forgets the question that is about the samples.
    """
    page.locator(".st-key-corpus_menu button").first.click()
    page.locator('input[type="file"]').first.set_input_files(
        {"name": "large.md", "mimeType": "text/markdown", "buffer": large_document()}
    )
    started = time.monotonic()
    page.locator(".card .id", has_text="large.md#0").first.wait_for(timeout=60_000)
    took = time.monotonic() - started
    close_menu(page)
    question = page.locator(".st-key-query input")
    question.fill(QUESTION)
    question.press("Enter")
    return took


def close_menu(page: Page) -> None:
    page.keyboard.press("Escape")
    page.locator('[data-testid="stPopoverBody"]').wait_for(state="hidden")
