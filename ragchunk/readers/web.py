"""HTML: the text that a browser would show, with headings, lists, tables and preformatted text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ragchunk.encodings import decode, strictly
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks, row
from ragchunk.readers.plain import check_text

_NAMES_SKIPPED = (
    "head script style template noscript svg iframe object embed audio video canvas select "
    "datalist map frameset noframes rt rp -comment"
)
_SKIPPED = frozenset(_NAMES_SKIPPED.split())
_NAMES_OF_BLOCKS = (
    "html body address article aside blockquote center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form header hgroup hr legend li main menu nav ol optgroup option p "
    "pre search section summary table tbody thead tfoot tr td th caption ul h1 h2 h3 h4 h5 h6 "
    "textarea listing xmp"
)
_BLOCKS = frozenset(_NAMES_OF_BLOCKS.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_PREFORMATTED = frozenset({"pre", "textarea", "listing", "xmp"})
# A table that holds one of these lays out a page, and is no table.
_NO_TABLE = "td table, td h1, td h2, td h3, td h4, td article, td section, td main, td nav"
_LINE_END = "\0"  # a parser of HTML leaves none in a text
_MOST_INDENTED = 8
_HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_XML = re.compile(r"\s*<\?xml\b|\s*<!DOCTYPE[^>]{0,200}XHTML", re.IGNORECASE)
_EMPTY = re.compile(r"<([A-Za-z][A-Za-z0-9]*)((?:\s[^<>]*)?)/>")
_NAMES_OF_VOID = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_NAMES_OF_VOID.split())
_UNWRITTEN = re.compile("[\xad\ufeff]")


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = decoded(data, options.encoding)
    check_text(data, text)
    if _XML.match(text):
        text = without_empty_tags(text)
    found = shown(text, told, titled=True)
    return replace(found, notes=notes + found.notes)


def shown(text: str, told: Told, titled: bool) -> Extract:
    """What a page shows; titled: beginning with its title, if it has no heading of level 1."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        tree = LexborHTMLParser(text)
    except SelectolaxError as error:
        # Whatever the text, it is HTML: only the memory can have run out.
        raise MemoryError from error
    page = _Page(lambda characters: told(characters, len(text)))
    title = tree.css_first("head > title")
    if titled and title is not None and tree.css_first("h1") is None:
        page.blocks.heading(1, title.text())
    if tree.root is not None:
        page.walk(tree.root)
    return page.blocks.done()


def without_empty_tags(xhtml: str) -> str:
    """XHTML with `<title/>` as `<title></title>`: HTML would take all that follows as the title.

    >>> without_empty_tags('<title/><p>a<br/>b<a id="c"/>d</p>')
    '<title></title><p>a<br/>b<a id="c"></a>d</p>'
    """

    def opened(tag: re.Match[str]) -> str:
        name = tag[1]
        return tag[0] if name.lower() in _VOID else f"<{name}{tag[2]}></{name}>"

    return _EMPTY.sub(opened, xhtml)


