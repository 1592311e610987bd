"""The parts of a column as HTML: its head, its hits, a document's chunks, more figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragchunk.chunks import Chunk
from ragchunk.comparison import Cutting, Ranking, read_ends
from ragchunk.evaluation.questions import Answer
from ragchunk.evaluation.verdict import verdict
from ragchunk.figures import Sizes
from ragchunk.late import FLATTERED
from ragchunk.markup import Card, View, act_button, card, cosine, count, marked, note, part, percent
from ragchunk.search import Hit
from ragchunk.spans import Span, shared, union_length
from ragchunk.strategies import Sized
from ragchunk.tokens import max_tokens, reads_anything
from ragchunk.units import Unit, ruler

# The first hit is there to be read, so it is not folded; a whole document would fill the page.
OPEN_UP_TO = 1_600

# A best hit this close to the median of all chunks stands out from nothing; a handful of chunks has
# no median worth the name.
WEAK_BELOW = 0.05
WEAK_FROM = 8

NO_QUESTION = "Type a question to see what comes back."
NO_CHUNK = "There is no chunk to find."


@dataclass(frozen=True)
class Scene:
    """What all columns are drawn with.

    `unit` is the screen's; `way` is how vectors are made; `answers` are known passages that answer
    the question; `k` hits are asked for. `own`: with settings that the other columns do not share.
    """

    unit: Unit
    way: str
    k: int
    answers: Sequence[Answer] = ()
    own: bool = False


def head(cutting: Cutting, ranking: Ranking | None, scene: Scene, column: int | None = None) -> str:
    """Figures, the verdict and the prompt, in the same rows for every column.

    With the number of a `column`, the lost sentences can be pressed, to step through them.
    """
    found = cutting.figures
    sizes = found.sizes[scene.unit]
    own = " <b>Own settings.</b>" if scene.own else ""
    unit = scene.unit
    lost = f"<b>{found.sentences_lost:,} lost</b>"
    if column is not None and found.sentences_lost:
        lost = act_button(lost, f"lost {column}")
    fate = f"{found.sentences_rescued:,} rescued, {lost}"
    if not found.sentences_cut:
        fate = "nothing to rescue"
    rows = [
        ("Chunks", f"{found.chunks:,}", f"{sizes.min:,} to {sizes.max:,}"),
        ("Median size", f"{sizes.median:,.0f}", unit),
        ("Repeated", percent(found.repeated_share, 1), "of stored text"),
        ("Sentences cut", f"{found.sentences_cut:,}", fate),
    ]
    cells = "".join(
        f'<div><dt>{label}</dt><dd class="value">{value}</dd><dd class="under">{under}</dd></div>'
        for label, value, under in rows
    )
    said = ""
    if scene.answers or ranking is None:
        words = ""
        if ranking is not None:
            ends = read_ends(cutting, ranking.hits, ranking.way)
            words = verdict(scene.answers, ranking.hits, ends, scene.k)
        said = f'<p class="verdict">{words}</p>'
    prompt = '<p class="small prompt"><span>&nbsp;</span></p>'
    if ranking is not None and ranking.hits:
        prompt = (
            f'<p class="small prompt"><span>Top {len(ranking.hits)} of {found.chunks:,} · '
            f"<b>{percent(ranking.unique)}</b> unique text</span>"
            f"<span>Prompt <b>{ranking.tokens:,}</b> against {ranking.document_tokens:,} tokens"
            "</span></p>"
        )
    return (
        f'<div class="rc"><p class="what">{cutting.strategy.describe()}{own}</p>'
        f'<dl class="figures">{cells}</dl>{said}{prompt}</div>'
    )


def hits(
    cutting: Cutting,
    ranking: Ranking,
    scene: Scene,
    column: int | None = None,
    inside: Mapping[str, Sequence[tuple[Span, float]]] | None = None,
    preview: Ranking | None = None,
) -> str:
    """The hits, best first, and the noise floor.

    With the number of a `column`, hits have buttons. `inside` has, by chunk id, the hits that are
    looked into: their sentences with the score of each. `preview` is the ranking that these hits
    took the place of: a hit that has moved says where it stood.
    """
    if not ranking.hits:
        # With chunks there, it is the question that has no word.
        words = NO_QUESTION if cutting.chunks else NO_CHUNK
        return f'<div class="rc"><p class="waiting">{words}</p></div>'
    views = _Views(cutting, scene)
    parts = [_weak(ranking)]
    seen: dict[str, list[Span]] = {}
    before = None if preview is None else {hit.chunk.id: hit.rank for hit in preview.hits}
    for hit in ranking.hits:
        each = hit.chunk
        sentences = (inside or {}).get(each.id)
        parts.append(
            _hit(views, hit, ranking, seen.setdefault(each.source, []), column, sentences, before)
        )
        seen[each.source].append(Span(each.start, each.end))
    if len(ranking.scores) > 1:
        parts.append(
            '<p class="small noise"><span>noise floor</span><span>the median of '
            f"{count(len(ranking.scores), 'chunk')}</span><b>{cosine(ranking.floor)}</b></p>"
        )
    return f'<div class="rc">{"".join(parts)}</div>'


def _hit(
    views: _Views,
    hit: Hit,
    ranking: Ranking,
    seen: Sequence[Span],
    column: int | None,
    sentences: Sequence[tuple[Span, float]] | None,
    before: Mapping[str, int] | None,
) -> str:
    each = hit.chunk
    own = Span(each.start, each.end)
    again = [Span(max(s, own.start), min(e, own.end)) for s, e in seen if shared((s, e), own)]
    notes = []
    if again:
        notes.append(f"{count(union_length(again), 'character')} repeat a hit above")
    if before is not None:
        place = before.get(each.id)
        if place != hit.rank:
            notes.append(f"rank {place} in the preview" if place else "not in the preview")
    acts = []
    if column is not None:
        acts.append(("Open in document", f"open {column} {each.id}"))
        label = "Hide sentences" if sentences is not None else "Sentence by sentence"
        acts.append((label, f"inside {column} {each.id}"))
        acts.append(("This answers it", f"answers {column} {each.id}"))
    drawn = _card(
        views,
        each,
        rank=hit.rank,
        score=hit.score,
        floor=ranking.floor,
        fold=hit.rank > 1 or len(each.text) > OPEN_UP_TO,
        again=again,
        notes=notes,
        acts=acts,
    )
    if sentences is not None:
        drawn += _inside(views[each.source], hit, sentences)
    return drawn


def vectors_line(
    cutting: Cutting,
    ranking: Ranking,
    scene: Scene,
    from_store: int | None = None,
    doing: str = "",
) -> str:
    """How the vectors of these hits were made, and how many came from the store if that is known.

    `doing` says how far the vectors are that a preview stands in for.
    """
    chunks = count(len(cutting.chunks), "chunk")
    flattered = cutting.figures.sizes["tokens"].median <= FLATTERED
    flattering = f"Late vectors flatter chunks of {FLATTERED} tokens and fewer."
    if ranking.way != scene.way:
        caution = flattering if flattered else "About a quarter of the top five will change."
        said = " ".join(["<b>Preview</b> by late vectors.", caution, doing]).rstrip()
    elif ranking.way == "late":
        said = f"<b>late</b> vectors of {chunks}, one token pass"
        said += f". {flattering}" if flattered else ""
    else:
        said = f"<b>{ranking.way}</b> vectors of {chunks}"
        said += "" if from_store is None else f", {from_store:,} from the store"
    return f'<div class="rc"><p class="small vectors" role="status">{said}</p></div>'


def _inside(view: View, hit: Hit, sentences: Sequence[tuple[Span, float]]) -> str:
    """Each sentence of a hit with its own score: what the chunk's one vector dilutes."""
    answering = [
        score for span, score in sentences if any(shared(span, answer) for answer in view.answers)
    ]
    best = max(answering or [score for _, score in sentences], default=0.0)
    name = "the answer sentence alone" if answering else "the best sentence alone"
    rows = "".join(
        f'<li><div class="bar"><i style="--at:{part(score)}"></i></div>'
        f'<b class="score">{cosine(score)}</b><span>{marked(span, view)}</span></li>'
        for span, score in sentences
    )
    return (
        f'<div class="inside"><p><b>{name} {cosine(best)}, this chunk {cosine(hit.score)}</b></p>'
        f"<ol>{rows}</ol></div>"
    )


