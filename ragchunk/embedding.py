"""Texts to vectors: the encoder that the rest of ragchunk asks for, and the model behind it.

    encoder = load_encoder()                 at once: only the tokenizer is read
    encoder.start_loading()                  torch and the weights, in a thread
    for done, total in encoder.fill(texts):  slice by slice, may be abandoned after any
        ...
    vectors = embed(texts, encoder)          from memory by now

A text without words, or of which the model knows no token, is never encoded: its vector is all
zeros, where the model would give an arbitrary unit vector.
"""

from __future__ import annotations

import gc
import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from ragchunk import tokens, warm
from ragchunk.background import start
from ragchunk.errors import ModelError, SettingsError
from ragchunk.late import TokenSums
from ragchunk.models import fingerprint, read_model, token_outputs, why_not_late
from ragchunk.store import Store, default_store
from ragchunk.token_pass import TokenPass

# Both are read when torch and huggingface_hub are imported, which happens further down, late.
# Waiting OpenMP threads that spin make a query 15 times slower on a busy machine of two cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

Vectors = npt.NDArray[np.float32]

WAYS = {
    "plain": "The model reads a chunk up to its limit; what stands behind the limit is lost.",
    "averaged": "A chunk over the limit is read window by window; the mean of all stands for it.",
    "late": "Documents are read once; a chunk is the mean of its tokens, none lost, at once.",
}

# One step of the model: a tenth to a third of a second, and a person can interrupt between two.
# Eight texts of about the same length suit it best, of short ones more.
FEWEST, MOST, CHARACTERS = 8, 32, 1_600

# Vectors kept per encoder: 92 MB for the default model.
VECTORS_KEPT = 60_000


class Encoder(Protocol):
    """What ragchunk asks of a model; any object with these three will do."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of documents: float32, shape (n, d), unit length."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens the text has, without special tokens."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text are read, without special tokens."""
        ...


@runtime_checkable
class EncodesQueries(Protocol):
    """An encoder that treats questions in a way of their own."""

    def encode_query(self, text: str) -> Vectors: ...


@runtime_checkable
class FindsTokens(Protocol):
    """An encoder that says where tokens start, so that long texts can be cut into windows."""

    def token_starts(self, text: str) -> Sequence[int]: ...


@runtime_checkable
class ReadsTokens(Protocol):
    """An encoder that reads whole documents token by token, for late vectors."""

    def token_sums(self, text: str) -> TokenSums: ...


def has_words(text: str) -> bool:
    """Whether there is a letter, digit or underscore of any script in the text."""
    return re.search(r"\w", text) is not None


def check_way(way: str) -> None:
    """Raise SettingsError unless `way` is one of `WAYS`."""
    if way not in WAYS:
        *ways, last = WAYS
        raise SettingsError(
            f'There is no way "{way}" to embed a chunk: choose {", ".join(ways)} or {last}.'
        )


def embed(texts: Sequence[str], encoder: Encoder, way: str = "plain") -> Vectors:
    """Vectors of texts: float32, shape (n, d), each row of unit length or all zeros.

    way: "plain" leaves a long text to the encoder, which reads `max_tokens` of it; "averaged"
    encodes windows of at most `max_tokens` and takes their mean, weighted by their tokens. Both
    give the same for a text within the limit. "late" is for chunks: see `chunk_vectors`.
    Rows are zeros for texts without words, which the encoder never sees, and where it answers
    with NaN or zeros. If no text has words the shape is (n, 0).
    Raises SettingsError for an unknown way, "late", or "averaged" with an encoder that has no
    `token_starts`; ModelError if the encoder does not give one vector per text.
    """
    windows = [_windows(text, encoder, way) for text in texts]
    distinct = [piece for piece in _distinct(windows) if has_words(piece)]
    if not distinct:
        return np.zeros((len(texts), 0), dtype=np.float32)
    found = np.asarray(encoder.encode(distinct))
    if found.ndim != 2 or len(found) != len(distinct):
        raise ModelError(
            f"The encoder gave an array of shape {found.shape} for {len(distinct)} texts: "
            f"it must give one vector per text, shape ({len(distinct)}, d)."
        )
    found = _unit(found)
    row = {piece: number for number, piece in enumerate(distinct)}
    vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
    for number, pieces in enumerate(windows):
        for piece, weight in pieces:
            if piece in row:
                vectors[number] += weight * found[row[piece]]
    return _unit(vectors) if way == "averaged" else vectors


