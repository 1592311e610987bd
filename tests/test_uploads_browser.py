"""Files of several formats in a headless Chromium: given in one go, cut, asked, and found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import made
from tests.browser import FIRST_HITS, PATIENCE, playwright

if TYPE_CHECKING:
    from tests.conftest import OpenPage

expect = playwright().expect
expect.set_options(timeout=PATIENCE)

pytestmark = pytest.mark.browser

WHOLE, WINDOW, PARAGRAPHS = range(3)

FERRY = made.pdf(
    [
        [
            (72, 800, 8, "Island ferries, yearly report"),
            *made.lines(["The first ferry leaves the island at six in the morning."]),
        ],
        [
            (72, 800, 8, "Island ferries, yearly report"),
            *made.lines(["Lost umbrellas are kept for ninety days at the ticket window."]),
        ],
        [
            (72, 800, 8, "Island ferries, yearly report"),
            *made.lines(["Dogs travel free if they stay on the lower deck."]),
        ],
    ]
)
BEES = b"""<!doctype html><html><head><style>p { color: red }</style></head><body>
<script>window.hacked = true</script><h1>Bees</h1>
<p>The queen was marked with a blue dot in June.</p></body></html>"""


@pytest.mark.model
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_pdf_a_word_file_and_a_web_page_are_cut_asked_and_found(
    open_page: OpenPage, width: int, scheme: str
):
    screen = open_page(width=width, scheme=scheme)
    screen.upload(("ferry.pdf", FERRY), ("stove.docx", made.docx()), ("bees.html", BEES))
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("3")
    expect(screen.notes()).to_have_count(0)

    before = screen.figure(WINDOW, "Chunks").inner_text()
    screen.type_into("size_words_box", 20)
    expect(screen.figure(WINDOW, "Chunks")).not_to_have_text(before)

    card = screen.column(PARAGRAPHS).locator(".card").first
    for question, name, words, page in (
        ("where do lost umbrellas go?", "ferry.pdf", "ninety days", "p. 2"),
        ("how long has dry wood been under a roof?", "stove.docx", "two years", ""),
        ("what colour marks the queen bee?", "bees.html", "blue dot", ""),
    ):
        screen.ask(question)
        screen.field("query").press("Enter")
        expect(card.locator(".id")).to_contain_text(name, timeout=FIRST_HITS)
        expect(card).to_contain_text(words)
        if page:
            expect(card.locator(".page")).to_have_text(page)
    assert screen.page.evaluate("window.hacked") is None
    assert screen.scrolls_sideways() == []

    menu = screen.open_menu("corpus_menu")
    menu.get_by_text("Mended: 1").click()
    expect(menu).to_contain_text("running header “Island ferries, yearly report” on 3 pages")
    menu.get_by_text("as they are", exact=True).click()
    screen.settle()
    screen.close_menu()
    chunk = screen.document(WHOLE).locator(".chunk").first
    expect(chunk).to_contain_text("Island ferries, yearly report")


def test_a_long_file_shows_its_progress_and_can_be_stopped_and_nothing_is_lost(
    open_page: OpenPage,
):
    screen = open_page()
    long = made.pdf([made.lines(["A line of a very long report."] * 40)] * 6_000)
    menu = screen.open_menu("corpus_menu")
    menu.locator("input[type=file]").first.set_input_files(
        [
            {"name": "note.txt", "mimeType": "text/plain", "buffer": b"Bees dance."},
            {"name": "long.pdf", "mimeType": "application/pdf", "buffer": long},
        ]
    )
    status = screen.page.locator(".st-key-uploading")
    expect(status).to_contain_text("Reading long.pdf, page ")
    expect(status).to_contain_text(" of 6,000")
    # What was open is still there.
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("11")
    screen.close_menu()
    status.get_by_role("button", name="Stop reading").click()
    expect(status).to_contain_text("1 file not read, as reading was stopped.")
    expect(screen.figure(WHOLE, "Chunks")).to_have_text("1")
    status.get_by_role("button", name="Go on reading").click()
    expect(status).to_contain_text("Reading long.pdf, page ")
    status.get_by_role("button", name="Stop reading").click()
    expect(status).to_contain_text("1 file not read")
