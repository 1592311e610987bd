"""From the bytes of a text file to its text, and what had to be repaired on the way."""

from __future__ import annotations

import codecs
import re

from ragchunk.errors import LoadError

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = [
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF32_LE, "UTF-32-LE"),
    (codecs.BOM_UTF32_BE, "UTF-32-BE"),
    (codecs.BOM_UTF16_LE, "UTF-16-LE"),
    (codecs.BOM_UTF16_BE, "UTF-16-BE"),
]
# Of Python's codecs for text those that are notations, not encodings that files are in.
_NOTATIONS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
_LONGEST_NAME = 40
# Valid sequences of several bytes for each bad one, in text that is UTF-8 all the same. In other
# encodings such sequences come about by chance, which is rare.
_VALID_FOR_EACH_BAD = 4
_MULTIBYTE = re.compile(r"[^\0-\x7f]")
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1f\x7f\ufffd]")
_EAST_ASIAN = re.compile(r"[\s\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]")
_MOST_OTHERS = 0.05
_LEAST_EAST_ASIAN = 8  # characters; any few bytes could be some


def decode(data: bytes, encoding: str = "") -> tuple[str, tuple[str, ...]]:
    r"""The text of a file's bytes, and notes in words on anything that was not plain UTF-8.

    Tried in turn: a byte order mark, UTF-16 by its NULs or its Chinese, Japanese or Korean, UTF-8,
    UTF-8 with a few bad bytes, Windows-1252. One mark is removed.
    What cannot be read becomes U+FFFD and is noted; nothing is dropped. Never fails, unless
    `encoding` names one that does not exist: LoadError. A known one is used and nothing else tried.

    >>> decode(b"\x93quoted\x94")
    ('“quoted”', ('Read as Windows-1252, because it is not UTF-8.',))
    """
    if encoding:
        return _as_chosen(data, encoding)
    marked = [(data[len(mark) :], name) for mark, name in _MARKS if data.startswith(mark)]
    for body, name in marked:
        text = strictly(body, name)
        if text is not None:
            return text, _mark_notes(name)
    if marked:
        body, name = marked[-1]
        note = f"Some bytes are not {name} and are shown as \ufffd."
        return body.decode(name, "replace"), (*_mark_notes(name), note)

    as_utf8 = strictly(data, "UTF-8")
    as_cp1252 = data.decode("cp1252", "replace")
    # First, as a few of its characters end in a NUL, which would tell the wrong byte order.
    if as_utf8 is None and _CONTROL.search(as_cp1252) and (known := _unmarked_east_asian(data)):
        return known
    # ASCII text in UTF-16 is also valid UTF-8, with a NUL in every other byte; text that is not
    # UTF-8 needs fewer NULs to be UTF-16, such as those of its line ends.
    name = _unmarked_utf16(data, least=0.01 if as_utf8 is None else 0.5)
    if name and (text := strictly(data, name)) is not None:
        return text, (f"Read as {name}, recognised by its NULs.",)
    if as_utf8 is not None:
        return as_utf8, ()
    as_utf8 = data.decode("UTF-8", "replace")
    bad = as_utf8.count("\ufffd") - data.count("\ufffd".encode())
    valid = sum(1 for _ in _MULTIBYTE.finditer(as_utf8)) - bad
    if valid >= _VALID_FOR_EACH_BAD * bad:
        return as_utf8, (f"Bytes that are not UTF-8, shown as \ufffd: {bad:,}.",)

    notes = ["Read as Windows-1252, because it is not UTF-8."]
    if lost := as_cp1252.count("\ufffd"):
        notes.append(f"Bytes without a meaning in Windows-1252, shown as \ufffd: {lost}.")
    return as_cp1252, tuple(notes)


def _mark_notes(name: str) -> tuple[str, ...]:
    removed = "A byte order mark was removed."
    return (removed,) if name == "UTF-8" else (removed, f"Read as {name}, as its mark says.")


def strictly(data: bytes, name: str) -> str | None:
    """The text, if all bytes are text in this encoding and there is one of this name."""
    try:
        return data.decode(name)
    except (LookupError, ValueError):
        return None


def _unmarked_utf16(data: bytes, least: float) -> str | None:
    """The byte order in which at least the share `least` of the units are below 256, if any."""
    units = len(data) // 2
    even, odd = data[::2].count(0), data[1::2].count(0)
    name, zeros, others = ("UTF-16-LE", odd, even) if odd > even else ("UTF-16-BE", even, odd)
    return name if zeros > 3 * others and zeros >= least * units else None


def _unmarked_east_asian(data: bytes) -> tuple[str, tuple[str, ...]] | None:
    """UTF-16 in the byte order in which nearly all is Chinese, Japanese or Korean, if any."""
    for name in ("UTF-16-LE", "UTF-16-BE"):
        text = strictly(data, name)
        if text is None or len(text) < _LEAST_EAST_ASIAN:
            continue
        if len(_EAST_ASIAN.sub("", text)) <= _MOST_OTHERS * len(text):
            return text, (f"Read as {name}, recognised by its characters.",)
    return None


def _as_chosen(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    try:
        name = codecs.lookup(encoding).name
        if name in _NOTATIONS:
            raise LookupError(name)
        text = data.decode(encoding, "replace")
    except (LookupError, ValueError, UnicodeError) as error:
        named = repr(encoding) if len(encoding) <= _LONGEST_NAME else "what was chosen"
        raise LoadError(
            f"cannot be read as {named}, which is no encoding of text. "
            "Take one such as utf-8, cp1250 or shift_jis."
        ) from error
    notes = [f"Read as {name}, as chosen."]
    if text.startswith("\ufeff"):
        text = text[1:]
        notes.insert(0, "A byte order mark was removed.")
    if lost := text.count("\ufffd"):
        notes.append(f"Bytes without a meaning in {name}, shown as \ufffd: {lost}.")
    return text, tuple(notes)