def decoded(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    """As `decode`, but the page's own word for its encoding comes before the guesses."""
    if not encoding and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        declared = _DECLARED.match(data[:300]) or _CHARSET.search(data[:4_096])
        name = declared[1].decode("ascii").lower() if declared else "utf-8"
        # Browsers read both as Windows-1252.
        name = "cp1252" if name in ("iso-8859-1", "latin1", "us-ascii", "ascii") else name
        text = strictly(data, name)
        if text is not None and "\0" not in text:
            return text, ()
    return decode(data, encoding)


class _Page:
    """Walks a tree without recursion: pages nest as deeply as they like."""

    def __init__(self, told: Callable[[int], None] = lambda characters: None) -> None:
        self.blocks = Blocks()
        self._told = told
        self._seen = 0
        self._line: list[str] = []  # inline text that is not yet a block
        self._lists: list[int | None] = []  # the next number of each open list, None for bullets
        self._mark = ""  # of the list item that begins
        self._gap = "\n\n"  # before the next block
        self._pre = 0
        self._level = 0

    def walk(self, root: Any) -> None:
        """Take in all that is inside a node."""
        stack = [(root.first_child, False)]
        while stack and not self.blocks.full:
            node, leaving = stack.pop()
            if node is None:
                continue
            if leaving:
                self._leave(node.tag)
                continue
            stack.append((node.next, False))
            if self._enter(node):
                stack.append((node, True))
                stack.append((node.first_child, False))
        self._flush()

    def _enter(self, node: Any) -> bool:
        """Take the beginning of a node in; whether its children come next."""
        tag = node.tag
        if tag == "-text":
            self._line.append(node.text_content or "")
            return False
        if tag in _SKIPPED or not _shown(tag, node.attributes):
            return False
        if tag == "br":
            self._line.append(_LINE_END)
        if tag not in _BLOCKS:
            return True
        self._flush()
        if tag == "table" and node.css_first(_NO_TABLE) is None:
            self._table(node)
            return False
        if tag in _LISTS:
            if not self._lists:
                self._gap = "\n\n"
            self._lists.append(_first_number(node) if tag == "ol" else None)
        elif tag == "li":
            self._item()
        elif tag == "dd":
            self._gap = "\n"
        elif tag in _PREFORMATTED:
            self._pre += 1
        elif tag in _HEADINGS:
            self._level = _HEADINGS[tag]
        return True

    def _leave(self, tag: str) -> None:
        if tag not in _BLOCKS:
            return
        self._flush()
        if tag in _LISTS:
            self._lists.pop()
            if not self._lists:
                self._gap = "\n\n"
        elif tag == "li":
            self._mark = ""
        elif tag in _PREFORMATTED:
            self._pre -= 1
        elif tag in _HEADINGS:
            self._level = 0

    def _item(self) -> None:
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number + 1
        self._mark = "- " if number is None else f"{number}. "

    def _flush(self) -> None:
        """Make a block of the inline text that has come together."""
        text = _UNWRITTEN.sub("", "".join(self._line))
        self._line.clear()
        self._seen += len(text)
        if self._pre:
            text = text.replace(_LINE_END, "\n").strip("\r\n").rstrip()
        else:
            lines = [_SPACE.sub(" ", line).strip(" ") for line in text.split(_LINE_END)]
            text = "\n".join(lines).strip("\n")
        if not text.strip():
            return
        self._told(self._seen)
        if self._level and not self._pre:
            self.blocks.heading(self._level, text)
        elif self._lists:
            deep = "  " * min(len(self._lists) - 1, _MOST_INDENTED)
            self.blocks.add(deep + (self._mark or "  ") + text, self._gap)
            self._mark = ""
        else:
            self.blocks.add(text, self._gap)
        self._gap = "\n" if self._lists else "\n\n"

    def _table(self, table: Any) -> None:
        """Each row on a line, the caption before them."""
        rows = []
        for line in table.css("tr, caption"):
            if not _shown(line.tag, line.attributes):
                continue
            cells = [line] if line.tag == "caption" else _cells(line)
            rows.append(row([_flat(cell) for cell in cells]))
        self.blocks.add("\n".join(filter(None, rows)), self._gap)
        self._gap = "\n" if self._lists else "\n\n"


def _shown(tag: str, attributes: dict[str, str | None]) -> bool:
    if not attributes:
        return tag != "dialog"
    if "hidden" in attributes or (tag == "dialog" and "open" not in attributes):
        return False
    return not _HIDDEN.search(attributes.get("style") or "")


def _first_number(node: Any) -> int:
    start = node.attributes.get("start") or ""
    return int(start) if re.fullmatch(r"-?[0-9]{1,6}", start) else 1


def _cells(line: Any) -> list[Any]:
    found = []
    cell = line.first_child
    while cell is not None:
        if cell.tag in ("td", "th") and _shown(cell.tag, cell.attributes):
            found.append(cell)
        cell = cell.next
    return found


def _flat(cell: Any) -> str:
    page = _Page()
    page.walk(cell)
    return page.blocks.done().text
