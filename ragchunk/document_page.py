"""One page of one document as HTML, with what every strategy does to it at its side.

Left of each paragraph stand the lanes, one per strategy: a bar for each chunk, as high as the part
of the paragraph it covers. In the text the chunks of one strategy are marked, the one *drawn*. At
the right is the rail: the hits, and the facts of the chunk under the pointer. Bars, text and hits
that belong together carry the same `data-c`, and one `:has()` rule per chunk lights them together.

Knows no Streamlit, and lets no document speak HTML. Draws a page without looking at the chunks of
the other pages.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

from ragchunk.chunks import Chunk
from ragchunk.comparison import Cutting, Ranking
from ragchunk.documents import Mark
from ragchunk.graphemes import boundary_at_or_after, boundary_at_or_before, is_boundary
from ragchunk.joins import join_reason, measured
from ragchunk.markup import View, cosine, count, escape, marked, neighbours
from ragchunk.memo import per_text
from ragchunk.panels import Scene
from ragchunk.paragraphs import BLANK_LINES
from ragchunk.reading import Reading
from ragchunk.search import Hit
from ragchunk.spans import Span, shared
from ragchunk.strategies import Sized, Whole
from ragchunk.units import ruler

DOCUMENT_STYLE = (
    f"<style>{(Path(__file__).parent / 'document.css').read_text(encoding='utf-8')}</style>"
)

# Characters on a page, about: a page ends with a paragraph where one ends near.
PAGE = 4_000
SHORTEST, LONGEST = PAGE * 6 // 10, PAGE * 5 // 4

# A lane with more chunks than this on one page would be a grey smear, and slow: only its hits are
# drawn. At 27 characters a chunk the bars are a few pixels high.
DRAWN_CHUNKS = 150

# With more signs of pages than these, such as one for each caption, text could not be read.
DRAWN_LEAVES = 30

_HEADING = re.compile(r" {0,3}#{1,6}[ \t][^\r\n]*")


@dataclass(frozen=True)
class Lane:
    """A strategy beside the text: its name, what it cut and, once there is one, its ranking.

    `way` is how its vectors are made, None for the way of the scene.
    """

    label: str
    cutting: Cutting
    ranking: Ranking | None
    way: str | None = None


# Pages


@per_text
def pages(text: str) -> list[Span]:
    """The pages of a text in order; joined they are the text. An empty text has one page.

    A page has about `PAGE` characters. It ends behind a blank line if one is near, but not right
    after a heading; else behind white space, else between two grapheme clusters.
    """
    ends = [gap.end for gap in _gaps(text) if not _follows_heading(text, gap.start)]
    found = []
    start = 0
    while len(text) - start > LONGEST:
        end = _page_end(text, start, ends)
        found.append(Span(start, end))
        start = end
    if start < len(text) or not found:
        found.append(Span(start, len(text)))
    return found


def page_of(pages: Sequence[Span], position: int) -> int:
    """The number, from 0, of the page that `position` stands on."""
    return max(0, bisect_right(pages, position, key=lambda page: page.start) - 1)


@per_text
def _gaps(text: str) -> list[Span]:
    """The blank lines between paragraphs, each with the line end before it."""
    return [Span(*gap.span()) for gap in BLANK_LINES.finditer(text)]


def _follows_heading(text: str, position: int) -> bool:
    line = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    return _HEADING.fullmatch(text, line, position) is not None


def _page_end(text: str, start: int, ends: Sequence[int]) -> int:
    ideal = start + PAGE
    near = ends[bisect_left(ends, start + SHORTEST) : bisect_right(ends, start + LONGEST)]
    if near:
        return min(near, key=lambda end: abs(end - ideal))
    for end in range(ideal, start + SHORTEST, -1):
        if text[end - 1].isspace() and is_boundary(text, end):
            return end
    end = boundary_at_or_before(text, ideal, start)
    return end if end > start else boundary_at_or_after(text, ideal, start)


# What stands on a page


class _Row(NamedTuple):
    """A paragraph: `body` to `body_end` is its text, the rest blank lines before and behind."""

    start: int
    body: int
    body_end: int
    end: int


def _rows(text: str, page: Span) -> list[_Row]:
    rows: list[_Row] = []
    gaps = _gaps(text)
    start = body = page.start
    for gap in gaps[bisect_right(gaps, page.start, key=lambda gap: gap.end) :]:
        if gap.start >= page.end:
            break
        left, right = max(gap.start, page.start), min(gap.end, page.end)
        if left == body:  # nothing stands before these blank lines
            body = right
            continue
        rows.append(_Row(start, body, left, right))
        start = body = right
    if start < page.end or not rows:
        rows.append(_Row(start, body, page.end, page.end))
    return rows


@dataclass(frozen=True)
class _Extent:
    """A chunk that reaches into the page. `heat` is 0 at the noise floor, 1 for the best hit."""

    key: str
    chunk: Chunk
    reads: Reading
    hit: Hit | None
    heat: float

    @property
    def start(self) -> int:
        return self.chunk.start

    @property
    def end(self) -> int:
        return self.chunk.end


@dataclass(frozen=True)
class _Side:
    """A lane on one page.

    `extents` are its chunks there, in order; of `many` only the hits. `total` counts all of them.
    """

    number: int
    lane: Lane
    extents: list[_Extent]
    total: int
    many: bool

    @cached_property
    def starts(self) -> list[int]:
        return [each.start for each in self.extents]

    @cached_property
    def ends(self) -> list[int]:
        return [each.end for each in self.extents]

    def over(self, start: int, end: int) -> list[_Extent]:
        """The extents that hold some of the characters `start` to `end`."""
        return self.extents[bisect_right(self.ends, start) : bisect_left(self.starts, end)]

    def beginning(self, start: int, end: int) -> list[_Extent]:
        """The extents that begin at `start` or behind it, and before `end`."""
        return self.extents[bisect_left(self.starts, start) : bisect_left(self.starts, end)]


def _side(number: int, lane: Lane, source: str, page: Span, way: str) -> _Side:
    cutting, ranking = lane.cutting, lane.ranking
    chunks = cutting.by_source[source]
    first = bisect_right(chunks, page.start, key=lambda chunk: chunk.end)
    last = bisect_left(chunks, page.end, key=lambda chunk: chunk.start)
    hits = {} if ranking is None else {h.chunk.index: h for h in ranking.hits if _of(h, source)}
    here = range(first, max(first, last))
    many = len(here) > DRAWN_CHUNKS
    extents = []
    for index in here:
        if many and index not in hits:
            continue
        hit = hits.get(index)
        heat = 0.0 if hit is None or ranking is None else _heat(hit.score, ranking)
        reads = cutting.reading(chunks[index], way)
        extents.append(_Extent(f"{number}-{index}", chunks[index], reads, hit, heat))
    return _Side(number, lane, extents, len(here), many)


def _of(hit: Hit, source: str) -> bool:
    return hit.chunk.source == source


def _heat(score: float, ranking: Ranking) -> float:
    best, floor = ranking.hits[0].score, ranking.floor
    if best <= floor:
        return 1.0
    return min(max((score - floor) / (best - floor), 0.0), 1.0)


def _among(spans: Sequence[Span], outer: Span) -> Sequence[Span]:
    """Those of `spans`, in order and disjoint, that share text with `outer`."""
    first = bisect_right(spans, outer.start, key=lambda span: span.end)
    return spans[first : bisect_left(spans, outer.end, first, key=lambda span: span.start)]


def _beginning(marks: Sequence[Mark], inside: Span) -> Sequence[Mark]:
    """Those of `marks`, in order, that begin inside."""
    first = bisect_left(marks, inside.start, key=lambda mark: mark.start)
    return marks[first : bisect_left(marks, inside.end, first, key=lambda mark: mark.start)]


class _Page:
    """Everything the parts of a page are drawn from."""

    def __init__(
        self, source: str, page: Span, lanes: Sequence[Lane], drawn: int, scene: Scene
    ) -> None:
        self.source, self.span, self.scene = source, page, scene
        corpus = lanes[drawn].cutting.corpus
        self.text = corpus.texts[source]
        self.document = corpus.by_source[source]
        self.sides = [
            _side(number, lane, source, page, lane.way or scene.way)
            for number, lane in enumerate(lanes)
        ]
        self.drawn = self.sides[drawn]
        self.rows = _rows(self.text, page)
        self.ruler = ruler(self.text, scene.unit, self.drawn.lane.cutting.model)
        self.lost = _among(self.drawn.lane.cutting.lost(source), page)
        self.answers = [(a.start, a.end) for a in scene.answers if a.source == source]
        self.resting: _Extent | None = None
        self.lit: str | None = None
        self.lit_text: str | None = None

    def leaves(self, row: _Row) -> list[Mark]:
        """The pages of the file that begin in this paragraph; none where they are too many."""
        found = _beginning(self.document.pages, self.span)
        if len(found) > DRAWN_LEAVES:
            return []
        return list(_beginning(found, Span(row.start, row.body_end)))

    def rest_on(self, selected: str | None) -> None:
        """Choose the chunk that is shown while the pointer is nowhere."""
        extents = self.drawn.extents
        best = min(
            (each for each in extents if each.hit is not None),
            key=lambda each: each.hit.rank if each.hit else 0,
            default=None,
        )
        chosen = next((each for each in extents if each.chunk.id == selected), best)
        self.resting = chosen or next(iter(extents), None)
        if chosen is not None:
            self.lit = chosen.key
            # All text tinted says nothing, and is hard to read.
            if 2 * shared(self.span, (chosen.start, chosen.end)) <= self.span.end - self.span.start:
                self.lit_text = chosen.key


def document_html(
    source: str,
    page: Span,
    lanes: Sequence[Lane],
    drawn: int,
    scene: Scene,
    selected: str | None = None,
) -> str:
    """A page of the document `source`: lanes, text and rail, for one `st.html`.

    page: one of `pages(text)`.
    lanes: all over the same corpus; `drawn` is the number of the one whose chunks are marked in
    the text.
    selected: the id of the chunk that is shown while nothing is pointed at; by default the best
    hit on the page.
    """
    here = _Page(source, page, lanes, drawn, scene)
    here.rest_on(selected)
    labels = "".join(
        f'<span class="{"lane drawn" if side is here.drawn else "lane"}">'
        f"{_strong(escape(side.lane.label), side is here.drawn)}</span>"
        for side in here.sides
    )
    label = f"{escape(source)}, characters {page.start:,} to {page.end:,}"
    return (
        f"<style>{_rules(here)}</style>"
        f'<section class="rc doc" aria-label="{label}" style="--count:{len(lanes)}">'
        '<div class="sheet"><div class="lines">'
        f'<div class="row names"><div class="lanes">{labels}</div><div></div></div>'
        f"{_many_note(here)}{''.join(_lines(here))}</div>{_rail(here)}</div></section>"
    )


def _strong(shown: str, strong: bool) -> str:
    return f"<b>{shown}</b>" if strong else shown


def _many_note(here: _Page) -> str:
    notes = [
        f"{escape(side.lane.label)} has {side.total:,} chunks on this page, too many to draw one "
        "by one: only its hits are."
        for side in here.sides
        if side.many
    ]
    if not notes:
        return ""
    return f'<div class="row"><div></div><p class="small">{"<br>".join(notes)}</p></div>'


# Lines: the lanes and the text


def _lines(here: _Page) -> Iterator[str]:
    above = here.span.start  # where the text above ends
    for number, row in enumerate(here.rows):
        is_last = number == len(here.rows) - 1
        below = here.span.end if is_last else here.rows[number + 1].body
        lanes = "".join(_lane(here, side, row, above, below) for side in here.sides)
        # What begins in the blank lines above is marked here, at the end of the page also what
        # begins in those below; the first row names what goes on from the page before.
        first = 0 if number == 0 else above
        marks = here.drawn.beginning(first, here.span.end if is_last else row.body_end)
        heading = _HEADING.fullmatch(here.text, row.body, row.body_end)
        yield (
            f'<div class="row"><div class="lanes">{lanes}</div>'
            f'<div class="{"text heading" if heading else "text"}" dir="auto">'
            f"{_text(here, row, marks)}</div></div>"
        )
        above = row.body_end


def _lane(here: _Page, side: _Side, row: _Row, above: int, below: int) -> str:
    """The bars of one lane beside one paragraph.

    The text above ends at `above`; the text below begins at `below`, or the page ends there.
    """
    bars = []
    for each in side.over(row.body, row.body_end) if row.body < row.body_end else ():
        start, end = max(each.start, row.body), min(each.end, row.body_end)
        limit = min(max(each.reads.end, start), end)
        begins, goes_on = each.start >= above, each.end > below
        first = begins or row is here.rows[0]
        whole, none = limit == end, limit == start
        if not none:
            bar = _Bar(start, limit, True, begins, not whole, whole and goes_on, first)
            bars.append(_bar(here, side, row, each, bar))
        if not whole:
            bar = _Bar(limit, end, False, begins and none, False, goes_on, first and none)
            bars.append(_bar(here, side, row, each, bar))
        if each.hit is not None and first:
            bars.append(
                f'<b class="disc {_parity(each)}" style="top:{_part(start - row.body, row)}" '
                f'aria-hidden="true">{each.hit.rank}</b>'
            )
    bars += [
        f'<b class="answer" style="top:{_part(start - row.body, row)};'
        f'bottom:{_part(row.body_end - end, row)}" aria-hidden="true"></b>'
        for start, end in (
            (max(start, row.body), min(end, row.body_end)) for start, end in here.answers
        )
        if start < end
    ]
    return f'<div class="{"lane drawn" if side is here.drawn else "lane"}">{"".join(bars)}</div>'


class _Bar(NamedTuple):
    """The part of a chunk beside one paragraph, or what is read of it, or what is not.

    `begins`: the chunk does; `stops`: reading does, not the chunk; `goes_on`: the chunk does, over
    the gap. `first`: the first part of the chunk on the page. One name for each chunk is enough: a
    screen reader need not hear it again beside every paragraph.
    """

    start: int
    end: int
    is_read: bool
    begins: bool
    stops: bool
    goes_on: bool
    first: bool


def _bar(here: _Page, side: _Side, row: _Row, each: _Extent, bar: _Bar) -> str:
    kinds = ["ext", _parity(each)]
    kinds += [
        kind
        for kind, applies in (
            ("hit", each.hit is not None),
            ("cut", bar.begins),
            ("on", bar.goes_on or bar.stops),
            ("unread", not bar.is_read),
            ("rest", each.key == here.lit),
        )
        if applies
    ]
    bottom = "calc(-1*var(--gap))" if bar.goes_on else _part(row.body_end - bar.end, row)
    style = f"top:{_part(bar.start - row.body, row)};bottom:{bottom}"
    if each.hit is not None:
        style += f";--i:{18 + 72 * each.heat:.0f}%"
    label = _bar_label(side, each, bar.is_read)
    told = f'role="img" aria-label="{label}"' if bar.first else 'aria-hidden="true"'
    return (
        f'<i class="{" ".join(kinds)}" data-c="{each.key}" style="{style}" {told} '
        f'title="{label}"></i>'
    )


def _bar_label(side: _Side, each: _Extent, is_read: bool) -> str:
    words = f"{side.lane.label} #{each.chunk.index}, characters {_place(each)}"
    if each.hit is not None:
        words += f", rank {each.hit.rank}"
    return escape(words if is_read else f"{words}, not read by the model")


def _parity(each: _Extent) -> str:
    return "even" if each.chunk.index % 2 == 0 else "odd"


def _place(each: _Extent) -> str:
    return f"{each.start:,} to {each.end:,}"


def _part(characters: int, row: _Row) -> str:
    """Some of a paragraph's characters in per cent, for a style."""
    return f"{100 * characters / (row.body_end - row.body):.2f}%"


