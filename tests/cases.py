"""The cases of `cases/*.yaml`: a text, settings, and the spans worked out by hand.

The head of offsets.yaml says how a case is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "cases"
FIELDS = {"name", "text", "repeat", "parts", "strategy", "settings", "spans", "error"}
ALSO = {"overlaps", "oversized", "merged", "dropped"}


@dataclass(frozen=True)
class Case:
    """What is cut, how, and what comes of it; `also` has only what the case states."""

    id: str
    text: str
    strategy: str
    settings: dict[str, Any]
    spans: list[tuple[int, int]]
    error: list[str] | None = None
    also: dict[str, Any] = field(default_factory=dict)


def load_cases() -> list[Case]:
    """Every case of every file, in order; the id is the file's name and the case's."""
    return [
        _case(path.stem, row)
        for path in sorted(FOLDER.glob("*.yaml"))
        for row in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]


def _case(theme: str, row: dict[str, Any]) -> Case:
    name = row["name"]
    if unknown := row.keys() - FIELDS - ALSO:
        raise ValueError(f"{theme}.yaml, {name}: unknown {', '.join(sorted(unknown))}")
    if ("spans" in row) == ("error" in row):
        raise ValueError(f"{theme}.yaml, {name}: give either spans or an error")
    [text] = [_text({key: row[key]}) for key in ("text", "repeat", "parts") if key in row]
    return Case(
        id=f"{theme}: {name}",
        text=text,
        strategy=row["strategy"],
        settings=row.get("settings", {}),
        spans=[span for each in row.get("spans", []) for span in _spans(each)],
        error=row.get("error"),
        also={key: row[key] for key in ALSO if key in row},
    )


def _text(given: str | dict[str, Any]) -> str:
    match given:
        case str() as text:
            return text
        case {"text": str() as text}:
            return text
        case {"repeat": {"text": str() as text, "times": int() as times}}:
            return text * times
        case {"parts": list() as parts}:
            return "".join(map(_text, parts))
    raise ValueError(f"not a text: {given!r}")


def _spans(given: list[int] | dict[str, int]) -> list[tuple[int, int]]:
    if isinstance(given, dict):
        starts = (given["from"] + number * given["step"] for number in range(given["count"]))
        return [(start, start + given["length"]) for start in starts]
    start, end = given
    return [(start, end)]
