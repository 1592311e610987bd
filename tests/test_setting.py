from __future__ import annotations

import json
from typing import Any

import pytest

from ragchunk import STRATEGIES
from ragchunk.embedding import WAYS
from ragchunk.errors import SettingsError
from ragchunk.evaluation.setting import SIZES, Setting, grid
from ragchunk.strategies import Sized


def setting(name: str, way: str = "plain", **values: Any) -> Setting:
    return Setting(STRATEGIES[name](**values), way)


@pytest.mark.parametrize(
    ("name", "values", "label"),
    [
        ("whole", {}, "Whole document, late"),
        (
            "paragraphs",
            {"size": 120, "overlap": 30, "unit": "tokens"},
            "Paragraph-aware 120/30 tokens, late",
        ),
        ("window", {"size": 9, "tail": "drop"}, "Fixed window 9/0 characters, late, tail drop"),
        (
            "window",
            {"size": 9, "tail": "merge", "min_size": 2},
            "Fixed window 9/0 characters, late, tail merge, min size 2",
        ),
        (
            "recursive",
            {"size": 9, "separators": ["line", "; "]},
            "Recursive 9/0 characters, late, separators 'line', '; '",
        ),
    ],
)
def test_labels_say_what_is_not_as_usual(name: str, values: dict[str, Any], label: str):
    assert setting(name, "late", **values).label == label


def test_a_grid_is_every_size_and_overlap_and_the_whole_once():
    found = grid(["whole", "window"], [4, 10], [0, 0.25, 0.5], "words", "averaged")
    assert [each.label for each in found] == [
        "Whole document, averaged",
        "Fixed window 4/0 words, averaged",
        "Fixed window 4/1 words, averaged",
        "Fixed window 4/2 words, averaged",
        "Fixed window 10/0 words, averaged",
        "Fixed window 10/3 words, averaged",  # 2.5, rounded up
        "Fixed window 10/5 words, averaged",
    ]


def test_a_grid_leaves_out_what_comes_twice_or_cannot_be():
    found = grid(["window", "window"], [1, 1, 2], [0, 0.2, 0.9])
    # Of 1 a share of .9 is a whole 1, and of 2 as much as 2: neither would advance.
    assert [each.label for each in found] == [
        "Fixed window 1/0 tokens, late",
        "Fixed window 2/0 tokens, late",
    ]
    assert grid([]) == []
    assert grid(["window"], []) == []


def test_the_default_grid_has_the_sizes_of_the_field_two_longer_than_the_model_reads():
    found = grid()
    assert len(found) == 1 + 4 * 7 * 3
    sizes = [each for each in found if each.strategy == STRATEGIES["whole"]()]
    assert len(sizes) == 1
    longer = {
        each.strategy.size
        for each in found
        if isinstance(each.strategy, Sized) and each.is_longer_than(254)
    }
    assert longer == {400, 800}
    assert len(SIZES["words"]) == len(SIZES["characters"]) == len(SIZES["tokens"]) == 7


def test_a_size_that_is_not_in_tokens_is_not_held_against_the_limit():
    assert not setting("window", size=3_000).is_longer_than(254)
    assert not setting("whole").is_longer_than(254)
    assert setting("window", size=255, unit="tokens").is_longer_than(254)
    assert not setting("window", size=254, unit="tokens").is_longer_than(254)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("way", WAYS)
def test_a_setting_comes_back_from_json(name: str, way: str):
    values = {"size": 8, "overlap": 2, "unit": "words", "tail": "merge", "min_size": 3}
    one = setting(name, way, **({} if name == "whole" else values))
    again = Setting.from_json(json.loads(json.dumps(one.to_json())))
    assert again == one
    assert hash(again) == hash(one)
    assert again.strategy.spans("one two three. " * 9) == one.strategy.spans("one two three. " * 9)


def test_separators_come_back_from_json():
    one = setting("recursive", size=8, separators=["line", "; "])
    assert Setting.from_json(json.loads(json.dumps(one.to_json()))) == one


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({}, "Strategy None is not known"),
        ({"strategy": "magic"}, "Strategy 'magic' is not known"),
        ({"strategy": "whole", "size": 3}, "The strategy whole has no setting size; it has none"),
        ({"strategy": "window", "size": 3, "colour": 1}, "has no setting colour; it has min_size"),
        ({"strategy": "window", "size": 3, "overlap": 3}, "Overlap 3 must be smaller than size 3"),
        ({"strategy": "window", "size": "3"}, "Size must be an integer, not '3'"),
        ({"strategy": "whole", "way": "best"}, 'There is no way "best"'),
        ({"strategy": "window"}, "The strategy window needs a size"),
    ],
)
def test_rows_that_are_no_setting(row: dict[str, Any], words: str):
    with pytest.raises(SettingsError, match=words):
        Setting.from_json(row)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"strategies": ["magic"]}, "Strategy 'magic' is not known"),
        ({"sizes": [0]}, "Size 0 is too small"),
        ({"sizes": [1.5]}, "Size must be an integer, not 1.5"),
        ({"overlaps": [1]}, "Overlap 1 must be a share of the size, from 0 to less than 1"),
        ({"overlaps": [-0.1]}, "Overlap -0.1 must be a share"),
        ({"overlaps": [float("nan")]}, "Overlap nan must be a share"),
        ({"unit": "lines"}, "Unit 'lines' is not known"),
        ({"way": "best"}, 'There is no way "best"'),
        ({"tail": "wag"}, "Tail 'wag' is not known"),
    ],
)
def test_grids_that_cannot_be(arguments: dict[str, Any], words: str):
    with pytest.raises(SettingsError, match=words):
        grid(**arguments)
