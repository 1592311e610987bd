"""Jupyter notebooks: text and code cell by cell, with the text that code printed."""

from __future__ import annotations

import json
import re
from typing import Any

from ragchunk.errors import LoadError
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks
from ragchunk.readers.markdown import headings
from ragchunk.readers.plain import text_of

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    cells = _cells(json.loads(text, parse_int=str))  # a number may have any digits
    blocks = Blocks()
    pictures = odd = 0
    for number, cell in enumerate(cells, 1):
        told(number, len(cells))
        if not isinstance(cell, dict):
            odd += 1
            continue
        source = _joined(cell.get("source", cell.get("input", "")))
        if source is None:
            odd += 1
            source = ""
        blocks.page(f"cell {number}")
        if cell.get("cell_type") == "markdown":
            blocks.extract(Extract(source, headings=headings(source)))
        else:
            blocks.add(source.strip("\r\n").rstrip())
        outputs = cell.get("outputs") or []
        for output in outputs if isinstance(outputs, list) else [outputs]:
            shown, drawn = _output(output) if isinstance(output, dict) else (None, False)
            if drawn:
                pictures += 1
            elif shown is None:
                odd += 1
            else:
                blocks.add(_as_shown(shown))
    if pictures:
        notes += (f"Outputs without text, such as pictures, left out: {pictures:,}.",)
    if odd:
        notes += (f"Cells and outputs that are none, left out: {odd:,}.",)
    return blocks.done(notes)


def _as_shown(printed: str) -> str:
    """As it stands on the screen: \\r goes back, as bars that show progress do.

    >>> _as_shown("10%\\r100%\\r\\ndone")
    '100%\\ndone'
    """
    lines = _COLOURS.sub("", printed).split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines).strip("\n").rstrip()


def _cells(notebook: Any) -> list[Any]:
    if isinstance(notebook, dict):
        # Before version 4 cells were in worksheets.
        sheets = notebook.get("worksheets")
        if not (found := notebook.get("cells")) and isinstance(sheets, list):
            parts = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
            found = [cell for part in parts if isinstance(part, list) for cell in part]
        if isinstance(found, list) and (not found or any(isinstance(x, dict) for x in found)):
            return found
    raise LoadError("is JSON, but no notebook: it has no cells. Rename it to .json.")


def _output(output: dict[str, Any]) -> tuple[str | None, bool]:
    """The text of an output, None if it is no output, and whether it has something else."""
    kind = output.get("output_type")
    if kind == "stream":
        return _joined(output.get("text")), False
    if kind == "error":
        return f"{output.get('ename', '')}: {output.get('evalue', '')}".strip(": "), False
    found = output.get("data", output)
    if not isinstance(found, dict):
        return None, False
    text = _joined(found.get("text/plain", found.get("text")))
    # A picture stands beside the name of its Python object, which says nothing.
    drawn = any(name.startswith("image/") for name in found)
    return ("", True) if drawn else (text, not text)


def _joined(lines: Any) -> str | None:
    """Lines as one text; None for what are no lines."""
    if isinstance(lines, list):
        return "".join(map(str, lines))
    return None if isinstance(lines, dict) else str(lines or "")
