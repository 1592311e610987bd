"""Label a question: type the answer and see where it stands, or find sentences by their words."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ragchunk import measure_labels
from ragchunk.corpus import Corpus
from ragchunk.evaluation.labelling import answers_from, find_answer, search_sentences
from ragchunk.evaluation.questions import Answer, Question, answer_at
from ragchunk.markup import count
from ragchunk.measure_labels import Place
from ragchunk.ui import corpus_menu, labelled
from ragchunk.ui.page import show_note

HOW = {"type": "Type the answer", "search": "Search by words"}


def label_form(corpus: Corpus) -> None:
    """The form: the question, its answers so far, and two ways to find one more."""
    session = st.session_state
    edited = _edited()
    with st.container(key="label_form"):
        st.html(
            f'<div class="rc measure"><h2>{"Edit a question" if edited else "Label a question"}'
            "</h2></div>"
        )
        st.text_input("Question", key="label_question", placeholder="Type a question", live=True)
        question = edited or labelled.find(session.label_question or "")
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
    with st.container(horizontal=True):
        st.button(
            "Save the wording",
            on_click=_rename,
            disabled=(st.session_state.label_question or "").strip() in ("", edited.text),
            key="label_rename",
        )
        st.button("Done", on_click=_stop_editing, key="label_done")


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
    if not (words or "").strip():
        return
    found = search_sentences(words or "", corpus.documents, limit=12)
    st.html(measure_labels.sentences(found, corpus.texts, picked()))
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


def pick(words: str) -> None:
    """Pick a sentence, or put it back."""
    place = measure_labels.place_of(words)
    if place is not None:
        st.session_state.picked = picked() ^ {place}


def use(words: str) -> None:
    """Store the passage at a place as an answer to the question that is typed."""
    place = measure_labels.place_of(words)
    answer = None if place is None else _answer(place, "typed")
    if answer is not None and _store([answer]):
        st.session_state.label_answer = ""


def remove(words: str) -> None:
    """Take an answer away from the question that is typed."""
    place = measure_labels.place_of(words)
    question = _edited() or labelled.find(st.session_state.get("label_question") or "")
    if question is not None:
        left = tuple(a for a in question.answers if (a.source, a.start, a.end) != place)
        labelled.change(question, replace(question, answers=left))


def edit(text: str) -> None:
    """Open a question in the form."""
    if labelled.find(text) is None:
        return
    st.session_state.edited = text
    st.session_state.label_question = text
    st.session_state.picked = set()


def _edited() -> Question | None:
    text = st.session_state.get("edited")
    return labelled.find(text) if text else None


def _rename() -> None:
    edited, text = _edited(), (st.session_state.label_question or "").strip()
    if edited is None or not text:
        return
    other = labelled.find(text)
    if other is not None and other != edited:
        st.session_state.label_note = f"There is a question {other.text!r} already."
        return
    labelled.change(edited, replace(edited, text=text))
    st.session_state.edited = text


def _stop_editing() -> None:
    st.session_state.edited = None
    st.session_state.label_question = ""


def _store_picked(origin: str) -> None:
    texts = corpus_menu.open_corpus().texts
    answers: list[Answer] = []
    for source in sorted({each[0] for each in picked()}):
        spans = [(start, end) for other, start, end in picked() if other == source]
        if source in texts and all(end <= len(texts[source]) for _, end in spans):
            answers += answers_from((source, texts[source]), spans, origin)
    question = (st.session_state.get("query") or "") if origin == "result" else None
    if _store(answers, question):
        st.session_state.picked = set()
        st.session_state.pop("labelling", None)


def _store(answers: list[Answer], text: str | None = None) -> bool:
    """Store answers to a question, that of the form if none is given; whether that was possible."""
    edited = _edited()
    typed: str = st.session_state.get("label_question") or ""
    text = text if text is not None else edited.text if edited else typed
    if not text.strip():
        st.session_state.label_note = "Type the question first; then use its answer."
        return False
    labelled.add_answers(text, answers)
    number = len((labelled.find(text) or Question("", ())).answers)
    st.session_state.label_note = (
        f"Stored: {text.strip()!r} has {count(number, 'answer')}. Add another, or type the next "
        "question."
    )
    return True


def _answer(place: Place, origin: str) -> Answer | None:
    source, start, end = place
    text = corpus_menu.open_corpus().texts.get(source, "")
    return answer_at((source, text), start, end, origin) if start < end <= len(text) else None
