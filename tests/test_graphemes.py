"""Cuts fall between what a reader sees as characters, at the cost of a look at the neighbours."""

import time

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from ragchunk.graphemes import boundary_at_or_after, boundary_at_or_before, is_boundary

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
GERMANY, FRANCE = "\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7"

# The alphabet of DESIGN section 3, and one character of each class the rules speak of.
NASTY = [
    *"aB. !?\n\r\t\"'()[]",
    *("\u00e9", "e\u0301", "\u0301", "\u200d", FAMILY, "\U0001f468", "\U0001f44d\U0001f3fd"),
    *(GERMANY, "\U0001f1e9", "\u00a0", "\u200b", "\u3002", "\u0e01\u0e33", "\u0e35"),
    *("\0", "\ufeff", "\u0915", "\u094d", "\u093f", "\u0600", "\ud800"),
    *("\u1100", "\u1161", "\u11a8", "\uac00", "\uac01"),
]
nasty_text = st.lists(st.sampled_from(NASTY), max_size=30).map("".join)


def boundaries(text: str) -> list[int]:
    return [position for position in range(len(text) + 1) if is_boundary(text, position)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [0]),
        ("ab", [0, 1, 2]),
        ("a\r\nb", [0, 1, 3, 4]),
        ("\n\r", [0, 1, 2]),
        ("\r\r\n\n", [0, 1, 3, 4]),
        (FAMILY + "x", [0, 5, 6]),
        (GERMANY + FRANCE + "\U0001f1e9", [0, 2, 4, 5]),
        (GERMANY + "\u0301" + FRANCE, [0, 3, 5]),
        ("\U0001f44d\U0001f3fd\U0001f44d", [0, 2, 3]),
        ("cafe\u0301s", [0, 1, 2, 3, 5, 6]),
        ("caf\u00e9s", [0, 1, 2, 3, 4, 5]),
        ("\u0e01\u0e33\u0e01\u0e35\u0e48", [0, 2, 5]),  # Thai: sara am; sara ii with a tone mark
        ("\u0915\u094d\u0937\u093f\u0915", [0, 4, 5]),  # Devanagari: kssi, ka
        ("\u1100\u1161\u11a8\uac00\u11a8\uac01", [0, 3, 5, 6]),  # Hangul jamo and syllables
        ("\u0600\u0661a", [0, 2, 3]),  # Arabic number sign goes with the digit after it
        ("\u0600\r\n", [0, 1, 3]),
        ("\ud800\u0301\ud800", [0, 2, 3]),
        ("\ufeff# A", [0, 1, 2, 3, 4]),
    ],
)
def test_known_boundaries(text: str, expected: list[int]) -> None:
    assert boundaries(text) == expected


def test_before_and_after() -> None:
    text = "a" + FAMILY + "b"
    assert [boundary_at_or_before(text, n) for n in range(8)] == [0, 1, 1, 1, 1, 1, 6, 7]
    assert [boundary_at_or_after(text, n) for n in range(8)] == [0, 1, 6, 6, 6, 6, 6, 7]


def test_positions_outside_are_brought_inside() -> None:
    assert boundary_at_or_before("ab", 9) == boundary_at_or_after("ab", 9) == 2
    assert boundary_at_or_before("abc", 1, floor=2) == boundary_at_or_after("abc", 1, floor=2) == 2


@given(st.one_of(nasty_text, st.text(max_size=40)))
@example(GERMANY * 5 + "\u200d" + FRANCE)
@example("\u0600" + GERMANY * 2 + "\U0001f1e9")
@example("\U0001f468\u0301\u200d\U0001f468")
@example("\u0915\u0301\u094d\u0301\u0915")
def test_same_as_a_full_scan(text: str) -> None:
    full = [0, *(cluster.end() for cluster in regex.finditer(r"\X", text))]
    assert boundaries(text) == full
    for floor in full:
        for position in range(floor, len(text) + 1):
            before = max(b for b in full if b <= position)
            after = min(b for b in full if b >= position)
            assert boundary_at_or_before(text, position, floor) == before
            assert boundary_at_or_after(text, position, floor) == after


def cut(text: str, size: int) -> float:
    """Seconds of this thread that cutting into windows takes, the last cut as floor."""
    started = time.thread_time()
    last = 0
    while last < len(text):
        end = boundary_at_or_before(text, last + size, last)
        last = end if end > last else boundary_at_or_after(text, last + size, last)
    return time.thread_time() - started


@pytest.mark.parametrize("size", [9, 1_001, 50_001])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GERMANY * 100_000, id="flags"),
        pytest.param("a" + "\u0301" * 200_000, id="marks"),
        pytest.param("\U0001f468\u200d" * 100_000, id="joined emoji"),
        pytest.param("\u0915\u094d" * 100_000, id="conjunct"),
        pytest.param("e\u0301" * 100_000, id="accents"),
        pytest.param("\u6f22" * 200_000, id="ideographs"),
        pytest.param("\uac01" * 200_000, id="hangul"),
    ],
)
def test_no_text_is_slow(text: str, size: int) -> None:
    assert cut(text, size) < 1.0  # 0.1 s at most where measured; quadratic would be minutes
