"""The columns of the page, measured on all questions, and where they differ."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import streamlit as st
from cachetools import LRUCache

from ragchunk import measure_differ, measure_table
from ragchunk.background import Background
from ragchunk.comparison import way_at_hand
from ragchunk.corpus import Corpus
from ragchunk.embedding import ModelEncoder
from ragchunk.evaluation.choice import UNIT
from ragchunk.evaluation.compare import FEWEST
from ragchunk.evaluation.measures import Cutoff, Measure
from ragchunk.markup import count, escape
from ragchunk.measure_table import Row, Verdict, figure, weigh
from ragchunk.measured import Measured, QuestionSet, ask_all, labels_of
from ragchunk.strategies import Sized
from ragchunk.ui import asking
from ragchunk.ui.columns import Column
from ragchunk.verdicts import lines as question_lines

PREVIEW = "Preview by late vectors."

Key = tuple[tuple[Measured, ...], Cutoff, str]

# What was weighed stays weighed, for everyone on one server.
_verdicts: LRUCache[Key, Verdict | None] = LRUCache(64)
_lock = threading.Lock()


class ColumnsPart:
    """The table of the columns and the one of the questions, drawn again as rankings come in."""

    def __init__(
        self,
        board: Sequence[Column],
        asked: QuestionSet,
        encoder: ModelEncoder | None,
        measure: Measure,
        cutoff: Cutoff,
        other: Cutoff,
    ) -> None:
        """Measure what can be measured at once, and draw it."""
        self.board, self.asked, self.encoder = board, asked, encoder
        self.measure, self.cutoff, self.other = measure, cutoff, other
        self.measured: dict[int, Measured] = {}
        for column in board:
            self._measure_ready(column)
        self.sentence, self.table = st.empty(), st.empty()
        more = st.expander("More measures", key="more_measures", on_change="rerun")
        self.more = more.empty() if more.open else None
        status = st.empty()
        for column in board:
            column.hits = status  # where it says how far its vectors are
        st.html('<div class="rc measure"><h2>Where the strategies differ</h2></div>')
        with st.container(key="differ_controls", horizontal=True, vertical_alignment="center"):
            shown = st.segmented_control(
                "Questions shown",
                ["differ", "all"],
                format_func={"differ": "Those that differ", "all": "All"}.__getitem__,
                required=True,
                default="differ",
                key="differ_shown",
                label_visibility="collapsed",
                persist_state="session",
            )
            self.shown = shown or "differ"
        self.differ = st.empty()
        self.status = status
        self.draw()

    def draw(self) -> None:
        """Draw what is measured by now."""
        names = self._names()
        verdict = self._known_verdict()
        self.sentence.html(self._sentence(names, verdict))
        self.table.html(
            '<div class="rc measure">'
            + measure_table.table(self._rows(), self.measure, self.cutoff, self.other, verdict)
            + "</div>"
        )
        if self.more is not None:
            self.more.html(measure_table.all_measures(self._rows(), self.cutoff, self.other))
        self._draw_differ(names)

    def finish(self, corpus: Corpus) -> None:
        """Load the model, embed what is new, weigh the columns, and draw again after each."""
        encoder = self.encoder
        if encoder is None:
            return
        encoder.start_loading()
        if st.session_state.pop("dragged", False):
            return  # the slider is still held
        missing = [
            each
            for each in self.board
            if each.cutting is not None
            and not self._is_measured(each)
            and each.waiting in ("", asking.READING_MODEL, asking.EMBEDDING)
        ]
        with asking.failing_softly(missing, lambda _: self.draw()):
            asking.await_model(missing, encoder)
            if missing and self.measured:
                asking.rest()
            if missing:
                self._read_questions(encoder)
            for column in sorted(missing, key=lambda each: each.scene.way == "late"):
                column.waiting = ""
                if column.scene.way == "late":
                    column.waiting = asking.read_documents(column, corpus, encoder)
                else:
                    asking.embed(column, encoder)
                if not column.waiting and column.cutting is not None:
                    self.measured[column.number] = ask_all(
                        column.cutting, self.asked, encoder, column.scene.way
                    )
                self.draw()
            self.status.empty()
        self._weigh()
        asking.read_unasked(corpus, encoder)

    def _measure_ready(self, column: Column) -> None:
        """Measure a column whose vectors are there, or late ones as a preview."""
        encoder, cutting = self.encoder, column.cutting
        if cutting is None:
            return
        if encoder is None:
            column.waiting = "No model, no hits."
        elif column.scene.way == "late" and encoder.why_not_late:
            column.waiting = f'{encoder.why_not_late} Choose "plain" or "averaged".'
        elif encoder.pending_queries(self.asked.texts):
            column.waiting = asking.EMBEDDING if encoder.ready else asking.READING_MODEL
        else:
            hurry = bool(st.session_state.get("dragged"))
            way = way_at_hand(cutting, encoder, column.scene.way, hurry)
            if way is not None:
                self.measured[column.number] = ask_all(cutting, self.asked, encoder, way)
            else:
                column.waiting = asking.EMBEDDING if encoder.ready else asking.READING_MODEL

    def _is_measured(self, column: Column) -> bool:
        found = self.measured.get(column.number)
        return found is not None and found.way == column.scene.way

    def _read_questions(self, encoder: ModelEncoder) -> None:
        with Background(encoder.fill_queries(self.asked.texts)) as filling:
            while not filling.ends_within(asking.LOOK):
                if filling.last is not None:
                    done, total = filling.last
                    self.board[0].say(f"Reading {done:,} of {total:,} questions")
                asking.give_way(0)

    # What can be said of all columns together

    def _ranked(self) -> list[Column]:
        return [each for each in self.board if each.number in self.measured]

    def _key(self) -> Key | None:
        """What a verdict is about; None while any column is a preview or not there yet."""
        cut = [each for each in self.board if each.cutting is not None]
        if not cut or not all(map(self._is_measured, cut)):
            return None
        return tuple(self.measured[each.number] for each in cut), self.cutoff, self.measure.name

    def _known_verdict(self) -> Verdict | None:
        key = self._key()
        with _lock:
            return None if key is None else _verdicts.get(key)

    def _weigh(self) -> None:
        key = self._key()
        if key is None or self._known_verdict() is not None or len(self.asked.questions) < FEWEST:
            return
        names = self._names()
        scores = [each.scores(self.cutoff) for each in key[0]]
        totals = [int(each.labels.pool.tokens.sum()) for each in key[0]]

        def weighing() -> Iterator[Verdict | None]:
            yield weigh(self.measure, names, scores, totals)

        with Background(weighing()) as work:
            while not work.ends_within(asking.LOOK):
                asking.give_way(0)
        with _lock:
            _verdicts[key] = work.last
        self.draw()

    # What is drawn

    def _names(self) -> list[str]:
        """A name for each column that is ranked, no two the same."""
        labels = [_strategy_label(each) for each in self._ranked()]
        names = [
            label if labels.count(label) == 1 else f"{label} {_settings(column)}"
            for label, column in zip(labels, self._ranked(), strict=True)
        ]
        places = {each.number: place for place, each in enumerate(self.board, 1)}
        return [
            name if names.count(name) == 1 else f"{name} (column {places[column.number]})"
            for name, column in zip(names, self._ranked(), strict=True)
        ]

    def _rows(self) -> list[Row]:
        return [self._row(column) for column in self.board]

    def _row(self, column: Column) -> Row:
        name = _strategy_label(column)
        if column.cutting is None:
            return Row(name, "", note=column.error)
        labels = labels_of(column.cutting, self.asked)
        spans = [
            len({(a.source, a.start, a.end) for a in each.answers}) for each in self.asked.questions
        ]
        found = self.measured.get(column.number)
        preview = found is not None and found.way != column.scene.way
        return Row(
            name,
            _settings(column),
            omega=float(labels.omega.mean()),
            severed=round(sum(labels.severed * spans)),
            answers=sum(spans),
            total=int(labels.pool.tokens.sum()),
            scores=None if found is None else found.scores(self.cutoff),
            other=None if found is None else found.scores(self.other),
            note=PREVIEW if preview else column.waiting if found is None else "",
        )

    def _draw_differ(self, names: Sequence[str]) -> None:
        ranked = [self.measured[each.number] for each in self._ranked()]
        cut = sum(each.cutting is not None for each in self.board)
        if not ranked or len(ranked) < min(cut, 2):
            words = "Another column is ranked first." if ranked else "No column is ranked yet."
            self.differ.html(f'<div class="rc"><p class="waiting">{words}</p></div>')
            return
        every = question_lines(ranked, self.cutoff)
        lines = [each for each in every if each.differs or self.shown == "all"]
        most = st.session_state.get("lines_shown", measure_differ.AT_FIRST)
        self.differ.html(measure_differ.table(lines, names, most, self.shown, len(every)))

    def _sentence(self, names: Sequence[str], verdict: Verdict | None) -> str:
        """What to take; or why there is no winner; else a line that waits."""
        asked = len(self.asked.questions)
        said = "\u00a0"
        if not self.measure.judges:
            said = self.measure.no_winner
        elif verdict is not None:
            said = verdict.board.sentence(
                names, UNIT, lambda mean: figure(self.measure, mean), self.measure.label
            )
        elif asked < FEWEST:
            said = f"{count(asked, 'question')}: counts only, no winner. {FEWEST} are the fewest."
        return f'<div class="rc measure"><p class="decides" role="status">{escape(said)}</p></div>'


def _strategy_label(column: Column) -> str:
    if column.cutting is not None:
        return column.cutting.strategy.label
    return column.label


def _settings(column: Column) -> str:
    """`60 / 15 words`, and the way of the vectors where it is not plain."""
    assert column.cutting is not None
    strategy = column.cutting.strategy
    said = (
        f"{strategy.size:,} / {strategy.overlap:,} {strategy.unit}"
        if isinstance(strategy, Sized)
        else "no settings"
    )
    return said if column.scene.way == "plain" else f"{said}, {column.scene.way}"
