"""The sweep: many settings measured, as heat maps that set the sliders, a chart and a table."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence

import streamlit as st
from cachetools import LRUCache
from streamlit.delta_generator import DeltaGenerator

from ragchunk import measure_chart, measure_heat
from ragchunk.background import Background
from ragchunk.corpus import Corpus
from ragchunk.embedding import ModelEncoder
from ragchunk.errors import SettingsError
from ragchunk.evaluation import sweep_files
from ragchunk.evaluation.choice import Choice, choose
from ragchunk.evaluation.compare import FEWEST
from ragchunk.evaluation.measures import Cutoff, Measure
from ragchunk.evaluation.setting import Setting
from ragchunk.late import FLATTERED
from ragchunk.markup import escape
from ragchunk.measured import QuestionSet
from ragchunk.strategies import Sized
from ragchunk.sweeping import ASK_ABOVE, Sweeping, said_beforehand
from ragchunk.tokens import max_tokens
from ragchunk.ui import asking, session, sweep_luck
from ragchunk.ui.columns import Column
from ragchunk.ui.heat import heat
from ragchunk.ui.page import show_note
from ragchunk.ui.sweep_form import held_out, settings_asked, sweep_form

# Seconds between two drawings of the maps while a sweep is running.
REDRAW = 1.5

Key = tuple[Sweeping, int, str, Cutoff, float]
_choices: LRUCache[Key, Choice | SettingsError] = LRUCache(16)
_lock = threading.Lock()


class SweepPart:
    """The form, and what came of the last sweep of these documents and questions."""

    def __init__(
        self,
        corpus: Corpus,
        board: Sequence[Column],
        asked: QuestionSet,
        encoder: ModelEncoder | None,
        measure: Measure,
        cutoffs: tuple[Cutoff, Cutoff],
    ) -> None:
        """Draw what is known by now."""
        self.corpus, self.board, self.asked, self.encoder = corpus, board, asked, encoder
        self.measure, self.cutoffs = measure, cutoffs
        self.sweeping = _last(corpus, asked)
        self.drawn = 0
        self.key: Key | None = None
        decides = st.empty()
        settings = sweep_form(encoder)
        self._buttons(settings)
        self.status = st.empty()
        left = len(asked.questions) - round(held_out() * len(asked.questions))
        if left < FEWEST <= len(asked.questions):
            show_note(
                "Note",
                f"{left:,} of {len(asked.questions):,} questions are left to choose by: with fewer "
                f"than {FEWEST} no winner is named. Hold none out, or label more.",
            )
        if refused := st.session_state.pop("sweep_refused", ""):
            show_note("Error", refused)
        if self.sweeping is not None:
            self._say(self.sweeping)
            if self.sweeping.results:
                self._results(self.sweeping, decides)

    def finish(self) -> None:
        """Look at what goes on in the background; start the page over when there is news."""
        st.session_state.pop("dragged", False)
        if self.encoder is not None:
            self.encoder.start_loading()
        self._judge()
        sweeping, luck = self.sweeping, sweep_luck.running_luck()
        began = time.monotonic()
        while (sweeping and sweeping.is_running) or (luck and luck.is_running):
            asking.give_way(asking.LOOK)
            if sweeping and sweeping.is_running:
                self._say(sweeping)
                news = len(sweeping.results) > self.drawn
                if news and time.monotonic() - began > REDRAW:
                    st.rerun()
            if luck and not luck.is_running:
                st.rerun()
        if sweeping and (len(sweeping.results) > self.drawn or self.was_running):
            st.rerun()

    # Starting and stopping

    def _buttons(self, settings: list[Setting]) -> None:
        sweeping, encoder = self.sweeping, self.encoder
        self.was_running = sweeping is not None and sweeping.is_running
        with st.container(horizontal=True, vertical_alignment="center", key="sweep_buttons"):
            if sweeping is not None and self.was_running:
                st.button("Stop", key="sweep_stop", on_click=sweeping.stop)
                for _ in range(2):
                    st.empty()  # else what stood here is there, in grey, until the sweep ends
                return
            many = len(settings)
            asks = many > ASK_ABOVE and st.session_state.get("sweep_asks") == many
            label = f"Start all {many:,}" if asks else "Sweep"
            if sweeping is not None and not sweeping.is_done and sweeping.settings == settings:
                label = "Go on"
            st.button(
                label,
                key="sweep_start",
                on_click=self._start,
                disabled=not settings or encoder is None,
            )
            if asks:
                st.button("Not now", key="sweep_not_now", on_click=_ask_no_more)
            if settings and encoder is not None:
                said = said_beforehand(settings, self.corpus, len(self.asked.questions), encoder)
                sure = " Start them all?" if asks else ""
                st.html(f'<div class="rc"><p class="small" role="status">{said}.{sure}</p></div>')

    def _start(self) -> None:
        """Start, or ask first where there are many.

        The form is read again: a number that was typed last comes together with the click.
        """
        try:
            settings = settings_asked()
        except SettingsError:  # which the form says
            return
        if len(settings) > ASK_ABOVE and st.session_state.get("sweep_asks") != len(settings):
            st.session_state.sweep_asks = len(settings)
            return
        _ask_no_more()
        st.session_state.pop("luck_sweeping", None)
        if self.encoder is None:
            return
        if self.sweeping is not None:
            self.sweeping.stop()
        try:
            st.session_state.sweeping = Sweeping(
                settings, self.corpus, self.asked.questions, self.encoder, self.cutoffs
            )
        except SettingsError as refused:
            st.session_state.sweep_refused = str(refused)

    def _say(self, sweeping: Sweeping) -> None:
        words = sweeping.error
        if not words and sweeping.is_running:
            words = sweeping.said()
        elif not words and not sweeping.is_done:
            words = (
                f"Stopped: {len(sweeping.results):,} of {len(sweeping.settings):,} settings are "
                "measured and kept."
            )
        said = f'<p class="small" role="status">{escape(words)}</p>' if words else ""
        self.status.html(f'<div class="rc">{said}</div>')

    # What came of it

    def _results(self, sweeping: Sweeping, decides: DeltaGenerator) -> None:
        self.drawn = len(sweeping.results)
        cutoff = self._cutoff(sweeping)
        if not self.measure.judges:
            said = f'<p class="decides" role="status">{escape(self.measure.no_winner)}</p>'
            decides.html(f'<div class="rc measure">{said}</div>')
            self._draw_maps(sweeping, cutoff, None)
            return
        self.key = (sweeping, self.drawn, self.measure.name, cutoff, held_out())
        with _lock:
            choice = _choices.get(self.key)
        if isinstance(choice, SettingsError):
            show_note("Error", str(choice))
            choice = None
        if choice is not None:
            said = f'<p class="decides" role="status">{escape(choice.sentence())}</p>'
            decides.html(f'<div class="rc measure">{said}</div>')
        self._draw_maps(sweeping, cutoff, choice)
        if choice is not None:
            self._draw_choice(sweeping, choice)

    def _draw_maps(self, sweeping: Sweeping, cutoff: Cutoff, choice: Choice | None) -> None:
        table = sweeping.table()
        limit = max_tokens(table.recipe.model)
        way = sweeping.settings[0].way
        on_sliders = [
            Setting(each.cutting.strategy, way) for each in self.board if each.cutting is not None
        ]
        found = measure_heat.cells(table, self.measure, cutoff, choice, limit, on_sliders)
        first = found[0].number
        if choice is not None:
            first = found[choice.chosen].number
        html = measure_heat.heat_maps(found, self.measure) + measure_heat.LEGEND
        heat(html, first, lambda number: set_to(sweeping.settings[number]))
        if way == "late":
            st.html(f'<div class="rc"><p class="small">{_late_note(limit)}</p></div>')

    def _draw_choice(self, sweeping: Sweeping, choice: Choice) -> None:
        title = escape(f"{self.measure.label} against tokens read")
        st.html(f'<div class="rc measure"><h2>{title}</h2></div>')
        theme = "dark" if st.context.theme.type == "dark" else "light"
        st.vega_lite_chart(
            spec=measure_chart.scatter(choice, theme),
            theme=None,
            key="sweep_chart",
            alt=measure_chart.alternative(choice),
        )
        st.html(measure_chart.key(choice))
        with st.container(horizontal=True, vertical_alignment="center", key="sweep_files"):
            sweep_luck.luck_button(choice, sweeping)
            st.download_button(
                "CSV",
                lambda: sweep_files.to_csv(choice).encode("utf-8-sig"),
                file_name="sweep.csv",
                key="download_sweep_csv",
                on_click="ignore",
            )
            st.download_button(
                "JSON, to run it again",
                lambda: json.dumps(sweep_files.to_json(choice), ensure_ascii=False).encode(),
                file_name="sweep.json",
                key="download_sweep_json",
                on_click="ignore",
            )
        sweep_luck.show_luck(choice)
        place = st.expander("All settings as a table", key="sweep_numbers", on_change="rerun")
        if place.open:
            place.html(measure_chart.numbers(choice))

    def _cutoff(self, sweeping: Sweeping) -> Cutoff:
        """The cut-off that leads, or the one that was measured in its place, which is said."""
        wanted = self.cutoffs[0]
        if wanted in sweeping.cutoffs:
            return wanted
        found = next(each for each in sweeping.cutoffs if (each.k is None) == (wanted.k is None))
        show_note("Note", f"Measured at {found}. Sweep again to measure at {wanted}.")
        return found

    def _judge(self) -> None:
        """Find out which settings may be the best; then the page is drawn anew with it."""
        sweeping, key = self.sweeping, self.key
        if sweeping is None or key is None or self.was_running:
            return
        with _lock:
            if key in _choices:
                return
        table = sweeping.table()

        def judging() -> Iterator[Choice | SettingsError]:
            try:
                yield choose(table, *key[2:])
            except SettingsError as refused:
                yield refused

        with Background(judging()) as work:
            while not work.ends_within(asking.LOOK):
                asking.give_way(0)
        if work.last is not None:
            with _lock:
                _choices[key] = work.last
            st.rerun()


def set_to(setting: Setting) -> None:
    """Set the sliders to a setting, and have a column show its strategy with them."""
    state = st.session_state
    strategy = setting.strategy
    state.way = setting.way
    if isinstance(strategy, Sized):
        state.unit = strategy.unit
        session.set_number(f"size_{strategy.unit}", strategy.size)
        session.set_number(f"overlap_{strategy.unit}", strategy.overlap)
    numbers = state.column_ids
    column = next(
        (each for each in numbers if state[f"strategy_{each}"] == strategy.name), numbers[-1]
    )
    state[f"strategy_{column}"] = strategy.name
    state[f"settings_{column}"] = "shared"


def _last(corpus: Corpus, asked: QuestionSet) -> Sweeping | None:
    """The last sweep, if it was of these documents and questions; another one is stopped.

    What it has measured is kept, and found again when its documents and questions are.
    """
    found: Sweeping | None = st.session_state.get("sweeping")
    if found is None:
        return None
    if found.corpus.key == corpus.key and found.questions == asked.questions:
        return found
    found.stop()
    return None


def _late_note(limit: int) -> str:
    return (
        "Late vectors rank settings as they are on average, not the hits of each question. They "
        f"flatter chunks of {FLATTERED} tokens and fewer, and beside plain ones sizes over {limit} "
        "tokens: measure the winner in the way you will use."
    )


def _ask_no_more() -> None:
    st.session_state.pop("sweep_asks", None)
