"""Known texts cut by hand: what people have reported as wrong, and what is right."""

from __future__ import annotations

from collections import Counter

import pytest

from ragchunk import STRATEGIES, chunk
from tests.cases import Case, load_cases

CASES = load_cases()
CUT = [case for case in CASES if case.error is None]
REFUSED = [case for case in CASES if case.error is not None]


def named(case: Case) -> str:
    return case.id


@pytest.mark.parametrize("case", CUT, ids=named)
def test_cut_as_by_hand(case: Case) -> None:
    strategy = STRATEGIES[case.strategy](**case.settings)
    assert strategy.spans(case.text) == case.spans

    chunks = chunk([("a.txt", case.text)], strategy)
    assert [(each.start, each.end) for each in chunks] == case.spans
    dropped = strategy.cut(case.text).dropped
    found = {
        "overlaps": [each.overlap for each in chunks],
        "oversized": [each.index for each in chunks if each.oversized],
        "merged": [each.index for each in chunks if each.merged],
        "dropped": None if dropped is None else list(dropped),
    }
    assert {key: found[key] for key in case.also} == case.also


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_refused_in_words_that_help(case: Case) -> None:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        STRATEGIES[case.strategy](**case.settings)
    for words in case.error or []:
        assert words in str(caught.value)


def test_no_two_cases_have_the_same_name() -> None:
    assert [name for name, times in Counter(case.id for case in CASES).items() if times > 1] == []
