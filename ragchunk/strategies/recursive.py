"""Recursive: cut at the largest division of the text whose parts fit, and only there smaller."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import regex

from ragchunk.errors import SettingsError
from ragchunk.graphemes import boundary_at_or_after, boundary_at_or_before
from ragchunk.memo import per_text
from ragchunk.paragraphs import paragraph_spans
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span
from ragchunk.strategies.base import Sized
from ragchunk.strategies.packing import divided, packed, starts_inside
from ragchunk.units import Ruler, ruler, word_pieces

SEPARATORS = ("paragraph", "line", "sentence", "word", "cluster")
MOST_SEPARATORS = 50

_CONTENT = regex.compile(r"\S")


@dataclass(frozen=True)
class Recursive(Sized):
    """Divided at the first of `separators` that divides it; a part still over `size` at the next.

    >>> Recursive(size=12).spans("One.\\n\\nTwo. It is two.\\n\\nEnd.")
    [Span(start=0, end=4), Span(start=6, end=10), Span(start=11, end=21), Span(start=23, end=27)]

    Neighbouring parts of one division that fit are packed up to `size`. A part that has to be
    divided again stands alone, and what comes of it is packed among itself: the sense of
    LangChain's RecursiveCharacterTextSplitter. `overlap` is a target: a chunk begins with as many
    whole trailing parts of the one before as fit it, of the same division.

    `separators`, tried in order: "paragraph" (blank lines), "line", "sentence", "word", "cluster"
    (what a reader sees as one character; in words and tokens, one of them), or any other text,
    which stays at the end of the part before it. What none of them divides stays whole, and is
    oversized; after "cluster" nothing can be left to divide, so it is only ever the last.
    """

    name: ClassVar[str] = "recursive"
    label: ClassVar[str] = "Recursive"
    summary: ClassVar[str] = "The largest parts that fit: paragraphs, lines, sentences, words."

    separators: tuple[str, ...] = SEPARATORS

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "separators", _checked(self.separators))

    def windows(self, text: str) -> list[Span]:
        measure = ruler(text, self.unit, self.model)
        spans: list[Span] = []
        for parts in self.runs(text):
            carried = [start for start, _ in parts]
            spans += packed(parts, measure, self.size, self.overlap, carried)
        return spans

    def describe(self) -> str:
        unit = self.unit if self.size != 1 else self.unit[:-1]
        names = ", ".join(map(_named, self.separators))
        return f"The largest parts of up to {self.size:,} {unit}, divided at: {names}."

    def runs(self, text: str) -> Iterator[list[Span]]:
        """The parts that are packed, none over `size` that can be divided; overlap stays in a run.

        The text must have something other than white space.
        """
        paragraphs = paragraph_spans(text)
        whole = Span(paragraphs[0].start, paragraphs[-1].end)
        return self._runs(text, ruler(text, self.unit, self.model), whole, 0)

    def _runs(self, text: str, measure: Ruler, span: Span, first: int) -> Iterator[list[Span]]:
        """The parts of `span`, as runs of neighbours of one division, each within the size.

        `first` is the first separator to try. A part that nothing divides is a run by itself.
        """
        if measure.measure(*span) <= self.size:
            yield [span]
            return
        for number in range(first, len(self.separators)):
            starts = _starts(text, measure, span, self.separators[number])
            if starts:
                break
        else:
            yield [span]
            return
        run: list[Span] = []
        for part in divided(text, span, starts):
            if measure.measure(*part) <= self.size:
                run.append(part)
                continue
            if run:
                yield run
                run = []
            yield from self._runs(text, measure, part, number + 1)
        if run:
            yield run


def _checked(separators: Sequence[str]) -> tuple[str, ...]:
    if isinstance(separators, str) or not all(isinstance(each, str) for each in separators):
        raise SettingsError(
            f"Separators must be a list of texts, not {separators!r}. "
            f"Give a list such as {list(SEPARATORS)}."
        )
    found = tuple(separators)
    if not 1 <= len(found) <= MOST_SEPARATORS:
        raise SettingsError(
            f"{len(found)} separators were given: there must be 1 to {MOST_SEPARATORS}. "
            f"The usual ones are {', '.join(SEPARATORS)}."
        )
    for number, each in enumerate(found):
        if not each:
            raise SettingsError(
                f"Separator {number + 1} is empty. To cut between characters, write cluster."
            )
        # A misspelt name would be taken for a text that never occurs, and change nothing.
        if each.isalpha() and each not in SEPARATORS:
            raise SettingsError(
                f"Separator {each!r} is not known. Choose one of: {', '.join(SEPARATORS)}; or a "
                "text that is not letters alone, such as '; '."
            )
        if each in found[:number]:
            raise SettingsError(f"Separator {each!r} is given twice. Leave out the second.")
        if each == "cluster" and number < len(found) - 1:
            raise SettingsError(
                "Separator 'cluster' leaves nothing to divide for those behind it. Put it last."
            )
    return found


def _named(separator: str) -> str:
    return separator if separator in SEPARATORS else repr(separator)


def _starts(text: str, measure: Ruler, span: Span, separator: str) -> Sequence[int]:
    """Where parts of the span begin, other than its own start, ascending."""
    if separator == "cluster":
        return measure.pieces(*span)[1:]
    if separator == "word":
        return starts_inside(word_pieces(text).starts, span)
    return starts_inside(_part_starts(text, separator), span)


@per_text
def _part_starts(text: str, separator: str) -> array[int]:
    """Where the parts of a text begin that a paragraph, line, sentence or literal text ends."""
    if separator == "paragraph":
        return array("i", [start for start, _ in paragraph_spans(text)])
    if separator == "sentence":
        return array("i", [start for start, _ in sentence_spans(text)])
    pattern = regex.compile(r"\r\n|\r|\n" if separator == "line" else regex.escape(separator))
    keeps_indentation = separator == "line"
    starts = array("i")
    start = reached = 0
    for found in pattern.finditer(text):
        if found.end() <= reached:
            continue  # in the white space before a part that is known
        edge = boundary_at_or_after(text, found.end(), start)
        content = _CONTENT.search(text, edge)
        if content is None:
            break
        reached = content.start()
        start = boundary_at_or_before(text, reached, edge)
        while keeps_indentation and start > edge and text[start - 1] in " \t":
            start -= 1
        starts.append(start)
    return starts
