"""How vectors are made, by which model; short last chunks; and when sliders move the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.state import LARGEST_SIZE
from ragchunk.strategies import Tail
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.ui import ways
from ragchunk.ui.page import menu


@dataclass(frozen=True)
class Settings:
    """What the settings menu is set to; `min_size` None is a quarter of the size."""

    model: str
    tail: Tail
    min_size: int | None
    merge: bool


def settings_menu(corpus: Corpus) -> Settings:
    """The menu; returns what it is set to."""
    with menu("Settings", "settings_menu") as is_open:
        if is_open:
            _draw(corpus)
    session = st.session_state
    return Settings(
        model=(session.model or "").strip() or DEFAULT_MODEL,
        tail=session.tail,
        min_size=session.min_size,
        merge=session.neighbours == "merged",
    )


def _draw(corpus: Corpus) -> None:
    ways.way_control("way")
    ways.show_reading(corpus)
    st.segmented_control(
        "Neighbouring hits",
        ["separate", "merged"],
        required=True,
        key="neighbours",
        persist_state="session",
    )
    st.text_input(
        "Model",
        key="model",
        help="A sentence-transformers model on this machine: its name, or its folder.",
        persist_state="session",
    )
    st.segmented_control(
        "Short last chunk", get_args(Tail), required=True, key="tail", persist_state="session"
    )
    kept = st.session_state.tail == "keep"
    st.number_input(
        "Short is less than",
        min_value=0,
        max_value=LARGEST_SIZE,
        value=None,
        step=1,
        placeholder="a quarter of the size",
        key="min_size",
        disabled=kept,
        help="Applies to merge and drop." if kept else None,
        persist_state="session",
    )
    st.segmented_control(
        "Sliders",
        ["live", "on release"],
        required=True,
        key="sliders",
        help="Live sliders move the page while they are dragged. Links do not carry this choice.",
        persist_state="session",
    )
