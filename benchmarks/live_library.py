"""The library's half of `live.py`: encoding, the token pass, storing, and late vectors of 1 MB."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.common import Report, p95, sample_text
from ragchunk import STRATEGIES, Document, chunk, tokens, top_hits
from ragchunk.embedding import ModelEncoder
from ragchunk.late import TokenSums, plan
from ragchunk.models import fingerprint, read_model, token_outputs
from ragchunk.state import PageState
from ragchunk.store import Store
from ragchunk.token_pass import LAYOUT, WINDOWS
from ragchunk.tokens import DEFAULT_MODEL, max_tokens

# What the outputs of a text are kept under (token_pass.py).
KEY = f"{fingerprint(DEFAULT_MODEL)} {LAYOUT}"
QUESTION = PageState().query
OVERLAP = 30
SIZES = range(110, 160)  # words: about 2,000 chunks of 1 MB


class Models:
    """The model as ragchunk has it, with an empty store, and as sentence-transformers has it."""

    def __init__(self, folder: Path) -> None:
        self.ours = ModelEncoder(DEFAULT_MODEL, Store(folder))
        self.ours.load()
        self.plain, _ = read_model(DEFAULT_MODEL)


@dataclass
class Times:
    """What some work took, round by round: on the clock, and computed on all cores, in seconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def take(self, work: Callable[[], object]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)


def in_turn(contenders: Sequence[tuple[Times, Callable[[], object]]], number: int) -> None:
    """One round: the contenders one after the other, every other round the other way round."""
    for times, work in contenders[:: 1 if number % 2 else -1]:
        times.take(work)


def ratios(one: Times, other: Times) -> tuple[float, float]:
    """How much longer the one took, medians over the rounds: by the clock, and computed."""
    by_clock = median(a / b for a, b in zip(one.wall, other.wall, strict=True))
    return by_clock, median(a / b for a, b in zip(one.cpu, other.cpu, strict=True))


# Encoding


