"""The questions: loaded from a file, labelled here, listed, taken away as a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from ragchunk import measure_labels
from ragchunk.corpus import Corpus
from ragchunk.errors import LoadError
from ragchunk.evaluation.question_files import QuestionFile, load_questions
from ragchunk.evaluation.questions import Question, to_jsonl
from ragchunk.markup import count, escape
from ragchunk.measured import QuestionSet
from ragchunk.question_table import question_table
from ragchunk.ui import corpus_menu, labelled, session
from ragchunk.ui.label_form import label_form
from ragchunk.ui.page import show_note

MOST_MB = 20

# Of what is wrong in a file; the rest is counted.
PROBLEMS_SHOWN = 20


@dataclass(frozen=True)
class Report:
    """What became of a file: in a sentence, what is wrong in it, and what it brought along."""

    said: str
    problems: tuple[str, ...] = ()
    brought: QuestionFile | None = None


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
        if deleted := _by_source("questions_deleted").get(st.session_state.source):
            st.button(deleted[0], key="undo_questions", on_click=_undo)


def _show_report() -> None:
    """What became of the last file."""
    found: Report | None = _by_source("question_reports").get(st.session_state.source)
    if found is None:
        return
    show_note("Note", found.said)
    if problems := found.problems:
        items = "".join(f"<li>{escape(each)}</li>" for each in problems[:PROBLEMS_SHOWN])
        left = len(problems) - PROBLEMS_SHOWN
        more = f'<p class="small">{left:,} more like these.</p>' if left > 0 else ""
        st.html(f'<div class="rc measure"><ol class="problems">{items}</ol>{more}</div>')
    if (brought := found.brought) is not None:
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
    # A new key is an empty uploader: the same file can be given again.
    session_state.questions_uploaded = session_state.get("questions_uploaded", 0) + 1
    _by_source("question_reports")[session_state.source] = _taken(file.name, file.getvalue())


def _taken(name: str, data: bytes) -> Report:
    """What became of a file: its questions are added, unless it brings documents of its own."""
    try:
        found = load_questions(name, data)
    except LoadError as error:
        return Report(str(error))
    read = f"{name}: {count(len(found.questions), 'question')} read"
    wrong = f", {count(len(found.problems), 'note')}" if found.problems else ""
    here = {each.source for each in corpus_menu.open_corpus().documents}
    if found.documents and not {each.source for each in found.documents} <= here:
        said = f"{read}{wrong}. It brings its own documents, which are not open."
        return Report(said, found.problems, found)
    there = dict.fromkeys(labelled.questions())
    new = [each for each in found.questions if each not in there]
    labelled.keep([*there, *new])
    twice = len(found.questions) - len(new)
    known = f", {twice:,} of them known" if twice else ""
    return Report(f"{read}{known}{wrong}.", found.problems)


def _open_brought() -> None:
    """Open the documents of the file, with its questions."""
    report: Report | None = _by_source("question_reports").pop(st.session_state.source, None)
    if report is None or report.brought is None:
        return
    found = report.brought
    st.session_state.uploaded = Corpus(found.documents)
    st.session_state.problems = []
    session.set_source("files")
    _delete_all()
    labelled.keep(found.questions)


def _delete_all() -> None:
    there = labelled.questions()
    if there:
        _delete(dict(enumerate(there)), f"Put back {count(len(there), 'question')}")


def delete(key: str) -> None:
    """Delete a question; it can be put back."""
    found = labelled.with_key(key)
    if found is not None:
        _delete({labelled.questions().index(found): found}, "Put back the last")


def _delete(rows: dict[int, Question], undo: str) -> None:
    """Delete questions, by their places; `undo` is what the button says that puts them back."""
    there = enumerate(labelled.questions())
    labelled.keep([each for place, each in there if place not in rows])
    _by_source("questions_deleted")[st.session_state.source] = (undo, rows)


def _undo() -> None:
    """Put back what was deleted last, each in its place; what has come since stays."""
    _, rows = _by_source("questions_deleted").pop(st.session_state.source, ("", {}))
    there = list(labelled.questions())
    for place, each in sorted(rows.items()):
        if each not in there:
            there.insert(place, each)
    labelled.keep(there)


def _by_source(key: str) -> dict[str, Any]:
    """What is kept for each kind of documents by itself, as the questions are."""
    return st.session_state.setdefault(key, {})


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
    st.html(question_table(rows, most))
