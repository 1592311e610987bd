"""The state of the page in Streamlit's session: written from a link, read back into one.

Widgets keep their values under keys of the session; this is the one place that knows them all.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st

from ragchunk.corpus import Corpus
from ragchunk.documents import document_hash
from ragchunk.pin import Pin
from ragchunk.state import (
    MOST_BUDGET,
    MOST_COLUMNS,
    MOST_HITS,
    RANGES,
    ColumnState,
    Cutter,
    PageState,
    from_params,
    to_params,
)

# Seconds after which a browser has surely taken in the address that it was given.
SETTLED = 1.5


def open_session() -> None:
    """At the first run of a session, set the page to what its link asks for; later, follow Back."""
    session = st.session_state
    if "column_ids" not in session:
        state, problems = from_params(_address())
        session.sliders = "live"
        apply(state)
        session.link_problems = problems
        session.wanted_files = state.files
    elif _went_back():
        state, session.link_problems = from_params(_address())
        apply(state)
    _keep_choices()


def _address() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _went_back() -> bool:
    """Whether this run comes from the browser's Back or Forward: another address, and no move.

    A run that a control started may carry an address that was replaced a moment ago, but then
    something on the page is not as it was.
    """
    written: _Written | None = st.session_state.get("written")
    if written is None or time.monotonic() - written.at < SETTLED:
        return False
    address = {name: values for name, values in _address().items() if name != "lesson"}
    return address != written.address and _without_files() == written.state


def _without_files() -> PageState:
    """What the page is set to now, but for the names of files, which no move changes."""
    return replace(current(Corpus(())), files=())


class _Written(NamedTuple):
    """The address that was written last, what the page was set to, and when (monotonic)."""

    address: dict[str, list[str]]
    state: PageState
    at: float


def _keep_choices() -> None:
    """Where one of some options is always chosen, no choice is the one before.

    Streamlit sends a choice with the run that first draws its control. Where a newer run takes over
    before the browser has drawn it, the control comes up empty and tells that.
    """
    session = st.session_state
    keys = ["tab", "unit", "way", "tail", "neighbours", "sliders", "part", "measure", "cutoff"]
    for number in session.column_ids:
        names = ("settings_{}", "strategy_{}", "own_{}_unit", "own_{}_way")
        keys += [name.format(number) for name in names]
    before: dict[str, str] = session.setdefault("choices", {})
    for key in keys:
        if session.get(key) is None:
            session[key] = before.get(key)
    session.choices = {key: session[key] for key in keys}


def apply(state: PageState) -> None:
    """Set every widget of the page; call it before they are drawn."""
    session = st.session_state
    session.tab = state.tab
    session.query = state.query
    _apply_cutter("", state.shared)
    session.tail = state.tail
    session.min_size = state.min_size
    session.model = state.model
    session.neighbours = "merged" if state.merge else "separate"
    set_source(state.corpus)
    session.document = state.document
    session.pop("answered_in", None)  # the state says which document is open, not the question
    session.preset = state.preset
    session.part = state.part
    session.measure = state.measure
    for key, number in (("k", state.k), ("budget", state.budget)):
        session[key] = session[f"last_{key}"] = number
    session.cutoff = state.cutoff
    session.column_ids = [_new_column(column, state.shared) for column in state.columns]


def current(corpus: Corpus) -> PageState:
    """What the page is set to now."""
    session = st.session_state
    shared = cutter("")
    carried = session.source in ("samples", "docker")
    return PageState(
        tab=session.tab,
        query=session.query or "",
        k=hits(),
        shared=shared,
        tail=session.tail,
        min_size=session.min_size,
        model=session.model or "",
        merge=session.neighbours == "merged",
        columns=tuple(column_state(number) for number in session.column_ids),
        corpus=session.source,
        files=()
        if carried
        else tuple((each.source, document_hash(each.text)) for each in corpus.documents)
        or tuple(session.get("wanted_files", ())),
        document=session.document or "",
        preset=session.preset,
        part=session.part,
        measure=session.measure,
        budget=budget(),
        cutoff=session.cutoff,
    )


def hits() -> int:
    """How many hits are shown and measured: what its box says, or said last, see `budget`."""
    return _in_box("k", MOST_HITS)


def budget() -> int:
    """The tokens of the budget: those in its box, or the last that could be where these cannot."""
    return _in_box("budget", MOST_BUDGET)


def _in_box(key: str, most: int) -> int:
    session = st.session_state
    if 1 <= session[key] <= most:
        session[f"last_{key}"] = int(session[key])
    return session[f"last_{key}"]


def write_link(corpus: Corpus) -> None:
    """Put the state of the page into its address; while a slider is dragged, when it is let go.

    Each address is one more step back for the browser, and some allow only a hundred in a while.
    """
    if st.session_state.get("dragged"):
        return
    params: dict[str, Any] = to_params(current(corpus))
    if st.session_state.tab == "lessons" and "lesson" in st.query_params:
        params["lesson"] = [st.query_params["lesson"]]
    # An address cannot hold an empty list, so one would never compare equal.
    params = {name: values for name, values in params.items() if values}
    if _address() != params:
        st.query_params.from_dict(params)
    address = {name: values for name, values in params.items() if name != "lesson"}
    written: _Written | None = st.session_state.get("written")
    if written is None or written.address != address:
        st.session_state.written = _Written(address, _without_files(), time.monotonic())


def link(corpus: Corpus) -> str:
    """The address that opens the page as it is now."""
    return f"{st.context.url}?{urlencode(to_params(current(corpus)), doseq=True)}"


def set_source(source: str) -> None:
    """Open other documents: the choice in the documents menu is drawn anew, and begins there.

    A browser does not hear what a choice was set to while its menu is closed, and would soon say
    the old one again, as if a person had chosen it.
    """
    number, _ = st.session_state.get("source_set", (0, ""))
    st.session_state.source = source
    st.session_state.source_set = (number + 1, source)


def open_own(source: str) -> None:
    """Open documents of somebody's own; the question that the page opened with is not theirs."""
    if st.session_state.source != source and st.session_state.query == PageState().query:
        st.session_state.query = ""
    set_source(source)