def pieces(texts: Iterable[str], encoder: Encoder, way: str = "plain") -> list[str]:
    """What `embed` has the encoder read of these texts: each once, those with words only.

    Raises SettingsError as `embed` does.
    """
    distinct = _distinct(_windows(text, encoder, way) for text in texts)
    return [piece for piece in distinct if has_words(piece)]


def embed_query(query: str, encoder: Encoder) -> Vectors:
    """The vector of a question: float32, shape (d,), of unit length or all zeros.

    Zeros where the encoder answers with NaN or zeros; shape (0,) for a question without words,
    which the encoder never sees. Uses `encode_query` if the encoder has it.
    """
    if not has_words(query):
        return np.zeros(0, dtype=np.float32)
    if isinstance(encoder, EncodesQueries):
        found = encoder.encode_query(query)
    else:
        found = encoder.encode([query])
    return _unit(np.asarray(found).reshape(1, -1))[0]


_encoders: dict[str, ModelEncoder] = {}
_encoders_lock = threading.Lock()


def load_encoder(name: str | None = None) -> ModelEncoder:
    """The encoder of a model, one per name and process; its weights are read at first use.

    name: nothing for the embedded all-MiniLM-L6-v2, a local folder, or a hub name that was
    downloaded before.
    Raises ModelError at once if the model is not on this machine.
    """
    if name is None or name in tokens.DEFAULT_NAMES:
        name = tokens.DEFAULT_MODEL
    with _encoders_lock:
        if name not in _encoders:
            _encoders[name] = ModelEncoder(name)
        return _encoders[name]


class _Kept(NamedTuple):
    vector: Vectors
    stored: bool  # found in a store, not made by the model of this process


