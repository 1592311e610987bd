"""Presets: one click to a state worth showing, one click back to one's own."""

from __future__ import annotations

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.markup import escape
from ragchunk.presets import PRESETS, Preset, look_of
from ragchunk.ui import session
from ragchunk.ui.page import menu


def presets_menu(corpus: Corpus) -> None:
    """The menu of presets."""
    # A new key is a new menu, which is closed: choosing a preset shows the page, not the menu.
    chosen = st.session_state.get("presets_chosen", 0)
    with menu("Presets", f"presets_menu_{chosen}") as is_open:
        for preset in PRESETS if is_open else ():
            st.button(
                preset.name,
                type="tertiary",
                key=f"preset_{preset.name}",
                on_click=_show,
                args=(preset, corpus),
            )
            st.caption(preset.look)


def show_preset() -> None:
    """What to look at in the preset that is open, and the way back."""
    look = look_of(st.session_state.preset)
    if not look:
        return
    with st.container(key="preset", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="rc"><p class="note"><b>{escape(st.session_state.preset)}</b> {look}</p>'
            "</div>"
        )
        st.button("Back to my own", type="tertiary", on_click=_back, key="preset_back")


def _show(preset: Preset, corpus: Corpus) -> None:
    # From preset to preset, the way back stays the first one's.
    if not look_of(st.session_state.preset):
        before = session.current(corpus), session.shared_sizes(), session.pins()
        st.session_state.before_preset = before
    st.session_state.presets_chosen = st.session_state.get("presets_chosen", 0) + 1
    session.apply(preset.state)


def _back() -> None:
    if "before_preset" not in st.session_state:  # a link opened the preset
        session.apply(session.PageState())
        return
    state, sizes, pins = st.session_state.before_preset
    for key, size in sizes.items():
        session.set_number(key, size)
    session.apply(state)
    session.set_pins(pins)
