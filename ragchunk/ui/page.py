"""The page itself: its title, its looks, and the width it may take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from ragchunk.markup import STYLE, note
from ragchunk.state import TABS

# A file of our own: a named icon would be fetched from another host.
ICON = Path(__file__).parent / "icon.png"

CHROME = (Path(__file__).parent / "chrome.css").read_text(encoding="utf-8")


def open_page() -> None:
    """Set up the page; call it first."""
    st.set_page_config(page_title="ragchunk", page_icon=str(ICON), layout="wide")
    st.html(f"{STYLE}<style>{CHROME}{_scheme()}</style>")


def _scheme() -> str:
    """The theme for what hangs outside the app's own element: menus have no colour scheme there."""
    kind = st.context.theme.type
    return f"html {{ color-scheme: {kind}; }}" if kind in ("light", "dark") else ""


def show_note(word: str, text: str) -> None:
    """A message on the page; `word` says its kind: Note, Error."""
    st.html(f'<div class="rc">{note(word, text)}</div>')


def view_control() -> str:
    """The views of the page; returns the one that is open."""
    st.segmented_control(
        "View",
        TABS,
        format_func=str.capitalize,
        required=True,
        key="tab",
        label_visibility="collapsed",
        persist_state="session",
    )
    return st.session_state.tab


@contextmanager
def menu(label: str, key: str, disabled: bool = False) -> Iterator[bool]:
    """A menu whose contents are drawn only while it is open: yields whether it is.

    At each move of a slider every element of the page is sent again, and most of them would be in
    closed menus.
    """
    place = st.popover(label, type="tertiary", key=key, disabled=disabled, on_change="rerun")
    is_open = bool(place.open)
    with place:
        if not is_open:
            st.html('<span class="rc">…</span>')  # an empty menu cannot be opened
        yield is_open
