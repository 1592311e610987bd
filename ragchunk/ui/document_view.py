"""One document at a comfortable measure, with every column's chunks in lanes at its side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragchunk.corpus import Corpus
from ragchunk.document_page import DOCUMENT_STYLE, Lane, document_html, page_of, pages
from ragchunk.documents import document_hash
from ragchunk.markup import escape
from ragchunk.spans import Span
from ragchunk.ui import actions, columns
from ragchunk.ui.columns import Column
from ragchunk.ui.page import show_note

PREVIEW = "Hits are a preview by late vectors until those asked for are there."


class DocumentView:
    """The page of a document that is open, drawn again as rankings come in."""

    def __init__(self, corpus: Corpus, board: Sequence[Column], answered_in: str | None) -> None:
        """Draw the controls of the view, and lay out a place for the page."""
        st.html(DOCUMENT_STYLE)
        for column in board:
            if column.cutting is None:
                show_note("Error", f"{column.label}: {column.error}")
        self.board = [column for column in board if column.cutting is not None]
        self.place: DeltaGenerator | None = None
        if not self.board:
            return
        drawn = self._wanted_lane()
        lost = _find_lost(drawn)  # first, as it may open another document
        left, middle, right = st.columns([3, 4, 2.4], vertical_alignment="bottom")
        with left:
            self.source = columns.choose_document(corpus, answered_in, "Document")
        with middle:
            chosen = columns.choose_column("Chunks drawn in the text", self.board, "lane")
            self.drawn = [each.number for each in self.board].index(chosen.number)
        if lost is not None:
            _show_lost(corpus, lost, drawn.number)
        with right:
            self.page = self._choose_page(corpus.texts[self.source], drawn)
        self.place = st.empty()
        self.draw(self.board[0])

    def draw(self, _: Column) -> None:
        """Draw the page with what is ranked by now."""
        if self.place is None:
            return
        lanes = [
            Lane(each.label, each.cutting, each.ranking, each.scene.way)
            for each in self.board
            if each.cutting is not None
        ]
        selected = st.session_state.get("selected")
        scene = self.board[self.drawn].scene
        html = document_html(self.source, self.page, lanes, self.drawn, scene, selected)
        waiting = next((each.waiting for each in self.board if each.waiting), "")
        if waiting:
            html = f'<div class="rc"><p class="waiting" role="status">{waiting}</p></div>{html}'
        elif any(each.is_preview for each in self.board):
            html = f'<div class="rc"><p class="small" role="status">{PREVIEW}</p></div>{html}'
        self.place.html(html)

    def _wanted_lane(self) -> Column:
        by_number = {column.number: column for column in self.board}
        if st.session_state.get("lane") not in by_number:
            # Whole documents have no cut to look at, so the second column is the better start.
            st.session_state.lane = self.board[min(1, len(self.board) - 1)].number
        return by_number[st.session_state.lane]

    def _choose_page(self, text: str, drawn: Column) -> Span:
        all_pages = pages(text)
        key = f"document_page_{document_hash(self.source)}_{len(all_pages)}"
        position = self._wanted_position(drawn)
        if position is not None:
            st.session_state[key] = page_of(all_pages, position) + 1
        if len(all_pages) == 1:
            return all_pages[0]
        number = st.pagination(len(all_pages), key=key, max_visible_pages=5)
        return all_pages[number - 1]

    def _wanted_position(self, drawn: Column) -> int | None:
        """Where the chunk or sentence begins that a button asked for; it is brought into view."""
        position = st.session_state.pop("go_to_position", None)
        chunk = st.session_state.pop("go_to", None)
        if drawn.cutting is None:
            return None
        if chunk in drawn.cutting.position:
            position = drawn.cutting.chunks[drawn.cutting.position[chunk]].start
        if position is None:
            return None
        spans = drawn.cutting.spans[self.source]
        index = max(0, bisect_right(spans, position, key=lambda span: span.start) - 1)
        st.session_state.wishes = st.session_state.get("wishes", 0) + 1
        st.session_state.wish = f"chunk-{self.drawn}-{index} {st.session_state.wishes}"
        return position


class Lost(NamedTuple):
    """A sentence that is whole in no chunk: its place among all of them, and in its document."""

    number: int
    total: int
    source: str
    span: Span


def _find_lost(column: Column) -> Lost | None:
    """The lost sentence that is stepped to, if one is; a new step opens its document."""
    step = st.session_state.get("lost_step")
    if step is None or column.cutting is None:
        return None
    cutting = column.cutting
    lost = [(source, span) for source in cutting.spans for span in cutting.lost(source)]
    if not lost:
        st.session_state.lost_step = None
        return None
    source, span = lost[step % len(lost)]
    if st.session_state.pop("go_to_lost", False):
        st.session_state.document = source
        st.session_state.go_to_position = span.start
        st.session_state.selected = None
    return Lost(step % len(lost) + 1, len(lost), source, span)


def _show_lost(corpus: Corpus, lost: Lost, number: int) -> None:
    sentence = escape(corpus.texts[lost.source][lost.span.start : lost.span.end])
    with st.container(horizontal=True, vertical_alignment="center", key="lost"):
        st.html(
            f'<div class="rc"><p class="note"><b>Lost sentence {lost.number:,} of '
            f"{lost.total:,}</b> in {escape(lost.source)}: {sentence}</p></div>"
        )
        for label, by in (("Previous", -1), ("Next", 1)):
            st.button(label, type="tertiary", on_click=actions.step_lost, args=(number, by))
        st.button("Done", type="tertiary", on_click=_stop_lost)


def _stop_lost() -> None:
    st.session_state.lost_step = None
