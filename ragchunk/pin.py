"""A column's figures held still, to see what moving a slider changes."""

from __future__ import annotations

from dataclasses import dataclass

from ragchunk.comparison import Cutting, Ranking, read_ends
from ragchunk.evaluation.questions import Answer
from ragchunk.evaluation.verdict import fate
from ragchunk.panels import Scene


@dataclass(frozen=True)
class Pin:
    """The figures that are compared. `rank` is the first hit that holds the answer whole.

    `rank` is 0 where no hit does, None where no answer is known. `corpus` and `asked` tell what
    was cut and what was asked for: figures of other documents or answers say nothing of a move.
    `way` is how the vectors of the hits were made, "" where there were none.
    """

    label: str
    chunks: int
    repeated: float
    cut: int
    lost: int
    rank: int | None
    corpus: str = ""
    asked: tuple[Answer, ...] = ()
    way: str = ""


def pin(cutting: Cutting, ranking: Ranking | None, scene: Scene) -> Pin:
    """Hold the figures of a column as they are."""
    found = cutting.figures
    rank = None
    if scene.answers and ranking is not None:
        ends = read_ends(cutting, ranking.hits, ranking.way)
        fates = [fate(answer, ranking.hits, ends) for answer in scene.answers]
        # An answer in several parts is complete with the last of them.
        rank = (
            0
            if any(each.whole is None for each in fates)
            else max(each.whole or 0 for each in fates)
        )
    way = "" if ranking is None else ranking.way
    return Pin(
        label=f"{cutting.strategy.label}. {cutting.strategy.describe()}"
        + (f" {way.capitalize()} vectors." if way else ""),
        chunks=found.chunks,
        repeated=found.repeated_share,
        cut=found.sentences_cut,
        lost=found.sentences_lost,
        rank=rank,
        corpus=cutting.corpus.key,
        asked=tuple(scene.answers),
        way=way,
    )


def differences(before: Pin, now: Pin) -> list[str]:
    """What changed since the pin, in words: `chunks +12`, `lost -3`, `answer rank 4 to 1`."""
    if before.corpus != now.corpus:
        return ["other documents are open"]
    told = []
    for name, old, new in (
        ("chunks", before.chunks, now.chunks),
        ("repeated", round(before.repeated * 100, 1), round(now.repeated * 100, 1)),
        ("cut", before.cut, now.cut),
        ("lost", before.lost, now.lost),
    ):
        if old != new:
            change = f"{round(new - old, 1):+,}".replace("-", "\N{MINUS SIGN}")
            told.append(f"{name} {change}{' points' if name == 'repeated' else ''}")
    if before.way != now.way and before.way and now.way:
        told.append(f"{before.way} to {now.way} vectors")
    if before.asked != now.asked:
        told.append("another question")
    elif before.rank is not None and now.rank is not None and before.rank != now.rank:
        told.append(f"answer {_place(before.rank)} to {_place(now.rank)}")
    return told


def _place(rank: int) -> str:
    return f"rank {rank}" if rank else "not whole"
