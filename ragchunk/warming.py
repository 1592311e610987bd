"""Makes the file of vectors that ship: python -m ragchunk.warming, after samples or presets change.

A test encodes what the file holds again, and fails if a text is missing or a vector is another.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ragchunk import warm
from ragchunk.comparison import cut
from ragchunk.corpus import Corpus
from ragchunk.documents import load_documents
from ragchunk.embedding import ModelEncoder, pieces
from ragchunk.evaluation.questions import read_questions
from ragchunk.models import fingerprint
from ragchunk.presets import DOCKER, PRESETS
from ragchunk.state import PageState, strategy_of
from ragchunk.store import Store
from ragchunk.tokens import DEFAULT_MODEL

SAMPLES = Path(__file__).parents[1] / "sample_docs"


def documents(encoder: ModelEncoder) -> list[str]:
    """What the opening state and the presets have the model read of documents, each text once."""
    corpora = {
        "samples": Corpus(tuple(load_documents(SAMPLES))),
        "docker": Corpus((DOCKER,)),
    }
    texts: dict[str, None] = {}
    for state in _states():
        for column in state.columns:
            cutter = column.own or state.shared
            strategy = strategy_of(column.strategy, cutter, state.tail, state.min_size, state.model)
            chunks = [each.text for each in cut(corpora[state.corpus], strategy).chunks]
            texts |= dict.fromkeys(pieces(chunks, encoder, cutter.way))
    return list(texts)


def questions() -> list[str]:
    """The sample questions, and those of the opening state and the presets, each once."""
    asked = [each.text for each in read_questions(SAMPLES / "questions.jsonl")]
    return list(dict.fromkeys([*asked, *(state.query for state in _states())]))


def _states() -> list[PageState]:
    return [PageState(), *(preset.state for preset in PRESETS)]


def make(file: Path = warm.FILE) -> None:
    """Encode all of it anew and write the file."""
    warm.FILE.unlink(missing_ok=True)  # or its vectors would be found in it
    with TemporaryDirectory() as folder:
        encoder = ModelEncoder(DEFAULT_MODEL, Store(Path(folder)))
        texts, asked = documents(encoder), questions()
        rows = encoder.encode(texts)
        query_rows = np.stack([encoder.encode_query(each) for each in asked])
    np.savez(
        file,
        model=np.array(fingerprint(DEFAULT_MODEL)),
        document_keys=_keys(texts),
        document_vectors=rows.astype(np.float16),
        query_keys=_keys(asked),
        query_vectors=query_rows.astype(np.float16),
    )


def _keys(texts: list[str]) -> np.ndarray:
    return np.frombuffer(b"".join(map(warm.key, texts)), dtype=np.uint8).reshape(-1, 16)


if __name__ == "__main__":
    make()
