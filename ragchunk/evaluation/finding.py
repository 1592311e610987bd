"""Where a passage stands in a text: exactly, but for white space and case, or nearly.

    >>> passages("nginx  SITS", "Yes, Nginx\\nsits in front.")
    []
    >>> loose_passages("nginx  SITS", "Yes, Nginx\\nsits in front.")
    [Span(start=5, end=15)]

A short passage stands for whole words: *cat* is not in *concatenate*.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz import fuzz

from ragchunk.memo import per_text
from ragchunk.spans import Span
from ragchunk.units import UNSPACED, WORD

# Below this likeness a "closest text" is chance.
LEAST_LIKENESS = 0.6

# A passage of so many characters is found inside words too: it will not be there by chance.
LONG = 20


class Near(NamedTuple):
    """A text like the one looked for: where, and how alike the two are, from 0 to 1."""

    span: Span
    likeness: float


def passages(quote: str, text: str) -> list[Span]:
    """Every place where `quote` stands in `text`, character for character; they may overlap."""
    spans = [Span(start, start + len(quote)) for start in _found(quote, text)]
    return _meant(spans, quote, text)


def loose_passages(quote: str, text: str) -> list[Span]:
    """Every place where `quote` stands but for white space and the case of letters."""
    wanted, here = folded(quote).text, folded(text)
    spans = [here.span(start, start + len(wanted)) for start in _found(wanted, here.text)]
    return _meant(spans, quote, text)


def nearest(quote: str, text: str, least: float = LEAST_LIKENESS) -> Near | None:
    """The stretch of `text` most like `quote`, in whole words; None if none is at least so much.

    Likeness is 1 less the share of characters to put in or take out (rapidfuzz's ratio), whatever
    the white space and the case of letters.
    """
    wanted, here = folded(quote).text, folded(text)
    if not wanted or not here.text:
        return None
    found = fuzz.partial_ratio_alignment(wanted, here.text, score_cutoff=100 * least)
    if found is None or found.dest_start == found.dest_end:
        return None
    start, end = here.whole_words(text, found.dest_start, found.dest_end)
    likeness = fuzz.ratio(wanted, here.text[start:end]) / 100
    return Near(here.span(start, end), likeness) if likeness >= least else None


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in lower case with one space between its words, and where each word comes from.

    `starts[i]` is where word i begins in `text`, `origins[i]` where in the text as it was. Each
    character stands for one, so a place in a word is as far from its start in both.
    """

    text: str
    starts: array[int]
    origins: array[int]

    def span(self, start: int, end: int) -> Span:
        """The characters of the text as it was; a space at an edge stands for the word before."""
        return Span(self._origin(start), self._origin(end - 1) + 1)

    def whole_words(self, text: str, start: int, end: int) -> tuple[int, int]:
        """The stretch of the folded text widened to whole words, where words have spaces between.

        `text` is the text as it was.
        """
        if self.text[start] == " ":
            start += 1
        if self.text[end - 1] == " ":
            end -= 1
        end = max(end, start + 1)
        first, last = self.span(start, end)
        if _joined(text, first):
            start = self.starts[bisect_right(self.starts, start) - 1]
        if _joined(text, last):
            following = bisect_left(self.starts, end)
            ending = following == len(self.starts)
            end = len(self.text) if ending else self.starts[following] - 1
        return start, end

    def _origin(self, position: int) -> int:
        word = bisect_right(self.starts, position) - 1
        return self.origins[word] + position - self.starts[word]


@per_text
def folded(text: str) -> Folded:
    """A text as it is compared; remembered per text."""
    words: list[str] = []
    starts, origins = array("i"), array("i")
    length = 0
    for word in WORD.finditer(text):
        starts.append(length)
        origins.append(word.start())
        words.append(_lower(word[0]))
        length += len(words[-1]) + 1
    return Folded(" ".join(words), starts, origins)


def _lower(word: str) -> str:
    """The word in lower case and as long as it was."""
    lower = word.lower()
    if len(lower) == len(word):
        return lower
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in word)


def _found(quote: str, text: str) -> Iterator[int]:
    if not quote:
        return
    start = text.find(quote)
    while start >= 0:
        yield start
        start = text.find(quote, start + 1)


def _meant(spans: list[Span], quote: str, text: str) -> list[Span]:
    if len(quote) >= LONG:
        return spans
    return [span for span in spans if not (_joined(text, span.start) or _joined(text, span.end))]


def _joined(text: str, position: int) -> bool:
    """Whether one word goes on across `position`, in a script that has spaces between words."""
    if not 0 < position < len(text):
        return False
    left, right = text[position - 1], text[position]
    return left.isalnum() and right.isalnum() and not UNSPACED.match(left + right)
