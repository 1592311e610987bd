"""The columns of the page asked all questions at once: what their rankings are worth."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cachetools import LRUCache, cached

from ragchunk.comparison import Cutting
from ragchunk.corpus import Corpus
from ragchunk.embedding import Encoder
from ragchunk.evaluation.anchoring import AnchoredQuestion, anchored, measurable
from ragchunk.evaluation.measures import Cutoff, Labels, Scores
from ragchunk.evaluation.pool import Integers, pool_of
from ragchunk.evaluation.questions import Question
from ragchunk.evaluation.trial import rankings

# Kept over all people on one server: a slider that goes back finds its figures again.
KEPT = 24


@dataclass(frozen=True, eq=False)
class QuestionSet:
    """Labelled questions as they stand in a corpus. Compared as the object that it is.

    `rows` are all of them with what became of their labels, `questions` those that can be
    measured: all their labels stand.
    """

    corpus: Corpus
    rows: Sequence[AnchoredQuestion]
    questions: tuple[Question, ...]

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.questions]


def question_set(questions: Iterable[Question], corpus: Corpus) -> QuestionSet:
    """The questions, found again in the documents that are open."""
    rows = anchored(questions, corpus.documents)
    return QuestionSet(corpus, rows, tuple(measurable(rows)))


@dataclass(frozen=True, eq=False)
class Measured:
    """A cutting asked all questions: `order` ranks all chunks for each, as `rankings` gives them.

    `way` says how the vectors were made.
    """

    cutting: Cutting
    questions: QuestionSet
    labels: Labels
    order: Integers
    way: str
    _scores: dict[Cutoff, Scores] = field(default_factory=dict)

    def scores(self, cutoff: Cutoff) -> Scores:
        """What the rankings are worth, at a cut-off."""
        if cutoff not in self._scores:
            self._scores[cutoff] = self.labels.scores(self.order, cutoff)
        return self._scores[cutoff]


@cached(LRUCache(KEPT), lock=threading.Lock())
def labels_of(cutting: Cutting, questions: QuestionSet) -> Labels:
    """Where the answers lie in a cutting: for what needs no model."""
    pool = pool_of(cutting.spans, cutting.figures.sizes["tokens"].each)
    return Labels(questions.questions, pool)


@cached(LRUCache(KEPT), lock=threading.Lock())
def ask_all(cutting: Cutting, questions: QuestionSet, encoder: Encoder, way: str) -> Measured:
    """Rank the chunks of a cutting for every question; remembered for those asked last."""
    order = rankings(questions.texts, cutting.vectors(encoder, way), encoder)
    return Measured(cutting, questions, labels_of(cutting, questions), order, way)
