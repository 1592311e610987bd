"""Six lessons on chunking: what is asked, what is moved, and what comes of it.

A lesson states no result. Its answer is worked out by the same functions that cut and search the
person's own documents, so it holds for the text and the model that are here.

    lesson = LESSONS[2]                      a sentence cut in half
    answer = lesson.answer(None)             computed; lessons of the model take an encoder
    answer.right                             one of lesson.options
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np

from ragchunk.chunks import Chunk, chunk
from ragchunk.documents import Document, read_bytes
from ragchunk.embedding import Encoder, embed, embed_query
from ragchunk.errors import ModelError
from ragchunk.evaluation.questions import Answer as KnownAnswer
from ragchunk.evaluation.verdict import verdict
from ragchunk.figures import Sentences, sentence_fates
from ragchunk.markup import cosine, count, percent
from ragchunk.reading import Reading, reading
from ragchunk.search import Hit, cosines, top_hits, unique_share
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span, shared
from ragchunk.strategies import Whole, Window
from ragchunk.tokens import max_tokens, token_starts

SAMPLES = Path(__file__).parents[1] / "sample_docs"

DOCKER = "Docker packs the app. Nginx sits in front. Env vars hold the secrets."
DOCKER_SIZE = 30

# Of five sample documents, one passage each.
PASSAGES = (
    "Environment variables hold whatever differs between your laptop and the server. To set them, "
    "write one `NAME=value` pair per line into a file called `.env`",
    "The starter is ready when a spoonful of it floats in a glass of water.",
    "She runs in a straight line, shaking her body, then circles back and runs again.",
    "On Mercator's sheet it looks about as large as Africa, which in truth is fourteen times its "
    "size.",
    "Copies up to A3 are ready in three working days, large maps in two weeks.",
)

VARIABLES_QUESTION = "how do I set environment variables?"
VARIABLES_ANSWER = (
    "To set them, write one `NAME=value` pair per line into a file called `.env`, keep that file "
    "out of version control, and name it under `env_file` in the Compose file. Then run `docker "
    "compose up -d`; a plain restart keeps the old values."
)
OVERLAP_QUESTION = "is overlap between chunks worth it?"
COST_SIZE = 160
COST_HITS = 3
FILLER = " bananas"


@dataclass(frozen=True)
class Control:
    """The slider of a lesson; the question is about `target`, and it begins at `start`."""

    label: str
    least: int
    most: int
    step: int
    start: int
    target: int

    @property
    def positions(self) -> range:
        """All it can be set to."""
        return range(self.least, self.most + 1, self.step)

    def reached(self, value: int) -> bool:
        """Whether a move from the start to `value` comes to the target, or goes past it."""
        return min(self.start, value) <= self.target <= max(self.start, value)


@dataclass(frozen=True)
class Answer:
    """`right` is the option that came true; then what happened, the law, and where it fails."""

    right: str
    told: str
    law: str
    fails: str


@dataclass(frozen=True)
class Lesson:
    """One idea: a question, the options to choose from, a slider, and how the answer is found.

    `needs` are the texts the model must have read before `value` can be drawn, with the way they
    are read; empty for a lesson without a model.
    """

    title: str
    question: str
    setting: str
    options: tuple[str, ...]
    control: Control
    answer: Callable[[Encoder | None], Answer]
    needs: Callable[[int], list[tuple[list[str], str]]] | None = None

    @property
    def needs_model(self) -> bool:
        return self.needs is not None


def sample(name: str) -> str:
    """The text of a sample document."""
    return read_bytes(name, (SAMPLES / name).read_bytes()).text


def _required(encoder: Encoder | None) -> Encoder:
    if encoder is None:
        raise ModelError("This lesson needs the embedding model: give it an encoder.")
    return encoder


# 1. Confetti


@dataclass(frozen=True)
class BestHit:
    """The best hit of a question, and `share`, how much of the known answer it holds, 0 to 1."""

    text: str
    spans: list[Span]
    hit: Hit
    answer: KnownAnswer
    share: float
    verdict: str


@cache
def confetti_document() -> Document:
    """Some sections of the deployment post, with the passage on environment variables."""
    text = sample("deployment.md")
    start, end = text.index("## Choosing a machine"), text.index("## The proxy in front")
    return Document("deployment.md", text[start:end].rstrip())


def confetti_chunks(size: int) -> list[Chunk]:
    """The post in fixed windows of `size` characters, without overlap."""
    return chunk([confetti_document()], Window(size=size))


def best_hit(size: int, encoder: Encoder) -> BestHit:
    """What the question on environment variables finds in chunks of `size` characters."""
    source, text = confetti_document()
    chunks = confetti_chunks(size)
    hits = top_hits(VARIABLES_QUESTION, chunks, encoder, k=3)
    start = text.index(VARIABLES_ANSWER)
    answer = KnownAnswer(source, start, start + len(VARIABLES_ANSWER), VARIABLES_ANSWER)
    best = hits[0].chunk
    held = shared((best.start, best.end), (answer.start, answer.end))
    return BestHit(
        text=text,
        spans=[Span(each.start, each.end) for each in chunks],
        hit=hits[0],
        answer=answer,
        share=held / len(VARIABLES_ANSWER),
        verdict=verdict([answer], hits, [hit.chunk.end for hit in hits], len(hits)),
    )


def confetti_option(score: float, share: float, score_before: float) -> str:
    """Which of the four options of the first lesson came true."""
    higher = "higher" if score > score_before else "lower"
    return f"{higher}, {'answer kept' if share == 1 else 'answer lost'}"


def _confetti_answer(encoder: Encoder | None) -> Answer:
    encoder = _required(encoder)
    control = CONFETTI.control
    before, after = best_hit(control.start, encoder), best_hit(control.target, encoder)
    next_up = control.target + control.step
    uneven = best_hit(next_up, encoder)
    return Answer(
        confetti_option(after.hit.score, after.share, before.hit.score),
        f"At {control.start} characters the best hit scores {cosine(before.hit.score)} and holds "
        f"{percent(before.share)} of the answer. At {control.target} it scores "
        f"{cosine(after.hit.score)} and holds {percent(after.share)}.",
        f"A chunk can answer only with what stands in it, and {len(VARIABLES_ANSWER)} characters "
        f"of answer fit in no chunk of {control.target}. Cosine says what a text is about, not "
        "that it answers.",
        "A name or a date fits in a short chunk, and short chunks find it well. Nor does the score "
        f"climb evenly: it hangs on where the cuts fall, and at {next_up} characters it is "
        f"{cosine(uneven.hit.score)}.",
    )


def _confetti_needs(size: int) -> list[tuple[list[str], str]]:
    return [([each.text for each in confetti_chunks(size)], "plain")]


# 2. Whole files


@dataclass(frozen=True)
class Blur:
    """What is left of the first passage in a chunk of several.

    `mean` is the cosine of its vector with the mean of all, `whole` with the vector of the chunk
    read in one go; `question` is the cosine of the mean with the question the passage answers.
    """

    mean: float
    whole: float
    question: float


def mean_cosine(rows: np.ndarray) -> float:
    """The cosine of the first row with the mean of all rows, each of unit length."""
    mean = rows.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return float(rows[0] @ mean) / length if length else 0.0


def blur(passages: int, encoder: Encoder) -> Blur:
    """One vector for the first `passages` passages."""
    rows = embed(PASSAGES[:passages], encoder)
    mean = rows.mean(axis=0)
    mean /= np.linalg.norm(mean) or 1
    joined = embed(["\n\n".join(PASSAGES[:passages])], encoder)
    query = embed_query(VARIABLES_QUESTION, encoder)
    return Blur(
        mean=mean_cosine(rows),
        whole=float(cosines(rows[0], joined)[0]),
        question=float(cosines(query, mean[None])[0]),
    )


@cache
def _windows() -> list[str]:
    """The deployment post in windows as long as the model reads."""
    text = sample("deployment.md")
    size = max_tokens()
    return [text[start:end] for start, end in Window(size=size, unit="tokens").spans(text)]


def window_cosines(encoder: Encoder, numbers: Sequence[int] = (2, 4, 8)) -> list[float]:
    """The cosine of a post's first window with the mean of its first 2, 4 and 8."""
    rows = embed(_windows(), encoder)
    return [mean_cosine(rows[:number]) for number in numbers]


