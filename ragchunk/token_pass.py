"""Documents read once, token by token, so that late vectors of any chunks follow at once.

    a_pass.want(texts)        in the background, the first text first
    a_pass.progress(texts)    tokens read so far, and all
    a_pass.sums(text)         None until the text is read whole

Whatever was read is kept in the store part by part: reading goes on there after a stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from ragchunk import tokens
from ragchunk.background import ending, start
from ragchunk.errors import ModelError
from ragchunk.late import Outputs, TokenSums, Window, plan
from ragchunk.models import fingerprint
from ragchunk.store import Store

# Windows read at a time, which make one part: about half a second of two cores.
WINDOWS = 8

# Stands for the way windows are laid out: outputs read in another way are not mixed with these.
LAYOUT = "half-overlapping"

# Memory for the sums of texts, and for outputs where there is no store to keep them.
SUMS_BYTES_KEPT = 400_000_000

# Texts that were asked for and are still to be read; the newest come first.
MOST_WANTED = 2_000

Read = Callable[[list[Sequence[int]]], list[npt.NDArray[np.float32]]]


class TokenPass:
    """Reads whole texts for one model. Safe under threads.

    model: its name. read: the model's token outputs of windows of token ids.
    must_wait: whether something more urgent wants the model now.
    failure: what stopped the reading in the background, None if nothing did.
    """

    def __init__(
        self, model: str, read: Read, store: Store, must_wait: Callable[[], bool] = lambda: False
    ) -> None:
        self.failure: Exception | None = None
        self._model = model
        self._read = read
        self._store = store
        self._must_wait = must_wait
        self._wanted: list[str] = []
        self._thread: threading.Thread | None = None
        self._readings: LRUCache[str, _Reading] = LRUCache(MOST_WANTED)
        self._sums: LRUCache[str, TokenSums] = LRUCache(SUMS_BYTES_KEPT, lambda each: each.nbytes)
        self._lock = threading.RLock()
        self._one_reads = threading.Lock()

    def want(self, texts: Iterable[str]) -> None:
        """Read these in the background, in this order, before what was asked for earlier."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if not self.is_read(text)]
            if not new:
                return
            earlier = [text for text in self._wanted if text not in set(new)]
            self._wanted = [*new, *earlier][:MOST_WANTED]
            self.failure = None
            if self._thread is None:
                self._thread = start(self._work)

    def drop(self, texts: Iterable[str]) -> None:
        """Stop reading these at the next part. What is read is kept."""
        dropped = set(texts)
        with self._lock:
            self._wanted = [text for text in self._wanted if text not in dropped]

    def is_wanted(self, texts: Iterable[str]) -> bool:
        """Whether any of these is still to be read in the background."""
        with self._lock:
            wanted = set(self._wanted)
            return any(text in wanted and not self.is_read(text) for text in texts)

    def run(self, texts: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Read these now, yielding (tokens read, tokens in all) after every part."""
        texts = list(dict.fromkeys(texts))
        for text in texts:
            while not self.is_read(text):
                self._read_part(text)
                yield self.progress(texts)

    def is_read(self, text: str) -> bool:
        """Whether `sums` has an answer."""
        return self._reading(text).whole is not None

    def progress(self, texts: Iterable[str]) -> tuple[int, int]:
        """Tokens of these texts that were read, and how many they have."""
        done = total = 0
        for text in texts:
            count = len(tokens.token_starts(text, self._model))
            total += count
            done += count if self.is_read(text) else self._reading(text).tokens_read
        return done, total

    def sums(self, text: str) -> TokenSums | None:
        """Sums of the text's token outputs, once it was read whole; None before."""
        with self._lock:
            found = self._sums.get(text)
            if found is not None:
                return found
            reading = self._reading(text)
            if reading.whole is None:
                return None
            starts = tokens.token_starts(text, self._model)
            ids = np.asarray(tokens.token_ids(text, self._model))
            unknown = tokens.unknown_id(self._model)
            known = ids != unknown if unknown is not None else np.ones(len(ids), dtype=bool)
            found = TokenSums(starts, reading.whole, known)
            if found.nbytes <= SUMS_BYTES_KEPT:
                self._sums[text] = found
            return found

    def _reading(self, text: str) -> _Reading:
        with self._lock:
            found = self._readings.get(text)
            if found is None:
                found = self._readings[text] = _Reading(text, self._model, self._store)
            return found

    def _work(self) -> None:
        while True:
            with self._lock:
                self._wanted = [text for text in self._wanted if not self.is_read(text)]
                if not self._wanted or ending.is_set():
                    self._thread = None
                    return
                text = self._wanted[0]
            try:
                while self._must_wait() and not ending.wait(0.05):
                    pass
                self._read_part(text)
            except Exception as error:
                # For the screen to say; a thread has nobody to raise it to.
                with self._lock:
                    self.failure, self._wanted, self._thread = error, [], None
                return

    def _read_part(self, text: str) -> None:
        reading = self._reading(text)
        with self._one_reads:
            number = reading.next_part()
            if number is not None:
                ids = tokens.token_ids(text, self._model)
                windows = reading.parts[number]
                found = self._read([ids[each.first : each.last] for each in windows])
                rows = [
                    outputs[each.take - each.first : each.until - each.first]
                    for each, outputs in zip(windows, found, strict=True)
                ]
                reading.keep(number, _halved(np.concatenate(rows), self._model))
            with self._lock:
                reading.finish()


class _Reading:
    """How far the reading of one text is."""

    def __init__(self, text: str, model: str, store: Store) -> None:
        count = len(tokens.token_starts(text, model))
        windows = plan(count, tokens.max_tokens(model))
        self.parts: list[list[Window]] = [
            windows[at : at + WINDOWS] for at in range(0, len(windows), WINDOWS)
        ]
        self._text, self._store = text, store
        self._model = f"{fingerprint(model)} {LAYOUT}"
        self._in_memory: dict[int, Outputs] | None = None
        # A text without tokens is read as it is.
        self.whole: Outputs | None = (
            store.outputs(self._model, text) if windows else np.zeros((0, 1), dtype=np.float16)
        )
        kept = set() if self.whole is not None else store.parts(self._model, text)
        self._done = kept & set(range(len(self.parts)))

    @property
    def tokens_read(self) -> int:
        return sum(
            self.parts[number][-1].until - self.parts[number][0].take for number in self._done
        )

    def next_part(self) -> int | None:
        """The number of a part that is still to be read."""
        missing = (number for number in range(len(self.parts)) if number not in self._done)
        return None if self.whole is not None else next(missing, None)

    def keep(self, number: int, rows: Outputs) -> None:
        if self._in_memory is None:
            self._store.keep_part(self._model, self._text, number, rows)
            if not self._store.trouble:
                self._done.add(number)
                return
            # The store takes no more, so that the text is read without it, from the start.
            self._in_memory, self._done = {}, set()
        self._in_memory[number] = rows
        self._done.add(number)

    def finish(self) -> None:
        """Make all parts one, if all are there."""
        if self.whole is not None or len(self._done) < len(self.parts):
            return
        if self._in_memory is not None:
            self.whole = np.concatenate([self._in_memory[n] for n in range(len(self.parts))])
            return
        self.whole = self._store.finish(self._model, self._text, len(self.parts))
        if self.whole is None:
            self._in_memory, self._done = {}, set()


def _halved(rows: npt.NDArray[np.float32], model: str) -> Outputs:
    with np.errstate(over="ignore"):
        halved = rows.astype(np.float16)
    if not np.isfinite(halved).all():
        raise ModelError(
            f"The token outputs of {model} are larger than half precision holds (65,504), or are "
            'no numbers, so there are no late vectors of it: choose "plain" or "averaged".'
        )
    return halved
