"""The strategies, one a file, and the table that lists them for the screen and the terminal.

A new strategy is one file with a frozen dataclass, and one line here.
"""

from typing import Any

from ragchunk.strategies.base import TAILS, Cut, Sized, Strategy, Tail
from ragchunk.strategies.paragraphs import Paragraphs
from ragchunk.strategies.recursive import Recursive
from ragchunk.strategies.sentences import Sentences
from ragchunk.strategies.whole import Whole
from ragchunk.strategies.window import Window

# Each kind takes settings of its own, so the table says no more than that these are classes.
STRATEGIES: dict[str, type[Any]] = {
    strategy.name: strategy for strategy in (Whole, Window, Paragraphs, Sentences, Recursive)
}

__all__ = ["STRATEGIES", "TAILS", "Cut", "Sized", "Strategy", "Tail"]
