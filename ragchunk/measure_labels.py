"""What helps to label a question: its answers, places, near misses, sentences to pick."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ragchunk.evaluation.labelling import Places, Sentence
from ragchunk.evaluation.questions import Answer
from ragchunk.markup import act_button, count, escape, percent
from ragchunk.spans import Span

# Questions that are drawn at first, and how many more a press of the button draws.
AT_FIRST, MORE = 20, 100

QUOTE_UP_TO = 220
AROUND = 70

ORIGINS = {
    "": "",
    "typed": "typed",
    "searched": "found by words",
    "result": "from a result, which favours what found it",
}

Place = tuple[str, int, int]


def shortened(quote: str) -> str:
    """A quote on one line, with its middle left out where it is long."""
    words = " ".join(quote.split())
    if len(words) <= QUOTE_UP_TO:
        return words
    half = QUOTE_UP_TO // 2
    return f"{words[:half].rstrip()} … {words[-half:].lstrip()}"


def stored(answers: Sequence[Answer]) -> str:
    """The answers that a question has by now, each with a button that takes it away."""
    if not answers:
        return ""
    items = "".join(
        f'<li><q>{escape(shortened(each.quote))}</q> <span class="id">{escape(each.source)}</span> '
        f"{act_button('Remove', place_act('remove', each.source, each.start, each.end))}</li>"
        for each in answers
    )
    parts = "Its answer" if len(answers) == 1 else f"Its {len(answers)} answers"
    return (
        f'<div class="rc measure"><p class="small">{parts}</p><ul class="places">{items}</ul></div>'
    )


def places(found: Places, texts: Mapping[str, str]) -> str:
    """Where a typed answer stands, each place with a button; else the text most like it."""
    if found.answers:
        several = count(found.total, "place")
        exact = "" if found.exact else " White space or case differ; the text is stored as it is."
        shown = len(found.answers)
        rest = f" The first {shown} are shown; type more of it." if found.total > shown else ""
        said = f"Found in {several}.{exact}{rest}"
        items = "".join(_place(each, texts, "Use this") for each in found.answers)
    elif found.closest is not None:
        alike = percent(found.likeness)
        said = f"Not in the documents. The closest text, {alike} alike:"
        items = _place(found.closest, texts, "Use this")
    else:
        said, items = "Not in the documents, and nothing is like it.", ""
    return (
        f'<div class="rc measure"><p class="small" role="status">{said}</p>'
        f'<ul class="places">{items}</ul></div>'
    )


def _place(each: Answer, texts: Mapping[str, str], label: str) -> str:
    text = texts[each.source]
    before = text[max(0, each.start - AROUND) : each.start]
    after = text[each.end : each.end + AROUND]
    act = place_act("use", each.source, each.start, each.end)
    return (
        f'<li>{act_button(label, act)} <span class="id">{escape(each.source)}</span> '
        f"<q>{escape(before)}<strong>{escape(each.quote)}</strong>{escape(after)}</q></li>"
    )


def sentences(
    found: Sequence[Sentence], texts: Mapping[str, str], picked: Collection[Place]
) -> str:
    """Sentences that hold words asked for, each a button that picks it or puts it back."""
    if not found:
        said = "No sentence holds these words."
        return f'<div class="rc measure"><p class="small" role="status">{said}</p></div>'
    items = "".join(
        _pickable((each.source, each.start, each.end), texts, picked, ", ".join(each.words))
        for each in found
    )
    return f'<div class="rc measure"><ul class="picks">{items}</ul></div>'


def choices(
    source: str, spans: Sequence[Span], texts: Mapping[str, str], picked: Collection[Place]
) -> str:
    """The sentences of one chunk, each a button that picks it or puts it back."""
    items = "".join(_pickable((source, start, end), texts, picked, "") for start, end in spans)
    return f'<div class="rc measure"><ul class="picks">{items}</ul></div>'


def _pickable(place: Place, texts: Mapping[str, str], picked: Collection[Place], why: str) -> str:
    source, start, end = place
    is_picked = place in picked
    sign = "●" if is_picked else "○"
    held = f"<small>{escape(source)} · {escape(why)}</small>" if why else ""
    return (
        f'<li><button type="button" class="pick" aria-pressed="{str(is_picked).lower()}" '
        f'data-act="{escape(place_act("pick", *place))}"><i aria-hidden="true">{sign}</i>'
        f"<span>{escape(texts[source][start:end])}{held}</span></button></li>"
    )


def place_act(verb: str, source: str, start: int, end: int) -> str:
    """What a button says of a place in a document; `place_of` reads it."""
    return f"{verb} {start} {end} {source}"


def place_of(words: str) -> Place | None:
    """The place that `place_act` wrote, without its verb; None for anything else."""
    start, _, rest = words.partition(" ")
    end, _, source = rest.partition(" ")
    if not (start.isdecimal() and end.isdecimal() and source):
        return None
    return source, int(start), int(end)
