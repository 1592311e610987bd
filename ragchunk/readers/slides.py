"""PowerPoint (PPTX): slide after slide, shapes from top to bottom, tables, notes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks, in_words, row
from ragchunk.readers.office import read_package

# Shapes whose tops differ by less, in units of a slide (914,400 to the inch), stand in one line.
_SAME_LINE = 182_880
_MOST_DEEP = 8


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    return read_package(data, lambda sound, damaged: _read(sound, damaged, options, told))


def _read(data: bytes, damaged: frozenset[str], options: ReadOptions, told: Told) -> Extract:
    import pptx

    presentation = pptx.Presentation(BytesIO(data))
    slides = presentation.slides
    blocks = Blocks()
    pictures = []
    diagrams = []
    unread = []
    for number, slide in enumerate(slides, 1):
        told(number, len(slides))
        if slide.part.partname.lstrip("/") in damaged:
            unread.append(number)
            continue
        blocks.page(f"slide {number}")
        before = blocks.length
        title = slide.shapes.title
        if title is not None:
            blocks.heading(1, title.text_frame.text.replace("\v", " "))
        for shape in _in_order(slide.shapes):
            if title is None or shape.shape_id != title.shape_id:
                _add(blocks, shape, options.mend)
            if _is_diagram(shape):
                diagrams.append(number)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = _paragraphs(slide.notes_slide.notes_text_frame)
            if notes.strip():
                blocks.add(f"Notes: {notes}")
        if blocks.length == before:
            pictures.append(number)
    notes = []
    if pictures:
        notes.append(f"Without text, perhaps pictures: {in_words(pictures, 'slide')}.")
    if unread:
        notes.append(f"Damaged and not read: {in_words(unread, 'slide')}.")
    if diagrams:
        notes.append(f"Diagrams (SmartArt) were not read: {in_words(diagrams, 'slide')}.")
    return blocks.done(tuple(notes))


def _in_order(shapes: Any) -> list[Any]:
    """All shapes, those in groups too, line by line from the left; by place, not by layer."""
    placed = [
        ((shape.top or 0) // _SAME_LINE, shape.left or 0, number, shape)
        for number, shape in enumerate(shapes)
    ]
    found: list[Any] = []
    for *_, shape in sorted(placed, key=lambda each: each[:3]):
        if hasattr(shape, "shapes"):
            found += _in_order(shape.shapes)
        else:
            found.append(shape)
    return found


def _add(blocks: Blocks, shape: Any, mend: bool) -> None:
    if shape.has_text_frame:
        if not (mend and _runs_along(shape)):
            blocks.add(_paragraphs(shape.text_frame))
    elif getattr(shape, "has_table", False):
        blocks.add("\n".join(filter(None, (row(cells) for cells in _rows(shape.table)))))
    elif getattr(shape, "has_chart", False):
        blocks.add(_chart(shape.chart))


def _is_diagram(shape: Any) -> bool:
    return bool(shape.element.xpath(".//a:graphicData[contains(@uri, '/diagram')]"))


def _runs_along(shape: Any) -> bool:
    """Whether it is a date, footer or number that the layout puts on each slide."""
    if not shape.is_placeholder:
        return False
    kind = shape.placeholder_format.type
    return kind is not None and kind.name in ("DATE", "FOOTER", "SLIDE_NUMBER")


def _paragraphs(frame: Any) -> str:
    """A line for each paragraph, deeper ones as items of a list."""
    lines = []
    for paragraph in frame.paragraphs:
        text = paragraph.text.replace("\v", "\n").strip()
        if text:
            level = min(paragraph.level, _MOST_DEEP)
            lines.append(f"{'  ' * (level - 1)}- {text}" if level else text)
    return "\n".join(lines)


def _rows(table: Any) -> Iterator[list[str]]:
    for line in table.rows:
        yield ["" if cell.is_spanned else cell.text_frame.text for cell in line.cells]


def _chart(chart: Any) -> str:
    """The title and the numbers of a chart, as a table: a row for each category."""
    if not len(chart.plots):
        return ""
    lines = [chart.chart_title.text_frame.text] if chart.has_title else []
    plot = chart.plots[0]
    series = list(plot.series)
    names = [str(each) for each in plot.categories]
    lines.append(row(["", *(each.name for each in series)]))
    for number, name in enumerate(names):
        values = [each.values[number] if number < len(each.values) else "" for each in series]
        lines.append(row([name, *("" if each is None else str(each) for each in values)]))
    return "\n".join(filter(str.strip, lines))
