"""What the browser tests drive: the app as a server, a headless Chromium, and the page in it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import pytest

from tests.required import required

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, FloatRect, Locator, Page

ROOT = Path(__file__).parents[1]
CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Reading the model takes eight seconds, and a minute on a very busy machine.
FIRST_HITS = 180_000
PATIENCE = 20_000
# The inputs of a number's slider and box, by the ends of their keys.
HANDLES = {"slider": "range", "box": "number"}


def playwright() -> Any:
    """Playwright's module. Without it or Chromium the tests skip by name, or fail if `required`."""
    if required():
        import playwright.sync_api

        return playwright.sync_api
    found = pytest.importorskip(
        "playwright.sync_api", reason="browser tests need playwright: requirements-dev.txt"
    )
    if not CHROMIUM.exists():
        pytest.skip(f"browser tests need {CHROMIUM}", allow_module_level=True)
    return found


@contextmanager
def served(log: Path) -> Iterator[str]:
    """The app in a process of its own; its address. The process is ended by its id."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.port", str(port), "--server.headless", "true"]
    with log.open("wb") as file:
        process = subprocess.Popen([*command, *options], cwd=ROOT, stdout=file, stderr=file)
        try:
            address = f"http://127.0.0.1:{port}/"
            _await_health(process, address, log)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_health(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{address}_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"The app did not start:\n{log.read_text(errors='replace')}")


@contextmanager
def launched() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Screen:
    """The app in a new browser profile, and what happens there.

    page: for all that has no name here.
    errors: errors of scripts and in the console. requested: all addresses. dialogs: their words.
    """

    def __init__(self, browser: Browser, address: str, width: int, height: int, scheme: str):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=cast('Literal["light", "dark"]', scheme),
        )
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.errors: list[str] = []
        self.requested: set[str] = set()
        self.dialogs: list[str] = []
        self.page.on(
            "console",
            lambda said: self.errors.append(said.text) if said.type == "error" else None,
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requested.add(request.url))
        self.page.on("websocket", lambda socket: self.requested.add(socket.url))
        self.page.on("dialog", self._dismiss)
        self.page.goto(address)
        self.await_hits()
        self.await_controls()

    def _dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def await_hits(self) -> None:
        for number in range(3):
            hit = self.column(number).locator(".card .score").first
            hit.wait_for(timeout=FIRST_HITS)

    def await_controls(self) -> None:
        """Streamlit draws grey boxes until it has fetched the script of each kind of control."""
        for key in ("query", "sample_question", "k"):
            self.field(key).wait_for(state="attached")
        for key in ("size_words_slider", "size_words_box", "overlap_words_slider"):
            self.field(key).wait_for()
        self.page.locator(".st-key-unit button").first.wait_for()
        self.page.locator(".st-key-strategy_2 input").wait_for()
        self.page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
        self.page.evaluate("document.fonts.ready.then(() => true)")
        self.settle()

    def settle(self) -> None:
        """Wait until the script of the page has run, and all that was old is gone."""
        self.page.wait_for_function(
            """() => {
                const app = document.querySelector('[data-testid=stApp]');
                return app.dataset.testScriptState === 'notRunning'
                    && !app.querySelector('[data-stale=true]');
            }""",
            timeout=FIRST_HITS,  # reading the model is part of the first run
        )

    # Parts of the page

    def field(self, key: str) -> Locator:
        """The input of the control with this key; a number's two handles are one control."""
        name, _, handle = key.rpartition("_")
        if kind := HANDLES.get(handle):
            return self.page.locator(f".st-key-{name}_slider input[type={kind}]").first
        return self.page.locator(f".st-key-{key} input").first

    def column(self, number: int) -> Locator:
        """A column of the comparison: head and hits."""
        return self.page.locator(".st-key-columns [data-testid=stColumn]").nth(number)

    def document(self, number: int) -> Locator:
        """A column below it: chunks of the open document."""
        return self.page.locator(".st-key-documents [data-testid=stColumn]").nth(number)

    def figure(self, number: int, label: str) -> Locator:
        row = self.column(number).locator(".figures > div").filter(has_text=label)
        return row.locator(".value")

    def ids(self, number: int) -> list[str]:
        """The ids of the hits of a column."""
        return self.column(number).locator(".card header .id").all_inner_texts()

    def notes(self) -> Locator:
        return self.page.locator(".note")

    @property
    def menu(self) -> Locator:
        """The menu that is open."""
        return self.page.locator("[data-testid=stPopoverBody]")

    # What a person does

    def open_menu(self, key: str) -> Locator:
        self.page.locator(f".st-key-{key} button").first.click()
        self.menu.wait_for()
        return self.menu

    def close_menu(self) -> None:
        self.page.keyboard.press("Escape")
        self.menu.wait_for(state="hidden")

    def upload(self, *files: tuple[str, bytes]) -> None:
        """Give these files to the first uploader, as one choice of several."""
        menu = self.open_menu("corpus_menu")
        payloads: Any = [
            {"name": name, "mimeType": "text/plain", "buffer": data} for name, data in files
        ]
        menu.locator("input[type=file]").first.set_input_files(payloads)
        self.page.locator(".st-key-sample_question input:disabled").wait_for()
        self.settle()
        self.close_menu()

    def ask(self, query: str) -> None:
        self.field("query").fill(query)

    def type_into(self, key: str, value: int) -> None:
        self.field(key).fill(str(value))
        self.field(key).press("Enter")

    # What a person sees

    def scrolls_sideways(self) -> list[str]:
        """What is wider than its place, of the page and of its main part."""
        return self.page.evaluate(
            """() => [document.scrollingElement, document.querySelector('main')]
                .filter(part => part.scrollWidth > part.clientWidth)
                .map(part => `${part.tagName} ${part.scrollWidth} > ${part.clientWidth}`)"""
        )

    def focused(self) -> str:
        """The key of the control that has the focus, without what makes it unique; or its tag."""
        key = self.page.evaluate(
            """() => {
                const at = document.activeElement;
                const keyed = at.closest('[class*="st-key-"]');
                const key = keyed ? keyed.className.match(/st-key-(\\S+)/)[1] : at.tagName;
                return at.type === 'number' ? key.replace(/_slider$/, '_box') : key;
            }"""
        )
        return re.sub(r"_[0-9a-f]{32}$", "", key)

    def contrast(self, place: Locator) -> float:
        """The WCAG contrast of an element's text with what is drawn behind it, at its worst."""
        text, *behind = place.evaluate(_COLOURS)
        return min(ratio(over(text, each), each) for each in behind)


