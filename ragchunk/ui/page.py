"""The page itself: its title, its looks, and the width it may take."""

from __future__ import annotations

import streamlit as st

from ragchunk.markup import STYLE, note

# Streamlit's own chrome: its header lies over the top row, and leaves no gap above it. The strategy
# names are selects that read as headings.
CHROME = """<style>
.stMainBlockContainer { max-width: 1440px; padding: 10px 24px 56px; }
.stAppHeader { background: transparent; pointer-events: none; }
.stAppHeader button { pointer-events: auto; }
.stMain [data-testid="stSlider"] label p, .stMain [data-testid="stNumberInput"] label p { font-size: 14px; }
.st-key-query input { font-size: 20px; }
[class*="st-key-strategy_"] [data-baseweb="select"] > div,
[class*="st-key-strategy_"] div[role="group"] { border-color: transparent; background: transparent; padding-left: 0; }
[class*="st-key-strategy_"] input, [class*="st-key-strategy_"] [data-baseweb="select"] { font-size: 21px; font-weight: 620; }
.st-key-columns [data-testid="stColumn"] + [data-testid="stColumn"],
.st-key-documents [data-testid="stColumn"] + [data-testid="stColumn"] { border-left: 1px solid light-dark(#DDD9D0, #30363C); padding-left: 28px; }
.st-key-columns [data-testid="stHorizontalBlock"], .st-key-documents [data-testid="stHorizontalBlock"] { gap: 28px; }
.stMain [data-testid="stVerticalBlock"] { gap: 8px; }
@media (max-width: 760px) {
  .st-key-columns [data-testid="stColumn"], .st-key-documents [data-testid="stColumn"] { min-width: 100%; border-left: 0 !important; padding-left: 0 !important; }
}
</style>"""


def open_page() -> None:
    """Set up the page; call it first."""
    st.set_page_config(page_title="ragchunk", page_icon=":material/segment:", layout="wide")
    st.html(STYLE + CHROME)


def show_note(word: str, text: str) -> None:
    """A message on the page; `word` says its kind: Note, Error."""
    st.html(f'<div class="rc">{note(word, text)}</div>')