def _text(here: _Page, row: _Row, marks: Iterable[_Extent]) -> str:
    """One paragraph with the signs of the lane that is drawn, and the blank lines around it."""
    waiting = list(marks)
    body = Span(row.body, row.body_end)
    view = View(
        text=here.text,
        spans=(),
        ruler=here.ruler,
        unit=here.scene.unit,
        answers=[answer for answer in here.answers if shared(answer, body)],
        lost=_among(here.lost, body),
    )
    leaves = here.leaves(row)
    parts = [_blank(here.text[row.start : row.body])]
    for owners, group in groupby(_pieces(here, row, view), lambda piece: here.drawn.over(*piece)):
        pieces = list(group)
        while waiting and waiting[0].start <= pieces[0].start:
            parts.append(_mark(here, waiting.pop(0)))
        shown = ""
        for piece in pieces:
            while leaves and leaves[0].start <= piece.start:
                shown += f'<span class="mark leaf">{escape(leaves.pop(0).label)}</span>'
            shown += _run(here, view, piece, owners)
        parts.append(shown if here.drawn.many else _striped(shown, owners))
    parts += [_mark(here, each) for each in waiting]
    parts.append(_blank(here.text[row.body_end : row.end]))
    return "".join(parts)


def _blank(gap: str) -> str:
    return f'<span class="brk">{escape(gap)}</span>' if gap else ""


