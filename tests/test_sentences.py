"""Sentences cover the text, cross no paragraph, and survive whatever the library does."""

import re
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
import sentencex
from hypothesis import example, given
from hypothesis import strategies as st

from ragchunk.graphemes import is_boundary
from ragchunk.sentences import sentence_spans

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
NASTY = [
    *"aBc1. . !?\n\r\t\"'()[]*#|-“”「」",
    *("\n\n", "\r\n", "\r\n\r\n", "\n \t\n", "# ", "- ", "1. ", "Dr. ", "e.g. ", "3.5"),
    *("\u00e9", "e\u0301", "\u0301", "\u200d", FAMILY, "\U0001f1e9\U0001f1ea", "\u0600"),
    *("\u00a0", "\u200b", "\u2028", "\u3000", "\u3002", "\u0964", "\u0e01\u0e33"),
    *("\0", "\ufeff", "\ud800"),
]
nasty_text = st.lists(st.sampled_from(NASTY), max_size=40).map("".join)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_known_answer() -> None:
    text = "Docker packs the app. Nginx sits in front. Env vars hold the secrets."
    assert sentence_spans(text) == [(0, 21), (22, 42), (43, 69)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t\r\n\u00a0", []),
        ("no full stop", ["no full stop"]),
        ("Dr. Smith has 3.5 GB, e.g. this. Yes.", ["Dr. Smith has 3.5 GB, e.g. this.", "Yes."]),
        ("Use Node.JS and a.Run now. Ok.", ["Use Node.JS and a.Run now.", "Ok."]),
        ("![Logo](a.png)\nIt is ours. Fine", ["![Logo](a.png)\nIt is ours.", "Fine"]),
        ("What?! Really... Yes.", ["What?!", "Really...", "Yes."]),
        ("**Bold.** Next *one.* End", ["**Bold.**", "Next *one.*", "End"]),
        ("Good. \U0001f600 \U0001f600", ["Good. \U0001f600 \U0001f600"]),
        ("\u6587\u3067\u3059\u3002\u6b21\u3002", ["\u6587\u3067\u3059\u3002", "\u6b21\u3002"]),
        ("\u092f\u0939\u0964 \u0935\u0939\u0964", ["\u092f\u0939\u0964", "\u0935\u0939\u0964"]),
        ("\u0647\u0644\u061f \u0646\u0639\u0645.", ["\u0647\u0644\u061f", "\u0646\u0639\u0645."]),
        ("Cafe\u0301. \U0001f600 Ok. No.", ["Cafe\u0301.", "\U0001f600 Ok.", "No."]),
        ("One.\u00a0Two.\u3000Three.\u2028Four.", ["One.", "Two.", "Three.", "Four."]),
        ("Go.\u3002\u0301 On.", ["Go.\u3002\u0301", "On."]),
        ("\0One. \0Two.", ["\0One.", "\0Two."]),
        ("\ufeffOne. Two.", ["\ufeffOne.", "Two."]),
        ("\ud800 one. Two \ud800.", ["\ud800 one.", "Two \ud800."]),
        ("Soft\nwrap is\r\none. Two.", ["Soft\nwrap is\r\none.", "Two."]),
        ("one\n\ntwo", ["one", "two"]),
        ("One.\r\n\r\nTwo.", ["One.", "Two."]),
        ("one\n \t \r\ntwo", ["one", "two"]),
    ],
)
def test_known_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_markdown_lines_stand_alone() -> None:
    text = (
        "Before\n## 1. Install. Run it\nafter the\nheading\n"
        "- first item\n- second. Two\n  wrapped\n1. third\nplain\n"
        "| a | b. |\n|---|---|\n| c | d |\n"
        "end #hash and\n-dash"
    )
    assert sentences(text) == [
        "Before",
        "## 1. Install. Run it",
        "after the\nheading",
        "- first item",
        "- second.",
        "Two\n  wrapped",
        "1. third",
        "plain",
        "| a | b. |",
        "|---|---|",
        "| c | d |",
        "end #hash and\n-dash",
    ]


