"""Vectors that ship with ragchunk, so that the page opens answered before torch is imported.

They are those of the sample documents in the opening state and in the presets, and of the sample
questions; `warming.py` makes the file. Half precision: a cosine moves by less than 0.0005.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

FILE = Path(__file__).parent / "warm.npz"


def vectors(model: str, kind: str, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
    """The vectors that ship for these texts: float32, shape (d,), unit length, or zeros.

    model: its fingerprint. kind: "document" or "query".
    """
    shipped = _shipped()
    found = {}
    for text in texts:
        row = shipped.get((model, kind, key(text)))
        if row is not None:
            found[text] = row
    return found


def key(text: str) -> bytes:
    """Sixteen bytes that stand for a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@cache
def _shipped() -> dict[tuple[str, str, bytes], npt.NDArray[np.float32]]:
    if not FILE.exists():  # while it is made
        return {}
    found = {}
    with np.load(FILE) as file:
        model = str(file["model"])
        for kind in ("document", "query"):
            rows = file[f"{kind}_vectors"].astype(np.float32)
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            rows /= np.where(lengths, lengths, 1)
            keys = file[f"{kind}_keys"]
            found.update(
                ((model, kind, each.tobytes()), row) for each, row in zip(keys, rows, strict=True)
            )
    return found