def _pieces(here: _Page, row: _Row, view: View) -> Iterator[Span]:
    """The text of a row, cut wherever anything that is drawn begins or ends."""
    edges = {row.body, row.body_end}
    for side in here.sides:
        for each in side.over(row.body, row.body_end):
            edges.update((each.start, each.end))
            if side is here.drawn:
                edges.add(each.reads.end)
    for span in (*view.answers, *view.lost):
        edges.update(span)
    edges.update(each.start for each in here.leaves(row))
    inside = sorted(edge for edge in edges if row.body <= edge <= row.body_end)
    return (Span(*pair) for pair in pairwise(inside))


def _run(here: _Page, view: View, piece: Span, owners: Sequence[_Extent]) -> str:
    """A piece of text; `owners` are the chunks of the drawn lane that hold it."""
    keys = [each.key for side in here.sides for each in side.over(*piece)]
    unread = bool(owners) and all(each.reads.end <= piece.start for each in owners)
    hit = owners[0].hit if len(owners) == 1 and not unread else None
    kinds = ["run"]
    if hit is not None:
        kinds.append("hit")
    if any(each.key == here.lit_text for each in owners):
        kinds.append("rest")
    more = f' data-c="{" ".join(keys)}"' if keys else ""
    if hit is not None:
        more += f' style="--p:{2 + 11 * owners[0].heat:.1f}%"'
    shown = f'<span class="{" ".join(kinds)}"{more}>{marked(piece, view)}</span>'
    if unread:
        shown = f'<span class="unread">{shown}</span>'
    elif not owners and not here.drawn.many and not _is_blank(here.text, piece):
        shown = f'<span class="none" title="in no chunk">{shown}</span>'
    stops = [each for each in owners if each.reads.end == piece.start and each.reads.is_blind]
    return "".join(_limit(each) for each in stops) + shown


