"""The report is one file that shows the comparison and does nothing else, whatever it holds."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragchunk import STRATEGIES, Document
from ragchunk.comparison import ask, cut
from ragchunk.corpus import Corpus
from ragchunk.evaluation.questions import Answer
from ragchunk.markup import escape
from ragchunk.panels import Scene
from ragchunk.report import Column, report_html, settings_in_words
from ragchunk.strategies import Strategy
from tests.encoders import HashedWords
from tests.test_export import HOSTILE, hostile_corpus

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

DOCKER = "Docker packs the app. Nginx sits in front. Env vars hold the secrets."
NGINX = Answer("docker.md", 22, 42, "Nginx sits in front.")

TAGS = set(
    re.findall(
        r"\w+",
        "html head meta title style body header main section article footer div p span b i bdi "
        "strong small h1 h2 h3 dl dt dd table thead tbody tr th td details summary",
    )
)
ATTRIBUTES = set(
    re.findall(
        r"[\w-]+",
        "lang charset http-equiv content name class style dir title role aria-label aria-hidden "
        "scope",
    )
)


def window(size: int, overlap: int = 0) -> Strategy:
    return STRATEGIES["window"](size=size, overlap=overlap)


PLAIN = Scene("characters", "plain", 5)


def columns(
    corpus: Corpus, query: str, *strategies: Strategy, k: int = 5, scene: Scene = PLAIN
) -> list[Column]:
    """What the screen would hand over."""
    cuttings = [cut(corpus, strategy) for strategy in strategies]
    asked = [ask(query, each, HashedWords(), k, "plain") if query else None for each in cuttings]
    return [
        (each.strategy.label, each, ranking, scene)
        for each, ranking in zip(cuttings, asked, strict=True)
    ]


def docker(query: str = "what sits in front", *strategies: Strategy, title: str = "") -> str:
    corpus = Corpus((Document("docker.md", DOCKER), Document("b.md", "Something else.")))
    scene = Scene("characters", "plain", 5, [NGINX] if query else [])
    found = columns(corpus, query, *(strategies or (window(30), window(30, 10))), scene=scene)
    return report_html(corpus, found, query, "3 May 2031", "http://localhost/?k=5", title)


class Parts(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.text: dict[str, str] = {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open and self.open[-1] in ("style", "title") else "page"
        self.text[inside] = self.text.get(inside, "") + data


def shown(page: str) -> str:
    """The words of a page, with plain spaces."""
    return " ".join(
        Parts(re.sub(r"(?=<(?:p|div|d[td]|h\d|t[hd]|span)\b)", " ", page)).text["page"].split()
    )


# What it says


def test_it_begins_as_a_page_of_today_in_utf_8() -> None:
    assert docker().startswith(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    )


def test_the_corpus_the_settings_the_question_the_day_and_the_link() -> None:
    words = shown(docker())
    assert words.startswith(
        "ragchunk 3 May 2031 what sits in front "
        "Corpus 2 documents · 84 characters · 24 tokens docker.md b.md "
        "Vectors By all-MiniLM-L6-v2. Plain: The model reads a chunk up to its limit; "
        "what stands behind the limit is lost. "
        "Fixed window Size 30 characters · overlap 0 · tail kept A cut every 30 characters. "
    )
    assert words.endswith("This view in ragchunk: http://localhost/?k=5")


def test_each_column_has_figures_verdict_hits_and_more_figures() -> None:
    page = docker()
    words = shown(page)
    assert "Sentences cut 2 0 rescued, 2 lost" in words
    assert "Sentences cut 3 3 rescued, 0 lost" in words
    assert "The answer is cut" in words or "The answer is split" in words
    assert "The answer is whole in one chunk, rank 1." in words
    assert [words.count(each) for each in ("More figures", "noise floor", "Size in")] == [2, 2, 2]
    assert page.count("<article") == 8
    assert words.count("shared by two chunks") == 1


def test_settings_that_all_columns_share_are_said_once_above_them() -> None:
    words = shown(docker("front", STRATEGIES["whole"](), window(40, 4)))
    assert words.count("Settings Size 40 characters · overlap 4, 10 % · tail kept") == 1
    assert words.count("tail kept") == 1


def test_a_title_of_ones_own_stands_above_the_question() -> None:
    page = docker(title="Lecture 4")
    assert "<title>Lecture 4 · ragchunk</title>" in page
    assert "Lecture 4 what sits in front Corpus" in shown(page)


def test_without_a_question_there_are_cuts_and_figures() -> None:
    words = shown(docker(""))
    assert words.startswith("ragchunk 3 May 2031 Chunks compared Corpus")
    assert words.count("No question was asked.") == 2
    assert "rank" not in words


def test_a_question_without_words_and_one_that_the_model_never_saw() -> None:
    assert "There is no word in the question." in shown(docker("?!"))
    corpus = Corpus((Document("a.md", "One."),))
    page = report_html(corpus, columns(corpus, "", window(9)), "one?", "today")
    assert "The model was not asked." in shown(page)


def test_nothing_open_and_nothing_cut_still_is_a_page() -> None:
    words = shown(report_html(Corpus(()), [], "", "today"))
    assert "0 documents · 0 characters · 0 tokens Vectors" in words
    assert "This view" not in words
    empty = Corpus((Document("a.md", " \n"),))
    page = report_html(empty, columns(empty, "x", window(9)), "x", "today")
    assert "There is no chunk to find." in shown(page)


def test_of_many_documents_twelve_are_named() -> None:
    corpus = Corpus(tuple(Document(f"{n:03}.md", f"Number {n}.") for n in range(500)))
    page = report_html(corpus, [], "", "today")
    assert "500 documents" in shown(page)
    assert "010.md 011.md and 488 more Vectors" in shown(page)


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        (STRATEGIES["whole"](), ""),
        (
            STRATEGIES["window"](size=1200, overlap=150, unit="words", tail="merge"),
            "Size 1,200 words · overlap 150, 12 % · tail below 300 merged",
        ),
        (
            STRATEGIES["paragraphs"](size=120, unit="tokens", tail="drop", min_size=50),
            "Size 120 tokens · overlap 0 · tail below 50 dropped",
        ),
    ],
)
def test_settings_in_words(strategy: Strategy, words: str) -> None:
    assert settings_in_words(strategy).replace("\u202f", " ") == words


# What it never does


@pytest.fixture(scope="module")
def hostile() -> str:
    """A report in which every string that comes from outside is hostile, many times over."""
    corpus, query = hostile_corpus(), " ".join(HOSTILE)
    strategies = STRATEGIES["whole"](), window(50, 20), STRATEGIES["paragraphs"](size=40)
    answers = [
        Answer(source, 0, len(text), text) for source, text in list(corpus.texts.items())[::2]
    ]
    scene = Scene("characters", "plain", 100, answers)
    found = columns(corpus, query, *strategies, k=100, scene=scene)
    return report_html(
        corpus,
        [(HOSTILE[n], *each[1:]) for n, each in enumerate(found)],
        query,
        HOSTILE[0],
        HOSTILE[3],
        " ".join(HOSTILE[:4]),
    )


def test_no_tag_and_no_attribute_but_ours(hostile: str) -> None:
    parts = Parts(hostile)
    assert parts.open == []
    assert set(parts.tags) <= TAGS
    assert {name for name, _ in parts.attributes} <= ATTRIBUTES
    styles = {value for name, value in parts.attributes if name == "style"}
    assert all(re.fullmatch(r"--at:[\d.]+%|--columns:\d", value or "") for value in styles)
    assert parts.tags.count("style") == 2
    assert parts.tags.count("title") == 1


def test_what_is_hostile_is_shown(hostile: str) -> None:
    text = Parts(hostile).text
    for each in (*HOSTILE[:7], HOSTILE[12], HOSTILE[17], HOSTILE[21], HOSTILE[22]):
        assert each in text["page"]
    assert "NUL ␀, escape ␛[31m" in text["page"]
    assert text["title"].startswith("<img src=x onerror=alert(1)> <script>alert(1)</script>")


def test_it_can_be_saved_as_utf_8(hostile: str) -> None:
    assert hostile.encode("utf-8").decode("utf-8") == hostile
    assert "\0" not in hostile


def test_its_looks_fetch_nothing(hostile: str) -> None:
    style = Parts(hostile).text["style"]
    assert not re.search(r"url\(|@import|@font-face|https?:|//\w", style)
    assert "color-scheme: light dark" in style
    assert "@media print" in style


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_word_is_inert_wherever_it_comes_in(text: str) -> None:
    corpus = Corpus((Document(text, text),))
    [column] = columns(corpus, "a", STRATEGIES["whole"]())
    page = report_html(corpus, [(text, *column[1:])], text, text, text, text)
    assert set(Parts(page).tags) <= TAGS
    assert page.count(escape(text)) >= 5


# In a browser

SEEN = """() => ({
    wide: document.documentElement.scrollWidth - innerWidth,
    ground: getComputedStyle(document.documentElement).backgroundColor,
    ink: getComputedStyle(document.querySelector('h1')).color,
    ran: window.hacked === undefined && document.querySelector('script, img, svg') === null,
})"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("scheme", "ground", "ink"),
    [
        ("light", "rgb(251, 250, 247)", "rgb(29, 33, 37)"),
        ("dark", "rgb(20, 23, 26)", "rgb(232, 230, 225)"),
    ],
)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_shows_it_and_asks_for_nothing(
    hostile: str,
    chromium: Browser,
    tmp_path: Path,
    scheme: str,
    ground: str,
    ink: str,
    width: int,
) -> None:
    pages = {"hostile": hostile, "docker": docker("front", *[window(30, n) for n in range(4)])}
    for name, html in pages.items():
        (tmp_path / f"{name}.html").write_text(html, encoding="utf-8")
    context = chromium.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    try:
        for name in pages:
            page = context.new_page()
            happened = _watch(page)
            address = (tmp_path / f"{name}.html").as_uri()
            page.goto(address)
            seen = page.evaluate(SEEN)
            assert seen == {"wide": 0, "ground": ground, "ink": ink, "ran": True}
            assert happened == [f"request {address}"]
    finally:
        context.close()


def _watch(page: Page) -> list[str]:
    """All that a page asks for, says or complains about, as it happens."""
    happened: list[str] = []
    page.on("request", lambda request: happened.append(f"request {request.url}"))
    page.on("console", lambda said: happened.append(f"console {said.text}"))
    page.on("pageerror", lambda error: happened.append(f"error {error}"))

    def dismiss(dialog: Dialog) -> None:
        happened.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dismiss)
    return happened
