"""The document page: its pages, the bars worked out by hand, its text, its links, its reasons."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk import STRATEGIES, Document, Hit, Span
from ragchunk.comparison import Cutting, Ranking, ask, cut
from ragchunk.corpus import Corpus
from ragchunk.document_page import (
    DOCUMENT_STYLE,
    DRAWN_CHUNKS,
    LONGEST,
    PAGE,
    SHORTEST,
    Lane,
    document_html,
    page_of,
    pages,
)
from ragchunk.evaluation.questions import Answer
from ragchunk.graphemes import is_boundary
from ragchunk.markup import CONTROLS
from ragchunk.panels import Scene
from ragchunk.tokens import without_surrogates
from ragchunk.units import Unit
from tests.encoders import HashedWords
from tests.texts import any_texts

WHOLE, WINDOW, PARAGRAPHS = STRATEGIES["whole"], STRATEGIES["window"], STRATEGIES["paragraphs"]

# Two paragraphs of ten characters: 0 to 10 and 12 to 22.
TWO = "abcdefghij\n\nklmnopqrst"
VOID = {"br", "img", "hr", "input"}


class Reader(HTMLParser):
    """Reads HTML: `tags` are its elements, `text` what is in the text column, marks aside."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert len(found) == len(attrs)
        self.tags.append((tag, found))
        if tag not in VOID:
            self.open.append((tag, found.get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        classes = [set(kinds.split()) for _, kinds in self.open]
        marked = any("mark" in each for each in classes)
        counted = any(tag == "small" for tag, _ in self.open)
        if any("text" in each for each in classes) and not marked and not counted:
            self.text += data

    def of(self, kind: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a class."""
        return [found for _, found in self.tags if kind in (found.get("class") or "").split()]


def cutting(text: str, strategy=None, source: str = "a.md", **others: str) -> Cutting:
    documents = [Document(source, text), *(Document(f"{k}.md", v) for k, v in others.items())]
    return cut(Corpus(tuple(documents)), strategy or WINDOW(size=8, overlap=2))


def scene(unit: Unit = "characters", way: str = "plain", answers=()) -> Scene:
    return Scene(unit, way, 5, answers)


def ranked(found: Cutting, *order: int) -> Ranking:
    """A ranking with these chunks in front: the best scores .9, each next .1 less, others .1."""
    scores = np.full(len(found.chunks), 0.1, dtype=np.float32)
    hits = []
    for rank, position in enumerate(order, 1):
        score = round(1 - rank / 10, 1)
        scores[position] = score
        hits.append(Hit(rank, score, found.chunks[position]))
    return Ranking(hits, scores, 0.1, 1.0, 1, 1, "plain")


def drawn(found: Cutting, ranking: Ranking | None = None, source: str = "a.md", **more) -> str:
    [page] = pages(found.corpus.texts[source])
    return document_html(source, page, [Lane("Fixed", found, ranking)], 0, scene(), **more)


def shown(text: str) -> str:
    return without_surrogates(text).translate(CONTROLS)


# Pages


@pytest.mark.parametrize("repeat", [1, 400])
@given(any_texts)
def test_pages_joined_are_the_text_and_cut_no_cluster(repeat: int, text: str) -> None:
    text *= repeat
    found = pages(text)
    assert "".join(text[start:end] for start, end in found) == text
    assert found[0].start == 0
    assert all(one.end == other.start for one, other in pairwise(found))
    assert all(is_boundary(text, end) for _, end in found)
    assert all(start < end for start, end in found) or found == [(0, 0)]


def test_a_page_ends_with_the_paragraph_nearest_to_its_length() -> None:
    paragraph = "x" * 698 + "\n\n"
    assert pages(paragraph * 12) == [(0, 4200), (4200, 8400)]
    assert pages(paragraph * 7) == [(0, 4900)]


def test_a_page_does_not_end_behind_a_heading() -> None:
    heading = "## Head\n\n"
    text = "x" * 3_900 + "\n\n" + heading + "y" * 3_900
    assert pages(text) == [(0, 3_902), (3_902, len(text))]


def test_one_long_paragraph_is_cut_behind_white_space() -> None:
    text = "word " * 2_000
    assert pages(text) == [(0, 4_000), (4_000, 8_000), (8_000, 10_000)]
    text = "seven77 " * 1_250 + "x"
    assert all(text[end - 1] == " " for _, end in pages(text)[:-1])


def test_without_white_space_a_page_ends_between_clusters() -> None:
    family = "👨‍👩‍👧"
    text = family * 2_000  # five code points each
    assert pages(text)[0] == (0, 4_000)
    text = "a" + text
    assert pages(text)[0] == (0, 3_996)
    # A cluster longer than a page is a page.
    assert pages("e" + "\u0301" * 9_000 + "x") == [(0, 9_001), (9_001, 9_002)]


def test_page_of() -> None:
    found = [Span(0, 10), Span(10, 20)]
    assert [page_of(found, position) for position in (0, 9, 10, 19, 20)] == [0, 0, 1, 1, 1]
    assert page_of([Span(0, 0)], 0) == 0


def test_lengths() -> None:
    assert (SHORTEST, PAGE, LONGEST) == (2_400, 4_000, 5_000)


# The lanes


def bars(html: str) -> list[tuple[str | None, ...]]:
    return [(b["data-c"], b["class"], b["style"]) for b in Reader(html).of("ext")]


def test_bars_by_hand() -> None:
    # Windows of 8 characters, 2 shared: 0-8, 6-14, 12-20, 18-22.
    assert bars(drawn(cutting(TWO))) == [
        ("0-0", "ext even cut", "top:0.00%;bottom:20.00%"),
        ("0-1", "ext odd cut on", "top:60.00%;bottom:calc(-1*var(--gap))"),
        ("0-1", "ext odd", "top:0.00%;bottom:80.00%"),
        ("0-2", "ext even cut", "top:0.00%;bottom:20.00%"),
        ("0-3", "ext odd cut", "top:60.00%;bottom:0.00%"),
    ]


def test_a_chunk_that_begins_or_ends_in_blank_lines() -> None:
    # 0-11 ends between the two line ends, 11-22 begins there.
    html = drawn(cutting(TWO, WINDOW(size=11)))
    assert bars(html) == [
        ("0-0", "ext even cut", "top:0.00%;bottom:0.00%"),
        ("0-1", "ext odd cut", "top:0.00%;bottom:0.00%"),
    ]
    assert [each["id"] for each in Reader(html).of("mark")] == ["chunk-0-0", "chunk-0-1"]
    assert '<span class="brk">\n\n</span></div>' in html


def test_hits_have_a_rank_and_a_tint_by_score() -> None:
    found = cutting(TWO)
    html = drawn(found, ranked(found, 1, 2))
    assert 'class="ext odd hit cut on rest" data-c="0-1" style="top:60.00%;bottom:calc(' in html
    # Floor .1, best .9: the second hit, .8, is at 7/8.
    assert "bottom:80.00%;--i:90%" in html
    assert "bottom:20.00%;--i:81%" in html
    assert [(d["class"], d["style"]) for d in Reader(html).of("disc")] == [
        ("disc odd", "top:60.00%"),
        ("disc even", "top:0.00%"),
    ]
    assert {run.get("style") for run in Reader(html).of("run")} == {
        "--p:13.0%",
        "--p:11.6%",
        None,
    }


def test_each_chunk_is_named_once() -> None:
    found = cutting(TWO)
    html = drawn(found, ranked(found, 1))
    names = [b["aria-label"] for b in Reader(html).of("ext") if b.get("role") == "img"]
    assert names == [
        "Fixed #0, characters 0 to 8",
        "Fixed #1, characters 6 to 14, rank 1",
        "Fixed #2, characters 12 to 20",
        "Fixed #3, characters 18 to 22",
    ]
    assert all(b.get("aria-hidden") or b.get("aria-label") for b in Reader(html).of("ext"))
    assert not any("tabindex" in found for _, found in Reader(html).tags)


def test_what_the_model_does_not_read_is_hatched() -> None:
    words = " ".join(["one"] * 254)
    text = f"{words} two two\n\nthree"
    html = drawn(cutting(text, WHOLE()))
    limit = len(words) + 1
    assert text[limit:].startswith("two two")
    top = 100 * limit / (len(words) + 8)
    assert bars(html) == [
        ("0-0", "ext even cut on", f"top:0.00%;bottom:{100 - top:.2f}%"),
        ("0-0", "ext even on unread", f"top:{top:.2f}%;bottom:calc(-1*var(--gap))"),
        ("0-0", "ext even unread", "top:0.00%;bottom:0.00%"),
    ]
    assert "#0 is read to here, 254 of 257 tokens" in html
    assert '<span class="unread"><span class="run" data-c="0-0">two two</span></span>' in html
    averaged = document_html(
        "a.md", pages(text)[0], [Lane("W", cutting(text, WHOLE()), None)], 0, scene(way="averaged")
    )
    assert "unread" not in averaged


def test_a_chunk_from_the_page_before_has_no_cut_and_is_named() -> None:
    text = ("word " * 19 + "end\n\n") * 90
    found = cutting(text, WINDOW(size=900))
    html = document_html("a.md", Span(4_000, 8_000), [Lane("F", found, None)], 0, scene())
    reader = Reader(html)
    assert reader.of("ext")[0]["class"] == "ext even on"
    assert reader.of("ext")[0]["aria-label"] == "F #4, characters 3,600 to 4,500"
    assert reader.of("mark")[0] == {"class": "mark continued", "id": "chunk-0-4"}
    assert "#4, continued</span>" in html
    assert {bar["data-c"] for bar in reader.of("ext")} == {"0-4", "0-5", "0-6", "0-7", "0-8"}
    # The last one begins here and goes on behind the page.
    assert reader.of("ext")[-1]["class"] == "ext even on"
    assert reader.text == text[4_000:8_000]


def test_lanes_in_their_order_and_the_drawn_one_bold() -> None:
    one, other = cutting(TWO), cutting(TWO, WHOLE())
    html = document_html(
        "a.md", Span(0, 22), [Lane("A & B", one, None), Lane("C", other, None)], 1, scene()
    )
    assert '<span class="lane">A &amp; B</span><span class="lane drawn"><b>C</b></span>' in html
    assert "--count:2" in html
    assert {run["data-c"] for run in Reader(html).of("run")} == {
        "0-0 1-0",
        "0-0 0-1 1-0",
        "0-1 1-0",
        "0-1 0-2 1-0",
        "0-2 1-0",
        "0-2 0-3 1-0",
        "0-3 1-0",
    }


def test_too_many_chunks_are_not_drawn_one_by_one_but_hits_are() -> None:
    text = "abcd " * 200
    found = cutting(text, WINDOW(size=5))
    html = drawn(found, ranked(found, 7))
    assert len(found.chunks) > DRAWN_CHUNKS
    assert {bar["data-c"] for bar in Reader(html).of("ext")} == {"0-7"}
    assert "Fixed has 200 chunks on this page, too many to draw one by one" in html
    assert Reader(html).text == text


# The text


@given(any_texts, st.integers(1, 12), st.integers(0, 11), st.data())
def test_the_text_is_the_text(text: str, size: int, overlap: int, data) -> None:
    strategies = [
        WHOLE(),
        WINDOW(size=size, overlap=min(overlap, size - 1)),
        PARAGRAPHS(size=size, overlap=min(overlap, size - 1)),
        WINDOW(size=size, unit="words", tail="drop"),
    ]
    number = data.draw(st.integers(0, 3))
    cuttings = [cutting(text, each) for each in strategies]
    lanes = [
        Lane(each.strategy.label, each, ask("a word", each, HashedWords(), 2, "plain"))
        for each in cuttings
    ]
    start = data.draw(st.integers(0, len(text)))
    answers = [Answer("a.md", start, len(text), text[start:])]
    page = Span(0, len(text))
    html = document_html("a.md", page, lanes, number, scene(answers=answers))
    reader = Reader(html)
    assert reader.text == shown(text)
    # Each chunk that is drawn can be jumped to, and is lit.
    anchors = [found["id"] for _, found in reader.tags if "id" in found]
    assert len(set(anchors)) == len(anchors)
    links = {found["href"] for _, found in reader.tags if "href" in found}
    assert links <= {f"#{anchor}" for anchor in anchors}
    for each in reader.of("ext"):
        assert f'.doc:has([data-c~="{each["data-c"]}"]:is(:hover,:focus-visible))' in html


def test_marks_say_what_begins() -> None:
    found = cutting(TWO)
    html = drawn(found, ranked(found, 1))
    assert '<span class="mark hit" id="chunk-0-1">#1 · rank 1 · .900</span>' in html
    assert '<span class="mark" id="chunk-0-2">#2</span>' in html


def test_shared_text_is_striped_and_says_whose_it_is() -> None:
    label = 'title="shared by #0 and #1, 2 characters"'
    html = drawn(cutting(TWO))
    assert f'<span class="shared" role="group" {label} ' in html
    two = drawn(cutting("One. Two. Three.", WINDOW(size=9, overlap=4)))
    assert '<span class="run" data-c="0-0 0-1">Two.</span></span>' in two
    deep = drawn(cutting("abcdefgh", WINDOW(size=6, overlap=5)))
    assert 'aria-label="shared by #0, #1 and #2, 4 characters"><small aria-hidden="true">×3' in deep


def test_answers_are_bold_and_lost_sentences_waved() -> None:
    text = "One two three four. Five."
    found = cutting(text, WINDOW(size=2, unit="words"))
    answers = [Answer("a.md", 20, 25, "Five."), Answer("b.md", 0, 5, "other")]
    html = document_html("a.md", Span(0, 25), [Lane("F", found, None)], 0, scene(answers=answers))
    assert "<strong>Five.</strong>" in html
    assert html.count("<strong>") == 1
    assert '<span class="lost" title="this sentence is whole in no chunk">One two</span>' in html


def test_text_in_no_chunk_says_so() -> None:
    html = drawn(cutting("One two. Six.", WINDOW(size=9, tail="drop", min_size=5)))
    assert '<span class="none" title="in no chunk"><span class="run">Six.</span></span>' in html


def test_hostile_names_and_text_are_only_shown() -> None:
    bad = "\"><script>alert(1)</script>'&amp;"
    name = f"{bad}.md"
    found = cutting(f"{bad}\n\n# {bad}", WINDOW(size=20, overlap=5), name, b="other words here")
    html = document_html(
        name, Span(0, 70), [Lane(bad, found, ranked(found, 0, len(found.chunks) - 1))], 0, scene()
    )
    reader = Reader(html)
    assert {tag for tag, _ in reader.tags}.isdisjoint({"script", "img", "svg", "iframe"})
    assert not any(key.startswith("on") for _, found in reader.tags for key in found)
    assert reader.text == f"{bad}\n\n# {bad}"[:70]
    [style] = re.findall("<style>(.*?)</style>", html, re.S)
    assert "<" not in style
    assert "script" not in style


@pytest.mark.parametrize("text", ["", "   ", "\n\n\n", " \n\n\t\n "])
@pytest.mark.parametrize("strategy", [WHOLE(), WINDOW(size=3), PARAGRAPHS(size=3)])
def test_a_document_without_chunks_has_a_page(text: str, strategy) -> None:
    html = drawn(cutting(text, strategy))
    assert Reader(html).text == text
    assert "No chunk of this strategy stands on this page." in html


# What is lit together


def rules(html: str) -> str:
    [style] = re.findall("<style>(.*?)</style>", html, re.S)
    return style


def test_one_rule_for_each_chunk_of_the_drawn_lane() -> None:
    style = rules(drawn(cutting(TWO)))
    for key in ("0-0", "0-1", "0-2", "0-3"):
        assert (
            f'.doc:has([data-c~="{key}"]:is(:hover,:focus-visible)){{'
            f':is(.ext,.entry)[data-c="{key}"]{{--ring:var(--ink)}}'
            f'.run[data-c~="{key}"]{{--lit:24%;color:var(--ink)}}'
        ) in style
    assert len(style.strip().split("\n")) == 4


def test_a_hit_rings_what_the_other_lanes_make_of_its_text() -> None:
    lanes = [
        Lane("A", cutting(TWO), None),
        Lane("B", cutting(TWO, PARAGRAPHS(size=10)), None),
        Lane("C", cutting(TWO, WHOLE()), None),
    ]
    style = rules(document_html("a.md", Span(0, 22), lanes, 1, scene()))
    # The second paragraph, 12 to 22, is in the windows 6-14, 12-20 and 18-22.
    assert (
        '.doc:has(.entry[data-c="1-1"]:is(:hover,:focus-visible)) :is(.ext[data-c="0-1"],'
        '.ext[data-c="0-2"],.ext[data-c="0-3"],.ext[data-c="2-0"]){--ring:var(--ink)}'
    ) in style
    # A whole document is lit from its bar only: its text is under the pointer wherever that is.
    assert '.doc:has(.ext[data-c="2-0"]:hover) .run[data-c~="2-0"]' in style
    assert '.doc:has([data-c~="2-0"]:is(:hover,:focus-visible)) .run' not in style


def test_at_rest_the_best_hit_of_the_page_is_shown_or_the_one_selected() -> None:
    found = cutting(TWO)
    html = drawn(found, ranked(found, 2, 1))
    assert '<div class="fact rest" data-f="0-2">' in html
    assert html.count('class="fact rest"') == 1
    assert '<div class="fact rest" data-f="0-3">' in drawn(
        found, ranked(found, 2, 1), selected="a.md#3"
    )
    # Nothing found: the first chunk is described, and nothing is lit.
    html = drawn(found)
    assert '<div class="fact rest" data-f="0-0">' in html
    assert not any("rest" in (each["class"] or "").split() for each in Reader(html).of("ext"))


# The rail


def test_hits_on_this_page_are_links_others_are_buttons_that_name_their_chunk() -> None:
    text = ("x" * 98 + "\n\n") * 90
    found = cutting(text, WINDOW(size=1_500), b="elsewhere")
    ranking = ranked(found, 0, 5, 6)
    html = document_html("a.md", pages(text)[0], [Lane("F", found, ranking)], 0, scene())
    reader = Reader(html)
    [first, second, *_] = reader.of("entry")
    assert (first["href"], first["data-c"]) == ("#chunk-0-0", "0-0")
    assert second == {"type": "button", "class": "entry", "data-act": "show a.md#5"}
    assert '<span class="place">page 2</span><b class="score">.800</b>' in html
    assert '<button type="button" data-act="show b.md#0"><span class="id">b.md#0</span>' in html
    assert '<i style="--at:90.0%"></i><i class="floor" style="--at:10.0%"></i>' in html


def test_no_hit_here() -> None:
    found = cutting(TWO, b="elsewhere", c="and there")
    b, c = (found.position[name] for name in ("b.md#0", "c.md#0"))
    assert "Not here: the first 2 hits are in other documents." in drawn(found, ranked(found, b, c))
    assert "Not here: the only hit is in other documents." in drawn(found, ranked(found, b))
    assert "Nothing has been asked yet" in drawn(found)


def facts(html: str, key: str) -> dict[str, str]:
    [block] = re.findall(rf'data-f="{key}">(.*?)</dl>', html)
    return dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", block))


def test_facts_of_a_chunk() -> None:
    text = "one two three four five six seven eight"
    found = cutting(text, WINDOW(size=4, overlap=2, unit="words"))
    html = document_html(
        "a.md", Span(0, len(text)), [Lane("F", found, ranked(found, 1))], 0, scene("words")
    )
    assert facts(html, "0-1") == {
        "Score": ".900, rank 1",
        "Size": "4 words, 19 characters",
        "Place": "8 to 27",
        "Shared with #0": "10 characters",
        "Shared with #2": "8 characters",
        "Overlap with #0": "2 of 2 words asked",
    }
    assert facts(html, "0-0") == {
        "Score": ".100",
        "Size": "4 words, 18 characters",
        "Place": "0 to 18",
        "Shared with #1": "10 characters",
    }


def test_facts_where_nothing_is_shared() -> None:
    html = drawn(cutting(TWO, PARAGRAPHS(size=10, overlap=3)))
    assert (
        "<p>Shares nothing with #0: the last paragraph (10 characters) is longer than the overlap "
        "asked (3).</p>"
    ) in html
    assert "The whole document is one chunk, so it shares nothing." in drawn(cutting(TWO, WHOLE()))


# The looks


def test_the_style_closes_nothing_and_fetches_nothing() -> None:
    assert DOCUMENT_STYLE.startswith("<style>")
    inside = DOCUMENT_STYLE.removeprefix("<style>").removesuffix("</style>")
    assert "<" not in inside
    assert "url(" not in inside