def _is_blank(text: str, piece: Span) -> bool:
    return text[piece.start : piece.end].isspace()


def _striped(shown: str, owners: Sequence[_Extent]) -> str:
    if len(owners) < 2:
        return shown
    length = min(each.end for each in owners) - max(each.start for each in owners)
    names = [f"#{each.chunk.index}" for each in owners]
    label = f"shared by {', '.join(names[:-1])} and {names[-1]}, {count(length, 'character')}"
    deep = len(owners) > 2
    depth = f'<small aria-hidden="true">×{len(owners)}</small>' if deep else ""
    return (
        f'<span class="{"shared deep" if deep else "shared"}" role="group" title="{label}" '
        f'aria-label="{label}">{depth}{shown}</span>'
    )


def _mark(here: _Page, each: _Extent) -> str:
    """The sign at the start of a chunk, or at the top of the page if it began before."""
    words = f"#{each.chunk.index}"
    kind = "mark"
    if each.start < here.span.start:
        words += ", continued"
        kind += " continued"
    if each.hit is not None:
        words += f" · rank {each.hit.rank} · {cosine(each.hit.score)}"
        kind += " hit"
    return f'<span class="{kind}" id="{_anchor(each)}">{words}</span>'


def _anchor(each: _Extent) -> str:
    return f"chunk-{each.key}"


