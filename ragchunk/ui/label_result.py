"""A hit that answers the question: pick its sentences, and they are stored as the label."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragchunk import measure_labels
from ragchunk.corpus import Corpus
from ragchunk.markup import escape
from ragchunk.measure_table import STYLE
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span, shared
from ragchunk.ui import corpus_menu, label_form
from ragchunk.ui.columns import Column
from ragchunk.ui.page import show_note


def begin(words: str) -> None:
    """`COLUMN CHUNK` is the hit whose button was pressed."""
    st.session_state.labelling = words
    st.session_state.labelling_in = corpus_menu.open_corpus().key
    st.session_state.picks_of = None
    st.session_state.wishes = st.session_state.get("wishes", 0) + 1
    st.session_state.wish = f"label-result {st.session_state.wishes}"


def label_result(corpus: Corpus, board: Sequence[Column], query: str) -> None:
    """The sentences of the hit that is said to answer; nothing unless its button was pressed."""
    if note := st.session_state.pop("label_note", ""):
        show_note("Note", note)
    found = _hit(board)
    if found is None or not query or st.session_state.labelling_in != corpus.key:
        return
    source, span, name = found
    label_form.keep_picks(corpus.key, "result", query, name, span)
    text = corpus.texts[source]
    spans = [each for each in sentence_spans(text) if shared(each, span)]
    st.html(STYLE)
    with st.container(key="label_result"):
        st.html(
            f'<div class="rc measure" id="label-result"><p class="note"><b>Which sentences '
            f'answer</b> {escape(query)} <span class="small">In {escape(name)}. A label from a '
            "result favours what found it.</span></p></div>"
        )
        st.html(measure_labels.choices(source, spans, corpus.texts, label_form.picked()))
        with st.container(horizontal=True):
            label_form.store_button("result")
            st.button("Cancel", key="label_cancel", on_click=_cancel)


def _hit(board: Sequence[Column]) -> tuple[str, Span, str] | None:
    number, _, name = st.session_state.get("labelling", "").partition(" ")
    column = next((each for each in board if str(each.number) == number), None)
    if column is None or column.ranking is None:
        return None
    for hit in column.ranking.hits:
        if hit.chunk.id == name:
            return hit.chunk.source, Span(hit.chunk.start, hit.chunk.end), name
    return None


def _cancel() -> None:
    st.session_state.pop("labelling", None)
    st.session_state.picked = set()
