"""The lessons, one to a screen: predict, move the slider, then see the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragchunk import lessons
from ragchunk.embedding import Encoder, ModelEncoder
from ragchunk.lessons import LESSONS, Lesson
from ragchunk.markup import Card, View, card, cosine, count, escape, marked, note, percent
from ragchunk.search import Hit
from ragchunk.spans import Span
from ragchunk.units import ruler

STYLE = (Path(__file__).parents[1] / "lessons.css").read_text(encoding="utf-8")

READING_MODEL = "Reading the model, about 10 seconds."
NO_MODEL = "This lesson needs the embedding model, which is not on this machine."
PREDICT_FIRST = "What do you predict? Then the slider moves."


@dataclass(frozen=True)
class Scene:
    """What one position of the slider shows: a picture, and its figures with what they mean.

    `level` is the cosine that the bars beside the picture keep; None in a lesson without bars.
    """

    picture: str
    figures: Sequence[tuple[str, str, str]]
    level: float | None = None


def lessons_page(encoder: ModelEncoder | None) -> None:
    """The lesson that the address names, or the first. `encoder` None: there is no model."""
    st.html(f"<style>{STYLE}</style>")
    number = _choose_lesson()
    lesson = LESSONS[number - 1]
    head = f'<p class="setting">{escape(lesson.setting)}</p>'
    st.html(f'<div class="rc lesson"><h2>{escape(lesson.question)}</h2>{head}</div>')
    predicted, value = _controls(number, lesson)
    with st.container(key="lesson_body"):
        left, right = st.columns([2.9, 1], gap="medium")
    picture, figures, answer = left.empty(), right.empty(), st.empty()
    if predicted is None:
        picture.html(_rc(BEFORE[number - 1]()))
        if lesson.needs_model and encoder is not None:
            encoder.start_loading()  # so that it is there when the person has made up their mind
        return
    if lesson.needs_model:
        if encoder is None:
            picture.html(_rc(note("Note", NO_MODEL)))
            return
        if not _read(lesson, number, value, encoder, picture):
            return
    scene = SCENES[number - 1](value, encoder)
    picture.html(_rc(scene.picture))
    figures.html(_rc(_figures(scene) + _bars(number, lesson, value, scene.level)))
    if st.session_state[f"lesson_done_{number}"]:
        answer.html(_rc(_answer(lesson, predicted, encoder)))


def _rc(inner: str) -> str:
    return f'<div class="rc lesson">{inner}</div>'


# Which lesson, and its controls


def _choose_lesson() -> int:
    """The row of titles. The lesson stands in the address, which may change under the page."""
    state = st.session_state
    asked = st.query_params.get("lesson", "")
    known = [str(number) for number in range(1, len(LESSONS) + 1)]
    if asked in known and asked != state.get("lesson_written"):
        state.lesson_number = int(asked)
    state.setdefault("lesson_number", 1)
    with st.container(key="lesson_row", horizontal=True, vertical_alignment="center"):
        number = st.segmented_control(
            "Lesson",
            range(1, len(LESSONS) + 1),
            format_func=lambda number: f"{number} {LESSONS[number - 1].title}",
            key="lesson_number",
            required=True,
            persist_state="session",
            label_visibility="collapsed",
            wrap=True,
        )
        number = int(number or 1)
        with st.container(key="lesson_steps", horizontal=True, width="content"):
            st.button(
                "Start over",
                key="lesson_again",
                type="tertiary",
                on_click=_start_over,
                args=(number,),
                disabled=state.get(f"lesson_prediction_{number}") is None,
            )
            for label, step in (("Previous", -1), ("Next", 1)):
                st.button(
                    label,
                    key=f"lesson_{label.lower()}",
                    on_click=_go,
                    args=(number + step,),
                    disabled=str(number + step) not in known,
                )
    state.lesson_written = str(number)
    if asked != str(number):
        st.query_params["lesson"] = str(number)
    return number


def _go(number: int) -> None:
    st.session_state.lesson_number = number


def _controls(number: int, lesson: Lesson) -> tuple[str | None, int]:
    """The prediction, None before it is made, and the slider, which does not move before that."""
    state, control = st.session_state, lesson.control
    slider = f"lesson_slider_{number}"
    state.setdefault(slider, control.start)
    done = state.setdefault(f"lesson_done_{number}", False)
    with st.container(key="lesson_controls"):
        left, right = st.columns([1.35, 1], gap="medium", vertical_alignment="top")
    with left:
        hint = st.empty()
        predicted = st.segmented_control(
            "Your prediction",
            lesson.options,
            key=f"lesson_prediction_{number}",
            disabled=done,
            persist_state="session",
            label_visibility="collapsed",
            wrap=True,
        )
    with right:
        value = st.slider(
            control.label,
            control.least,
            control.most,
            step=control.step,
            key=slider,
            on_change=_moved,
            args=(number,),
            disabled=predicted is None,
            persist_state="session",
        )
    said = PREDICT_FIRST if predicted is None else f"Now move the slider to {control.target}."
    if done and predicted is not None:
        said = "Your prediction"
    hint.html(_rc(f'<p class="hint" role="status">{said}</p>'))
    return predicted, int(value)


def _moved(number: int) -> None:
    """Remember that the slider has been where the question is, even if it goes back."""
    state = st.session_state
    if LESSONS[number - 1].control.reached(state[f"lesson_slider_{number}"]):
        state[f"lesson_done_{number}"] = True


def _start_over(number: int) -> None:
    state = st.session_state
    state[f"lesson_slider_{number}"] = LESSONS[number - 1].control.start
    state[f"lesson_prediction_{number}"] = None
    state[f"lesson_done_{number}"] = False
    state[f"lesson_levels_{number}"] = {}


def _read(
    lesson: Lesson, number: int, value: int, encoder: ModelEncoder, place: DeltaGenerator
) -> bool:
    """Have the model read what this position needs; False, and a note, if it cannot."""

    def say(words: str) -> None:
        # A call of Streamlit's, at which a newer run may take over.
        place.html(_rc(f'<p class="waiting" role="status">{words}</p>'))

    encoder.start_loading()
    while not encoder.ready:
        if encoder.failure is not None:
            place.html(_rc(note("Error", str(encoder.failure))))
            return False
        say(READING_MODEL)
        time.sleep(0.1)
    values = [value]
    if st.session_state[f"lesson_done_{number}"]:
        values += lessons.answer_values(lesson)
    for texts, way in lessons.wanted(lesson, values):
        for done, total in encoder.fill(texts, way):
            say(f"Embedding {done:,} of {count(total, 'text')}")
    return True


# Figures, bars and the answer


def _figures(scene: Scene) -> str:
    cells = "".join(
        f'<div><dt>{label}</dt><dd class="value">{value}</dd><dd class="under">{under}</dd></div>'
        for label, value, under in scene.figures
    )
    return f'<dl class="numbers">{cells}</dl>'


def _bars(number: int, lesson: Lesson, value: int, level: float | None) -> str:
    """The cosine at each position that the slider has been at; the others stay empty."""
    if level is None:
        return ""
    levels: dict[int, float] = st.session_state.setdefault(f"lesson_levels_{number}", {})
    levels[value] = level
    control = lesson.control
    here = ' class="here"'
    bars = "".join(
        f'<i style="--at:{100 * max(levels.get(at, 0), 0):.1f}%"{here if at == value else ""}></i>'
        for at in control.positions
    )
    told = ", ".join(f"{cosine(levels[at])} at {at}" for at in sorted(levels))
    return (
        f'<div class="bars" role="img" aria-label="Cosine so far: {told}">{bars}</div>'
        f'<p class="small scale"><span>{control.least}</span>'
        f"<span>cosine, by {control.label.lower()}</span>"
        f"<span>{control.most}</span></p>"
    )


def _answer(lesson: Lesson, predicted: str, encoder: Encoder | None) -> str:
    found = lesson.answer(encoder)
    if predicted == found.right:
        judged = f"You said {predicted}, and so it is."
    else:
        judged = f"You said {predicted}. The answer is {found.right}."
    parts = (
        (judged, found.told),
        ("The law", found.law),
        ("Where it fails", found.fails),
    )
    cells = "".join(
        f"<div><h3>{escape(head)}</h3><p>{escape(words)}</p></div>" for head, words in parts
    )
    return f'<section class="answer" role="status" aria-label="Answer">{cells}</section>'


# What each lesson shows before the prediction


def _before_confetti() -> str:
    return _uncut(lessons.VARIABLES_ANSWER, "The answer, somewhere in deployment.md")


def _before_files() -> str:
    return _passages(0)


def _before_docker() -> str:
    return f'<p class="plain">{escape(lessons.DOCKER)}</p>'


def _before_cost() -> str:
    text = lessons.cost_document().text
    return _uncut(text[: text.index("\n\nOverlap is not free")], "From rag.md")


def _before_blind() -> str:
    text = lessons.blind_document().text
    return _uncut(text[: text.index("\n\nThis is the story")], "The beginning of deployment.md")


def _uncut(text: str, source: str) -> str:
    whole = marked(Span(0, len(text)), _view(text, []))
    return f'<p class="small">{source}</p><div class="chunk uncut">{whole}</div>'


# What each lesson shows at a position of its slider


def _confetti(size: int, encoder: Encoder | None) -> Scene:
    assert encoder is not None
    best = lessons.best_hit(size, encoder)
    found = best.hit.chunk
    view = _view(best.text, best.spans, answers=[(best.answer.start, best.answer.end)])
    drawn = card(
        Card(
            id=found.id,
            index=found.index,
            span=Span(found.start, found.end),
            size=count(len(found.text), "character"),
            tokens=0,
            read_tokens=0,
            read_end=found.end,
            rank=1,
            score=best.hit.score,
        ),
        view,
        fold=False,
    )
    return Scene(
        f'{drawn}<p class="said">{best.verdict}</p>',
        [
            ("Best score", cosine(best.hit.score), f"of {count(len(best.spans), 'chunk')}"),
            ("Answer held", percent(best.share), "by the best hit"),
        ],
        best.hit.score,
    )


def _files(passages: int, encoder: Encoder | None) -> Scene:
    assert encoder is not None
    left = lessons.blur(passages, encoder)
    return Scene(
        _passages(passages),
        [
            ("Mean of vectors", cosine(left.mean), "with passage 1"),
            ("Read in one go", cosine(left.whole), "with passage 1"),
            ("Question", cosine(left.question), "with the mean"),
        ],
        left.mean,
    )


def _passages(number: int) -> str:
    """The passages, of which the first few are one chunk."""
    chosen, rest = lessons.PASSAGES[:number], lessons.PASSAGES[number:]
    inside = "\n\n".join(chosen)
    drawn = "" if not chosen else f'<div class="chunk even">{_marked_whole(inside)}</div>'
    return drawn + "".join(f'<div class="chunk uncut">{_marked_whole(each)}</div>' for each in rest)


def _marked_whole(text: str) -> str:
    return marked(Span(0, len(text)), _view(text, []))


def _sentence(overlap: int, encoder: Encoder | None) -> Scene:
    spans, fate = lessons.docker_windows(overlap), lessons.fates(overlap)
    view = _view(lessons.DOCKER, spans, lost=fate.lost_spans)
    return Scene(
        _stairs(spans, [marked(span, view) for span in spans]),
        [
            ("Chunks", f"{len(spans)}", f"a cut every {lessons.DOCKER_SIZE - overlap}"),
            ("Sentences cut", f"{fate.cut}", f"{fate.rescued} rescued, <b>{fate.lost} lost</b>"),
            ("Survive", f"{lessons.survivors(overlap)} of {fate.total}", "whole in a chunk"),
            ("Guaranteed", f"{lessons.guaranteed(overlap)}", "characters or fewer"),
        ],
    )


def _tail(overlap: int, encoder: Encoder | None) -> Scene:
    plain, ours = lessons.docker_loop(overlap), lessons.docker_windows(overlap)
    extra = lessons.redundant(plain)
    view = _view(lessons.DOCKER, ours)
    drawn = [
        escape(lessons.DOCKER[slice(*span)]) if number in extra else marked(span, view)
        for number, span in enumerate(plain)
    ]
    said = {number: f"inside #{number - 1}: nothing new" for number in extra}
    return Scene(
        _stairs(plain, drawn, said),
        [
            ("Plain loop", f"{len(plain)}", "windows"),
            ("Nothing new", f"{len(extra)}", "of them"),
            ("ragchunk", f"{len(ours)}", "windows"),
        ],
    )


def _stairs(
    spans: Sequence[Span], drawn: Sequence[str], said: Mapping[int, str] | None = None
) -> str:
    """Each window in a row of its own, where it stands in the text; `said` marks some as extra.

    The text around a window is there but not seen, which keeps every row in step.
    """
    said = said or {}
    rows = []
    for number, (span, inside) in enumerate(zip(spans, drawn, strict=True)):
        before, after = lessons.DOCKER[: span.start], lessons.DOCKER[span.end :]
        kind = "extra" if number in said else "odd" if number % 2 else "even"
        words = f'<span class="small">{said[number]}</span>' if number in said else ""
        rows.append(
            f'<li><span class="id">#{number}</span><div><span class="away">{escape(before)}</span>'
            f'<span class="piece {kind}">{inside}</span>'
            f'<span class="away">{escape(after)}</span>{words}</div></li>'
        )
    return f'<ol class="stairs">{"".join(rows)}</ol>'


def _cost(overlap: int, encoder: Encoder | None) -> Scene:
    assert encoder is not None
    found, hits = lessons.cost(overlap), lessons.cost_hits(overlap, encoder)
    text = lessons.cost_document().text
    view = _view(text, [Span(each.start, each.end) for each in found.chunks])
    return Scene(
        _lanes(found, hits) + "".join(_row(hit, view) for hit in hits),
        [
            ("Chunks", f"{len(found.chunks)}", f"of {found.length:,} characters"),
            ("Stored", f"{found.times:.2f}", "times over"),
            ("Repeated", percent(found.repeated), "of stored text"),
            ("Unique text", percent(lessons.unique(hits)), f"in the top {len(hits)}"),
        ],
    )


def _row(hit: Hit, view: View) -> str:
    parity = "odd" if hit.chunk.index % 2 else "even"
    inside = marked(Span(hit.chunk.start, hit.chunk.end), view)
    return (
        f'<div class="row"><p><b>{hit.rank}</b> <span class="id">#{hit.chunk.index}</span>'
        f'<b class="score">{cosine(hit.score)}</b></p>'
        f'<div class="chunk {parity}">{inside}</div></div>'
    )


def _lanes(found: lessons.Cost, hits: Sequence[Hit]) -> str:
    """The text from left to right, and every chunk above the part that it holds."""
    ranks = {hit.chunk.index: hit.rank for hit in hits}
    ends: list[int] = []
    bars = []
    for each in found.chunks:
        lane = next((n for n, end in enumerate(ends) if end <= each.start), len(ends))
        ends[lane : lane + 1] = [each.end]
        rank = ranks.get(each.index)
        place = (
            f"--from:{100 * each.start / found.length:.2f}%;"
            f"--to:{100 * (found.length - each.end) / found.length:.2f}%;--lane:{lane}"
        )
        kind = "hit" if rank else "odd" if each.index % 2 else "even"
        bars.append(f'<i class="{kind}" style="{place}">{rank or ""}</i>')
    told = f"{count(len(found.chunks), 'chunk')} in {count(len(ends), 'layer')} over the text"
    return (
        f'<div class="lanes" role="img" aria-label="{told}" style="--lanes:{len(ends)}">'
        f"{''.join(bars)}</div>"
    )


def _blind(kept: int, encoder: Encoder | None) -> Scene:
    assert encoder is not None
    found = lessons.blind(kept, encoder)
    only, read = found.chunk, found.reading
    drawn = card(
        Card(
            id=only.id,
            index=only.index,
            span=Span(only.start, only.end),
            size=count(len(only.text), "character"),
            tokens=read.tokens,
            read_tokens=min(read.tokens, read.limit),
            read_end=read.end,
        ),
        _view(only.text, [Span(only.start, only.end)]),
    )
    return Scene(
        drawn,
        [
            ("Replaced", percent(found.replaced, 1), f"of {found.total:,} tokens"),
            ("Cosine, plain", cosine(found.plain), "with the post"),
            ("Cosine, averaged", cosine(found.averaged), "with the post"),
        ],
        found.plain,
    )


def _view(
    text: str,
    spans: Sequence[Span],
    answers: Sequence[tuple[int, int]] = (),
    lost: Sequence[tuple[int, int]] = (),
) -> View:
    return View(text, spans, ruler(text, "characters"), "characters", answers, lost)


BEFORE: tuple[Callable[[], str], ...] = (
    _before_confetti,
    _before_files,
    _before_docker,
    _before_docker,
    _before_cost,
    _before_blind,
)
SCENES: tuple[Callable[[int, Encoder | None], Scene], ...] = (
    _confetti,
    _files,
    _sentence,
    _tail,
    _cost,
    _blind,
)
