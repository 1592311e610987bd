"""A column's figures held still: what is said of a change, word for word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ragchunk import STRATEGIES, Document
from ragchunk.comparison import Ranking, ask, cut
from ragchunk.corpus import Corpus
from ragchunk.evaluation.questions import Answer
from ragchunk.panels import Scene
from ragchunk.pin import Pin, differences, pin
from tests.encoders import HashedWords

HELD = Pin("Fixed window", chunks=40, repeated=0.25, cut=30, lost=5, rank=4)


def told(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return differences(replace(HELD, **before), replace(HELD, **now))


def test_what_stayed_the_same_is_not_told():
    assert differences(HELD, HELD) == []
    assert differences(HELD, replace(HELD, label="another")) == []


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ({"chunks": 40}, {"chunks": 52}, ["chunks +12"]),
        ({"chunks": 52}, {"chunks": 40}, ["chunks −12"]),
        ({"chunks": 1}, {"chunks": 12_346}, ["chunks +12,345"]),
        ({"chunks": 20_000}, {"chunks": 1}, ["chunks −19,999"]),
        ({"lost": 5}, {"lost": 2}, ["lost −3"]),
        ({"lost": 0}, {"lost": 2}, ["lost +2"]),
        ({"cut": 30}, {"cut": 31}, ["cut +1"]),
        ({"repeated": 0.0}, {"repeated": 0.808}, ["repeated +80.8 points"]),
        ({"repeated": 0.25}, {"repeated": 0.125}, ["repeated −12.5 points"]),
        ({"repeated": 0.25}, {"repeated": 0.2504}, []),
        ({"repeated": 0.1 + 0.2}, {"repeated": 0.3}, []),
        ({"rank": 4}, {"rank": 1}, ["answer rank 4 to rank 1"]),
        ({"rank": 1}, {"rank": 0}, ["answer rank 1 to not whole"]),
        ({"rank": 0}, {"rank": 2}, ["answer not whole to rank 2"]),
        ({"rank": None}, {"rank": 2}, []),
        ({"rank": 2}, {"rank": None}, []),
        ({"rank": 0}, {"rank": None}, []),
        ({"way": "plain"}, {"way": "late"}, ["plain to late vectors"]),
        ({"way": ""}, {"way": "late"}, []),
    ],
)
def test_a_change_is_told_with_its_direction(before: dict, now: dict, words: list[str]):
    assert told(before, now) == words


def test_all_changes_are_told_in_one_order():
    now = Pin("", chunks=52, repeated=0.0, cut=28, lost=2, rank=1)
    assert differences(HELD, now) == [
        "chunks +12",
        "repeated −25.0 points",
        "cut −2",
        "lost −3",
        "answer rank 4 to rank 1",
    ]


# What is held

TEXT = "Cats sleep all day. Dogs bark at night. Herrings sing in the deep sea."
CORPUS = Corpus((Document("a.txt", TEXT),))
HERRINGS = TEXT.index("Herrings")
ANSWER = Answer("a.txt", HERRINGS, len(TEXT), TEXT[HERRINGS:])
DOGS = Answer("a.txt", TEXT.index("Dogs"), HERRINGS - 1, "Dogs bark at night.")


def test_other_documents_and_other_questions_are_no_effect_of_a_move():
    assert told({"corpus": "a"}, {"corpus": "b", "chunks": 99}) == ["other documents are open"]
    assert told({}, {"asked": (ANSWER,), "rank": 1, "lost": 6}) == ["lost +1", "another question"]


def held(size: int, *answers: Answer, k: int = 5, asked: bool = True) -> Pin:
    """A pin of windows of `size` characters, for a question after herrings."""
    cutting = cut(CORPUS, STRATEGIES["window"](size=size, unit="characters"))
    ranking: Ranking | None = None
    if asked:
        ranking = ask("Herrings sing in the deep sea.", cutting, HashedWords(), k, "plain")
    return pin(cutting, ranking, Scene("characters", "plain", k, answers))


def test_the_figures_are_those_of_the_column():
    found = held(30, ANSWER)
    assert (found.chunks, found.repeated, found.cut, found.lost) == (3, 0.0, 2, 2)
    assert found.label == "Fixed window. A cut every 30 characters. Plain vectors."


def test_the_rank_is_that_of_the_first_hit_with_the_whole_answer():
    assert held(len(TEXT), ANSWER).rank == 1
    assert held(HERRINGS, ANSWER).rank == 1


def test_an_answer_in_two_parts_is_complete_with_the_last_of_them():
    cutting = cut(CORPUS, STRATEGIES["window"](size=HERRINGS, unit="characters"))
    ranking = ask("Herrings sing in the deep sea.", cutting, HashedWords(), 2, "plain")
    assert [hit.chunk.index for hit in ranking.hits] == [1, 0]
    assert np.all(ranking.scores >= 0)
    assert pin(cutting, ranking, Scene("characters", "plain", 2, [DOGS, ANSWER])).rank == 2
    assert held(HERRINGS, DOGS, ANSWER, k=1).rank == 0, "only one of the parts is there"


def test_an_answer_that_no_hit_holds_whole_has_rank_0():
    assert held(30, ANSWER).rank == 0


def test_without_a_known_answer_or_before_the_ranking_there_is_no_rank():
    assert held(30).rank is None
    assert held(30, ANSWER, asked=False).rank is None
