"""The labelled questions as a table: what became of each answer, and buttons for each question."""

from __future__ import annotations

from collections.abc import Sequence

from ragchunk.evaluation.anchoring import Anchored, AnchoredQuestion
from ragchunk.evaluation.questions import key_of
from ragchunk.markup import act_button, acts, count, escape
from ragchunk.measure_labels import MORE, ORIGINS, shortened
from ragchunk.measure_table import scrolled

STATES = {"stands": "● found", "moved": "◐ moved", "lost": "○ lost"}


def question_table(rows: Sequence[AnchoredQuestion], most: int) -> str:
    """The first `most` questions with their answers, what became of each, and buttons."""
    if not rows:
        return '<div class="rc measure"><p class="waiting">No question yet.</p></div>'
    body = "".join(_question(each) for each in rows[:most])
    more = ""
    if len(rows) > most:
        label = count(min(MORE, len(rows) - most), "more question")
        more = f'<p class="acts">{act_button(label, "questions")}</p>'
    heads = "".join(
        f'<th scope="col">{each}</th>' for each in ("Question", "Answer", "Where", "State", "")
    )
    table = f'<table class="labelled"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="rc measure">{scrolled("Labelled questions", table)}{more}</div>'


def _question(row: AnchoredQuestion) -> str:
    """One question, a line for each answer. Its buttons name it by its key: texts may be twice."""
    key = key_of(row.question)
    buttons = acts([("Edit", f"edit {key}"), ("Delete", f"delete {key}")])
    lines = row.answers or (None,)
    span = f' rowspan="{len(lines)}"' if len(lines) > 1 else ""
    rows = []
    for number, each in enumerate(lines):
        head = foot = ""
        if number == 0:
            head = f'<th scope="row"{span}>{escape(row.question.text)}</th>'
            foot = f"<td{span}>{buttons}</td>"
        rows.append(f"<tr>{head}{_answer(each)}{foot}</tr>")
    return "".join(rows)


def _answer(each: Anchored | None) -> str:
    if each is None:
        return (
            '<td class="words">no answer<small>It can be asked, not measured.</small></td>'
            '<td class="words"></td><td class="words state">○ without</td>'
        )
    label = each.answer or each.label
    origin = f"<small>{ORIGINS[label.origin]}</small>" if label.origin else ""
    note = f"<small>{escape(each.note)}</small>" if each.note else ""
    return (
        f'<td class="words"><q>{escape(shortened(label.quote))}</q></td>'
        f'<td class="words"><span class="id">{escape(label.source)}</span>'
        f"<small>{label.start:,} to {label.end:,}</small>{origin}</td>"
        f'<td class="words state">{STATES[each.state]}{note}</td>'
    )
