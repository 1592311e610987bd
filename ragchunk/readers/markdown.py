"""Markdown: the text as it is, with its headings."""

from __future__ import annotations

from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.headings import markdown_headings
from ragchunk.readers.plain import text_of


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    return Extract(text, headings=markdown_headings(text), notes=notes)