def cutter(prefix: str) -> Cutter:
    """The settings whose keys begin with `prefix`: "" for those all columns share."""
    session = st.session_state
    unit = session[f"{prefix}unit"]
    return Cutter(
        unit=unit,
        size=int(session[f"{prefix}size_{unit}"]),
        overlap=int(session[f"{prefix}overlap_{unit}"]),
        way=session[f"{prefix}way"],
    )


def column_state(number: int) -> ColumnState:
    """What a column is set to."""
    own = st.session_state[f"settings_{number}"] == "own"
    return ColumnState(
        st.session_state[f"strategy_{number}"], cutter(f"own_{number}_") if own else None
    )


def adopt_shared(number: int) -> None:
    """The first time a column gets settings of its own, they begin as the shared ones."""
    if f"own_{number}_begun" not in st.session_state:
        _apply_cutter(f"own_{number}_", cutter(""))
        st.session_state[f"own_{number}_begun"] = True


def shared_sizes() -> dict[str, int]:
    """The shared size and overlap of every unit, of which the page shows one."""
    keys = [f"{name}_{unit}" for name in ("size", "overlap") for unit in RANGES]
    return {key: st.session_state[key] for key in keys}


def add_column() -> None:
    """One more column, like the last, with settings of its own."""
    ids = st.session_state.column_ids
    if len(ids) < MOST_COLUMNS:
        like = column_state(ids[-1])
        shared = cutter("")
        st.session_state.column_ids = [
            *ids,
            _new_column(replace(like, own=like.own or shared), shared),
        ]


def close_column(number: int) -> None:
    """One column less; the last one stays."""
    left = [each for each in st.session_state.column_ids if each != number]
    if left:
        st.session_state.column_ids = left


def _new_column(column: ColumnState, shared: Cutter) -> int:
    """Keys for one more column; its own settings begin as the shared ones."""
    session = st.session_state
    number = session.get("next_column", 0)
    session.next_column = number + 1
    session[f"strategy_{number}"] = column.strategy
    session[f"settings_{number}"] = "shared" if column.own is None else "own"
    if column.own is not None:
        session[f"own_{number}_begun"] = True
    _apply_cutter(f"own_{number}_", column.own or shared)
    return number


def _apply_cutter(prefix: str, value: Cutter) -> None:
    session = st.session_state
    for unit, limits in RANGES.items():
        for name, number in (("size", limits.size), ("overlap", limits.overlap)):
            if f"{prefix}{name}_{unit}" not in session:
                set_number(f"{prefix}{name}_{unit}", number)
    session[f"{prefix}unit"] = value.unit
    for name, number in (("size", value.size), ("overlap", value.overlap)):
        set_number(f"{prefix}{name}_{value.unit}", number)
    session[f"{prefix}way"] = value.way


def set_number(key: str, number: int, by: str = "elsewhere") -> None:
    """Set a size or overlap; `by` is the handle that was moved, the others follow (`version`)."""
    st.session_state[key] = number
    st.session_state.setdefault(f"{key}_moves", Counter())[by] += 1


def version(key: str, handle: str) -> int:
    """How often a number was set by others than this handle, which then has to follow.

    A handle that moved is never set: where moves come faster than runs, that would pull it back.
    """
    moves: Counter[str] = st.session_state[f"{key}_moves"]
    return moves.total() - moves[handle]


def pins() -> list[Pin | None]:
    """What is pinned in each column, in their order."""
    return [st.session_state.get(f"pin_{number}") for number in st.session_state.column_ids]


def set_pins(held: Sequence[Pin | None]) -> None:
    """Pin again what was pinned, in columns that are as they were but have new numbers."""
    for number, each in zip(st.session_state.column_ids, held, strict=True):
        if each is not None:
            st.session_state[f"pin_{number}"] = each
