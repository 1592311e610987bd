"""Jupyter notebooks: text and code cell by cell, with the text that code printed."""

from __future__ import annotations

import json
import re
from typing import Any

from ragchunk.errors import LoadError
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks
from ragchunk.readers.headings import markdown_headings
from ragchunk.readers.plain import text_of

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    cells = _cells(json.loads(text))
    blocks = Blocks()
    pictures = 0
    for number, cell in enumerate(cells, 1):
        told(number, len(cells))
        source = _joined(cell.get("source", cell.get("input", "")))
        blocks.page(f"cell {number}")
        if cell.get("cell_type") == "markdown":
            blocks.extract(Extract(source, headings=markdown_headings(source)))
        else:
            blocks.add(source.strip("\r\n").rstrip())
        for output in cell.get("outputs") or ():
            shown, unread = _output(output)
            pictures += unread
            blocks.add(_COLOURS.sub("", shown).strip("\r\n").rstrip())
    if pictures:
        notes += (f"Outputs without text, such as pictures, left out: {pictures:,}.",)
    return blocks.done(notes)


def _cells(notebook: Any) -> list[dict[str, Any]]:
    if isinstance(notebook, dict):
        # Before version 4 cells were in worksheets.
        sheets = notebook.get("worksheets")
        found = notebook.get("cells") or [
            cell for sheet in sheets or () for cell in sheet.get("cells", ())
        ]
        if isinstance(found, list) and all(isinstance(cell, dict) for cell in found):
            return found
    raise LoadError("is JSON, but no notebook: it has no cells. Rename it to .json.")


def _output(output: dict[str, Any]) -> tuple[str, bool]:
    """The text of an output, and whether it has something else and no text."""
    kind = output.get("output_type")
    if kind == "stream":
        return _joined(output.get("text")), False
    if kind == "error":
        return f"{output.get('ename', '')}: {output.get('evalue', '')}".strip(": "), False
    found = output.get("data", output)
    text = _joined(found.get("text/plain", found.get("text")))
    # A picture stands beside the name of its Python object, which says nothing.
    drawn = any(name.startswith("image/") for name in found)
    return ("", True) if drawn else (text, not text)


def _joined(lines: Any) -> str:
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines or "")
