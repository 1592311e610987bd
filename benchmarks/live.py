"""Any size, any overlap, at once: whether chunks and hits keep up with a slider that is dragged.

    python benchmarks/live.py [--quick] [--json] [--full]

*Start.* A fresh process with an empty store: to the first chunks, to the first hits, and to the
first answer that needs the model.

*Library.* Encoding beside plain `SentenceTransformer.encode`, the token pass beside plain encoding
of the same text, what storing in half precision costs, and 1 MB of text cut, pooled and ranked at
sizes not seen before, beside encoding its chunks again. Contenders take turns in each round.

*Screen.* The app and an empty Streamlit page with one native slider in one Chromium, steps in turn,
timed as `browsing.py` says; marks are on *all*: chunks, figures and hits have changed. Steps are

    final hits, plain    an arrow key, between two sizes whose plain vectors are known
    final hits, late     an arrow key, between two sizes, with late vectors chosen
    preview              the handle held with the pointer, always to a new size, with plain vectors
                         chosen: late hits stand in

for the sample documents and for 1 MB (there plain vectors would have to be made first, so that they
are measured with their preview). A *drag* is two seconds of a real pointer; a picture counts if it
says another size and every column has hits.

*Memory.* Two browser sessions with 1 MB open, dragged in turn, always to new sizes. What the app
remembers is bounded, so memory grows until that is full, and then it must not: the marks compare
the median of the first and of the last quarter of the steps after that, with 5 % of tolerance.

The token outputs of 1 MB are real ones of a piece of the text, repeated; --full reads all of it,
which takes minutes. With --quick the preview and the late hits of the samples are left out, and
memory is measured for as long as there is time.

Waiting for other programs on the machine is part of all times except those called computed. A
missed mark is printed as missed; the exit code is 0 all the same.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
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
    close_menu,
    compare,
    handle_of,
    open_page,
    upload,
    why_no_browser,
)
from benchmarks.common import ROOT, Report, Server, large_document, streamlit
from ragchunk.comparison import CUTTINGS_KEPT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

QUICK_SECONDS = 46
DRAG_SECONDS = 2
TOLERANCE = 1.05

# Each new picture with hits in every column, in milliseconds from the first move of the handle.
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
    window.pictures.push(performance.now() - window.moved);
  }).observe(document.body, {childList: true, characterData: true, subtree: true});
}
"""
ALL_READ = "() => /All [0-9,]+ tokens are read/.test(document.body.innerText)"


def measure_start(
    report: Report, page: Page, server: Server, load: Callable[[], library.Models]
) -> library.Models:
    """The page of a server that was just started, until it has answered a new question.

    While its model is read, `load` reads one here as well.
    """
    page.locator(".card").first.wait_for(timeout=60_000)
    chunks = time.monotonic() - server.started
    await_hits(page)
    hits = time.monotonic() - server.started
    imported = server.has_mapped("libtorch_cpu")
    page.get_by_label("Question", exact=True).fill("who waters the lighthouse")
    page.locator(".waiting").first.wait_for(timeout=30_000)
    with ThreadPoolExecutor(1) as pool:
        models = pool.submit(load)
        await_hits(page)
        model = time.monotonic() - server.started
    page.get_by_label("Question", exact=True).fill(library.QUESTION)
    report.say("\nFrom the start of a fresh process, its store empty")
    said = report.mark("start to first chunks", chunks, 2, "s", most=True)
    report.say(f"  first chunks {chunks:.1f} s   {said}")
    said = report.mark("start to first hits", hits, 3, "s", most=True)
    torch = "is being imported by then" if imported else "is not there yet"
    report.say(f"  first hits {hits:.1f} s (torch {torch})   {said}")
    report.say(
        f"  first hits that need the model {model:.1f} s (while this program loads it as well)"
    )
    report.keep("start", {"chunks_s": chunks, "hits_s": hits, "model_s": model})
    return models.result()


def await_all_read(page: Page) -> None:
    """Wait until the sample documents are read for late vectors."""
    page.locator(".st-key-settings_menu button").first.click()
    page.wait_for_function(ALL_READ, timeout=300_000)
    close_menu(page)
    await_hits(page)


def measure_screen(
    report: Report, opened: Browser, page: Page, server: Server, quick: bool, until: float | None
) -> None:
    """Steps and drags of a page of the sample documents, and of 1 MB, whose outputs are stored."""
    steps = 6 if quick else 16
    with ExitStack() as stack:
        script = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "empty.py"
        script.write_text(EMPTY_PAGE, encoding="utf-8")
        empty_page = open_page(opened, stack.enter_context(streamlit(script)))
        empty_page.locator(SLIDER).wait_for(timeout=30_000)
        empty = Stepper(empty_page)
        empty.visit()

        plain = Stepper(page)
        plain.visit()
        compare(report, "samples, final hits, plain", empty, plain, 2, steps, until)
        if not quick:
            held = Dragger(page)
            held.hold()
            compare(report, "samples, preview", empty, held, 2, steps, until)
            held.let_go()
            await_hits(page)
        measure_drag(report, page, "samples, plain with its preview")

        late_page = open_page(opened, server, "?vectors=late")
        await_hits(late_page)
        late = Stepper(late_page)
        if not quick:
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
    measure_memory(report, server, held, Dragger(late_page), quick, until)


