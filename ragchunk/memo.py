"""Remember what was found in a text, so that moving a slider never finds it again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from cachetools import LRUCache

Result = TypeVar("Result")

# Characters of text whose results are kept; the least recently used go first. Fifty megabytes of
# text is far above what one person looks at, and bounds what a server keeps for many.
CHARACTERS_KEPT = 50_000_000


def per_text(function: Callable[..., Result]) -> Callable[..., Result]:
    """Remember `function(text, *rest)` for recent texts, up to `CHARACTERS_KEPT` characters.

    Safe under threads: two threads may compute the same result, never see half of one.
    Results are shared, so callers must not change them.
    """
    # getsizeof sees only the value, so the text's length is kept beside the result.
    kept: LRUCache[Any, tuple[int, Result]] = LRUCache(CHARACTERS_KEPT, getsizeof=lambda v: v[0])
    lock = threading.Lock()
    # The result of the last call. Thousands of chunks of one document ask in a row, and finding an
    # equal text that is another object compares all its characters.
    latest: tuple[str, tuple[Any, ...], Result] | None = None

    @wraps(function)
    def remembered(text: str, *rest: Any) -> Result:
        nonlocal latest
        last = latest
        if last is not None and last[0] is text and last[1] == rest:
            return last[2]
        key = (text, *rest)
        with lock:
            found = kept.get(key)
        if found is not None:
            latest = (text, rest, found[1])
            return found[1]
        result = function(text, *rest)
        cost = len(text) + 100
        if cost <= CHARACTERS_KEPT:
            with lock:
                kept[key] = (cost, result)
            latest = (text, rest, result)
        return result

    return remembered
