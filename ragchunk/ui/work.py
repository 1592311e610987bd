"""What a view hands back to the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragchunk import panels
from ragchunk.ui.columns import Column


@dataclass
class Work:
    """What is on the page: the columns, what they were asked, and what is still to be done.

    `finish` comes last, as it takes long: it waits for the model and draws again.
    """

    board: Sequence[Column]
    query: str
    scene: panels.Scene
    finish: Callable[[], None]
