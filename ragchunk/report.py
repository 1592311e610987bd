"""The comparison on the screen as one HTML file, for lecture notes.

The file fetches nothing and runs nothing: no script, no link to another place, its looks inside,
and a policy that forbids a browser the rest. It has both themes, and prints in the light one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from ragchunk import panels
from ragchunk.comparison import Cutting, Ranking
from ragchunk.corpus import Corpus
from ragchunk.embedding import WAYS
from ragchunk.markup import STYLE, count, escape, percent
from ragchunk.strategies import Sized, Strategy
from ragchunk.tokens import DEFAULT_MODEL

REPORT_STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

# File names that are written out; the rest is counted.
NAMES_SHOWN = 12
TITLE_CHARACTERS = 80

Column = tuple[str, Cutting, Ranking | None, panels.Scene]


def report_html(
    corpus: Corpus,
    columns: Sequence[Column],
    query: str,
    date: str,
    link: str | None = None,
    title: str = "",
) -> str:
    """A whole HTML document, ready to be encoded as UTF-8.

    columns: for each its name, its chunks, what was found, None where nothing was asked, and what
    it is drawn with.
    date: the day, in words of the caller's. link: the address of this view, shown as text.
    title: the heading; without one it is the question, or "Chunks compared".
    """
    heading = " ".join((title or query).split()) or "Chunks compared"
    asked = query if title else ""  # else the heading is the question
    short = heading[:TITLE_CHARACTERS] + "…" * (len(heading) > TITLE_CHARACTERS)
    model = columns[0][1].model if columns else DEFAULT_MODEL
    # Settings that all columns share are said once.
    settings = {
        words for _, cutting, *_ in columns if (words := settings_in_words(cutting.strategy))
    }
    shared = settings.pop() if len(settings) == 1 else ""
    # Hits that stood in for others when the report was made are called what they are.
    ways = list(
        dict.fromkeys(scene.way if found is None else found.way for *_, found, scene in columns)
    )
    body = '<body class="wide">' if len(columns) > 3 else "<body>"
    drawn = "".join(_column(*column, query, bool(shared)) for column in columns)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(short)} · ragchunk</title>\n{STYLE}\n<style>{REPORT_STYLE}</style>\n"
        f"</head>\n{body}\n{_top(corpus, asked, ways, model, heading, shared, date)}\n"
        f'<main class="report-columns" style="--columns:{max(1, len(columns))}">{drawn}</main>\n'
        f"{_foot(link)}\n</body>\n</html>\n"
    )


def settings_in_words(strategy: Strategy) -> str:
    """`Size 120 tokens · overlap 20, 17 % · tail kept`; "" without settings.

    Not escaped.
    """
    if not isinstance(strategy, Sized):
        return _others(strategy, ())
    overlap = f"overlap {strategy.overlap:,}"
    if strategy.overlap:
        overlap += f", {percent(strategy.overlap / strategy.size)}"
    least = strategy.size // 4 if strategy.min_size is None else strategy.min_size
    short = {
        "keep": "tail kept",
        "merge": f"tail below {least:,} merged",
        "drop": f"tail below {least:,} dropped",
    }[strategy.tail]
    said = [f"Size {strategy.size:,} {strategy.unit}", overlap, short]
    more = _others(strategy, [each.name for each in fields(Sized)])
    return " · ".join([*said, more] if more else said)


def _others(strategy: Strategy, known: Sequence[str]) -> str:
    """Settings that only this strategy has, by their names."""
    return " · ".join(
        f"{each.name.replace('_', ' ')} {getattr(strategy, each.name)}"
        for each in fields(strategy)
        if each.name not in known
    )


def _top(
    corpus: Corpus,
    query: str,
    ways: Sequence[str],
    model: str,
    heading: str,
    settings: str,
    date: str,
) -> str:
    characters = sum(len(each.text) for each in corpus.documents)
    size = [
        count(len(corpus.documents), "document"),
        count(characters, "character"),
        count(corpus.tokens(corpus.texts, model), "token"),
    ]
    asked = f'<p class="question" dir="auto">{escape(query)}</p>' if query else ""
    rows = [("Corpus", " · ".join(size) + _names(corpus))]
    if settings:
        rows.append(("Settings", escape(settings)))
    said = " ".join(f"{way.capitalize()}: {WAYS.get(way, '')}" for way in ways)
    rows.append(("Vectors", escape(f"By {model}. {said}")))
    facts = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return (
        '<header class="rc report-top"><p class="brand"><b>ragchunk</b>'
        f'<span class="small">{escape(date)}</span></p>'
        f'<h1 dir="auto">{escape(heading)}</h1>{asked}<dl class="facts">{facts}</dl></header>'
    )


def _names(corpus: Corpus) -> str:
    names = [each.source for each in corpus.documents[:NAMES_SHOWN]]
    if not names:
        return ""
    more = len(corpus.documents) - len(names)
    shown = "".join(f'<bdi class="id">{escape(name)}</bdi> ' for name in names)
    return f'<span class="names">{shown}{f"and {more:,} more" if more else ""}</span>'


def _column(
    label: str,
    cutting: Cutting,
    ranking: Ranking | None,
    scene: panels.Scene,
    query: str,
    settings_said: bool,
) -> str:
    if ranking is not None and (ranking.hits or not cutting.chunks):
        found = panels.vectors_line(cutting, ranking, scene) + panels.hits(cutting, ranking, scene)
    else:
        why = "The model was not asked." if ranking is None else "There is no word in the question."
        why = why if query.strip() else "No question was asked."
        found = f'<div class="rc"><p class="waiting">{why}</p></div>'
    words = settings_in_words(cutting.strategy) or "No settings"
    settings = "" if settings_said else f'<p class="small">{escape(words)}</p>'
    return (
        f'<section class="report-column"><div class="rc"><h2>{escape(label)}</h2>{settings}</div>'
        f"{panels.head(cutting, ranking, scene)}{found}"
        f'<div class="more"><div class="rc"><h3>More figures</h3></div>'
        f"{panels.more_figures(cutting)}</div></section>"
    )


def _foot(link: str | None) -> str:
    shown = ""
    if link:
        shown = (
            '<p class="small link">This view in ragchunk: '
            f'<span class="id">{escape(link)}</span></p>'
        )
    return f'<footer class="report-foot">{panels.KEY}<div class="rc">{shown}</div></footer>'
