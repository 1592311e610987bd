"""What the buttons inside cards, lanes and figures do."""

from __future__ import annotations

import streamlit as st


def act(words: str) -> None:
    """Do what a button says: `open COLUMN CHUNK`, `inside COLUMN CHUNK`, `lost COLUMN`."""
    verb, _, rest = words.partition(" ")
    column, _, chunk = rest.partition(" ")
    if not column.isdigit() or int(column) not in st.session_state.column_ids:
        return
    if verb == "open":
        open_chunk(int(column), chunk)
    elif verb == "inside":
        looked_into: set[str] = st.session_state.setdefault("looked_into", set())
        looked_into ^= {f"{column} {chunk}"}
    elif verb == "lost":
        step_lost(int(column), 1)


def open_chunk(column: int, chunk: str) -> None:
    """Show a chunk in its document. Joined hits open at their first."""
    source, _, index = chunk.rpartition("#")
    st.session_state.tab = "document"
    st.session_state.document = source
    st.session_state.lane = column
    st.session_state.selected = f"{source}#{index.partition('+')[0]}"
    st.session_state.go_to = st.session_state.selected


def step_lost(column: int, step: int) -> None:
    """Show the next sentence that a column has lost, in its document."""
    st.session_state.tab = "document"
    st.session_state.lane = column
    st.session_state.lost_step = st.session_state.get("lost_step", -1) + step
    st.session_state.go_to_lost = True
