"""Word (DOCX): paragraphs, lists and tables in their order, headings, footnotes at the end.

python-docx opens the package and knows the styles. The text is taken from the elements themselves,
as its own `text` leaves out content controls, tracked insertions and text boxes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks, row
from ragchunk.readers.office import read_package

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_HEADING = re.compile(r"heading ([1-9])\Z", re.IGNORECASE)
_MOST_DEEP = 8

# What is not on the page: deleted text, codes of fields, the second copy of a drawing.
_UNSEEN = frozenset({f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_MC}Fallback"})
_SIGNS = {
    f"{_W}tab": "\t",
    f"{_W}br": "\n",
    f"{_W}cr": "\n",
    f"{_W}noBreakHyphen": "-",
}


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    return read_package(data, lambda sound, _: _read(sound, options, told))


def _read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    import docx

    document = docx.Document(BytesIO(data))
    styles = _Styles(document)
    blocks = Blocks()
    running, removed = _running(document)
    if not options.mend:
        for words in running:
            blocks.add(words)
        removed = []
    body = document.element.body
    notes = _footnotes(document, _numbered(body))
    total = len(body)
    in_list = False
    for done, element in enumerate(_content(body), 1):
        told(min(done, total), total)
        if blocks.full:
            break
        if element.tag == f"{_W}tbl":
            blocks.add(_table(element))
            in_list = False
            continue
        boxes: list[Any] = []
        text = _text(element, boxes).strip()
        level = styles.heading(element)
        mark = styles.list_mark(element)
        if level and "\n" not in text:
            blocks.heading(level, text)
        elif mark and text:
            blocks.add(mark + text, "\n" if in_list else "\n\n")
        else:
            blocks.add(text)
        if text:
            in_list = bool(mark) and not level
        for block in _in_boxes(boxes):
            blocks.add(block)
    for number, text in notes:
        blocks.add(f"[{number}] {text}")
    return blocks.done(removed=tuple(removed))


def _content(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables, also those in content controls, in order."""
    stack = [iter(parent)]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif element.tag in (f"{_W}p", f"{_W}tbl"):
            yield element
        elif element.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}customXml", f"{_W}ins"):
            stack.append(iter(element))


def _in_boxes(boxes: list[Any]) -> Iterator[str]:
    """The paragraphs and tables of text boxes, and of those that are anchored in them."""
    waiting = boxes[::-1]
    while waiting:
        inner: list[Any] = []
        for element in _content(waiting.pop()):
            if element.tag == f"{_W}tbl":
                yield _table(element)
            else:
                yield _text(element, inner).strip()
        waiting += inner[::-1]


def _table(table: Any) -> str:
    return "\n".join(filter(None, map(row, _rows(table))))


def _text(paragraph: Any, boxes: list[Any]) -> str:
    """What a paragraph shows; text boxes anchored in it are added to `boxes`."""
    parts: list[str] = []
    stack = [iter(paragraph)]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
            continue
        tag = element.tag
        if tag in (f"{_W}t", f"{_MATH}t"):
            parts.append(element.text or "")
        elif tag in _SIGNS:
            parts.append(_SIGNS[tag])
        elif tag in (f"{_W}footnoteReference", f"{_W}endnoteReference"):
            parts.append(f"[{element.get(f'{_W}id')}]")
        elif tag == f"{_W}txbxContent":
            boxes.append(element)
        elif tag not in _UNSEEN and tag != f"{_W}pPr" and not _is_hidden(element):
            stack.append(iter(element))
    return "".join(parts)


def _is_hidden(element: Any) -> bool:
    """Whether it is a run whose text is hidden."""
    if element.tag != f"{_W}r":
        return False
    hidden = element.find(f"{_W}rPr/{_W}vanish")
    return hidden is not None and hidden.get(f"{_W}val") not in ("0", "false", "off")


def _rows(table: Any) -> Iterator[list[str]]:
    """The cells of each row; what is merged over rows is said once, tables in cells flat."""
    for line in _descend(table, f"{_W}tr"):
        cells = []
        for cell in _descend(line, f"{_W}tc"):
            merged = cell.find(f"{_W}tcPr/{_W}vMerge")
            goes_on = merged is not None and merged.get(f"{_W}val") != "restart"
            cells.append("" if goes_on else _cell(cell))
        yield cells


def _cell(cell: Any) -> str:
    parts = []
    for element in _content(cell):
        if element.tag == f"{_W}p":
            boxes: list[Any] = []
            parts.append(_text(element, boxes))
            parts += [_cell(box) for box in boxes]
        else:
            parts += [" ".join(cells) for cells in _rows(element)]
    return " ".join(parts)


