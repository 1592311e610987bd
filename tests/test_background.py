"""Work beside the page: it goes on while somebody waits, and stops at its next step."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from ragchunk.background import Background


def test_steps_are_taken_and_the_last_is_known():
    with Background(iter([1, 2, 3])) as work:
        assert work.ends_within(20)
        assert work.last == 3


def test_before_the_first_step_nothing_is_known():
    gate = threading.Event()

    def steps() -> Iterator[int]:
        assert gate.wait(20)
        yield 1

    with Background(steps()) as work:
        assert not work.ends_within(0)
        assert work.last is None
        gate.set()
        assert work.ends_within(20)


def test_who_leaves_stops_it_at_the_next_step_and_the_steps_are_closed():
    taken, go_on, closed = [], threading.Event(), threading.Event()

    def steps() -> Iterator[int]:
        try:
            for number in range(100):
                taken.append(number)
                yield number
                assert go_on.wait(20)
        finally:
            closed.set()

    with Background(steps()) as work:
        while work.last is None:
            work.ends_within(0.01)
    go_on.set()
    assert closed.wait(20)
    assert len(taken) <= 2


def test_what_a_step_raises_reaches_who_waits():
    def steps() -> Iterator[int]:
        yield 1
        raise ValueError("no memory")

    with Background(steps()) as work, pytest.raises(ValueError, match="no memory"):
        work.ends_within(20)


@pytest.mark.model
def test_a_process_that_ends_while_the_model_works_ends_cleanly():
    """Daemon threads inside torch would end it with an abort."""
    code = (
        "from ragchunk import load_encoder\n"
        "encoder = load_encoder()\n"
        "encoder.token_pass.want(['Bees dance for a house. ' * 4_000])\n"
        "import time\n"
        "while not encoder.ready: time.sleep(0.05)\n"
        "time.sleep(0.3)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
