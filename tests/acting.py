"""What a person does on the page beside moving controls, for tests without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ragchunk.ui import actions, session
from tests.test_app import run


def open_menu(at: AppTest, key: str) -> AppTest:
    """Open a menu: those that are closed may not have drawn what is in them."""
    at.session_state[key] = True
    return run(at)


def open_presets(at: AppTest) -> AppTest:
    """Open the menu of presets, whose key is a new one after each choice."""
    # AppTest's session state has no get().
    chosen = at.session_state["presets_chosen"] if "presets_chosen" in at.session_state else 0  # noqa: SIM401
    at.session_state["presets_menu"] = True
    return open_menu(at, f"presets_menu_{chosen}")


def choose_preset(at: AppTest, name: str) -> AppTest:
    open_presets(at).button(key=f"preset_{name}").click()
    return run(at)


def back_to_my_own(at: AppTest) -> AppTest:
    at.button(key="preset_back").click()
    return run(at)


def press(at: AppTest, words: str) -> AppTest:
    """Press a button inside a card or a lane, by what it tells the server.

    Such a button is no widget of Streamlit's. Its callback runs before the page does, as here.
    """
    begin = session.open_session

    def begin_pressed() -> None:
        begin()
        actions.act(words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "open_session", begin_pressed)
        return run(at)


def column_ids(at: AppTest) -> list[int]:
    """The numbers of the columns, from left to right."""
    return list(at.session_state["column_ids"])


def menu_button(at: AppTest, menu: str, key: str) -> AppTest:
    """Click a button in a menu."""
    open_menu(at, menu).button(key=key).click()
    return run(at)


def own(at: AppTest, number: int, **values: Any) -> AppTest:
    """Give a column its own settings, and set some of them: unit, size, overlap, way."""
    open_menu(at, f"own_menu_{number}")
    at.button_group(key=f"settings_{number}").set_value("own")
    run(at)
    prefix = f"own_{number}_"
    for name in ("unit", "way"):
        if name in values:
            at.button_group(key=f"{prefix}{name}").set_value(values[name])
            run(at)
    unit = at.session_state[f"{prefix}unit"]
    for name in ("overlap", "size"):
        if name in values:
            key = f"{prefix}{name}_{unit}_box"
            box = next(each for each in at.number_input if (each.key or "").startswith(key))
            box.set_value(values[name])
            run(at)
    return at
