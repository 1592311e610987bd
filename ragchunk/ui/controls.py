"""The question, and the sliders that cut."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragchunk.evaluation.questions import Question
from ragchunk.state import MOST_HITS, RANGES
from ragchunk.ui import session
from ragchunk.ui.drag import Number, drag
from ragchunk.ui.page import show_note
from ragchunk.units import UNITS


def question_row(questions: Sequence[Question]) -> str:
    """The question as typed, or picked from the sample questions."""
    with st.container(key="ask"):
        left, right = st.columns([5, 1.6], vertical_alignment="bottom")
    with right:
        st.selectbox(
            "Sample questions",
            [question.text for question in questions],
            index=None,
            key="sample_question",
            placeholder="Sample questions"
            if st.session_state.source == "samples"
            else "Labelled questions",
            label_visibility="collapsed",
            on_change=_take_sample,
            disabled=not questions,
            help=None
            if questions
            else "These documents come without questions; label some in Measure.",
        )
    with left:
        typed = st.text_input(
            "Question",
            key="query",
            type="search",
            live=True,
            placeholder="Type a question",
            label_visibility="collapsed",
            persist_state="session",
        )
    return (typed or "").strip()


def _take_sample() -> None:
    st.session_state.query = st.session_state.sample_question or st.session_state.query
    st.session_state.sample_question = None


def control_row(applies: bool) -> None:
    """Size, overlap, unit and hits; `applies` is whether any column shares these settings."""
    why = None if applies else "No column takes these: each is whole or has its own settings."
    with st.container(key="controls"):
        size, overlap, units, hits = st.columns([5, 5, 3.4, 1], vertical_alignment="bottom")
    with size:
        slider_and_box("Size", "", why)
    with overlap:
        slider_and_box("Overlap", "", why)
    with units:
        unit_control("", why)
    with hits:
        number_box("Hits", "k")
    say_if_other("Hits", st.session_state.k, session.hits(), MOST_HITS)


def number_box(label: str, key: str, step: int = 1) -> None:
    """A whole number without limits: the browser would keep what is out of them, and not tell.

    An emptied box tells of 0.
    """
    st.number_input(label, step=step, key=key, persist_state="session")


def say_if_other(label: str, asked: int, used: int, most: int) -> None:
    """Say so where another number is used than the box holds, which cannot be."""
    if asked != used:
        show_note(
            "Error",
            f"{label}: {asked:,} must be a whole number from 1 to {most:,}. Until then it is "
            f"{used:,}.",
        )


def unit_control(prefix: str, why: str | None = None) -> None:
    """Characters, words or tokens, for the settings whose keys begin with `prefix`."""
    st.segmented_control(
        "Unit",
        UNITS,
        required=True,
        key=f"{prefix}unit",
        disabled=why is not None,
        help=why,
        persist_state="session",
    )


def slider_and_box(label: str, prefix: str, why: str | None = None) -> None:
    """One number with two handles, Size or Overlap. Each unit keeps its own last value."""
    unit = st.session_state[f"{prefix}unit"]
    limits = RANGES[unit]
    number = Number(
        key=f"{prefix}{label.lower()}_{unit}",
        label=label,
        unit=unit,
        least=limits.least if label == "Size" else 0,
        most=limits.most,
        step=limits.step,
    )
    # Without headers there is no browser, and so nothing that could run a script.
    if st.session_state.sliders == "live" and st.context.headers:
        drag(number, why)
    else:
        _on_release(number, why)


def _on_release(number: Number, why: str | None) -> None:
    """The same number in Streamlit's own handles, which tell the server when they are let go."""
    # A handle that has to follow is drawn anew, under a new key: where moves come faster than runs,
    # what the browser still says of the old one is then no move. The one under the finger keeps
    # its key, and is never set.
    keys = {handle: _key(number.key, handle) for handle in ("slider", "box")}
    left, right = st.columns([3.6, 1.3], vertical_alignment="bottom")
    # Not set through the session: that reaches the browser in one run only, which a newer one may
    # take over before the handle is there.
    value = st.session_state[number.key]
    with left.container(key=f"{number.key}_slider"):
        st.slider(
            f"{number.label}, {number.unit}",
            number.least,
            number.most,
            value,
            step=number.step,
            key=keys["slider"],
            on_change=_adopt,
            args=(number.key, "slider", keys["slider"]),
            disabled=why is not None,
            help=why,
        )
    with right.container(key=f"{number.key}_box"):
        st.number_input(
            number.label,
            number.least,
            number.most,
            value,
            step=number.step,
            key=keys["box"],
            on_change=_adopt,
            args=(number.key, "box", keys["box"]),
            disabled=why is not None,
        )


def _key(value_key: str, handle: str) -> str:
    return f"{value_key}_{handle}_{session.version(value_key, handle)}"


def _adopt(value_key: str, handle: str, key: str) -> None:
    value = st.session_state[key]
    # The browser goes on to tell of handles that were drawn anew, and Streamlit takes that for a
    # move; an emptied box leaves the last number standing.
    if key == _key(value_key, handle) and value not in (None, st.session_state[value_key]):
        session.set_number(value_key, value, by=handle)
