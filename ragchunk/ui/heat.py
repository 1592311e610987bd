"""The heat maps as a component: grids of buttons that a mouse and the arrow keys can use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

HERE = Path(__file__).parent
KEY = "heat"

_mount = component(
    "ragchunk_heat",
    html='<div class="heat"></div>',
    css=(HERE / "heat.css").read_text(encoding="utf-8"),
    js=(HERE / "heat.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def heat(html: str, first: int | None, on_cell: Callable[[int], None]) -> None:
    """Draw what `measure_heat.heat_maps` made; `on_cell` is called with the number of a cell.

    first: the cell that Tab reaches.
    """

    def chosen() -> None:
        number = st.session_state[KEY].cell
        if number is not None:
            on_cell(int(number))

    _mount(key=KEY, data={"html": html, "first": str(first)}, on_cell_change=chosen)
