from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk import STRATEGIES
from ragchunk.corpus import Corpus
from ragchunk.documents import Document
from ragchunk.errors import SettingsError
from ragchunk.evaluation.luck import luck, moved
from ragchunk.evaluation.measures import Cutoff
from ragchunk.evaluation.questions import Question, answer_at
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.trial import measure
from ragchunk.strategies.shifted import ShiftedWindow
from ragchunk.units import Unit, ruler
from tests.encoders import Fixed, HashedWords
from tests.texts import any_texts

K = Cutoff(k=1)


def window(size: int, overlap: int = 0, unit: Unit = "characters") -> Setting:
    return Setting(STRATEGIES["window"](size=size, overlap=overlap, unit=unit))


def test_the_grid_moves_and_the_windows_stay_as_they_are():
    text = "abcdefghijkl"
    cut = {
        each.strategy.shift if isinstance(each.strategy, ShiftedWindow) else 0: [
            text[start:end] for start, end in each.strategy.spans(text)
        ]
        for each in moved(window(5, 1), places=4)
    }
    assert cut == {
        0: ["abcde", "efghi", "ijkl"],
        1: ["ab", "bcdef", "fghij", "jkl"],
        2: ["abc", "cdefg", "ghijk", "kl"],
        3: ["abcd", "defgh", "hijkl"],
    }


def test_words_and_tokens_move_too():
    text = "one two three four five six"
    for unit in ("words", "tokens"):
        [_, shifted] = moved(window(4, 2, unit), places=2)
        cut = [text[start:end] for start, end in shifted.strategy.spans(text)]
        assert cut == ["one two three", "two three four five", "four five six"]


@given(any_texts, st.integers(1, 9), st.data())
def test_moved_windows_keep_the_contract(text: str, size: int, data: st.DataObject):
    overlap = data.draw(st.integers(0, size - 1))
    shift = data.draw(st.integers(0, size - overlap - 1))
    unit: Unit = data.draw(st.sampled_from(["characters", "words"]))
    strategy = ShiftedWindow(size=size, overlap=overlap, unit=unit, shift=shift)
    spans = strategy.spans(text)
    assert all(a.start < b.start and a.end < b.end for a, b in pairwise(spans))
    held = {place for start, end in spans for place in range(start, end)}
    assert all(place in held for place, each in enumerate(text) if not each.isspace())
    for span in spans:
        if ruler(text, unit).measure(*span) > size:
            assert len(ruler(text, unit).pieces(*span)) == 1
    if not shift:
        same = STRATEGIES["window"](size=size, overlap=overlap, unit=unit)
        assert spans == same.spans(text)


def test_places_are_parts_of_a_step_and_each_comes_once():
    shifts = [each.strategy.shift for each in moved(window(20, 4))[1:]]  # type: ignore[attr-defined]
    assert shifts == [2, 4, 6, 8, 10, 12, 14]
    few = [each.strategy.shift for each in moved(window(5, 2))[1:]]  # type: ignore[attr-defined]
    assert few == [1, 2]
    assert moved(window(1)) == [window(1)]


def test_a_moved_setting_says_so_and_keeps_all_else():
    settings = moved(Setting(STRATEGIES["window"](size=8, unit="words", tail="merge"), "averaged"))
    assert settings[1].label == "Fixed window, moved 8/0 words, averaged, tail merge, shift 1"


def test_the_spread_is_from_the_least_to_the_most():
    """The answer is whole in the window of four only where the grid has moved by two."""
    document = Document("a.md", "aabbccdd")
    question = Question("q", (answer_at(document, 2, 6),))
    vectors = {"aabb": [0.6, 0.8], "ccdd": [0.8, 0.6], "q": [1.0, 0.0]}
    vectors |= {"aa": [0.0, 1.0], "bbcc": [1.0, 0.0], "dd": [0.0, 1.0]}
    settings = moved(window(4), places=2)
    results = [
        measure(each, Corpus((document,)), [question], Fixed(vectors), [K]) for each in settings
    ]
    for order in (results, results[::-1]):
        found = luck(order, "recall", K)
        assert (found.shifts, found.values) == ((0, 2), (0.5, 1.0))
        assert (found.low, found.high, found.spread) == (0.5, 1.0, 0.5)
        assert found.sentence() == (
            "Recall of Fixed window 4/0 characters, plain is 50.0 to 100.0 points at 2 places of "
            "its grid: a gain of less than 50.0 points may be chance."
        )


def test_a_grid_of_one_place_is_said():
    document = Document("a.md", "aabb")
    question = Question("aa", (answer_at(document, 0, 1),))
    results = [
        measure(each, Corpus((document,)), [question], HashedWords(), [K])
        for each in moved(window(1))
    ]
    assert luck(results, "recall", K).sentence() == (
        "Fixed window 1/0 characters, plain has a step of one, so its grid cannot be moved."
    )
    with pytest.raises(SettingsError, match="The setting itself is not among the results"):
        luck([], "recall", K)


@pytest.mark.parametrize("name", ["whole", "paragraphs", "sentences", "recursive"])
def test_only_a_fixed_window_has_a_grid(name: str):
    strategy = STRATEGIES[name]() if name == "whole" else STRATEGIES[name](size=9)
    with pytest.raises(SettingsError, match="has no grid to move"):
        moved(Setting(strategy))


@pytest.mark.parametrize("shift", [-1, 3, 4, 1.5])
def test_a_shift_is_less_than_a_step(shift: int):
    with pytest.raises(SettingsError, match="Shift"):
        ShiftedWindow(size=5, overlap=2, shift=shift)
