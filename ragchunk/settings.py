"""The checks of a size and an overlap, made before any work, in the words the screen shows."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral

from ragchunk.errors import SettingsError


def integer(name: str, value: object, least: int, most: int | None = None) -> int:
    """`value` as a plain integer from `least` to `most`; SettingsError for anything else."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise SettingsError(
            f"{name} must be an integer, not {value!r} ({type(value).__name__}). "
            f"Give a number such as {max(least, 1)}."
        )
    if value < least:
        raise SettingsError(f"{name} {value} is too small: it must be at least {least}.")
    if most is not None and int(value) > most:
        raise SettingsError(f"{name} {value} is too large: it must be at most {most:,}.")
    return int(value)


def size_and_overlap(size: object, overlap: object) -> tuple[int, int]:
    """Both as plain integers with `size >= 1` and `0 <= overlap < size`, or a SettingsError."""
    whole_size = integer("Size", size, least=1)
    whole_overlap = integer("Overlap", overlap, least=0)
    if whole_overlap >= whole_size:
        way_out = (
            "Choose a larger size, or overlap 0."
            if whole_size == 1
            else f"Choose an overlap from 0 to {whole_size - 1}, or a larger size."
        )
        raise SettingsError(
            f"Overlap {whole_overlap} must be smaller than size {whole_size}: each window starts "
            f"size - overlap = {whole_size - whole_overlap} further on, so it would never advance. "
            + way_out
        )
    return whole_size, whole_overlap


def one_of(name: str, value: object, choices: Iterable[str]) -> str:
    """`value` if it is one of `choices`, else a SettingsError that lists them."""
    known = list(choices)
    if value not in known:
        raise SettingsError(f"{name} {value!r} is not known. Choose one of: {', '.join(known)}.")
    return str(value)
