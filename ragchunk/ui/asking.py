"""From a question to hits on the page: the model behind it, progress, and what can go wrong."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ragchunk import panels
from ragchunk.comparison import Ranking, ask
from ragchunk.embedding import ModelEncoder, load_encoder
from ragchunk.errors import ModelError
from ragchunk.ui.columns import Column, draw_column, say
from ragchunk.ui.page import show_note

READING_MODEL = "Chunks are ready. Reading the model, about 10 seconds."
NO_QUESTION = "Type a question to see what comes back."


def find_encoder(name: str) -> ModelEncoder | None:
    """The model of that name, not loaded yet; None, and a note, if there is none."""
    try:
        return load_encoder(name)
    except ModelError as error:
        show_note("Error", f"{error} Chunks and figures still work.")
        return None


def fill_columns(
    columns: Sequence[Column],
    source: str,
    query: str,
    scene: panels.Scene,
    encoder: ModelEncoder | None,
) -> None:
    """Draw all columns: at once where the vectors are there, else first the cut, then the hits.

    Comes last in the page. Between slices of embedding the page is free to start over with
    newer settings, and what was embedded by then is kept.
    """
    waiting = []
    for column in columns:
        if column.cutting is None:
            draw_column(column, source, scene, None)
        elif not query:
            draw_column(column, source, scene, None, NO_QUESTION)
        elif encoder is None:
            draw_column(column, source, scene, None, "No model, no hits.")
        elif encoder.ready and not _pending(column, encoder, scene):
            draw_column(column, source, scene, _ask(query, column, encoder, scene))
        else:
            draw_column(column, source, scene, None, READING_MODEL)
            waiting.append(column)
    if encoder is None:
        return
    # Only now, as importing torch would compete with drawing the chunks.
    encoder.start_loading()
    if not waiting:
        return
    while not encoder.ready:
        if encoder.failure is not None:
            for column in waiting:
                say(column, "The model could not be loaded.")
            show_note("Error", f"{encoder.failure} Chunks and figures still work.")
            return
        time.sleep(0.1)
        for column in waiting:  # a call of Streamlit's, at which a newer run may take over
            say(column, READING_MODEL)
    for column in waiting:
        assert column.cutting is not None
        texts = [each.text for each in column.cutting.chunks]
        for done, total in encoder.fill(texts, scene.way):
            say(column, f"Embedding {done:,} of {total:,} chunks")
        draw_column(column, source, scene, _ask(query, column, encoder, scene))


def _pending(column: Column, encoder: ModelEncoder, scene: panels.Scene) -> int:
    assert column.cutting is not None
    return encoder.pending([each.text for each in column.cutting.chunks], scene.way)


def _ask(query: str, column: Column, encoder: ModelEncoder, scene: panels.Scene) -> Ranking:
    assert column.cutting is not None
    return ask(query, column.cutting, encoder, scene.k, scene.way)