def _weak(ranking: Ranking) -> str:
    best = ranking.hits[0].score
    if len(ranking.scores) < WEAK_FROM or best - ranking.floor >= WEAK_BELOW:
        return ""
    return note(
        "Note",
        f"Best {cosine(best)}, noise floor {cosine(ranking.floor)}: "
        "probably nothing here answers this.",
    )


def chunk_list(
    cutting: Cutting,
    chunks: Sequence[Chunk],
    scene: Scene,
    ranking: Ranking | None,
    column: int | None = None,
) -> str:
    """Some chunks in their order, as the same cards."""
    if not chunks:
        return '<div class="rc"><p class="waiting">This document has no chunk.</p></div>'
    views = _Views(cutting, scene)
    ranks = {} if ranking is None else {hit.chunk.id: hit.rank for hit in ranking.hits}
    cards = "".join(
        _card(
            views,
            each,
            rank=ranks.get(each.id),
            score=None if ranking is None else float(ranking.scores[cutting.position[each.id]]),
            floor=None if ranking is None else ranking.floor,
            fold=True,
            acts=() if column is None else [("Open in document", f"open {column} {each.id}")],
        )
        for each in chunks
    )
    return f'<div class="rc">{cards}</div>'


class _Views(dict[str, View]):
    """The view of each document, made when its first chunk is drawn."""

    def __init__(self, cutting: Cutting, scene: Scene) -> None:
        self.cutting, self.scene = cutting, scene

    def __missing__(self, source: str) -> View:
        cutting, scene = self.cutting, self.scene
        text, spans = cutting.corpus.texts[source], cutting.spans[source]
        self[source] = View(
            text=text,
            spans=spans,
            ruler=ruler(text, scene.unit, cutting.model),
            unit=scene.unit,
            answers=[(a.start, a.end) for a in scene.answers if a.source == source],
            lost=cutting.lost(source),
        )
        return self[source]


