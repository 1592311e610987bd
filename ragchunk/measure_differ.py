"""Where the strategies differ: one question a row, one verdict a column."""

from __future__ import annotations

from collections.abc import Sequence

from ragchunk.markup import act_button, count, escape
from ragchunk.measure_table import scrolled
from ragchunk.verdicts import Line, paid_in_words

SIGNS = {"whole": "●", "part": "◐", "none": "○"}

# Questions that are drawn, and how many more a press of the button draws.
AT_FIRST, MORE = 12, 24


def table(found: Sequence[Line], names: Sequence[str], most: int, shown: str, total: int) -> str:
    """The first `most` lines as a table.

    `shown` says which these are, "differ" or "all"; `total` is how many there are.
    """
    rest = total - len(found)
    said = count(total, "question")
    if shown == "differ":
        has = "has" if rest == 1 else "have"
        said = f"{len(found):,} of {said} differ; {rest:,} {has} the same verdict in all columns."
    else:
        said = f"{said}."
    if not found:
        return f'<div class="rc measure"><p class="waiting">{said}</p></div>'
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(map(_line, found[:most]))
    more = ""
    if len(found) > most:
        more = act_button(f"{count(min(MORE, len(found) - most), 'more question')}", "lines")
    return (
        '<div class="rc measure">'
        + scrolled(
            "Questions and what each column made of them",
            f'<table class="differ"><thead><tr><th scope="col">Question</th>{top}</tr></thead>'
            f"<tbody>{body}</tbody></table>",
        )
        + f'<p class="acts">{more}</p><p class="small">{said} Choose a question to see its answer '
        "in every lane.</p></div>"
    )


def _line(line: Line) -> str:
    cells = "".join(
        f'<td class="words {each.sign}"><i aria-hidden="true">{SIGNS[each.sign]}</i>'
        f"{escape(each.words)}<small>{paid_in_words(paid)}</small></td>"
        for each, paid in zip(line.verdicts, line.paid, strict=True)
    )
    question = escape(line.question)
    return (
        f'<tr><th scope="row"><button type="button" class="act" data-act="ask {question}">'
        f"{question}</button></th>{cells}</tr>"
    )
