"""Work that goes on beside the page, and stops when nobody waits for it any more."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, TypeVar

Step = TypeVar("Step")

# Set when the process ends: whoever works in a thread stops at the next step.
ending = threading.Event()

_threads: set[threading.Thread] = set()


def start(work: Callable[[], None]) -> threading.Thread:
    """Do something in a thread that the end of the process waits for.

    A thread that is inside the model when Python shuts down would bring the process down with an
    abort, so it is given the time to come out: a step, or the rest of loading the model.
    """
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    _threads.difference_update([each for each in _threads if not each.is_alive()])
    _threads.add(thread)
    return thread


@atexit.register
def _end() -> None:
    ending.set()
    for thread in list(_threads):
        thread.join(timeout=20)


class Background(Generic[Step]):
    """The steps of an iterator, taken in a thread for as long as the `with` block lasts.

    last: what the last step gave, None before the first.
    """

    def __init__(self, steps: Iterator[Step]) -> None:
        self.last: Step | None = None
        self._steps = steps
        self._error: Exception | None = None
        self._stopped = False
        self._ended = threading.Event()

    def __enter__(self) -> Background[Step]:
        start(self._take)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop at the next step, without waiting for it."""
        self._stopped = True

    def ends_within(self, seconds: float) -> bool:
        """Wait that long at most; whether all steps are taken. Raises what a step raised."""
        ended = self._ended.wait(seconds)
        if self._error is not None:
            raise self._error
        return ended

    def _take(self) -> None:
        try:
            for step in self._steps:
                self.last = step
                if self._stopped or ending.is_set():
                    break
        except Exception as error:  # raised again where somebody waits
            self._error = error
        finally:
            close = getattr(self._steps, "close", None)
            if close is not None:
                close()
            self._ended.set()
