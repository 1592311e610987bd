"""The labelled questions of the open documents: one list a corpus, kept for the session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.evaluation.questions import Answer, Question
from ragchunk.measured import QuestionSet, question_set
from ragchunk.ui import corpus_menu


def questions() -> tuple[Question, ...]:
    """Those of the documents that are open; the samples come with some."""
    lists = _lists()
    source = st.session_state.source
    if source not in lists:
        return corpus_menu.sample_questions() if source == "samples" else ()
    return lists[source]


def keep(found: Iterable[Question]) -> None:
    """These are the questions of the documents that are open from now on."""
    _lists()[st.session_state.source] = tuple(found)


def add_answers(text: str, answers: Iterable[Answer]) -> None:
    """Label a question: a new one, or one more passage of one that is there; none twice."""
    text = text.strip()
    there = questions()
    for number, each in enumerate(there):
        if each.text.strip().lower() == text.lower():
            places = {(a.source, a.start, a.end) for a in each.answers}
            new = [a for a in answers if (a.source, a.start, a.end) not in places]
            more = replace(each, answers=(*each.answers, *new))
            keep([*there[:number], more, *there[number + 1 :]])
            return
    keep([*there, Question(text, tuple(answers))])


def change(old: Question, new: Question) -> None:
    """Put a question in the place of one that is there."""
    keep(new if each is old or each == old else each for each in questions())


def find(text: str) -> Question | None:
    """The question of that text, whatever the case of its letters."""
    wanted = text.strip().lower()
    return next((each for each in questions() if each.text.strip().lower() == wanted), None)


def standing(corpus: Corpus) -> QuestionSet:
    """The questions as they stand in the corpus; found again when either has changed."""
    asked = questions()
    kept: tuple[tuple[Question, ...], Corpus, QuestionSet] | None
    kept = st.session_state.get("standing")
    if kept is None or kept[0] is not asked or kept[1] is not corpus:
        kept = (asked, corpus, question_set(asked, corpus))
        st.session_state.standing = kept
    return kept[2]


def _lists() -> dict[str, tuple[Question, ...]]:
    return st.session_state.setdefault("question_lists", {})
