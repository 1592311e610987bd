"""The documents that are open: the samples, pasted text, or files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.documents import (
    MAX_FILE_BYTES,
    Document,
    document_hash,
    load_documents,
    read_bytes,
    unique_sources,
)
from ragchunk.errors import LoadError
from ragchunk.evaluation.questions import Question, read_questions
from ragchunk.markup import count, escape
from ragchunk.presets import DOCKER
from ragchunk.ui import session
from ragchunk.ui.page import show_note

SAMPLES = Path(__file__).parents[2] / "sample_docs"
MOST_FILES = 500
MOST_BYTES = 20_000_000
MOST_PASTED = 1_000_000
MOST_NOTES = 5
UPLOADERS: dict[str, Literal[True, "directory"]] = {
    "Text or Markdown files": True,
    "A folder of them": "directory",
}
SOURCES = {
    "samples": "Sample documents",
    "docker": "Three sentences",
    "pasted": "Pasted text",
    "files": "Files",
}


@st.cache_resource(show_spinner=False)
def sample_corpus() -> Corpus:
    return Corpus(tuple(load_documents(SAMPLES)))


@st.cache_resource(show_spinner=False)
def sample_questions() -> tuple[Question, ...]:
    return tuple(read_questions(SAMPLES / "questions.jsonl"))


def corpus_menu() -> Corpus:
    """The menu, labelled with what is open; returns what is open."""
    corpus = open_corpus()
    with st.popover(count(len(corpus.documents), "document"), type="tertiary", key="corpus_menu"):
        number, begins_as = st.session_state.source_set
        key = f"open_{number}"
        st.radio(
            "Open",
            list(SOURCES),
            list(SOURCES).index(begins_as),
            format_func=SOURCES.__getitem__,
            key=key,
            on_change=_choose,
            args=(key,),
        )
        st.text_area(
            "Paste text",
            key="pasted",
            max_chars=MOST_PASTED,
            height=140,
            on_change=session.set_source,
            args=("pasted",),
            persist_state="session",
        )
        for label, kind in UPLOADERS.items():
            st.file_uploader(
                label,
                ["txt", "md"],
                accept_multiple_files=kind,
                key=f"upload_{kind}",
                on_change=_take_files,
                max_upload_size=MOST_BYTES // 1_000_000,
            )
        st.caption(
            f"At most {MOST_FILES} files of {MOST_BYTES // 1_000_000} MB together, "
            f"{MAX_FILE_BYTES // 1_000_000} MB each. Nothing leaves this machine."
        )
        st.html(f'<div class="rc small">{_listed(corpus.documents)}</div>')
    return corpus


def show_notes(corpus: Corpus) -> None:
    """What could not be loaded, what was repaired, and what the link asks for, as notes."""
    notes = list(st.session_state.get("link_problems", ())) + _still_wanted(corpus)
    if st.session_state.source == "files":
        notes += st.session_state.get("problems", ())
    notes += [f"{each.source}: {note}" for each in corpus.documents for note in each.notes]
    for note in notes[:MOST_NOTES]:
        show_note("Note", note)
    if len(notes) > MOST_NOTES:
        more = count(len(notes) - MOST_NOTES, "more note")
        show_note("Note", f"{more}; the documents menu lists what is loaded.")


def _still_wanted(corpus: Corpus) -> list[str]:
    """What a link to documents of somebody's own asks for, until they are there."""
    wanted = st.session_state.get("wanted_files", ())
    if not wanted or st.session_state.source not in ("files", "pasted"):
        return []
    here = {each.source: document_hash(each.text) for each in corpus.documents}
    notes = []
    for name, digest in wanted:
        if name not in here:
            notes.append(f"This link was made with {name}. Open it in the documents menu.")
        elif here[name] != digest:
            notes.append(f"{name} is not the text this link was made with: results may differ.")
    return notes


def open_corpus() -> Corpus:
    """What is open. Kept as one object, so that its key is found once and not at each run."""
    source = st.session_state.source
    if source == "samples":
        return sample_corpus()
    if source == "docker":
        return Corpus((DOCKER,))
    if source == "files":
        return st.session_state.get("uploaded", Corpus(()))
    text = st.session_state.get("pasted") or ""
    return Corpus((Document("pasted.txt", text),) if text.strip() else ())


def _choose(key: str) -> None:
    st.session_state.source = st.session_state[key]


def _take_files() -> None:
    """Read every file in the two uploaders, once each, and open what could be read."""
    read: dict[str, Document | str] = st.session_state.setdefault("read", {})
    files: list[Any] = [
        file for kind in UPLOADERS.values() for file in st.session_state.get(f"upload_{kind}") or []
    ]
    total = 0
    problems, documents = [], []
    too_many = ""
    for number, file in enumerate(files, 1):
        total += file.size
        if number > MOST_FILES or total > MOST_BYTES:
            too_many = (
                f"{count(len(files), 'file')} of {sum(f.size for f in files) / 1e6:.1f} MB were "
                f"given; the first {number - 1:,} were read. The limit is "
                f"{MOST_FILES} files and {MOST_BYTES // 1_000_000} MB."
            )
            break
        if file.file_id not in read:
            read[file.file_id] = _read(file.name, file.getvalue())
        found = read[file.file_id]
        if isinstance(found, str):
            problems.append(found)
        else:
            documents.append(found)
    loaded = count(len(documents), "other file")
    are = "is" if len(documents) == 1 else "are"
    st.session_state.problems = [
        f"{problem} {loaded} {are} loaded." if documents else problem for problem in problems
    ] + [too_many] * bool(too_many)
    st.session_state.uploaded = Corpus(tuple(unique_sources(documents)))
    if files:
        session.set_source("files")
    elif st.session_state.source == "files":
        session.set_source("samples")


def _read(name: str, data: bytes) -> Document | str:
    """The document, or why it is none."""
    try:
        document = read_bytes(name, data)
    except LoadError as error:
        return str(error)
    return document if document.text.strip() else f"{name} holds no text that can be read."


def _listed(documents: Sequence[Document]) -> str:
    lines = []
    for document in documents:
        notes = "".join(f"<br>{escape(note)}" for note in document.notes)
        lines.append(
            f'<p><span class="id">{escape(document.source)}</span> '
            f"{len(document.text):,} characters{notes}</p>"
        )
    return "".join(lines)
