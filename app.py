"""ragchunk in a browser: `streamlit run app.py`. The page, from top to bottom."""

import streamlit as st

from ragchunk import panels
from ragchunk.evaluation.questions import answers_in
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.ui import asking, columns, controls, corpus_menu, page, settings_menu
from ragchunk.units import is_unspaced

OPENING_QUESTION = "how big should a chunk be?"

page.open_page()

with st.container(key="top"):
    name, _, menus, _ = st.columns([1.3, 5, 3.4, 0.5], vertical_alignment="center")
name.html('<div class="rc wordmark">ragchunk</div>')
with menus, st.container(horizontal=True, horizontal_alignment="right"):
    corpus = corpus_menu.corpus_menu()
    settings = settings_menu.settings_menu()

on_samples = st.session_state.source == "samples"
questions = corpus_menu.sample_questions() if on_samples else ()
query = controls.question_row(questions, OPENING_QUESTION)
controlled = controls.control_row(columns.any_sized())
corpus_menu.show_notes(corpus)

encoder = asking.find_encoder(settings.model)
if encoder is None:
    # Chunks are still counted, in the tokens of the model that is always here.
    settings = settings_menu.with_model(settings, DEFAULT_MODEL)

if not corpus.documents:
    page.show_note("Note", "Nothing loaded. Choose the sample documents, paste text or drop files.")
    st.stop()
if controlled.unit == "words" and any(is_unspaced(each.text) for each in corpus.documents):
    page.show_note(
        "Note",
        "Part of this text is written without spaces, so one word may be a whole sentence. "
        "Characters cut it evenly.",
    )

known = next((each for each in questions if each.text.lower() == query.lower()), None)
answers = answers_in(corpus.documents, known) if known else []

board = columns.draw_columns(corpus, controlled, settings)
st.html(panels.KEY)
document = columns.draw_documents(corpus, board, answers[0].source if answers else None)

scene = panels.Scene(controlled.unit, settings.way, controlled.k, answers)
asking.fill_columns(board, document, query, scene, encoder)
