"""One setting measured: cut, vectors, a ranking for each question, and what it is worth."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ragchunk.chunks import chunk
from ragchunk.corpus import Corpus
from ragchunk.embedding import Encoder, Vectors, embed_query, has_words
from ragchunk.errors import SettingsError
from ragchunk.evaluation.measures import Cutoff, Labels, Scores
from ragchunk.evaluation.pool import Integers, pool_of, token_counts
from ragchunk.evaluation.questions import Question
from ragchunk.evaluation.setting import Setting
from ragchunk.search import readable
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.vectors import chunk_vectors

# Ranks computed at once, questions by chunks: some 200 MB.
CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class Result:
    """What a setting is worth to some questions; small: one figure a question and measure.

    `tokens` are those of all chunks together, `unread` those of them that are in no vector because
    they stand behind the model's limit. `seconds` is what it took on the clock. `scores` has one
    entry for each cut-off.
    """

    setting: Setting
    chunks: int
    tokens: int
    unread: int
    seconds: float
    scores: Mapping[Cutoff, Scores]

    def only(self, chosen: npt.NDArray[Any]) -> Result:
        """The result for some of the questions, by number or mask."""
        scores = {cutoff: each.only(chosen) for cutoff, each in self.scores.items()}
        return Result(self.setting, self.chunks, self.tokens, self.unread, self.seconds, scores)


def measure(
    setting: Setting,
    corpus: Corpus,
    questions: Sequence[Question],
    encoder: Encoder,
    cutoffs: Sequence[Cutoff],
    model: str = DEFAULT_MODEL,
) -> Result:
    """Cut the corpus, rank all chunks for every question, and measure that at each cut-off.

    questions: with answers that stand in the corpus, see `anchoring.measurable`. encoder: of the
    `model`, whose tokens are counted.
    Raises SettingsError if there is no question, one without an answer or with one in no document,
    no cut-off, or a way that cannot be had here; ModelError as `chunk_vectors`.
    """
    check(questions, cutoffs)
    began = time.perf_counter()
    chunks = chunk(corpus.documents, setting.strategy)
    spans: dict[str, list[tuple[int, int]]] = {source: [] for source in corpus.texts}
    for each in chunks:
        spans[each.source].append((each.start, each.end))
    tokens = np.asarray(token_counts(corpus.texts, spans, model), dtype=np.int64)
    pool = pool_of(spans, tokens)
    vectors = chunk_vectors(chunks, encoder, setting.way, corpus.documents)
    at_once = max(1, CELLS // max(1, len(chunks)))
    parts: dict[Cutoff, list[Scores]] = {cutoff: [] for cutoff in cutoffs}
    for first in range(0, len(questions), at_once):
        some = questions[first : first + at_once]
        labels = Labels(some, pool)
        ranking = rankings([each.text for each in some], vectors, encoder)
        for cutoff, row in parts.items():
            row.append(labels.scores(ranking, cutoff))
    unread = np.maximum(tokens - encoder.max_tokens, 0).sum() if setting.way == "plain" else 0
    return Result(
        setting=setting,
        chunks=len(chunks),
        tokens=int(tokens.sum()),
        unread=int(unread),
        seconds=time.perf_counter() - began,
        scores={cutoff: _joined(row) for cutoff, row in parts.items()},
    )


def check(questions: Sequence[Question], cutoffs: Sequence[Cutoff]) -> None:
    """Raise SettingsError where there is nothing to measure with."""
    if not questions:
        raise SettingsError(
            "There is no question to measure with: load or label questions whose answers stand in "
            "these documents."
        )
    if not cutoffs:
        raise SettingsError("There is no cut-off to measure at: give k or a budget of tokens.")


def rankings(queries: Sequence[str], vectors: Vectors, encoder: Encoder) -> Integers:
    """For every question all chunks, best first: shape (questions, chunks), for `Labels.scores`.

    As `search.rank` for each: scores that agree to six decimals are a tie, which breaks by
    position, and chunks without a vector come last. A question without words finds nothing: -1.
    """
    dimension = vectors.shape[1]
    asked = np.zeros((len(queries), dimension), dtype=np.float32)
    for row, query in zip(asked, queries, strict=True):
        found = embed_query(query, encoder)
        if found.size and dimension:
            row[:] = found
    keys = -np.round(np.clip(asked @ vectors.T, -1, 1).astype(np.float64), 6)
    keys[:, ~readable(vectors)] = np.inf
    order = np.argsort(keys, axis=1, kind="stable")
    order[[not has_words(query) for query in queries]] = -1
    return order


def _joined(parts: list[Scores]) -> Scores:
    return Scores(
        **{
            each.name: np.concatenate([getattr(p, each.name) for p in parts])
            for each in fields(Scores)
        }
    )