def _files_answer(encoder: Encoder | None) -> Answer:
    encoder = _required(encoder)
    control = WHOLE_FILES.control
    alone, together = blur(control.start, encoder), blur(control.target, encoder)
    same = window_cosines(encoder)
    return Answer(
        nearest(together.mean, WHOLE_FILES.options),
        f"With {control.target} subjects in one vector the cosine with the passage is "
        f"{cosine(together.mean)}. The question that it answers falls from "
        f"{cosine(alone.question)} to {cosine(together.question)}.",
        "Unrelated passages have cosines near 0, and the mean of n of them keeps 1/√n of each: "
        f"1/√{control.target} is {cosine(1 / sqrt(control.target))}. One vector cannot point in "
        f"{control.target} directions.",
        "Passages of one document are alike, so a mean keeps more. The first window of "
        "deployment.md with the mean of 2, 4, 8 of its windows: "
        f"{', '.join(map(cosine, same))}. To find the file, that often does.",
    )


def _files_needs(passages: int) -> list[tuple[list[str], str]]:
    texts = [*PASSAGES[:passages], "\n\n".join(PASSAGES[:passages])]
    if passages == WHOLE_FILES.control.target:
        texts += _windows()
    return [(texts, "plain")]


# 3. A sentence cut in half


def docker_windows(overlap: int) -> list[Span]:
    """The Docker text in fixed windows of 30 characters."""
    return Window(size=DOCKER_SIZE, overlap=overlap).spans(DOCKER)


