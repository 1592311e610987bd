"""Importing torch, and calls that look at it, one after the other.

scipy asks of every array whether torch made it. While another thread is importing torch, half of
that module is there, and the question raises AttributeError.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TORCH = threading.RLock()


@contextmanager
def scipy_stats() -> Iterator[Any]:
    """`scipy.stats`, while no other thread imports torch."""
    with TORCH:
        # It takes more than half a second to import.
        from scipy import stats

        yield stats
