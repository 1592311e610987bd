"""The page itself: its title, its looks, and the width it may take."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ragchunk.markup import STYLE, note

# A file of our own: a named icon would be fetched from another host.
ICON = Path(__file__).parent / "icon.png"

# Streamlit's own chrome: its header lies over the top row, and leaves no gap above it. The strategy
# names are selects that read as headings.
CHROME = """<style>
.stMainBlockContainer { max-width: 1440px; padding: 10px 24px 56px; }
.stMain [data-testid="stVerticalBlock"] { gap: 8px; }
.stAppHeader, .stAppHeader div { background: transparent; pointer-events: none; }
.stAppHeader button { pointer-events: auto; }
[data-testid="stStatusWidget"] { display: none; }
.stMain [data-testid="stWidgetLabel"] p { font-size: 14px; }
.st-key-query input { font-size: 20px; }
[class*="st-key-strategy_"] [role="group"] { border-color: transparent; background: transparent; padding-left: 0; }
[class*="st-key-strategy_"] input { font-size: 21px; font-weight: 620; padding-left: 0; letter-spacing: -.01em; }
.st-key-unit [role="radiogroup"] button { min-height: 40px; }
:is(.st-key-columns, .st-key-documents) [data-testid="stColumn"] { position: relative; }
:is(.st-key-columns, .st-key-documents) [data-testid="stColumn"] + [data-testid="stColumn"]::before {
  content: ""; position: absolute; inset: 0 auto 0 -16px; border-left: 1px solid light-dark(#DDD9D0, #30363C); }
@media (max-width: 760px) {
  .stMainBlockContainer { padding: 10px 16px 56px; }
  .stMain [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  :is(.st-key-columns, .st-key-documents, .st-key-ask) [data-testid="stColumn"] { min-width: 100%; }
  :is(.st-key-columns, .st-key-documents) [data-testid="stColumn"]::before { display: none; }
  :is(.st-key-top, .st-key-controls) [data-testid="stHorizontalBlock"] { gap: 8px 16px; }
  :is(.st-key-top, .st-key-controls) [data-testid="stColumn"] { min-width: 0; width: auto; flex: 1 1 18%; }
  .st-key-controls [data-testid="stColumn"]:nth-child(odd) { flex-basis: 60%; }
  .st-key-top [data-testid="stColumn"]:nth-child(2) { display: none; }
  .st-key-top [data-testid="stColumn"]:nth-child(3) { flex-basis: 45%; }
  .st-key-top [data-testid="stColumn"]:nth-child(4) { flex: 0 0 40px; }
}
</style>"""


def open_page() -> None:
    """Set up the page; call it first."""
    st.set_page_config(page_title="ragchunk", page_icon=str(ICON), layout="wide")
    st.html(STYLE + CHROME)


def show_note(word: str, text: str) -> None:
    """A message on the page; `word` says its kind: Note, Error."""
    st.html(f'<div class="rc">{note(word, text)}</div>')
