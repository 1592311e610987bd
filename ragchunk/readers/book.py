"""EPUB: its chapters in the order of reading, each read as HTML."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote
from xml.etree.ElementTree import Element, fromstring
from zipfile import ZipFile

from ragchunk.errors import LoadError
from ragchunk.readers import web
from ragchunk.readers.archive import opened
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks
from ragchunk.readers.plain import check_text

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    with opened(data) as archive:
        package = _package(archive)
        parts = _spine(archive, package)
        locked = _locked(archive)
        if locked & set(parts):
            raise LoadError("is locked by digital rights management. A copy without it is needed.")
        names = set(archive.namelist())
        blocks = Blocks()
        missing = unread = 0
        for number, part in enumerate(parts, 1):
            told(number, len(parts))
            if blocks.full:
                break
            if part not in names:
                missing += 1
                continue
            try:
                blocks.extract(_chapter(archive.read(part)))
            except LoadError:
                unread += 1
    if not parts or missing == len(parts):
        raise LoadError("is a damaged EPUB: none of its chapters is there.")
    notes = (f"Chapters that are missing in the file: {missing:,}.",) * bool(missing)
    if unread:
        notes += (f"Parts that are no pages of text, such as pictures, left out: {unread:,}.",)
    return blocks.done(notes)


def _chapter(data: bytes) -> Extract:
    """Raises LoadError for what is no text, and for pages that nest too deeply."""
    text, _ = web.decoded(data, "")
    check_text(data, text)
    return web.shown(web.as_html(text), lambda done, total: None, titled=False)


def _parsed(archive: ZipFile, name: str) -> Element:
    """expat, below ElementTree, refuses entities that grow, and never loads external ones."""
    return fromstring(archive.read(name))


def _package(archive: ZipFile) -> str:
    for element in _parsed(archive, _CONTAINER).iter():
        if _tag(element) == "rootfile" and (path := element.get("full-path")):
            return path
    raise LoadError("is a damaged EPUB: its container names no package.")


def _spine(archive: ZipFile, package: str) -> list[str]:
    """The parts in the order of reading, by their names in the archive."""
    folder = posixpath.dirname(package)
    places: dict[str, str] = {}
    order: list[str] = []
    for element in _parsed(archive, package).iter():
        if _tag(element) == "item":
            path = unquote((element.get("href") or "").partition("#")[0])
            places[element.get("id") or ""] = posixpath.normpath(posixpath.join(folder, path))
        elif _tag(element) == "itemref":
            order.append(element.get("idref") or "")
    return [places[each] for each in order if each in places]


def _locked(archive: ZipFile) -> set[str]:
    """The parts that are encrypted; fonts often are, which locks nothing."""
    if _ENCRYPTION not in archive.namelist():
        return set()
    return {
        unquote(element.get("URI") or "")
        for element in _parsed(archive, _ENCRYPTION).iter()
        if _tag(element) == "CipherReference"
    }


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]
