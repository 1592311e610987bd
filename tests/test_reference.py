"""`chunk_text` and `build_corpus` against the tutorials' facts, our own windows, and LangChain."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ragchunk import STRATEGIES, Document, build_corpus, chunk_text
from tests.texts import any_texts

# No two of these make one cluster, whatever their order: \r without \n, no marks, no joiners.
APART = [*"abcXYZ.!?\r\t \"'([)]0123\0", "é", "。", "文", "\u00a0", "\u200b", "\ufeff", "🙂"]
texts_without_clusters = st.text(st.sampled_from(APART), max_size=120)


@st.composite
def sizes_and_overlaps(draw) -> tuple[int, int]:
    size = draw(st.integers(1, 40))
    return size, draw(st.integers(0, size - 1))


Cutter = Callable[[str, int, int], list[str]]


@pytest.fixture(scope="module")
def langchain_windows() -> Cutter:
    """LangChain's splitter without a separator, as a function like `chunk_text`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        splitters = pytest.importorskip("langchain_text_splitters")

    def windows(text: str, size: int, overlap: int) -> list[str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            splitter = splitters.CharacterTextSplitter(
                separator="", strip_whitespace=False, chunk_size=size, chunk_overlap=overlap
            )
            return splitter.split_text(text)

    return windows


@pytest.fixture(scope="module")
def langchain_recursive() -> Callable[..., list[str]]:
    """LangChain's recursive splitter, with each separator at the end of the part before it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        splitters = pytest.importorskip("langchain_text_splitters")

    def parts(
        text: str, size: int, overlap: int, separators: list[str], length: Callable[[str], int]
    ) -> list[str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            splitter = splitters.RecursiveCharacterTextSplitter(
                separators=separators,
                keep_separator="end",
                length_function=length,
                chunk_size=size,
                chunk_overlap=overlap,
            )
            return splitter.split_text(text)

    return parts


@pytest.mark.parametrize(
    ("text", "size", "overlap", "windows"),
    [
        ("abcdefgh", 4, 1, ["abcd", "defg", "gh"]),
        ("abcdefgh", 4, 0, ["abcd", "efgh"]),
        ("abcdefgh", 4, 3, ["abcd", "bcde", "cdef", "defg", "efgh"]),
        ("abcdefgh", 8, 7, ["abcdefgh"]),
        ("abcdefgh", 7, 6, ["abcdefg", "bcdefgh"]),
        ("abcdefgh", 9, 8, ["abcdefgh"]),
        ("abcdefghijk", 10, 1, ["abcdefghij", "jk"]),
        ("abc", 1, 0, ["a", "b", "c"]),
        ("a", 1000, 200, ["a"]),
    ],
)
def test_worked_examples(text: str, size: int, overlap: int, windows: list[str]) -> None:
    assert chunk_text(text, size, overlap) == windows


def test_docker_has_three_windows_and_no_fourth_that_only_repeats_the_tail() -> None:
    docker = "Docker packs the app. Nginx sits in front. Env vars hold the secrets."
    assert chunk_text(docker, size=30, overlap=10) == [
        "Docker packs the app. Nginx si",
        ". Nginx sits in front. Env var",
        "t. Env vars hold the secrets.",
    ]
    plain_loop = [docker[start : start + 30] for start in range(0, len(docker), 20)]
    assert plain_loop[3:] == [" secrets."]


def test_an_empty_text_has_no_window() -> None:
    assert chunk_text("", 10, 3) == []


def test_white_space_alone_gives_windows() -> None:
    assert chunk_text("  \n\n ", 2, 0) == ["  ", "\n\n", " "]


def test_a_cut_may_fall_inside_a_line_end_or_a_family() -> None:
    assert chunk_text("a\r\nb", 2, 0) == ["a\r", "\nb"]
    assert chunk_text("👨‍👩‍👧", 2, 0) == ["👨\u200d", "👩\u200d", "👧"]


@pytest.mark.parametrize(
    ("size", "overlap", "words"),
    [
        (100, 100, ["100", "never advance", "from 0 to 99"]),
        (100, 250, ["100", "250", "-150", "never advance"]),
        (1, 1, ["overlap 0"]),
        (0, 0, ["Size 0", "at least 1"]),
        (-5, 0, ["Size -5", "at least 1"]),
        (10, -1, ["Overlap -1", "at least 0"]),
    ],
)
@pytest.mark.parametrize("text", ["", "abc"])
def test_settings_that_never_advance_are_refused_even_for_no_text(
    text: str, size: int, overlap: int, words: list[str]
) -> None:
    with pytest.raises(ValueError, match="must be") as caught:
        chunk_text(text, size, overlap)
    assert all(each in str(caught.value) for each in words), str(caught.value)


@pytest.mark.parametrize("wrong", ["1000", 10.0, True, None, [10]])
def test_what_is_no_integer_is_refused_by_its_own_name(wrong: Any) -> None:
    with pytest.raises(ValueError, match="Size must be an integer") as caught:
        chunk_text("abc", wrong, 0)
    assert repr(wrong) in str(caught.value)
    with pytest.raises(ValueError, match="Overlap must be an integer") as caught:
        chunk_text("abc", 10, wrong)
    assert repr(wrong) in str(caught.value)


@settings(max_examples=500, deadline=None)
@given(any_texts, sizes_and_overlaps())
def test_windows_without_their_overlap_joined_are_the_text(
    text: str, numbers: tuple[int, int]
) -> None:
    size, overlap = numbers
    windows = chunk_text(text, size, overlap)
    assert "".join(windows[:1] + [window[overlap:] for window in windows[1:]]) == text
    assert all(len(window) == size for window in windows[:-1])
    # The last brings something new, so it is longer than what it repeats.
    assert all(len(window) > overlap for window in windows[1:])


@settings(max_examples=2000, deadline=None)
@given(texts_without_clusters, sizes_and_overlaps())
def test_windows_of_characters_are_chunk_text_where_no_cluster_is_cut(
    text: str, numbers: tuple[int, int]
) -> None:
    size, overlap = numbers
    spans = STRATEGIES["window"](size=size, overlap=overlap).spans(text)
    expected = chunk_text(text, size, overlap) if text.strip() else []
    assert [text[start:end] for start, end in spans] == expected


@settings(max_examples=2000, deadline=None)
@given(text=any_texts | texts_without_clusters, numbers=sizes_and_overlaps())
def test_chunk_text_is_langchain_with_an_empty_separator(
    langchain_windows: Cutter, text: str, numbers: tuple[int, int]
) -> None:
    # With separator "" LangChain takes the text apart into code points and packs them up to the
    # size; before it adds a code point that no longer fits, it lets go of all but the overlap. So
    # each of its windows brings something new, and the first to reach the end is the last: no
    # difference to chunk_text is known, on any text. (Its default, strip_whitespace=True, would
    # drop white space from the windows and leave out those of white space alone.)
    size, overlap = numbers
    theirs = langchain_windows(text, size, overlap)
    assert theirs == chunk_text(text, size, overlap)


@settings(max_examples=500, deadline=None)
@given(text=texts_without_clusters, numbers=sizes_and_overlaps())
def test_windows_of_characters_are_langchain_where_no_cluster_is_cut(
    langchain_windows: Cutter, text: str, numbers: tuple[int, int]
) -> None:
    size, overlap = numbers
    assume(text.strip())  # LangChain makes windows of white space alone, the contract none
    theirs = langchain_windows(text, size, overlap)
    spans = STRATEGIES["window"](size=size, overlap=overlap).spans(text)
    assert [text[start:end] for start, end in spans] == theirs


# Texts on which both senses of recursive splitting are the same. LangChain knows no \r, no blank
# line with spaces in it and no wide space; it measures pieces with the white space behind them,
# which ours leave out, so sizes are in words.
plain_texts = st.lists(st.sampled_from(["a", "bb", "c", " ", " ", "\n", "\n\n"]), max_size=80).map(
    "".join
)


@settings(max_examples=1500, deadline=None)
@given(text=plain_texts, numbers=sizes_and_overlaps())
def test_recursive_is_langchain_with_our_separators(
    langchain_recursive: Callable[..., list[str]], text: str, numbers: tuple[int, int]
) -> None:
    assume("\n " not in text)
    size, overlap = numbers
    # A part of exactly the size is divided further by LangChain: with size 1, each word to letters.
    assume(size > 1)
    theirs = langchain_recursive(
        text, size, overlap, ["\n\n", "\n", " "], lambda part: len(part.split())
    )
    strategy = STRATEGIES["recursive"](
        size=size, overlap=overlap, unit="words", separators=("paragraph", "line", "word")
    )
    assert [text[start:end].strip() for start, end in strategy.spans(text)] == theirs


@settings(max_examples=1500, deadline=None)
@given(
    text=st.lists(st.sampled_from([*"abcd", ".", "|", "||"]), max_size=80).map("".join),
    numbers=sizes_and_overlaps(),
)
def test_recursive_with_other_separators_is_langchain_that_keeps_them_behind(
    langchain_recursive: Callable[..., list[str]], text: str, numbers: tuple[int, int]
) -> None:
    size, overlap = numbers
    theirs = langchain_recursive(text, size, overlap, ["||", "|", ".", ""], len)
    strategy = STRATEGIES["recursive"](
        size=size, overlap=overlap, separators=("||", "|", ".", "cluster")
    )
    assert [text[start:end] for start, end in strategy.spans(text)] == theirs


def test_a_corpus_names_each_window_by_source_and_place() -> None:
    docs = [("a.md", "abcdef"), ("empty.txt", ""), ("sub/b.txt", "xy")]
    assert build_corpus(docs, size=4, overlap=1) == [
        ("a.md#0", "abcd"),
        ("a.md#1", "def"),
        ("sub/b.txt#0", "xy"),
    ]


def test_a_corpus_takes_documents_and_cuts_them_at_800_with_200_shared() -> None:
    text = "x" * 1400
    built = build_corpus([Document("a.md", text)])
    assert [(name, len(piece)) for name, piece in built] == [("a.md#0", 800), ("a.md#1", 800)]
    assert [len(piece) for _, piece in build_corpus([("a.md", text + "y")])] == [800, 800, 201]


def test_a_corpus_of_nothing_still_refuses_settings_for_its_documents() -> None:
    assert build_corpus([]) == []
    with pytest.raises(ValueError, match="never advance"):
        build_corpus([("a.md", "")], size=5, overlap=5)
