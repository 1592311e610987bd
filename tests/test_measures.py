"""Measures: worked by hand, counted character by character, and beside ir-measures."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk import SettingsError
from ragchunk.evaluation.measures import MEASURES, Cutoff, Labels, Scores
from ragchunk.evaluation.pool import Pool, pool_from, pool_of, token_counts
from ragchunk.evaluation.questions import Answer, Question

FIVE = Cutoff(k=5)


def answer(start: int, end: int, source: str = "a") -> Answer:
    return Answer(source, start, end, "x" * (end - start))


def asked(*answers: Answer) -> Question:
    return Question("?", answers)


def measured(
    spans: dict[str, list[tuple[int, int]]],
    answers: list[Answer],
    order: list[int],
    cutoff: Cutoff = FIVE,
    tokens: list[int] | None = None,
) -> dict[str, float]:
    """The measures of one question."""
    count = sum(map(len, spans.values()))
    labels = Labels([asked(*answers)], pool_of(spans, tokens or [10] * count))
    scores = labels.scores([order], cutoff)
    return {**scores.means(), "depth": scores.depth[0], "complete": scores.complete[0]}


# Four chunks of 100 characters; the answer begins 20 before the end of the second.
FOUR = {"a": [(0, 100), (100, 200), (200, 300), (300, 400)]}
ANSWER = answer(180, 260)  # 20 in the second chunk, 60 in the third


def test_an_answer_cut_in_two_of_which_the_hits_hold_one_part() -> None:
    found = measured(FOUR, [ANSWER], [2, 0, 1, 3], Cutoff(k=2))
    assert found["recall"] == 60 / 80
    assert found["precision"] == 60 / 200
    assert found["iou"] == 60 / (200 + 20)
    # The two chunks that touch it have 200 characters, and cover it all.
    assert found["omega"] == 80 / 200
    assert found["full"] == 0
    # The third chunk holds three quarters of the answer, the second one quarter.
    assert (found["hit"], found["mrr"], found["ndcg"], found["found"]) == (1, 1, 1, 1)
    assert found["severed"] == 1
    assert (found["tokens"], found["depth"]) == (20, 2)
    assert found["complete"] == 30


def test_the_same_with_all_of_it_among_the_hits() -> None:
    found = measured(FOUR, [ANSWER], [2, 0, 1, 3], Cutoff(k=3))
    assert (found["recall"], found["full"]) == (1, 1)
    assert found["precision"] == found["iou"] == 80 / 300


def test_a_relevant_chunk_on_rank_three() -> None:
    found = measured(FOUR, [ANSWER], [0, 1, 2, 3])
    assert found["mrr"] == 1 / 3
    assert found["ndcg"] == 1 / math.log2(4)
    assert measured(FOUR, [ANSWER], [0, 1, 2, 3], Cutoff(k=2))["hit"] == 0


def test_half_of_an_answer_is_enough_to_be_relevant_and_one_less_is_not() -> None:
    assert measured(FOUR, [answer(90, 110)], [0, 2])["hit"] == 1
    assert measured(FOUR, [answer(91, 112)], [0, 2])["hit"] == 0
    # A large chunk with all of a small answer is relevant, though nearly all of it is not answer.
    assert measured({"a": [(0, 100_000)]}, [answer(5, 7)], [0])["hit"] == 1


def test_a_chunk_that_touches_an_answer_at_its_edge_counts_against_the_best_retriever() -> None:
    # The answer is all of the second chunk, the first ends where it begins; the third, behind a
    # gap of one character, does not touch it.
    assert measured({"a": [(0, 50), (50, 80), (81, 200)]}, [answer(50, 80)], [0])["omega"] == 3 / 8


def test_overlap_costs_precision_and_unique_text_but_covers_once() -> None:
    spans = {"a": [(0, 100), (50, 150)]}
    found = measured(spans, [answer(60, 90)], [1, 0])
    assert found["recall"] == 1
    assert found["precision"] == 30 / 200
    assert found["iou"] == 30 / 200
    assert found["omega"] == 30 / 150
    assert found["unique"] == 150 / 200
    # Two relevant chunks hold one answer: two gains, one answer found.
    assert (found["ndcg"], found["found"], found["severed"]) == (1, 1, 0)


def test_two_answers_in_two_documents() -> None:
    spans = {"a": [(0, 50), (50, 100)], "b": [(0, 80)]}
    answers = [answer(10, 40), answer(20, 30, "b")]
    first = measured(spans, answers, [2, 1, 0], Cutoff(k=1))
    assert first["recall"] == 10 / 40
    assert first["precision"] == 10 / 80
    assert first["iou"] == 10 / (80 + 30)
    assert first["omega"] == 40 / (50 + 80)
    assert (first["found"], first["full"], first["hit"]) == (1 / 2, 0, 1)
    # Two chunks are relevant, on ranks 1 and 3; the best order has them on 1 and 2.
    third = measured(spans, answers, [2, 1, 0], Cutoff(k=3))
    assert third["ndcg"] == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


def test_text_in_no_chunk_is_never_covered() -> None:
    # A tail of 20 characters was dropped; the answer has 10 in it.
    found = measured({"a": [(0, 80)]}, [answer(70, 90)], [0])
    assert (found["recall"], found["full"], found["severed"]) == (0.5, 0, 1)
    assert found["omega"] == 10 / (80 + 10)
    assert found["complete"] == math.inf


def test_white_space_between_two_chunks_is_missed_by_no_reader() -> None:
    # `One. Two.` cut behind the first full stop; the space at 4 is in no chunk.
    spans = {"a": [(0, 4), (5, 9)]}
    found = measured(spans, [Answer("a", 0, 9, "One. Two.")], [0, 1])
    # Nothing that could be read is missing, so recall is whole, as full answer is.
    assert found["recall"] == 1
    assert found["iou"] == 8 / 8
    assert (found["full"], found["complete"]) == (1, 20)
    # At an answer's edge too: the answer ` Two.` is whole in the second chunk.
    assert measured(spans, [Answer("a", 4, 9, " Two.")], [1])["severed"] == 0


def test_answers_that_share_text_count_it_once() -> None:
    found = measured(FOUR, [answer(110, 130), answer(120, 150), answer(110, 130)], [1])
    assert found["precision"] == 40 / 100
    assert measured(FOUR, [answer(90, 110), answer(100, 120)], [0])["recall"] == 10 / 30


def test_a_budget_counts_chunks_until_the_next_would_exceed_it() -> None:
    tokens = [30, 40, 50, 60]
    for budget, depth, spent in [
        (69, 1, 30),
        (70, 2, 70),
        (119, 2, 70),
        (120, 3, 120),
        (999, 4, 180),
    ]:
        found = measured(FOUR, [ANSWER], [0, 1, 2, 3], Cutoff(budget=budget), tokens)
        assert (found["depth"], found["tokens"]) == (depth, spent)


def test_at_a_budget_the_first_chunk_counts_even_if_it_is_over() -> None:
    found = measured(FOUR, [ANSWER], [2, 0], Cutoff(budget=10), [30, 40, 50, 60])
    assert (found["depth"], found["tokens"], found["recall"]) == (1, 50, 60 / 80)


def test_a_later_chunk_that_would_fit_does_not_jump_the_queue() -> None:
    found = measured(FOUR, [ANSWER], [0, 1, 2, 3], Cutoff(budget=40), [30, 40, 5, 5])
    assert found["depth"] == 1


def test_a_question_without_hits_has_nothing() -> None:
    labels = Labels([asked(ANSWER), asked(ANSWER)], pool_of(FOUR, [10] * 4))
    scores = labels.scores([[-1, -1], [2, -1]], FIVE)
    assert scores.recall.tolist() == [0, 60 / 80]
    assert scores.precision.tolist() == [0, 60 / 100]
    assert scores.unique.tolist() == [1, 1]
    assert scores.depth.tolist() == [0, 1]
    assert scores.complete.tolist() == [math.inf, math.inf]
    assert labels.scores(np.zeros((2, 0), dtype=int), Cutoff(budget=5)).recall.tolist() == [0, 0]


def test_an_empty_pool_holds_nothing() -> None:
    found = measured({"a": []}, [ANSWER], [-1])
    assert (found["recall"], found["omega"], found["ndcg"], found["severed"]) == (0, 0, 0, 1)


def test_no_question_has_no_mean() -> None:
    scores = Labels([], pool_of(FOUR, [1] * 4)).scores(np.zeros((0, 4), dtype=int), FIVE)
    assert len(scores) == 0
    assert math.isnan(scores.mean("recall"))


def test_tokens_by_the_questions_fully_answered() -> None:
    labels = Labels([asked(ANSWER), asked(answer(0, 50))], pool_of(FOUR, [10, 20, 30, 40]))
    scores = labels.scores([[0, 1, 2, 3], [0, 1, 2, 3]], Cutoff(k=2))
    # 30 tokens each; only the second question is answered.
    assert scores.tokens_per_answered == 60
    assert scores.only(np.array([True, False])).tokens_per_answered == math.inf
    assert scores.only(np.array([1])).tokens_per_answered == 30


def test_every_measure_is_in_the_table_and_shares_lie_between_0_and_1() -> None:
    found = measured(FOUR, [ANSWER], [2, 0, 1])
    for measure in MEASURES:
        assert not measure.is_share or 0 <= found[measure.name] <= 1
        assert measure.better in ("higher", "lower", "")
    assert len({measure.label for measure in MEASURES}) == len(MEASURES)


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        ({}, "either k"),
        ({"k": 5, "budget": 5}, "either k"),
        ({"k": 0}, "k 0 is too small"),
        ({"budget": "9"}, "Budget must be an integer"),
        ({"k": True}, "k must be an integer"),
    ],
)
def test_a_cutoff_that_cannot_work_is_refused(settings_: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        Cutoff(**settings_)


def test_a_cutoff_in_words() -> None:
    assert [str(Cutoff(k=1)), str(Cutoff(k=5)), str(Cutoff(budget=1000))] == [
        "1 chunk",
        "5 chunks",
        "1,000 tokens",
    ]


@pytest.mark.parametrize(
    ("ranking", "words"),
    [
        ([[0], [1]], "shape"),
        ([0], "shape"),
        ([[0.5]], "shape"),
        ([[4]], "chunk 4; there are 4"),
        ([[-2]], "chunk 2; there are 4"),
        ([[1, 2, 1]], "twice"),
        ([[-1, 2]], "behind a -1"),
    ],
)
def test_a_ranking_that_is_none_is_refused(ranking: Any, words: str) -> None:
    labels = Labels([asked(ANSWER)], pool_of(FOUR, [1] * 4))
    with pytest.raises(SettingsError, match=words):
        labels.scores(ranking, FIVE)


def test_a_question_that_cannot_be_measured_is_refused() -> None:
    pool = pool_of(FOUR, [1] * 4)
    with pytest.raises(SettingsError, match=r"'\?' has no answer"):
        Labels([asked()], pool)
    with pytest.raises(SettingsError, match=r"b\.md, which is not among the documents"):
        Labels([asked(answer(0, 5, "b.md"))], pool)
    with pytest.raises(SettingsError, match="4 chunks were given with the tokens of 3"):
        pool_of(FOUR, [1] * 3)


def test_the_tokens_of_chunks_are_those_that_start_in_them() -> None:
    spans = {"a": [(0, 8), (4, 13)], "b": [(0, 3)]}
    texts = {"a": "cat dog. rain", "b": "sun"}
    assert token_counts(texts, spans) == [3, 3, 1]


def test_a_pool_of_chunks_keeps_their_order() -> None:
    from ragchunk import STRATEGIES, chunk

    chunks = chunk([("b", "aabb"), ("a", "cc")], STRATEGIES["window"](size=2))
    pool = pool_from(chunks, [1, 2, 3])
    assert pool.places == {"b": (0, 2), "a": (2, 3)}
    assert (pool.starts.tolist(), pool.ends.tolist()) == ([0, 2, 0], [2, 4, 2])
    assert pool.tokens.tolist() == [1, 2, 3]


# Anything, counted character by character


@st.composite
def cuttings(draw) -> dict[str, list[tuple[int, int]]]:
    """Chunks with increasing starts and ends, in up to three documents of 40 characters."""
    spans = {}
    for source in "abc"[: draw(st.integers(1, 3))]:
        count = draw(st.integers(0, 8))
        positions = st.integers(0, 39)
        starts = sorted(draw(st.sets(positions, min_size=count, max_size=count)))
        ends = sorted(draw(st.sets(positions.map(lambda p: p + 1), min_size=count, max_size=count)))
        row = list(zip(starts, ends, strict=True))
        spans[source] = row if all(start < end for start, end in row) else []
    return spans


@st.composite
def questions_about(draw, spans: dict[str, list[tuple[int, int]]]) -> list[Question]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        answers = []
        for _ in range(draw(st.integers(1, 4))):
            source = draw(st.sampled_from(sorted(spans)))
            start = draw(st.integers(0, 39))
            answers.append(answer(start, draw(st.integers(start + 1, 40)), source))
        found.append(asked(*answers))
    return found


def characters(source: str, start: int, end: int) -> set[tuple[str, int]]:
    return {(source, position) for position in range(start, end)}


@st.composite
def trials(draw) -> tuple[list[Question], Pool, list[list[int]], Cutoff, list]:
    spans = draw(cuttings())
    questions = draw(questions_about(spans))
    chunks = [(source, *span) for source, row in spans.items() for span in row]
    tokens = draw(st.lists(st.integers(0, 9), min_size=len(chunks), max_size=len(chunks)))
    width = draw(st.integers(0, len(chunks)))
    ranking = []
    for _ in questions:
        order = draw(st.permutations(range(len(chunks))))[:width]
        given = draw(st.integers(0, width))
        ranking.append([*order[:given], *[-1] * (width - given)])
    cutoff = draw(
        st.builds(lambda k: Cutoff(k=k), st.integers(1, 9))
        | st.builds(lambda budget: Cutoff(budget=budget), st.integers(1, 40))
    )
    return questions, pool_of(spans, tokens), ranking, cutoff, chunks


@settings(max_examples=500, deadline=None)
@given(trials())
def test_every_measure_is_what_counting_characters_gives(trial) -> None:
    questions, pool, ranking, cutoff, chunks = trial
    rows = np.array(ranking, dtype=np.int64).reshape(len(questions), -1)
    scores = Labels(questions, pool).scores(rows, cutoff)
    for number, question in enumerate(questions):
        expected = counted(question, chunks, pool.tokens.tolist(), ranking[number], cutoff)
        for name, value in expected.items():
            assert getattr(scores, name)[number] == pytest.approx(value), name


def counted(
    question: Question, chunks: list, tokens: list[int], order: list[int], cutoff: Cutoff
) -> dict[str, float]:
    """The definitions, the slow way, on sets of characters."""
    held = [characters(*chunk) for chunk in chunks]
    spans = [characters(a.source, a.start, a.end) for a in dict.fromkeys(question.answers)]
    references = set().union(*spans)
    order = [number for number in order if number >= 0]
    depth, spent = 0, 0
    for number in order:
        if cutoff.k is not None and depth == cutoff.k:
            break
        if cutoff.budget is not None and depth and spent + tokens[number] > cutoff.budget:
            break
        spent += tokens[number]
        depth += 1
    hits = order[:depth]
    covered = references & set().union(*(held[hit] for hit in hits), set())
    total = sum(len(held[hit]) for hit in hits)
    union = set().union(*(held[hit] for hit in hits), set())
    touching: set[tuple[str, int]] = set()
    for source, start, end in chunks:
        if any(source == a.source and start <= a.end and a.start <= end for a in question.answers):
            touching |= characters(source, start, end)
    best = references & touching

    relevant = [any(2 * len(each & span) >= len(span) for span in spans) for each in held]
    ranks = [rank for rank, hit in enumerate(hits, 1) if relevant[hit]]
    looked_at = cutoff.k if cutoff.k is not None else depth
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(sum(relevant), looked_at) + 1))
    gained = sum(1 / math.log2(rank + 1) for rank in ranks)

    complete, paid, missing = math.inf, 0, set(references)
    for number in order:
        paid += tokens[number]
        missing -= held[number]
        if not missing:
            complete = paid
            break
    answered = [any(2 * len(held[hit] & span) >= len(span) for hit in hits) for span in spans]
    severed = [not any(span <= each for each in held) for span in spans]
    return {
        "recall": len(covered) / len(references),
        "full": float(covered == references),
        "precision": len(covered) / total if total else 0,
        "iou": len(covered) / (total + len(references - covered)),
        "omega": len(best) / len(touching | references),
        "hit": float(bool(ranks)),
        "mrr": 1 / ranks[0] if ranks else 0,
        "ndcg": gained / ideal if ideal else 0,
        "found": sum(answered) / len(spans),
        "severed": sum(severed) / len(spans),
        "unique": len(union) / total if total else 1,
        "tokens": spent,
        "depth": depth,
        "complete": complete,
    }


# Ranked measures, beside ir-measures


@settings(max_examples=100, deadline=None)
@given(trials())
def test_hit_rate_reciprocal_rank_and_ndcg_are_those_of_ir_measures(trial) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ir = pytest.importorskip("ir_measures")
    questions, pool, ranking, cutoff, chunks = trial
    if cutoff.k is None or not chunks:
        return
    k = cutoff.k
    rows = np.array(ranking, dtype=np.int64).reshape(len(questions), -1)
    scores = Labels(questions, pool).scores(rows, cutoff)
    held = [characters(*chunk) for chunk in chunks]
    qrels, run = [], []
    for number, question in enumerate(questions):
        spans = [characters(a.source, a.start, a.end) for a in question.answers]
        for name, each in enumerate(held):
            half = any(2 * len(each & span) >= len(span) for span in spans)
            qrels.append(ir.Qrel(str(number), str(name), int(half)))
        run += [
            ir.ScoredDoc(str(number), str(hit), -rank)
            for rank, hit in enumerate(ranking[number])
            if hit >= 0
        ]
    names = {ir.Success @ k: "hit", ir.RR @ k: "mrr", ir.nDCG @ k: "ndcg"}
    found = {}
    for metric in ir.iter_calc(list(names), qrels, run):
        found[names[metric.measure], int(metric.query_id)] = metric.value
    for (name, number), value in found.items():
        assert scores[name][number] == pytest.approx(value), name
    assert len(found) == 3 * len(questions) or not run


def test_scores_are_named_as_the_table_names_them() -> None:
    labels = Labels([asked(ANSWER)], pool_of(FOUR, [10] * 4))
    scores = labels.scores([[2, 0]], FIVE)
    assert isinstance(scores, Scores)
    assert scores["recall"].tolist() == scores.recall.tolist() == [0.75]
    assert list(scores.means()) == [measure.name for measure in MEASURES]
