"""HTML: the text that a browser would show, with headings, lists, tables and preformatted text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import Any

from ragchunk.encodings import decode, strictly
from ragchunk.errors import LoadError
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks, row
from ragchunk.readers.charsets import meant
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
_NO_TABLE = (
    "td table, th table, caption table, td h1, td h2, td h3, td h4, "
    "td article, td section, td main, td nav"
)
_LINE_END = "\0"  # a parser of HTML leaves none in a text
_MOST_INDENTED = 8
_HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_XML = re.compile(r"\s*<\?xml\b|\s*<!DOCTYPE(?:[^>]{0,200}XHTML|[^>\[]{0,500}\[)", re.IGNORECASE)
# The DOCTYPE with what it declares, and the texts that stand for short names there.
_DOCTYPE = re.compile(r"<!DOCTYPE", re.IGNORECASE)
_SUBSET = re.compile(r"([^>\[]{0,500})\[(.{0,100000}?)\]\s*>", re.DOTALL)
_ENTITY = re.compile(r"<!ENTITY\s+([\w.-]{1,40})\s+(?:\"([^\"&<]{0,80})\"|'([^'&<]{0,80})')\s*>")
_REFERENCE = re.compile(r"&([\w.-]{1,40});")
_EMPTY = re.compile(r"<([A-Za-z][A-Za-z0-9]*)((?:\s[^<>]*)?)/>")
_NAMES_OF_VOID = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_NAMES_OF_VOID.split())
# What closes itself when the next one opens, so that it does not nest.
_NAMES_UNNESTED = "a p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rt rp"
_UNNESTED = _VOID | frozenset(_NAMES_UNNESTED.split())
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/<>]{0,40})[^<>]*?(/?)>")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
# A parser takes the square of these as its time.
_MOST_OPEN = 5_000
_MOST_ATTRIBUTES = 10_000
_LONG_TAG = 40_000
_UNWRITTEN = re.compile("[\xad\ufeff]")


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = decoded(data, options.encoding)
    check_text(data, text)
    if _XML.match(text):
        text = as_html(text)
    found = shown(text, told, titled=True)
    return replace(found, notes=notes + found.notes)


def shown(text: str, told: Told, titled: bool) -> Extract:
    """What a page shows; titled: beginning with its title, if it has no heading of level 1.

    Raises LoadError for a page that would take a parser hours.
    """
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    _check_size(text)
    try:
        tree = LexborHTMLParser(text)
    except SelectolaxError as error:
        # Whatever the text, it is HTML: only the memory can have run out.
        raise MemoryError from error
    page = _Page(lambda characters: told(characters, len(text)))
    title = tree.css_first("head > title")
    headed = any(heading.text().strip() for heading in tree.css("h1"))
    if titled and title is not None and not headed:
        page.blocks.heading(1, title.text())
    if tree.root is not None:
        page.walk(tree.root)
    return page.blocks.done()


def _check_size(text: str) -> None:
    """One walk over the tags, as parsing alone shows how deeply they nest, too late."""
    steps: dict[str, int] = {}  # how many of each name are open

    def nest(deep: int, tag: re.Match[str]) -> int:
        closes, name, empty = tag.groups()
        name = name.lower()
        if name in _UNNESTED or (empty and name not in _BLOCKS):
            return deep
        opened = steps.get(name, 0)
        step = 1 if not closes else -min(opened, 1)
        steps[name] = opened + step
        return deep + step

    if text.count("<") > _MOST_OPEN:
        depth = max(accumulate(_TAG.finditer(text), nest, initial=0))
        if depth > _MOST_OPEN:
            raise LoadError(
                f"nests {depth:,} elements in each other, more than the {_MOST_OPEN:,} that are "
                "read. Save it as text."
            )
    for part in text.split(">") if len(text) > _LONG_TAG else ():
        if len(part) > _LONG_TAG and (tag := re.search("<[A-Za-z]", part)):
            attributes = len(_QUOTED.sub("", part[tag.start() :]).split())
            if attributes > _MOST_ATTRIBUTES:
                raise LoadError(
                    f"has {attributes:,} attributes in one tag, more than the "
                    f"{_MOST_ATTRIBUTES:,} that are read. Save it as text."
                )


def as_html(xhtml: str) -> str:
    """XHTML in the words of HTML: entities that it declares, CDATA, and empty elements.

    HTML would take all that follows `<title/>` as the title.

    >>> as_html('<title/><p>a<br/>b<a id="c"/>d <![CDATA[1 < 2]]></p>')
    '<title></title><p>a<br/>b<a id="c"></a>d 1 &lt; 2</p>'
    >>> as_html('<!DOCTYPE html [<!ENTITY co "ACME">]><p>&co; &amp; &no;</p>')
    '<!DOCTYPE html ><p>ACME &amp; &no;</p>'
    """
    doctype = _DOCTYPE.search(xhtml)
    if doctype and (declared := _SUBSET.match(xhtml, doctype.end())):
        named = {name: one or two for name, one, two in _ENTITY.findall(declared[2])}
        body = xhtml[declared.end() :]
        if named:
            body = _REFERENCE.sub(lambda found: named.get(found[1], found[0]), body)
        xhtml = xhtml[: declared.start()] + declared[1] + ">" + body
    before, *sections = xhtml.split("<![CDATA[")
    for number, section in enumerate(sections):
        inside, closed, after = section.partition("]]>")
        sections[number] = html.escape(inside, quote=False) + after if closed else section
    xhtml = before + "".join(sections)

    def opened(tag: re.Match[str]) -> str:
        name = tag[1]
        return tag[0] if name.lower() in _VOID else f"<{name}{tag[2]}></{name}>"

    return _EMPTY.sub(opened, xhtml)


def decoded(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    """As `decode`, but the page's own word for its encoding comes before the guesses.

    It is taken as browsers take it, but for pages that are UTF-8 and not what they say.
    """
    if not encoding and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        declared = _DECLARED.match(data[:300]) or _CHARSET.search(data[:4_096])
        name = meant(declared[1].decode("ascii")) if declared else ""
        text = strictly(data, name or "utf-8")
        if text is not None and "\0" not in text:
            return text, ()
        if name not in ("", "utf-8") and strictly(data, "utf-8") is None:
            text = data.decode(name, "replace")
            lost = text.count("\ufffd")
            return text, (f"Bytes without a meaning in {name}, shown as \ufffd: {lost:,}.",)
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
        for line in _inside(table, "caption", "tr", "thead", "tbody", "tfoot"):
            if line.tag == "caption":
                rows.append(row([_flat(line)]))
                continue
            lines = [line] if line.tag == "tr" else _inside(line, "tr")
            rows += [row([_flat(cell) for cell in _inside(each, "td", "th")]) for each in lines]
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


def _inside(node: Any, *tags: str) -> list[Any]:
    """The children with one of these tags that are shown."""
    found = []
    child = node.first_child
    while child is not None:
        if child.tag in tags and _shown(child.tag, child.attributes):
            found.append(child)
        child = child.next
    return found


def _flat(cell: Any) -> str:
    page = _Page()
    page.walk(cell)
    return page.blocks.done().text
