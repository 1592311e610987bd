"""Strategies side by side: the head, the hits and the chunks of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragchunk import panels
from ragchunk.comparison import Cutting, Ranking, cut
from ragchunk.corpus import Corpus
from ragchunk.errors import SettingsError
from ragchunk.markup import escape, note
from ragchunk.pin import Pin, differences, pin
from ragchunk.spans import Span
from ragchunk.state import MOST_COLUMNS, Cutter, strategy_of
from ragchunk.strategies import STRATEGIES, Sized, Strategy
from ragchunk.ui import controls, session
from ragchunk.ui.page import menu
from ragchunk.ui.settings_menu import Settings
from ragchunk.ui.ways import way_control

CARDS_PER_PAGE = 6


@dataclass
class Column:
    """One column of the page: what it cuts with, what came of it, and where it is drawn.

    `preview` is the ranking by late vectors that stood in until that of the vectors asked for came;
    `from_store` counts the chunks whose vectors were in the store.
    """

    number: int
    scene: panels.Scene
    cutting: Cutting | None = None
    error: str = ""
    ranking: Ranking | None = None
    preview: Ranking | None = None
    from_store: int = 0
    waiting: str = ""
    head: DeltaGenerator | None = None
    vectors: DeltaGenerator | None = None
    hits: DeltaGenerator | None = None
    chunks: DeltaGenerator | None = None
    shown: Sequence[panels.Chunk] = ()
    source: str = ""
    inside: dict[str, list[tuple[Span, float]]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The strategy's name, with its settings where they are the column's own."""
        state = session.column_state(self.number)
        label = STRATEGIES[state.strategy].label
        if state.own is None:
            return label
        if issubclass(STRATEGIES[state.strategy], Sized):
            label += f" {state.own.size}/{state.own.overlap}"
        return label if state.own.way == session.cutter("").way else f"{label}, {state.own.way}"

    @property
    def is_preview(self) -> bool:
        """Whether the hits are those of late vectors, and other vectors were asked for."""
        return self.ranking is not None and self.ranking.way != self.scene.way

    @property
    def is_unfinished(self) -> bool:
        """Whether it is drawn again in this run; not while a slider is held."""
        return bool(self.waiting or self.is_preview) and not st.session_state.get("dragged")

    def say(self, words: str) -> None:
        """Say what is going on: in the place of the hits, or above those that stand in."""
        if self.is_preview and self.vectors is not None:
            self.vectors.html(_vectors(self, words))
        elif self.hits is not None:
            self.hits.html(_waiting(words))


def any_shares() -> bool:
    """Whether the shared size and overlap apply to any column."""
    states = map(session.column_state, st.session_state.column_ids)
    return any(each.own is None and issubclass(STRATEGIES[each.strategy], Sized) for each in states)


def make_strategy(name: str, cutter: Cutter, settings: Settings) -> Strategy:
    """The strategy of a column; SettingsError if its settings cannot work."""
    return strategy_of(name, cutter, settings.tail, settings.min_size, settings.model)


def cut_columns(corpus: Corpus, scene: panels.Scene, settings: Settings) -> list[Column]:
    """Cut the corpus for every column, as it is set."""
    columns = []
    for number in st.session_state.column_ids:
        state = session.column_state(number)
        cutter = state.own or session.cutter("")
        own = state.own is not None
        column = Column(number, replace(scene, unit=cutter.unit, way=cutter.way, own=own))
        try:
            strategy = make_strategy(state.strategy, cutter, settings)
            column.cutting = cut(corpus, strategy, settings.model)
        except SettingsError as refused:
            column.error = str(refused)
        columns.append(column)
    return columns


def draw_heads(columns: Sequence[Column]) -> None:
    """Draw the menus, the head and the hits of each column; what waits keeps a place."""
    with st.container(key="columns"):
        for column, place in zip(columns, st.columns(len(columns), gap="medium"), strict=True):
            with place:
                _draw_menus(column, closable=len(columns) > 1)
                if column.is_unfinished:
                    with st.container(key=f"waiting_{column.number}"):
                        column.head, column.vectors = st.empty(), st.empty()
                        column.hits = st.empty()
                    draw_column(column)
                else:
                    st.html(f"{_head(column)}\n{_vectors(column)}\n{_hits(column)}")


def _draw_menus(column: Column, closable: bool) -> None:
    number = column.number
    st.selectbox(
        f"Strategy of column {number + 1}",
        list(STRATEGIES),
        format_func=lambda name: STRATEGIES[name].label,
        key=f"strategy_{number}",
        label_visibility="collapsed",
        persist_state="session",
    )
    with st.container(key=f"menus_{number}", horizontal=True, gap="medium"):
        own = st.session_state[f"settings_{number}"] == "own"
        # Always the same words: a menu with another label is another menu, and closed.
        with menu("Own settings", f"own_menu_{number}") as is_open:
            if is_open:
                _draw_own_settings(column, own, closable)
        with menu("More figures", f"more_{number}", column.cutting is None) as is_open:
            if is_open and column.cutting is not None:
                st.html(panels.more_figures(column.cutting))


