"""The prompt that a model would get from a column's hits, and what it would cost to read."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragchunk.corpus import Corpus
from ragchunk.markup import percent
from ragchunk.prompt import build_prompt, cost, money, prompt_cost
from ragchunk.ui.columns import Column, choose_column
from ragchunk.ui.document_view import PREVIEW
from ragchunk.ui.page import show_note


class PromptView:
    """The prompt of one column, drawn when its hits are there."""

    def __init__(self, corpus: Corpus, board: Sequence[Column], query: str) -> None:
        """Draw the controls of the view, and lay out a place for the prompt."""
        self.corpus, self.query = corpus, query
        with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
            self.number = choose_column("Hits of", board, "prompt_of").number
            st.session_state.setdefault("price", 0.5)
            self.price = st.number_input(
                "Price of a million tokens",
                min_value=0.0,
                step=0.1,
                format="%.2f",
                key="price",
                width=220,
                persist_state="session",
            )
        self.place: DeltaGenerator = st.empty()
        for column in board:
            self.draw(column)

    def draw(self, column: Column) -> None:
        """Draw the prompt if it is this column's."""
        if column.number != self.number:
            return
        with self.place.container():
            if column.cutting is None:
                st.html(f'<div class="rc"><p class="waiting">{column.error}</p></div>')
            elif column.ranking is None:
                st.html(f'<div class="rc"><p class="waiting">{column.waiting}</p></div>')
            else:
                hits, model = column.ranking.hits, column.cutting.model
                tokens = prompt_cost(self.query, hits, self.corpus, model)
                if column.is_preview:
                    show_note("Note", PREVIEW)
                st.html(_figures(tokens.tokens, tokens.document_tokens, self.price or 0.0))
                st.code(build_prompt(self.query, hits, self.corpus), language=None, wrap_lines=True)


def _figures(tokens: int, document_tokens: int, price: float) -> str:
    share = percent(tokens / document_tokens) if document_tokens else "–"
    rows = "".join(
        f'<div><dt>{name}</dt><dd class="value">{number:,}</dd>'
        f'<dd class="under">tokens, costs {money(cost(number, price))}</dd></div>'
        for name, number in (
            ("Prompt with these chunks", tokens),
            ("With their whole documents", document_tokens),
        )
    )
    return (
        f'<div class="rc"><dl class="figures wide">{rows}<div><dt>Share</dt>'
        f'<dd class="value">{share}</dd><dd class="under">of the tokens</dd></div></dl>'
        '<p class="small">Retrieval ends here: the prompt is for reading and copying, no model is '
        "asked. Tokens are counted by the embedding model's tokenizer; a chat model's differ."
        "</p></div>"
    )
