"""The table of a sweep, what to take of it, and its files."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragchunk import STRATEGIES
from ragchunk.corpus import Corpus
from ragchunk.documents import Document
from ragchunk.errors import SettingsError
from ragchunk.evaluation.choice import choose, held_out
from ragchunk.evaluation.measures import Cutoff, Scores
from ragchunk.evaluation.questions import Question, answer_at
from ragchunk.evaluation.results import Results
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.sweep import sweep
from ragchunk.evaluation.sweep_files import run_from, to_csv, to_json
from ragchunk.evaluation.table import Recipe, Table, recipe, table_of
from ragchunk.evaluation.trial import Result
from tests.encoders import hashed_words
from tests.sweeping import CORPUS, CUTOFFS, QUESTIONS, SETTINGS, same

K = Cutoff(k=5)


def setting(size: int) -> Setting:
    return Setting(STRATEGIES["window"](size=size))


def result(size: int, recall: list[float], cost: float, severed: float = 0.0) -> Result:
    """A setting whose recall is given for each question; all else is made up and the same."""
    count = len(recall)
    same = {name: np.full(count, 0.5) for name in Scores.__dataclass_fields__}
    same |= {"recall": np.array(recall), "complete": np.full(count, float(cost))}
    same |= {"depth": np.full(count, 5), "severed": np.full(count, severed)}
    return Result(setting(size), 10 * size, 5_000, 0, 0.25, {K: Scores(**same)})  # type: ignore[arg-type]


def table(*results: Result) -> Table:
    [scores] = results[0].scores.values()
    made = Recipe(
        tuple(each.setting for each in results), (K,), "a model", "f0", "c0", (("a.md", "d0"),),
        len(scores), "q0", {"ragchunk": "1"},
    )  # fmt: skip
    return table_of(made, results)


GOOD = [1.0] * 18 + [0.0] * 2  # 90 on 20 questions
NEARLY = [1.0] * 17 + [0.0] * 3  # 85, not told apart
BAD = [0.0] * 18 + [1.0] * 2  # 10, told apart


def test_the_cheapest_of_those_that_cannot_be_told_apart_is_taken():
    choice = choose(table(result(1, GOOD, 900), result(2, NEARLY, 400), result(3, BAD, 100)),
                    "recall", K)  # fmt: skip
    assert choice.board.means.tolist() == [0.9, 0.85, 0.1]
    assert choice.board.is_tied.tolist() == [True, True, False]
    assert choice.chosen == choice.board.recommended == 1
    assert choice.front == [2, 1, 0]
    assert choice.sentence() == (
        "Take Fixed window 2/0 characters, plain. Of 3 settings, 2 cannot be told apart from the "
        "best on 20 questions; this one is the cheapest of them, at 400 tokens until the answer is "
        "complete. Its Recall is 85.0, that of the best, Fixed window 1/0 characters, plain, 90.0."
    )
    rows = choice.rows()
    assert [row["recommended"] for row in rows] == [False, True, False]
    assert [row["cost"] for row in rows] == [900, 400, 100]
    assert [row["held_out"] for row in rows] == [None] * 3
    assert sum(row["best_share"] for row in rows) == pytest.approx(1)


def test_who_never_finds_all_of_an_answer_pays_for_all_chunks():
    never = result(1, GOOD, float("inf"))
    choice = choose(table(never, result(2, GOOD, 4_999)), "recall", K)
    assert choice.board.costs.tolist() == [5_000, 4_999]
    assert choice.chosen == 1


def test_where_less_is_better_the_least_is_best_and_figures_keep_their_sign():
    rows = table(result(1, GOOD, 900, severed=0.5), result(2, NEARLY, 400, severed=0.0))
    choice = choose(rows, "severed", K)
    assert choice.board.means.tolist() == [0.5, 0.0]
    assert (choice.board.best, choice.board.is_tied.tolist()) == (1, [False, True])
    assert (choice.board.low.tolist(), choice.board.high.tolist()) == ([0.5, 0], [0.5, 0])
    assert not np.signbit(choice.board.means).any()
    assert choice.front == [1]


def test_held_out_questions_have_no_part_in_the_choice():
    """The setting is right on those it is chosen by and wrong on all others, or the other way."""
    mask = held_out(40, 0.3, seed=7)
    assert mask.sum() == 12
    tuned = (~mask).astype(float).tolist()
    held = mask.astype(float).tolist()
    choice = choose(table(result(1, tuned, 500), result(2, held, 500)), "recall", K, 0.3, seed=7)
    assert choice.board.questions == 28
    assert choice.board.means.tolist() == [1.0, 0.0]
    assert choice.held is not None
    assert choice.held.tolist() == [0.0, 1.0]
    assert choice.held_questions == 12
    assert choice.sentence() == (
        "Take Fixed window 1/0 characters, plain. It is the best of 2 settings on 28 questions, "
        "and told apart from all others, at 500 tokens until the answer is complete. On 12 "
        "questions held out its Recall is 0.0, and 100.0 on those it was chosen by."
    )
    assert [row["held_out"] for row in choice.rows()] == [0.0, 1.0]


def test_who_is_held_out_depends_on_the_seed_alone():
    assert held_out(100, 0.3, 1).tolist() == held_out(100, 0.3, 1).tolist()
    assert held_out(100, 0.3, 1).tolist() != held_out(100, 0.3, 2).tolist()
    assert held_out(100).sum() == 30


@pytest.mark.parametrize(
    ("questions", "share"),
    [(1, 0.3), (2, 0.1), (9, 0), (9, 1), (9, -1), (9, 30), (9, math.nan), (9, math.inf)],
)
def test_holding_out_leaves_some_on_both_sides(questions: int, share: float):
    with pytest.raises(SettingsError, match="leaves none on one side"):
        held_out(questions, share)


def test_the_share_that_is_refused_is_said_as_it_was_given():
    with pytest.raises(SettingsError, match=r"^Holding out 0\.1 % of 36 questions leaves none"):
        held_out(36, 0.001)


def test_with_few_questions_there_are_counts_and_no_winner():
    choice = choose(table(result(1, GOOD[4:16], 900), result(2, BAD[4:16], 400)), "recall", K)
    assert choice.board.recommended is None
    assert choice.chosen == 0
    assert choice.sentence() == (
        "12 questions: counts only, no winner. 15 are the fewest to compare on."
    )


def test_what_cannot_be_chosen_by_is_said():
    rows = table(result(1, GOOD, 900))
    with pytest.raises(SettingsError, match="Measure 'luck' is not known"):
        choose(rows, "luck", K)
    with pytest.raises(SettingsError, match="was not measured at 9 chunks, but at 5 chunks"):
        choose(rows, "recall", Cutoff(k=9))
    empty = table_of(rows.recipe, [])
    with pytest.raises(SettingsError, match="No setting was measured"):
        choose(empty, "recall", K)


def swept(found: Recipe, corpus: Corpus, questions: list[Question], folder: Path) -> Table:
    steps = sweep(
        found.settings, corpus, questions, found.model, found.cutoffs, results=Results(folder),
        encoder=hashed_words,
    )  # fmt: skip
    return table_of(found, [each.result for each in steps])


def test_json_has_all_that_it_takes_to_run_it_again_to_the_same_numbers(tmp_path: Path):
    first = swept(recipe(SETTINGS, CORPUS, QUESTIONS, CUTOFFS), CORPUS, QUESTIONS, tmp_path / "a")
    said = json.dumps(to_json(choose(first, "recall", CUTOFFS[0], seed=3)), allow_nan=False)

    read = run_from(said).recipe
    assert read == first.recipe
    assert read.differences(recipe(read.settings, CORPUS, QUESTIONS, read.cutoffs)) == []
    again = swept(read, CORPUS, QUESTIONS, tmp_path / "b")
    same(again.results, first.results)
    rows = json.loads(json.dumps(to_json(choose(again, "recall", CUTOFFS[0], seed=3))))["rows"]
    expected = json.loads(said)["rows"]
    for one, other in zip(rows, expected, strict=True):
        assert {k: v for k, v in one.items() if k != "seconds"} == {
            k: v for k, v in other.items() if k != "seconds"
        }


def test_a_second_run_says_what_is_not_as_it_was():
    first = recipe(SETTINGS, CORPUS, QUESTIONS, CUTOFFS)
    other = Corpus((Document("bees.md", "Other bees."),))
    question = Question("who?", (answer_at(other.documents[0], 0, 5),))
    assert first.differences(recipe(SETTINGS, other, [question], CUTOFFS)) == [
        "The documents are not those of the first run.",
        "The questions are not those of the first run.",
    ]
    old = Recipe(**{**first.__dict__, "fingerprint": "other", "versions": {"numpy": "1.0"}})
    assert old.differences(first) == [
        "The model is not that of the first run.",
        f"numpy was 1.0, and is {np.__version__}.",
    ]


def test_json_says_which_documents_and_questions():
    found = recipe(SETTINGS[:1], CORPUS, QUESTIONS, CUTOFFS).to_json()
    assert [each["source"] for each in found["corpus"]["documents"]] == [
        "bees.md", "bread.md", "maps.md",
    ]  # fmt: skip
    assert found["questions"]["count"] == 8
    assert found["cutoffs"] == [{"k": None, "budget": 12}, {"k": 2, "budget": None}]
    assert found["model"]["name"] == "all-MiniLM-L6-v2"
    assert {"ragchunk", "python", "numpy", "torch"} <= found["versions"].keys()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The results of a sweep are JSON, and this is not"),
        ("[]", "This is no JSON that a sweep of this version wrote"),
        ('{"format": 99}', "This is no JSON that a sweep of this version wrote"),
        ('{"format": 1}', "The recipe of a sweep cannot be read"),
        ('{"format": 1, "recipe": {}}', r'cannot be read \("settings" is missing\)'),
        ('{"format": 1, "recipe": {"settings": [{"strategy": "magic"}]}}', "'magic' is not known"),
        (
            '{"format": 1, "recipe": {"settings": 3}}',
            r"cannot be read \(a value in it is not of the kind it should be\)",
        ),
        ("[" * 100_000, "The results of a sweep are JSON, and this is not"),
    ],
)
def test_files_that_are_no_results(text: str, words: str):
    with pytest.raises(SettingsError, match=words):
        run_from(text)


def test_csv_has_a_row_for_each_setting_with_what_it_was_run_on():
    rows = table(result(1, GOOD, 900), result(2, NEARLY, 400))
    found = list(csv.DictReader(io.StringIO(to_csv(choose(rows, "recall", K, 0.3, seed=5)))))
    assert [row["label"] for row in found] == rows.labels
    first: dict[str, Any] = found[0]
    assert (first["strategy"], first["size"], first["overlap"]) == ("window", "1", "0")
    assert (first["unit"], first["tail"], first["way"]) == ("characters", "keep", "plain")
    assert (first["recall@k5"], first["choice_cost"]) == ("0.9", "900.0")
    assert (first["chunks"], first["stored_tokens"]) == ("10", "5000")
    assert (first["measure"], first["cutoff"], first["seed"]) == ("recall", "k5", "5")
    assert (first["questions"], first["questions_held_out"]) == ("20", "6")
    assert (first["questions_hash"], first["corpus_hash"]) == ("q0", "c0")
    assert (first["model"], first["model_fingerprint"], first["program"]) == ("a model", "f0", "1")


def test_csv_of_strategies_with_settings_of_their_own():
    own = Setting(STRATEGIES["recursive"](size=9, separators=["line", "= "]))
    kinds = [own, Setting(STRATEGIES["whole"]())]
    results = [Result(each, 1, 1, 0, 0.0, result(1, GOOD, 900).scores) for each in kinds]
    made = Recipe(tuple(kinds), (K,), "m", "f", "c", (), 20, "q")
    found = list(csv.DictReader(io.StringIO(to_csv(choose(table_of(made, results), "recall", K)))))
    assert [row["separators"] for row in found] == ['["line", "= "]', ""]
    assert [row["size"] for row in found] == ["9", ""]


def test_what_is_infinite_is_empty_in_csv_and_null_in_json():
    nothing = result(1, [0.0] * 20, 900)
    scores = nothing.scores[K]
    none = Scores(**{**scores.__dict__, "full": np.zeros(20)})
    rows = table(Result(nothing.setting, 1, 1, 0, 0.0, {K: none}))
    choice = choose(rows, "recall", K)
    [row] = to_json(choice)["rows"]
    assert row["measures"]["k5"]["tokens_per_answered"] is None
    [line] = csv.DictReader(io.StringIO(to_csv(choice)))
    assert line["tokens_per_answered@k5"] == ""
