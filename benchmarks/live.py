"""Any size, any overlap, at once: whether chunks and hits keep up with a slider that is dragged.

    python benchmarks/live.py [--quick] [--json] [--full]

*Library.* Encoding beside plain `SentenceTransformer.encode`, the token pass beside plain encoding
of the same text, what storing in half precision costs, and 1 MB of text cut, pooled and ranked at
sizes not seen before, beside encoding its chunks again. Contenders take turns in each round.

*Start.* A fresh process with an empty store: to the first chunks, the first hits, and the first
answer to a question that needs the model.

*Screen.* The app and an empty Streamlit page with one native slider in one Chromium, steps in turn,
timed as `browsing.py` says; marks are on *all*: chunks, figures and hits have changed. Steps are

    final hits, plain    an arrow key, between two sizes whose plain vectors are known
    final hits, late     an arrow key, between two sizes, with late vectors chosen
    preview              the handle held with the pointer, always to a new size, with plain vectors
                         chosen: late hits stand in

for the sample documents and for 1 MB, whose token outputs are in the store (plain vectors of 1 MB
would have to be made first, so there they are a preview). A *drag* is two seconds of a real
pointer; a picture counts if it says another size and every column has hits.

*Memory.* Two browser sessions with 1 MB open, dragged in turn over new sizes. What is remembered
is bounded, so memory grows until that is full; then it must not. The marks compare the median of an
early and of a late quarter of the steps after that, with 5 % of tolerance.

The token outputs of 1 MB are real ones of a piece of the text, repeated; --full reads all of it,
which takes minutes. A missed mark is printed as missed; the exit code is 0 all the same.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import live_library as library
from benchmarks.browsing import (
    EMPTY_PAGE,
    SLIDER,
    Dragger,
    Stepper,
    await_hits,
    browser,
    compare,
    handle_of,
    open_page,
    upload,
    why_no_browser,
)
from benchmarks.common import ROOT, Report, Server, large_document, streamlit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

QUICK_SECONDS = 42
TOLERANCE = 1.05
CUTTINGS_KEPT = 48  # by the app, for all its sessions: two columns of each size

# Each new picture with hits in every column: when, what it says of the size, and its scores.
PICTURES = """
() => {
  window.pictures = [];
  window.moved = null;
  document.addEventListener('input', event => {
    if (event.target.type === 'range') window.moved ??= performance.now();
  }, true);
  const said = () => document.querySelectorAll('.what')[1]?.innerText;
  let last = said();
  new MutationObserver(() => {
    const now = said();
    if (now === last || document.querySelector('.waiting')) return;
    const columns = [...document.querySelectorAll('.st-key-columns [data-testid=stColumn]')];
    if (!columns.every(each => each.querySelector('.card .score'))) return;
    last = now;
    window.pictures.push(performance.now());
  }).observe(document.body, {childList: true, characterData: true, subtree: true});
}
"""
ALL_READ = "() => /All [0-9,]+ tokens are read/.test(document.body.innerText)"


def measure_screen(
    report: Report, opened: Browser, cache: Path, quick: bool, until: float | None
) -> None:
    steps = 8 if quick else 16
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY_PAGE, encoding="utf-8")
        with streamlit(ROOT / "app.py", cache) as server, streamlit(script) as empty_server:
            page = open_page(opened, server)
            await_hits(page)
            await_all_read(page)
            empty_page = open_page(opened, empty_server)
            empty_page.locator(SLIDER).wait_for(timeout=30_000)
            empty = Stepper(empty_page)
            empty.visit()

            plain = Stepper(page)
            plain.visit()
            compare(report, "samples, final hits, plain", empty, plain, 2, steps, until)
            held = Dragger(page)
            held.hold()
            compare(report, "samples, preview", empty, held, 2, steps, until)
            held.let_go()
            await_hits(page)
            measure_drag(report, page, "samples, plain")

            late_page = open_page(opened, server, "?vectors=late")
            await_hits(late_page)
            late = Stepper(late_page)
            late.visit()
            compare(report, "samples, final hits, late", empty, late, 2, steps, until)
            report.say(f"\n1 MB: first chunks {upload(late_page):.1f} s after the upload")
            await_hits(late_page)
            late.visit()
            compare(report, "1 MB, final hits, late", empty, late, 4, steps, until)
            measure_drag(report, late_page, "1 MB, late")

            upload(page)
            await_hits(page)
            held = Dragger(page)
            held.hold()
            compare(report, "1 MB, preview", empty, held, 4, steps, until)
            measure_memory(report, server, held, late_page, quick)


def await_all_read(page: Page) -> None:
    """Wait until the model is there and has read the sample documents for late vectors."""
    page.locator(".st-key-settings_menu button").first.click()
    page.wait_for_function(ALL_READ, timeout=300_000)
    page.keyboard.press("Escape")


def measure_start(report: Report, opened: Browser) -> None:
    """A server of its own, with an empty store."""
    with streamlit(ROOT / "app.py") as server:
        page = open_page(opened, server)
        page.locator(".card").first.wait_for(timeout=60_000)
        chunks = time.monotonic() - server.started
        await_hits(page)
        hits = time.monotonic() - server.started
        imported = server.has_mapped("libtorch_cpu")
        page.get_by_label("Question", exact=True).fill("who waters the lighthouse")
        page.locator(".waiting").first.wait_for(timeout=30_000)
        await_hits(page)
        model = time.monotonic() - server.started
        page.close()
    report.say("\nFrom the start of a fresh process, its store empty")
    said = report.mark("first chunks", chunks, 2, "s", most=True)
    report.say(f"  first chunks {chunks:.1f} s   {said}")
    said = report.mark("first hits", hits, 3, "s", most=True)
    report.say(f"  first hits {hits:.1f} s, torch {'' if imported else 'not '}there yet   {said}")
    report.say(f"  first hits of a question that needs the model {model:.1f} s")
    report.keep("start", {"chunks_s": chunks, "hits_s": hits, "model_s": model})


def measure_drag(report: Report, page: Page, what: str, lasts: float = 2) -> None:
    """Drag the handle to and fro for two seconds, and count the pictures until it is let go."""
    x, y = handle_of(page.locator(SLIDER))
    page.evaluate(PICTURES)
    page.mouse.move(x, y)
    page.mouse.down()
    began = time.monotonic()
    while (at := time.monotonic() - began) < lasts:
        page.mouse.move(x + 20 - 20 * math.cos(2 * at), y)
        page.wait_for_timeout(15)
    pictures = page.evaluate("pictures.map(each => each - moved)")
    page.mouse.up()
    await_hits(page)
    first = pictures[0] if pictures else math.inf
    report.say(f"\nA drag of {lasts:g} s, {what}")
    said = report.mark(f"pictures in a drag, {what}", len(pictures), 8, "", most=False)
    report.say(f"  {len(pictures)} pictures   {said}")
    said = report.mark(f"first picture of a drag, {what}", first, 200, "ms", most=True)
    report.say(f"  the first {first:.0f} ms after the first move   {said}")
    report.keep(f"drag, {what}", pictures)


def measure_memory(report: Report, server: Server, held: Dragger, other: Page, quick: bool) -> None:
    """Steps of two sessions in turn, until caches are full, and then as many as are measured."""
    if server.resident_megabytes() is None:
        report.skip("memory", "this system has no /proc/PID/status")
        return
    also = Dragger(other)
    also.hold()
    fill, many = CUTTINGS_KEPT // 2, 100 if quick else 200
    found: list[tuple[float, float]] = []
    for number in range(fill + many):
        (held, also)[number % 2].quick_step()
        found.append((server.resident_megabytes() or 0, server.own_megabytes() or 0))
    report.say(
        f"\nMemory of the server, 1 MB open in two browser sessions, {fill} steps to fill what is "
        f"remembered, then {many}"
    )
    for at, name in enumerate(("resident", "its own, without pages of files")):
        values = [each[at] for each in found]
        counted = values[fill:]
        quarter = many // 4
        early, late = median(counted[:quarter]), median(counted[-quarter:])
        said = report.mark(f"growth of memory, {name}", late / early, TOLERANCE, "x", most=True)
        report.say(
            f"  {name}: before {values[0]:,.0f}, early {early:,.0f}, late {late:,.0f} MB, "
            f"ratio {late / early:.3f}   {said}"
        )
        report.keep(f"megabytes, {name}", {"before": values[0], "early": early, "late": late})
    report.say(f"  at most so far {server.peak_megabytes() or 0:,.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds and steps, under 50 s")
    parser.add_argument("--json", action="store_true", help="figures and marks as JSON")
    parser.add_argument("--full", action="store_true", help="a real token pass over 1 MB")
    asked = parser.parse_args()
    report = Report(asked.json)
    started = time.monotonic()
    until = started + QUICK_SECONDS if asked.quick else None
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    report.say(f"{os.cpu_count()} cores, load average {load:.1f} at the start (idle: 0)")
    report.keep("load_average", load)
    why = why_no_browser()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        if not why:
            with browser() as opened:
                measure_start(report, opened)
        models = library.Models(Path(folder) / "encoding")
        library.measure_encoding(report, models, asked.quick)
        read = library.measure_token_pass(report, models, asked.quick)
        text = large_document().decode()
        library.prepare(report, models, cache, text, read, asked.full)
        library.measure_storing(report, models, cache, text, read)
        library.measure_sizes(report, models, cache, text, asked.quick)
        if why:
            report.skip("screen, start and memory", why)
        else:
            with browser() as opened:
                measure_screen(report, opened, cache, asked.quick, until)
    report.keep("seconds", time.monotonic() - started)
    report.say(f"\nTook {time.monotonic() - started:.0f} s.")
    report.close()


if __name__ == "__main__":
    main()
