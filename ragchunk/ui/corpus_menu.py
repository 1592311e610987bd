"""The documents that are open: the samples, pasted text, or files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.documents import Document, document_hash, load_documents
from ragchunk.evaluation.questions import Question, read_questions
from ragchunk.markup import count, escape
from ragchunk.presets import DOCKER
from ragchunk.ui import session, uploads
from ragchunk.ui.page import show_note

SAMPLES = Path(__file__).parents[2] / "sample_docs"
MOST_PASTED = 1_000_000
MOST_NOTES = 5
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
            on_change=session.open_own,
            args=("pasted",),
            persist_state="session",
        )
        uploads.uploaders()
        st.html(f'<div class="rc small">{_listed(corpus.documents)}</div>')
    return corpus


def show_notes(corpus: Corpus) -> None:
    """What could not be loaded, what was repaired, and what the link asks for, as notes."""
    notes = list(st.session_state.get("link_problems", ())) + _still_wanted(corpus)
    files = uploads.uploaded().documents
    if st.session_state.source == "files" or not files:
        notes += st.session_state.get("problems", ())
    elif st.session_state.get("uploaded_unseen"):
        read = count(len(files), "file")
        notes.append(f"{read} read meanwhile. Choose Files in the documents menu to open them.")
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
        return uploads.uploaded()
    text = st.session_state.get("pasted") or ""
    return Corpus((Document("pasted.txt", text),) if text.strip() else ())


def _choose(key: str) -> None:
    """Open what was chosen, unless by a control that another has replaced since (`set_source`).

    A slow browser still sends the old one's choice, which nobody made.
    """
    if key == f"open_{st.session_state.source_set[0]}":
        st.session_state.source = st.session_state[key]


def _listed(documents: Sequence[Document]) -> str:
    lines = []
    for document in documents:
        notes = "".join(f"<br>{escape(note)}" for note in document.notes)
        pages = f", {_pages(document)}" if document.pages else ""
        lines.append(
            f'<p><span class="id">{escape(document.source)}</span> '
            f"{len(document.text):,} characters{pages}{notes}</p>{_removed(document)}"
        )
    return "".join(lines)


def _pages(document: Document) -> str:
    """`12 pages`, or slides or whatever the document has."""
    first, last = document.pages[0].label, document.pages[-1].label
    return first if first == last else f"{first} to {last}"


def _removed(document: Document) -> str:
    """What reading took out or joined, to unfold."""
    if not document.removed:
        return ""
    items = "".join(f"<li>{escape(each)}</li>" for each in document.removed)
    return (
        f"<details><summary>Mended: {len(document.removed):,}</summary><ul>{items}</ul></details>"
    )
