"""Late vectors: sums of token outputs, against the direct mean of the same outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk.late import BLOCK, TokenSums, plan

DIMENSION = 8


def outputs(tokens: int, seed: int = 0) -> npt.NDArray[np.float16]:
    """As different in size as those of a model: some hundred times others."""
    chance = np.random.default_rng(seed)
    rows = chance.standard_normal((tokens, DIMENSION)) * chance.exponential(3, (tokens, 1))
    return rows.astype(np.float16)


def direct(rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    mean = rows.astype(np.float64).mean(axis=0)
    return mean / np.linalg.norm(mean)


# Which outputs are kept of which window


@given(st.integers(0, 2_000), st.integers(1, 300))
def test_every_token_is_kept_once_and_no_window_is_too_long(tokens: int, size: int):
    windows = plan(tokens, size)
    kept = [token for each in windows for token in range(each.take, each.until)]
    assert kept == list(range(tokens))
    assert all(each.last - each.first <= size for each in windows)
    assert all(each.first <= each.take < each.until <= each.last for each in windows)


def test_of_two_windows_a_token_is_taken_from_the_one_where_it_is_farther_from_an_edge():
    first, second, *_ = plan(1_000, 254)
    assert first[:2] == (0, 254)
    assert second[:2] == (127, 381)
    # Token 190 has 63 tokens before it in the second window and as many behind it in the first.
    assert (first.until, second.take) == (191, 191)


def test_every_token_but_those_at_the_ends_has_a_quarter_of_a_window_around_it():
    for each in plan(2_345, 254):
        assert each.first == 0 or each.take - each.first >= 63
        assert each.last == 2_345 or each.last - each.until >= 63


def test_the_pass_reads_a_text_about_twice():
    windows = plan(44_000, 254)
    assert sum(each.last - each.first for each in windows) / 44_000 == pytest.approx(2, abs=0.02)


# Vectors of spans


@given(
    tokens=st.integers(1, 5 * BLOCK),
    seed=st.integers(0, 9),
    ends=st.lists(
        st.tuples(st.integers(0, 5 * BLOCK), st.integers(0, 5 * BLOCK)), min_size=1, max_size=8
    ),
)
def test_a_vector_is_the_mean_of_the_outputs_whose_tokens_start_in_the_span(
    tokens: int, seed: int, ends: list[tuple[int, int]]
):
    rows = outputs(tokens, seed)
    starts = np.arange(tokens) * 3  # a token every three characters
    spans = [(3 * min(pair), 3 * max(pair)) for pair in ends]
    found = TokenSums(starts, rows, np.ones(tokens, dtype=bool)).vectors(spans)
    for vector, (start, end) in zip(found, spans, strict=True):
        inside = rows[(starts >= start) & (starts < end)]
        expected = direct(inside) if len(inside) else np.zeros(DIMENSION)
        assert vector == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("tokens", [1, BLOCK, 3 * BLOCK + 5])
def test_one_token_and_the_whole_document_are_spans_like_others(tokens: int):
    rows = outputs(tokens)
    sums = TokenSums(range(tokens), rows, np.ones(tokens, dtype=bool))
    each = sums.vectors([(at, at + 1) for at in range(tokens)])
    assert each == pytest.approx(np.stack([direct(rows[[at]]) for at in range(tokens)]), abs=1e-5)
    assert sums.vectors([(0, tokens)])[0] == pytest.approx(direct(rows), abs=1e-5)


def test_the_sums_stay_exact_far_into_a_long_document():
    """A difference of two large sums: in single precision its error would show."""
    tokens = 200_000
    rows = outputs(tokens)
    sums = TokenSums(range(tokens), rows, np.ones(tokens, dtype=bool))
    spans = [(tokens - 7, tokens), (tokens - 40, tokens - 3), (123_457, 123_458)]
    expected = np.stack([direct(rows[start:end]) for start, end in spans])
    assert sums.vectors(spans) == pytest.approx(expected, abs=1e-5)


def test_a_token_belongs_to_the_span_it_starts_in():
    # Tokens at 0, 4 and 9; the second reaches over the edge at 6.
    rows = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float16)
    sums = TokenSums([0, 4, 9], rows, np.ones(3, dtype=bool))
    assert sums.vectors([(0, 4), (4, 6), (6, 9), (6, 10)]).tolist() == [
        [1, 0],
        [0, 1],
        [0, 0],
        [-1, 0],
    ]


def test_a_span_without_a_known_token_has_no_vector():
    rows = np.array([[1, 0], [0, 1]], dtype=np.float16)
    sums = TokenSums([0, 5], rows, np.array([True, False]))
    assert sums.vectors([(0, 5), (5, 9)]).tolist() == [[1, 0], [0, 0]]
    # Beside a known one it counts, as it does when the model reads the chunk.
    assert sums.vectors([(0, 9)])[0] == pytest.approx([0.5**0.5, 0.5**0.5])


def test_no_spans_no_vectors():
    sums = TokenSums([0], np.ones((1, DIMENSION), dtype=np.float16), np.ones(1, dtype=bool))
    assert sums.vectors([]).shape == (0, DIMENSION)


def test_a_text_without_tokens_has_zeros_for_every_span():
    sums = TokenSums([], np.zeros((0, 1), dtype=np.float16), np.zeros(0, dtype=bool))
    assert sums.vectors([(0, 3)]).tolist() == [[0]]


def test_the_memory_of_the_sums_is_known_before_they_are_made():
    tokens = 5 * BLOCK + 3
    sums = TokenSums(range(tokens), outputs(tokens), np.ones(tokens, dtype=bool))
    assert sums.nbytes == sums._sums.nbytes + sums._known.nbytes