def _draw_own_settings(column: Column, own: bool, closable: bool) -> None:
    number, prefix = column.number, f"own_{column.number}_"
    st.segmented_control(
        "Settings",
        ["shared", "own"],
        required=True,
        key=f"settings_{number}",
        on_change=session.adopt_shared,
        args=(number,),
        persist_state="session",
    )
    if own:
        controls.unit_control(prefix)
        for label in ("Size", "Overlap"):
            controls.slider_and_box(label, prefix)
        way_control(f"{prefix}way")
    with st.container(horizontal=True):
        pinned = f"pin_{number}" in st.session_state
        st.button(
            "Unpin" if pinned else "Pin, then move",
            key=f"pinning_{number}",
            on_click=_unpin if pinned else _pin,
            args=(number,) if pinned else (column,),
            disabled=column.cutting is None,
        )
        st.button(
            "Add a column",
            key=f"add_{number}",
            on_click=session.add_column,
            disabled=len(st.session_state.column_ids) >= MOST_COLUMNS,
        )
        st.button(
            "Close this one",
            key=f"close_{number}",
            on_click=session.close_column,
            args=(number,),
            disabled=not closable,
        )


def _pin(column: Column) -> None:
    """Hold what the column showed when the button was pressed."""
    if column.cutting is not None:
        st.session_state[f"pin_{column.number}"] = pin(column.cutting, column.ranking, column.scene)


def _unpin(number: int) -> None:
    del st.session_state[f"pin_{number}"]


def choose_column(label: str, board: Sequence[Column], key: str) -> Column:
    """One of the columns, by name; at first the last."""
    by_number = {column.number: column for column in board}
    labels = {number: column.label for number, column in by_number.items()}
    if st.session_state.get(key) not in by_number:
        st.session_state[key] = board[-1].number
    st.segmented_control(
        label,
        list(labels),
        format_func=labels.__getitem__,
        required=True,
        key=key,
        wrap=True,
        persist_state="session",
    )
    return by_number[st.session_state[key]]


def choose_document(corpus: Corpus, answered_in: str | None, label: str) -> str:
    """The document that is open. A new question with a known answer opens `answered_in`."""
    sources = list(corpus.texts)
    if answered_in != st.session_state.get("answered_in"):
        first_look = "answered_in" not in st.session_state and st.session_state.document in sources
        st.session_state.answered_in = answered_in
        if answered_in is not None and not first_look:
            st.session_state.document = answered_in
    if st.session_state.document not in sources:
        st.session_state.document = sources[0]
    return st.selectbox(label, sources, key="document", width=420, persist_state="session")


def draw_lists(columns: Sequence[Column], source: str) -> None:
    """Lay out a page of the document's chunks in every column."""
    with st.container(key="documents"):
        for column, place in zip(columns, st.columns(len(columns), gap="medium"), strict=True):
            if column.cutting is None:
                continue
            with place:
                chunks = column.cutting.by_source[source]
                pages = max(1, -(-len(chunks) // CARDS_PER_PAGE))
                page = 1
                if pages > 1:
                    page = st.pagination(
                        pages, key=f"page_{column.number}_{pages}", max_visible_pages=5
                    )
                first = (page - 1) * CARDS_PER_PAGE
                column.shown = chunks[first : first + CARDS_PER_PAGE]
                column.source = source
                if column.is_unfinished:
                    column.chunks = st.empty()
                    column.chunks.html(_list(column))
                else:
                    st.html(_list(column))


def draw_column(column: Column) -> None:
    """Draw what is known of a column that waited, in the places it kept."""
    if column.head is None or column.vectors is None or column.hits is None:
        return
    column.head.html(_head(column))
    column.vectors.html(_vectors(column))
    column.hits.html(_hits(column))
    if column.chunks is not None:
        column.chunks.html(_list(column))


def _head(column: Column) -> str:
    if column.cutting is None:
        return f'<div class="rc">{note("Error", column.error)}</div>'
    return panels.head(column.cutting, column.ranking, column.scene, column.number) + _pinned(
        column
    )


def _hits(column: Column) -> str:
    if column.cutting is None:
        return ""
    if column.ranking is None:
        return _waiting(column.waiting)
    return panels.hits(
        column.cutting, column.ranking, column.scene, column.number, column.inside, column.preview
    )


def _vectors(column: Column, doing: str = "") -> str:
    if column.cutting is None or column.ranking is None:
        return '<div class="rc"></div>'
    return panels.vectors_line(
        column.cutting, column.ranking, column.scene, column.from_store, doing
    )


def _list(column: Column) -> str:
    assert column.cutting is not None
    shown, source = column.shown, column.source
    total = len(column.cutting.by_source[source])
    first = shown[0].index + 1 if shown else 0
    return (
        f'<div class="rc small">Chunks {first:,} to {first + len(shown) - 1:,} of {total:,}</div>'
        if shown
        else ""
    ) + panels.chunk_list(column.cutting, shown, column.scene, column.ranking, column.number)


def _waiting(words: str) -> str:
    return f'<div class="rc"><p class="waiting" role="status">{words}</p></div>'


def _pinned(column: Column) -> str:
    held: Pin | None = st.session_state.get(f"pin_{column.number}")
    if held is None or column.cutting is None:
        return ""
    changes = differences(held, pin(column.cutting, column.ranking, column.scene))
    told = ", ".join(changes) or "nothing has changed"
    return (
        f'<div class="rc"><p class="small pinned">Pinned: {escape(held.label)} '
        f"<b>Since then: {told}.</b></p></div>"
    )
