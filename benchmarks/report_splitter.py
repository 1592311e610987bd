"""The recursive splitter of the chunking report, with its own way to measure a chunk.

Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (2024), cut with a recursive
splitter in LangChain's sense. Its lengths are none that a chunk has: each part is measured alone,
in word pieces and the model's two special tokens, and so is the nothing between two parts; a chunk
is as long as all these together. So a chunk of many short parts ends early. To reproduce the
report's figures its rule is needed; the strategies of ragchunk measure the chunk itself.

Here as there a separator stays at the start of the part behind it, a part counts as small only if
it is under the size, and chunks lose the white space at their edges. Offsets are true ones, from
the split; the report searched the text again, which misplaces what is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ragchunk.spans import Span, trimmed

SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")

Length = Callable[[str], int]


def report_spans(
    text: str,
    size: int,
    overlap: int,
    length: Length,
    separators: tuple[str, ...] = SEPARATORS,
) -> list[Span]:
    """The chunks of a text; `length` measures one part, and `length("")` what joins two.

    The last of `separators` must be "".
    """
    spans = _cut(text, Span(0, len(text)), size, overlap, length, separators)
    return [span for span in spans if span.start < span.end]


def _cut(
    text: str, whole: Span, size: int, overlap: int, length: Length, separators: tuple[str, ...]
) -> Iterator[Span]:
    here = next(n for n, each in enumerate(separators) if not each or text.find(each, *whole) >= 0)
    smaller = separators[here + 1 :]
    joint = length("")
    run: list[tuple[Span, int]] = []
    for part in _parts(text, whole, separators[here]):
        measured = length(text[part.start : part.end])
        if measured < size:
            run.append((part, measured))
            continue
        yield from _packed(text, run, size, overlap, joint)
        run = []
        if smaller:
            yield from _cut(text, part, size, overlap, length, smaller)
        else:
            yield trimmed(text, *part)
    yield from _packed(text, run, size, overlap, joint)


def _parts(text: str, whole: Span, separator: str) -> Iterator[Span]:
    """The parts of `whole`, each but the first with the separator at its start."""
    start = whole.start
    # A separator at the very start has nothing before it to part it from.
    follow = text.find(separator, start, whole.end) if separator else start + 1
    while start < whole.end:
        end = whole.end if follow < 0 else min(follow, whole.end)
        if start < end:
            yield Span(start, end)
        start = end
        step = len(separator) or 1
        follow = text.find(separator, end + step, whole.end) if separator else end + 1


def _packed(
    text: str, run: list[tuple[Span, int]], size: int, overlap: int, joint: int
) -> Iterator[Span]:
    """Neighbouring parts together, as long as what is counted adds up to no more than the size."""
    first, total = 0, 0
    for number, (_, measured) in enumerate(run):
        if number > first and total + joint + measured > size:
            yield trimmed(text, run[first][0].start, run[number - 1][0].end)
            while number > first and (total > overlap or total + joint + measured > size):
                total -= run[first][1] + (joint if number - first > 1 else 0)
                first += 1
        total += measured + (joint if number > first else 0)
    if run:
        yield trimmed(text, run[first][0].start, run[-1][0].end)
