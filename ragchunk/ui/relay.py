"""Word between page and server: which button was pressed, and which move is drawn.

A button is `<button data-act="open rag.md#3">` anywhere in the page. Cards, lanes and figures stay
one piece of HTML each, which is fast, and can still be pressed.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.components.v2 import component

# Listens on the document, as the buttons come and go with each run; one listener per page, which
# always speaks for the newest mount. The text of `data-act` is all that is sent.
LISTEN = """
export default function ({ setTriggerValue, data }) {
  window.ragchunkPressed = (act) => setTriggerValue("act", act);
  document.dispatchEvent(new CustomEvent("ragchunk-drawn", { detail: data.drawn }));
  if (data.wanted && data.wanted !== window.ragchunkShown) {
    window.ragchunkShown = data.wanted;
    const anchor = data.wanted.split(" ")[0];
    let tries = 50;  // the text comes after this, and only where it is on the page
    const look = setInterval(() => {
      const place = document.getElementById(anchor);
      if (place) place.scrollIntoView({ block: "center" });
      if (place || --tries === 0) clearInterval(look);
    }, 100);
  }
  if (window.ragchunkListens) return;
  window.ragchunkListens = true;
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-act]");
    if (button) window.ragchunkPressed(button.dataset.act);
  });
}
"""


_mount = component("ragchunk_relay", js=LISTEN)


def relay(on_act: Callable[[str], None], wanted: str) -> None:
    """Mount the listener; `on_act` is called with the text of the button that was pressed.

    `wanted` is the id of the element to bring into view, and something that tells this wish from
    the one before: `chunk-1-9 7`. Nothing happens for a wish that was fulfilled.

    Mount it below all that is ready: it tells the sliders which move the page above it shows, and
    they send the next one then (drag.js).
    """

    def pressed() -> None:
        act = st.session_state["relay"].act
        if act:
            on_act(act)

    data = {"wanted": wanted, "drawn": st.session_state.get("last_move", 0)}
    _mount(key="relay", data=data, on_act_change=pressed)
