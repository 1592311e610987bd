"""`python -m ragchunk cache`: how large the store is, and how to empty it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ragchunk.console import FAILED, Parser, say, visible
from ragchunk.evaluation.results import default_results
from ragchunk.store import StoreInfo, default_store


def run(arguments: Sequence[str]) -> int:
    """Show or clear the user's store; returns the exit status. SettingsError for bad options."""
    options = _parser().parse_args(arguments)
    store = default_store()
    info = store.clear() if options.clear else store.info()
    kept = default_results()
    results, size = kept.clear() if options.clear else kept.size()
    if options.clear and (store.trouble or kept.problem):
        say("error", store.problem or kept.problem)
        return FAILED
    for problem in filter(None, (store.problem, kept.problem)):
        say("note", problem)
    sweeps = f"results of {results:,} setting{'' if results == 1 else 's'}, {_megabytes(size)}"
    if options.json:
        found = {**_as_json(info, options.clear), "results": results, "results_bytes": size}
        print(json.dumps(found, indent=2))
    elif options.clear:
        print(f"Removed {_contents(info)}, {_megabytes(info.bytes)}, from {_folder(info)}")
        if results:
            print(f"Removed {sweeps}")
    else:
        print(f"{_folder(info)}: {_megabytes(info.bytes)} of {_megabytes(info.limit)}")
        print(_contents(info))
        if info.oldest and info.newest:
            print(f"Last used from {info.oldest:%Y-%m-%d} to {info.newest:%Y-%m-%d}")
        if results:
            print(f"Beside it {sweeps}")
    return 0


def _parser() -> Parser:
    parser = Parser(
        prog="python -m ragchunk cache",
        description="The store of what the model has read: vectors of chunks, and token outputs of "
        "documents. It can be cleared at any time; what is missing is read by the model again. "
        "Results of evaluate and sweep are beside it, and cleared with it.",
        epilog="RAGCHUNK_CACHE sets its folder, RAGCHUNK_CACHE_MB its limit in MB: what was used "
        "longest ago goes first. To cut a folder named cache, write ./cache.",
        allow_abbrev=False,
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--info", action="store_true", help="show its folder and size (default)")
    what.add_argument("--clear", action="store_true", help="remove everything in it")
    parser.add_argument("--json", action="store_true", help="print it as one JSON object")
    return parser


def _as_json(info: StoreInfo, removed: bool) -> dict[str, Any]:
    return {
        "removed": removed,
        **asdict(info),
        "folder": str(info.folder),
        "oldest": info.oldest and info.oldest.isoformat(),
        "newest": info.newest and info.newest.isoformat(),
    }


def _contents(info: StoreInfo) -> str:
    vectors = f"{info.vectors:,} vector{'' if info.vectors == 1 else 's'}"
    documents = f"{info.documents:,} document{'' if info.documents == 1 else 's'}"
    return f"{vectors} and token outputs of {documents} ({info.unfinished:,} more unfinished)"


def _folder(info: StoreInfo) -> str:
    return visible(str(info.folder))


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"