class ModelEncoder:
    """A sentence-transformers model that remembers what it has read. Safe under threads.

    What is known, in memory or in a store, is found without the model, so that torch need not be
    imported for it.

    name: as given to `load_encoder`. store: what remembers beyond this process.
    max_tokens: tokens of a text that are read, special tokens not counted.
    dimension: length of a vector, None until the model is loaded.
    failure: what the last attempt to load raised, None if it did not.
    why_not_late: why there are no late vectors of this model, in a sentence; "" if there are.
    token_pass: reads whole documents for them.
    texts_read: how many texts the model has read so far; one that never stands still is at work.
    """

    def __init__(self, name: str, store: Store | None = None) -> None:
        self.name = name
        self.max_tokens = tokens.max_tokens(name)
        self.dimension: int | None = None
        self.failure: Exception | None = None
        self.texts_read = 0
        self.why_not_late = why_not_late(name)
        self.store = store or default_store()
        self.token_pass = TokenPass(name, self._token_outputs, self.store, self._is_wanted)
        self._model: Any = None
        self._model_lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._kept: LRUCache[tuple[str, str], _Kept] = LRUCache(VECTORS_KEPT)
        # Never held while the model works, so that what is known is found without waiting.
        self._lock = threading.Lock()
        self._callers = 0

    @property
    def ready(self) -> bool:
        """Whether the model is loaded, so that `encode` starts at once."""
        return self._model is not None

    def load(self) -> None:
        """Import torch and read the model, about six seconds; nothing if that was done.

        Raises ModelError if the weights are not the ones they should be or cannot be read.
        """
        with self._model_lock:
            if self._model is not None:
                return
            try:
                model, self.dimension = read_model(self.name)
            except Exception as error:
                self.failure = error
                raise
            # Streamlit collects garbage after each run: without this it would go through all
            # objects of torch, 0.8 s per move of a slider.
            gc.collect()
            gc.freeze()
            self.failure = None
            self._model = model

    def start_loading(self) -> None:
        """Load in a thread and return at once; see `ready` and `failure`. Once per encoder."""
        with self._lock:
            if self._thread is None:
                self._thread = start(self._load_quietly)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of documents: float32, shape (n, d), unit length; zeros for unreadable texts.

        Unreadable: no word, or no token that the model knows. Of a text over `max_tokens` only
        the start is read. Each distinct text is read once and remembered.
        Raises ModelError if the model cannot be loaded.
        """
        return self._vectors(texts, "document")

    def encode_query(self, text: str) -> Vectors:
        """The vector of a question: float32, shape (d,); as `encode`, with the query prompt."""
        return self._vectors([text], "query")[0]

    def fill(self, texts: Sequence[str], way: str = "plain") -> Iterator[tuple[int, int]]:
        """Read the texts that are new, yielding (done, total) after every few.

        total is `pending(texts, way)`. Whatever was done when the caller stops is remembered,
        and `encode` and `embed` find it.
        Raises SettingsError for an unknown way, ModelError if the model cannot be loaded.
        """
        new = self._new(texts, way)
        done = 0
        with self._calling():
            for read in self._read(new, "document"):
                done += len(read)
                yield done, len(new)

    def fill_queries(self, texts: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Read the questions that are new, as `fill` reads texts; `encode_query` finds them."""
        new = self._new_queries(texts)
        done = 0
        with self._calling():
            for read in self._read(new, "query"):
                done += len(read)
                yield done, len(new)

    def pending_queries(self, texts: Sequence[str]) -> int:
        """How many questions the model must read before `encode_query` answers without it."""
        return len(self._new_queries(texts))

    def pending(self, texts: Sequence[str], way: str = "plain") -> int:
        """How many texts (windows of texts, if averaged) the model must read before `embed`."""
        return len(self._new(texts, way))

    def knows_query(self, text: str) -> bool:
        """Whether `encode_query` answers without the model."""
        return not has_words(text) or bool(self._recall([text], "query"))

    def from_store(self, texts: Sequence[str], way: str = "plain") -> int:
        """How many of the texts have a vector that came from a store, and not from the model."""
        windows = [_windows(text, self, way) for text in texts]
        with self._lock:
            kept = {part: self._kept.get((part, "document")) for part in _distinct(windows)}
        stored = {part for part, each in kept.items() if each is not None and each.stored}
        return sum(all(part in stored for part, _ in parts) for parts in windows)

    def token_sums(self, text: str) -> TokenSums:
        """The sums of a document's token outputs, for late vectors; reads it if it is new.

        Raises SettingsError if there are no late vectors of this model, ModelError if it cannot be
        loaded.
        """
        if self.why_not_late:
            raise SettingsError(f'{self.why_not_late} Choose "plain" or "averaged".')
        while (found := self.token_pass.sums(text)) is None:
            with self._calling():
                for _ in self.token_pass.run([text]):
                    pass
        return found

    def count_tokens(self, text: str) -> int:
        """How many tokens the text has by itself, without special tokens."""
        return tokens.count_tokens(text, self.name)

    def token_starts(self, text: str) -> Sequence[int]:
        """Where the tokens of the text start, in code points, ascending; do not change it."""
        return tokens.token_starts(text, self.name)

    def _load_quietly(self) -> None:
        with suppress(Exception):  # kept in `failure`, for the screen to say
            self.load()

    def _new(self, texts: Sequence[str], way: str) -> list[str]:
        wanted = pieces(texts, self, way)
        known = self._recall(wanted, "document")
        return [text for text in wanted if text not in known]

    def _new_queries(self, texts: Sequence[str]) -> list[str]:
        wanted = [text for text in dict.fromkeys(texts) if has_words(text)]
        known = self._recall(wanted, "query")
        return [text for text in wanted if text not in known]

    def _vectors(self, texts: Sequence[str], kind: str) -> Vectors:
        found = self._recall(texts, kind)
        new = [text for text in dict.fromkeys(texts) if text not in found]
        with self._calling():
            for read in self._read(new, kind):
                found.update(read)
        if not found:
            self.load()  # for the dimension
            return np.zeros((0, self.dimension or 0), dtype=np.float32)
        return np.stack([found[text] for text in texts])

    def _recall(self, texts: Iterable[str], kind: str) -> dict[str, Vectors]:
        """What is known of these texts, in memory or in a store."""
        texts = list(texts)
        with self._lock:
            kept = {text: self._kept.get((text, kind)) for text in texts}
        found = {text: each.vector for text, each in kept.items() if each is not None}
        missing = [text for text, each in kept.items() if each is None]
        if missing:
            model = fingerprint(self.name)
            stored = warm.vectors(model, kind, missing)
            stored |= self.store.vectors(model, kind, [t for t in missing if t not in stored])
            self._keep(stored, kind, stored=True)
            found |= stored
        return found

    def _keep(self, vectors: dict[str, Vectors], kind: str, stored: bool) -> None:
        with self._lock:
            self._kept.update(
                ((text, kind), _Kept(vector, stored)) for text, vector in vectors.items()
            )

    @contextmanager
    def _calling(self) -> Iterator[None]:
        """For as long as somebody waits for vectors, no document is read in the background."""
        with self._lock:
            self._callers += 1
        try:
            yield
        finally:
            with self._lock:
                self._callers -= 1

    def _is_wanted(self) -> bool:
        return self._callers > 0

    def _token_outputs(self, windows: list[Sequence[int]]) -> list[Vectors]:
        with self._model_lock:
            self.load()
            return token_outputs(self._model, windows, self.name)

    def _read(self, texts: list[str], kind: str) -> Iterator[dict[str, Vectors]]:
        """Have the model read distinct texts; vectors by text, a batch at a time."""
        for batch in _batches(texts):
            yield self._read_batch(batch, kind)

    def _read_batch(self, texts: list[str], kind: str) -> dict[str, Vectors]:
        with self._model_lock:
            self.load()
            found = self._recall(texts, kind)  # another thread may have been here meanwhile
            new = [text for text in texts if text not in found]
            readable = [
                text for text in new if has_words(text) and tokens.reads_anything(text, self.name)
            ]
            vectors = {text: np.zeros(self.dimension or 0, dtype=np.float32) for text in new}
            if readable:
                model = self._model
                encode = model.encode_query if kind == "query" else model.encode_document
                rows = _unit(
                    encode(
                        [tokens.without_surrogates(text) for text in readable],
                        batch_size=MOST,
                        show_progress_bar=False,
                        convert_to_numpy=True,
                    )
                )
                self.texts_read += len(readable)
                # Copies, as a row of the batch would keep the whole batch in memory.
                vectors |= {text: row.copy() for text, row in zip(readable, rows, strict=True)}
        self._keep(vectors, kind, stored=False)
        self.store.keep(fingerprint(self.name), kind, vectors)
        return found | vectors


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """Texts in the order of their length: a batch is padded to its longest."""
    texts = sorted(texts, key=len)
    start = 0
    while start < len(texts):
        fitting = CHARACTERS // max(1, len(texts[start]))
        end = start + min(max(fitting, FEWEST), MOST)
        yield texts[start:end]
        start = end


