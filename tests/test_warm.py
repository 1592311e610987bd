"""The vectors that ship: those that opening, presets and sample questions need, and right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragchunk import warm, warming
from ragchunk.embedding import load_encoder
from ragchunk.models import fingerprint
from ragchunk.tokens import DEFAULT_MODEL

ROOT = Path(__file__).parents[1]

# Opens the page as a person does, without what goes on behind it, and looks at what is answered.
WITHOUT_TORCH = """
import sys
from streamlit.testing.v1 import AppTest
from ragchunk.embedding import ModelEncoder
from ragchunk.ui.corpus_menu import sample_questions
from ragchunk.presets import PRESETS
from ragchunk.state import PageState, to_params
from ragchunk.token_pass import TokenPass

ModelEncoder.start_loading = lambda self: None
TokenPass.want = lambda self, texts: None
states = [(PageState(), "opening")] + [(each.state, each.name) for each in PRESETS]
states += [(PageState(query=each.text), each.text) for each in sample_questions()]
for state, name in states:
    at = AppTest.from_file("app.py", default_timeout=20)
    for key, values in to_params(state).items():
        if values != [""]:
            at.query_params[key] = values
    at.run()
    assert not at.exception, (name, at.exception)
    drawn = "".join(each.value for each in at.get("html"))
    assert drawn.count("from the store") == len(state.columns), name
    assert 'class="waiting"' not in drawn, name
    assert "Preview" not in drawn, name
slow = {"torch", "transformers", "sentence_transformers"} & set(sys.modules)
assert not slow, slow
print(len(states), "states")
"""


def test_opening_presets_and_sample_questions_are_answered_before_torch_is_imported(
    tmp_path: Path,
):
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "RAGCHUNK_CACHE": str(tmp_path)},
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout == "44 states\n"


def test_nothing_ships_for_other_texts_and_models():
    model = fingerprint(DEFAULT_MODEL)
    assert warm.vectors(model, "document", ["A text of somebody's own."]) == {}
    [question] = warming.questions()[:1]
    assert list(warm.vectors(model, "query", [question])) == [question]
    assert warm.vectors(model, "document", [question]) == {}
    assert warm.vectors("another", "query", [question]) == {}


@pytest.mark.model
def test_what_ships_is_what_the_model_makes():
    """Encoded again, by sentence-transformers alone."""
    encoder = load_encoder()
    encoder.load()
    model = fingerprint(DEFAULT_MODEL)
    for kind, texts, encode in (
        ("document", warming.documents(encoder), encoder._model.encode_document),
        ("query", warming.questions(), encoder._model.encode_query),
    ):
        shipped = warm.vectors(model, kind, texts)
        assert list(shipped) == texts
        found = np.stack(list(shipped.values()))
        fresh = encode(texts, batch_size=8, show_progress_bar=False)
        cosines = np.einsum("ij,ij->i", found, fresh)
        assert cosines.min() > 1 - 1e-6
        assert np.abs(found - fresh).max() < 2e-4


def test_nothing_ships_that_nobody_asks_for():
    encoder = load_encoder()
    texts = set(warming.documents(encoder))
    with np.load(warm.FILE) as file:
        shipped = {each.tobytes() for each in file["document_keys"]}
    assert shipped == {warm.key(text) for text in texts}
