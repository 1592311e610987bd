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
from dataclasses import asdict, fields
from io import TextIOWrapper
from typing import Any, cast

from ragchunk import cache_command
from ragchunk.chunks import Chunk, chunk
from ragchunk.console import FAILED, INTERRUPTED, NO_READER, REFUSED, Parser, say, visible
from ragchunk.documents import ENDINGS, Document, load_folder
from ragchunk.embedding import WAYS, ModelEncoder, check_way, has_words, load_encoder
from ragchunk.errors import RagchunkError, SettingsError
from ragchunk.figures import Figures, figures
from ragchunk.search import Hit, check_k, top_hits
from ragchunk.settings import one_of
from ragchunk.state import RANGES
from ragchunk.strategies import STRATEGIES, TAILS, Strategy
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import UNITS, Unit

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
    if arguments[:1] == ["cache"]:
        return cache_command.run(arguments[1:])
    _ask_folder(_parser().parse_args(arguments))
    return 0


def _ask_folder(options: argparse.Namespace) -> None:
    strategy = _strategy(options)
    check_way(options.vectors)
    check_k(options.k)
    encoder = load_encoder(options.model)
    documents = _load(options.folder)
    chunks = chunk(documents, strategy)
    hits = _ask(options, documents, chunks, encoder)
    if options.json:
        found = _as_json(options, strategy, documents, chunks, hits)
        # ASCII only: a pipe of any encoding keeps it JSON.
        print(json.dumps(found, indent=2))
        return
    print(f"{_count(documents, 'document')} -> {_count(chunks, 'chunk')}")
    for each in chunks[:CHUNKS_SHOWN]:
        print(f"  {_line(each)}")
    for hit in hits:
        print(f"[{hit.score:z.3f}] {_line(hit.chunk)}")


def _parser() -> Parser:
    sizes = ", ".join(f"{opening.size} {unit}" for unit, opening in RANGES.items())
    overlaps = ", ".join(f"{opening.overlap} {unit}" for unit, opening in RANGES.items())
    parser = Parser(
        prog="python -m ragchunk",
        description="Cut the .txt and .md files of a folder into chunks, and ask them a question.",
        epilog="Strategies: "
        + " ".join(f"{name}: {strategy.summary}" for name, strategy in STRATEGIES.items())
        + " The command cache, in place of a folder, shows or clears the store: see cache --help.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="read with all folders in it")
    add("--strategy", default="window", metavar="NAME", help=_choices(STRATEGIES, "window"))
    add("--size", type=int, metavar="N", help=f"the most a chunk may hold (default: {sizes})")
    add(
        "--overlap",
        type=int,
        metavar="N",
        help="what a chunk repeats of the one before, less than the size "
        f"(default: {overlaps}, but no more than a quarter of the size)",
    )
    add("--unit", metavar="UNIT", help=_choices(UNITS, "characters"))
    add(
        "--tail",
        metavar="WAY",
        help=f"what to do with a short last chunk: {_choices(TAILS, 'keep')}",
    )
    add(
        "--min-size",
        type=int,
        metavar="N",
        help="a smaller last chunk is short (default: a quarter of the size)",
    )
    add("--query", metavar="TEXT", help="a question: prints the chunks most like it")
    add("--k", type=int, default=5, metavar="N", help="how many of them (default: 5)")
    add(
        "--vectors",
        default="plain",
        metavar="WAY",
        help=f"how vectors of chunks are made: {_choices(WAYS, 'plain')}",
    )
    add(
        "--model",
        default=DEFAULT_MODEL,
        metavar="NAME",
        help="a sentence-transformers model on this machine, by name or folder; "
        f"its tokens are counted (default: {DEFAULT_MODEL})",
    )
    add("--json", action="store_true", help="print everything as one JSON object")
    return parser


def _choices(names: Sequence[str] | dict[str, Any], default: str) -> str:
    return f"{', '.join(names)} (default: {default})"


def _strategy(options: argparse.Namespace) -> Strategy:
    """The strategy that was asked for; SettingsError if it cannot be, or has no such setting."""
    kind = STRATEGIES[one_of("Strategy", options.strategy, STRATEGIES)]
    takes = {field.name for field in fields(kind)}
    given = {
        name: value
        for name in ("size", "overlap", "unit", "tail", "min_size")
        if (value := getattr(options, name)) is not None
    }
    unused = [f"--{name.replace('_', '-')}" for name in given if name not in takes]
    if unused:
        # A note and no error, so that a script can run one line over all strategies.
        say("note", f"The strategy {kind.name} has no use for {', '.join(unused)}.")
    given = {name: value for name, value in given.items() if name in takes}
    if "min_size" in given and given.get("tail", "keep") == "keep":
        raise SettingsError(
            "--min-size says which last chunks are short, and short ones are kept: "
            "add --tail merge or --tail drop, or leave it out."
        )
    if "size" in takes:
        # Where none is given, size and overlap are what the screen opens with.
        opening = RANGES[cast(Unit, one_of("Unit", given.get("unit", "characters"), UNITS))]
        size = given.setdefault("size", opening.size)
        given.setdefault("overlap", min(opening.overlap, size // 4))
    if "model" in takes:
        given["model"] = options.model
    return kind(**given)


def _load(folder: str) -> list[Document]:
    """The documents of a folder; says on standard error what was skipped or repaired."""
    documents, problems = load_folder(folder)
    for problem in problems:
        say("note", f"{problem} It was skipped.")
    for document in documents:
        for note in document.notes:
            say("note", f"{document.source}: {note}")
    if not documents and not problems:
        say("note", f"There is no {' or '.join(ENDINGS)} file in {folder}.")
    return documents


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
    return {
        "settings": {
            "strategy": strategy.name,
            **dict.fromkeys(("size", "overlap", "unit", "tail", "min_size")),
            **asdict(strategy),
            "vectors": options.vectors,
            "model": options.model,
        },
        "documents": [
            {"source": each.source, "characters": len(each.text), "notes": each.notes}
            for each in documents
        ],
        "chunks": [
            {**asdict(each), "tokens": count} for each, count in zip(chunks, tokens, strict=True)
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


def _line(each: Chunk) -> str:
    return f"{visible(each.id)}: {each.text[:CHARACTERS_SHOWN]!r}"
