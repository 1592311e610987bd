"""JSON and JSONL: a paragraph for each record, of one field or of all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ragchunk.errors import LoadError
from ragchunk.readers.base import Extract, ReadOptions, Told
from ragchunk.readers.blocks import Blocks
from ragchunk.readers.plain import text_of

# Names that fields with the text of a record have, the likelier first.
_LIKELY = ("text", "content", "body", "page_content", "passage", "document", "markdown", "answer")
_MOST_NAMED = 8


class _Number(str):
    """A number as it is written, 1.20 or one of many digits; or true or false."""

    __slots__ = ()


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    text, notes = text_of(data, options)
    records, problems = _records(text)
    said = list(notes)
    if problems:
        more = f" and {len(problems) - 3:,} more" if len(problems) > 3 else ""
        said.append(f"Not JSON and left out: {', '.join(problems[:3])}{more}.")
    field = options.field
    if not field:
        field = _likely(records)
        if field:
            others = [name for name in _names(records) if name != field]
            said.append(
                f"Only the field “{field}” of each record was read"
                + (f", not {', '.join(others[:_MOST_NAMED])}." if others else ".")
            )
    blocks = Blocks()
    without = 0
    for number, record in enumerate(records, 1):
        told(number, len(records))
        if blocks.full:
            break
        blocks.page(f"record {number}")
        texts = [_lines(value) for value in _at(record, field)] if field else []
        if field and not any(texts):
            without += 1
        # What was not asked to be left out is kept.
        if not any(texts) and not options.field:
            texts = [
                "\n".join(f"{name}: {each}" if name else each for name, each in _strings(record))
            ]
        for each in texts:
            blocks.add(each)
    if without:
        how = "left out" if options.field else "read whole"
        said.append(f"Records without a text in “{field}”, {how}: {without:,}.")
    made = blocks.done(tuple(said))
    if options.field and not made.text:
        raise LoadError(
            f"has no text in a field {options.field!r}. Its fields are "
            f"{', '.join(_names(records)[:_MOST_NAMED]) or 'without names'}."
        )
    return made


def _records(text: str) -> tuple[list[Any], list[str]]:
    """The records of an array, of an object's one array, or one a line; lines that are none.

    Texts that stand beside the one array are a record before those in it.
    """
    try:
        whole = _parsed(text)
    except RecursionError as error:
        raise LoadError("is nested too deeply to be read.") from error
    except ValueError as error:
        whole, why = None, error
    else:
        if isinstance(whole, dict):
            tables = [name for name, each in whole.items() if _is_table(each)]
            if len(tables) == 1 and len(whole) <= 3:
                rows = whole.pop(tables[0])
                says = any(not isinstance(each, _Number) for _, each in _strings(whole))
                whole = [whole, *rows] if says else rows
            else:
                whole = [whole]
        return (whole if isinstance(whole, list) else [whole]), []
    records, problems = [], []
    # Only \n ends a line of JSONL; other line ends may stand in a text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            records.append(_parsed(line))
        except RecursionError:
            problems.append(f"line {number} (nested too deeply)")
        except ValueError:
            problems.append(f"line {number}")
    if text.strip() and len(problems) > len(records):
        raise LoadError(f"is not JSON: {why}.")
    return records, problems


def _parsed(text: str) -> Any:
    return json.loads(
        text,
        parse_int=_Number,
        parse_float=_Number,
        parse_constant=_Number,
        object_pairs_hook=_object,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """All values of a name that an object has twice, as a list."""
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    values: dict[str, list[Any]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: each if len(each) > 1 else each[0] for name, each in values.items()}


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(x, dict) for x in value)


def _names(records: list[Any]) -> list[str]:
    """The names of the fields, those first that the most records have."""
    found = Counter(name for record in records if isinstance(record, dict) for name in record)
    return [name for name, _ in found.most_common()]


def _likely(records: list[Any]) -> str:
    """The field that holds the text, if most records have one of that name."""
    for name in _LIKELY:
        having = sum(isinstance(each, dict) and _is_text(each.get(name)) for each in records)
        if having > len(records) / 2:
            return name
    return ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, _Number) and bool(value.strip())


def _lines(value: Any) -> str:
    return "\n".join(each for _, each in _strings(value))


def _at(record: Any, path: str) -> Iterator[Any]:
    """What stands at a path such as "post.body"; lists on the way are gone through."""
    if isinstance(record, dict) and path in record:
        yield record[path]
        return
    here = [record]
    for name in path.split("."):
        here = [inner for each in here for inner in (each if isinstance(each, list) else [each])]
        here = [each[name] for each in here if isinstance(each, dict) and name in each]
    yield from here


def _strings(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Each value that says something, with the path to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, name)
    elif isinstance(value, _Number):
        yield name, value
    elif isinstance(value, str):
        if value.strip():
            yield name, value.strip()
    elif value is not None:
        yield name, _Number(json.dumps(value))