def _card(
    views: _Views,
    each: Chunk,
    *,
    rank: int | None,
    score: float | None,
    floor: float | None,
    fold: bool,
    again: Sequence[Span] = (),
    notes: Sequence[str] = (),
    acts: Sequence[tuple[str, str]] = (),
) -> str:
    cutting, view = views.cutting, views[each.source]
    joined = each.id not in cutting.position
    reads = cutting.reading(each, views.scene.way)
    remarks = [
        words
        for words, applies in (
            ("short tail merged", each.merged),
            ("larger than the size asked", each.oversized and not each.merged),
            ("the model reads none of it", not reads_anything(each.text, cutting.model)),
        )
        if applies
    ]
    return card(
        Card(
            id=each.id,
            index=each.index,
            span=Span(each.start, each.end),
            size=count(view.ruler.measure(each.start, each.end), view.unit.removesuffix("s")),
            tokens=reads.tokens,
            read_tokens=min(reads.limit, reads.tokens),
            read_end=reads.end,
            rank=rank,
            score=score,
            floor=floor,
            notes=[*remarks, *notes],
            acts=acts,
            joined=joined,
            elsewhere=acts[0][1] if acts else "",
            page=cutting.corpus.page(each.source, each.start, each.end),
        ),
        replace(view, again=again) if again else view,
        fold,
    )


def more_figures(cutting: Cutting) -> str:
    """Sizes in all units with a histogram, overlap asked and got, what the model does not read."""
    found, strategy = cutting.figures, cutting.strategy
    rows = "".join(
        f"<tr><th scope=row>{unit}</th>{''.join(f'<td>{each}</td>' for each in _row(sizes))}</tr>"
        for unit, sizes in found.sizes.items()
    )
    table = (
        "<table><thead><tr><th scope=col>Size in</th><th scope=col>min</th>"
        "<th scope=col>median</th><th scope=col>mean</th><th scope=col>max</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )
    lines = [f"{found.repeated:,} of {found.stored:,} stored characters are a second copy."]
    if isinstance(strategy, Sized):
        lines.append(
            f"Overlap asked {strategy.overlap:,} {strategy.unit}, got a median of "
            f"{found.overlap_median:,.0f} characters; joins that share nothing: "
            f"{found.joins_without:,} of {found.joins:,}."
        )
    lines.append(
        f"{found.sentences:,} sentences: {found.sentences_cut:,} cut, "
        f"{found.sentences_rescued:,} rescued, {found.sentences_lost:,} lost."
    )
    lines.append(
        f"{found.unread:,} of {found.tokens:,} tokens stand behind the "
        f"{max_tokens(cutting.model):,} that the model reads of a chunk, in "
        f"{count(found.blind_chunks, 'chunk')}: plain vectors lose them, averaged and late do not."
    )
    if found.left_out:
        lines.append(f"{count(found.left_out, 'character')} dropped with short last chunks.")
    said = "".join(f"<p>{line}</p>" for line in lines)
    bars = _histogram(found.sizes["tokens"])
    return f'<div class="rc">{table}{bars}<div class="small">{said}</div></div>'


def _row(sizes: Sizes) -> list[str]:
    return [f"{sizes.min:,}", f"{sizes.median:,.0f}", f"{sizes.mean:,.1f}", f"{sizes.max:,}"]


def _histogram(sizes: Sizes) -> str:
    if not sizes.each.size:
        return ""
    found, edges = sizes.histogram()
    counts = found.tolist()
    bars = "".join(
        f'<i style="--at:{100 * number / max(counts):.1f}%" title="{count(number, "chunk")}"></i>'
        for number in counts
    )
    told = ", ".join(
        f"{number} of {low:.0f} to {high:.0f}"
        for number, low, high in zip(counts, edges, edges[1:], strict=False)
        if number
    )
    return (
        f'<div class="histogram" role="img" aria-label="Chunks by tokens: {told}">{bars}</div>'
        '<p class="small scale"><span>0</span><span>chunks by tokens</span>'
        f"<span>{edges[-1]:,.0f}</span></p>"
    )


KEY = (
    '<div class="rc"><p class="small key">'
    '<span><span class="sample shared">striped</span> shared by two chunks</span>'
    '<span><span class="sample lost">waved</span> sentence whole in no chunk</span>'
    '<span><b class="sample">bold</b> known answer</span>'
    '<span><span class="sample hatched">hatched</span> not read by the model</span>'
    "<span>Shorter chunks often score higher: cosine is not quality.</span></p></div>"
)
