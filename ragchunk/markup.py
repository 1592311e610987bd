"""Chunks, hits and figures as escaped HTML. Knows no Streamlit, and lets no document speak HTML.

Every string that comes from a document, a file name or a question passes through `escape`. The
looks are in style.css beside this file.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from ragchunk.graphemes import boundary_at_or_after, boundary_at_or_before, is_boundary
from ragchunk.paragraphs import BLANK_LINES
from ragchunk.spans import Segment, Span, segments, shared
from ragchunk.tokens import without_surrogates
from ragchunk.units import Ruler, Unit

STYLE = f"<style>{(Path(__file__).parent / 'style.css').read_text(encoding='utf-8')}</style>"

# A folded stretch shows both its edges, since the edges are what a cut is about.
FOLD_ABOVE = 300
FOLD_HEAD = 92
FOLD_FOOT = 88
FOLD_HOLDS = 6_000

# HTML drops NUL and hides other controls; their pictures keep each one visible and countable.
CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"}
CONTROLS[0x7F] = "\u2421"


def escape(text: str) -> str:
    """Text as HTML that shows it and does nothing else."""
    return html.escape(without_surrogates(text).translate(CONTROLS))


def cosine(score: float) -> str:
    """A cosine to three decimals without the leading zero: `.726`, `-.012`, `1.000`."""
    return re.sub(r"^(-?)0\.", r"\1.", f"{score:.3f}").replace("-.000", ".000")


def percent(share: float, decimals: int = 0) -> str:
    """A share as per cent, with the thin space that keeps number and sign together."""
    return f"{share * 100:.{decimals}f}\u202f%"


def count(number: int, noun: str) -> str:
    """`1 chunk`, `1,240 chunks`."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


@dataclass(frozen=True)
class View:
    """One document and what is drawn in its text.

    `spans` are all its chunks in order, `answers` the passages known to answer the question,
    `lost` the sentences that are whole in no chunk, `again` what a hit further up already says.
    `ruler` counts what a fold hides, in `unit`.
    """

    text: str
    spans: Sequence[Span]
    ruler: Ruler
    unit: Unit
    answers: Sequence[tuple[int, int]] = ()
    lost: Sequence[tuple[int, int]] = ()
    again: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True)
class Card:
    """One chunk to draw.

    `tokens` and `read_tokens` are what the chunk has and what the model reads of it, `read_end`
    where in the document that part ends. `size` is the length in the unit of the screen, in words.
    `rank` and `score` belong to a hit; `floor` is the noise floor on the same scale. `acts` are
    buttons: what they say, and what they tell the server. `joined`: made of neighbouring hits.
    `elsewhere` is the act that shows the whole text. `page` is where in its file it stands.
    """

    id: str
    index: int
    span: Span
    size: str
    tokens: int
    read_tokens: int
    read_end: int
    rank: int | None = None
    score: float | None = None
    floor: float | None = None
    notes: Sequence[str] = field(default=())
    acts: Sequence[tuple[str, str]] = field(default=())
    joined: bool = False
    elsewhere: str = ""
    page: str = ""


def card(each: Card, view: View, fold: bool = True) -> str:
    """A chunk of a document with its head, its score, its marks and what it shares.

    Long text is folded in the middle if `fold`.
    """
    blind = each.read_end < each.span.end
    body = _stretch(Span(each.span.start, each.read_end), view, fold, each.elsewhere)
    if blind:
        body += (
            f'<p class="limit">the model reads {each.read_tokens:,} of {each.tokens:,} tokens, '
            f"to here</p>" + _blind(Span(each.read_end, each.span.end), view, each.elsewhere)
        )
    parity = "even" if each.index % 2 == 0 else "odd"
    named = f"{each.id}, {each.page}" if each.page else each.id
    return (
        f'<article class="card" aria-label="{escape(named)}">{_card_head(each, blind)}'
        f'<div class="chunk {parity}" dir="auto">{body}</div>'
        f'<p class="small">{" · ".join(_card_foot(each, view))}</p>'
        f"{acts(each.acts)}</article>"
    )


def act_button(label: str, act: str) -> str:
    """A button that tells the server `act`; see ragchunk/ui/relay.py."""
    return f'<button type="button" class="act" data-act="{escape(act)}">{label}</button>'


def acts(pairs: Sequence[tuple[str, str]]) -> str:
    """A row of buttons, nothing for none."""
    buttons = " ".join(act_button(escape(label), act) for label, act in pairs)
    return f'<p class="acts">{buttons}</p>' if pairs else ""


def _card_head(each: Card, blind: bool) -> str:
    rank = f'<b class="rank">{each.rank}</b>' if each.rank is not None else ""
    score = "" if each.score is None else f'<b class="score">{cosine(each.score)}</b>'
    page = f'<span class="page">{escape(each.page)}</span>' if each.page else ""
    head = f'<header>{rank}<span class="id">{escape(each.id)}</span>{page}{score}</header>'
    if each.score is not None and each.rank is not None:
        floor = (
            f'<i class="floor" style="--at:{part(each.floor)}"></i>'
            if each.floor is not None
            else ""
        )
        head += f'<div class="bar"><i style="--at:{part(each.score)}"></i>{floor}</div>'
    if blind:
        share = percent(each.read_tokens / each.tokens, 1).replace("\u202f", "")
        head += f'<div class="gauge"><i style="--at:{share}"></i></div>'
    return head


