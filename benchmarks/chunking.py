"""How fast texts are cut, beside plain slicing and LangChain's splitters, and how time grows.

    python benchmarks/chunking.py [--quick] [--json]

*Speed.* `ragchunk.chunk` makes all chunks of one text like the sample documents: spans, slices,
real overlap, oversized or not. Cold is a text that was never seen before, warm the same one again:
what was found in it (words, tokens, sentences) is remembered. MB are millions of UTF-8 bytes. The
contenders take turns in each round, and a figure is the median over the rounds. Timed is what the
thread computes, not the clock on the wall, as other programs may want the same cores.

*Growth.* t(4n) / t(n) for every strategy and unit on ordinary and on nasty texts, each text cold
(no two have the same length). n is doubled until a cut takes long enough to be timed.
The two lengths take turns; the figure is the median ratio over the rounds.

A missed mark is printed as missed; the exit code is 0 all the same.
"""

from __future__ import annotations

import argparse
import gc
import logging
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.common import Report, sample_text
from ragchunk import STRATEGIES, Document, chunk, chunk_text
from ragchunk.units import UNITS

SIZES = {"characters": (800, 200), "words": (120, 30), "tokens": (200, 40)}
# Millions of bytes a second. The issue names characters, paragraphs and words; paragraphs counted
# in words first have to find the words. Tokens have no mark: the tokenizer's speed decides.
TARGETS = {
    ("window", "characters"): 20,
    ("paragraphs", "characters"): 20,
    ("window", "words"): 5,
    ("paragraphs", "words"): 5,
}
MOST_GROWTH = 5
GROWTH_SETTINGS = [(40, 10), (400, 100)]

Cutter = Callable[[str], Any]


def ragchunk_cutters() -> dict[tuple[str, str], Cutter]:
    """Strategy and unit to a function that makes the chunks; the whole document has no unit."""
    return {
        (name, unit): _cutter(name, unit, *SIZES[unit])
        for name in STRATEGIES
        for unit in (UNITS if name != "whole" else ("characters",))
    }


def _cutter(name: str, unit: str, size: int, overlap: int) -> Cutter:
    kind = STRATEGIES[name]
    strategy = kind() if name == "whole" else kind(size=size, overlap=overlap, unit=unit)
    return lambda text: chunk([Document("text", text)], strategy)


def slices(text: str) -> list[str]:
    """Plain slicing: what no splitter can beat by much."""
    size, overlap = SIZES["characters"]
    return [text[start : start + size] for start in range(0, len(text), size - overlap)]


def langchain_cutters(report: Report) -> dict[str, Cutter]:
    names = ("CharacterTextSplitter", "RecursiveCharacterTextSplitter")
    if find_spec("langchain_text_splitters") is None:
        for name in names:
            report.skip(name, "langchain-text-splitters is not installed")
        return {}
    import langchain_text_splitters

    # It warns of each paragraph that is larger than the size.
    logging.getLogger("langchain_text_splitters").setLevel(logging.ERROR)
    size, overlap = SIZES["characters"]
    return {
        f"LangChain {name}": getattr(langchain_text_splitters, name)(
            chunk_size=size, chunk_overlap=overlap
        ).split_text
        for name in names
    }


def seconds(cut: Cutter, text: str) -> float:
    """The time this thread computes, so that other programs on the machine count for little."""
    start = time.thread_time()
    cut(text)
    return time.thread_time() - start


def measure_speed(report: Report, quick: bool) -> None:
    length, rounds = (400_000, 5) if quick else (2_000_000, 9)
    ours = ragchunk_cutters()
    other: dict[str, Cutter] = {
        "plain slicing": slices,
        "chunk_text": lambda text: chunk_text(text, *SIZES["characters"]),
        **langchain_cutters(report),
    }
    cold: dict[Any, list[float]] = {name: [] for name in (*ours, *other)}
    warm: dict[Any, list[float]] = {name: [] for name in ours}
    # The first calls read the tokenizer and compile patterns, which no text pays for again.
    for cut in (*ours.values(), *other.values()):
        cut(sample_text(5_000, seed=1))
    base = sample_text(length, seed=2)
    megabytes = len(base.encode()) / 1e6
    fresh = count()
    for _ in range(rounds):
        for name, cut in (*ours.items(), *other.items()):
            text = f"{next(fresh):09d}{base}"  # a text of its own: nothing in it is remembered
            cold[name].append(seconds(cut, text))
            if name in warm:
                warm[name].append(seconds(cut, text))
    report.keep("text_megabytes", megabytes)
    report.say(f"Speed, {megabytes:.1f} MB in {rounds} rounds, MB/s (medians)")
    report.say(f"  {'':44}{'cold':>8}{'warm':>9}   cold time by plain slicing's")
    floor = median(cold["plain slicing"])
    speeds: dict[str, Any] = {}
    for name in cold:
        label = name if isinstance(name, str) else f"{name[0]}, {name[1]}"
        first = megabytes / median(cold[name])
        again = megabytes / median(warm[name]) if name in warm else None
        by_slicing = median(cold[name]) / floor
        speeds[label] = {"cold": first, "warm": again, "time_by_slicing": by_slicing}
        line = f"  {label:44}{first:8,.1f}{again or first:9,.1f}{by_slicing:10,.1f} x"
        if name in TARGETS:
            line += "   cold: " + report.mark(
                f"{label}, cold", first, TARGETS[name], "MB/s", most=False
            )
            line += "; warm: " + report.mark(
                f"{label}, warm", again or first, TARGETS[name], "MB/s", most=False
            )
        report.say(line)
    report.keep("speed", speeds)