def fates(overlap: int) -> Sentences:
    """What becomes of the sentences of the Docker text."""
    return sentence_fates(DOCKER, docker_windows(overlap))


def survivors(overlap: int) -> int:
    """How many sentences stand whole in at least one window."""
    fate = fates(overlap)
    return fate.total - fate.lost


def guaranteed(overlap: int) -> int:
    """The longest sentence, in characters, that a fixed window cannot lose wherever it stands.

    A sentence begins at most size - overlap - 1 characters behind the start of a window, which
    leaves it size - (size - overlap - 1).
    """
    return overlap + 1


def _sentence_answer(encoder: Encoder | None) -> Answer:
    control = CUT_SENTENCE.control
    now, before = survivors(control.target), survivors(control.start)
    lengths = [end - start for start, end in sentence_spans(DOCKER)]
    again = [each for each in control.positions if each > control.target and fates(each).lost]
    safe = max(lengths) - 1
    return Answer(
        str(now),
        f"At overlap {control.target}, {now} of {len(lengths)} sentences stand whole in a chunk; "
        f"at overlap {control.start}, {before} of {len(lengths)}.",
        "With fixed windows a sentence is guaranteed whole, wherever it stands, exactly when it is "
        f"at most overlap + 1 characters long: here {guaranteed(control.target)}. These have "
        f"{_listed(lengths)}; the rest is luck.",
        f"Luck turns: overlap {again[0]} loses {count(fates(again[0]).lost, 'sentence')} again, "
        f"and only from {safe} on are all of them safe. Chunks that end where sentences end lose "
        "none that fits, without any overlap.",
    )


# 4. The redundant tail


def plain_loop(length: int, size: int, overlap: int) -> list[Span]:
    """The windows of the loop in many tutorials: one at each step, until the text ends."""
    starts = range(0, length, size - overlap)
    return [Span(start, min(start + size, length)) for start in starts]


def redundant(windows: Sequence[Span]) -> list[int]:
    """The positions of windows that lie wholly inside the one before them."""
    return [
        number
        for number in range(1, len(windows))
        if windows[number].end <= windows[number - 1].end
    ]


def docker_loop(overlap: int) -> list[Span]:
    """The plain loop on the Docker text, at size 30."""
    return plain_loop(len(DOCKER), DOCKER_SIZE, overlap)


def _tail_answer(encoder: Encoder | None) -> Answer:
    control = REDUNDANT_TAIL.control
    plain, ours = docker_loop(control.target), docker_windows(control.target)
    extra = redundant(plain)
    last = DOCKER[slice(*plain[-1])].replace(" ", "\u00a0")  # a quoted space stays with its quote
    most = max(control.positions, key=lambda overlap: len(redundant(docker_loop(overlap))))
    return Answer(
        str(len(extra)),
        f"The plain loop makes {count(len(plain), 'window')}. The last one, “{last}”, "
        f"lies wholly inside #{extra[0] - 1}. ragchunk makes {len(ours)}.",
        "A window that starts within the last overlap characters of the text holds nothing new: "
        "the one before it has already reached the end. So the first window that reaches the end "
        "must be the last.",
        "It needs a start in that stretch, so overlap 0 never makes one; "
        f"at {most} there are {len(redundant(docker_loop(most)))}. "
        "A short last chunk is something else: its text is new. Keep it, merge it or drop it.",
    )


# 5. What overlap costs


