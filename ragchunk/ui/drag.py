"""One number with two handles, a slider and its number box, that moves the page during a drag.

Both handles are one component, so neither is ever told what the other did: they cannot fall out of
step, however fast the moves come.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from ragchunk.ui import session

HERE = Path(__file__).parent

# Not to be seen before the script has given it its names and its number.
HTML = """
<div class="drag" style="visibility: hidden">
  <div class="head"><span class="label"></span><small class="why"></small></div>
  <input type="range" step="1"><input type="number" inputmode="numeric">
</div>
"""

_mount = component(
    "ragchunk_drag",
    html=HTML,
    css=(HERE / "drag.css").read_text(encoding="utf-8"),
    js=(HERE / "drag.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


@dataclass(frozen=True)
class Number:
    """A whole number of the page: under `key` in the session, from `least` to `most`.

    Any number in these bounds can be typed; `step` is what keys and drags go by.
    """

    key: str
    label: str
    unit: str
    least: int
    most: int
    step: int


def drag(number: Number, why: str | None) -> None:
    """Draw both handles; `why` says why they are off."""
    key = f"{number.key}_slider"
    _mount(
        key=key,
        data={
            **asdict(number),
            "number": st.session_state[number.key],
            "version": session.version(number.key, "drag"),
            "why": why,
        },
        on_move_change=lambda: adopt(number, st.session_state[key]["move"]),
    )


def adopt(number: Number, move: dict[str, Any] | None) -> None:
    """Take over what a person moved a handle to.

    `move` is the new number, whether the handle is still held (`dragged`), which move of the page
    it is, and the version of the number that was moved: moves of a number that was set from
    elsewhere since are late.
    """
    if move is None:
        return
    st.session_state.last_move = max(st.session_state.get("last_move", 0), move["move"])
    if move["version"] == session.version(number.key, "drag"):
        within = min(max(int(move["number"]), number.least), number.most)
        session.set_number(number.key, within, by="drag")
        st.session_state.dragged = bool(move["dragged"])
