"""Label a question: type the answer and see where it stands, or find sentences by their words."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ragchunk import measure_labels
from ragchunk.corpus import Corpus
from ragchunk.evaluation.labelling import (
    Sentence,
    answers_from,
    find_answer,
    search_sentences,
)
from ragchunk.evaluation.questions import Answer, Question, answer_at
from ragchunk.markup import count
from ragchunk.measure_labels import Place
from ragchunk.ui import corpus_menu, labelled
from ragchunk.ui.page import show_note

HOW = {"type": "Type the answer", "search": "Search by words"}


def label_form(corpus: Corpus) -> None:
    """The form: the question, its answers so far, and two ways to find one more."""
    session = st.session_state
    keep_picks(corpus.key, "searched")
    edited = _edited()
    with st.container(key="label_form"):
        st.html(
            f'<div class="rc measure"><h2>{"Edit a question" if edited else "Label a question"}'
            "</h2></div>"
        )
        st.text_input("Question", key="label_question", placeholder="Type a question", live=True)
        question = _in_form()
        _draw_editing(edited)
        st.html(measure_labels.stored(question.answers if question else ()) or "<span></span>")
        st.segmented_control(
            "How to find the answer",
            list(HOW),
            format_func=HOW.__getitem__,
            required=True,
            default="type",
            key="label_how",
            label_visibility="collapsed",
            persist_state="session",
        )
        if session.label_how == "search":
            _search(corpus)
        else:
            _type(corpus)
        if note := session.pop("label_note", ""):
            show_note("Note", note)


def _draw_editing(edited: Question | None) -> None:
    if edited is None:
        return
    typed = (st.session_state.label_question or "").strip()
    with st.container(horizontal=True):
        st.button(
            "Save the wording",
            on_click=_rename,
            disabled=typed in ("", edited.text),
            key="label_rename",
        )
        st.button("Done", on_click=_stop_editing, key="label_done")
    if typed and not labelled.is_named(edited, typed):
        st.html(
            '<div class="rc measure"><p class="small">An answer goes to the question as it is '
            "typed. To keep it with the one that is edited, save the wording first.</p></div>"
        )


def _type(corpus: Corpus) -> None:
    typed = st.text_input(
        "Answer",
        key="label_answer",
        placeholder="Type or paste the passage that answers it",
        live=True,
    )
    if (typed or "").strip():
        st.html(measure_labels.places(find_answer(typed or "", corpus.documents), corpus.texts))


def _search(corpus: Corpus) -> None:
    words = st.text_input(
        "Words",
        key="label_words",
        placeholder="Rare words of the passage",
        live=True,
        help="By the words alone: the model that is measured takes no part.",
    )
    found = search_sentences(words or "", corpus.documents, limit=12)
    # What was picked by other words is stored, too, so it is shown.
    others = picked() - {(each.source, each.start, each.end) for each in found}
    before = [Sentence(*place, 0.0, ("picked before",)) for place in sorted(others)]
    if before or (words or "").strip():
        st.html(measure_labels.sentences([*before, *found], corpus.texts, picked()))
        store_button("searched")


def store_button(origin: str) -> None:
    """The button that makes the picked sentences an answer."""
    number = len(picked())
    st.button(
        f"Store {count(number, 'sentence')} as the answer" if number else "Pick the sentences",
        key=f"store_{origin}",
        on_click=_store_picked,
        args=(origin,),
        disabled=not number,
    )


def picked() -> set[Place]:
    """The sentences that are picked and not stored yet."""
    return st.session_state.setdefault("picked", set())


def keep_picks(corpus_key: str, *of_what: object) -> None:
    """Say what sentences are picked of: those that were picked of anything else are forgotten.

    A place says nothing in another text, so the first thing to say is the documents.
    """
    if st.session_state.get("picks_of") != (corpus_key, *of_what):
        st.session_state.picks_of = (corpus_key, *of_what)
        st.session_state.picked = set()


def _is_drawn_of_open_documents() -> bool:
    """Whether the places in the buttons that are drawn are of the documents that are open."""
    drawn_of = st.session_state.get("picks_of")
    if drawn_of is not None and drawn_of[0] == corpus_menu.open_corpus().key:
        return True
    st.session_state.label_note = "Not stored: the documents have changed in the meantime."
    return False


def pick(words: str) -> None:
    """Pick a sentence, or put it back."""
    place = measure_labels.place_of(words)
    if place is not None:
        st.session_state.picked = picked() ^ {place}


def use(words: str) -> None:
    """Store the passage at a place as an answer to the question that is typed."""
    if not _is_drawn_of_open_documents():
        return
    place = measure_labels.place_of(words)
    answer = None if place is None else _answer(place, "typed")
    if answer is not None and _store([answer]):
        st.session_state.label_answer = ""


def remove(words: str) -> None:
    """Take an answer away from the question that is typed."""
    place = measure_labels.place_of(words)
    question = _in_form()
    if question is not None:
        left = tuple(a for a in question.answers if (a.source, a.start, a.end) != place)
        _change(question, replace(question, answers=left))


def edit(key: str) -> None:
    """Open a question in the form."""
    question = labelled.with_key(key)
    if question is None:
        return
    st.session_state.edited = question
    st.session_state.label_question = question.text
    st.session_state.picked = set()


def _edited() -> Question | None:
    """The question that is edited, if it is still there."""
    edited: Question | None = st.session_state.get("edited")
    return edited if edited in labelled.questions() else None


def _in_form() -> Question | None:
    """The question that is typed, which an answer goes to: the one that is edited, or another."""
    edited = _edited()
    typed = st.session_state.get("label_question") or ""
    return edited if edited and labelled.is_named(edited, typed) else labelled.find(typed)


def _change(question: Question, new: Question) -> None:
    labelled.change(question, new)
    if st.session_state.get("edited") == question:
        st.session_state.edited = new


def _rename() -> None:
    edited, text = _edited(), (st.session_state.label_question or "").strip()
    if edited is None or not text:
        return
    other = labelled.find(text)
    if other is not None and other != edited:
        st.session_state.label_note = f"There is a question {other.text!r} already."
        return
    _change(edited, replace(edited, text=text))


def _stop_editing() -> None:
    st.session_state.edited = None
    st.session_state.label_question = ""


def _store_picked(origin: str) -> None:
    if not _is_drawn_of_open_documents():
        return
    texts = corpus_menu.open_corpus().texts
    answers: list[Answer] = []
    for source in sorted({each[0] for each in picked()}):
        spans = [(start, end) for other, start, end in picked() if other == source]
        answers += answers_from((source, texts[source]), spans, origin)
    question = (st.session_state.get("query") or "") if origin == "result" else None
    if _store(answers, question):
        st.session_state.picked = set()
        st.session_state.pop("labelling", None)


def _store(answers: list[Answer], text: str | None = None) -> bool:
    """Store answers to a question, that of the form if none is given; whether that was possible."""
    question = _in_form() if text is None else labelled.find(text)
    typed: str = st.session_state.get("label_question") or ""
    words = (typed if text is None else text).strip()
    if not words:
        st.session_state.label_note = "Type the question first; then use its answer."
        return False
    new = labelled.with_answers(question or Question(words, ()), answers)
    if question is None:
        labelled.add(new)
    else:
        _change(question, new)
    if st.session_state.get("edited") != new:
        st.session_state.edited = None
    st.session_state.label_note = (
        f"Stored: {new.text.strip()!r} has {count(len(new.answers), 'answer')}. Add another, or "
        "type the next question."
    )
    return True


def _answer(place: Place, origin: str) -> Answer | None:
    source, start, end = place
    text = corpus_menu.open_corpus().texts.get(source, "")
    return answer_at((source, text), start, end, origin) if start < end <= len(text) else None
