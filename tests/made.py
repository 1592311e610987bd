"""Files of many formats, made from a known text: by hand, or by the library that writes them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

HEADING = "Heating the boat shed"
FIRST = "The stove in the boat shed is lit on the first of November."
SECOND = "Wood costs 84 euros a cubic metre, and “dry” means two years under a roof."
TABLE = [["Wood", "Price"], ["Ash", "84"], ["Beech", "91"]]
ITEMS = ["shut the left door", "open the flue"]
LAST = "Amara keeps the key."


def pdf(pages: Sequence[Sequence[tuple[float, float, float, str]]], extra: str = "") -> bytes:
    """A PDF of one font: each page has texts with x, y from the lower left, and size.

    extra: further entries of the trailer, or a drawing operator for pages without text.
    """
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, texts in enumerate(pages):
        drawn = "\n".join(
            f"BT /F1 {size} Tf {x} {y} Td ({_escaped(text)}) Tj ET" for x, y, size, text in texts
        )
        drawn = drawn or "q 100 0 0 100 72 600 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(drawn.encode('cp1252'))} >>\nstream\n{drawn}\nendstream",
        ]
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252"))
    start = out.tell()
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode())
    out.write(
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {extra} >>\n"
        f"startxref\n{start}\n%%EOF\n".encode()
    )
    return out.getvalue()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def lines(texts: Sequence[str], x: float = 72, y: float = 700, size: float = 10) -> list:
    """Lines of a paragraph for `pdf`, one below the other."""
    return [(x, y - 1.2 * size * number, size, text) for number, text in enumerate(texts)]


def docx(header: str = "") -> bytes:
    """The known text: heading, paragraph, table, paragraph, list, paragraph."""
    import docx as library

    document = library.Document()
    document.add_heading(HEADING, 1)
    document.add_paragraph(FIRST)
    table = document.add_table(len(TABLE), 2)
    for row, values in zip(table.rows, TABLE, strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    document.add_paragraph(SECOND)
    for item in ITEMS:
        document.add_paragraph(item, style="List Bullet")
    document.add_paragraph(LAST)
    if header:
        document.sections[0].header.paragraphs[0].text = header
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pptx() -> bytes:
    """The known text on two slides, its shapes added in another order than they stand in."""
    import pptx as library
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    presentation = library.Presentation()
    only_title = presentation.slide_layouts[5]
    slide = presentation.slides.add_slide(only_title)
    low = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(5), Inches(1))
    low.text_frame.text = SECOND
    high = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(5), Inches(1))
    high.text_frame.text = FIRST
    assert slide.shapes.title is not None
    slide.shapes.title.text_frame.text = HEADING
    assert slide.notes_slide.notes_text_frame is not None
    slide.notes_slide.notes_text_frame.text = "Speak slowly."
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    data: Any = CategoryChartData()
    data.categories = ["May", "June"]
    data.add_series("Wood", (84, 91.5))
    where = (Inches(1), Inches(5), Inches(5), Inches(2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *where, data)
    frame = slide.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(5), Inches(2))
    for number, values in enumerate(TABLE):
        for column, value in enumerate(values):
            frame.table.cell(number, column).text = value
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


HTML = f"""<!doctype html>
<html><head><title>A title</title><style>p {{ color: red }}</style></head>
<body><script>alert("no")</script>
<h1>{HEADING}</h1>
<p>The stove in the <b>boat</b>
  shed is lit on the <a href="x">first</a> of November.</p>
<table><tr><th>Wood<th>Price<tr><td>Ash<td>84<tr><td>Beech<td>91</table>
<p>Wood costs 84&nbsp;euros a cubic metre, and &ldquo;dry&rdquo; means two years under a roof.
<ul><li>shut the left door<li>open the flue</ul>
<p hidden>Nobody sees this.</p><p style="display:none">Nor this.</p>
<div>Amara keeps the key.</div></body></html>""".replace("&nbsp;", " ")


def epub() -> bytes:
    """Two chapters whose order in the archive is not that of reading."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "OPS/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
            '<item id="b" href="b.xhtml"/><item id="a" href="text/a%20one.xhtml"/>'
            '<item id="c" href="c.xhtml"/></manifest>'
            '<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/></spine></package>',
        )
        archive.writestr("OPS/b.xhtml", f"<html><body><h1>Keys</h1><p>{LAST}</p></body></html>")
        archive.writestr("OPS/text/a one.xhtml", HTML.replace(LAST, ""))
        archive.writestr(
            "OPS/c.xhtml",
            '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
            '<body><h2>Notes<a id="n"/></h2><p>The end.</p></body></html>',
        )
    return out.getvalue()


def notebook() -> bytes:
    return json.dumps(
        {
            "nbformat": 4,
            "cells": [
                {"cell_type": "markdown", "source": [f"# {HEADING}\n", "\n", FIRST]},
                {
                    "cell_type": "code",
                    "source": "for wood in woods:\n    print(wood)",
                    "outputs": [
                        {"output_type": "stream", "text": ["Ash\n", "Beech\n"]},
                        {
                            "output_type": "display_data",
                            "data": {"image/png": "iVBO", "text/plain": "<Figure size 2x2>"},
                        },
                    ],
                },
            ],
        }
    ).encode()


def rezipped(data: bytes, changed: dict[str, bytes]) -> bytes:
    """An archive with parts replaced or added."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            if name not in changed:
                after.writestr(name, before.read(name))
        for name, content in changed.items():
            after.writestr(name, content)
    return out.getvalue()
