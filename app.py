"""ragchunk in a browser: `streamlit run app.py`. The page, from top to bottom."""

from dataclasses import replace

import streamlit as st

from ragchunk import panels
from ragchunk.evaluation.questions import answers_in
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.ui import (
    actions,
    asking,
    columns,
    controls,
    corpus_menu,
    export_menu,
    lessons_page,
    page,
    presets_menu,
    relay,
    session,
    settings_menu,
)
from ragchunk.ui.document_view import DocumentView
from ragchunk.ui.prompt_view import PromptView
from ragchunk.units import is_unspaced

page.open_page()
session.open_session()

with st.container(key="top"):
    name, views, menus, _ = st.columns([1.3, 5, 3.8, 0.5], vertical_alignment="center")
name.html('<div class="rc wordmark">ragchunk</div>')
with views:
    tab = page.view_control()
with menus, st.container(horizontal=True, horizontal_alignment="right"):
    corpus = corpus_menu.corpus_menu()
    presets_menu.presets_menu(corpus)
    exports = export_menu.export_menu()
    settings = settings_menu.settings_menu()

if tab == "lessons":
    session.write_link(corpus)
    lessons_page.lessons_page(asking.find_encoder(DEFAULT_MODEL))
    st.stop()

questions = corpus_menu.sample_questions() if st.session_state.source == "samples" else ()
query = controls.question_row(questions)
controls.control_row(columns.any_shares())
presets_menu.show_preset()
corpus_menu.show_notes(corpus)

encoder = asking.find_encoder(settings.model)
if encoder is None:
    # Chunks are still counted, in the tokens of the model that is always here.
    settings = replace(settings, model=DEFAULT_MODEL)

if not corpus.documents:
    page.show_note("Note", "Nothing loaded. Choose the sample documents, paste text or drop files.")
    session.write_link(corpus)
    st.stop()
if st.session_state.unit == "words" and any(is_unspaced(each.text) for each in corpus.documents):
    page.show_note(
        "Note",
        "Part of this text is written without spaces, so one word may be a whole sentence. "
        "Characters cut it evenly.",
    )

known = next((each for each in questions if each.text.lower() == query.lower()), None)
answers = answers_in(corpus.documents, known) if known else []
answered_in = answers[0].source if answers else None
shared = session.cutter("")
scene = panels.Scene(shared.unit, shared.way, int(st.session_state.k), answers)
board = columns.cut_columns(corpus, scene, settings)
asking.rank_ready(board, query, encoder, settings.merge)
export_menu.fill_export_menu(exports, corpus, board, query, scene)

if tab == "document":
    draw = DocumentView(corpus, board, answered_in).draw
elif tab == "prompt":
    draw = PromptView(corpus, board, query).draw
else:
    draw = columns.draw_column
    columns.draw_heads(board)
    st.html(panels.KEY)
    columns.draw_lists(board, columns.choose_document(corpus, answered_in, "All chunks of"))

session.write_link(corpus)
relay.relay(actions.act, st.session_state.get("wish", ""))
asking.rank_others(board, query, encoder, settings.merge, draw)
