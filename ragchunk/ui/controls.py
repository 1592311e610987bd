"""The question, and the sliders that cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from ragchunk.evaluation.questions import Question
from ragchunk.units import UNITS, Unit


@dataclass(frozen=True)
class Range:
    """What a slider of size, and the one of overlap, may be set to, and where both begin."""

    least: int
    most: int
    size: int
    overlap: int
    step: int


RANGES: dict[Unit, Range] = {
    "characters": Range(20, 6_000, 800, 200, 10),
    "words": Range(5, 1_000, 60, 15, 1),
    "tokens": Range(8, 1_024, 120, 20, 1),
}
HITS = 3
MOST_HITS = 20


@dataclass(frozen=True)
class Controls:
    """What the control row is set to."""

    unit: Unit
    size: int
    overlap: int
    k: int


def question_row(questions: Sequence[Question], opening: str) -> str:
    """The question as typed, or picked from the sample questions."""
    st.session_state.setdefault("query", opening)
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
        )
    return (typed or "").strip()


def _take_sample() -> None:
    st.session_state.query = st.session_state.sample_question or st.session_state.query
    st.session_state.sample_question = None


def control_row(applies: bool) -> Controls:
    """Size, overlap, unit and hits; `applies` is whether any column has a size."""
    why = None if applies else "No column cuts to a size: choose another strategy in a column."
    unit: Unit = st.session_state.get("unit", "words")
    limits = RANGES[unit]
    with st.container(key="controls"):
        size, size_box, overlap, overlap_box, units, hits = st.columns(
            [3.6, 1.3, 3.6, 1.3, 3.4, 1], vertical_alignment="bottom"
        )
    chosen_size = _slider_and_box("Size", unit, limits.least, limits.size, size, size_box, why)
    chosen_overlap = _slider_and_box("Overlap", unit, 0, limits.overlap, overlap, overlap_box, why)
    with units:
        st.segmented_control(
            "Unit",
            UNITS,
            default="words",
            required=True,
            key="unit",
            disabled=not applies,
            help=why,
        )
    with hits:
        k = st.number_input("Hits", 1, MOST_HITS, HITS, key="k")
    return Controls(unit, chosen_size, chosen_overlap, int(k))


def _slider_and_box(label: str, unit: Unit, least: int, start: int, left, right, why) -> int:
    """One number with two handles. Each unit keeps its own last value."""
    limits = RANGES[unit]
    value_key = f"{label.lower()}_{unit}"
    value = st.session_state.setdefault(value_key, start)
    for handle in ("slider", "box"):
        key = f"{value_key}_{handle}"
        # Only the handle that did not move is set: setting the one under the finger would pull it
        # back while a newer move is on its way.
        if st.session_state.get(key) != value:
            st.session_state[key] = value
    with left:
        st.slider(
            f"{label}, {unit}",
            least,
            limits.most,
            step=limits.step,
            key=f"{value_key}_slider",
            on_change=_adopt,
            args=(value_key, "slider"),
            disabled=why is not None,
            help=why,
        )
    with right:
        st.number_input(
            label,
            least,
            limits.most,
            step=limits.step,
            key=f"{value_key}_box",
            on_change=_adopt,
            args=(value_key, "box"),
            disabled=why is not None,
        )
    return int(st.session_state[value_key])


def _adopt(value_key: str, handle: str) -> None:
    st.session_state[value_key] = st.session_state[f"{value_key}_{handle}"]