def _repeated(unit: str) -> Callable[[int], str]:
    return lambda length: (unit * (length // len(unit) + 1))[:length]


_PROSE = sample_text(100_000, seed=3)
TEXTS: dict[str, Callable[[int], str]] = {
    "ordinary text": _repeated(_PROSE),
    "one long line": _repeated(_PROSE.replace("\n", " ")),
    "one long word": _repeated("abcdefghij"),
    "flags": _repeated("🇩🇪🇫🇷🇯🇵"),
    "combining marks": _repeated("e\u0301\u0302\u0323\u0331"),
    "one letter, all marks": lambda length: "e" + "\u0301" * (length - 1),
    "CJK without spaces": _repeated("検索の結果は文書の切り方で変わる。"),
    "CJK without full stops": _repeated("検索結果文書切方変"),
    "Thai": _repeated("การแบ่งข้อความเป็นส่วนเล็กๆช่วยให้ค้นหาได้ดีขึ้น"),
    "CRLF": _repeated("One line.\r\nAnother one\r\n\r\n"),
    "emoji families": _repeated("👨‍👩‍👧‍👦👩🏽‍🚀"),
    # White space alone is no text, so one letter stands at each end.
    "blank lines only": lambda length: "a" + _repeated("\n \t\n\r\n")(length - 2) + "b",
    "full stops only": _repeated("."),
    "spaces only": lambda length: "a" + " " * (length - 2) + "b",
}


def measure_growth(report: Report, quick: bool) -> None:
    rounds, enough, most = (3, 0.005, 64_000) if quick else (7, 0.02, 400_000)
    settings = GROWTH_SETTINGS[:1] if quick else GROWTH_SETTINGS
    report.say(f"\nGrowth t(4n) / t(n), median of {rounds} rounds; target at most {MOST_GROWTH}")
    ratios: dict[str, float] = {}
    for size, overlap in settings:
        for name in STRATEGIES:
            for unit in UNITS if name != "whole" else ("characters",):
                cut = _cutter(name, unit, size, overlap)
                label = "whole" if name == "whole" else f"{name}, {unit}, {size}/{overlap}"
                if label in {each.split(" | ")[0] for each in ratios}:
                    continue
                line = _growth_line(report, label, cut, rounds, enough, most, ratios)
                report.say(line)
    report.keep("growth", ratios)


def _growth_line(
    report: Report,
    label: str,
    cut: Cutter,
    rounds: int,
    enough: float,
    most: int,
    ratios: dict[str, float],
) -> str:
    """One strategy on all texts; the line names the worst text and all that miss the target."""
    own: dict[str, float] = {}
    times: dict[str, tuple[int, float, float]] = {}
    for kind, make in TEXTS.items():
        n, n_times, ratio = growth(cut, make, rounds, enough, most)
        own[kind] = ratios[f"{label} | {kind}"] = ratio
        times[kind] = (n, *n_times)
        report.mark(f"growth of {label}: {kind}", ratio, MOST_GROWTH, "x", most=True)
    worst = max(own, key=own.__getitem__)
    line = f"  {label:34} worst {own[worst]:5.2f} ({worst}), median {median(own.values()):.2f}: "
    missed = [kind for kind in own if own[kind] > MOST_GROWTH]
    if not missed:
        return line + "met on all texts"
    return line + "".join(
        f"\n    MISSED on {kind}: {own[kind]:.2f} x, {times[kind][1] * 1e3:,.1f} ms for "
        f"{times[kind][0]:,} characters, {times[kind][2] * 1e3:,.1f} ms for four times as many"
        for kind in missed
    )


# Every text of this run has a length of its own, so that no strategy finds what another has left.
_extra = count()


def growth(
    cut: Cutter, make: Callable[[int], str], rounds: int, enough: float, most: int
) -> tuple[int, tuple[float, float], float]:
    """n, the median seconds for n and 4n characters, and the median ratio."""

    def cold(length: int) -> float:
        return seconds(cut, make(length + next(_extra)))

    gc.collect()
    gc.freeze()  # what earlier cuts left in memory is not gone through again and again
    n = 4_000
    while n < most and cold(n) < enough:
        n *= 2
    # The short text four times for each long one, so that both are looked at for as long.
    pairs = [(median(cold(n) for _ in range(4)), cold(4 * n)) for _ in range(rounds)]
    once, four = (median(times) for times in zip(*pairs, strict=True))
    return n, (once, four), median(long / short for short, long in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="less text and rounds, under 50 s")
    parser.add_argument("--json", action="store_true", help="figures and marks as JSON")
    asked = parser.parse_args()
    report = Report(asked.json)
    started = time.monotonic()
    measure_speed(report, asked.quick)
    measure_growth(report, asked.quick)
    report.keep("seconds", time.monotonic() - started)
    report.say(f"\nTook {time.monotonic() - started:.0f} s.")
    report.close()


if __name__ == "__main__":
    main()