def _limit(each: _Extent) -> str:
    reads = each.reads
    return (
        f'<span class="mark reads">#{each.chunk.index} is read to here, '
        f"{reads.limit:,} of {reads.tokens:,} tokens</span>"
    )


# The rail: hits, and the chunk under the pointer


def _rail(here: _Page) -> str:
    facts = "".join(_facts(here, each) for each in here.drawn.extents)
    if not facts:
        facts = '<p class="small">No chunk of this strategy stands on this page.</p>'
    links = "".join(
        f'<a class="entry" data-c="{each.key}" href="#{_anchor(each)}">#{each.chunk.index}</a>'
        for each in here.drawn.extents
    )
    every = ""
    if links and not here.drawn.many:
        number = count(len(here.drawn.extents), "chunk")
        every = (
            f'<details class="every"><summary>{number} on this page</summary>'
            f'<div class="links">{links}</div></details>'
        )
    how = HOW_TO_READ + WHERE_ANSWERED * bool(here.answers)
    return (
        f'<div class="rail"><h2>Hits in this document</h2>{_hits(here)}'
        f'<div class="facts">{facts}</div>{every}<p class="small how">{how}</p></div>'
    )


HOW_TO_READ = (
    "Each lane is one strategy beside the same text. Chunks alternate between its left and right "
    "half; where both halves are filled, the text is in two chunks. Darker means closer to the "
    "question, hatched means never read."
)
WHERE_ANSWERED = " The bar at the right of every lane is the known answer."