def test_a_repeated_sentence_is_found_each_time() -> None:
    spans = sentence_spans("The same again. " * 12)
    assert spans == [(16 * n, 16 * n + 15) for n in range(12)]


def test_a_long_paragraph_is_cut_as_a_short_one() -> None:
    short = "Dr. Smith said: \u201cGo. Now.\u201d Then 3.5 GB (e.g. this) were gone. Why? "
    assert sentences(short * 500) == sentences(short) * 500


@pytest.mark.parametrize("failure", ["panic", "lost text", "too much text"])
def test_whatever_the_library_does(monkeypatch: pytest.MonkeyPatch, failure: str) -> None:
    class PanicException(BaseException):
        """What a Rust panic raises is no Exception."""

    def segment(language: str, text: str) -> list[str]:
        if failure == "panic":
            raise PanicException(language)
        return [text[1:]] if failure == "lost text" else [text, text]

    monkeypatch.setattr(sentencex, "segment", segment)
    text = f"One ({failure}). Two\u3002Three! Four"
    assert sentences(text) == [f"One ({failure}).", "Two\u3002", "Three!", "Four"]


def test_an_interrupt_is_not_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def segment(*_: str) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(sentencex, "segment", segment)
    with pytest.raises(KeyboardInterrupt):
        sentence_spans("Interrupted. Here.")


@given(st.one_of(nasty_text, st.text(max_size=60)))
@example("a. \u0301b. c")
@example("a\u0600 . b")
@example("x\u0085. y")
def test_properties(text: str) -> None:
    spans = sentence_spans(text)
    for (start, end), piece in zip(spans, sentences(text), strict=True):
        assert 0 <= start < end <= len(text)
        assert is_boundary(text, start)
        assert is_boundary(text, end)
        assert not piece.isspace()
        # White space at an edge stays only where it is half of a cluster.
        assert not piece[0].isspace() or not is_boundary(text, start + 1)
        assert not piece[-1].isspace() or not is_boundary(text, end - 1)
        assert not re.search(r"(?>\r\n|\r|\n)[ \t]*[\r\n]", piece)
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    outside = [0, *(edge for span in spans for edge in span), len(text)]
    for start, end in zip(outside[::2], outside[1::2], strict=True):
        assert not text[start:end].strip()


def seconds(text: str) -> float:
    # Of this thread alone, as others may keep the machine busy.
    started = time.thread_time()
    sentence_spans(text)
    return time.thread_time() - started


LONG: dict[str, Callable[[int], str]] = {
    "ordinary": lambda n: "Docker packs the app. Nginx, e.g. 1.2, sits\nin front.\n\n" * (n // 54),
    "no terminator": lambda n: "word " * (n // 5),
    "one letter": lambda n: "a" * n,
    "Japanese on one line": lambda n: "\u65e5\u672c\u8a9e\u3067\u3059\u3002" * (n // 6),
    "unclosed quotes": lambda n: "\u201ca. " * (n // 4),
    "full stops": lambda n: "." * n,
    "short lines": lambda n: "a\n" * (n // 2),
    "blank lines": lambda n: "\n" * n,
    "spaces": lambda n: "a. " + " " * n,
    "flags": lambda n: "\U0001f1e9\U0001f1ea. " * (n // 4),
    "marks": lambda n: "a. " + "\u0301" * n,
}


@pytest.mark.parametrize("name", LONG)
def test_a_megabyte_is_read_in_near_linear_time(name: str) -> None:
    make = LONG[name]
    small = min(seconds(make(250_000 + extra)) for extra in (0, 60))
    large = seconds(make(1_000_000))
    print(f"{name}: {1 / large:.1f} million characters a second")
    assert large < 5 * small + 0.2
