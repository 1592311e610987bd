"""CSV and TSV: each row a paragraph that says what its values are, as "Name: Apple; Price: 1"."""

from __future__ import annotations

import csv
import re
from io import StringIO

from ragchunk.readers.base import MOST_MARKUP, Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks
from ragchunk.readers.plain import text_of

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 20
_SAMPLE = 100_000
_MOST_NUMBER = 40
_NUMBER = re.compile(r"[-+(]?[\d.,:/ %€$£-]*\d[\d.,:/ %€$£)-]*\Z")


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    csv.field_size_limit(MOST_MARKUP)  # of the process, so never less than a file may have
    delimiter = _delimiter(text)
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    blocks = Blocks()
    header: list[str] | None = None
    total = text.count("\n") + 1
    count = 0
    for values in rows:
        if not any(value.strip() for value in values):
            continue
        if header is None:
            header = _header(values)
            if header:
                continue
        count += 1
        told(min(rows.line_num, total), total)
        blocks.page(f"row {count}")
        blocks.add(_said(header or [], values))
        if blocks.full:
            break
    if header and not count:  # one row alone
        blocks.add("; ".join(header))
    return blocks.done(notes)


def _delimiter(text: str) -> str:
    """The sign that cuts the first rows into the most cells of the same number."""
    sample = text[:_SAMPLE]

    def fit(delimiter: str) -> tuple[float, int]:
        widths = []
        for values in csv.reader(StringIO(sample, newline=""), delimiter=delimiter):
            if values:
                widths.append(len(values))
            if len(widths) == _SAMPLE_ROWS:
                break
        first = widths[0] if widths else 0
        if first < 2:
            return 0.0, 0
        return sum(width == first for width in widths) / len(widths), first

    best = max(_DELIMITERS, key=fit)
    return best if fit(best)[1] else ","


def _header(values: list[str]) -> list[str]:
    """The first row, if it names columns: one name a column, none twice, none a number."""
    names = [" ".join(value.split()) for value in values]
    filled = [name for name in names if name]
    names_differ = len(set(filled)) == len(filled)
    numbers = any(len(name) < _MOST_NUMBER and _NUMBER.match(name) for name in filled)
    return names if names_differ and not numbers and len(filled) > len(names) / 2 else []


def _said(header: list[str], values: list[str]) -> str:
    """
    >>> _said(["Name", "Price"], ["Apple", " 1.20\\nEUR", "extra"])
    'Name: Apple; Price: 1.20 EUR; extra'
    """
    names = [*header, *[""] * (len(values) - len(header))]
    parts = []
    for name, value in zip(names, values, strict=False):
        if flat := " ".join(value.split()):
            parts.append(f"{name}: {flat}" if name else flat)
    return "; ".join(parts)
