"""Our HTML read back as a tree, with every tag checked to be closed where it was opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Element:
    """A tag with its attributes, and the elements and texts in it."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    inside: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    def elements(self) -> Iterator[Element]:
        """All elements inside, in order, at any depth."""
        for each in self.inside:
            if isinstance(each, Element):
                yield each
                yield from each.elements()

    def all(self, kind: str) -> list[Element]:
        """Elements by tag (`strong`), class (`.lost`) or both (`p.limit`)."""
        tag, _, name = kind.partition(".")
        return [
            each
            for each in self.elements()
            if tag in ("", each.tag) and (not name or name in each.classes)
        ]

    def one(self, kind: str) -> Element:
        [found] = self.all(kind)
        return found

    @property
    def text(self) -> str:
        return "".join(each if isinstance(each, str) else each.text for each in self.inside)

    @property
    def document_text(self) -> str:
        """The text without what the app says in between: depth, fold label, line of the limit."""
        return "".join(
            each if isinstance(each, str) else each.document_text
            for each in self.inside
            if isinstance(each, str) or not _is_ours(each)
        )


def _is_ours(element: Element) -> bool:
    hidden = element.attributes.get("aria-hidden") == "true"
    return hidden or element.tag == "summary" or "limit" in element.classes


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("page")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"an attribute twice in <{tag}>"
        self.open[-1].inside.append(element)
        self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raise AssertionError(f"<{tag}/> is no HTML")

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment hides {data!r}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration hides {decl!r}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction hides {data!r}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration hides {data!r}")


def read(html: str) -> Element:
    """The tree of a piece of HTML, with line ends as a browser reads them: all become \\n."""
    reader = _Reader()
    reader.feed(html.replace("\r\n", "\n").replace("\r", "\n"))
    reader.close()
    assert len(reader.open) == 1, f"never closed: {[each.tag for each in reader.open[1:]]}"
    return reader.open[0]


def as_shown(text: str) -> str:
    """What a reader should see of a document: all of it, controls as their pictures."""
    one_line_end = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(map(_as_shown, one_line_end))


def _as_shown(character: str) -> str:
    code = ord(character)
    if character in "\t\n":
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return "\u2421" if code == 0x7F else character
