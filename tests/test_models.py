"""The model behind an encoder: its fingerprint, its token outputs, and whether they can be used."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragchunk import models, tokens
from ragchunk.embedding import ModelEncoder, load_encoder
from ragchunk.errors import ModelError
from ragchunk.models import DEFAULT_WEIGHTS, fingerprint, read_model, why_not_late


def folder_with(folder: Path, parts: list[tuple[str, dict[str, Any]]], **more: Any) -> str:
    """A model's folder with these modules, and no weights."""
    shutil.copy(tokens.model_folder(tokens.DEFAULT_MODEL) / "tokenizer.json", folder)
    modules = []
    for number, (kind, config) in enumerate(parts):
        path = f"{number}_{kind}" if number else ""
        (folder / path).mkdir(exist_ok=True)
        (folder / path / "config.json").write_text(json.dumps(config))
        modules.append({"idx": number, "path": path, "type": f"models.{kind}"})
    (folder / "modules.json").write_text(json.dumps(modules))
    for name, content in more.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return str(folder)


def test_the_default_model_takes_the_mean_of_its_token_outputs():
    assert why_not_late(tokens.DEFAULT_MODEL) == ""


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": True}, "max and mean"),
        ({"pooling_mode": "lasttoken"}, "lasttoken"),
        ({"pooling_mode": ["mean", "max"]}, "mean and max"),
    ],
)
def test_a_pooling_that_is_no_mean_is_named(tmp_path: Path, config: dict[str, Any], pooling: str):
    name = folder_with(tmp_path, [("Transformer", {}), ("Pooling", config)])
    assert why_not_late(name) == (
        f"{name} does not take the mean of its token outputs: its pooling is {pooling}."
    )


def test_a_mean_in_the_words_of_newer_files_is_a_mean(tmp_path: Path):
    parts = [("Transformer", {}), ("Pooling", {"pooling_mode": "mean"}), ("Normalize", {})]
    assert why_not_late(folder_with(tmp_path, parts)) == ""


def test_a_layer_behind_the_mean_is_named(tmp_path: Path):
    parts = [("Transformer", {}), ("Pooling", {"pooling_mode_mean_tokens": True}), ("Dense", {})]
    assert why_not_late(folder_with(tmp_path, parts)).endswith(
        "a layer follows the mean of the token outputs: Dense."
    )


def test_a_model_without_token_outputs_is_named(tmp_path: Path):
    name = folder_with(tmp_path, [("StaticEmbedding", {})])
    assert why_not_late(name).endswith("gives no token outputs: its first part is StaticEmbedding.")


def test_a_prompt_for_passages_is_a_reason(tmp_path: Path):
    name = folder_with(
        tmp_path,
        [("Transformer", {}), ("Pooling", {"pooling_mode_mean_tokens": True})],
        config_sentence_transformers={"prompts": {"query": "query: ", "document": "passage: "}},
    )
    assert "puts a prompt before each passage" in why_not_late(name)


def test_prompts_for_questions_alone_are_none(tmp_path: Path):
    name = folder_with(
        tmp_path,
        [("Transformer", {}), ("Pooling", {"pooling_mode_mean_tokens": True})],
        config_sentence_transformers={"prompts": {"query": "query: ", "document": ""}},
    )
    assert why_not_late(name) == ""


def test_the_fingerprint_is_that_of_the_weights():
    assert DEFAULT_WEIGHTS.startswith(fingerprint(tokens.DEFAULT_MODEL))


def test_another_weight_or_setting_is_another_fingerprint(tmp_path: Path):
    found = set()
    for name, weight, pooling in [("a", b"1", "mean"), ("b", b"2", "mean"), ("c", b"1", "cls")]:
        folder = tmp_path / name
        folder.mkdir()
        folder_with(folder, [("Transformer", {}), ("Pooling", {"pooling_mode": pooling})])
        (folder / "model.safetensors").write_bytes(weight)
        (folder / "README.md").write_text(name)  # says nothing of the vectors
        found.add(fingerprint(str(folder)))
    same = tmp_path / "d"
    shutil.copytree(tmp_path / "a", same)
    (same / "README.md").write_text("another")
    assert len(found) == 3
    assert fingerprint(str(same)) in found


def test_other_weights_than_published_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "model.safetensors").write_bytes(b"not the weights")
    monkeypatch.setattr(tokens, "model_folder", lambda name: tmp_path)
    with pytest.raises(ModelError, match="are not those of all-MiniLM-L6-v2"):
        read_model(tokens.DEFAULT_MODEL)


@pytest.mark.model
def test_token_outputs_are_those_of_sentence_transformers():
    encoder = load_encoder()
    encoder.load()
    text = "Bees choose a house by vote. Überraschung: 日本語, 12.5 % — done."
    ids = tokens.token_ids(text)
    [found] = models.token_outputs(encoder._model, [ids], encoder.name)
    expected = encoder._model.encode(text, output_value="token_embeddings").numpy()
    assert found == pytest.approx(expected[1:-1], abs=1e-5)  # without [CLS] and [SEP]


@pytest.mark.model
def test_token_outputs_do_not_depend_on_what_shares_the_batch():
    encoder = load_encoder()
    encoder.load()
    short, long = tokens.token_ids("a few words"), tokens.token_ids("many words " * 40)
    [alone] = models.token_outputs(encoder._model, [short], encoder.name)
    together, _ = models.token_outputs(encoder._model, [short, long], encoder.name)
    assert together == pytest.approx(alone, abs=1e-5)


@pytest.mark.model
def test_the_mean_of_a_text_in_one_window_is_nearly_its_plain_vector():
    """Nearly, as the plain vector has the two special tokens in its mean."""
    encoder: ModelEncoder = load_encoder()
    text = "A chunk should be big enough to hold one complete thought and small enough to be one."
    [late] = encoder.token_sums(text).vectors([(0, len(text))])
    assert float(late @ encoder.encode([text])[0]) > 0.99
    assert np.linalg.norm(late) == pytest.approx(1, abs=1e-6)
