"""The three ways to make vectors, on the page: what is said, what stands in, what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ragchunk import comparison
from ragchunk.embedding import ModelEncoder, load_encoder
from ragchunk.store import Store
from ragchunk.token_pass import TokenPass
from ragchunk.ui.corpus_menu import sample_corpus
from tests.acting import open_menu
from tests.test_app import (
    APP,
    cards,
    choose,
    column,
    documents,
    figure,
    hits,
    opened,
    run,
    seen,
    set_box,
    set_setting,
    text,
    waiting,
)

pytestmark = pytest.mark.model


def vectors_line(at: AppTest, number: int) -> str:
    parts = column(at, number).split("</div>")
    [line] = [each for each in parts if 'class="small vectors"' in each]
    return text(line).strip()


def linked(**params: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60)
    for name, value in params.items():
        at.query_params[name] = value
    return run(at)


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModelEncoder:
    """The model of the page, as if it had read nothing: an empty store, an empty memory."""
    encoder = load_encoder()
    encoder.load()
    store = Store(tmp_path)
    a_pass = TokenPass(encoder.name, encoder._token_outputs, store, encoder._is_wanted)
    monkeypatch.setattr(encoder, "store", store)
    monkeypatch.setattr(encoder, "token_pass", a_pass)
    forget(encoder)
    return encoder


def forget(encoder: ModelEncoder) -> None:
    """As after a new start: nothing is in memory."""
    encoder._kept.clear()
    comparison._matrices.clear()


def test_every_column_says_how_its_vectors_were_made():
    at = opened()
    assert [vectors_line(at, number).split(",")[0] for number in range(3)] == [
        "plain vectors of 11 chunks",
        "plain vectors of 128 chunks",
        "plain vectors of 125 chunks",
    ]
    set_setting(at, "way", "late")
    assert vectors_line(at, 0) == "late vectors of 11 chunks, one token pass"
    # Paragraphs of 60 words are mostly under 64 tokens.
    assert float(figure(at, 2, "Median size")) < 64
    assert vectors_line(at, 2).endswith("Late vectors flatter chunks of 64 tokens and fewer.")


def test_chunks_new_to_the_store_are_made_by_the_model_and_then_found_there(
    unread: ModelEncoder,
):
    at = linked(size="83", q="how big should a chunk be?", k="1")
    said = vectors_line(at, 1)
    chunks = int(figure(at, 1, "Chunks"))
    assert said.startswith(f"plain vectors of {chunks} chunks, ")
    shipped = int(said.split(", ")[1].split()[0])
    assert shipped < chunks / 2  # some tails happen to be those of the opening sizes
    forget(unread)
    assert vectors_line(linked(size="83", k="1"), 1) == (
        f"plain vectors of {chunks} chunks, {chunks} from the store"
    )


def test_late_vectors_hatch_nothing_and_find_what_stands_behind_the_limit():
    at = linked(q="how do I set environment variables?", vectors="late")
    assert 'class="blind"' not in column(at, 0) + documents(at, 0)
    assert 'class="blind"' in column(linked(q="how do I set environment variables?"), 0)


def test_documents_are_read_for_late_vectors_when_these_are_chosen(unread: ModelEncoder):
    at = linked(vectors="late", size="50")
    assert all(map(unread.token_pass.is_read, sample_corpus().texts.values()))
    assert len(hits(at, 1)) == 3
    assert waiting(at, 1) == ""


def test_reading_can_be_stopped_and_goes_on(unread: ModelEncoder, monkeypatch: pytest.MonkeyPatch):
    wanted: list[str] = []

    def want(texts: Iterable[str]) -> None:
        wanted.extend(texts)

    monkeypatch.setattr(unread.token_pass, "want", want)
    monkeypatch.setattr(unread.token_pass, "is_wanted", lambda _: bool(wanted))
    monkeypatch.setattr(unread.token_pass, "drop", lambda _: wanted.clear())
    at = opened("")
    open_menu(at, "settings_menu")
    assert "For late vectors 0 of 7,057 tokens are read." in captions(at)
    [stop] = [each for each in at.button if each.label == "Stop reading"]
    stop.click()
    run(at)
    assert wanted == []
    set_box(at, "overlap_words", 14)
    assert wanted == [], "the next run of the page does not begin again"
    [go_on] = [each for each in open_menu(at, "settings_menu").button if each.label == "Read on"]
    go_on.click()
    run(at)
    assert set(wanted) == set(sample_corpus().texts.values())


def captions(at: AppTest) -> list[str]:
    return [each.value for each in at.caption]


def test_where_reading_was_stopped_late_columns_say_so(unread: ModelEncoder):
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params["vectors"] = "late"
    at.session_state["reading_stopped"] = True
    run(at)
    stopped = "Reading was stopped at 0 of 7,057 tokens. Settings lets it go on."
    assert [waiting(at, number) for number in range(3)] == [stopped] * 3


def test_a_model_without_late_vectors_says_why_and_does_not_offer_them(
    monkeypatch: pytest.MonkeyPatch,
):
    why = "This model does not take the mean of its token outputs: its pooling is cls."
    monkeypatch.setattr(load_encoder(), "why_not_late", why)
    at = open_menu(opened(), "settings_menu")
    [ways] = [each for each in at.button_group if each.key == "way"]
    assert ways.options == ["plain", "averaged"]
    assert f"No late vectors: {why}" in seen(at)
    late = linked(vectors="late")
    assert waiting(late, 1) == f'{why} Choose "plain" or "averaged".'
    assert cards(column(late, 1)) == []


def test_trouble_with_the_store_is_said_and_the_page_works(
    unread: ModelEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    blocked = tmp_path / "a file"
    blocked.write_text("no folder")
    monkeypatch.setattr(unread, "store", Store(blocked))
    at = choose(linked(size="57", k="2"), "document", "bees.md")
    assert "which is no folder" in seen(at)
    assert "set RAGCHUNK_CACHE to another folder" in seen(at)
    assert len(hits(at, 1)) == 2
