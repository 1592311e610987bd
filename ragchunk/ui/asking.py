"""From a question to hits on the page: the model behind it, progress, and what can go wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import streamlit as st

from ragchunk.comparison import ask, sentence_scores
from ragchunk.embedding import ModelEncoder, load_encoder
from ragchunk.errors import ModelError
from ragchunk.ui.columns import Column
from ragchunk.ui.page import show_note

READING_MODEL = "Chunks are ready. Reading the model, about 10 seconds."
NO_QUESTION = "Type a question to see what comes back."

# Draws a column as far as it is known, with the words for what is still to come.
Draw = Callable[[Column, str], None]


def find_encoder(name: str) -> ModelEncoder | None:
    """The model of that name, not loaded yet; None, and a note, if there is none."""
    try:
        return load_encoder(name)
    except ModelError as error:
        show_note("Error", f"{error} Chunks and figures still work.")
        return None


def rank_columns(
    columns: Sequence[Column],
    query: str,
    encoder: ModelEncoder | None,
    merge: bool,
    draw: Draw,
) -> None:
    """Rank and draw all columns: at once where the vectors are there, else first without hits.

    Comes last in the page. Between slices of embedding the page is free to start over with
    newer settings, and what was embedded by then is kept.
    """
    looked_into: set[str] = st.session_state.get("looked_into", set())

    def rank(column: Column) -> None:
        if encoder is None or column.cutting is None:
            return
        way = column.scene.way
        column.ranking = ask(query, column.cutting, encoder, column.scene.k, way, merge)
        column.inside = {
            hit.chunk.id: sentence_scores(query, column.cutting, hit.chunk, encoder)
            for hit in column.ranking.hits
            if f"{column.number} {hit.chunk.id}" in looked_into
        }

    waiting = []
    for column in columns:
        words = ""
        if not query:
            words = NO_QUESTION
        elif encoder is None:
            words = "No model, no hits."
        elif encoder.ready and not _pending(column, encoder):
            rank(column)
        else:
            words = READING_MODEL
            waiting.append(column)
        draw(column, words)
    if encoder is None:
        return
    # Only now, as importing torch would compete with drawing the chunks.
    encoder.start_loading()
    if not waiting:
        return
    while not encoder.ready:
        if encoder.failure is not None:
            for column in waiting:
                draw(column, "The model could not be loaded.")
            show_note("Error", f"{encoder.failure} Chunks and figures still work.")
            return
        time.sleep(0.1)
        for column in waiting:  # a call of Streamlit's, at which a newer run may take over
            column.say(READING_MODEL)
    for column in waiting:
        for done, total in encoder.fill(_texts(column), column.scene.way):
            column.say(f"Embedding {done:,} of {total:,} chunks")
        rank(column)
        draw(column, "")


def _pending(column: Column, encoder: ModelEncoder) -> int:
    return encoder.pending(_texts(column), column.scene.way)


def _texts(column: Column) -> list[str]:
    return [] if column.cutting is None else [each.text for each in column.cutting.chunks]
