"""From a question to hits on the page: the model behind it, progress, and what can go wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import streamlit as st

from ragchunk.comparison import ask, sentence_scores
from ragchunk.embedding import ModelEncoder, load_encoder
from ragchunk.errors import ModelError
from ragchunk.panels import NO_QUESTION
from ragchunk.ui.columns import Column
from ragchunk.ui.page import show_note

READING_MODEL = "Chunks are ready. Reading the model, about 10 seconds."


def find_encoder(name: str) -> ModelEncoder | None:
    """The model of that name, not loaded yet; None, and a note, if there is none."""
    try:
        return load_encoder(name)
    except ModelError as error:
        show_note("Error", f"{error} Chunks and figures still work.")
        return None


def rank_ready(
    columns: Sequence[Column], query: str, encoder: ModelEncoder | None, merge: bool
) -> None:
    """Rank the columns whose vectors are there, and tell the others what they wait for.

    Comes before the page is laid out, so that what is known is drawn once, where it belongs.
    """
    for column in columns:
        if column.cutting is None:
            column.waiting = ""
        elif not query:
            column.waiting = NO_QUESTION
        elif encoder is None:
            column.waiting = "No model, no hits."
        elif encoder.ready and not _pending(column, encoder):
            _rank(column, query, encoder, merge)
        else:
            column.waiting = READING_MODEL


def rank_others(
    columns: Sequence[Column],
    query: str,
    encoder: ModelEncoder | None,
    merge: bool,
    draw: Callable[[Column], None],
) -> None:
    """Load the model, embed what is new, and draw each column again when it is ranked.

    Comes last in the page. Between slices of embedding the page is free to start over with
    newer settings, and what was embedded by then is kept.
    """
    if encoder is None:
        return
    # Only now, as importing torch would compete with drawing the chunks.
    encoder.start_loading()
    waiting = [column for column in columns if column.waiting == READING_MODEL]
    while waiting and not encoder.ready:
        if encoder.failure is not None:
            for column in waiting:
                column.waiting = "The model could not be loaded."
                draw(column)
            show_note("Error", f"{encoder.failure} Chunks and figures still work.")
            return
        time.sleep(0.1)
        for column in waiting:  # a call of Streamlit's, at which a newer run may take over
            column.say(READING_MODEL)
    for column in waiting:
        for done, total in encoder.fill(_texts(column), column.scene.way):
            column.say(f"Embedding {done:,} of {total:,} chunks")
        _rank(column, query, encoder, merge)
        column.waiting = ""
        draw(column)


def _rank(column: Column, query: str, encoder: ModelEncoder, merge: bool) -> None:
    looked_into: set[str] = st.session_state.get("looked_into", set())
    cutting = column.cutting
    assert cutting is not None
    column.ranking = ask(query, cutting, encoder, column.scene.k, column.scene.way, merge)
    column.inside = {
        hit.chunk.id: sentence_scores(query, cutting, hit.chunk, encoder)
        for hit in column.ranking.hits
        if f"{column.number} {hit.chunk.id}" in looked_into
    }


def _pending(column: Column, encoder: ModelEncoder) -> int:
    assert column.cutting is not None
    if column.cutting.has_vectors(encoder, column.scene.way):
        return 0
    return encoder.pending(_texts(column), column.scene.way)


def _texts(column: Column) -> list[str]:
    return [] if column.cutting is None else [each.text for each in column.cutting.chunks]
