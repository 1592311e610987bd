"""Subtitles (SRT, WebVTT): what is said as flowing text, with times as places."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import pairwise

from ragchunk.errors import LoadError
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks
from ragchunk.readers.plain import text_of

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_CUE = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}")
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,100})?\s{1,10}([^\s>][^>]{0,200})>")
_TAG = re.compile(r"</?(?:[biucv]|ruby|rt|lang|font|\d\d)\b[^>]{0,200}>|\{\\[^}]{0,100}\}", re.I)

_NOTE = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|\Z)")

# A silence so long, in milliseconds, begins a paragraph; so does a sentence's end after so much
# text.
_SILENCE = 3_000
_PARAGRAPH = 600
# Captions roll where more than this share of the cues repeat a line and add to it.
_ROLLING = 0.3
_FLASH = 200  # milliseconds: what is shown for less is there for its line to move up
_MOST_LINES = 8


@dataclass(slots=True)
class _Cue:
    """What is shown from `starts` to `ends`, in milliseconds."""

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
    ended = so_far = 0
    for cue in cues:
        words = " ".join(cue.lines)
        if not words:
            continue
        full = so_far > _PARAGRAPH and paragraph[-1].endswith((".", "!", "?", "。"))
        speaks = any(_is_turn(line) for line in cue.lines[:1])
        if paragraph and (cue.starts - ended > _SILENCE or full or speaks):
            blocks.add(" ".join(paragraph))
            paragraph, so_far = [], 0
        if not paragraph:
            blocks.page(_clock(cue.starts // 1_000))
        paragraph.append(words)
        so_far += len(words)
        ended = cue.ends
    blocks.add(" ".join(paragraph))
    said = (f"lines that a cue repeats from the one before: {repeated:,}",) * bool(repeated)
    return blocks.done(notes, said)


def _cues(text: str) -> list[_Cue]:
    """Whatever stands between two lines of times is said, but for numbers, names and notes."""
    lines = [line.strip() for line in re.split(r"\r*\n|\r", text)]
    is_vtt = lines[0].startswith("WEBVTT")
    filled = [line for line in lines if line]
    before = [one for one, two in pairwise(filled) if _CUE.match(two)]
    counted = sum(map(str.isdecimal, before)) > len(before) / 2
    found: list[_Cue] = []
    note = False  # a note lasts up to the next blank line
    for number, line in enumerate(lines):
        if times := _CUE.match(line):
            parts = times.groups()
            found.append(_Cue(_milliseconds(parts[:4]), _milliseconds(parts[4:]), []))
            note = False
            continue
        after_blank = number == 0 or not lines[number - 1]
        if is_vtt and after_blank and _NOTE.match(line):
            note = True
        note = note and bool(line)
        if note or not line or not found:
            continue
        next_line = lines[number + 1] if number + 1 < len(lines) else ""
        before_times = bool(_CUE.match(next_line))
        may_count = before_times or (after_blank and line == str(len(found) + 1))
        if counted and line.isdecimal() and may_count:
            continue
        if is_vtt and after_blank and before_times and found[-1].lines:
            continue  # the name of a cue
        words = _TAG.sub("", _VOICE.sub(r"\1: ", line))
        if words := " ".join(html.unescape(words).split()):
            found[-1].lines.append(words)
    return found


def _without_repeats(cues: list[_Cue]) -> int:
    """Captions that roll show each line twice: the second is taken out, in place.

    A cue of them begins with the last lines of the one before and adds to them. Only where many
    cues do so, as people say things twice too; what adds nothing is a repeat only if nobody can
    read it before it changes.
    """
    repeats = [_repeated(before.lines, cue.lines) for before, cue in pairwise(cues)]
    pairs = list(zip(cues[1:], repeats, strict=True))
    if sum(0 < count < len(cue.lines) for cue, count in pairs) <= _ROLLING * len(cues):
        return 0
    removed = 0
    for cue, count in pairs:
        if count < len(cue.lines) or cue.ends - cue.starts < _FLASH:
            del cue.lines[:count]
            removed += count
    return removed


def _repeated(before: list[str], after: list[str]) -> int:
    """How many lines at the end of one cue are those at the beginning of the next.

    >>> _repeated(["a", "b", "c"], ["b", "c", "d"]), _repeated(["a", "b"], ["a"])
    (2, 0)
    """
    longest = min(len(before), len(after), _MOST_LINES)
    counts = range(longest, 0, -1)
    return next((count for count in counts if before[-count:] == after[:count]), 0)


def _is_turn(line: str) -> bool:
    """Whether somebody else begins to speak: a dash, or a name before a colon."""
    return bool(re.match(r"[-–—]\s?\S|[^\W\d_][\w .'-]{0,30}:\s|>>", line))


def _milliseconds(parts: tuple[str | None, ...]) -> int:
    hours, minutes, seconds = (int(part or 0) for part in parts[:3])
    return 1_000 * (3_600 * hours + 60 * minutes + seconds) + int((parts[3] or "").ljust(3, "0"))


def _clock(seconds: int) -> str:
    """
    >>> _clock(4_210)
    '1:10:10'
    """
    return f"{seconds // 3_600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
