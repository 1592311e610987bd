"""The table of columns, on figures that can be reckoned by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ragchunk.evaluation.measures import Cutoff, Scores
from ragchunk.measure_table import BY_NAME, Row, all_measures, figure, share, table, weigh
from tests.pages import read

BUDGET, HITS = Cutoff(budget=1000), Cutoff(k=5)
RECALL = BY_NAME["recall"]


def scores(recall: list[float], tokens: float = 100.0, complete: float = 50.0) -> Scores:
    """Scores of which only recall, full answers, tokens and cost differ."""
    ones = np.ones(len(recall))
    figures = np.array(recall)
    full = (figures == 1).astype(float)
    names = ("precision", "iou", "omega", "hit", "mrr", "ndcg", "found", "severed", "unique")
    return Scores(
        recall=figures,
        full=full,
        tokens=tokens * ones,
        depth=ones.astype(np.int64),
        complete=complete * ones,
        **dict.fromkeys(names, 0.5 * ones),
    )


# Of 20 questions one setting answers 10 and the other 18, the same 10 among them.
HALF = [1.0] * 10 + [0.0] * 10
MOST = [1.0] * 18 + [0.0] * 2


def row(name: str, recall: list[float], **more: float) -> Row:
    found = scores(recall, **more)
    return Row(name, "60 / 15 words", 0.25, 3, 24, 900, found, scores(recall[::-1]))


def rows(*found: Row) -> list[list[str]]:
    verdict = None
    measured = [each.scores for each in found if each.scores is not None]
    if len(measured[0]) >= 15:
        verdict = weigh(RECALL, [each.name for each in found], measured, [900] * len(found))
    html = table(list(found), RECALL, BUDGET, HITS, verdict)
    lines = read(html).all("tr")
    return [[cell.text for cell in each.all("th") + each.all("td")] for each in lines]


def test_means_counts_costs_and_the_interval_stand_in_their_columns() -> None:
    head, half, most = rows(row("Half", HALF), row("Most", MOST, complete=70.0))
    assert head == [
        "Column",
        "Recall",
        "95\u202f% interval",
        "at 5 chunks",
        "Full answers",
        "Tokens spent",
        "Until complete",
        "Severed",
        "Precision-omega",
        "Against the best",
    ]
    assert half[:2] == ["Half60 / 15 words", ".50"]
    assert half[3:9] == [".50", "10 of 20", "100200 per answered", "50", "3 of 24", ".25"]
    assert most[1] == ".90"
    assert most[5:7] == ["100111 per answered", "70"]
    low, _, high = half[2].partition(" to ")
    # The standard error of the mean of ten ones and ten zeros is .11: about .28 to .72.
    assert float(low) == pytest.approx(0.28, abs=0.04)
    assert float(high) == pytest.approx(0.72, abs=0.04)
    assert most[9] == "highest"
    assert half[9].startswith("Most is better by 40.0 points (20.0 to 60.0) on 20 questions")


def test_a_small_lead_is_told_as_none() -> None:
    nearly = [1.0] * 17 + [0.0] * 3
    _, nearly_row, _ = rows(row("Nearly", nearly), row("Most", MOST))
    assert "cannot be told apart on 20 questions" in nearly_row[9]


def test_fewer_than_fifteen_questions_are_counted_and_have_no_winner() -> None:
    head, one = rows(row("One", [1.0] * 7 + [0.0] * 2))
    assert head[1:3] == ["Full answers", "Hits"]
    assert one[1] == "7 of 9"
    assert "Recall" not in head
    assert "highest" not in one


def test_what_is_not_ranked_yet_shows_what_needs_no_ranking() -> None:
    found = Row("Waiting", "60 / 15 words", 0.4, 2, 24, 900, note="Embedding.")
    cells = [c.text for c in read(table([found], RECALL, BUDGET, HITS, None)).all("td")]
    assert cells[-3:] == ["2 of 24", ".40", "Embedding."]
    assert cells[:6] == ["…"] * 6


def test_less_is_better_for_severed_answers_and_for_tokens() -> None:
    dear, cheap = scores(HALF, tokens=300.0), scores(HALF, tokens=100.0)
    found = weigh(BY_NAME["tokens"], ["Dear", "Cheap"], [dear, cheap], [900, 900])
    assert found is not None
    assert found.board.best == 1
    assert found.against == (
        "Cheap is cheaper than Dear by 200 tokens (200 to 200) on 20 questions.",
        "",
    )
    assert weigh(RECALL, [], [], []) is None


def test_the_cheapest_is_what_a_reader_pays_least_for() -> None:
    # Both answer the same; the first spends less of the budget, but its answers stand deeper.
    first, other = scores(MOST, tokens=600.0, complete=500.0), scores(MOST, complete=40.0)
    found = weigh(RECALL, ["Deep", "Near"], [first, other], [900, 900])
    assert found is not None
    assert found.board.recommended == 1
    assert found.board.costs.tolist() == [500, 40]


def test_an_answer_that_is_never_complete_costs_all_chunks() -> None:
    assert scores([0.0, 0.0], complete=np.inf).reading_cost(900) == 900


def test_numbers_have_no_leading_zero() -> None:
    assert [share(each) for each in (0.0, 0.756, 0.999, 1.0)] == [".00", ".76", "1.00", "1.00"]
    assert figure(BY_NAME["tokens"], 1234.4) == "1,234"
    assert figure(RECALL, float("nan")) == "–"


def test_names_are_escaped() -> None:
    html = table([row("<img src=x>", HALF)], RECALL, BUDGET, HITS, None)
    assert "<img" not in html
    assert "<img" not in all_measures([row("<img src=x>", HALF)], BUDGET, HITS)
