"""The luck of the grid: the best fixed window again, with its cuts moved by parts of a step."""

from __future__ import annotations

import streamlit as st

from ragchunk.errors import SettingsError
from ragchunk.evaluation import luck
from ragchunk.evaluation.choice import Choice
from ragchunk.evaluation.setting import Setting
from ragchunk.markup import escape
from ragchunk.strategies.window import Window
from ragchunk.sweeping import Sweeping

WHY = (
    "The best fixed window again, with its cuts moved by parts of a step: a gain smaller than "
    "what that changes is chance. Other strategies cut where the text has edges."
)


def luck_button(choice: Choice, sweeping: Sweeping) -> None:
    """The button that starts the check for the best fixed window of a sweep."""
    best = _best_window(choice)
    running = running_luck()
    st.button(
        "Check the luck of the grid",
        key="sweep_luck",
        on_click=_check,
        args=(best, sweeping),
        disabled=best is None or (running is not None and running.is_running),
        help=WHY,
    )


def show_luck(choice: Choice) -> None:
    """What came of the check, or how far it is."""
    found = running_luck()
    if found is None:
        return
    if found.error:
        words = escape(found.error)
    elif found.is_running:
        words = escape(found.said())
    else:
        results = found.results
        if choice.mask is not None:  # as all other figures of the sweep
            results = [each.only(~choice.mask) for each in results]
        told = luck.luck(results, choice.measure, choice.cutoff).sentence()
        words = f"<b>{escape(told)}</b>"
    st.html(f'<div class="rc measure"><p role="status" class="luck">{words}</p></div>')


def running_luck() -> Sweeping | None:
    """The check that was started last."""
    return st.session_state.get("luck_sweeping")


def _best_window(choice: Choice) -> Setting | None:
    windows = [
        (float(choice.board.means[row]), each.setting)
        for row, each in enumerate(choice.table.results)
        if type(each.setting.strategy) is Window
    ]
    return max(windows, key=lambda each: each[0])[1] if windows else None


def _check(setting: Setting, sweeping: Sweeping) -> None:
    try:
        st.session_state.luck_sweeping = sweeping.same(luck.moved(setting))
    except SettingsError as refused:
        st.session_state.sweep_refused = str(refused)
