"""Subtitles (SRT, WebVTT): what is said as flowing text, with times as places."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import pairwise, takewhile

from ragchunk.errors import LoadError
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks
from ragchunk.readers.plain import text_of

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}"
_CUE = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?(?:[biucv]|ruby|rt|lang|font|\d\d)\b[^>]{0,200}>|\{\\[^}]{0,100}\}", re.I)

# A silence so long, in seconds, begins a paragraph; so does a sentence's end after so much text.
_SILENCE = 3
_PARAGRAPH = 600
# Captions roll where more than this share of the cues repeat a line.
_ROLLING = 0.3


@dataclass(slots=True)
class _Cue:
    starts: int
    ends: int
    lines: list[str]


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    cues = _cues(text)
    if text.strip() and not cues:
        raise LoadError("holds no subtitles: no line has times such as 00:01:02,000 --> ...")
    repeated = _without_repeats(cues) if options.mend else 0
    blocks = Blocks()
    paragraph: list[str] = []
    ended = 0
    for cue in cues:
        words = " ".join(cue.lines)
        if not words:
            continue
        so_far = sum(map(len, paragraph))
        full = so_far > _PARAGRAPH and paragraph[-1].endswith((".", "!", "?", "。"))
        speaks = any(_is_turn(line) for line in cue.lines[:1])
        if paragraph and (cue.starts - ended > _SILENCE or full or speaks):
            blocks.add(" ".join(paragraph))
            paragraph = []
        if not paragraph:
            blocks.page(_clock(cue.starts))
        paragraph.append(words)
        ended = cue.ends
    blocks.add(" ".join(paragraph))
    said = (f"lines that a cue repeats from the one before: {repeated:,}",) * bool(repeated)
    return blocks.done(notes, said)


def _cues(text: str) -> list[_Cue]:
    found: list[_Cue] = []
    cue: _Cue | None = None
    for line in re.split(r"\r\n|\r|\n", text):
        if times := _CUE.match(line):
            cue = _Cue(_seconds(times.groups()[:3]), _seconds(times.groups()[3:]), [])
            found.append(cue)
        elif not line.strip():
            cue = None
        elif cue is not None:
            words = _TAG.sub("", _VOICE.sub(r"\1: ", line))
            if words := " ".join(html.unescape(words).split()):
                cue.lines.append(words)
    return found


def _without_repeats(cues: list[_Cue]) -> int:
    """Captions that roll show each line twice: the second is taken out, in place.

    Only where many cues do so, as people say things twice too.
    """
    repeats = [
        sum(1 for _ in takewhile(before.lines.__contains__, cue.lines))
        for before, cue in pairwise(cues)
    ]
    if sum(map(bool, repeats)) <= _ROLLING * len(cues):
        return 0
    for cue, count in zip(cues[1:], repeats, strict=True):
        del cue.lines[:count]
    return sum(repeats)


def _is_turn(line: str) -> bool:
    """Whether somebody else begins to speak: a dash, or a name before a colon."""
    return bool(re.match(r"[-–—]\s?\S|[^\W\d_][\w .'-]{0,30}:\s|>>", line))


def _seconds(parts: tuple[str | None, ...]) -> int:
    hours, minutes, seconds = (int(part or 0) for part in parts)
    return 3_600 * hours + 60 * minutes + seconds


def _clock(seconds: int) -> str:
    """
    >>> _clock(4_210)
    '1:10:10'
    """
    return f"{seconds // 3_600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
