"""Take it away: chunks as files, settings as code, the view as a report, the page as a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragchunk.corpus import Corpus
from ragchunk.export import chunks_csv, chunks_jsonl, snippet
from ragchunk.panels import Scene
from ragchunk.report import report_html
from ragchunk.ui import session
from ragchunk.ui.columns import Column


def export_menu() -> DeltaGenerator:
    """The menu; what it offers is known only when the columns are cut, so it is filled later."""
    with st.popover("Export", type="tertiary", key="export_menu"):
        return st.container()


def fill_export_menu(
    place: DeltaGenerator,
    corpus: Corpus,
    board: Sequence[Column],
    query: str,
    scene: Scene,
) -> None:
    """Offer the chunks and settings of a column, and the report of all of them.

    Files are made when they are asked for: the columns may not be ranked yet, and twenty thousand
    chunks take a moment to write.
    """
    ready = [column for column in board if column.cutting is not None]
    with place:
        if not ready:
            st.caption("No column is cut.")
            return
        labels = {column.number: column.label for column in ready}
        if st.session_state.get("export_of") not in labels:
            st.session_state.export_of = ready[-1].number
        number = st.segmented_control(
            "Chunks and settings of",
            list(labels),
            format_func=labels.__getitem__,
            required=True,
            key="export_of",
            persist_state="session",
        )
        column = next(each for each in ready if each.number == number)
        cutting = column.cutting
        assert cutting is not None
        with st.container(horizontal=True):
            _download("Chunks, JSONL", "chunks.jsonl", lambda: chunks_jsonl(cutting))
            _download("Chunks, CSV", "chunks.csv", lambda: chunks_csv(cutting))
            names = {each.number: each.label for each in ready}
            link = session.link(corpus)
            _download(
                "Report of this view",
                "ragchunk.html",
                lambda: report_html(
                    corpus,
                    [
                        (names[each.number], each.cutting, each.ranking, each.scene)
                        for each in ready
                        if each.cutting is not None
                    ],
                    query,
                    date.today().isoformat(),
                    link,
                ),
            )
        st.caption(
            "JSONL holds the exact text. In CSV a cell that a spreadsheet would run begins with "
            "an apostrophe."
        )
        code = snippet(cutting.strategy, column.scene.way, cutting.model, "docs", query, scene.k)
        st.code(code, language="python")
        st.caption("The address of this page is a link to exactly this view.")


def _download(label: str, name: str, make: Callable[[], str]) -> None:
    st.download_button(
        label,
        lambda: make().encode("utf-8"),
        file_name=name,
        key=f"download_{name}",
        on_click="ignore",
    )
