"""The question, and the sliders that cut."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragchunk.evaluation.questions import Question
from ragchunk.state import MOST_HITS, RANGES
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
            placeholder="Sample questions",
            label_visibility="collapsed",
            on_change=_take_sample,
            disabled=not questions,
            help=None if questions else "These documents come without questions.",
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
        size, size_box, overlap, overlap_box, units, hits = st.columns(
            [3.6, 1.3, 3.6, 1.3, 3.4, 1], vertical_alignment="bottom"
        )
    slider_and_box("Size", "", size, size_box, why)
    slider_and_box("Overlap", "", overlap, overlap_box, why)
    with units:
        unit_control("", why)
    with hits:
        st.number_input("Hits", 1, MOST_HITS, key="k", persist_state="session")


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


def slider_and_box(
    label: str, prefix: str, left: DeltaGenerator, right: DeltaGenerator, why: str | None = None
) -> None:
    """One number with two handles, Size or Overlap. Each unit keeps its own last value."""
    unit = st.session_state[f"{prefix}unit"]
    limits = RANGES[unit]
    least = limits.least if label == "Size" else 0
    value_key = f"{prefix}{label.lower()}_{unit}"
    value = st.session_state[value_key]
    # The handle that did not move is drawn anew, under a new key: where moves come faster than
    # runs, what the browser still says of the old one is then no move. The one under the finger
    # keeps its key, and is never set.
    moves = st.session_state.setdefault(f"{value_key}_moves", {"slider": 0, "box": 0})
    slider_key = f"{value_key}_slider_{moves['box']}"
    box_key = f"{value_key}_box_{moves['slider']}"
    for key in (slider_key, box_key):
        st.session_state.setdefault(key, value)
    with left.container(key=f"{value_key}_slider"):
        st.slider(
            f"{label}, {unit}",
            least,
            limits.most,
            step=limits.step,
            key=slider_key,
            on_change=_adopt,
            args=(value_key, "slider", slider_key),
            disabled=why is not None,
            help=why,
        )
    with right.container(key=f"{value_key}_box"):
        st.number_input(
            label,
            least,
            limits.most,
            step=limits.step,
            key=box_key,
            on_change=_adopt,
            args=(value_key, "box", box_key),
            disabled=why is not None,
        )


def _adopt(value_key: str, handle: str, key: str) -> None:
    value = st.session_state[key]
    if value is not None:  # an emptied box leaves the last number standing
        st.session_state[value_key] = value
        st.session_state[f"{value_key}_moves"][handle] += 1
