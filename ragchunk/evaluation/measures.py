"""What a ranking of chunks is worth to questions whose answers are known.

No model and no text: spans, token counts and rankings go in, one figure per question comes out.

    pool = pool_of({"a.md": [(0, 100), (100, 200)]}, tokens=[20, 25])
    labels = Labels(questions, pool)
    scores = labels.scores(ranking, Cutoff(budget=1000))
    scores.recall, scores.mean("recall")

Definitions count characters of one question, its references r and the chunks c that are retrieved
(Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval", 2024):

- covered: characters of r inside at least one c, each once. recall = covered / all of r, but for
  white space that lies between two chunks, in none.
- precision = covered / the lengths of all c together, so overlap costs; one index holds them all.
- iou = covered / (those lengths + characters of r that are not covered).
- omega (precision-omega) = covered / (union + what is not covered) for *all* chunks that touch r,
  if only at an edge, as the report counts: what a retriever that finds all of every answer can
  reach with these cuts.
- A chunk is relevant if it holds at least half of an answer's span. Not by its own length: such a
  rule would prefer small chunks by itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ragchunk import settings
from ragchunk.errors import SettingsError
from ragchunk.evaluation.pool import Integers, Pool
from ragchunk.evaluation.questions import Answer, Question

Floats = npt.NDArray[np.float64]

# The rank of a chunk that a ranking leaves out: behind all others.
NEVER = np.iinfo(np.int32).max

OPENING_BUDGET = 1_000


@dataclass(frozen=True)
class Measure:
    """A column of the table: its name in `Scores`, its label, and what it says.

    `better` is "higher", "lower", or "" where neither is. `is_share`: from 0 to 1.
    """

    name: str
    label: str
    meaning: str
    better: str = "higher"
    is_share: bool = True

    @property
    def judges(self) -> bool:
        """Whether settings can be chosen by it: the fewest tokens alone are worth nothing."""
        return self.better == "higher"

    @property
    def no_winner(self) -> str:
        """What is said in place of a winner where it does not judge."""
        return f"{self.label} alone names no winner: choose another measure to see what to take."


MEASURES = (
    Measure("recall", "Recall", "share of the answers' characters among the hits"),
    Measure("full", "Full answer", "share of questions whose whole answer is among the hits"),
    Measure("precision", "Precision", "share of the hits' characters that are answer"),
    Measure("iou", "IoU", "answer among the hits, by hits and answer together"),
    Measure(
        "omega",
        "Precision-omega",
        "precision if exactly the chunks that touch an answer are retrieved",
    ),
    Measure("hit", "Hit rate", "share of questions with a hit that holds half an answer"),
    Measure("mrr", "MRR", "one by the rank of the first such hit"),
    Measure("ndcg", "nDCG", "such hits, the earlier the better, by the best order"),
    Measure("found", "Answers found", "share of answer spans of which a hit holds half"),
    Measure("severed", "Severed", "share of answer spans that no chunk holds whole", "lower"),
    Measure("unique", "Unique text", "share of the hits' characters that repeat no other hit"),
    Measure("tokens", "Tokens", "tokens of the hits", "lower", is_share=False),
)


@dataclass(frozen=True)
class Cutoff:
    """How much of a ranking is retrieved: the first `k` chunks, or as many as `budget` tokens hold.

    At a budget chunks count in rank order until the next would exceed it; the first counts even if
    it is over. Raises SettingsError unless one of the two is given, an integer of at least 1.
    """

    k: int | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        if (self.k is None) == (self.budget is None):
            raise SettingsError("Give either k, a number of chunks, or budget, a number of tokens.")
        if self.k is not None:
            object.__setattr__(self, "k", settings.integer("k", self.k, least=1))
        else:
            object.__setattr__(self, "budget", settings.integer("Budget", self.budget, least=1))

    def __str__(self) -> str:
        if self.k is not None:
            return f"{self.k:,} chunk{'s' * (self.k != 1)}"
        return f"{self.budget:,} token{'s' * (self.budget != 1)}"


@dataclass(frozen=True)
class Scores:
    """One figure per question, in the order of the questions; see `MEASURES` for what they say.

    `depth` is how many chunks were retrieved. `complete` is how many tokens a reader pays, chunk by
    chunk, until the answer is complete, whatever the cut-off; infinite where the ranking ends
    before it is.
    """

    recall: Floats
    full: Floats
    precision: Floats
    iou: Floats
    omega: Floats
    hit: Floats
    mrr: Floats
    ndcg: Floats
    found: Floats
    severed: Floats
    unique: Floats
    tokens: Floats
    depth: Integers
    complete: Floats

    def __len__(self) -> int:
        return len(self.recall)

    def __getitem__(self, name: str) -> Floats:
        """A measure by its name in `MEASURES`."""
        return getattr(self, name)

    def mean(self, name: str) -> float:
        """The mean over the questions, each weighing the same; NaN if there is none."""
        return float(self[name].mean()) if len(self) else float("nan")

    def means(self) -> dict[str, float]:
        """The mean of every measure, by its name in `MEASURES`."""
        return {measure.name: self.mean(measure.name) for measure in MEASURES}

    @property
    def tokens_per_answered(self) -> float:
        """All tokens spent by the questions fully answered; infinite if none is."""
        answered = float(self.full.sum())
        return float(self.tokens.sum()) / answered if answered else float("inf")

    def reading_cost(self, total: int) -> float:
        """Mean tokens that a reader pays, chunk by chunk, until the answer is complete.

        total: the tokens of all chunks, which a reader pays who never finds all of an answer. NaN
        if there is no question. Unlike the tokens of the hits this says something at a budget, too,
        which nearly every setting spends.
        """
        return float(np.minimum(self.complete, total).mean()) if len(self) else float("nan")

    def only(self, chosen: npt.NDArray[Any]) -> Scores:
        """The scores of some of the questions, by number or mask."""
        return Scores(**{each.name: getattr(self, each.name)[chosen] for each in fields(self)})


class Labels:
    """Where the answers of all questions lie in the chunks of a pool, to measure any ranking by.

    `omega` and `severed` need no ranking, so they follow a slider at once.
    """

    def __init__(self, questions: Sequence[Question], pool: Pool) -> None:
        """Raises SettingsError for a question without an answer, or with one in no document."""
        self.pool = pool
        self.count = len(questions)
        stretches = [s for number, each in enumerate(questions) for s in _stretches(number, each)]
        starts, ends = pool.starts.tolist(), pool.ends.tolist()
        self._read_answers(questions, starts, ends)
        self._read_segments(stretches, starts, ends)

    def _chunks_sharing(
        self, answer: Answer, starts: list[int], ends: list[int]
    ) -> tuple[int, int]:
        """The first chunk that shares a character with the span, and one past the last."""
        if answer.source not in self.pool.places:
            raise SettingsError(
                f"An answer is in {answer.source}, which is not among the documents. Anchor the "
                "questions in the documents that are open first."
            )
        first, last = self.pool.places[answer.source]
        return (
            bisect_right(ends, answer.start, first, last),
            bisect_left(starts, answer.end, first, last),
        )

    def _read_answers(
        self, questions: Sequence[Question], starts: list[int], ends: list[int]
    ) -> None:
        """Each distinct answer with the chunks that hold half of it, and whether one holds all."""
        asked, spans, inner, ranges = [], [], [], []
        for number, question in enumerate(questions):
            if not question.answers:
                raise SettingsError(
                    f"The question {question.text!r} has no answer, so nothing can be measured by "
                    "it. Label one, or leave the question out."
                )
            for answer in {(a.source, a.start, a.end): a for a in question.answers}.values():
                asked.append(number)
                spans.append((answer.start, answer.end))
                inner.append(_without_space(answer))
                ranges.append(self._chunks_sharing(answer, starts, ends))
        self._asked = np.array(asked, dtype=np.int64)
        rows, chunks = _expanded(np.array(ranges, dtype=np.int64).reshape(-1, 2))
        span = np.array(spans, dtype=np.int64).reshape(-1, 2)[rows]
        held = np.minimum(self.pool.ends[chunks], span[:, 1]) - np.maximum(
            self.pool.starts[chunks], span[:, 0]
        )
        relevant = 2 * held >= span[:, 1] - span[:, 0]
        self._half_answers, self._half_chunks = rows[relevant], chunks[relevant]
        # A chunk may be relevant by several answers, but is one hit.
        pairs = np.unique(np.stack([self._asked[rows], chunks])[:, relevant], axis=1)
        self._relevant_questions, self._relevant_chunks = pairs

        core = np.array(inner, dtype=np.int64).reshape(-1, 2)[rows]
        whole = (self.pool.starts[chunks] <= core[:, 0]) & (core[:, 1] <= self.pool.ends[chunks])
        kept = np.zeros(len(self._asked), dtype=bool)
        kept[rows[whole]] = True
        self.severed = self._by_answer(~kept)

    def _by_answer(self, values: npt.NDArray[Any]) -> Floats:
        """The mean over the answers of each question."""
        return _sums(self._asked, values, self.count) / np.bincount(
            self._asked, minlength=self.count
        )

    def _read_segments(
        self, stretches: list[tuple[int, Answer]], starts: list[int], ends: list[int]
    ) -> None:
        """Cut the references at every chunk edge: a chunk holds all of a segment or none."""
        asked, lengths, is_space, ranges, touched = [], [], [], [], []
        for number, answer in stretches:
            first, last = self._chunks_sharing(answer, starts, ends)
            # One more on each side where it ends or begins at the very edge of the answer.
            before, behind = self.pool.places[answer.source]
            before = bisect_left(ends, answer.start, before, first)
            behind = bisect_right(starts, answer.end, last, behind)
            touched.append((number, before, behind))
            edges = {*starts[first:last], *ends[first:last]}
            inner = sorted(edge for edge in edges if answer.start < edge < answer.end)
            for left, right in zip([answer.start, *inner], [*inner, answer.end], strict=True):
                asked.append(number)
                quote = answer.quote[left - answer.start : right - answer.start]
                is_space.append(quote.isspace())
                one = bisect_right(ends, left, first, last)
                other = bisect_right(starts, left, first, last)
                ranges.append((one, other))
                # White space that lies in no chunk is nothing that a retriever could miss: else
                # a cut inside an answer would cost recall where no word is lost.
                lengths.append(0 if is_space[-1] and one >= other else right - left)
        self._segment_questions = np.array(asked, dtype=np.int64)
        self._lengths = np.array(lengths, dtype=np.float64)
        # White space between two chunks is in neither, and no reader misses it.
        self._counts = ~np.array(is_space, dtype=bool)
        self._segment_rows, self._segment_chunks = _expanded(
            np.array(ranges, dtype=np.int64).reshape(-1, 2)
        )
        self.references = self._by_question(self._lengths)
        self.omega = self._omega(touched)

    def _by_question(self, values: npt.NDArray[Any]) -> Floats:
        """Sums of what belongs to segments, by question."""
        return _sums(self._segment_questions, values, self.count)

    def _omega(self, touched: list[tuple[int, int, int]]) -> Floats:
        table = np.array(touched, dtype=np.int64).reshape(-1, 3)
        rows, chunks = _expanded(table[:, 1:])
        asked, chunks = np.unique(np.stack([table[rows, 0], chunks]), axis=1)
        held = np.zeros(len(self._lengths), dtype=bool)
        held[self._segment_rows] = True
        covered = self._by_question(self._lengths * held)
        union = self._union(asked, chunks)
        return _shares(covered, union + self.references - covered)

    def _union(self, asked: Integers, chunks: Integers) -> Floats:
        """How many characters chunks hold together, by question; sorted by question, then chunk."""
        starts, ends = self.pool.starts[chunks], self.pool.ends[chunks]
        # Ends grow within a document, so a chunk begins new text where the one before it ended.
        same = np.zeros(len(chunks), dtype=bool)
        documents = self.pool.documents[chunks]
        same[1:] = (asked[1:] == asked[:-1]) & (documents[1:] == documents[:-1])
        reached = np.zeros(len(chunks), dtype=np.int64)
        reached[1:] = ends[:-1]
        new = ends - np.where(same, np.maximum(starts, reached), starts)
        return _sums(asked, new, self.count)

    def scores(self, ranking: npt.ArrayLike, cutoff: Cutoff) -> Scores:
        """What the first chunks of each question's ranking are worth.

        ranking: integers of shape (questions, m): numbers of chunks of the pool, best first; -1
        fills a row up whose question has fewer. m may be less than all chunks; a budget then ends
        where the row does.
        Raises SettingsError for another shape, or a chunk that is not there or comes twice.
        """
        rows, ranks = self._ranks(ranking)
        given = rows >= 0
        # Nothing is paid for -1, the last.
        paid = np.cumsum(np.append(self.pool.tokens, 0)[rows], axis=1)
        available = given.sum(axis=1)
        if cutoff.k is not None:
            depth = np.minimum(cutoff.k, available)
            ideal = np.full(self.count, cutoff.k)
        else:
            within = (given & (paid <= cutoff.budget)).sum(axis=1)
            ideal = depth = np.maximum(within, np.minimum(available, 1))
        everyone = np.arange(self.count)

        first = np.full(len(self._lengths), NEVER)
        np.minimum.at(
            first,
            self._segment_rows,
            ranks[self._segment_questions[self._segment_rows], self._segment_chunks],
        )
        is_held = first < depth[self._segment_questions]
        covered = self._by_question(self._lengths * is_held)
        missing = self._by_question(self._counts & ~is_held)
        last = np.full(self.count, -1)
        np.maximum.at(last, self._segment_questions[self._counts], first[self._counts])
        ever = last < NEVER
        complete = np.full(self.count, np.inf)
        complete[ever] = paid[everyone[ever], last[ever]]

        retrieved = np.nonzero(ranks < depth[:, None])
        lengths = self.pool.ends - self.pool.starts
        total = _sums(retrieved[0], lengths[retrieved[1]], self.count)
        spent = _sums(retrieved[0], self.pool.tokens[retrieved[1]], self.count)
        unique = np.ones(self.count)
        np.divide(self._union(*retrieved), total, out=unique, where=total > 0)

        return Scores(
            recall=_shares(covered, self.references),
            full=(missing == 0).astype(np.float64),
            precision=_shares(covered, total),
            iou=_shares(covered, total + self.references - covered),
            omega=self.omega,
            **self._ranked(ranks, depth, ideal),
            severed=self.severed,
            unique=unique,
            tokens=spent,
            depth=depth,
            complete=complete,
        )

    def _ranked(self, ranks: Integers, depth: Integers, ideal: Integers) -> dict[str, Floats]:
        """Hit rate, reciprocal rank, nDCG, and the share of answers found."""
        asked = self._relevant_questions
        at = ranks[asked, self._relevant_chunks]
        best = np.full(self.count, NEVER)
        np.minimum.at(best, asked, at)
        hit = best < depth
        gains = np.where(at < depth[asked], 1 / np.log2(at + 2.0), 0)
        # The best order has all relevant chunks first, as many as are looked at.
        relevant = np.bincount(asked, minlength=self.count)
        steps = np.concatenate([[0], np.cumsum(1 / np.log2(np.arange(len(self.pool)) + 2.0))])
        most = steps[np.minimum(relevant, ideal)]
        found = np.zeros(len(self._asked), dtype=bool)
        question = self._asked[self._half_answers]
        near = ranks[question, self._half_chunks] < depth[question]
        found[self._half_answers[near]] = True
        return {
            "hit": hit.astype(np.float64),
            "mrr": np.where(hit, 1 / (best + 1.0), 0),
            "ndcg": _shares(_sums(asked, gains, self.count), most),
            "found": self._by_answer(found),
        }

    def _ranks(self, ranking: npt.ArrayLike) -> tuple[Integers, Integers]:
        """The ranking as an array, and the rank of every chunk for every question, from 0."""
        rows = np.asarray(ranking)
        if rows.size == 0:
            rows = np.full((self.count, 1), -1)
        if rows.shape[:1] != (self.count,) or rows.ndim != 2 or rows.dtype.kind not in "iu":
            raise SettingsError(
                f"The ranking has the shape {rows.shape} of {rows.dtype}; it must be integers, one "
                f"row for each of {self.count} questions."
            )
        rows = rows.astype(np.int64, copy=False)
        if rows.min(initial=-1) < -1 or rows.max(initial=-1) >= len(self.pool):
            raise SettingsError(
                f"The ranking names chunk {max(rows.max(), -rows.min())}; there are "
                f"{len(self.pool)}, numbered from 0."
            )
        # One column more, so that -1 has a place to be written to.
        ranks = np.full((self.count, len(self.pool) + 1), NEVER)
        order = np.broadcast_to(np.arange(rows.shape[1]), rows.shape)
        np.put_along_axis(ranks, rows, order, axis=1)
        given = rows >= 0
        twice = given & (np.take_along_axis(ranks, rows, axis=1) != order)
        gaps = given[:, 1:] & ~given[:, :-1]
        if twice.any() or gaps.any():
            raise SettingsError(
                "A ranking names a chunk twice, or goes on behind a -1: each chunk has one rank."
            )
        return rows, ranks[:, :-1]


def _stretches(number: int, question: Question) -> list[tuple[int, Answer]]:
    """The references of a question with those that share characters made one."""
    joined: list[Answer] = []
    for answer in sorted(question.answers, key=lambda a: (a.source, a.start, a.end)):
        last = joined[-1] if joined else None
        if last and last.source == answer.source and answer.start < last.end:
            quote = last.quote + answer.quote[last.end - answer.start :]
            joined[-1] = Answer(last.source, last.start, max(last.end, answer.end), quote)
        else:
            joined.append(answer)
    return [(number, answer) for answer in joined]


def _without_space(answer: Answer) -> tuple[int, int]:
    """The answer's span without white space at its edges, where no chunk may have it."""
    quote = answer.quote
    start = answer.start + len(quote) - len(quote.lstrip())
    end = answer.end - (len(quote) - len(quote.rstrip()))
    return (start, end) if start < end else (answer.start, answer.end)


def _expanded(ranges: Integers) -> tuple[Integers, Integers]:
    """For ranges of shape (n, 2), every number in them, and beside it which range it is of."""
    sizes = np.maximum(ranges[:, 1] - ranges[:, 0], 0)
    rows = np.repeat(np.arange(len(ranges)), sizes)
    before = np.cumsum(sizes) - sizes
    return rows, ranges[rows, 0] + np.arange(len(rows)) - before[rows]


def _sums(groups: Integers, values: npt.NDArray[Any], count: int) -> Floats:
    """The sum of the values of each group, 0 to `count`."""
    return np.bincount(groups, values, count).astype(np.float64, copy=False)


def _shares(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> Floats:
    """`part / whole`, and 0 where there is nothing to share."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
