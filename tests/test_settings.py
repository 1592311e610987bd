"""Settings are checked before any work, in words that name both numbers and the way out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragchunk import STRATEGIES, RagchunkError, SettingsError
from ragchunk import settings as checks
from ragchunk.strategies import Sized

SIZED = [name for name, kind in STRATEGIES.items() if issubclass(kind, Sized)]


def message(function, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        function(*args, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize("name", SIZED)
def test_an_overlap_as_large_as_the_size_says_why_and_what_to_do(name: str) -> None:
    assert message(STRATEGIES[name], size=200, overlap=250) == (
        "Overlap 250 must be smaller than size 200: each window starts size - overlap = -50 "
        "further on, so it would never advance. Choose an overlap from 0 to 199, or a larger size."
    )


@pytest.mark.parametrize("name", SIZED)
def test_the_way_out_of_size_one(name: str) -> None:
    assert message(STRATEGIES[name], size=1, overlap=1).endswith(
        "Choose a larger size, or overlap 0."
    )


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"size": 0}, "Size 0 is too small: it must be at least 1."),
        ({"size": -7}, "Size -7 is too small: it must be at least 1."),
        ({"size": 9, "overlap": -1}, "Overlap -1 is too small: it must be at least 0."),
        (
            {"size": "1000"},
            "Size must be an integer, not '1000' (str). Give a number such as 1.",
        ),
        (
            {"size": 9, "overlap": "2"},
            "Overlap must be an integer, not '2' (str). Give a number such as 1.",
        ),
        (
            {"size": 9.0},
            "Size must be an integer, not 9.0 (float). Give a number such as 1.",
        ),
        (
            {"size": True},
            "Size must be an integer, not True (bool). Give a number such as 1.",
        ),
        (
            {"size": 9, "unit": "bytes"},
            "Unit 'bytes' is not known. Choose one of: characters, words, tokens.",
        ),
        (
            {"size": 9, "tail": "cut"},
            "Tail 'cut' is not known. Choose one of: keep, merge, drop.",
        ),
        (
            {"size": 9, "min_size": 10},
            "Minimum size 10 is larger than size 9: every last chunk would be short. "
            "Choose a minimum size from 0 to 9.",
        ),
        ({"size": 9, "min_size": -1}, "Minimum size -1 is too small: it must be at least 0."),
        (
            {"size": 9, "min_size": 2.5},
            "Minimum size must be an integer, not 2.5 (float). Give a number such as 1.",
        ),
    ],
)
def test_each_setting_says_what_is_wrong(name: str, settings: dict[str, Any], said: str) -> None:
    assert message(STRATEGIES[name], **settings) == said


def test_a_bad_setting_is_a_value_error_and_one_of_ours() -> None:
    with pytest.raises(ValueError, match="never advance") as caught:
        STRATEGIES["window"](size=5, overlap=5)
    assert isinstance(caught.value, RagchunkError)


@pytest.mark.parametrize("name", SIZED)
def test_integers_of_other_libraries_are_the_same_setting(name: str) -> None:
    ours = STRATEGIES[name](size=30, overlap=10, min_size=5)
    theirs = STRATEGIES[name](size=np.int64(30), overlap=np.int32(10), min_size=np.int16(5))
    assert ours == theirs
    assert hash(ours) == hash(theirs)
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("min_size", [0, 1, 9, None])
def test_a_minimum_up_to_the_size_is_taken_as_given(name: str, min_size: int | None) -> None:
    assert STRATEGIES[name](size=9, min_size=min_size).min_size == min_size


def test_equal_settings_are_one_key_and_different_strategies_are_not() -> None:
    window, paragraphs = STRATEGIES["window"], STRATEGIES["paragraphs"]
    assert len({window(size=9), window(size=9), window(size=9, overlap=1), paragraphs(size=9)}) == 3


def test_a_strategy_cannot_be_changed_after_its_check() -> None:
    strategy = STRATEGIES["window"](size=9)
    with pytest.raises(AttributeError):
        strategy.size = 0  # pyright: ignore[reportAttributeAccessIssue]


def test_whole_documents_take_no_size() -> None:
    with pytest.raises(TypeError, match="size"):
        STRATEGIES["whole"](size=10)  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(("name", "kind"), STRATEGIES.items())
def test_every_strategy_has_a_name_a_label_and_a_sentence(name: str, kind: Any) -> None:
    assert kind.name == name
    assert kind.label
    assert kind.summary.endswith(".")
    strategy = kind(size=10) if issubclass(kind, Sized) else kind()
    assert strategy.describe().endswith(".")


def test_what_the_settings_do_in_one_sentence() -> None:
    window, paragraphs = STRATEGIES["window"], STRATEGIES["paragraphs"]
    assert window(size=1200, overlap=200).describe() == "A cut every 1,000 characters."
    assert window(size=2, overlap=1, unit="words").describe() == "A cut every 1 word."
    assert paragraphs(size=60, unit="tokens").describe() == (
        "Whole paragraphs packed up to 60 tokens."
    )


def test_an_integer_comes_back_plain() -> None:
    assert type(checks.integer("Size", np.int64(7), least=1)) is int