def measure_encoding(report: Report, models: Models, quick: bool) -> None:
    """Texts a second beside plain `encode` with its defaults, distinct texts and with repeats."""
    many = 48 if quick else 128
    fresh = count(100)
    report.say(f"\nEncoding {many} new texts, in turn, texts a second (medians)")
    for what, repeats in (("distinct texts of mixed lengths", 1), ("each text twice", 2)):
        rounds = 3 - repeats if quick else 7
        ours, plain = Times(), Times()
        for number in range(rounds):
            texts = mixed_texts(many // repeats, next(fresh)) * repeats
            random.Random(number).shuffle(texts)
            mine = partial(models.ours.encode, texts)
            in_turn([(ours, mine), (plain, partial(models.plain.encode, texts))], number)
        ratio, computed = ratios(plain, ours)
        speed = many / median(ours.wall)
        line = f"  {what:31} ragchunk {speed:6.1f}, plain encode {many / median(plain.wall):6.1f}"
        line += f", ratio {ratio:.2f} (of the time computed: {computed:.2f})"
        report.keep(f"encoding, {what}", {"ratio": ratio, "texts_per_second": speed})
        if repeats == 1:
            line += "   " + report.mark(f"encoding, {what}", ratio, 1.4, "x", most=False)
        report.say(line)


def mixed_texts(many: int, seed: int) -> list[str]:
    """Distinct texts of 40 to 1,600 characters: as many between 40 and 80 as from 800 up."""
    chance = random.Random(seed)
    text = sample_text(200_000, seed)
    lengths = [int(40 * 40 ** chance.random()) for _ in range(many)]
    starts = [chance.randrange(len(text) - 1_600) for _ in lengths]
    return [f"{n} {text[s : s + m]}" for n, (s, m) in enumerate(zip(starts, lengths, strict=True))]


# The token pass


def measure_token_pass(report: Report, models: Models, quick: bool) -> str:
    """A token pass beside plain encoding of the same text; returns a text that was read."""
    chunks, rounds = (8, 3) if quick else (32, 7)
    size = max_tokens(DEFAULT_MODEL)
    passes, plain = Times(), Times()
    text = ""
    for number in range(rounds):
        text = first_tokens(sample_text(chunks * 2_000, seed=200 + number), chunks * size)
        starts = [*tokens.token_starts(text), len(text)]
        edges = [starts[at] for at in range(0, chunks * size + 1, size)]
        pieces = [text[start:end] for start, end in pairwise(edges)]
        encode = partial(models.plain.encode, pieces, batch_size=WINDOWS)
        in_turn([(passes, partial(models.ours.token_sums, text)), (plain, encode)], number)
    ratio, computed = ratios(passes, plain)
    said = report.mark("token pass", ratio, 2.3, "x", most=True)
    report.say(
        f"\nToken pass of {chunks * size:,} tokens {median(passes.wall):.2f} s; plain encode of "
        f"the same, {chunks} chunks of {size} tokens, {median(plain.wall):.2f} s; both in batches "
        f"of {WINDOWS}, {rounds} rounds in turn"
    )
    report.say(f"  ratio {ratio:.2f} (of the time computed: {computed:.2f})   {said}")
    report.keep("token_pass_tokens_per_second", chunks * size / median(passes.wall))
    return text


def first_tokens(text: str, many: int) -> str:
    """The start of a text, as long as so many tokens."""
    return text[: tokens.token_starts(text)[many]]


def float32_outputs(models: Models, text: str) -> npt.NDArray[np.float32]:
    """What a token pass gives before it is made smaller for the store."""
    ids = tokens.token_ids(text)
    windows = plan(len(ids), max_tokens(DEFAULT_MODEL))
    kept = []
    for at in range(0, len(windows), WINDOWS):
        some = windows[at : at + WINDOWS]
        read = token_outputs(models.plain, [ids[w.first : w.last] for w in some], DEFAULT_MODEL)
        kept += [o[w.take - w.first : w.until - w.first] for w, o in zip(some, read, strict=True)]
    return np.concatenate(kept)


# Storing


def prepare(report: Report, models: Models, cache: Path, text: str, read: str, full: bool) -> None:
    """Put the token outputs of 1 MB into a store: real ones, or those of `read` over and over."""
    store = Store(cache)
    started = time.perf_counter()
    if full:
        ModelEncoder(DEFAULT_MODEL, store).token_sums(text)
        report.say(f"\nToken pass of 1 MB: {time.perf_counter() - started:.0f} s")
        return
    some = models.ours.store.outputs(KEY, read)
    assert some is not None
    windows = plan(len(tokens.token_starts(text)), max_tokens(DEFAULT_MODEL))
    parts = [windows[at : at + WINDOWS] for at in range(0, len(windows), WINDOWS)]
    for number, part in enumerate(parts):
        rows = np.arange(part[0].take, part[-1].until) % len(some)
        store.keep_part(KEY, text, number, some[rows])
    store.finish(KEY, text, len(parts))
    report.say(
        f"\n(The token outputs of 1 MB are the real ones of {len(some):,} tokens, repeated to "
        f"{parts[-1][-1].until:,}: --full reads the text instead, which takes minutes.)"
    )


def measure_storing(
    report: Report, models: Models, cache: Path, text: str, read: str, quick: bool
) -> None:
    """What storing costs: cosine, bytes, and the exactness of what is pooled from it."""
    stored = models.ours.store.outputs(KEY, read)
    assert stored is not None
    exact = float32_outputs(models, read)
    spans = random_spans(len(exact), 500 if quick else 2_000)
    cosines = [cosine(mean(exact, start, end), mean(stored, start, end)) for start, end in spans]
    lost = 1 - min(cosines)
    report.say(f"\nStoring token outputs in half precision, {len(spans):,} spans of 1 token to all")
    said = report.mark("cosine lost by storing", lost, 1e-3, "", most=True)
    report.say(f"  cosine with the mean of the model's own outputs: at least {min(cosines):.7f}")
    report.say(f"  lost {lost:.1e}   {said}")

    outputs = Store(cache).outputs(KEY, text)
    assert outputs is not None
    size = outputs.nbytes / 1e6 / (len(text.encode()) / 1e6)
    said = report.mark("stored megabytes for a megabyte of text", size, 250, "MB", most=True)
    report.say(f"  {size:.0f} MB for a MB of text   {said}")

    many = len(outputs)
    sums = TokenSums(np.arange(many), outputs, np.ones(many, dtype=bool))
    spans = [*random_spans(many, 50 if quick else 500), (0, many)]
    pooled = sums.vectors(spans)
    off = max(
        float(np.abs(vector - unit(mean(outputs, start, end))).max())
        for vector, (start, end) in zip(pooled, spans, strict=True)
    )
    said = report.mark("pooled vectors and the float64 mean", off, 1e-5, "", most=True)
    report.say(f"  pooled over 1 MB, beside the mean in float64: at most {off:.1e} off   {said}")
    report.say(f"  memory of the sums of 1 MB: {sums.nbytes / 1e6:.0f} MB")


def random_spans(many: int, spans: int) -> list[tuple[int, int]]:
    """Spans of a list: their lengths from 1 to all of it, as many short ones as long ones."""
    chance = random.Random(0)
    found = [(0, 1), (many - 1, many), (0, many)]
    while len(found) < spans:
        length = min(many, int(many ** chance.random()))
        start = chance.randrange(many - length + 1)
        found.append((start, start + length))
    return found


def mean(rows: npt.NDArray[Any], start: int, end: int) -> npt.NDArray[np.float64]:
    return rows[start:end].mean(axis=0, dtype=np.float64)


def unit(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return vector / np.linalg.norm(vector)


def cosine(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    return float(unit(one) @ unit(other))


# Any size, at once


def measure_sizes(report: Report, models: Models, cache: Path, text: str, quick: bool) -> None:
    """Cut, pool and rank 1 MB at sizes not seen before, beside encoding the chunks again."""
    rounds, sampled = (9, 12) if quick else (25, 96)
    encoder = ModelEncoder(DEFAULT_MODEL, Store(cache))  # its model is never loaded
    documents = [Document("large.md", text)]
    report.say(f"\n1 MB: cut anew, pool late vectors, rank one question, {rounds} new sizes")
    for name in ("window", "paragraphs"):
        sizes = iter(SIZES)
        answer(documents, encoder, name, next(sizes))  # finds the words, the sums, the question
        times, again = Times(), Times()
        for _ in range(rounds):
            times.take(partial(answer, documents, encoder, name, next(sizes)))
        size = next(sizes)
        texts = [each.text for each in cut(documents, name, size)]
        again.take(partial(models.ours.encode, random.Random(0).sample(texts, sampled)))
        took, all_again = median(times.wall), again.wall[0] / sampled * len(texts)
        label = f"{STRATEGIES[name].label}, {SIZES[1]} to {size - 1} words"
        report.say(f"  {label}, {len(texts):,} chunks at {size}")
        said = report.mark(f"1 MB at a new size, {name}", took * 1e3, 100, "ms", most=True)
        report.say(
            f"    median {took * 1e3:.1f} ms, p95 {p95(times.wall) * 1e3:.1f} ms "
            f"(computed: {median(times.cpu) * 1e3:.1f} ms)   {said}"
        )
        said = report.mark(f"encoding again, {name}", all_again / took, 200, "x", most=False)
        report.say(
            f"    encoding the chunks again {all_again:.0f} s (scaled from {sampled} of them at "
            f"random, none in the store): {all_again / took:,.0f} times as long   {said}"
        )
        report.keep(f"1 MB, {name}", {"ms": took * 1e3, "encoding_again_s": all_again})


def cut(documents: list[Document], name: str, size: int) -> list:
    return chunk(documents, STRATEGIES[name](size=size, overlap=OVERLAP, unit="words"))


def answer(documents: list[Document], encoder: ModelEncoder, name: str, size: int) -> list:
    chunks = cut(documents, name, size)
    return top_hits(QUESTION, chunks, encoder, 5, "late", documents)
