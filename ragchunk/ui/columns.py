"""Strategies side by side: the head, the hits and the chunks of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragchunk import panels
from ragchunk.comparison import Cutting, Ranking, cut
from ragchunk.corpus import Corpus
from ragchunk.errors import SettingsError
from ragchunk.strategies import STRATEGIES, Sized, Strategy
from ragchunk.ui.controls import Controls
from ragchunk.ui.page import show_note
from ragchunk.ui.settings_menu import Settings

OPENING = ("whole", "window", "paragraphs")
CARDS_PER_PAGE = 8


@dataclass
class Column:
    """One column of the page: what it cuts with, what came of it, and where it is drawn."""

    number: int
    cutting: Cutting | None = None
    error: str = ""
    head: DeltaGenerator = field(default_factory=st.empty)
    hits: DeltaGenerator = field(default_factory=st.empty)
    chunks: DeltaGenerator | None = None
    page: int = 1


def chosen_strategies() -> list[str]:
    """The name of the strategy in each column."""
    return [st.session_state.get(f"strategy_{n}", name) for n, name in enumerate(OPENING)]


def any_sized() -> bool:
    """Whether size and overlap apply to any column."""
    return any(issubclass(STRATEGIES[name], Sized) for name in chosen_strategies())


def make_strategy(name: str, controls: Controls, settings: Settings) -> Strategy:
    """The strategy of a column; SettingsError if its settings cannot work."""
    kind = STRATEGIES[name]
    if not issubclass(kind, Sized):
        return kind()
    return kind(
        size=controls.size,
        overlap=controls.overlap,
        unit=controls.unit,
        tail=settings.tail,
        min_size=settings.min_size,
        model=settings.model,
    )


def draw_columns(corpus: Corpus, controls: Controls, settings: Settings) -> list[Column]:
    """Cut the corpus in every column, and lay out its head and a place for its hits."""
    columns = []
    with st.container(key="columns"):
        for number, place in enumerate(st.columns(len(OPENING), gap="medium")):
            with place:
                columns.append(_draw_head(number, corpus, controls, settings))
    return columns


def _draw_head(number: int, corpus: Corpus, controls: Controls, settings: Settings) -> Column:
    with st.container(horizontal=True, vertical_alignment="center"):
        name = st.selectbox(
            f"Strategy of column {number + 1}",
            list(STRATEGIES),
            index=list(STRATEGIES).index(OPENING[number]),
            format_func=lambda name: STRATEGIES[name].label,
            key=f"strategy_{number}",
            label_visibility="collapsed",
        )
        error, cutting = "", None
        try:
            strategy = make_strategy(name, controls, settings)
            cutting = cut(corpus, strategy, settings.model)
        except SettingsError as refused:
            error = str(refused)
        with st.popover(
            "More figures", type="tertiary", key=f"more_{number}", disabled=cutting is None
        ):
            if cutting is not None:
                st.html(panels.more_figures(cutting))
    return Column(number, cutting, error)


def draw_documents(corpus: Corpus, columns: Sequence[Column], answered_in: str | None) -> str:
    """Choose a document, and lay out a page of its chunks in every column.

    A new question with a known answer opens the document `answered_in`.
    """
    key = f"document_{corpus.key}"
    if answered_in != st.session_state.get("answered_in"):
        st.session_state.answered_in = answered_in
        if answered_in is not None:
            st.session_state[key] = answered_in
    with st.container(key="documents"):
        source = st.selectbox("All chunks of", list(corpus.texts), key=key, width=420)
        for column, place in zip(columns, st.columns(len(columns), gap="medium"), strict=True):
            if column.cutting is None:
                continue
            with place:
                total = len(column.cutting.by_source[source])
                pages = max(1, -(-total // CARDS_PER_PAGE))
                column.page = 1
                if pages > 1:
                    column.page = st.pagination(
                        pages, key=f"page_{column.number}_{pages}", max_visible_pages=5
                    )
                first = (column.page - 1) * CARDS_PER_PAGE
                last = min(first + CARDS_PER_PAGE, total)
                st.html(
                    f'<div class="rc small">Chunks {first + 1 if total else 0:,} to {last:,} '
                    f"of {total:,}</div>"
                )
                column.chunks = st.empty()
    return source


def draw_column(
    column: Column, source: str, scene: panels.Scene, ranking: Ranking | None, waiting: str = ""
) -> None:
    """Fill a column with what is known: without a ranking, the cut and what is being waited for."""
    if column.cutting is None:
        with column.head.container():
            show_note("Error", column.error)
        return
    column.head.html(panels.head(column.cutting, ranking, scene))
    if ranking is not None:
        column.hits.html(panels.hits(column.cutting, ranking, scene))
    else:
        say(column, waiting)
    if column.chunks is not None:
        first = (column.page - 1) * CARDS_PER_PAGE
        shown = column.cutting.by_source[source][first : first + CARDS_PER_PAGE]
        column.chunks.html(panels.chunk_list(column.cutting, shown, scene, ranking))


def say(column: Column, words: str) -> None:
    """Write in the place of the hits."""
    column.hits.html(f'<div class="rc"><p class="waiting" role="status">{words}</p></div>')
