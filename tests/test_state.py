"""What a link carries: every setting there and back, and every wrong value named in words."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, cast, get_args
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragchunk.embedding import WAYS
from ragchunk.presets import PRESETS
from ragchunk.state import (
    CORPORA,
    CUTOFFS,
    MEASURED,
    MOST_BUDGET,
    MOST_COLUMNS,
    MOST_HITS,
    PARTS,
    RANGES,
    TABS,
    ColumnState,
    Cutter,
    PageState,
    from_params,
    to_params,
)
from ragchunk.strategies import STRATEGIES, Tail
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import UNITS, Unit

KEYS = [
    "tab",
    "q",
    "k",
    "unit",
    "size",
    "overlap",
    "vectors",
    "tail",
    "min",
    "model",
    "neighbours",
    "column",
    "corpus",
    "file",
    "document",
    "preset",
    "part",
    "measure",
    "budget",
    "cutoff",
]

HOSTILE = [
    "",
    " ",
    "a:b:c.md",
    ":",
    "a&b=c?d#e.md",
    "%41%zz+ +",
    "<img src=x onerror=alert(1)>",
    "\"quoted\" 'twice'",
    "before\0after",
    "two\nlines\r\n\ttab",
    "👨‍👩‍👧‍👦 é שלום",
    "\ufeffmark",
    "words,600,60",
    "x" * 5_000,
]

hostile = st.one_of(
    st.sampled_from(HOSTILE),
    # Half of a surrogate pair has no UTF-8: neither a browser nor an address can say it.
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)


@st.composite
def cutters(draw: st.DrawFn) -> Cutter:
    unit = cast(Unit, draw(st.sampled_from(UNITS)))
    limits = RANGES[unit]
    return Cutter(
        unit,
        draw(st.integers(limits.least, limits.most)),
        draw(st.integers(0, limits.most)),
        draw(st.sampled_from(list(WAYS))),
    )


columns = st.builds(ColumnState, st.sampled_from(list(STRATEGIES)), st.one_of(st.none(), cutters()))

states = st.builds(
    PageState,
    tab=st.sampled_from(TABS),
    query=hostile,
    k=st.integers(1, MOST_HITS),
    shared=cutters(),
    tail=st.sampled_from(get_args(Tail)),
    min_size=st.one_of(st.none(), st.integers(0, 6_000)),
    model=hostile.filter(bool),
    merge=st.booleans(),
    columns=st.lists(columns, min_size=1, max_size=MOST_COLUMNS).map(tuple),
    corpus=st.sampled_from(CORPORA),
    files=st.lists(
        st.tuples(hostile.filter(bool), st.text("0123456789abcdef", min_size=12, max_size=12)),
        max_size=4,
    ).map(tuple),
    document=hostile,
    preset=hostile,
    part=st.sampled_from(PARTS),
    measure=st.sampled_from(MEASURED),
    budget=st.integers(1, MOST_BUDGET),
    cutoff=st.sampled_from(CUTOFFS),
)


def through_an_address(state: PageState) -> dict[str, list[str]]:
    """The parameters as they come back from a link."""
    query = urlencode(to_params(state), doseq=True)
    return parse_qs(query, keep_blank_values=True, strict_parsing=True)


# There and back


@given(states)
@example(PageState())
@example(PageState(files=(("a:b&c=d?e#f.md", "0123"), ("a:b&c=d?e#f (2).md", "4567"))))
@example(PageState(query="&k=20&tab=lessons#top", document="&k=20"))
def test_a_link_opens_the_state_it_was_made_from(state: PageState) -> None:
    assert from_params(to_params(state)) == (state, [])
    assert from_params(through_an_address(state)) == (state, [])


@given(states)
def test_every_setting_is_written_whatever_it_is(state: PageState) -> None:
    params = to_params(state)
    assert list(params) == KEYS
    single = {name: values for name, values in params.items() if name not in ("column", "file")}
    assert all(len(values) == 1 for values in single.values())
    assert len(params["column"]) == len(state.columns)
    assert len(params["file"]) == len(state.files)


def test_what_the_opening_page_writes() -> None:
    assert to_params(PageState()) == {
        "tab": ["compare"],
        "q": ["how big should a chunk be?"],
        "k": ["3"],
        "unit": ["words"],
        "size": ["60"],
        "overlap": ["15"],
        "vectors": ["plain"],
        "tail": ["keep"],
        "min": [""],
        "model": [DEFAULT_MODEL],
        "neighbours": ["separate"],
        "column": ["whole", "window", "paragraphs"],
        "corpus": ["samples"],
        "file": [],
        "document": [""],
        "preset": [""],
        "part": ["columns"],
        "measure": ["recall"],
        "budget": ["1000"],
        "cutoff": ["budget"],
    }


def test_every_field_of_the_state_makes_a_difference_in_the_link() -> None:
    other: dict[str, Any] = {
        "tab": "prompt",
        "query": "?",
        "k": 4,
        "shared": Cutter("tokens", 100, 10, "averaged"),
        "tail": "drop",
        "min_size": 0,
        "model": "another",
        "merge": True,
        "columns": (ColumnState("whole", Cutter()),),
        "corpus": "docker",
        "files": (("a.md", "12"),),
        "document": "a.md",
        "preset": "Confetti",
        "part": "sweep",
        "measure": "full",
        "budget": 2_000,
        "cutoff": "hits",
    }
    assert set(other) == {field.name for field in fields(PageState)}
    for name, value in other.items():
        changed = replace(PageState(), **{name: value})
        assert to_params(changed) != to_params(PageState()), name
        assert from_params(through_an_address(changed)) == (changed, []), name


def test_own_settings_are_written_with_their_column() -> None:
    state = PageState(
        columns=(
            ColumnState("window", Cutter("characters", 200, 0)),
            ColumnState("window", Cutter("tokens", 128, 16, "averaged")),
            ColumnState("window"),
        )
    )
    assert to_params(state)["column"] == [
        "window,characters,200,0,plain",
        "window,tokens,128,16,averaged",
        "window",
    ]


def test_a_file_is_its_hash_and_its_name_and_never_its_text() -> None:
    state = PageState(corpus="files", files=(("a:b&c.md", "0123abcd"),))
    assert to_params(state)["file"] == ["0123abcd:a:b&c.md"]
    assert from_params({"file": ["0123abcd:a:b&c.md"]})[0].files == (("a:b&c.md", "0123abcd"),)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_comes_back_from_its_link(preset) -> None:
    assert from_params(through_an_address(preset.state)) == (preset.state, [])
    assert preset.state.preset == preset.name


# Links that are not ours


def test_an_empty_link_is_the_opening_page() -> None:
    assert from_params({}) == (PageState(), [])


def test_parameters_of_others_are_left_alone() -> None:
    assert from_params({"utm_source": ["x"], "lesson": ["3"]}) == (PageState(), [])


def test_an_address_without_sizes_takes_those_of_its_unit() -> None:
    for unit, limits in RANGES.items():
        state, problems = from_params({"unit": [unit]})
        assert state.shared == Cutter(unit, limits.size, limits.overlap)
        assert problems == []


def test_an_empty_model_is_the_default_one() -> None:
    assert from_params({"model": [""]}) == (PageState(), [])


def test_an_empty_question_is_a_question_of_its_own() -> None:
    assert from_params({"q": [""]}) == (PageState(query=""), [])


BAD = [
    ("tab", "elsewhere", "one of compare, document, measure, prompt, lessons", "compare"),
    ("tab", "Compare", "one of compare, document, measure, prompt, lessons", "compare"),
    ("tab", "", "one of compare, document, measure, prompt, lessons", "compare"),
    ("k", "0", "a number from 1 to 20", "3"),
    ("k", "21", "a number from 1 to 20", "3"),
    ("k", "-1", "a number from 1 to 20", "3"),
    ("k", "three", "a number from 1 to 20", "3"),
    ("k", "3.0", "a number from 1 to 20", "3"),
    ("k", " 3", "a number from 1 to 20", "3"),
    ("k", "٣", "a number from 1 to 20", "3"),
    ("k", "²", "a number from 1 to 20", "3"),
    ("k", "9" * 5_000, "a number from 1 to 20", "3"),
    ("unit", "pages", "one of characters, words, tokens", "words"),
    ("size", "4", "a number from 5 to 1,000", "60"),
    ("size", "1001", "a number from 5 to 1,000", "60"),
    ("size", "", "a number from 5 to 1,000", "60"),
    ("overlap", "1001", "a number from 0 to 1,000", "15"),
    ("overlap", "-5", "a number from 0 to 1,000", "15"),
    ("vectors", "best", "one of plain, averaged, late", "plain"),
    ("tail", "cut", "one of keep, merge, drop", "keep"),
    ("min", "few", "a number from 0 to 6,000", "none"),
    ("min", "-1", "a number from 0 to 6,000", "none"),
    ("min", "6001", "a number from 0 to 6,000", "none"),
    ("neighbours", "yes", "one of separate, merged", "separate"),
    ("corpus", "internet", "one of samples, docker, pasted, files", "samples"),
    ("column", "magic", "a strategy, or one with its own settings", "none"),
    ("file", "no-hash.md", "a hash and a name", "none"),
    ("file", "", "a hash and a name", "none"),
    ("file", "0123:", "a hash and a name", "none"),
]


@pytest.mark.parametrize(("name", "value", "wanted", "used"), BAD)
def test_a_bad_value_gives_way_and_is_named(name: str, value: str, wanted: str, used: str) -> None:
    state, [problem] = from_params({name: [value]})
    assert state == PageState()
    assert problem == f"The link says {name} = {value!r}; it must be {wanted}. Used: {used}."


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Window",
        "window,",
        "window,words",
        "window,words,60,15",
        "window,words,60,15,plain,more",
        "window,pages,60,15,plain",
        "window,words,4,0,plain",
        "window,words,60,1001,plain",
        "window,words,60,-1,plain",
        "window,words,sixty,15,plain",
        "window,words,60,15,best",
        "magic,words,60,15,plain",
    ],
)
def test_a_column_that_makes_no_sense_is_left_out_and_named(value: str) -> None:
    state, [problem] = from_params({"column": ["paragraphs", value]})
    assert state.columns == (ColumnState("paragraphs"),)
    assert repr(value) in problem


def test_without_any_column_that_makes_sense_there_are_those_of_the_opening() -> None:
    state, problems = from_params({"column": ["a", "b"]})
    assert state.columns == PageState().columns
    assert len(problems) == 2


def test_columns_beyond_the_fourth_are_left_out_and_named() -> None:
    state, problems = from_params({"column": ["whole"] * 4 + ["window", "paragraphs"]})
    assert state.columns == (ColumnState("whole"),) * 4
    assert problems == [
        f"The link says column = {value!r}; it must be one of 4 columns at most. Used: none."
        for value in ("window", "paragraphs")
    ]


def test_the_size_is_measured_by_the_limits_of_its_own_unit() -> None:
    state, problems = from_params({"unit": ["tokens"], "size": ["6000"], "overlap": ["7"]})
    assert state.shared == Cutter("tokens", 120, 7)
    assert problems == [
        "The link says size = '6000'; it must be a number from 8 to 1,024. Used: 120."
    ]
    state, problems = from_params({"unit": ["characters"], "size": ["6000"]})
    assert (state.shared, problems) == (Cutter("characters", 6_000, 200), [])


def test_all_that_is_wrong_is_named_at_once_and_the_rest_is_used() -> None:
    state, problems = from_params({"k": ["x"], "unit": ["y"], "q": ["why?"], "tail": ["drop"]})
    assert state == PageState(query="why?", tail="drop")
    assert len(problems) == 2


@given(st.dictionaries(st.sampled_from(KEYS), st.lists(hostile, max_size=6)))
def test_no_link_breaks_the_page_and_what_it_opens_has_a_link_of_its_own(
    params: dict[str, list[str]],
) -> None:
    state, problems = from_params(params)
    assert all(problem.startswith("The link says ") for problem in problems)
    assert from_params(to_params(state)) == (state, [])
