"""The questions: loaded from a file, labelled here, listed, taken away as a file."""

from __future__ import annotations

import streamlit as st

from ragchunk import measure_labels
from ragchunk.corpus import Corpus
from ragchunk.errors import LoadError
from ragchunk.evaluation.question_files import QuestionFile, load_questions
from ragchunk.evaluation.questions import to_jsonl
from ragchunk.markup import count, escape
from ragchunk.measured import QuestionSet
from ragchunk.ui import corpus_menu, labelled, session
from ragchunk.ui.label_form import label_form
from ragchunk.ui.page import show_note

MOST_MB = 20


def questions_part(corpus: Corpus, asked: QuestionSet) -> None:
    """The form beside the files, and the table of all questions."""
    left, right = st.columns([1.9, 1], gap="large")
    with left:
        label_form(corpus)
    with right:
        _files(asked)
    _table(asked)


def _files(asked: QuestionSet) -> None:
    st.html('<div class="rc measure"><h2>Question files</h2></div>')
    number = st.session_state.get("questions_uploaded", 0)
    st.file_uploader(
        "JSONL or JSON, CSV of chunking-evaluation, or SQuAD JSON",
        ["jsonl", "json", "csv", "tsv"],
        key=f"question_file_{number}",
        on_change=_take_file,
        args=(f"question_file_{number}",),
        max_upload_size=MOST_MB,
    )
    _show_report()
    with st.container(horizontal=True):
        st.download_button(
            "Download as JSONL",
            to_jsonl(labelled.questions()).encode("utf-8"),
            file_name="questions.jsonl",
            key="download_questions",
            on_click="ignore",
            disabled=not asked.rows,
        )
        st.button("Delete all", key="delete_all", on_click=_delete_all, disabled=not asked.rows)
        if before := st.session_state.get("questions_before"):
            st.button(before[0], key="undo_questions", on_click=_undo)


def _show_report() -> None:
    """What became of the last file."""
    found: tuple[str, tuple[str, ...]] | None = st.session_state.get("question_report")
    if found is None:
        return
    said, problems = found
    show_note("Note", said)
    if problems:
        items = "".join(f"<li>{escape(each)}</li>" for each in problems)
        st.html(f'<div class="rc measure"><ol class="problems">{items}</ol></div>')
    brought: QuestionFile | None = st.session_state.get("questions_brought")
    if brought is not None:
        st.button(
            f"Open its {count(len(brought.documents), 'document')}",
            key="open_brought",
            on_click=_open_brought,
        )


def _take_file(key: str) -> None:
    """Add the questions of a file that was given; what is wrong in it is told."""
    session_state = st.session_state
    file = session_state.get(key)
    if file is None:
        return
    session_state.questions_brought = None
    # A new key is an empty uploader: the same file can be given again.
    session_state.questions_uploaded = session_state.get("questions_uploaded", 0) + 1
    try:
        found = load_questions(file.name, file.getvalue())
    except LoadError as error:
        session_state.question_report = (str(error), ())
        return
    read = f"{file.name}: {count(len(found.questions), 'question')} read"
    wrong = f", {count(len(found.problems), 'remark')}" if found.problems else ""
    here = {each.source for each in corpus_menu.open_corpus().documents}
    if found.documents and not {each.source for each in found.documents} <= here:
        session_state.questions_brought = found
        session_state.question_report = (
            f"{read}{wrong}. It brings its own documents, which are not open.",
            found.problems,
        )
        return
    there = dict.fromkeys(labelled.questions())
    new = [each for each in found.questions if each not in there]
    labelled.keep([*there, *new])
    twice = len(found.questions) - len(new)
    known = f", {twice:,} of them known" if twice else ""
    session_state.question_report = (f"{read}{known}{wrong}.", found.problems)


def _open_brought() -> None:
    """Open the documents of the file, with its questions."""
    found: QuestionFile = st.session_state.questions_brought
    st.session_state.questions_brought = None
    st.session_state.question_report = None
    st.session_state.uploaded = Corpus(found.documents)
    st.session_state.problems = []
    session.set_source("files")
    labelled.keep(found.questions)


def _delete_all() -> None:
    there = labelled.questions()
    st.session_state.questions_before = (f"Put back {count(len(there), 'question')}", there)
    labelled.keep([])


def delete(text: str) -> None:
    """Delete a question; it can be put back."""
    found = labelled.find(text)
    if found is None:
        return
    there = labelled.questions()
    st.session_state.questions_before = ("Put back the last", there)
    labelled.keep([each for each in there if each is not found])


def _undo() -> None:
    _, there = st.session_state.pop("questions_before")
    labelled.keep(there)


def _table(asked: QuestionSet) -> None:
    states = [each.state for row in asked.rows for each in row.answers]
    said = f"{count(len(asked.rows), 'question')}, {len(asked.questions):,} can be measured."
    if states.count("moved"):
        said += f" {count(states.count('moved'), 'label')} moved."
    if states.count("lost"):
        said += f" {count(states.count('lost'), 'label')} lost."
    st.html(f'<div class="rc measure"><h2>The questions</h2><p class="small">{said}</p></div>')
    # What needs a look comes first.
    rows = sorted(asked.rows, key=lambda row: row.measurable)
    most = st.session_state.get("questions_shown", measure_labels.AT_FIRST)
    st.html(measure_labels.questions_table(rows, most))
