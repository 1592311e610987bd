"""What a person takes away: the chunks as JSONL or CSV, and a script that makes the same ones."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from io import StringIO

from ragchunk.comparison import Cutting
from ragchunk.documents import AS_USUAL, ReadOptions
from ragchunk.search import check_k
from ragchunk.strategies import Strategy
from ragchunk.tokens import DEFAULT_MODEL, without_surrogates

COLUMNS = ("id", "source", "start", "end", "text", "tokens", "place")

# Half of a surrogate pair has no UTF-8; the others end a line for `str.splitlines`, not for JSON.
_ESCAPED = re.compile("[\x85\u2028\u2029\ud800-\udfff]")

# What makes a spreadsheet run a cell: the signs, also full width, as the first thing that is seen
# (white space, controls and marks of no width are stripped or not shown), or a tab or line end.
_RUNS = re.compile(r"[\t\r\n]|[\s\x00-\x1f\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠]")


def chunks_jsonl(cutting: Cutting) -> str:
    """The chunks as JSON, one object a line: id, source, start, end, text, tokens, place.

    The exact export: `text` is `document[start:end]`, character for character, offsets in code
    points. Characters stand for themselves except half surrogate pairs and odd line ends, which
    JSON escapes, so that the result is valid UTF-8 and every reader of lines finds the same lines.
    """
    return "".join(
        _ESCAPED.sub(
            lambda found: f"\\u{ord(found.group()):04x}",
            json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False),
        )
        + "\n"
        for row in _rows(cutting)
    )


def chunks_csv(cutting: Cutting) -> str:
    """The chunks as CSV (RFC 4180) with a header row: id, source, ..., tokens, place.

    For spreadsheets, and so not exact: a cell that a spreadsheet would run as a formula gets an
    apostrophe in front, and half surrogate pairs become U+FFFD. `chunks_jsonl` is the exact one.
    """
    out = StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in _rows(cutting):
        writer.writerow([_defused(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def _rows(cutting: Cutting) -> Iterator[tuple[str | int, ...]]:
    for each in cutting.chunks:
        place = cutting.corpus.by_source[each.source].place(each.start, each.end)
        tokens = cutting.tokens[each.id]
        yield each.id, each.source, each.start, each.end, each.text, tokens, place


def _defused(cell: str) -> str:
    """A cell that no spreadsheet runs.

    >>> _defused("=1+1"), _defused(" -1"), _defused("1 = 1")
    ("'=1+1", "' -1", '1 = 1')
    """
    cell = without_surrogates(cell)
    return "'" + cell if _RUNS.match(cell) else cell


def snippet(
    strategy: Strategy,
    way: str = "plain",
    model: str = DEFAULT_MODEL,
    folder: str = "docs",
    query: str | None = None,
    k: int = 5,
    how: ReadOptions = AS_USUAL,
) -> str:
    """A Python script that cuts `folder` as `strategy` does, and asks `query` if there is one.

    Run where `folder` is, with ragchunk importable, it prints how many chunks there are, and the k
    hits. The chunks are those of the screen if the folder holds the same files; ids are the same
    if it holds them under the same names. Every setting is written out, but for a tokenizer that
    is the default one, and the reading of files that is the usual one. All strings are literals,
    so that none of them can be code. Raises SettingsError unless k is an integer of at least 1.
    """
    check_k(k)
    asks = query is not None and query.strip() != ""
    reads = how != AS_USUAL
    names = ["ReadOptions"] * reads + ["STRATEGIES", "chunk", "load_documents"]
    names += ["load_encoder", "top_hits"] * asks
    asked = repr(query) if asks else '"your question"'
    encoder = f"load_encoder({model!r})"
    options = f"k={k}, way={way!r}" + ", documents=documents" * (way == "late")
    lines = [
        f"# Run it where {folder!r} is, the folder with your documents; ragchunk/ beside it.",
        f"from ragchunk import {', '.join(names)}",
        "",
        f"documents = load_documents({folder!r}{f', {how!r}' if reads else ''})",
        f"strategy = STRATEGIES[{strategy.name!r}]({_arguments(strategy)})",
        "chunks = chunk(documents, strategy)",
        'print(f"documents: {len(documents)}, chunks: {len(chunks)}")',
        "",
    ]
    if asks:
        lines += [
            f"question = {asked}",
            f"encoder = {encoder}",
            f"for hit in top_hits(question, chunks, encoder, {options}):",
            '    print(f"{hit.rank}  {hit.score:.3f}  {hit.chunk.id}")',
        ]
    else:
        lines += [
            "# To ask a question:",
            "# from ragchunk import load_encoder, top_hits",
            f"# hits = top_hits({asked}, chunks, {encoder}, {options})",
        ]
    return "\n".join(lines) + "\n"


def _arguments(strategy: Strategy) -> str:
    """The settings, one a line with what they mean where that is not plain."""
    lines = []
    for each in fields(strategy):
        value = getattr(strategy, each.name)
        if each.name == "model" and value == DEFAULT_MODEL:
            continue
        note = ""
        if each.name == "min_size" and value is None:
            note = "  # a last chunk below a quarter of the size is short"
        lines.append(f"    {each.name}={value!r},{note}\n")
    return f"\n{''.join(lines)}" if lines else ""
