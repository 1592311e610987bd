"""The benchmark of published figures: its splitter beside LangChain's, and missing data."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.report_splitter import SEPARATORS, report_spans

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

texts = st.lists(
    st.sampled_from([*"abc", " ", " ", "\n", "\n\n", ".", "? ", "!", "a long word "]), max_size=60
).map("".join)


@pytest.fixture(scope="module")
def splitters() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("langchain_text_splitters")


def word_pieces_and_two(part: str) -> int:
    """A length that does not add up, as that of tokens with special ones does not."""
    return len(part.split()) + 2


@settings(max_examples=1000, deadline=None)
@given(text=texts, size=st.integers(3, 30), data=st.data())
@pytest.mark.parametrize("length", [len, word_pieces_and_two])
def test_its_chunks_are_those_of_langchain(splitters, length, text: str, size: int, data) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        splitter = splitters.RecursiveCharacterTextSplitter(
            separators=list(SEPARATORS),
            keep_separator=True,
            length_function=length,
            chunk_size=size,
            chunk_overlap=overlap,
        )
    spans = report_spans(text, size, overlap, length)
    assert [text[start:end] for start, end in spans] == splitter.split_text(text)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["published.py"], "questions_df.csv"),
        (["published.py", "--set", "xquad"], "xquad.en.json"),
        (["ways.py"], "questions_df.csv"),
    ],
)
def test_a_folder_without_the_data_is_told_plainly(
    tmp_path: Path, command: list[str], name: str
) -> None:
    script, *options = command
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / script), "--data", str(tmp_path), *options],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert name in done.stderr
    assert "--data names the folder" in done.stderr
    assert "Traceback" not in done.stderr
