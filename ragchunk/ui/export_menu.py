"""Take it away: chunks as files, settings as code, the view as a report, the page as a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.documents import AS_USUAL
from ragchunk.export import chunks_csv, chunks_jsonl, snippet
from ragchunk.panels import Scene
from ragchunk.report import report_html
from ragchunk.ui import session, uploads
from ragchunk.ui.columns import Column, choose_column
from ragchunk.ui.page import menu


def export_menu(corpus: Corpus, board: Sequence[Column], query: str, scene: Scene) -> None:
    """Offer the chunks and settings of a column, and the report of all of them.

    Files are made when they are asked for: the columns may not be ranked yet, and twenty thousand
    chunks take a moment to write.
    """
    with menu("Export", "export_menu") as is_open:
        if is_open:
            _draw(corpus, board, query, scene)


def _draw(corpus: Corpus, board: Sequence[Column], query: str, scene: Scene) -> None:
    ready = [each for each in board if each.cutting is not None]
    if not ready:
        st.caption("No column is cut.")
        return
    column = choose_column("Chunks and settings of", ready, "export_of")
    # Names are found now: a file is made outside the session, where no settings are known.
    labels = {each.number: each.label for each in ready}
    cutting = column.cutting
    assert cutting is not None
    link = session.link(corpus)

    def report() -> str:
        drawn = [
            (labels[each.number], each.cutting, each.ranking, each.scene)
            for each in ready
            if each.cutting is not None
        ]
        return report_html(corpus, drawn, query, date.today().isoformat(), link)

    with st.container(horizontal=True):
        _download("Chunks, JSONL", "chunks.jsonl", lambda: chunks_jsonl(cutting))
        # Spreadsheets need the mark to read UTF-8.
        _download("Chunks, CSV", "chunks.csv", lambda: chunks_csv(cutting), "utf-8-sig")
        _download("Report of this view", "ragchunk.html", report)
    st.caption(
        "JSONL holds the exact text. In CSV a cell that a spreadsheet would run begins with an "
        "apostrophe."
    )
    code = snippet(
        cutting.strategy,
        column.scene.way,
        cutting.model,
        "docs",
        query,
        scene.k,
        uploads.way_to_read() if st.session_state.source == "files" else AS_USUAL,
    )
    # No language: Streamlit's colours for code fall below 4.5 to 1 in the dark.
    st.code(code, language=None, wrap_lines=True)
    st.caption(
        "Run it beside the folder with the same files. The address of this page is a link to "
        "exactly this view."
    )


def _download(label: str, name: str, make: Callable[[], str], encoding: str = "utf-8") -> None:
    st.download_button(
        label,
        lambda: make().encode(encoding),
        file_name=name,
        key=f"download_{name}",
        on_click="ignore",
    )
