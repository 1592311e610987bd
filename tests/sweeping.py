"""What tests of sweeps measure on: three small documents, eight questions, and some settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import numpy as np

from ragchunk.corpus import Corpus
from ragchunk.documents import Document
from ragchunk.evaluation.measures import Cutoff, Scores
from ragchunk.evaluation.questions import Question, answer_at
from ragchunk.evaluation.setting import grid
from ragchunk.evaluation.trial import Result

# Words that the model has one token for each of, so that they can be counted by hand.
CORPUS = Corpus(
    (
        Document("bees.md", "The bees dance in the dark\n\nThey fly out to find water and food"),
        Document("bread.md", "Bread needs time and salt\n\nThe oven must be very hot at first"),
        Document("maps.md", "Old maps show the coast\n\nNew maps show the roads and the rivers"),
    )
)


def _question(text: str, source: str, *quotes: str) -> Question:
    document = (source, CORPUS.texts[source])
    starts = [(CORPUS.texts[source].index(quote), quote) for quote in quotes]
    return Question(text, tuple(answer_at(document, at, at + len(q)) for at, q in starts))


QUESTIONS = [
    _question("where do bees dance", "bees.md", "dance in the dark"),
    _question("what do bees find", "bees.md", "water and food"),
    _question("what does bread need", "bread.md", "time and salt"),
    _question("how hot is the oven", "bread.md", "very hot"),
    _question("what do old maps show", "maps.md", "show the coast"),
    _question("what do new maps show", "maps.md", "the roads", "the rivers"),
    _question("all about the oven and salt", "bread.md", "salt", "The oven must be very hot"),
    _question("bees", "bees.md", "The bees dance in the dark\n\nThey fly"),
]

CUTOFFS = [Cutoff(budget=12), Cutoff(k=2)]

SETTINGS = [
    *grid(["window", "paragraphs", "recursive"], [20, 40], (0, 0.25), "characters", "plain"),
    *grid(["sentences", "whole"], [6], (0, 0.5), "words", "plain"),
]


def same(found: Iterable[Result], expected: Iterable[Result]) -> None:
    """Whether results, in any order, are equal to the last bit but for the time they took."""
    one = {each.setting: each for each in found}
    other = {each.setting: each for each in expected}
    assert one.keys() == other.keys()
    for setting, a in one.items():
        b = other[setting]
        assert (a.chunks, a.tokens, a.unread) == (b.chunks, b.tokens, b.unread)
        assert list(a.scores) == list(b.scores)
        for cutoff, scores in a.scores.items():
            for each in fields(Scores):
                left, right = getattr(scores, each.name), getattr(b.scores[cutoff], each.name)
                assert left.dtype == right.dtype
                np.testing.assert_array_equal(left, right, f"{setting.label}, {each.name}")
