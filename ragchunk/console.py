"""What all commands share: the exit statuses, how options are refused, and lines for a person."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from ragchunk.errors import SettingsError

FAILED = 1
REFUSED = 2
# What a shell reports for a command that Ctrl-C stopped, and for one whose reader went away.
INTERRUPTED = 130
NO_READER = 141


class Parser(argparse.ArgumentParser):
    """Raises SettingsError where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        raise SettingsError(f"{message}. See {self.prog} --help.")


def say(kind: str, words: str) -> None:
    """A line on standard error. kind: "error" or "note"."""
    print(f"ragchunk: {kind}: {visible(words)}", file=sys.stderr)


def visible(text: str) -> str:
    """On one line, with nothing in it that a terminal would act on: names of files can hold it."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
