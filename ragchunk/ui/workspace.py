"""All below the top row: the question, the controls, and the view that is open.

Not a fragment, though a step would be a tenth faster: a fragment at work cannot be stopped by a
newer move, and one that hands over to the whole page loses moves that come while it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from ragchunk import panels
from ragchunk.corpus import Corpus
from ragchunk.embedding import ModelEncoder
from ragchunk.evaluation.anchoring import anchored
from ragchunk.evaluation.questions import Question
from ragchunk.ui import asking, columns, controls, label_result, session
from ragchunk.ui.document_view import DocumentView
from ragchunk.ui.page import show_note
from ragchunk.ui.prompt_view import PromptView
from ragchunk.ui.settings_menu import Settings
from ragchunk.ui.work import Work
from ragchunk.units import is_unspaced


def open_workspace(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: Settings,
    encoder: ModelEncoder | None,
) -> Work:
    """Draw the workspace: all that is known by now, and places for what is not."""
    query = controls.question_row(questions)
    controls.control_row(columns.any_shares())
    if st.session_state.unit == "words" and any(is_unspaced(text) for _, text in corpus.documents):
        show_note(
            "Note",
            "Part of this text is written without spaces, so one word may be a whole sentence. "
            "Characters cut it evenly.",
        )
    known = next((each for each in questions if each.text.lower() == query.lower()), None)
    answers = anchored([known], corpus.documents)[0].standing.answers if known else ()
    answered_in = answers[0].source if answers else None
    if st.session_state.pop("go_to_answer", False) and answers:
        st.session_state.document = answered_in
        st.session_state.go_to_position = answers[0].start
    shared = session.cutter("")
    scene = panels.Scene(shared.unit, shared.way, session.hits(), answers)
    board = columns.cut_columns(corpus, scene, settings)
    asking.rank_ready(board, query, encoder, settings.merge)

    if st.session_state.tab == "document":
        draw = DocumentView(corpus, board, answered_in).draw
    elif st.session_state.tab == "prompt":
        draw = PromptView(corpus, board, query).draw
    else:
        draw = columns.draw_column
        label_result.label_result(corpus, board, query)
        columns.draw_heads(board)
        st.html(panels.KEY)
        columns.draw_lists(board, columns.choose_document(corpus, answered_in, "All chunks of"))
    session.write_link(corpus)
    rank = partial(asking.rank_others, board, query, corpus, encoder, settings.merge, draw)
    return Work(board, query, scene, rank)
