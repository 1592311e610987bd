"""ragchunk in a browser: `streamlit run app.py`. The page, from top to bottom."""

from dataclasses import replace

import streamlit as st

from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.ui import (
    actions,
    asking,
    corpus_menu,
    export_menu,
    labelled,
    lessons_page,
    measure_page,
    page,
    presets_menu,
    relay,
    session,
    settings_menu,
    uploads,
)
from ragchunk.ui.workspace import open_workspace

page.open_page()
session.open_session()
uploads.take_up()

with st.container(key="top"):
    name, views, menus, _ = st.columns([1.3, 5, 3.8, 0.5], vertical_alignment="center")
name.html('<div class="rc wordmark">ragchunk</div>')
with views:
    tab = page.view_control()
with menus, st.container(horizontal=True, horizontal_alignment="right"):
    corpus = corpus_menu.corpus_menu()
    presets_menu.presets_menu(corpus)
    exports = st.container(width="content")  # filled when the columns are cut
    settings = settings_menu.settings_menu(corpus)

above = st.container(key="above")  # one place, whatever is in it: what is below must not move
with above:
    uploads.show_progress()
if tab == "lessons":
    session.write_link(corpus)
    lessons_page.lessons_page(asking.find_encoder(DEFAULT_MODEL))
    uploads.follow()
    st.stop()

with above:
    presets_menu.show_preset()
    corpus_menu.show_notes(corpus)
if not corpus.documents:
    page.show_note("Note", "Nothing loaded. Choose the sample documents, paste text or drop files.")
    session.write_link(corpus)
    uploads.follow()
    st.stop()

encoder = asking.find_encoder(settings.model)
if encoder is not None and encoder.store.problem:
    page.show_note("Note", encoder.store.problem)
if encoder is None:
    # Chunks are still counted, in the tokens of the model that is always here.
    settings = replace(settings, model=DEFAULT_MODEL)

if tab == "measure":
    work = measure_page.open_measure(corpus, settings, encoder)
else:
    work = open_workspace(corpus, labelled.questions(), settings, encoder)
with exports:
    export_menu.export_menu(corpus, work.board, work.query, work.scene)
relay.relay(actions.act, st.session_state.get("wish", ""))
work.finish()
uploads.follow()
