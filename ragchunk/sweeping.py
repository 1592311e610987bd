"""A sweep that goes on beside the page: every run looks at it, and a button stops it."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from ragchunk.background import ending, start
from ragchunk.corpus import Corpus
from ragchunk.embedding import ModelEncoder
from ragchunk.errors import RagchunkError
from ragchunk.evaluation.measures import Cutoff
from ragchunk.evaluation.questions import Question
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.sweep import Progress, sweep
from ragchunk.evaluation.table import Table, recipe, table_of
from ragchunk.evaluation.trial import Result
from ragchunk.measuring import duration, told
from ragchunk.strategies import Sized

# The page goes on being used meanwhile, so one core is left to it.
JOBS = max(1, (os.cpu_count() or 2) - 1)

# What an idle machine of two cores does, to say beforehand how long a sweep may take: tokens that
# the model reads a second, and seconds of a setting beside that, which grow with what is ranked.
TOKENS_READ, SETTING, TOKEN_RANKED = 2_500, 0.01, 4e-8

# More settings than this are asked about before they start.
ASK_ABOVE = 200


class Sweeping:
    """Settings being measured in a thread.

    results: as they come. progress: how far it is, None before the first. error: why it ended
    early, "" if it did not. is_running: whether the thread is at work.
    """

    def __init__(
        self,
        settings: Sequence[Setting],
        corpus: Corpus,
        questions: Sequence[Question],
        encoder: ModelEncoder,
        cutoffs: tuple[Cutoff, Cutoff],
    ) -> None:
        """Start at once. Raises SettingsError as `sweep` does."""
        self.settings, self.corpus, self.questions = settings, corpus, questions
        self.cutoffs = cutoffs
        self.results: list[Result] = []
        self.progress: Progress | None = None
        self.error = ""
        self.is_running = True
        self._encoder = encoder
        self._stopped = False
        self._texts_before = encoder.texts_read
        self._tokens_before, _ = self._tokens_read()
        self._first_read: tuple[float, int] | None = None
        self._steps = _closable(
            sweep(
                settings,
                corpus,
                questions,
                encoder.name,
                cutoffs,
                JOBS,
                most=len(settings),  # whoever starts so many was asked
            )
        )
        start(self._run)

    @property
    def is_done(self) -> bool:
        return len(self.results) == len(self.settings)

    def same(self, settings: Sequence[Setting]) -> Sweeping:
        """Start other settings on the same documents and questions; errors as the first."""
        return Sweeping(settings, self.corpus, self.questions, self._encoder, self.cutoffs)

    def stop(self) -> None:
        """Stop after the settings at work. What is measured is kept, also on disk."""
        self._stopped = True

    def table(self) -> Table:
        """What is measured by now."""
        made_of = recipe(
            self.settings, self.corpus, self.questions, self.cutoffs, self._encoder.name
        )
        return table_of(made_of, list(self.results))

    def said(self) -> str:
        """How far it is, in words."""
        if self.progress is not None:
            return told(self.progress) + "."
        if self.settings[0].way == "late":
            done, total = self._tokens_read()
            if done < total:
                return f"Reading the documents once: {done:,} of {total:,} tokens{self._left()}."
        read = self._encoder.texts_read - self._texts_before
        said = f", {read:,} texts read" if read else ""
        return f"{len(self.settings):,} settings: the first is measured{said}."

    def _tokens_read(self) -> tuple[int, int]:
        return self._encoder.token_pass.progress(self.corpus.texts.values())

    def _left(self) -> str:
        """The rate at which documents are read, once it is known, and what it leaves."""
        done, total = self._tokens_read()
        now = time.monotonic()
        if self._first_read is None:
            # The model had to be loaded before.
            self._first_read = (now, done) if done > self._tokens_before else None
            return ""
        began, before = self._first_read
        if done == before or now - began < 1:
            return ""
        rate = (done - before) / (now - began)
        return f", {rate:,.0f} a second, about {duration((total - done) / rate)} left"

    def _run(self) -> None:
        # Closing the steps takes their workers home, in the thread that started them.
        with closing(self._steps):
            self._measure()

    def _measure(self) -> None:
        try:
            # All at once, as one by one they would take the model ten times as long.
            for _ in self._encoder.fill_queries([each.text for each in self.questions]):
                if self._ends:
                    return
            for each in self._steps:
                self.results.append(each.result)
                self.progress = each
                if self._ends:
                    break
        except RagchunkError as error:
            self.error = str(error)
        except Exception as error:  # whatever it is, the page says so and goes on
            self.error = f"The sweep ended early: {error!r}. What was measured is kept."
        finally:
            self.is_running = False

    @property
    def _ends(self) -> bool:
        return self._stopped or ending.is_set()


def _closable(steps: Iterator[Progress]) -> Generator[Progress]:
    yield from steps


def seconds_beforehand(
    settings: Sequence[Setting], corpus: Corpus, questions: int, encoder: ModelEncoder
) -> float:
    """What a sweep may take on an idle machine, before anything was measured."""
    texts = list(corpus.texts.values())
    done, total = encoder.token_pass.progress(texts)
    late = sum(each.way == "late" for each in settings)
    tokens = float(total - done) if late else 0.0
    for each in settings:
        strategy = each.strategy
        if each.way != "late":
            repeats = 1.0
            if isinstance(strategy, Sized):
                repeats = strategy.size / (strategy.size - strategy.overlap)
            tokens += total * repeats
    each_setting = SETTING + TOKEN_RANKED * total * questions
    return tokens / TOKENS_READ + len(settings) * each_setting


def said_beforehand(
    settings: Sequence[Setting], corpus: Corpus, questions: int, encoder: ModelEncoder
) -> str:
    """`85 settings, about 11 s`."""
    took = duration(seconds_beforehand(settings, corpus, questions, encoder))
    return f"{len(settings):,} setting{'s' * (len(settings) != 1)}, about {took}"
