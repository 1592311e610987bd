"""How fast the page answers: from the press of a key on a slider to the changed page.

    python benchmarks/screen.py [--quick] [--json]

Starts the app and, beside it, an empty Streamlit page with one slider, both with the project's
settings, and opens them in one headless Chromium. A step is an arrow key on the slider *Size*,
back and forth between two sizes that were both visited, so that everything is remembered: cuts,
figures and vectors. The steps of the two pages take turns (`browsing.py` says how they are timed).
Marks are on *all*: hits and chunks are there; *first* is printed beside it.

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
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.browsing import (
    EMPTY_PAGE,
    SLIDER,
    WAITS_FOR_HITS,
    Stepper,
    browser,
    compare,
    open_page,
    upload,
    why_no_browser,
)
from benchmarks.common import ROOT, Report, Server, streamlit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STEPS = 16
QUICK_SECONDS = 44


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
                empty.visit()
                app.visit()
                end = until if quick else None
                compare(report, "sample documents", empty, app, 2, STEPS, end)
                memory(report, "sample documents", app_server)
                what = open_large(report, app, quick)
                compare(report, what, empty, app, 4, STEPS, end)
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


def memory(report: Report, what: str, server: Server) -> None:
    peak = server.peak_megabytes()
    if peak is None:
        report.skip(f"peak memory, {what}", "this system has no /proc/PID/status")
        return
    report.keep(f"peak_megabytes, {what}", peak)
    report.say(f"  peak memory of the server so far: {peak:,.0f} MB")


def open_large(report: Report, app: Stepper, quick: bool) -> str:
    """Open a document of 1 MB and visit both sizes; returns what can be measured on it."""
    page = app.page
    if quick:
        page.get_by_label("Question", exact=True).fill("")
        page.locator(".waiting").first.wait_for(timeout=30_000)
    started = time.monotonic()
    report.say(f"\n1 MB document: first chunks {upload(page):.1f} s after the upload")
    if quick:
        for _ in range(4):
            app.step(60_000)
        return "1 MB document, chunks and figures only"
    limit = 900_000  # the model reads some 15,000 chunks once
    page.wait_for_function(WAITS_FOR_HITS, timeout=limit)
    app.visit(limit)
    took = time.monotonic() - started
    report.keep("seconds_to_vectors_of_1_mb", took)
    report.say(f"  all vectors of two sizes {took:.0f} s after the upload")
    return "1 MB document"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="no vectors for the 1 MB document")
    parser.add_argument("--json", action="store_true", help="figures and marks as JSON")
    asked = parser.parse_args()
    started = time.monotonic()
    report = Report(asked.json)
    if why := why_no_browser():
        report.skip("all", why)
    else:
        with browser() as opened:
            measure(report, opened, asked.quick, started + QUICK_SECONDS)
    report.keep("seconds", time.monotonic() - started)
    report.say(f"\nTook {time.monotonic() - started:.0f} s.")
    report.close()


if __name__ == "__main__":
    main()
