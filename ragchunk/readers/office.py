"""Office packages (DOCX, PPTX) that their libraries refuse, made such that they read them.

Only for what could not be read as it is: macro and template files, files in the strict variant of
the standard, parts that are damaged or missing and not the main one.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from urllib.parse import unquote

from ragchunk.errors import LoadError
from ragchunk.readers.archive import check_office, opened
from ragchunk.readers.base import Extract

_TYPES = "[Content_Types].xml"
_MAIN = ("word/document.xml", "ppt/presentation.xml")
_SLIDE = re.compile(r"ppt/slides/[^/]+\.xml")
# Titles and authors of files: nothing of their text.
_OF_NO_ACCOUNT = ("docProps/", "customXml/")

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/"
_OPEN = b"application/vnd.openxmlformats-officedocument."
_KINDS = (
    (
        re.compile(
            rb"application/vnd\.(?:ms-word\.(?:document|template)\.macroEnabled(?:Template)?"
            rb"|openxmlformats-officedocument\.wordprocessingml\.template)\.main\+xml"
        ),
        _OPEN + b"wordprocessingml.document.main+xml",
    ),
    (
        re.compile(
            rb"application/vnd\.(?:ms-powerpoint\.(?:presentation|slideshow|template)\.macroEnabled"
            rb"|openxmlformats-officedocument\.presentationml\.(?:slideshow|template))\.main\+xml"
        ),
        _OPEN + b"presentationml.presentation.main+xml",
    ),
)
_EMPTY_SLIDE = (
    b'<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cSld><p:spTree>'
    b'<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    b"</p:spTree></p:cSld></p:sld>"
)

# Reads a package of which these parts are damaged.
Read = Callable[[bytes, frozenset[str]], Extract]


def read_package(data: bytes, read: Read) -> Extract:
    """What `read` makes of a package that is safe, as it is or else repaired, with a note."""
    check_office(data)
    try:
        return read(data, frozenset())
    except (LoadError, MemoryError, RecursionError, BrokenPipeError):
        raise
    except Exception:
        # Every library has its own errors; the second reading says what is past repair.
        sound, damaged = _repaired(data)
        found = read(sound, damaged)
    told = sorted(
        part for part in damaged if not part.startswith(_OF_NO_ACCOUNT) and not _SLIDE.match(part)
    )
    note = f"Damaged parts of the file, and not read: {', '.join(told[:5])}." if told else ""
    return replace(found, notes=(*found.notes, note) if note else found.notes)


def _repaired(data: bytes) -> tuple[bytes, frozenset[str]]:
    """The package without what is damaged, and the names of those parts."""
    parts: dict[str, bytes] = {}
    damaged = set()
    with opened(data) as archive:
        for name in archive.namelist():
            if not name.lower().endswith((".xml", ".rels")):
                parts[name] = b""  # a picture, say
                continue
            content = _STRICT.sub(_TRANSITIONAL, archive.read(name))
            if name in _MAIN or name == _TYPES or _is_sound(content):
                parts[name] = content
            else:
                damaged.add(name)
    for kind, usual in _KINDS:
        parts[_TYPES] = kind.sub(usual, parts[_TYPES])
    for name in [name for name in parts if name.endswith(".rels")]:
        parts[name], missing = _with_targets(name, parts)
        damaged |= missing
    parts |= {name: _EMPTY_SLIDE for name in damaged if _SLIDE.fullmatch(name)}
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue(), frozenset(damaged)


def _is_sound(xml: bytes) -> bool:
    import lxml.etree as etree

    try:
        etree.fromstring(xml, etree.XMLParser(resolve_entities=False))
    except etree.XMLSyntaxError:
        return False
    return True


def _with_targets(name: str, parts: dict[str, bytes]) -> tuple[bytes, set[str]]:
    """The relations of a part without those to parts that are not there; the slides among these."""
    import lxml.etree as etree

    root = etree.fromstring(parts[name], etree.XMLParser(resolve_entities=False))
    folder = posixpath.dirname(posixpath.dirname(name))
    slides = set()
    for relation in list(root):
        if relation.get("TargetMode") == "External":
            continue
        path = posixpath.join("/", folder, unquote(relation.get("Target") or ""))
        target = posixpath.normpath(path).lstrip("/")
        if target in parts:
            continue
        if _SLIDE.fullmatch(target):
            slides.add(target)
        else:
            root.remove(relation)
    return etree.tostring(root), slides