def _hits(here: _Page) -> str:
    ranking = here.drawn.lane.ranking
    if ranking is None or not ranking.hits:
        return '<p class="small">Nothing has been asked yet, or nothing was found.</p>'
    own = [hit for hit in ranking.hits if _of(hit, here.source)]
    others = [hit for hit in ranking.hits if not _of(hit, here.source)]
    shown = "".join(_entry(here, hit, ranking) for hit in own)
    if not own:
        first = f"the first {len(ranking.hits):,} hits are" if others[1:] else "the only hit is"
        shown = f'<p class="small">Not here: {first} in other documents.</p>'
    if others:
        buttons = " ".join(
            f'<button type="button" data-act="show {escape(hit.chunk.id)}">'
            f'<span class="id">{escape(hit.chunk.id)}</span> (rank\u00a0{hit.rank})</button>'
            for hit in others
        )
        shown += f'<p class="small elsewhere">Elsewhere: {buttons}</p>'
    return shown


def _entry(here: _Page, hit: Hit, ranking: Ranking) -> str:
    """A hit of this document: a link if it is on this page, else a button that opens its page."""
    each = next((each for each in here.drawn.extents if each.hit is hit), None)
    place = here.document.page(hit.chunk.start, hit.chunk.end)
    if each is None and not place:
        place = f"page {page_of(pages(here.text), hit.chunk.start) + 1:,}"
    if place:
        place = f'<span class="place">{escape(place)}</span>'
    inside = (
        f'<b class="rank">{hit.rank}</b><span class="id">{escape(hit.chunk.id)}</span>{place}'
        f'<b class="score">{cosine(hit.score)}</b>'
        f'<span class="bar"><i style="--at:{_length(hit.score)}"></i>'
        f'<i class="floor" style="--at:{_length(ranking.floor)}"></i></span>'
    )
    if each is None:
        name = escape(hit.chunk.id)
        return f'<button type="button" class="entry" data-act="show {name}">{inside}</button>'
    kind = "entry rest" if each.key == here.lit else "entry"
    return f'<a class="{kind}" data-c="{each.key}" href="#{_anchor(each)}">{inside}</a>'


def _length(score: float) -> str:
    """A score as a length on a scale from 0 to 1."""
    return f"{100 * min(max(score, 0.0), 1.0):.1f}%"