@dataclass(frozen=True)
class Cost:
    """What is stored for a text of `length` characters."""

    length: int
    chunks: list[Chunk]

    @property
    def stored(self) -> int:
        return sum(len(each.text) for each in self.chunks)

    @property
    def times(self) -> float:
        """How many times over the text is stored."""
        return self.stored / self.length

    @property
    def repeated(self) -> float:
        """Share of the stored characters that is a second copy, 0 to 1."""
        return 1 - self.length / self.stored


@cache
def cost_document() -> Document:
    """The section on cutting of the introduction to retrieval."""
    text = sample("rag.md")
    start, end = text.index("## Where to cut"), text.index("## Does it work?")
    return Document("rag.md", text[start:end].rstrip())


def cost(overlap: int) -> Cost:
    """The section in windows of 160 characters."""
    document = cost_document()
    return Cost(len(document.text), chunk([document], Window(size=COST_SIZE, overlap=overlap)))


def cost_hits(overlap: int, encoder: Encoder) -> list[Hit]:
    """What the question on overlap finds in them."""
    return top_hits(OVERLAP_QUESTION, cost(overlap).chunks, encoder, k=COST_HITS)


def unique(hits: Sequence[Hit]) -> float:
    """Share of the hits' text that is no repeat, 0 to 1."""
    return unique_share([hit.chunk for hit in hits])


def long_run(size: int, overlap: int) -> float:
    """How many times over a long text is stored."""
    return size / (size - overlap)


