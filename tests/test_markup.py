"""What is drawn is the document, character for character, and it can only ever be text."""

from __future__ import annotations

from itertools import groupby

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk import STRATEGIES
from ragchunk.figures import sentence_fates
from ragchunk.markup import (
    STYLE,
    Card,
    View,
    card,
    cosine,
    count,
    escape,
    fold_edges,
    marked,
    neighbours,
    note,
    percent,
)
from ragchunk.spans import Span
from ragchunk.units import Unit, ruler
from tests.pages import Element, as_shown, read
from tests.texts import any_texts, nasty_texts

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</div></article><h1>out</h1>",
    "<!-- hidden --> <![CDATA[ hidden ]]> <?php hidden ?> <!DOCTYPE hidden>",
    "</style><style>*{display:none}</style>",
    "&lt;b&gt; &amp;amp; &#60;i&#62; &nbsp &copy;",
    "costs $5 or $6_x, email:example@example.org",
    "# x\n* y\n*y* **z** `code` [link](javascript:alert(1))",
    '" onmouseover="alert(1)" x=\'',
    "<a href='javascript:alert(1)'>here</a>",
    "\x00<b\x00>\x0c\x1b[31m\x7f",
    "\ud800<b>\udfff",
]


def view(text: str, spans=None, unit: Unit = "words", **marks) -> View:
    if spans is None:
        spans = [Span(0, len(text))]
    return View(text, [Span(*span) for span in spans], ruler(text, unit), unit, **marks)


def plain_card(text: str, spans=None, index: int = 0, **more) -> tuple[Card, View]:
    """A card of chunk `index`, read to its end, with what else is given."""
    drawn = view(text, spans, **{k: more.pop(k) for k in ("answers", "lost", "unit") if k in more})
    span = drawn.spans[index]
    values = {
        "id": f"a.md#{index}",
        "index": index,
        "span": span,
        "size": "3 words",
        "tokens": 3,
        "read_tokens": 3,
        "read_end": span.end,
    }
    return Card(**(values | more)), drawn


def drawn(text: str, spans=None, index: int = 0, fold: bool = True, **more) -> Element:
    return read(card(*plain_card(text, spans, index, **more), fold))


def of_marked(text: str, spans=None, **marks) -> Element:
    return read(marked(Span(0, len(text)), view(text, spans, **marks)))


# Nothing but text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    page = of_marked(text)
    assert page.text == as_shown(text)
    assert list(page.elements()) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_name_is_shown_and_does_nothing(name: str) -> None:
    page = drawn("text", id=f"{name}#0")
    assert page.one("span.id").text == as_shown(f"{name}#0")
    assert page.one("article").attributes["aria-label"] == as_shown(f"{name}#0")
    assert {each.tag for each in page.elements()} == {"article", "header", "span", "div", "p"}
    assert set(page.one("article").attributes) == {"class", "aria-label"}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_note_is_shown_and_does_nothing(text: str) -> None:
    page = read(note("Error", text))
    assert page.text == f"Error {as_shown(text)}"
    assert [each.tag for each in page.elements()] == ["p", "b"]
    foot = drawn("text", notes=[text]).one("p.small")
    assert foot.inside == [f"3 words · {as_shown(text)}"]


