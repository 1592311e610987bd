"""The strategies, one a file, and the table that lists them for the screen, the terminal and README.

A new strategy is one file with a frozen dataclass, and one line here.
"""

from ragchunk.strategies.base import TAILS, Cut, Sized, Strategy, Tail
from ragchunk.strategies.paragraphs import Paragraphs
from ragchunk.strategies.whole import Whole
from ragchunk.strategies.window import Window

STRATEGIES: dict[str, type[Strategy]] = {
    strategy.name: strategy for strategy in (Whole, Window, Paragraphs)
}

__all__ = ["STRATEGIES", "TAILS", "Cut", "Sized", "Strategy", "Tail"]
