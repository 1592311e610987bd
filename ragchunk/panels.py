"""The parts of a column as HTML: its head, its hits, a document's chunks, more figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragchunk.chunks import Chunk
from ragchunk.comparison import Cutting, Ranking, read_ends
from ragchunk.evaluation.questions import Answer
from ragchunk.evaluation.verdict import verdict
from ragchunk.figures import Sizes, sentence_fates
from ragchunk.markup import Card, View, card, cosine, count, note, percent
from ragchunk.spans import Span
from ragchunk.strategies import Sized
from ragchunk.tokens import max_tokens, reads_anything
from ragchunk.units import Unit, ruler

# The first hit is there to be read, so it is not folded; a whole document would fill the page.
OPEN_UP_TO = 1_600

# A best hit this close to the median of all chunks stands out from nothing; a handful of chunks has
# no median worth the name.
WEAK_BELOW = 0.05
WEAK_FROM = 8

NO_CHUNK = "There is no chunk to find."


@dataclass(frozen=True)
class Scene:
    """What all columns are drawn with.

    `unit` is the screen's; `way` is how vectors are made; `answers` are known passages that answer
    the question; `k` hits are asked for.
    """

    unit: Unit
    way: str
    k: int
    answers: Sequence[Answer] = ()


def head(cutting: Cutting, ranking: Ranking | None, scene: Scene) -> str:
    """Figures, the verdict and the prompt, in the same rows for every column."""
    found = cutting.figures
    sizes = found.sizes[scene.unit]
    unit = scene.unit
    fate = (
        f"{found.sentences_rescued:,} rescued, <b>{found.sentences_lost:,} lost</b>"
        if found.sentences_cut
        else "nothing to rescue"
    )
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
            ends = read_ends(cutting, ranking.hits, scene.way)
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
        f'<div class="rc"><p class="what">{cutting.strategy.describe()}</p>'
        f'<dl class="figures">{cells}</dl>{said}{prompt}</div>'
    )


def hits(cutting: Cutting, ranking: Ranking, scene: Scene) -> str:
    """The hits, best first, and the noise floor."""
    if not ranking.hits:
        # With chunks there, it is the question that has no word.
        words = "Type a question to see what comes back." if cutting.chunks else NO_CHUNK
        return f'<div class="rc"><p class="waiting">{words}</p></div>'
    views = _Views(cutting, scene)
    cards = "".join(
        _card(views, hit.chunk, ranking, fold=hit.rank > 1 or len(hit.chunk.text) > OPEN_UP_TO)
        for hit in ranking.hits
    )
    floor = (
        '<p class="small noise"><span>noise floor</span><span>half of the '
        f"{count(len(ranking.scores), 'chunk')} score less</span><b>{cosine(ranking.floor)}</b></p>"
    )
    best = ranking.hits[0].score
    weak = ""
    if len(ranking.scores) >= WEAK_FROM and best - ranking.floor < WEAK_BELOW:
        weak = note(
            "Note",
            f"Best {cosine(best)}, noise floor {cosine(ranking.floor)}: "
            "probably nothing here answers this.",
        )
    return f'<div class="rc">{weak}{cards}{floor}</div>'


def chunk_list(
    cutting: Cutting, chunks: Sequence[Chunk], scene: Scene, ranking: Ranking | None
) -> str:
    """Some chunks in their order, as the same cards."""
    if not chunks:
        return '<div class="rc"><p class="waiting">This document has no chunk.</p></div>'
    views = _Views(cutting, scene)
    cards = "".join(_card(views, each, ranking, fold=True) for each in chunks)
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
            lost=sentence_fates(text, spans).lost_spans,
        )
        return self[source]


def _card(views: _Views, each: Chunk, ranking: Ranking | None, fold: bool) -> str:
    cutting, view = views.cutting, views[each.source]
    reads = cutting.reading(each, views.scene.way)
    notes = [
        words
        for words, applies in (
            ("short tail merged", each.merged),
            ("larger than the size asked", each.oversized and not each.merged),
            ("the model reads none of it", not reads_anything(each.text, cutting.model)),
        )
        if applies
    ]
    rank = score = None
    if ranking is not None:
        rank = next((hit.rank for hit in ranking.hits if hit.chunk is each), None)
        score = float(ranking.scores[cutting.position[each.id]])
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
            floor=None if ranking is None else ranking.floor,
            notes=notes,
        ),
        view,
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
            f"{found.overlap_median:,.0f} characters; {found.joins_without:,} of "
            f"{count(found.joins, 'join')} share nothing."
        )
    lines.append(
        f"{found.sentences:,} sentences: {found.sentences_cut:,} cut, "
        f"{found.sentences_rescued:,} rescued, {found.sentences_lost:,} lost."
    )
    lines.append(
        f"{found.unread:,} of {found.tokens:,} tokens stand behind the "
        f"{max_tokens(cutting.model):,} that the model reads of a chunk, in "
        f"{count(found.blind_chunks, 'chunk')}."
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