@given(st.text() | any_texts)
def test_escaped_text_holds_no_tag_quote_or_control(text: str) -> None:
    safe = escape(text)
    assert not set(safe) & set("<>\"'\0\x0b\x0c\x1b\x7f")
    assert read(safe).text == as_shown(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\0", "␀"), ("\x1b", "␛"), ("\x0c", "␌"), ("\x7f", "␡"), ("a\tb\nc", "a\tb\nc")],
)
def test_control_characters_have_a_picture(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_the_style_sheet_ends_where_it_should() -> None:
    assert STYLE.startswith("<style>")
    assert STYLE.count("<") == 2
    assert STYLE.endswith("</style>")


@pytest.mark.parametrize("name", ["shared", "deep", "lost", "brk", "blind", "limit", "fold"])
def test_every_sign_has_a_look(name: str) -> None:
    assert regex.search(rf"\.{name}\b", STYLE)


# The text of the document, whatever is marked in it


@st.composite
def cuttings(draw):
    """A text, its spans, and answers that begin and end between what a reader sees as letters."""
    piece = draw(nasty_texts)
    text = piece * draw(st.integers(1, 8)) + draw(any_texts)
    size = draw(st.integers(1, 400))
    name = draw(st.sampled_from(["window", "paragraphs"]))
    overlap = draw(st.integers(0, min(size - 1, 300)))
    spans = STRATEGIES[name](size=size, overlap=overlap).spans(text)
    edges = [0, *(cluster.end() for cluster in regex.finditer(r"\X", text))]
    pairs = st.tuples(st.sampled_from(edges), st.sampled_from(edges)).map(sorted).map(tuple)
    return text, spans, draw(st.lists(pairs, max_size=3))


@settings(max_examples=150, deadline=None)
@given(cuttings(), st.data())
def test_a_card_without_its_tags_is_the_chunk(case, data: st.DataObject) -> None:
    text, spans, answers = case
    lost = sentence_fates(text, spans).lost_spans
    for index in range(min(len(spans), 4)):
        start, end = spans[index]
        inner = [start + cluster.start() for cluster in regex.finditer(r"\X", text[start:end])]
        read_end = data.draw(st.sampled_from([*inner[1:], end]))
        fold = data.draw(st.booleans())
        page = drawn(
            text,
            spans,
            index,
            fold,
            answers=answers,
            lost=lost,
            tokens=9,
            read_tokens=4,
            read_end=read_end,
        )
        assert page.one("div.chunk").document_text == as_shown(text[start:end])
        assert bool(page.all("p.limit")) is (read_end < end)


@settings(max_examples=150, deadline=None)
@given(cuttings())
def test_what_is_bold_is_the_answers_and_what_is_waved_is_the_lost(case) -> None:
    text, spans, answers = case
    lost = sentence_fates(text, spans).lost_spans
    page = of_marked(text, spans, answers=answers, lost=lost)
    assert page.document_text == as_shown(text)

    def within(marks) -> str:
        held = sorted({place for start, end in marks for place in range(start, end)})
        return as_shown("".join(text[place] for place in held))

    assert "".join(each.document_text for each in page.all("strong")) == within(answers)
    assert "".join(each.document_text for each in page.all("span.lost")) == within(lost)


@settings(max_examples=150, deadline=None)
@given(cuttings())
def test_what_is_striped_is_what_two_chunks_hold(case) -> None:
    text, spans, _ = case
    page = of_marked(text, spans)
    striped = "".join(each.document_text for each in page.all("span.shared"))
    held = [sum(start <= place < end for start, end in spans) for place in range(len(text))]
    # Stretches apart: the ends of two lines that only meet here are no \r\n.
    both = groupby(zip(text, held, strict=True), lambda each: each[1])
    stretches = ("".join(c for c, _ in each) for count, each in both if count > 1)
    assert striped == "".join(map(as_shown, stretches))


# Signs


@pytest.mark.parametrize("gap", ["\n\n", "\n \t\n", "\r\n\r\n", "\n\n\n"])
def test_a_paragraph_break_is_wrapped_and_kept(gap: str) -> None:
    page = of_marked(f"One.{gap}Two.")
    assert [each.text for each in page.all("span.brk")] == [as_shown(gap)]
    assert page.text == f"One.{as_shown(gap)}Two."


def test_a_line_end_is_no_paragraph_break() -> None:
    assert of_marked("One.\nTwo.\r\nThree.").all("span.brk") == []


def test_overlap_names_both_chunks_and_the_characters_they_share() -> None:
    spans = [(0, 50), (50, 100), (100, 150), (150, 200), (200, 260), (222, 300)]
    shared = of_marked("x" * 300, spans).one("span.shared")
    assert shared.text == "x" * 38
    assert shared.attributes["title"] == "shared by #4 and #5, 38 characters"
    assert shared.attributes["aria-label"] == "shared by #4 and #5, 38 characters"
    assert not shared.all("small")


def test_one_shared_character_is_one_character() -> None:
    shared = of_marked("abcde", [(0, 3), (2, 5)]).one("span.shared")
    assert shared.attributes["title"] == "shared by #0 and #1, 1 character"


def test_three_owners_are_counted_and_drawn_deep() -> None:
    page = of_marked("abcdefghij", [(0, 6), (2, 8), (4, 10)])
    deep = page.one("span.deep")
    assert "shared" in deep.classes
    assert deep.text == "×3ef"
    assert deep.document_text == "ef"
    assert deep.attributes["title"] == "shared by #0, #1 and #2, 2 characters"
    assert [each.document_text for each in page.all("span.shared")] == ["cd", "ef", "gh"]


def test_the_overlap_seen_from_one_chunk_is_the_overlap_seen_from_the_other() -> None:
    text, spans = "abcdefghij", [(0, 6), (4, 10)]
    left, right = drawn(text, spans, 0), drawn(text, spans, 1)
    assert left.one("div.chunk").one("span.shared") == right.one("div.chunk").one("span.shared")


def test_a_lost_sentence_says_so() -> None:
    text = "One two. Three four. Five."
    lost = of_marked(text, [(0, 12), (12, 26)], lost=[(9, 20)])
    assert [each.text for each in lost.all("span.lost")] == ["Thr", "ee four."]
    assert lost.all("span.lost")[0].attributes["title"] == "this sentence is whole in no chunk"


def test_an_answer_over_the_edge_of_an_overlap_is_bold_on_both_sides() -> None:
    page = of_marked("abcdefghij", [(0, 6), (4, 10)], answers=[(2, 8)])
    assert [each.text for each in page.all("strong")] == ["cd", "ef", "gh"]
    assert page.one("span.shared").one("strong").text == "ef"


def test_an_answer_of_another_part_marks_nothing() -> None:
    text = "abcdefghij"
    page = read(marked(Span(0, 5), view(text, [(0, 5), (5, 10)], answers=[(5, 8)])))
    assert page.text == "abcde"
    assert page.all("strong") == []


# Folding


def test_a_long_chunk_shows_both_edges_and_counts_what_it_hides() -> None:
    # Blanks stand at 4, 9, ...: the head ends at 89, the foot begins behind the one at 914.
    text = "word " * 200
    page = drawn(text, unit="words").one("div.chunk")
    fold = page.one("details.fold")
    assert fold.one("summary").text == "165 words more"
    assert fold.document_text == text[89:915]
    assert page.inside[0] == text[:89]
    assert page.inside[-1] == text[915:]


def test_what_is_hidden_is_counted_in_the_unit_of_the_screen() -> None:
    page = drawn("cat " * 200, unit="tokens")
    # 800 characters: blanks at 3, 7, ..., the head ends at 91, the foot begins at 712.
    assert page.one("summary").text == "155 tokens more"
    assert drawn("x" * 400, unit="words").one("summary").text == "1 word more"


@pytest.mark.parametrize(("length", "folds"), [(300, 0), (301, 1)])
def test_only_above_three_hundred_characters(length: int, folds: int) -> None:
    assert len(drawn("x" * length).all("details")) == folds


def test_a_chunk_that_is_not_to_be_folded_is_open() -> None:
    page = drawn("word " * 200, fold=False)
    assert page.all("details") == []
    assert page.one("div.chunk").text == "word " * 200


@pytest.mark.parametrize("end", ["\r\n", " \u0301", "👨‍👩‍👧"])
@pytest.mark.parametrize("shift", range(6))
def test_a_fold_tears_no_line_end_and_no_letter(end: str, shift: int) -> None:
    text = "x" * shift + f"abc{end}" * 120
    head, foot = fold_edges(text, Span(0, len(text)))
    edges = {cluster.start() for cluster in regex.finditer(r"\X", text)}
    assert {head, foot} <= edges
    assert 0 < head < foot < len(text)


def test_a_fold_inside_one_enormous_letter_stays_inside_the_chunk() -> None:
    text = "a" + "\u0301" * 400
    head, foot = fold_edges(text, Span(0, 350))
    assert 0 <= head <= foot <= 350


# What the model does not read


def test_the_blind_tail_is_hatched_behind_a_line_that_says_how_far_the_model_reads() -> None:
    text = "cat " * 885
    page = drawn(text, tokens=885, read_tokens=254, read_end=1016, fold=False)
    assert page.one("p.limit").text == "the model reads 254 of 885 tokens, to here"
    assert page.one("div.blind").document_text == text[1016:]
    assert page.one("div.chunk").document_text == text
    assert page.one("div.gauge").one("i").attributes["style"] == "--at:28.7%"


def test_a_chunk_that_is_read_to_its_end_has_no_line_and_no_gauge() -> None:
    page = drawn("cat " * 20)
    assert page.all("p.limit") == page.all(".blind") == page.all(".gauge") == []


def test_an_answer_in_the_blind_tail_is_bold_there() -> None:
    page = drawn("cat dog sun", read_end=4, tokens=3, read_tokens=1, answers=[(8, 11)])
    assert page.one("div.blind").one("strong").text == "sun"


# The card around the text


def test_a_hit_has_its_rank_its_name_and_its_score_on_a_scale_of_one() -> None:
    page = drawn("text", rank=2, score=0.4361, floor=0.123)
    assert [each.text for each in page.one("header").all("b")] == ["2", ".436"]
    assert page.one("span.id").text == "a.md#0"
    bar, floor = page.one("div.bar").all("i")
    assert bar.attributes["style"] == "--at:43.6%"
    assert floor.attributes["style"] == "--at:12.3%"


@pytest.mark.parametrize(("score", "width"), [(-0.2, "0.0%"), (1.0000001, "100.0%")])
def test_a_bar_stays_on_its_scale(score: float, width: str) -> None:
    bar = drawn("text", rank=1, score=score).one("div.bar").one("i")
    assert bar.attributes["style"] == f"--at:{width}"


def test_a_chunk_that_is_no_hit_has_a_score_and_no_bar() -> None:
    page = drawn("text", score=0.25)
    assert page.one("b.score").text == ".250"
    assert page.all(".rank") == page.all(".bar") == []
    assert drawn("text").all(".score") == []


@pytest.mark.parametrize(("index", "parity"), [(0, "even"), (1, "odd"), (2, "even")])
def test_neighbours_differ_in_tint(index: int, parity: str) -> None:
    page = drawn("abcdef", [(0, 2), (2, 4), (4, 6)], index)
    assert page.one("div.chunk").classes == ["chunk", parity]


@pytest.mark.parametrize(
    ("spans", "index", "foot"),
    [
        ([(0, 10)], 0, "3 words"),
        ([(0, 6), (4, 10)], 0, "3 words · 2 characters shared with #1"),
        ([(0, 5), (4, 10)], 1, "3 words · 1 character shared with #0"),
        ([(0, 5), (4, 8), (6, 10)], 1, "3 words · 1 character shared with #0 · 2 with #2"),
    ],
)
def test_the_foot_says_with_whom_how_much_is_shared(spans: list, index: int, foot: str) -> None:
    assert drawn("abcdefghij", spans, index).one("p.small").text == foot


def test_the_foot_has_the_notes() -> None:
    page = drawn("text", notes=["short tail merged", "x < y"])
    assert page.one("p.small").text == "3 words · short tail merged · x < y"


def test_neighbours_are_all_who_share_not_only_the_next() -> None:
    spans = [(0, 6), (2, 8), (4, 10), (6, 12), (20, 22)]
    assert neighbours(spans, 1) == [(0, 4), (2, 4), (3, 2)]
    assert neighbours(spans, 0) == [(1, 4), (2, 2)]
    assert neighbours(spans, 4) == []


# Numbers


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (0.7264, ".726"),
        (-0.0123, "-.012"),
        (1.0, "1.000"),
        (0.99951, "1.000"),
        (-1.0, "-1.000"),
        (0.0, ".000"),
        (-0.0, ".000"),
        (-0.0004, ".000"),
        (0.0004, ".000"),
        (-0.0006, "-.001"),
        (0.1, ".100"),
        (-0.5, "-.500"),
    ],
)
def test_a_cosine_has_three_decimals_and_no_leading_zero(score: float, shown: str) -> None:
    assert cosine(score) == shown


@given(st.floats(-1, 1))
def test_no_cosine_is_minus_nothing(score: float) -> None:
    assert regex.fullmatch(r"-?(1\.000|\.\d{3})", cosine(score))
    assert cosine(score) != "-.000"
    assert abs(float(cosine(score)) - score) <= 0.0005001


def test_a_share_is_per_cent_with_a_thin_space() -> None:
    assert percent(0.924) == "92\u202f%"
    assert percent(0.2247, 1) == "22.5\u202f%"
    assert percent(1.0) == "100\u202f%"
    assert percent(0.0, 1) == "0.0\u202f%"


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 chunks"), (1, "1 chunk"), (2, "2 chunks"), (1240, "1,240 chunks")]
)
def test_a_count_agrees_with_its_noun(number: int, shown: str) -> None:
    assert count(number, "chunk") == shown
