"""What a sweep is to measure: strategies, sizes, overlaps, vectors, and questions to hold out."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragchunk.embedding import WAYS, ModelEncoder
from ragchunk.errors import SettingsError
from ragchunk.evaluation.choice import HELD_OUT
from ragchunk.evaluation.setting import OVERLAPS, SIZES, Setting, grid
from ragchunk.markup import percent
from ragchunk.state import RANGES
from ragchunk.strategies import STRATEGIES
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.ui.page import show_note
from ragchunk.units import UNITS, Unit

OPENING = ["window", "paragraphs", "recursive"]
HELD = {"none": 0.0, percent(HELD_OUT): HELD_OUT}


def sweep_form(encoder: ModelEncoder | None) -> list[Setting]:
    """The form; returns what is to be swept, [] where it cannot be read, which it says."""
    ways = [way for way in WAYS if way != "late" or (encoder and not encoder.why_not_late)]
    _begin(ways)
    with st.container(key="sweep_form", horizontal=True, gap="medium"):
        st.pills(
            "Strategies",
            list(STRATEGIES),
            selection_mode="multi",
            format_func=lambda name: STRATEGIES[name].label,
            key="sweep_strategies",
            wrap=True,
            persist_state="session",
        )
        for label, options, key, why in (
            ("Unit of the sweep", UNITS, "sweep_unit", None),
            ("Vectors", ways, "sweep_way", None),
            (
                "Hold out",
                list(HELD),
                "sweep_held",
                "Chooses by 70 of 100 questions, and says what the choice is worth on the others.",
            ),
        ):
            st.segmented_control(
                label, options, required=True, key=key, help=why, persist_state="session"
            )
    unit = st.session_state.sweep_unit
    second = st.columns(2, vertical_alignment="bottom")
    with second[0]:
        st.text_input(f"Sizes, {unit}", key=f"sweep_sizes_{unit}", persist_state="session")
    with second[1]:
        st.text_input(
            "Overlaps, per cent of the size", key="sweep_overlaps", persist_state="session"
        )
    try:
        return settings_asked()
    except SettingsError as refused:
        show_note("Error", str(refused))
        return []


def held_out() -> float:
    """The share of the questions that is held out."""
    return HELD.get(st.session_state.get("sweep_held", "none"), 0.0)


def shares() -> list[float]:
    """The overlaps that the form asks for, as shares of the size."""
    return [each / 100 for each in _numbers("Overlaps", st.session_state.sweep_overlaps, 0, 99)]


def _begin(ways: Sequence[str]) -> None:
    """Set what was never chosen; see `session.open_session` for choices that come up empty."""
    state = st.session_state
    begins: dict[str, object] = {
        "sweep_strategies": OPENING,
        "sweep_unit": "tokens",
        "sweep_way": "late",
        "sweep_held": "none",
        "sweep_overlaps": ", ".join(f"{100 * each:g}" for each in OVERLAPS),
        **{f"sweep_sizes_{unit}": ", ".join(map(str, each)) for unit, each in SIZES.items()},
    }
    for key, value in begins.items():
        if state.get(key) is None:
            state[key] = value
    if state.sweep_way not in ways:
        state.sweep_way = ways[0]


def settings_asked() -> list[Setting]:
    """The settings that the form asks for. SettingsError says what in it cannot be read."""
    state = st.session_state
    unit: Unit = state.sweep_unit
    limits = RANGES[unit]
    sizes = _numbers(f"Sizes, {unit}", state[f"sweep_sizes_{unit}"], limits.least, limits.most)
    if not state.sweep_strategies:
        raise SettingsError("The sweep is empty: choose at least one strategy.")
    model = (state.model or "").strip() or DEFAULT_MODEL
    return grid(state.sweep_strategies, sizes, shares(), unit, state.sweep_way, state.tail, model)


def _numbers(label: str, text: str, least: int, most: int) -> list[int]:
    """Whole numbers with commas or spaces between; SettingsError for anything else."""
    words = (text or "").replace(",", " ").split()
    if not words:
        raise SettingsError(f"{label}: give at least one number from {least:,} to {most:,}.")
    for word in words:
        if not (word.isascii() and word.isdecimal()) or not least <= int(word) <= most:
            raise SettingsError(
                f"{label}: {word!r} must be a whole number from {least:,} to {most:,}; write them "
                "with commas between."
            )
    return list(dict.fromkeys(map(int, words)))
