"""The labelled questions of the open documents: one list a corpus, kept for the session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.evaluation.questions import Answer, Question, key_of
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


def add(question: Question) -> None:
    """One more question, the last."""
    keep([*questions(), question])


def with_answers(question: Question, answers: Iterable[Answer]) -> Question:
    """A question with more passages that answer it; none twice."""
    places = {(a.source, a.start, a.end) for a in question.answers}
    new = [a for a in answers if (a.source, a.start, a.end) not in places]
    return replace(question, answers=(*question.answers, *new))


def change(old: Question, new: Question) -> None:
    """Put a question in the place of one that is there."""
    there = list(questions())
    there[there.index(old)] = new
    keep(there)


def find(text: str) -> Question | None:
    """The first question of that text, whatever the case of its letters; a file may have more."""
    return next((each for each in questions() if is_named(each, text)), None)


def is_named(question: Question, text: str) -> bool:
    """Whether a question has that text, whatever the case of its letters."""
    return question.text.strip().lower() == text.strip().lower()


def with_key(key: str) -> Question | None:
    """The question that a button of the table means, by `key_of`; None if it is there no more."""
    return next((each for each in questions() if key_of(each) == key), None)


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
