"""A sweep on a Dask cluster of two processes on this machine, whose workers are killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import pytest

from ragchunk.evaluation import sweep as sweeping_module
from ragchunk.evaluation.results import Results
from ragchunk.evaluation.sweep import sweep
from ragchunk.evaluation.table import recipe, table_of
from tests.encoders import HashedWords, hashed_words
from tests.required import required
from tests.sweeping import CORPUS, CUTOFFS, QUESTIONS, SETTINGS, same

if not required():
    pytest.importorskip(
        "distributed", reason="cluster tests need distributed: requirements-dev.txt"
    )


def unhurried(name: str) -> HashedWords:
    """Leaves time for a worker to be killed while others wait for it."""
    time.sleep(0.1)
    return HashedWords()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Any]:
    # Any, as its types know neither that the dashboard may be left out nor that it answers at once.
    import distributed

    options: dict[str, Any] = {"processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, local_directory=str(tmp_path), **options
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def jobs_unpacked() -> int:
    return len(sweeping_module._jobs)


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_worker_that_is_killed_changes_nothing(client: Any, tmp_path: Path, deaths: int):
    """With both killed at once the cluster loses the documents, and is given them again."""
    serial = [
        each.result
        for each in sweep(
            SETTINGS, CORPUS, QUESTIONS, cutoffs=CUTOFFS, results=Results(tmp_path / "serial"),
            encoder=hashed_words,
        )
    ]  # fmt: skip
    processes = client.run(os.getpid)
    assert len(set(processes.values()) - {os.getpid()}) == 2
    found = []
    with joblib.parallel_config("dask"):
        for each in sweep(
            SETTINGS, CORPUS, QUESTIONS, cutoffs=CUTOFFS, results=Results(tmp_path / "cluster"),
            jobs=None, encoder=unhurried,
        ):  # fmt: skip
            found.append(each.result)
            if len(found) == 3:
                for process in list(processes.values())[:deaths]:
                    os.kill(process, signal.SIGKILL)
    made = recipe(SETTINGS, CORPUS, QUESTIONS, CUTOFFS)
    one, other = table_of(made, found), table_of(made, serial)
    assert one.labels == other.labels == [each.label for each in SETTINGS]
    same(one.results, other.results)
    assert set(client.run(os.getpid).values()) != set(processes.values())
    assert set(client.run(jobs_unpacked).values()) <= {0, 1}
