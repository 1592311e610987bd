"""How vectors are made: the choice, and the reading of whole documents that late ones need."""

from __future__ import annotations

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.embedding import WAYS, ModelEncoder, load_encoder
from ragchunk.errors import ModelError
from ragchunk.markup import escape
from ragchunk.tokens import DEFAULT_MODEL


def way_control(key: str) -> None:
    """Plain, averaged or late, with one sentence on each; why not late, if it cannot be had."""
    encoder = _encoder()
    why = "" if encoder is None else encoder.why_not_late
    ways = [way for way in WAYS if way != "late" or not why or st.session_state[key] == "late"]
    st.segmented_control("Vectors", ways, required=True, key=key, persist_state="session")
    said = [f"<p><b>{way}</b> {WAYS[way]}</p>" for way in ways]
    if why:
        said.append(f"<p>No late vectors: {escape(why)}</p>")
    st.html(f'<div class="rc small ways">{"".join(said)}</div>')


def show_reading(corpus: Corpus) -> None:
    """How much of the documents is read for late vectors; reading can be stopped and go on."""
    encoder = _encoder()
    if encoder is not None and not encoder.why_not_late and corpus.documents:
        _show_reading(corpus, encoder)


@st.fragment(run_every=1.0)
def _show_reading(corpus: Corpus, encoder: ModelEncoder) -> None:
    texts = list(corpus.texts.values())
    done, total = encoder.token_pass.progress(texts)
    if done == total:
        st.caption(f"All {total:,} tokens are read for late vectors.")
        return
    st.caption(f"For late vectors {done:,} of {total:,} tokens are read.")
    wanted = encoder.token_pass.is_wanted(texts)
    st.button(
        "Stop reading" if wanted else "Read on",
        key="reading",
        on_click=_stop_reading if wanted else _read_on,
        args=(encoder, texts),
    )


def _stop_reading(encoder: ModelEncoder, texts: list[str]) -> None:
    encoder.token_pass.drop(texts)
    st.session_state.reading_stopped = True


def _read_on(encoder: ModelEncoder, texts: list[str]) -> None:
    encoder.token_pass.want(texts)
    st.session_state.reading_stopped = False


def _encoder() -> ModelEncoder | None:
    try:
        return load_encoder((st.session_state.model or "").strip() or DEFAULT_MODEL)
    except ModelError:  # which the page says elsewhere
        return None