def _facts(here: _Page, each: _Extent) -> str:
    """What is known of one chunk of the drawn lane; one of these is shown at a time."""
    cutting, ranking = here.drawn.lane.cutting, here.drawn.lane.ranking
    spans, chunk = cutting.spans[here.source], each.chunk
    size = [count(len(chunk.text), "character")]
    if here.scene.unit != "characters":
        size.insert(0, measured(here.ruler, chunk.start, chunk.end, here.scene.unit))
    rows = []
    if ranking is not None:
        score = cosine(float(ranking.scores[cutting.position[chunk.id]]))
        rows.append(("Score", score if each.hit is None else f"{score}, rank {each.hit.rank}"))
    rows += [("Size", ", ".join(size)), ("Place", _place(each))]
    if page := here.document.page(chunk.start, chunk.end):
        rows.append(("Page", escape(page)))
    if heading := here.document.heading(chunk.start, chunk.end):
        rows.append(("Heading", escape(heading)))
    rows += [
        (f"Shared with #{other}", count(length, "character"))
        for other, length in neighbours(spans, chunk.index)
    ]
    if each.reads.is_blind and each.reads.end < chunk.end:
        rows.append(("The model reads", f"{each.reads.limit:,} of {each.reads.tokens:,} tokens"))
    asked, why = _join(here, spans, chunk)
    if asked:
        rows.append((f"Overlap with #{chunk.index - 1}", asked))
    if chunk.merged:
        why += "<p>A short tail was merged into it.</p>"
    elif chunk.oversized:
        why += "<p>It is larger than the size asked: one piece of it cannot be divided.</p>"
    table = "".join(f"<div><dt>{label}</dt><dd>{value}</dd></div>" for label, value in rows)
    return (
        f'<div class="{"fact rest" if each is here.resting else "fact"}" data-f="{each.key}">'
        f'<p class="id">{escape(chunk.id)}</p><dl>{table}</dl>{why}</div>'
    )


def _join(here: _Page, spans: Sequence[Span], chunk: Chunk) -> tuple[str, str]:
    """Overlap asked and got where `chunk` follows another, and a sentence if none was got."""
    strategy = here.drawn.lane.cutting.strategy
    if isinstance(strategy, Whole):
        return "", "<p>The whole document is one chunk, so it shares nothing.</p>"
    if chunk.index == 0:
        return "", ""
    before, after = spans[chunk.index - 1], spans[chunk.index]
    if shared(before, after) == 0:
        reason = join_reason(here.text, before, after, strategy)
        return "", f"<p>Shares nothing with #{chunk.index - 1}: {reason}.</p>"
    if not isinstance(strategy, Sized):
        return "", ""
    measure = ruler(here.text, strategy.unit, strategy.model)
    got = measure.measure(after.start, before.end)
    return f"{got:,} of {count(strategy.overlap, strategy.unit.removesuffix('s'))} asked", ""


# Light: what belongs together


def _rules(here: _Page) -> str:
    """One rule for each chunk on the page, which lights all that is drawn of it."""
    return "".join(
        _drawn_rule(here, each) if side is here.drawn else _other_rule(each)
        for side in here.sides
        for each in side.extents
    )


RING = "{--ring:var(--ink)}"
LIGHT = "{--lit:24%;color:var(--ink)}"


def _drawn_rule(here: _Page, each: _Extent) -> str:
    key = each.key
    # A chunk chosen in the rail also rings what the other lanes make of its text.
    beside = [
        other.key
        for side in here.sides
        if side is not here.drawn
        for other in side.over(each.start, each.end)
    ]
    rings = ",".join(f'.ext[data-c="{other}"]' for other in beside)
    also = f'.doc:has(.entry[data-c="{key}"]:is(:hover,:focus-visible)) :is({rings}){RING}'
    return (
        f'.doc:has([data-c~="{key}"]:is(:hover,:focus-visible)){{'
        f':is(.ext,.entry)[data-c="{key}"]{RING}.run[data-c~="{key}"]{LIGHT}'
        f'.facts .fact[data-f="{key}"][data-f]{{visibility:visible}}'
        f'.fact.rest:not([data-f="{key}"]){{visibility:hidden}}}}'
        f"{also if beside else ''}\n"
    )


def _other_rule(each: _Extent) -> str:
    """A chunk of another lane: its text is lit from its bar only, or all text would always be."""
    key = each.key
    return (
        f'.doc:has([data-c~="{key}"]:is(:hover,:focus-visible)) .ext[data-c="{key}"]{RING}'
        f'.doc:has(.ext[data-c="{key}"]:hover) .run[data-c~="{key}"]{LIGHT}\n'
    )
