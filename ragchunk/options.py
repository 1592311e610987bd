"""Options that several commands have: a strategy, its vectors, and the folder they work on."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import fields
from typing import cast

from ragchunk.console import Parser, say, visible
from ragchunk.documents import Document, Progress, ReadOptions, decode, load_folder
from ragchunk.embedding import WAYS
from ragchunk.errors import LoadError, SettingsError
from ragchunk.settings import one_of
from ragchunk.state import RANGES
from ragchunk.strategies import STRATEGIES, TAILS, Strategy
from ragchunk.tokens import DEFAULT_MODEL
from ragchunk.units import UNITS, Unit


def add_strategy(parser: Parser) -> None:
    """What `chosen_strategy` reads."""
    sizes = ", ".join(f"{opening.size} {unit}" for unit, opening in RANGES.items())
    overlaps = ", ".join(f"{opening.overlap} {unit}" for unit, opening in RANGES.items())
    add = parser.add_argument
    add("--strategy", default="window", metavar="NAME", help=choices(STRATEGIES, "window"))
    add("--size", type=int, metavar="N", help=f"the most a chunk may hold (default: {sizes})")
    add(
        "--overlap",
        type=int,
        metavar="N",
        help="what a chunk repeats of the one before, less than the size "
        f"(default: {overlaps}, but no more than a quarter of the size)",
    )
    add("--unit", metavar="UNIT", help=choices(UNITS, "characters"))
    add(
        "--tail",
        metavar="WAY",
        help=f"what to do with a short last chunk: {choices(TAILS, 'keep')}",
    )
    add(
        "--min-size",
        type=int,
        metavar="N",
        help="a smaller last chunk is short (default: a quarter of the size)",
    )


def add_vectors(parser: Parser, default: str) -> None:
    """`--vectors` and `--model`."""
    parser.add_argument(
        "--vectors",
        default=default,
        metavar="WAY",
        help=f"how vectors of chunks are made: {choices(WAYS, default)}",
    )
    parser.add_argument(
        "--model",
        default=DEFAULT_MODEL,
        metavar="NAME",
        help="a sentence-transformers model on this machine, by name or folder; "
        f"its tokens are counted (default: {DEFAULT_MODEL})",
    )


def add_reading(parser: Parser) -> None:
    """What `chosen_reading` reads."""
    add = parser.add_argument
    add(
        "--no-mend",
        action="store_true",
        help="keep page headers, page numbers and line ends of PDFs as they are",
    )
    add(
        "--encoding",
        default="",
        metavar="NAME",
        help="of text files, such as cp1250 (default: found by itself)",
    )
    add(
        "--field",
        default="",
        metavar="NAME",
        help="the field of JSON records to read, such as body (default: found by itself)",
    )


def chosen_reading(options: argparse.Namespace) -> ReadOptions:
    """Raises SettingsError for an encoding that does not exist."""
    try:
        decode(b"", options.encoding)
    except LoadError as error:
        raise SettingsError(f"Files {error}") from None
    return ReadOptions(not options.no_mend, options.encoding, options.field)


def choices(names: Iterable[str], default: str) -> str:
    return f"{', '.join(names)} (default: {default})"


def chosen_strategy(options: argparse.Namespace) -> Strategy:
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


def read_folder(
    folder: str, how: ReadOptions, without: Iterable[str | os.PathLike[str]] = ()
) -> list[Document]:
    """The documents of a folder; says on standard error what was skipped, repaired or mended.

    without: files in it that are not read, such as the questions.
    """
    watched = sys.stderr.isatty()
    documents, problems = load_folder(folder, how, _show if watched else None, without)
    if watched:
        print(end="\r\x1b[K", file=sys.stderr, flush=True)
    for problem in problems:
        say("note", f"{problem} It was skipped.")
    for document in documents:
        for note in document.notes:
            say("note", f"{document.source}: {note}")
        for mended in document.removed[:1]:
            others = len(document.removed) - 1
            more = f", and {others:,} more" if others else ""
            said = f"Left out or joined: {mended}{more}. --no-mend leaves it as it is."
            say("note", f"{document.source}: {said}")
    if not documents and not problems:
        say("note", f"There is no file in {folder} that can be read, such as .txt, .md or .pdf.")
    return documents


def _show(step: Progress) -> None:
    if step.total:
        print(end=f"\r\x1b[KReading {visible(str(step))}", file=sys.stderr, flush=True)