def _cost_answer(encoder: Encoder | None) -> Answer:
    encoder = _required(encoder)
    control = OVERLAP_COST.control
    found = cost(control.target)
    before, after = (unique(cost_hits(at, encoder)) for at in (control.start, control.target))
    limit = long_run(COST_SIZE, control.target)
    quarter = long_run(COST_SIZE, COST_SIZE // 4) - 1
    return Answer(
        nearest(found.times, OVERLAP_COST.options),
        f"{found.length:,} characters become {found.stored:,}: {found.times:.2f} times. Of the "
        f"top {COST_HITS}, {percent(after)} is unique text; at overlap {control.start} it is "
        f"{percent(before)}.",
        f"A long text is stored size / (size − overlap) times: here {limit:.2f}, and a quarter of "
        f"overlap adds {percent(quarter)}. Neighbours share text, so they score alike and fill the "
        "top k together.",
        f"A short text pays less, {found.times:.2f} and not {limit:.2f}: its first "
        "window repeats nothing. And a repeat that holds a sentence which the cut would lose is "
        "worth its price.",
    )


def _cost_needs(overlap: int) -> list[tuple[list[str], str]]:
    return [([each.text for each in cost(overlap).chunks], "plain")]


# 6. The blind tail


@dataclass(frozen=True)
class Blind:
    """A post of which all but the first `kept` tokens are bananas.

    `plain` and `averaged` are the cosines with the post as it was, by the way vectors are made.
    """

    chunk: Chunk
    reading: Reading
    kept: int
    total: int
    plain: float
    averaged: float

    @property
    def replaced(self) -> float:
        """Share of the tokens that are bananas, 0 to 1."""
        return 1 - self.kept / self.total


@cache
def blind_document() -> Document:
    """The deployment post, without its title."""
    text = sample("deployment.md")
    return Document("deployment.md", text[text.index("For six years") :])


def bananas(kept: int) -> Document:
    """The post with one word, bananas, for each token behind the first `kept`."""
    source, text = blind_document()
    starts = token_starts(text)
    return Document(source, text[: starts[kept]].rstrip() + FILLER * (len(starts) - kept))


def blind(kept: int, encoder: Encoder) -> Blind:
    """How near the post with bananas still is to the post."""
    changed, original = bananas(kept), blind_document()
    [only] = chunk([changed], Whole())
    near = {}
    for way in ("plain", "averaged"):
        rows = embed([original.text, changed.text], encoder, way)
        near[way] = float(cosines(rows[0], rows[1:])[0])
    return Blind(only, reading(only), kept, len(token_starts(original.text)), **near)


def blind_option(near: float) -> str:
    """Which of the options of the last lesson a cosine falls in; 1.000 if it is printed so."""
    below, middle, high, same = BLIND_TAIL.options
    if cosine(near) == same:
        return same
    return below if near < 0.5 else middle if near < 0.9 else high


def _blind_answer(encoder: Encoder | None) -> Answer:
    encoder = _required(encoder)
    at = BLIND_TAIL.control.target
    found, less = blind(at, encoder), blind(at - 1, encoder)
    return Answer(
        blind_option(found.plain),
        f"{found.total - at:,} of {found.total:,} tokens, {percent(found.replaced, 1)}, are "
        f"bananas now, and the cosine is {cosine(found.plain)}.",
        f"The model reads {max_tokens()} tokens of a chunk and drops the rest without a word. "
        "What stands behind them is in the store, but not in the vector: no question finds it.",
        f"One token earlier it matters: with {at - 1} kept the cosine is {cosine(less.plain)}. "
        f"Averaged vectors read every window: there it is {cosine(found.averaged)}. "
        "Other models read further, and each has its end.",
    )


def _blind_needs(kept: int) -> list[tuple[list[str], str]]:
    texts = [blind_document().text, bananas(kept).text]
    if kept == BLIND_TAIL.control.target:
        texts.append(bananas(kept - 1).text)
    return [(texts, "plain"), (texts, "averaged")]


# What is asked


CONFETTI = Lesson(
    title="Confetti",
    question="A post is cut every 60 characters, not every 500. Does the best hit score higher, "
    "and keep the answer?",
    setting=f"Asked: “{VARIABLES_QUESTION}” Fixed windows without overlap; the known answer is "
    "bold.",
    options=(
        "higher, answer kept",
        "higher, answer lost",
        "lower, answer kept",
        "lower, answer lost",
    ),
    control=Control("Size, characters", 60, 500, 40, start=500, target=60),
    answer=_confetti_answer,
    needs=_confetti_needs,
)

WHOLE_FILES = Lesson(
    title="Whole files",
    question="Five passages on five subjects become one vector, their mean. What is its cosine "
    "with the first?",
    setting="At 1.000 the chunk would be found as well as that passage alone.",
    options=("about .90", "about .70", "about .45", "about .20"),
    control=Control("Passages in the chunk", 1, 5, 1, start=1, target=5),
    answer=_files_answer,
    needs=_files_needs,
)

CUT_SENTENCE = Lesson(
    title="A sentence cut in half",
    question="Windows of 30 characters. How many of these three sentences will survive at overlap "
    "10?",
    setting="A sentence survives if it stands whole in at least one chunk.",
    options=("0", "1", "2", "3"),
    control=Control("Overlap, characters", 0, 25, 1, start=0, target=10),
    answer=_sentence_answer,
)

REDUNDANT_TAIL = Lesson(
    title="The redundant tail",
    question="A plain loop starts a window of 30 every 20 characters. How many of its windows "
    "hold nothing new?",
    setting=f"It stops when a start would lie behind the {len(DOCKER)} characters. A step of 20 is "
    "an overlap of 10.",
    options=("0", "1", "2", "3"),
    control=Control("Overlap, characters", 0, 22, 1, start=0, target=10),
    answer=_tail_answer,
)

OVERLAP_COST = Lesson(
    title="What overlap costs",
    question="Each chunk of 160 characters repeats 80 of the one before. How many times over is "
    "the text stored?",
    setting=f"Asked: “{OVERLAP_QUESTION}” The top {COST_HITS} are shown.",
    options=("about 1.25", "about 1.5", "about 2", "about 3"),
    control=Control("Overlap, characters", 0, 120, 20, start=0, target=80),
    answer=_cost_answer,
    needs=_cost_needs,
)

BLIND_TAIL = Lesson(
    title="The blind tail",
    question="All but the first 254 tokens of a post become bananas. What is its cosine with the "
    "post as it was?",
    setting="The whole post is one chunk, and all-MiniLM-L6-v2 makes its vector.",
    options=("below .50", ".50 to .90", ".90 to .999", "1.000"),
    control=Control("Tokens kept", 54, 454, 20, start=54, target=254),
    answer=_blind_answer,
    needs=_blind_needs,
)

LESSONS = (CONFETTI, WHOLE_FILES, CUT_SENTENCE, REDUNDANT_TAIL, OVERLAP_COST, BLIND_TAIL)


def nearest(value: float, options: Sequence[str]) -> str:
    """The option whose number is nearest to `value`; options end with a number."""
    return min(options, key=lambda option: abs(float(option.split()[-1]) - value))


def wanted(lesson: Lesson, values: Sequence[int]) -> Iterator[tuple[list[str], str]]:
    """The texts, with the way they are read, that must be embedded before these are drawn."""
    if lesson.needs is not None:
        for value in values:
            yield from lesson.needs(value)


def answer_values(lesson: Lesson) -> tuple[int, ...]:
    """The positions of the slider that an answer looks at."""
    control = lesson.control
    beside = control.target + control.step
    return (control.start, control.target, *([beside] if lesson is CONFETTI else []))


def _listed(numbers: Sequence[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