def part(score: float) -> str:
    """A score as a length on a scale from 0 to 1."""
    return f"{min(max(score, 0.0), 1.0) * 100:.1f}%"


def _card_foot(each: Card, view: View) -> list[str]:
    parts = [each.size]
    if each.joined:
        return [*parts, "neighbouring hits joined", *map(escape, each.notes)]
    for other, characters in neighbours(view.spans, each.index):
        unit = "" if len(parts) > 1 else " characters" if characters != 1 else " character"
        words = "shared with " if len(parts) == 1 else "with "
        parts.append(f"{characters:,}{unit} {words}#{other}")
    return [*parts, *map(escape, each.notes)]


def neighbours(spans: Sequence[tuple[int, int]], index: int) -> list[tuple[int, int]]:
    """The other chunks that share text with chunk `index`, each with the characters shared."""
    found = []
    for step in (-1, 1):
        other = index + step
        while 0 <= other < len(spans) and (length := shared(spans[index], spans[other])):
            found.append((other, length))
            other += step
    return sorted(found)


def _stretch(span: Span, view: View, fold: bool, elsewhere: str) -> str:
    """Marked text, folded in the middle if it is long.

    A very long middle is not in the page at all: it would be most of what is sent at each move of
    a slider. `elsewhere` is the act that shows it, "" if there is none.
    """
    if not fold or span.end - span.start <= FOLD_ABOVE:
        return marked(span, view)
    head, foot = fold_edges(view.text, span)
    hidden = count(view.ruler.measure(head, foot), view.unit.removesuffix("s"))
    if foot - head > FOLD_HOLDS:
        act = f' data-act="{escape(elsewhere)}"' if elsewhere else " disabled"
        middle = f'<button type="button" class="pill"{act}>{hidden} more, in the document</button>'
    else:
        inner = marked(Span(head, foot), view)
        middle = f'<details class="fold"><summary>{hidden} more</summary>{inner}</details>'
    return marked(Span(span.start, head), view) + middle + marked(Span(foot, span.end), view)


def _blind(span: Span, view: View, elsewhere: str) -> str:
    shown = _stretch(span, view, True, elsewhere)
    return f'<div class="blind"><span>{shown}</span></div>'


def fold_edges(text: str, span: Span) -> tuple[int, int]:
    """Where the hidden middle of a long span begins and ends: at white space if some is near."""
    # White space can be half of a line end of two characters, or carry a mark: no cut there.
    head = boundary_at_or_before(text, span.start + FOLD_HEAD, span.start)
    near = range(head, span.start + FOLD_HEAD // 2 - 1, -1)
    head = next((i for i in near if text[i].isspace() and is_boundary(text, i)), head)
    foot = min(boundary_at_or_after(text, span.end - FOLD_FOOT, head), span.end)
    near = range(foot, span.end - FOLD_FOOT // 2 + 1)
    foot = next((i for i in near if text[i - 1].isspace() and is_boundary(text, i)), foot)
    return head, foot


def marked(span: Span, view: View) -> str:
    """The text of `span` with overlap, answers and lost sentences marked; the text is unchanged."""
    edges: set[int] = set()
    for mark in (*view.answers, *view.lost, *view.again):
        if shared(mark, span):
            edges.update(edge for edge in mark if span.start < edge < span.end)
    parts = []
    for segment in segments(view.spans, span.start, span.end):
        inner = sorted(edge for edge in edges if segment.start < edge < segment.end)
        pieces = pairwise([segment.start, *inner, segment.end])
        parts.append(_overlap(segment, view, "".join(_plain(*piece, view) for piece in pieces)))
    return "".join(parts)


def _plain(start: int, end: int, view: View) -> str:
    """A stretch without an edge of any mark inside."""
    shown = BLANK_LINES.sub(
        lambda gap: f'<span class="brk">{gap.group()}</span>', escape(view.text[start:end])
    )
    if _inside(start, end, view.lost):
        shown = f'<span class="lost" title="this sentence is whole in no chunk">{shown}</span>'
    if _inside(start, end, view.again):
        shown = f'<span class="again">{shown}</span>'
    if _inside(start, end, view.answers):
        shown = f"<strong>{shown}</strong>"
    return shown


def _inside(start: int, end: int, outer: Iterable[tuple[int, int]]) -> bool:
    return any(first <= start and end <= last for first, last in outer)


def _overlap(segment: Segment, view: View, shown: str) -> str:
    if len(segment.owners) < 2:
        return shown
    # The whole shared region, which answers or lost sentences may cut into several segments.
    length = min(view.spans[owner].end for owner in segment.owners) - max(
        view.spans[owner].start for owner in segment.owners
    )
    names = [f"#{owner}" for owner in segment.owners]
    label = f"shared by {', '.join(names[:-1])} and {names[-1]}, {count(length, 'character')}"
    deep = len(segment.owners) > 2
    depth = f'<small aria-hidden="true">×{len(segment.owners)}</small>' if deep else ""
    kind = "shared deep" if deep else "shared"
    told = f'role="group" title="{label}" aria-label="{label}"'
    return f'<span class="{kind}" {told}>{depth}{shown}</span>'


def note(word: str, text: str) -> str:
    """A message on the page; `word` says what kind it is: Note, Error."""
    return f'<p class="note" role="status"><b>{word}</b> {escape(text)}</p>'
