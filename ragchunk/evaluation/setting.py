"""One setting of a sweep: a strategy and a way to make vectors; and grids of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

from ragchunk import settings
from ragchunk.embedding import check_way
from ragchunk.errors import SettingsError
from ragchunk.late import FLATTERED
from ragchunk.strategies import STRATEGIES, Sized, Strategy, Tail
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import UNITS, Unit

# Of the default model the last two of each row are longer than what it reads; in characters and
# words they are about the same as in tokens.
SIZES: dict[Unit, tuple[int, ...]] = {
    "tokens": (64, 96, 128, 192, 254, 400, 800),
    "words": (48, 72, 96, 144, 190, 300, 600),
    "characters": (240, 360, 480, 720, 950, 1_500, 3_000),
}
# As shares of the size.
OVERLAPS = (0, 0.25, 0.5)


@dataclass(frozen=True)
class Setting:
    """How documents are cut, and how the vectors of their chunks are made: one of `WAYS`.

    Raises SettingsError for an unknown way.
    """

    strategy: Strategy
    way: str = "plain"

    def __post_init__(self) -> None:
        check_way(self.way)

    @property
    def label(self) -> str:
        """`Paragraph-aware 120/30 tokens, late`; what is not as usual is said behind it."""
        strategy = self.strategy
        if not isinstance(strategy, Sized):
            return f"{strategy.label}, {self.way}"
        said = f"{strategy.label} {strategy.size}/{strategy.overlap} {strategy.unit}, {self.way}"
        usual = {"size", "overlap", "unit", "model"}
        for each in fields(strategy):
            value = getattr(strategy, each.name)
            if each.name not in usual and value != each.default:
                said += f", {each.name.replace('_', ' ')} {_in_words(value)}"
        return said

    @property
    def is_flattered(self) -> bool:
        """Whether late vectors flatter its chunks, as they are so small (see `late.FLATTERED`).

        False where the size does not count tokens.
        """
        strategy = self.strategy
        if self.way != "late" or not isinstance(strategy, Sized) or strategy.unit != "tokens":
            return False
        return strategy.size <= FLATTERED

    def is_longer_than(self, limit: int) -> bool:
        """Whether its chunks may have more tokens than the `limit` that a model reads.

        False where the size does not count tokens: what was left unread is in the result.
        """
        strategy = self.strategy
        return isinstance(strategy, Sized) and strategy.unit == "tokens" and strategy.size > limit

    def to_json(self) -> dict[str, Any]:
        """Plain values from which `from_json` makes the same setting."""
        values = {each.name: getattr(self.strategy, each.name) for each in fields(self.strategy)}
        plain = {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}
        return {"strategy": self.strategy.name, **plain, "way": self.way}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Setting:
        """The setting that a row says. SettingsError for one that cannot be."""
        values = dict(row)
        name = settings.one_of("Strategy", values.pop("strategy", None), STRATEGIES)
        way = str(values.pop("way", "plain"))
        kind = STRATEGIES[name]
        known = {each.name for each in fields(kind)}
        if unknown := [key for key in values if key not in known]:
            raise SettingsError(
                f"The strategy {name} has no setting {', '.join(unknown)}; it has "
                f"{', '.join(sorted(known)) or 'none'}."
            )
        if issubclass(kind, Sized) and "size" not in values:
            raise SettingsError(f"The strategy {name} needs a size.")
        plain = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
        return cls(STRATEGIES[name](**plain), way)


def _in_words(value: object) -> str:
    return ", ".join(map(repr, value)) if isinstance(value, tuple) else str(value)


def grid(
    strategies: Iterable[str] = tuple(STRATEGIES),
    sizes: Sequence[int] | None = None,
    overlaps: Sequence[float] = OVERLAPS,
    unit: Unit = "tokens",
    way: str = "late",
    tail: Tail = "keep",
    model: str = DEFAULT_MODEL,
) -> list[Setting]:
    """Every strategy at every size and overlap, each setting once.

    strategies: names in `STRATEGIES`. sizes: in `unit`; None for those of `SIZES`. overlaps: shares
    of the size, 0 to less than 1, rounded to whole units; one that rounds up to the size is left
    out. A strategy without a size comes once.
    Raises SettingsError for a name, size or share that cannot be.
    """
    settings.one_of("Unit", unit, UNITS)
    check_way(way)
    for share in overlaps:
        if not isinstance(share, Real) or isinstance(share, bool) or not 0 <= share < 1:
            raise SettingsError(
                f"Overlap {share!r} must be a share of the size, from 0 to less than 1: "
                "0.25 is a quarter."
            )
    found: dict[Setting, None] = {}
    for name in strategies:
        kind = STRATEGIES[settings.one_of("Strategy", name, STRATEGIES)]
        if not issubclass(kind, Sized):
            found[Setting(kind(), way)] = None
            continue
        for size in SIZES[unit] if sizes is None else sizes:
            settings.integer("Size", size, least=1)
            for share in overlaps:
                overlap = int(share * size + 0.5)
                if overlap < size:
                    strategy = kind(size=size, overlap=overlap, unit=unit, tail=tail, model=model)
                    found[Setting(strategy, way)] = None
    return list(found)
