"""Help with labelling: where a typed answer stands, and sentences that hold rare words.

Never by the embedding under test, which would grade its own homework.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from ragchunk.documents import Pair
from ragchunk.evaluation.finding import LEAST_LIKENESS, loose_passages, nearest, passages
from ragchunk.evaluation.questions import Answer, answer_at
from ragchunk.memo import per_text
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span
from ragchunk.units import UNSPACED

# A word, or one character of a script that has no spaces between words.
_WORD = regex.compile(rf"{UNSPACED.pattern}|(?:(?!{UNSPACED.pattern})[\p{{L}}\p{{N}}])+")

# The usual constants of BM25 (Robertson and Zaragoza 2009).
K1, B = 1.2, 0.75

# A longer answer is not typed, and is exact or nothing: the nearest text would take seconds.
MOST_NEAR = 2_000


@dataclass(frozen=True)
class Places:
    """Where a typed answer stands: the first places, how many there are, and how they are like it.

    `exact` is False where white space or case differ. Where it stands nowhere, `closest` is the
    text most like it and `likeness` from 0 to 1 says how much; None if nothing is.
    """

    answers: tuple[Answer, ...]
    total: int
    exact: bool = True
    closest: Answer | None = None
    likeness: float = 0.0


@dataclass(frozen=True)
class Sentence:
    """A sentence that holds words asked for; `words` are those, as asked, rarest first."""

    source: str
    start: int
    end: int
    score: float
    words: tuple[str, ...]


def find_answer(typed: str, documents: Sequence[Pair], limit: int = 20) -> Places:
    """Where a typed or pasted answer stands in the documents; at most `limit` places are given."""
    wanted = typed.strip()
    if not wanted:
        return Places((), 0)
    pairs = [(source, text) for source, text in documents]
    for find, exact in ((passages, True), (loose_passages, False)):
        found = [(pair, span) for pair in pairs for span in find(wanted, pair[1])]
        if found:
            answers = tuple(answer_at(pair, *span, "typed") for pair, span in found[:limit])
            return Places(answers, len(found), exact)
    closest, likeness = None, 0.0
    if len(wanted) <= MOST_NEAR:
        for pair in pairs:
            near = nearest(wanted, pair[1], max(LEAST_LIKENESS, likeness))
            if near and near.likeness > likeness:
                closest, likeness = answer_at(pair, *near.span, "typed"), near.likeness
    return Places((), 0, False, closest, likeness)


def search_sentences(words: str, documents: Sequence[Pair], limit: int = 20) -> list[Sentence]:
    """The sentences that hold the rarest of these words, best first (BM25, over all sentences).

    Whole words, in any case. Ties break by position.
    """
    asked = list(dict.fromkeys(_words(words)))
    indexes = [(source, text, _index(text)) for source, text in documents]
    count = sum(len(index.lengths) for *_, index in indexes)
    mean = sum(sum(index.lengths) for *_, index in indexes) / max(count, 1)
    weights = {}
    for word in asked:
        if holders := sum(len(index.holders.get(word, ())) for *_, index in indexes):
            weights[word] = math.log(1 + (count - holders + 0.5) / (holders + 0.5))
    rarest = sorted(weights, key=lambda word: -weights[word])
    found = []
    for source, text, index in indexes:
        scores: Counter[int] = Counter()
        held: dict[int, list[str]] = {}
        for word in rarest:
            for number, times in index.holders.get(word, {}).items():
                length = 1 - B + B * index.lengths[number] / mean
                scores[number] += weights[word] * times * (K1 + 1) / (times + K1 * length)
                held.setdefault(number, []).append(word)
        spans = sentence_spans(text)
        for number, score in scores.items():
            found.append(Sentence(source, *spans[number], score, tuple(held[number])))
    found.sort(key=lambda each: -each.score)
    return found[:limit]


def answers_from(document: Pair, spans: Sequence[tuple[int, int]], origin: str) -> list[Answer]:
    """Picked sentences of one document as answers; neighbours are one answer together."""
    _, text = document
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and not text[joined[-1].end : start].strip():
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, end))
        else:
            joined.append(Span(start, end))
    return [answer_at(document, *span, origin) for span in joined]


@dataclass(frozen=True, slots=True)
class _Index:
    """For each word, how often each sentence holds it, by number; and the sentences' lengths."""

    holders: dict[str, dict[int, int]]
    lengths: array[int]


@per_text
def _index(text: str) -> _Index:
    holders: dict[str, dict[int, int]] = {}
    lengths = array("i")
    for number, (start, end) in enumerate(sentence_spans(text)):
        words = _words(text[start:end])
        lengths.append(len(words))
        for word in words:
            held = holders.setdefault(word, {})
            held[number] = held.get(number, 0) + 1
    return _Index(holders, lengths)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
