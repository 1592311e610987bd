"""How fast the page answers: from the press of a key on a slider to the changed page.

    python benchmarks/screen.py [--quick] [--json]

Starts the app and, beside it, an empty Streamlit page with one slider, both with the project's
settings, and opens them in one headless Chromium. A step is an arrow key on the slider *Size*,
back and forth between two sizes that were both visited, so that everything is remembered: cuts,
figures and vectors. The steps of the two pages take turns.

Time is taken inside the page: a listener notes when the key goes down, a MutationObserver when text
or elements of the page change (the slider and its number box do not count, as they move without the
server). *First* is the first change, *all* the last one before the script has ended and nothing
moved for a while. Marks are on *all*: hits and chunks are there; *first* is printed beside it.

Targets: the sample documents at most twice the empty page, a document of 1 MB at most four times.
The 1 MB document is measured with its hits; with --quick, without a question, so that its vectors
need not be made: chunks and figures only.

Also printed: from the start of the process to the first chunks and to the first hits, and the most
memory the server had. Needs playwright and Chromium.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.common import ROOT, Report, Server, p95, sample_text, streamlit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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
STEPS = 16
STEPS_AT_LEAST = 6  # with --quick, when the time is over
QUICK_SECONDS = 44
QUIET = 120  # milliseconds without a change, after the script's end

WATCH = """
quiet => {
  const bench = {pressed: null, first: null, last: null};
  const main = '[data-testid="stMain"]';
  const handles = '.drag, [data-testid="stSlider"], [data-testid="stNumberInput"]';
  const element = node => node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  document.addEventListener('keydown', () => {
    bench.pressed = performance.now(); bench.first = bench.last = null;
  }, true);
  new MutationObserver(found => {
    if (bench.pressed === null) return;
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
        done([bench.first - bench.pressed, bench.last - bench.pressed]);
      else if (now - bench.pressed > limit) fail(new Error('no change after ' + limit + ' ms'));
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
WAITS_FOR_HITS = "() => document.querySelector('.waiting') === null"


class Stepper:
    """A page whose slider is moved to and fro."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.forward = False
        page.evaluate(WATCH, QUIET)

    def step(self, limit: float = 30_000) -> tuple[float, float]:
        """Milliseconds from the key to the first and to the last change of the page."""
        page = self.page
        self.forward = not self.forward
        before = page.evaluate(SAID)
        page.locator(SLIDER).focus()
        page.keyboard.press("ArrowRight" if self.forward else "ArrowLeft")
        first, last = page.evaluate("limit => bench.settled(limit)", limit)
        if page.evaluate(SAID) == before:
            raise RuntimeError(f"The page did not follow the slider: it still says {before!r}.")
        return first, last


@contextmanager
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(CHROMIUM), args=CHROMIUM_FLAGS)
        try:
            yield opened
        finally:
            opened.close()


def open_page(opened: Browser, server: Server) -> Page:
    page = opened.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(server.url)
    return page


def measure(report: Report, opened: Browser, quick: bool, until: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY_PAGE, encoding="utf-8")
        with streamlit(ROOT / "app.py") as app_server:
            page = open_page(opened, app_server)
            measure_start(report, page, app_server)
            with streamlit(script) as empty_server:
                empty_page = open_page(opened, empty_server)
                empty_page.locator(SLIDER).wait_for(timeout=30_000)
                empty, app = Stepper(empty_page), Stepper(page)
                visit(empty)
                visit(app)
                compare(report, "sample documents", empty, app, 2, until if quick else None)
                memory(report, "sample documents", app_server)
                what = upload(report, app, quick)
                compare(report, what, empty, app, 4, until if quick else None)
                memory(report, "1 MB document", app_server)


def measure_start(report: Report, page: Page, server: Server) -> None:
    page.locator(".card").first.wait_for(timeout=60_000)
    chunks = time.monotonic() - server.started
    page.locator(".card .rank").first.wait_for(timeout=120_000)
    hits = time.monotonic() - server.started
    page.wait_for_function(WAITS_FOR_HITS, timeout=120_000)
    report.keep("seconds_to_first_chunks", chunks)
    report.keep("seconds_to_first_hits", hits)
    report.say(f"From the start of the process: first chunks {chunks:.1f} s, hits {hits:.1f} s")


def visit(stepper: Stepper, limit: float = 60_000) -> None:
    """Two sizes and back, until the hits of both are there."""
    for _ in range(4):
        stepper.step(limit)
        stepper.page.wait_for_function(WAITS_FOR_HITS, timeout=limit)


def compare(
    report: Report, what: str, empty: Stepper, app: Stepper, target: float, until: float | None
) -> None:
    """Steps of both pages in turn, and the ratio of their medians beside the target."""
    pairs: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for number in range(STEPS):
        if until is not None and number >= STEPS_AT_LEAST and time.monotonic() > until:
            report.say(f"  ({what}: {number} steps, not {STEPS}, as the time of --quick is over)")
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


def memory(report: Report, what: str, server: Server) -> None:
    peak = server.peak_megabytes()
    if peak is None:
        report.skip(f"peak memory, {what}", "this system has no /proc/PID/status")
        return
    report.keep(f"peak_megabytes, {what}", peak)
    report.say(f"  peak memory of the server so far: {peak:,.0f} MB")


def upload(report: Report, app: Stepper, quick: bool) -> str:
    """Open a document of 1 MB and visit both sizes; returns what can be measured on it."""
    page = app.page
    if quick:
        page.get_by_label("Question", exact=True).fill("")
        page.locator(".waiting").first.wait_for(timeout=30_000)
    page.locator(".st-key-corpus_menu button").first.click()
    page.locator('input[type="file"]').first.set_input_files(
        {"name": "large.md", "mimeType": "text/markdown", "buffer": large_document()}
    )
    started = time.monotonic()
    page.locator(".card .id", has_text="large.md#0").first.wait_for(timeout=60_000)
    page.keyboard.press("Escape")
    report.say(f"\n1 MB document: first chunks {time.monotonic() - started:.1f} s after the upload")
    if quick:
        for _ in range(4):
            app.step(60_000)
        return "1 MB document, chunks and figures only"
    limit = 900_000  # the model reads some 15,000 chunks once
    page.wait_for_function(WAITS_FOR_HITS, timeout=limit)
    visit(app, limit)
    took = time.monotonic() - started
    report.keep("seconds_to_vectors_of_1_mb", took)
    report.say(f"  all vectors of two sizes {took:.0f} s after the upload")
    return "1 MB document"


def large_document() -> bytes:
    """1 MB of text like the sample documents."""
    return sample_text(1_000_000, seed=7).encode()[:1_000_000].decode("utf-8", "ignore").encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="no vectors for the 1 MB document")
    parser.add_argument("--json", action="store_true", help="figures and marks as JSON")
    asked = parser.parse_args()
    started = time.monotonic()
    report = Report(asked.json)
    if find_spec("playwright") is None:
        report.skip("all", "playwright is not installed (requirements-dev.txt)")
    elif not CHROMIUM.exists():
        report.skip("all", f"there is no {CHROMIUM} (Debian: apt-get install chromium)")
    else:
        with browser() as opened:
            measure(report, opened, asked.quick, started + QUICK_SECONDS)
    report.keep("seconds", time.monotonic() - started)
    report.say(f"\nTook {time.monotonic() - started:.0f} s.")
    report.close()


if __name__ == "__main__":
    main()
