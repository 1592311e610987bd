"""Many settings measured on the same questions, one by one or on many cores or machines.

    for progress in sweep(grid(), corpus, questions, jobs=2):
        progress.result, progress.done, progress.total, progress.left

Results come as they are ready, are kept on disk, and are found there next time: a sweep may be
stopped after any of them. Work is given out by joblib: to threads of this process, or to what
`joblib.parallel_config` names outside (processes, a Dask or a Ray cluster).

A task is a setting. What all tasks share, documents and questions, goes along as one array of
bytes, which the backends send or map by reference; each process unpacks it once. The encoder is
made in the process that measures, from the model's name.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from ragchunk.corpus import Corpus
from ragchunk.embedding import Encoder, load_encoder
from ragchunk.errors import RagchunkError, SettingsError
from ragchunk.evaluation.measures import OPENING_BUDGET, Cutoff
from ragchunk.evaluation.questions import Question
from ragchunk.evaluation.results import Basis, Results, default_results, questions_hash
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.trial import Result, check, measure
from ragchunk.models import fingerprint
from ragchunk.tokens import DEFAULT_MODEL

CUTOFFS = (Cutoff(budget=OPENING_BUDGET), Cutoff(k=5))

# More are refused unless the caller says that so many are meant.
MOST_SETTINGS = 10_000

# Each result by itself, as soon as it is there; threads, where nothing else is named outside.
UNORDERED: dict[str, Any] = {
    "prefer": "threads",
    "return_as": "generator_unordered",
    "batch_size": 1,
}

# Times that work is given out again after a worker died without a result in between.
ATTEMPTS = 3

MakeEncoder = Callable[[str], Encoder]


@dataclass(frozen=True, eq=False)
class Progress:
    """A result, and how far the sweep is: `done` of `total` settings, `known` of them from disk.

    `seconds` is the time since measuring began. `pace` is how many seconds pass between two
    results, the median of those so far: the first may have to wait for the model. None before one
    was measured.
    """

    result: Result
    done: int
    total: int
    known: int
    seconds: float
    pace: float | None

    @property
    def rate(self) -> float | None:
        """Settings a second; None before one was measured."""
        return 1 / self.pace if self.pace else None

    @property
    def left(self) -> float | None:
        """Seconds that the rest will take at this pace; None before one was measured."""
        left = self.total - self.done
        return left * self.pace if self.pace is not None else None if left else 0.0


def sweep(
    settings: Iterable[Setting],
    corpus: Corpus,
    questions: Sequence[Question],
    model: str = DEFAULT_MODEL,
    cutoffs: Sequence[Cutoff] = CUTOFFS,
    jobs: int | None = 1,
    results: Results | None = None,
    most: int = MOST_SETTINGS,
    encoder: MakeEncoder = load_encoder,
) -> Generator[Progress, None, None]:
    """Measure each setting once, those on disk first; may be stopped after any.

    jobs: threads, or workers of the backend that `joblib.parallel_config` names when the first
    result is asked for; -1 for all there are, None for what it says there.
    results: where they are kept, the user's own if None.
    encoder: makes one from the model's name, in each process; a function that can be pickled.
    Raises SettingsError at once for no setting, more than `most`, or as `measure` does; later
    ModelError as `measure` does, and RagchunkError if workers keep dying. What was measured is
    kept.
    """
    settings = list(dict.fromkeys(settings))
    questions = list(questions)
    check_sweep(settings, questions, cutoffs, most)
    if jobs == 0:
        raise SettingsError("0 jobs measure nothing: give 1 or more, or -1 for all cores.")
    # Here, so that what cannot work is said before any work.
    known_model = fingerprint(model)
    made_by = "" if encoder is load_encoder else f"{encoder.__module__}.{encoder.__qualname__}"
    basis = Basis(corpus.key, questions_hash(questions), tuple(cutoffs), known_model, made_by)
    job = _Job(corpus, questions, tuple(cutoffs), model, encoder)
    return _swept(settings, job, basis, jobs, default_results() if results is None else results)


def check_sweep(
    settings: Sequence[Setting],
    questions: Sequence[Question],
    cutoffs: Sequence[Cutoff] = CUTOFFS,
    most: int = MOST_SETTINGS,
) -> None:
    """Raise SettingsError for a sweep that cannot be, or that has more settings than `most`."""
    if not settings:
        raise SettingsError(
            "The sweep is empty: choose at least one strategy, and one size for those that have "
            "one."
        )
    check(questions, cutoffs)
    if len(settings) > most:
        raise SettingsError(
            f"{len(settings):,} settings are more than {most:,}: leave out sizes or overlaps that "
            "lie close together, or say that so many are meant."
        )


def estimate(settings: Sequence[Setting], measured: Sequence[Result], jobs: int = 1) -> float:
    """Seconds that settings will take, by those measured: best spread over the whole sweep.

    `nan` where none was measured.
    """
    if not measured:
        return float("nan")
    done = {each.setting for each in measured}
    missing = sum(each not in done for each in settings)
    return missing * sum(each.seconds for each in measured) / len(measured) / jobs


@dataclass(frozen=True, eq=False)
class _Job:
    """What the tasks of a sweep share."""

    corpus: Corpus
    questions: list[Question]
    cutoffs: tuple[Cutoff, ...]
    model: str
    encoder: MakeEncoder

    def measure(self, setting: Setting) -> Result:
        return measure(
            setting,
            self.corpus,
            self.questions,
            self.encoder(self.model),
            self.cutoffs,
            self.model,
        )


Packed = npt.NDArray[np.uint8]

# The jobs of this process, by their names: unpacked once, whatever sends the tasks.
_jobs: LRUCache[str, _Job] = LRUCache(4)
_jobs_lock = threading.Lock()


def _swept(
    settings: list[Setting], job: _Job, basis: Basis, jobs: int | None, results: Results
) -> Generator[Progress, None, None]:
    known = results.find(basis, settings)
    done, total = 0, len(settings)
    for setting in settings:
        if setting in known:
            done += 1
            yield Progress(known[setting], done, total, done, 0.0, None)
    began = last = time.perf_counter()
    gaps: list[float] = []
    missing = [each for each in settings if each not in known]
    with closing(_measured(missing, job, jobs)) as measured:
        for result in measured:
            results.keep(basis, result)
            done += 1
            now = time.perf_counter()
            gaps.append(now - last)
            last = now
            yield Progress(result, done, total, len(known), now - began, median(gaps))


def _measured(
    settings: list[Setting], job: _Job, jobs: int | None
) -> Generator[Result, None, None]:
    """Results as they are ready; what a dead worker took along is given out again."""
    if not settings:
        return
    # scikit-learn brings it, and it takes a while to import.
    import joblib

    data = pickle.dumps(job)
    name = hashlib.blake2b(data, digest_size=16).hexdigest()
    packed = np.frombuffer(data, dtype=np.uint8)
    with _jobs_lock:
        _jobs[name] = job
    left = dict.fromkeys(settings)
    attempts = 0
    while left:
        parallel: Any = joblib.Parallel(n_jobs=jobs, **UNORDERED)
        tasks = [joblib.delayed(_task)(setting, name, packed) for setting in left]
        trouble = None
        with _stopped(parallel(tasks)) as returned:
            while True:
                try:
                    found = next(returned, None)
                except Exception as error:
                    # A task gives its errors back: a worker died, or the way to it is cut.
                    trouble = error
                    break
                if found is None:
                    break
                if isinstance(found, RagchunkError):
                    raise found
                del left[found.setting]
                attempts = 0
                yield found
        if trouble:
            attempts += 1
            if attempts == ATTEMPTS:
                [why, *_] = str(trouble).splitlines() or [type(trouble).__name__]
                raise RagchunkError(
                    f"Workers died or could not be reached {ATTEMPTS} times in a row ({why}); "
                    f"{len(left):,} settings are left to measure. Those done are kept: run the "
                    "same sweep again to go on, with fewer workers if memory is short."
                ) from trouble


@contextmanager
def _stopped(returned: Any) -> Iterator[Any]:
    """What joblib returns, stopped where it is left, so that no worker goes on for nobody."""
    try:
        yield returned
    finally:
        with warnings.catch_warnings():
            # It advises to ask for less: whoever stops a sweep has seen enough.
            warnings.filterwarnings("ignore", ".* tasks ", UserWarning)
            returned.close()


def _task(setting: Setting, name: str, packed: Packed) -> Result | RagchunkError:
    """Run in a worker: the result, or the error of ours that the sweep is to end with."""
    with _jobs_lock:
        job = _jobs.get(name)
        if job is None:
            job = _jobs[name] = pickle.loads(packed.tobytes())
    try:
        return job.measure(setting)
    except RagchunkError as error:
        return error
    except Exception as error:
        # An error of the program comes again on every worker.
        return RagchunkError(f"{setting.label} could not be measured: {error!r}.")
