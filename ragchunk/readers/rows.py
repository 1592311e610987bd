"""CSV and TSV: each row a paragraph that says what its values are, as "Name: Apple; Price: 1"."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import islice
from typing import Any

from ragchunk.readers.base import MOST_MARKUP, Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks, in_words
from ragchunk.readers.plain import text_of

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 20
_SAMPLE = 100_000
_MOST_NUMBER = 40
_NUMBER = re.compile(r"[-+(]?[\d.,:/ %€$£-]*\d[\d.,:/ %€$£)-]*\Z")
_TIME = re.compile(r"(?:1[89]|20)\d\d(?:[-/.]\d{1,2}){0,2}\Z|\d{1,2}([-/.])\d{1,2}\1\d{2,4}\Z")
# What Excel reads in a first line as the sign between cells.
_CHOSEN = re.compile(r"\"?sep=([^\r\n\"])\"?\r?\n", re.IGNORECASE)
_MOST_TITLES = 5
_MOST_UNCLOSED = 20


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    csv.field_size_limit(MOST_MARKUP)  # of the process, so never less than a file may have
    chosen = _CHOSEN.match(text)
    if chosen:
        text = text[chosen.end() :]
    delimiter = chosen[1] if chosen else _delimiter(text)
    lines = _lines(text)
    sample = [values for _, values in islice(_rows(lines, delimiter, []), _SAMPLE_ROWS)]
    # In a column of sentences each comma would make a cell.
    prose = delimiter == "," and any(", " in line for line in lines[:_SAMPLE_ROWS])
    titles = 0 if prose else _titles(sample)
    header = _header(sample[titles:])
    blocks = Blocks()
    count = 0
    unclosed: list[int] = []
    for number, (line, values) in enumerate(_rows(lines, delimiter, unclosed)):
        if number < titles:
            blocks.add(_said([], values))
        if number < titles or (header and number == titles):
            continue
        count += 1
        told(line, len(lines))
        blocks.page(f"row {count}")
        blocks.add(_said(header, values))
        if blocks.full:
            break
    if header and not count:  # one row alone
        blocks.add("; ".join(header))
    if unclosed:
        notes += (f"Opened and never closed is the quote in {in_words(unclosed, 'line')}.",)
    return blocks.done(notes)


def _lines(text: str) -> list[str]:
    return StringIO(text, newline="").readlines()


def _rows(lines: list[str], delimiter: str, unclosed: list[int]) -> Iterator[tuple[int, list[str]]]:
    """Each row that has text, with the number of its last line.

    A quote that is never closed takes all that follows into its cell. In its line quotes then say
    nothing, and what follows is read as usual; the line's number is put into `unclosed`.
    """
    first = 0  # of the lines that are read from here on
    while first < len(lines):
        quoted = len(unclosed) < _MOST_UNCLOSED
        rows = _parsed(islice(lines, first, None), delimiter, quoted)
        offset, began, first = first, first, len(lines)
        for values in rows:
            ended = offset + rows.line_num
            if ended == len(lines) > began + 1 and _is_open(lines[began:], delimiter, quoted):
                unclosed.append(began + 1)
                [values] = _parsed(lines[began : began + 1], delimiter, quoted=False)
                first = ended = began + 1
            if any(value.strip() for value in values):
                yield ended, values
            began = ended


def _parsed(lines: Iterable[str], delimiter: str, quoted: bool = True) -> Any:
    # A space before a quote hides nothing; around values it is taken away anyway.
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, quoting=quoting)


def _is_open(lines: list[str], delimiter: str, quoted: bool) -> bool:
    """Whether one row would take in whatever came after it."""
    return len(list(_parsed([*lines, "."], delimiter, quoted))) == 1


def _delimiter(text: str) -> str:
    """The sign that cuts the most of the first rows into the same number of cells, two or more."""
    sample = _lines(text[:_SAMPLE])

    def fit(delimiter: str) -> tuple[float, int]:
        rows = filter(None, _parsed(sample, delimiter))
        widths = [len(values) for values in islice(rows, _SAMPLE_ROWS)]
        usual = Counter(width for width in widths if width > 1).most_common(1)
        return (usual[0][1] / len(widths), usual[0][0]) if usual else (0.0, 0)

    best = max(_DELIMITERS, key=fit)
    return best if fit(best)[1] else ","


def _titles(rows: list[list[str]]) -> int:
    """How many rows stand above the header and are none, such as the title of a report."""
    filled = [sum(bool(value.strip()) for value in values) for values in rows]
    count = next((number for number, cells in enumerate(filled) if cells > 1), 0)
    if count > _MOST_TITLES or not _header(rows[count:]):
        return 0
    return count if len(rows) > count + 1 else 0


def _header(rows: list[list[str]]) -> list[str]:
    """The first row, if it names columns: one name a column, none twice, none a number.

    Years and dates are names, if what stands below them is none.
    """
    if not rows:
        return []
    names = [" ".join(value.split()) for value in rows[0]]
    filled = [name for name in names if name]
    if len(set(filled)) < len(filled) or len(filled) <= len(names) / 2:
        return []
    numbers = [at for at, name in enumerate(names) if _is_number(name)]
    if len(numbers) == len(filled):
        return []
    for at in numbers:
        below = [values[at].strip() for values in rows[1:] if at < len(values)]
        times = sum(bool(_TIME.match(value)) for value in below)
        if not _TIME.match(names[at]) or not below or times > len(below) / 2:
            return []
    return names


def _is_number(name: str) -> bool:
    return len(name) < _MOST_NUMBER and bool(_NUMBER.match(name))


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