def _windows(text: str, encoder: Encoder, way: str) -> list[tuple[str, int]]:
    """The pieces of a text that are encoded on their own, each with its weight."""
    check_way(way)
    if way == "late":
        raise SettingsError(
            "Late vectors are made of whole documents, not of texts by themselves: "
            "use chunk_vectors, or top_hits with its documents."
        )
    if way == "plain" or encoder.count_tokens(text) <= encoder.max_tokens:
        return [(text, 1)]
    if not isinstance(encoder, FindsTokens):
        raise SettingsError(
            f'The way "averaged" needs an encoder with token_starts(text), which '
            f'{type(encoder).__name__} has not: choose "plain".'
        )
    starts = encoder.token_starts(text)
    cuts = _window_cuts(text, starts, encoder.max_tokens)
    return [
        (text[starts[first] : starts[last] if last < len(starts) else len(text)], last - first)
        for first, last in pairwise(cuts)
    ]


def _window_cuts(text: str, starts: Sequence[int], limit: int) -> list[int]:
    """Numbers of the tokens where windows of at most `limit` tokens begin, and the end."""
    cuts = [0]
    while len(starts) - cuts[-1] > limit:
        full = cuts[-1] + limit
        # The second half of a word by itself would be other tokens: end with a whole word.
        whole = (n for n in range(full, cuts[-1], -1) if text[starts[n] - 1].isspace())
        cuts.append(next(whole, full))
    return [*cuts, len(starts)]


def _distinct(windows: Iterable[list[tuple[str, int]]]) -> list[str]:
    return list(dict.fromkeys(piece for pieces in windows for piece, _ in pieces))


def _unit(rows: npt.NDArray[Any]) -> Vectors:
    """Rows scaled to unit length; rows that have no direction (zeros, NaN, infinity) as zeros."""
    rows = rows.astype(np.float64)
    rows[~np.isfinite(rows).all(axis=1)] = 0
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return (rows / lengths).astype(np.float32)
