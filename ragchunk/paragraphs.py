"""Where the paragraphs of a text are."""

from __future__ import annotations

import re

from ragchunk.graphemes import boundary_at_or_after, boundary_at_or_before
from ragchunk.memo import per_text
from ragchunk.spans import Span, trimmed

# A line end, then lines that hold nothing but spaces or tabs. The group is atomic: \r\n must never
# be read as two line ends.
BLANK_LINES = re.compile(r"(?>\r\n|\n|\r)(?:[ \t]*(?>\r\n|\n|\r))+")


@per_text
def paragraph_spans(text: str) -> list[Span]:
    r"""The text between blank lines, as half-open spans of code points, in order.

    A blank line may hold spaces and tabs. The first line keeps its indentation, the last loses the
    white space behind it; what is white space only is no paragraph.

    >>> paragraph_spans("One.\r\n\t\r\n  Two,\nstill two.\n")
    [Span(start=0, end=4), Span(start=9, end=26)]
    """
    spans = []
    start = 0
    gaps = [gap.span() for gap in BLANK_LINES.finditer(text)]
    for end, after in [*gaps, (len(text), len(text))]:
        content = trimmed(text, start, end)
        if content.start < content.end:
            # A mark can sit on the space before it: then the space is part of the paragraph.
            first = boundary_at_or_before(text, content.start, start)
            while first > start and text[first - 1] in " \t":
                first -= 1
            spans.append(Span(first, boundary_at_or_after(text, content.end, first)))
        start = after
    return spans
