"""What the benchmarks share: marks with their targets, texts, and servers ended by pid."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_docs"

# Without the rules of a proxy, as the servers are on this machine.
_LOOPBACK = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass
class Report:
    """What a benchmark found: printed line by line, and kept for --json."""

    as_json: bool
    found: dict[str, Any] = field(default_factory=dict)
    marks: list[dict[str, Any]] = field(default_factory=list)

    def say(self, line: str = "") -> None:
        if not self.as_json:
            print(line, flush=True)

    def keep(self, name: str, value: Any) -> None:
        self.found[name] = value

    def mark(self, name: str, value: float, target: float, unit: str, most: bool) -> str:
        """Keep a figure beside its target; returns `target at most 2.0 x: met`, for the line."""
        met = value <= target if most else value >= target
        row = {"name": name, "value": value, "target": target, "unit": unit}
        self.marks.append({**row, "bound": "at most" if most else "at least", "met": met})
        said = "at most" if most else "at least"
        bound = f"{target:.4g} {unit}".rstrip()
        return f"target {said} {bound}: {'met' if met else 'MISSED'}"

    def skip(self, name: str, why: str) -> None:
        """Say that something was not measured, and why."""
        self.found.setdefault("skipped", {})[name] = why
        self.say(f"  {name}: skipped, {why}")

    def close(self) -> None:
        met = sum(each["met"] for each in self.marks)
        missed = [each["name"] for each in self.marks if not each["met"]]
        self.say(f"\n{met} of {len(self.marks)} marks met." + ("" if not missed else " Missed:"))
        for name in missed:
            self.say(f"  {name}")
        if self.as_json:
            print(json.dumps({**self.found, "marks": self.marks}, indent=1))


def p95(values: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20, method="inclusive")[-1]


def sample_text(characters: int, seed: int = 0) -> str:
    """Text like the sample documents: their paragraphs, shuffled and varied, none twice the same.

    One word in twenty is replaced by one of another place, so that no sentence repeats for long.
    """
    chance = random.Random(seed)
    files = sorted([*SAMPLES.rglob("*.md"), *SAMPLES.rglob("*.txt")])
    paragraphs = [part for f in files for part in f.read_text("utf-8").split("\n\n") if part]
    words = [word for part in paragraphs for word in part.split() if word.isalpha()]
    parts: list[str] = []
    length = 0
    while length < characters:
        lines = chance.choice(paragraphs).split("\n")
        varied = [
            " ".join(
                chance.choice(words) if chance.random() < 0.05 else word for word in line.split(" ")
            )
            for line in lines
        ]
        parts.append("\n".join(varied))
        length += len(parts[-1]) + 2
    return "\n\n".join(parts)[:characters]


def large_document() -> bytes:
    """1 MB of text like the sample documents."""
    return sample_text(1_000_000, seed=7).encode()[:1_000_000].decode("utf-8", "ignore").encode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Server:
    """A Streamlit server on a port of this machine; `started` is by `time.monotonic`."""

    process: subprocess.Popen[bytes]
    port: int
    started: float

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def healthy(self) -> bool:
        try:
            with _LOOPBACK.open(f"{self.url}/_stcore/health", timeout=1) as answer:
                return answer.status == 200
        except OSError:
            return False

    def peak_megabytes(self) -> float | None:
        """The most memory (resident set) it ever had; None where /proc does not say."""
        return self._megabytes("VmHWM")

    def resident_megabytes(self) -> float | None:
        """The memory it has now, pages of mapped files included; None where /proc does not say."""
        return self._megabytes("VmRSS")

    def own_megabytes(self) -> float | None:
        """The same without pages of files, which the system may take back at any time."""
        return self._megabytes("RssAnon")

    def _megabytes(self, line: str) -> float | None:
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        except OSError:
            return None
        lines = dict(each.split(":", 1) for each in status.splitlines() if ":" in each)
        return int(lines[line].split()[0]) * 1_024 / 1e6 if line in lines else None

    def has_mapped(self, library: str) -> bool:
        """Whether a shared library of this name is loaded; False where /proc does not say."""
        try:
            return library in Path(f"/proc/{self.process.pid}/maps").read_text("utf-8")
        except OSError:
            return False

    def cpu_seconds(self) -> float | None:
        """The time all its threads have computed; None where /proc does not say."""
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8")
        except OSError:
            return None
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def streamlit(script: Path, cache: Path | None = None, wait: float = 30) -> Iterator[Server]:
    """Serve a script with the project's settings; the server is ended by its pid.

    cache: the folder of its store; without one, an empty folder that is removed afterwards.
    """
    with ExitStack() as stack:
        if cache is None:
            cache = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield stack.enter_context(_served(script, cache, wait))


@contextmanager
def _served(script: Path, cache: Path, wait: float) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += ["--server.headless", "true", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1"]
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={
            **os.environ,
            "OMP_WAIT_POLICY": "PASSIVE",
            "HF_HUB_OFFLINE": "1",
            "RAGCHUNK_CACHE": str(cache),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server = Server(process, port, started)
    try:
        while not server.healthy():
            if process.poll() is not None:
                raise RuntimeError(f"streamlit run {script} ended with code {process.returncode}.")
            if time.monotonic() - started > wait:
                raise RuntimeError(f"streamlit run {script} did not answer within {wait} seconds.")
            time.sleep(0.02)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
