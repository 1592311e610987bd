"""Tiny deterministic encoders, so that tests of search need no model."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np


class HashedWords:
    """A bag of hashed words in 64 dimensions; a token is a run without white space.

    Reads `max_tokens` tokens of a text, like a model. Remembers in `seen` what it was given.
    """

    def __init__(self, max_tokens: int = 254) -> None:
        self.max_tokens = max_tokens
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.seen += texts
        vectors = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in text.lower().split()[: self.max_tokens]:
                row[zlib.crc32(word.encode("utf-8", "replace")) % 64] += 1
            row /= np.linalg.norm(row) or 1
        return vectors

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def token_starts(self, text: str) -> list[int]:
        return [found.start() for found in re.finditer(r"\S+", text)]


class Fixed:
    """The vectors it is told, by text; has nothing but what every encoder must have."""

    max_tokens = 254

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self.vectors = vectors

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def hashed_words(name: str) -> HashedWords:
    """For `sweep`, which makes its encoder in the process that measures."""
    return HashedWords()
