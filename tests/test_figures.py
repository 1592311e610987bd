"""The numbers of a chunking, against their definitions written the slow way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk import STRATEGIES, Chunk, chunk
from ragchunk.figures import Figures, figures, sentence_fates, sizes_of
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span
from ragchunk.strategies import Sized, Strategy
from ragchunk.tokens import token_starts
from tests.texts import nasty_texts

DOCKER = "Docker packs the app. Nginx sits in front. Env vars hold the secrets."
SIZED = [name for name, kind in STRATEGIES.items() if issubclass(kind, Sized)]


def window(size: int, overlap: int = 0, **more) -> Strategy:
    return STRATEGIES["window"](size=size, overlap=overlap, **more)


def measured(text: str, strategy: Strategy) -> Figures:
    documents = [("a.txt", text)]
    return figures(documents, chunk(documents, strategy))


@st.composite
def corpora_and_strategies(draw):
    texts = draw(st.lists(nasty_texts, max_size=3))
    size = draw(st.integers(1, 30))
    strategy = STRATEGIES[draw(st.sampled_from(SIZED))](
        size=size,
        overlap=draw(st.integers(0, size - 1)),
        unit=draw(st.sampled_from(["characters", "words", "tokens"])),
        tail=draw(st.sampled_from(["keep", "merge", "drop"])),
    )
    return [(f"{number}.txt", text) for number, text in enumerate(texts)], strategy


def times_held(text: str, chunks: list[Chunk]) -> list[int]:
    """In how many chunks each character of a document stands."""
    return [sum(c.start <= place < c.end for c in chunks) for place in range(len(text))]


def fates_by_definition(text: str, spans: list[Span]) -> tuple[int, int, list[Span]]:
    edges = {edge for span in spans for edge in span}
    cut = [(a, b) for a, b in sentence_spans(text) if any(a < edge < b for edge in edges)]
    lost = [(a, b) for a, b in cut if not any(s <= a and b <= e for s, e in spans)]
    return len(sentence_spans(text)), len(cut), [Span(*each) for each in lost]


@settings(max_examples=400, deadline=None)
@given(corpora_and_strategies())
def test_every_figure_is_what_its_definition_says(case) -> None:
    documents, strategy = case
    chunks = chunk(documents, strategy)
    found = figures(documents, chunks)
    texts = dict(documents)
    held = {
        source: times_held(text, [c for c in chunks if c.source == source])
        for source, text in documents
    }

    assert found.chunks == len(chunks)
    assert found.sizes["characters"].each.tolist() == [len(c.text) for c in chunks]
    assert found.sizes["words"].each.tolist() == [len(c.text.split()) for c in chunks]
    tokens = [
        sum(c.start <= place < c.end for place in token_starts(texts[c.source])) for c in chunks
    ]
    assert found.sizes["tokens"].each.tolist() == tokens
    assert found.tokens == sum(tokens)

    assert found.stored == sum(len(c.text) for c in chunks)
    assert found.repeated == sum(max(0, n - 1) for counts in held.values() for n in counts)
    assert found.left_out == sum(
        n == 0 and not character.isspace()
        for source, text in documents
        for character, n in zip(text, held[source], strict=True)
    )
    if strategy.tail != "drop":
        assert found.left_out == 0

    joins = [c.overlap for c in chunks if c.index > 0]
    assert found.joins == len(joins)
    assert found.joins_without == joins.count(0)
    assert found.overlap_median == (np.median(joins) if joins else 0)

    fates = [
        fates_by_definition(text, [Span(c.start, c.end) for c in chunks if c.source == source])
        for source, text in documents
    ]
    assert found.sentences == sum(total for total, _, _ in fates)
    assert found.sentences_cut == sum(cut for _, cut, _ in fates)
    assert found.sentences_lost == sum(len(lost) for _, _, lost in fates)
    assert found.sentences_rescued == found.sentences_cut - found.sentences_lost


@settings(max_examples=300, deadline=None)
@given(nasty_texts, st.integers(1, 25), st.data())
def test_the_lost_sentences_are_those_by_definition(
    text: str, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    spans = window(size, overlap).spans(text)
    total, cut, lost = fates_by_definition(text, spans)
    found = sentence_fates(text, spans)
    assert (found.total, found.cut, list(found.lost_spans)) == (total, cut, lost)
    assert (found.lost, found.rescued) == (len(lost), cut - len(lost))


# The law worth teaching

sentences = st.lists(
    st.integers(1, 14).map(lambda n: "A" + "b" * n + "."), min_size=1, max_size=12
).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(sentences, st.integers(1, 40), st.data())
def test_a_sentence_of_at_most_the_overlap_and_one_is_whole_in_some_window(
    text: str, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    lost = sentence_fates(text, window(size, overlap).spans(text)).lost_spans
    assert all(end - start > overlap + 1 for start, end in lost)


@pytest.mark.parametrize(("overlap", "lost"), [(4, [(5, 11)]), (5, [])])
def test_one_character_more_is_luck(overlap: int, lost: list[tuple[int, int]]) -> None:
    # `Bbbbb.` has six characters; with overlap 4 the windows are 0 to 10 and 6 to 16.
    text = "Aaa. Bbbbb. Cccc"
    assert list(sentence_fates(text, window(10, overlap).spans(text)).lost_spans) == lost


@pytest.mark.parametrize(
    ("overlap", "chunks", "cut", "lost"), [(0, 3, 2, [(22, 42), (43, 69)]), (10, 3, 3, [])]
)
def test_docker_cut_and_lost(overlap: int, chunks: int, cut: int, lost: list) -> None:
    found = measured(DOCKER, window(30, overlap))
    assert (found.chunks, found.sentences) == (chunks, 3)
    assert (found.sentences_cut, found.sentences_lost) == (cut, len(lost))
    spans = window(30, overlap).spans(DOCKER)
    assert list(sentence_fates(DOCKER, spans).lost_spans) == lost


def test_an_edge_at_a_sentences_own_edge_cuts_nothing() -> None:
    text = "One two. Six ten."
    assert sentence_fates(text, [(0, 8), (9, 17)]).cut == 0
    assert sentence_fates(text, [(0, 9), (9, 17)]).cut == 0
    assert sentence_fates(text, [(0, 10), (10, 17)]).cut == 1


def test_no_chunk_cuts_no_sentence() -> None:
    assert sentence_fates("One two. Six ten.", []).total == 2
    assert sentence_fates("One two. Six ten.", []).cut == 0


# Known numbers


def test_docker_sizes_and_repeats() -> None:
    found = measured(DOCKER, window(30, 10))
    sizes = found.sizes["characters"]
    assert (sizes.min, sizes.median, sizes.max) == (29, 30, 30)
    assert sizes.mean == pytest.approx(89 / 3)
    assert (found.stored, found.repeated) == (89, 20)
    assert found.repeated_share == pytest.approx(20 / 89)
    assert (found.joins, found.joins_without, found.overlap_median) == (2, 0, 10)


def test_a_character_in_three_chunks_is_repeated_twice() -> None:
    found = measured("abcdefghij", window(6, 4))
    assert (found.stored, found.repeated) == (18, 8)


def test_an_overlap_asked_and_not_got_is_counted() -> None:
    text = "a" * 100 + "\n\n" + "b" * 100
    found = measured(text, STRATEGIES["paragraphs"](size=100, overlap=50))
    assert (found.joins, found.joins_without, found.overlap_median) == (1, 1, 0)


def test_a_torn_word_counts_in_both_chunks_and_a_torn_token_in_the_first() -> None:
    sizes = sizes_of("an elephant", [(0, 5), (5, 11)])
    assert sizes["words"].tolist() == [2, 1]
    assert sizes["tokens"].tolist() == [2, 0]


def test_tokens_behind_what_the_model_reads() -> None:
    long, short = "cat " * 300, "cat " * 254
    documents = [("long.txt", long), ("short.txt", short)]
    found = figures(documents, chunk(documents, STRATEGIES["whole"]()))
    assert (found.tokens, found.unread, found.blind_chunks) == (554, 46, 1)


def test_what_a_dropped_tail_leaves_out_is_counted_without_white_space() -> None:
    text = "abcdefgh i j"
    found = measured(text, window(8, tail="drop", min_size=5))
    assert (found.chunks, found.left_out) == (1, 2)
    assert measured(text, window(8, min_size=5)).left_out == 0


def test_documents_without_chunks_count_as_nothing() -> None:
    documents = [("empty.txt", ""), ("a.txt", "One two."), ("white.txt", " \n ")]
    found = figures(documents, chunk(documents, window(30)))
    assert (found.chunks, found.sentences, found.joins) == (1, 1, 0)


def test_no_documents_are_all_zeros() -> None:
    found = figures([], [])
    assert (found.chunks, found.stored, found.tokens, found.joins) == (0, 0, 0, 0)
    assert (found.repeated_share, found.overlap_median) == (0, 0)
    assert found.sizes["tokens"].max == 0


def test_the_histogram_counts_every_chunk_once() -> None:
    sizes = measured("word " * 100, window(37, 5)).sizes["characters"]
    counts, edges = sizes.histogram(bins=6)
    assert counts.sum() == sizes.each.size
    assert (len(counts), len(edges)) == (6, 7)
    assert (edges[0], edges[-1]) == (0, sizes.max)
