"""The pipeline in a terminal: load a folder, cut it, and ask it a question.

    arguments -> load -> chunk -> search -> lines, or one JSON object

Results go to standard output. What cannot work, and what was skipped or repaired, goes to standard
error, a line each.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from io import TextIOWrapper
from typing import Any

from ragchunk import cache_command, evaluate_command, sweep_command
from ragchunk.chunks import Chunk, chunk
from ragchunk.console import FAILED, INTERRUPTED, NO_READER, REFUSED, Parser, say, visible
from ragchunk.documents import Document
from ragchunk.embedding import ModelEncoder, check_way, has_words, load_encoder
from ragchunk.errors import RagchunkError
from ragchunk.figures import Figures, figures
from ragchunk.options import (
    add_reading,
    add_strategy,
    add_vectors,
    chosen_reading,
    chosen_strategy,
    read_folder,
)
from ragchunk.search import Hit, check_k, top_hits
from ragchunk.strategies import STRATEGIES, Strategy

# In place of a folder, which ./ in front tells from them.
COMMANDS = {
    "cache": cache_command.run,
    "evaluate": evaluate_command.run,
    "sweep": sweep_command.run,
}

CHUNKS_SHOWN = 3
CHARACTERS_SHOWN = 60


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status, 0 or one of those in console.py."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = _run(sys.argv[1:] if arguments is None else arguments)
        print(end="", flush=True)
        return status
    except RagchunkError as error:
        say("error", str(error))
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # What is left to write goes nowhere, or the last flush would fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return NO_READER
        say("error", f"The result could not be written: {error.strerror}.")
        return FAILED


def _run(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        return COMMANDS[arguments[0]](arguments[1:])
    _ask_folder(_parser().parse_args(arguments))
    return 0


def _ask_folder(options: argparse.Namespace) -> None:
    strategy = chosen_strategy(options)
    check_way(options.vectors)
    check_k(options.k)
    encoder = load_encoder(options.model)
    documents = read_folder(options.folder, chosen_reading(options))
    chunks = chunk(documents, strategy)
    hits = _ask(options, documents, chunks, encoder)
    if options.json:
        found = _as_json(options, strategy, documents, chunks, hits)
        # ASCII only: a pipe of any encoding keeps it JSON.
        print(json.dumps(found, indent=2))
        return
    print(f"{_count(documents, 'document')} -> {_count(chunks, 'chunk')}")
    sources = {document.source: document for document in documents}
    for each in chunks[:CHUNKS_SHOWN]:
        print(f"  {_line(each, sources)}")
    for hit in hits:
        print(f"[{hit.score:z.3f}] {_line(hit.chunk, sources)}")


def _parser() -> Parser:
    parser = Parser(
        prog="python -m ragchunk",
        description="Cut the documents of a folder into chunks, and ask them a question.",
        epilog="Strategies: "
        + " ".join(f"{name}: {strategy.summary}" for name, strategy in STRATEGIES.items())
        + " Commands, in place of a folder: evaluate measures a setting by questions whose answers "
        "are known, sweep many settings, cache shows or clears the store: see cache --help.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="read with all folders in it")
    add_reading(parser)
    add_strategy(parser)
    add("--query", metavar="TEXT", help="a question: prints the chunks most like it")
    add("--k", type=int, default=5, metavar="N", help="how many of them (default: 5)")
    add_vectors(parser, "plain")
    add("--json", action="store_true", help="print everything as one JSON object")
    return parser


def _ask(
    options: argparse.Namespace,
    documents: list[Document],
    chunks: list[Chunk],
    encoder: ModelEncoder,
) -> list[Hit]:
    if options.query is None:
        return []
    if not has_words(options.query):
        say("note", "The question has no words, so it finds nothing.")
        return []
    if sys.stderr.isatty():
        _show_progress(options, documents, chunks, encoder)
    return top_hits(options.query, chunks, encoder, options.k, options.vectors, documents)


def _show_progress(
    options: argparse.Namespace,
    documents: list[Document],
    chunks: list[Chunk],
    encoder: ModelEncoder,
) -> None:
    """Have the model read what is new, and say on standard error how far it is."""
    if options.vectors == "late":
        if encoder.why_not_late:
            return  # `top_hits` refuses it
        doing, noun = "Reading", "tokens"
        steps = encoder.token_pass.run([each.text for each in documents])
    else:
        doing, noun = "Embedding", "new texts"
        steps = encoder.fill([each.text for each in chunks], options.vectors)
    for done, total in steps:
        end = "\r" if done < total else "\n"
        print(f"{doing} {done:,} of {total:,} {noun}", end=end, file=sys.stderr, flush=True)


def _as_json(
    options: argparse.Namespace,
    strategy: Strategy,
    documents: list[Document],
    chunks: list[Chunk],
    hits: list[Hit],
) -> dict[str, Any]:
    found = figures(documents, chunks, options.model)
    tokens = found.sizes["tokens"].each.tolist()
    sources = {document.source: document for document in documents}
    return {
        "settings": {
            "strategy": strategy.name,
            **dict.fromkeys(("size", "overlap", "unit", "tail", "min_size")),
            **asdict(strategy),
            "vectors": options.vectors,
            "model": options.model,
        },
        "documents": [
            {
                "source": each.source,
                "characters": len(each.text),
                "notes": each.notes,
                "removed": each.removed,
            }
            for each in documents
        ],
        "chunks": [
            {
                **asdict(each),
                "tokens": count,
                "place": sources[each.source].place(each.start, each.end),
            }
            for each, count in zip(chunks, tokens, strict=True)
        ],
        "figures": _figures(found),
        "query": options.query,
        "hits": [
            {
                "rank": hit.rank,
                "score": hit.score,
                "id": hit.chunk.id,
                "source": hit.chunk.source,
                "start": hit.chunk.start,
                "end": hit.chunk.end,
                "text": hit.chunk.text,
                "place": sources[hit.chunk.source].place(hit.chunk.start, hit.chunk.end),
            }
            for hit in hits
        ],
    }


def _figures(found: Figures) -> dict[str, Any]:
    return {
        "chunks": found.chunks,
        "sizes": {
            unit: {
                "min": sizes.min,
                "median": sizes.median,
                "mean": sizes.mean,
                "max": sizes.max,
            }
            for unit, sizes in found.sizes.items()
        },
        "stored_characters": found.stored,
        "repeated_characters": found.repeated,
        "repeated_share": found.repeated_share,
        "joins": found.joins,
        "joins_without_overlap": found.joins_without,
        "median_overlap_characters": found.overlap_median,
        "sentences": found.sentences,
        "sentences_cut": found.sentences_cut,
        "sentences_rescued": found.sentences_rescued,
        "sentences_lost": found.sentences_lost,
        "unread_tokens": found.unread,
        "chunks_with_unread_tokens": found.blind_chunks,
        "dropped_characters": found.left_out,
    }


def _count(things: Sequence[Any], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def _line(each: Chunk, sources: dict[str, Document]) -> str:
    page = sources[each.source].page(each.start, each.end)
    named = f"{each.id}, {page}" if page else each.id
    return f"{visible(named)}: {each.text[:CHARACTERS_SHOWN]!r}"
