"""The measuring view: the columns on labelled questions, a sweep of settings, the questions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from ragchunk import panels
from ragchunk.corpus import Corpus
from ragchunk.embedding import ModelEncoder
from ragchunk.evaluation.measures import Cutoff, Measure
from ragchunk.markup import count
from ragchunk.measure_table import BY_NAME, STYLE
from ragchunk.measured import QuestionSet
from ragchunk.state import MOST_BUDGET, PARTS
from ragchunk.ui import columns, controls, labelled, session
from ragchunk.ui.columns import Column
from ragchunk.ui.measure_columns import ColumnsPart
from ragchunk.ui.measure_questions import questions_part
from ragchunk.ui.measure_sweep import SweepPart
from ragchunk.ui.page import show_note
from ragchunk.ui.settings_menu import Settings
from ragchunk.ui.work import Work

NO_QUESTIONS = (
    "No question to measure with. Load or label some under Questions: each with the passage of "
    "these documents that answers it."
)


def open_measure(corpus: Corpus, settings: Settings, encoder: ModelEncoder | None) -> Work:
    """Draw the view: all that is known by now, and places for what is not."""
    st.html(STYLE)
    asked = labelled.standing(corpus)
    part = _head(asked)
    shared = session.cutter("")
    scene = panels.Scene(shared.unit, shared.way, session.hits())
    board: Sequence[Column] = ()
    finish = _nothing
    if part == "questions":
        questions_part(corpus, asked)
    else:
        controls.control_row(columns.any_shares())
        board = columns.cut_columns(corpus, scene, settings)
        if not asked.questions:
            show_note("Note", NO_QUESTIONS)
        elif part == "sweep":
            finish = SweepPart(corpus, board, asked, encoder, measure(), cutoffs()).finish
        else:
            view = ColumnsPart(board, asked, encoder, measure(), *cutoffs())
            finish = partial(view.finish, corpus)
    session.write_link(corpus)
    return Work(board, st.session_state.query or "", scene, finish)


def _nothing() -> None:
    pass


def _head(asked: QuestionSet) -> str:
    """What is shown, and what it is measured by; returns the part that is open."""
    widths = [1.0] if st.session_state.part == "questions" else [3.2, 1.7, 1.6, 1.3]
    with st.container(key="measure_head"):
        left, *right = st.columns(widths, vertical_alignment="bottom")
    lost = len(asked.rows) - len(asked.questions)
    names = {each: each.capitalize() for each in PARTS}
    names["questions"] += f" {len(asked.rows):,}"
    with left:
        part = st.segmented_control(
            "Part",
            PARTS,
            format_func=names.__getitem__,
            required=True,
            key="part",
            label_visibility="collapsed",
            persist_state="session",
        )
    if part != "questions":
        with right[0]:
            st.selectbox(
                "Measure",
                list(BY_NAME),
                format_func=lambda name: BY_NAME[name].label,
                key="measure",
                persist_state="session",
            )
        with right[1]:
            st.segmented_control(
                "Retrieved",
                ["budget", "hits"],
                format_func={"budget": "a budget", "hits": "hits"}.__getitem__,
                required=True,
                key="cutoff",
                persist_state="session",
            )
        with right[2]:
            controls.number_box("Budget, tokens", "budget", step=100)
        controls.say_if_other("Budget", st.session_state.budget, session.budget(), MOST_BUDGET)
        if lost:
            are = "is" if lost == 1 else "are"
            show_note(
                "Note",
                f"{count(lost, 'question')} of {len(asked.rows):,} {are} not measured: an answer "
                "is missing or lost. Questions says which.",
            )
    return part or PARTS[0]


def measure() -> Measure:
    """The measure that leads."""
    return BY_NAME[st.session_state.measure]


def cutoffs() -> tuple[Cutoff, Cutoff]:
    """The cut-off that leads, and the other one."""
    budget = Cutoff(budget=session.budget())
    hits = Cutoff(k=session.hits())
    return (budget, hits) if st.session_state.cutoff == "budget" else (hits, budget)