def box_of(place: Locator) -> FloatRect:
    """Where an element is on the page; it must be somewhere."""
    box = place.bounding_box()
    assert box, f"{place} is not to be seen"
    return box


Colour = tuple[float, float, float, float]

# The colour of the text, then each colour behind it: the first opaque background on the way up,
# or all the colours of a gradient. A canvas knows every way to write a colour.
_COLOURS = """start => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const text = rgba(getComputedStyle(start).color);
    for (let at = start; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.backgroundImage !== 'none') {
            const found = style.backgroundImage.match(/(?:rgba?|color|oklab|oklch)\\([^)]*\\)/g);
            const opaque = (found || []).map(rgba).filter(colour => colour[3] === 1);
            if (opaque.length) return [text, ...opaque];
        }
        const colour = rgba(style.backgroundColor);
        if (colour[3] === 1) return [text, colour];
    }
    return [text, [255, 255, 255, 1]];
}"""


def over(front: Colour, back: Colour) -> Colour:
    """A colour that may be translucent, on an opaque one."""
    share = front[3]
    red, green, blue = (share * front[i] + (1 - share) * back[i] for i in range(3))
    return red, green, blue, 1.0


def ratio(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG 2: from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: Colour) -> float:
    parts = [each / 255 for each in colour[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@contextmanager
def without_errors(screens: Sequence[Screen]) -> Iterator[None]:
    """Closes all that were opened meanwhile; none may have had an error."""
    yield
    for screen in screens:
        screen.page.context.close()
    assert [each for screen in screens for each in screen.errors] == []
