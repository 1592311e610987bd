"""The pipeline in a terminal: load a folder, cut it, and ask it a question.

    arguments -> load -> chunk -> search -> lines, or one JSON object

Results go to standard output; what went wrong or was repaired goes to standard error, a line each.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any, NoReturn, TextIO

from ragchunk.chunks import Chunk, chunk
from ragchunk.comparison import cut
from ragchunk.corpus import Corpus
from ragchunk.documents import ENDINGS, Document, load_folder
from ragchunk.embedding import WAYS, ModelEncoder, check_way, has_words, load_encoder
from ragchunk.errors import RagchunkError, SettingsError
from ragchunk.figures import Figures
from ragchunk.markup import count
from ragchunk.search import Hit, check_k, top_hits
from ragchunk.settings import one_of
from ragchunk.strategies import STRATEGIES, TAILS, Strategy
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import UNITS

# Where the app's sliders begin, too.
SIZES = {"characters": (800, 200), "words": (60, 15), "tokens": (120, 20)}

CHUNKS_SHOWN = 3
CHARACTERS_SHOWN = 60

# What a shell makes of a command that was stopped by Ctrl-C, or whose reader left.
INTERRUPTED = 130
NO_READER = 141


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0, or 2 for settings that cannot work."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        _run(_parser().parse_args(arguments))
        sys.stdout.flush()
    except RagchunkError as error:
        _say("error", error)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    return 0


def _run(options: argparse.Namespace) -> None:
    strategy = _strategy(options)
    check_way(options.vectors)
    check_k(options.k)
    encoder = load_encoder(options.model)
    documents = _load(options.folder)
    chunks = chunk(documents, strategy)
    hits = _ask(options, chunks, encoder)
    if options.json:
        # ASCII only, so that it stays JSON in a pipe of any encoding.
        json.dump(_as_json(options, strategy, documents, hits, encoder.name), sys.stdout, indent=1)
        print()
        return
    print(f"{count(len(documents), 'document')} -> {count(len(chunks), 'chunk')}")
    for each in chunks[:CHUNKS_SHOWN]:
        print(f"  {_line(each)}")
    for hit in hits:
        print(f"[{hit.score:z.3f}] {_line(hit.chunk)}")
