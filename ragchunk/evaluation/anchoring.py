"""Labels found again in the documents that are open, which may have changed since.

A label stands where its quote stands. Else the quote is looked for in the document: as it is, then
whatever its white space and case. A label found nowhere is lost, and says so: none is ever kept at
a place that says something else.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragchunk.documents import Pair, document_hash
from ragchunk.evaluation.finding import loose_passages, passages
from ragchunk.evaluation.questions import Answer, Question, answer_at
from ragchunk.spans import Span

State = Literal["stands", "moved", "lost"]


@dataclass(frozen=True, slots=True)
class Anchored:
    """One label and what became of it.

    `answer` is where it stands in the documents that are open, with their hash, or None if it is
    lost. `note` says in words what was done, "" where nothing was.
    """

    label: Answer
    answer: Answer | None
    state: State
    note: str = ""


@dataclass(frozen=True, slots=True)
class AnchoredQuestion:
    """A question with what became of each of its labels."""

    question: Question
    answers: tuple[Anchored, ...]

    @property
    def standing(self) -> Question:
        """The question with those of its answers that stand, as they stand."""
        found = [each.answer for each in self.answers if each.answer is not None]
        return Question(self.question.text, tuple(dict.fromkeys(found)))

    @property
    def notes(self) -> list[str]:
        return [each.note for each in self.answers if each.note]

    @property
    def measurable(self) -> bool:
        """Whether there are labels and none is lost: half an answer would be too easy to find."""
        return bool(self.answers) and all(each.answer is not None for each in self.answers)


def anchored(questions: Iterable[Question], documents: Iterable[Pair]) -> list[AnchoredQuestion]:
    """Each question with its labels as they stand in these documents, in the same order."""
    library = _Library(documents)
    return [
        AnchoredQuestion(question, tuple(map(library.anchor, question.answers)))
        for question in questions
    ]


def measurable(rows: Sequence[AnchoredQuestion]) -> list[Question]:
    """The questions that can be measured: all their labels stand, and there is at least one."""
    return [row.standing for row in rows if row.measurable]


class _Library:
    """The documents, by the names that a label may call them."""

    def __init__(self, documents: Iterable[Pair]) -> None:
        self._texts = {source: text for source, text in documents}  # noqa: C416
        self._by_hash = {document_hash(text): source for source, text in self._texts.items()}
        self._by_stem: dict[str, list[str]] = {}
        for source in self._texts:
            stem = posixpath.splitext(posixpath.basename(source))[0]
            self._by_stem.setdefault(stem, []).append(source)

    def anchor(self, label: Answer) -> Anchored:
        source = self._source(label)
        if source is None:
            return Anchored(label, None, "lost", f"{label.source} is not among the documents.")
        text = self._texts[source]
        if text[label.start : label.end] == label.quote:
            answer = answer_at((source, text), label.start, label.end, label.origin)
            return Anchored(label, answer, "stands")
        for find, likeness in ((passages, ""), (loose_passages, ", but for white space and case")):
            if places := find(label.quote, text):
                return self._moved(label, source, places, likeness)
        beyond = "" if label.end <= len(text) else f", which has {len(text):,} characters"
        return Anchored(
            label,
            None,
            "lost",
            f"{_told(label)} does not stand at {label.start:,} to {label.end:,} of {source}"
            f"{beyond}, nor elsewhere in it.",
        )

    def _moved(self, label: Answer, source: str, places: Sequence[Span], likeness: str) -> Anchored:
        """The label at the nearest of the places where its quote was found."""
        place = min(places, key=lambda place: abs(place.start - label.start))
        answer = answer_at((source, self._texts[source]), place.start, place.end, label.origin)
        several = f", the nearest of {len(places):,} places" if len(places) > 1 else ""
        note = f"{_told(label)} was found again at {place.start:,} of {source}{likeness}{several}."
        return Anchored(label, answer, "moved", note)

    def _source(self, label: Answer) -> str | None:
        """The document that a label means: of this name, of this very text, or of this stem."""
        if label.source in self._texts:
            return label.source
        if label.document_hash in self._by_hash:
            return self._by_hash[label.document_hash]
        same = self._by_stem.get(label.source, [])
        return same[0] if len(same) == 1 else None


def _told(label: Answer) -> str:
    """The quote, short enough for a note."""
    quote = " ".join(label.quote.split())
    return f'"{quote}"' if len(quote) <= 60 else f'"{quote[:57]}..."'