def measure_drag(report: Report, page: Page, what: str) -> None:
    """Drag the handle to and fro, and count the pictures until it is let go."""
    x, y = handle_of(page.locator(SLIDER))
    page.evaluate(PICTURES)
    page.mouse.move(x, y)
    page.mouse.down()
    began = time.monotonic()
    while (at := time.monotonic() - began) < DRAG_SECONDS:
        page.mouse.move(x + 20 - 20 * math.cos(2 * at), y)
        page.wait_for_timeout(15)
    pictures = page.evaluate("pictures")
    page.mouse.up()
    await_hits(page)
    report.say(f"\nA drag of {DRAG_SECONDS} s, {what}")
    said = report.mark(f"pictures in a drag, {what}", len(pictures), 8, "", most=False)
    report.say(f"  {len(pictures)} pictures   {said}")
    first = pictures[0] if pictures else DRAG_SECONDS * 1e3
    said = report.mark(f"first picture of a drag, {what}", first, 200, "ms", most=True)
    report.say(f"  the first {first:.0f} ms after the first move   {said}")
    report.keep(f"pictures, {what}", pictures)


def measure_memory(
    report: Report,
    server: Server,
    one: Dragger,
    other: Dragger,
    quick: bool,
    until: float | None,
) -> None:
    """Steps of two sessions in turn, until caches are full, and then as many as are counted.

    The one is held already, and was dragged over some sizes.
    """
    if server.resident_megabytes() is None:
        report.skip("memory", "this system has no /proc/PID/status")
        return
    other.x += 130  # to sizes that the one does not come to
    other.hold()
    # With --quick the sizes that were visited before count as well.
    full, many, least = (CUTTINGS_KEPT // 4, 100, 24) if quick else (CUTTINGS_KEPT // 2, 200, 200)
    found: list[tuple[float, float]] = []
    while len(found) < full + many:
        if until is not None and len(found) >= full + least and time.monotonic() > until:
            report.say(f"  ({len(found) - full} steps, not {many}: the time of --quick is over)")
            break
        (one, other)[len(found) % 2].hurry()
        found.append((server.resident_megabytes() or 0, server.own_megabytes() or 0))
    counted = found[full:]
    quarter = len(counted) // 4
    report.say(
        f"\nMemory of the server, 1 MB open in two browser sessions: {full} steps to fill what is "
        f"remembered, then {len(counted)}"
    )
    for at, name in enumerate(("resident", "without pages of files")):
        early = median(each[at] for each in counted[:quarter])
        late = median(each[at] for each in counted[-quarter:])
        said = report.mark(f"growth of memory, {name}", late / early, TOLERANCE, "x", most=True)
        report.say(
            f"  {name:22} at first {found[0][at]:,.0f}, early {early:,.0f}, late {late:,.0f} MB, "
            f"ratio {late / early:.3f}   {said}"
        )
        report.keep(f"megabytes, {name}", {"first": found[0][at], "early": early, "late": late})
    report.say(f"  at most so far         {server.peak_megabytes() or 0:,.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds and steps, under 50 s")
    parser.add_argument("--json", action="store_true", help="figures and marks as JSON")
    parser.add_argument("--full", action="store_true", help="a real token pass over 1 MB")
    asked = parser.parse_args()
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # for both sides of each comparison
    report = Report(asked.json)
    started = time.monotonic()
    until = started + QUICK_SECONDS if asked.quick else None
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
    report.say(f"{os.cpu_count()} cores; load average at the start {busy:.1f}, of an idle one 0")
    report.keep("load_average", busy)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cache = folder / "cache"
        load = partial(library.Models, folder / "encoding")
        if why := why_no_browser():
            report.skip("start, screen and memory", why)
            measure_library(report, load(), cache, asked)
        else:
            opened = stack.enter_context(browser())
            server = stack.enter_context(streamlit(ROOT / "app.py", cache))
            page = open_page(opened, server)
            models = measure_start(report, page, server, load)
            await_all_read(page)
            measure_library(report, models, cache, asked)
            measure_screen(report, opened, page, server, asked.quick, until)
    report.keep("seconds", time.monotonic() - started)
    report.say(f"\nTook {time.monotonic() - started:.0f} s.")
    report.close()


def measure_library(
    report: Report, models: library.Models, cache: Path, asked: argparse.Namespace
) -> None:
    library.measure_encoding(report, models, asked.quick)
    read = library.measure_token_pass(report, models, asked.quick)
    text = large_document().decode()
    library.prepare(report, models, cache, text, read, asked.full)
    library.measure_storing(report, models, cache, text, read, asked.quick)
    library.measure_sizes(report, models, cache, text, asked.quick)


if __name__ == "__main__":
    main()
