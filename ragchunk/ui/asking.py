"""From a question to hits on the page: the model behind it, progress, and what can go wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from ragchunk.background import Background
from ragchunk.comparison import ask, sentence_scores, way_at_hand
from ragchunk.corpus import Corpus
from ragchunk.embedding import ModelEncoder, load_encoder
from ragchunk.errors import ModelError
from ragchunk.panels import NO_QUESTION
from ragchunk.ui import uploads
from ragchunk.ui.columns import Column
from ragchunk.ui.page import show_note

READING_MODEL = "Chunks are ready. Reading the model, about 10 seconds."
EMBEDDING = "New chunks wait to be embedded."

# Documents up to this many tokens are read for late vectors without being asked: two minutes or so
# of an idle machine. More are read when late vectors are chosen.
READ_UNASKED = 300_000

# A slider rests when it has not moved for so long; what a preview stands in for is embedded then.
# Before, the model would only slow the page down.
RESTS = 0.3

# Seconds between two looks at what goes on in the background.
LOOK = 0.05


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
    Vectors that shipped or are in the store need no model. Where late vectors are there and those
    asked for are not, they stand in.
    """
    for column in columns:
        if column.cutting is None:
            column.waiting = ""
        elif not query:
            column.waiting = NO_QUESTION
        elif encoder is None:
            column.waiting = "No model, no hits."
        elif column.scene.way == "late" and encoder.why_not_late:
            column.waiting = f'{encoder.why_not_late} Choose "plain" or "averaged".'
        else:
            known = encoder.ready or encoder.knows_query(query)
            hurry = bool(st.session_state.get("dragged"))
            way = way_at_hand(column.cutting, encoder, column.scene.way, hurry) if known else None
            if way is None:
                column.waiting = EMBEDDING if encoder.ready else READING_MODEL
            else:
                _rank(column, query, encoder, merge, way)


def rank_others(
    columns: Sequence[Column],
    query: str,
    corpus: Corpus,
    encoder: ModelEncoder | None,
    merge: bool,
    draw: Callable[[Column], None],
) -> None:
    """Load the model, embed what is new, and draw each column again when it is ranked.

    Comes last in the page. At any time the page is free to start over with newer settings; work
    for the older ones then stops at its next batch, and what was done is kept.
    """
    if encoder is None:
        return
    # Only now, as importing torch would compete with drawing the chunks.
    encoder.start_loading()
    if st.session_state.pop("dragged", False):
        return  # the slider is still held: the model would only slow the page down
    unranked = [
        each for each in columns if each.is_preview or each.waiting in (READING_MODEL, EMBEDDING)
    ]
    with failing_softly(unranked, draw):
        await_model(unranked, encoder)
        if unranked and all(each.is_preview for each in unranked):
            rest()
        # Plain first: it takes half the time of a token pass.
        for column in sorted(unranked, key=lambda each: each.scene.way == "late"):
            if column.scene.way == "late":
                column.waiting = read_documents(column, corpus, encoder)
            else:
                embed(column, encoder)
                column.waiting = ""
            if not column.waiting:
                column.preview = column.ranking
                _rank(column, query, encoder, merge, column.scene.way)
            draw(column)
    read_unasked(corpus, encoder)


@contextmanager
def failing_softly(columns: Sequence[Column], draw: Callable[[Column], None]) -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        for column in columns:
            if column.waiting:
                column.waiting = "The model could not be loaded."
                draw(column)
        show_note("Error", f"{error} Chunks and figures still work.")


def await_model(columns: Sequence[Column], encoder: ModelEncoder) -> None:
    while columns and not encoder.ready:
        if encoder.failure is not None:
            raise ModelError(str(encoder.failure))
        give_way(LOOK)


def give_way(seconds: float) -> None:
    """Wait, and let a newer run of the page take over if there is one.

    Streamlit looks for one whenever its session state is read.
    """
    time.sleep(seconds)
    uploads.look()
    _ = "tab" in st.session_state


def rest() -> None:
    """Wait until the slider rests: a newer run takes over before, if it does not."""
    end = time.monotonic() + RESTS
    while time.monotonic() < end:
        give_way(LOOK)


def embed(column: Column, encoder: ModelEncoder) -> None:
    texts = _texts(column)
    with Background(encoder.fill(texts, column.scene.way)) as filling:
        while not filling.ends_within(LOOK):
            if filling.last is not None:
                done, total = filling.last
                column.say(f"Embedding {done:,} of {total:,} new texts")
            give_way(0)


def read_documents(column: Column, corpus: Corpus, encoder: ModelEncoder) -> str:
    """Wait until the documents are read; "", or why they are not."""
    texts, reading = in_order(corpus), encoder.token_pass
    if not st.session_state.get("reading_stopped"):
        reading.want(texts)
    while not all(map(reading.is_read, texts)):
        if reading.failure is not None:
            raise ModelError(str(reading.failure))
        done, total = reading.progress(texts)
        said = f"{done:,} of {total:,} tokens"
        if not reading.is_wanted(texts):
            return f"Reading was stopped at {said}. Settings lets it go on."
        column.say(f"Reading the documents once: {said}")
        give_way(2 * LOOK)
    return ""


def read_unasked(corpus: Corpus, encoder: ModelEncoder) -> None:
    """Have small corpora read in the background, so that sliders find late vectors there."""
    texts = corpus.texts
    if encoder.why_not_late or st.session_state.get("reading_stopped"):
        return
    if corpus.tokens(texts, encoder.name) <= READ_UNASKED:
        encoder.token_pass.want(in_order(corpus))


def in_order(corpus: Corpus) -> list[str]:
    """The texts of the corpus, the one on the screen first."""
    on_screen = st.session_state.get("document")
    return [corpus.texts[source] for source in sorted(corpus.texts, key=lambda s: s != on_screen)]


def _rank(column: Column, query: str, encoder: ModelEncoder, merge: bool, way: str) -> None:
    looked_into: set[str] = st.session_state.get("looked_into", set())
    cutting = column.cutting
    assert cutting is not None
    column.ranking = ask(query, cutting, encoder, column.scene.k, way, merge)
    column.from_store = cutting.from_store(encoder, way)
    column.inside = {
        hit.chunk.id: sentence_scores(query, cutting, hit.chunk, encoder)
        for hit in column.ranking.hits
        if f"{column.number} {hit.chunk.id}" in looked_into
    }


def _texts(column: Column) -> list[str]:
    return [] if column.cutting is None else [each.text for each in column.cutting.chunks]
