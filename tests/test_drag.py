"""What a drag does to the page, without a browser: moves that came, came late, or make no sense."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from ragchunk.ui import drag, session
from tests.acting import back_to_my_own, choose_preset
from tests.test_app import chunks, cuts_only, handles, run, seen, set_box, set_slider
from tests.test_views import address

SIZE = drag.Number("size_words", "Size", "words", least=5, most=1_000, step=1)


def version_of(at: AppTest) -> int:
    """What the page tells a slider: how often others have set its number."""
    moves = at.session_state["size_words_moves"]
    return moves.total() - moves["drag"]


def moved(
    at: AppTest, number: int, *, version: int | None = None, dragged: bool = False
) -> AppTest:
    """The page after a move that a browser sends; its callback runs before the page, as here."""
    begin = session.open_session
    if version is None:
        version = version_of(at)
    move = {"number": number, "version": version, "dragged": dragged, "move": 1}

    def begin_moved() -> None:
        begin()
        drag.adopt(SIZE, move)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "open_session", begin_moved)
        return run(at)


def test_a_move_cuts_as_the_slider_of_streamlit_does():
    by_slider = set_slider(cuts_only(), "size_words", 33)
    by_drag = moved(cuts_only(), 33)
    assert "packed up to 33 words" in seen(by_drag)
    assert chunks(by_drag) == chunks(by_slider)
    assert address(by_drag)["size"] == ["33"]


def test_the_address_follows_when_the_slider_is_let_go():
    at = cuts_only()
    moved(at, 70, dragged=True)
    assert "packed up to 70 words" in seen(at)
    assert address(at)["size"] == ["60"]
    moved(at, 70)
    assert address(at)["size"] == ["70"]


def test_the_address_follows_any_other_move_too_if_the_slider_is_never_let_go():
    at = moved(cuts_only(), 70, dragged=True)
    set_box(at, "overlap_words", 5)
    assert address(at)["size"] == ["70"]
    assert address(at)["overlap"] == ["5"]


def test_a_move_of_a_number_that_was_set_since_is_late():
    at = cuts_only()
    version = version_of(at)
    choose_preset(at, "Confetti")
    back_to_my_own(at)
    moved(at, 99, version=version)
    assert "packed up to 60 words" in seen(at)
    moved(at, 99)
    assert "packed up to 99 words" in seen(at)


@pytest.mark.parametrize(("asked", "got"), [(-3, 5), (4, 5), (5, 5), (1_000, 1_000), (9**9, 1_000)])
def test_a_number_out_of_bounds_becomes_the_nearest_within(asked: int, got: int):
    at = set_box(cuts_only(), "overlap_words", 0)
    assert f"packed up to {got:,} words" in seen(moved(at, asked))


def test_without_a_browser_the_handles_are_those_of_streamlit_and_follow_a_drag():
    at = moved(cuts_only(), 41)
    assert at.session_state["sliders"] == "live"
    assert handles(at, "size_words") == (41, 41)
    before = version_of(at)
    assert handles(set_slider(at, "size_words", 42), "size_words") == (42, 42)
    assert version_of(at) == before + 1, "a slider that is dragged next begins there"
