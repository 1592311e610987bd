"""What the buttons inside cards, lanes and figures do."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ragchunk import measure_differ, measure_labels
from ragchunk.ui import label_form, label_result, labelled, measure_questions


def act(words: str) -> None:
    """Do what a button says.

    `open COLUMN CHUNK` and `inside COLUMN CHUNK` are buttons of a hit, `lost COLUMN` is the figure
    of lost sentences, `show CHUNK` is an entry of the document view. For those of the measuring
    view, and of labelling, see `MEASURING`.
    """
    verb, _, rest = words.partition(" ")
    if verb == "show":
        _show(rest)
        return
    if verb in MEASURING:
        MEASURING[verb](rest)
        return
    number, _, chunk = rest.partition(" ")
    # The page may have changed since the button was drawn.
    if number not in map(str, st.session_state.column_ids):
        return
    column = int(number)
    if verb == "open":
        st.session_state.lane = column
        _show(chunk)
    elif verb == "inside":
        looked_into: set[str] = st.session_state.setdefault("looked_into", set())
        looked_into ^= {f"{column} {chunk}"}
    elif verb == "lost":
        st.session_state.lost_step = None
        step_lost(column, 1)


def _ask(text: str) -> None:
    """Ask a labelled question, and open the document that answers it, at the answer."""
    question = labelled.find(text)
    if question is None or not question.answers:
        return
    st.session_state.query = question.text
    st.session_state.tab = "document"
    st.session_state.lost_step = None
    st.session_state.selected = None
    st.session_state.go_to_answer = True


def _show(chunk: str) -> None:
    """Open a chunk in its document. Joined hits open at their first."""
    source, _, index = chunk.rpartition("#")
    st.session_state.tab = "document"
    st.session_state.document = source
    st.session_state.lost_step = None
    st.session_state.selected = f"{source}#{index.partition('+')[0]}"
    st.session_state.go_to = st.session_state.selected


def _more(key: str, first: int, more: int) -> None:
    st.session_state[key] = st.session_state.get(key, first) + more


MEASURING: dict[str, Callable[[str], None]] = {
    "ask": _ask,
    "lines": lambda _: _more("lines_shown", measure_differ.AT_FIRST, measure_differ.MORE),
    "questions": lambda _: _more("questions_shown", measure_labels.AT_FIRST, measure_labels.MORE),
    "edit": label_form.edit,
    "delete": measure_questions.delete,
    "use": label_form.use,
    "pick": label_form.pick,
    "remove": label_form.remove,
    "answers": label_result.begin,
}


def step_lost(column: int, step: int) -> None:
    """Show the next sentence that a column has lost, or the one before, in its document."""
    st.session_state.tab = "document"
    st.session_state.lane = column
    at = st.session_state.get("lost_step")
    st.session_state.lost_step = 0 if at is None else at + step
    st.session_state.go_to_lost = True