def _descend(parent: Any, tag: str) -> Iterator[Any]:
    """The nearest elements of this tag, through content controls."""
    for element in parent:
        if element.tag == tag:
            yield element
        elif element.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"):
            yield from _descend(element, tag)


def _running(document: Any) -> tuple[list[str], list[str]]:
    """The texts of page headers and footers, each once, and how to say that they are left out."""
    found: dict[str, str] = {}
    for section in document.sections:
        for kind in ("header", "first_page_header", "footer", "first_page_footer"):
            part = getattr(section, kind)
            if part.is_linked_to_previous:
                continue
            text = "\n".join(
                filter(None, (_text(each, []).strip() for each in part._element.iter(f"{_W}p")))
            )
            if text:
                found.setdefault(text, "header" if "header" in kind else "footer")
    said = [f"page {kind} “{' '.join(text.split())}”" for text, kind in found.items()]
    return list(found), said


def _numbered(body: Any) -> dict[tuple[str, str], str]:
    """Give references to notes the numbers that Word shows, in place; kind and id to number.

    They count in the order of the references, endnotes as e1, e2.
    """
    numbers: dict[tuple[str, str], str] = {}
    for kind, sign in (("footnote", ""), ("endnote", "e")):
        for count, reference in enumerate(body.iter(f"{_W}{kind}Reference"), 1):
            numbers[kind, reference.get(f"{_W}id") or ""] = f"{sign}{count}"
            reference.set(f"{_W}id", f"{sign}{count}")
    return numbers


def _footnotes(document: Any, numbers: dict[tuple[str, str], str]) -> list[tuple[str, str]]:
    """The number and the text of each note that is referred to, in the order of the references."""
    from docx.oxml import parse_xml  # which resolves no entities

    found: dict[str, str] = {}
    for kind in ("footnote", "endnote"):
        for relation in document.part.rels.values():
            if relation.is_external or relation.reltype != f"{_RELATIONS}{kind}s":
                continue
            for note in parse_xml(relation.target_part.blob).iter(f"{_W}{kind}"):
                number = numbers.get((kind, note.get(f"{_W}id") or ""))
                text = " ".join(_text(each, []).strip() for each in note.iter(f"{_W}p"))
                if number and text.strip():
                    found[number] = text.strip()
    return [(number, found[number]) for number in numbers.values() if number in found]


class _Styles:
    """What the style of a paragraph, or the one it is based on, says of it."""

    def __init__(self, document: Any) -> None:
        self._known: dict[str, tuple[int, str]] = {}
        self._styles = {
            style.get(f"{_W}styleId"): style for style in document.styles.element.iter(f"{_W}style")
        }

    def heading(self, paragraph: Any) -> int:
        """The level of a heading from 1, 0 for other text; a title is of level 1."""
        if paragraph.pPr is None:
            return 0
        own = paragraph.pPr.find(f"{_W}outlineLvl")
        if own is not None:
            level = _number(own) + 1
            return level if level <= 9 else 0
        return self._of(paragraph)[0]

    def list_mark(self, paragraph: Any) -> str:
        """The bullet of a list item, indented by its depth, or nothing."""
        if paragraph.pPr is None:
            return ""
        own = paragraph.pPr.find(f"{_W}numPr")
        if own is None:
            return self._of(paragraph)[1]
        number, depth = own.find(f"{_W}numId"), own.find(f"{_W}ilvl")
        if number is not None and _number(number) == 0:
            return ""
        return "  " * min(0 if depth is None else _number(depth), _MOST_DEEP) + "- "

    def _of(self, paragraph: Any) -> tuple[int, str]:
        name = paragraph.style or ""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> tuple[int, str]:
        level, mark = 0, ""
        seen: set[str] = set()
        while name in self._styles and name not in seen:
            seen.add(name)
            style = self._styles[name]
            called = style.find(f"{_W}name")
            words = "" if called is None else (called.get(f"{_W}val") or "")
            if match := _HEADING.match(words):
                level = level or int(match[1])
            elif words.lower() == "title":
                level = level or 1
            elif words.lower().startswith("list") or style.find(f"{_W}pPr/{_W}numPr") is not None:
                mark = mark or "- "
            outline = style.find(f"{_W}pPr/{_W}outlineLvl")
            if outline is not None and _number(outline) < 9:
                level = level or _number(outline) + 1
            based = style.find(f"{_W}basedOn")
            name = "" if based is None else (based.get(f"{_W}val") or "")
        return level, "" if level else mark


def _number(element: Any) -> int:
    digits = element.get(f"{_W}val") or "0"
    return int(digits) if re.fullmatch(r"[0-9]{1,9}", digits) else 0
