"""The results of a sweep as rows, and everything that it takes to run it again."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import numpy.typing as npt

from ragchunk import settings
from ragchunk.corpus import Corpus
from ragchunk.documents import document_hash
from ragchunk.errors import SettingsError
from ragchunk.evaluation.board import Board, board
from ragchunk.evaluation.measures import MEASURES, Cutoff, Measure
from ragchunk.evaluation.questions import Question
from ragchunk.evaluation.results import program_hash, questions_hash
from ragchunk.evaluation.setting import Setting
from ragchunk.evaluation.trial import Result
from ragchunk.models import fingerprint
from ragchunk.tokens import DEFAULT_MODEL

# More hits, or more tokens, than any corpus here has; beyond it arrays have no such number.
MOST_RETRIEVED = 1_000_000_000

# What the figures depend on beside the program itself.
PACKAGES = ("numpy", "tokenizers", "sentencex", "torch", "transformers", "sentence-transformers")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recipe:
    """What was run, and on what: enough to run it again and to see whether it is the same.

    `documents` are pairs of source and hash, `corpus` and `questions_hash` stand for all of them;
    `versions` are of the program and what it computes with.
    """

    settings: tuple[Setting, ...]
    cutoffs: tuple[Cutoff, ...]
    model: str
    fingerprint: str
    corpus: str
    documents: tuple[tuple[str, str], ...]
    questions: int
    questions_hash: str
    versions: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values from which `from_json` makes the same recipe."""
        return {
            "settings": [each.to_json() for each in self.settings],
            "cutoffs": [{"k": each.k, "budget": each.budget} for each in self.cutoffs],
            "model": {"name": self.model, "fingerprint": self.fingerprint},
            "corpus": {
                "hash": self.corpus,
                "documents": [{"source": s, "hash": h} for s, h in self.documents],
            },
            "questions": {"count": self.questions, "hash": self.questions_hash},
            "versions": dict(self.versions),
        }

    @classmethod
    def from_json(cls, row: Any) -> Recipe:
        """The recipe that a row says. SettingsError for one that cannot be read."""
        try:
            return cls(
                settings=tuple(map(Setting.from_json, row["settings"])),
                cutoffs=tuple(map(_cutoff, row["cutoffs"])),
                model=str(row["model"]["name"]),
                fingerprint=str(row["model"]["fingerprint"]),
                corpus=str(row["corpus"]["hash"]),
                documents=tuple(
                    (str(each["source"]), str(each["hash"])) for each in row["corpus"]["documents"]
                ),
                questions=int(row["questions"]["count"]),
                questions_hash=str(row["questions"]["hash"]),
                versions={str(key): str(value) for key, value in row["versions"].items()},
            )
        except SettingsError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SettingsError(
                f"The recipe of a sweep cannot be read ({what_is_wrong(error)}): give the JSON "
                "that a sweep wrote."
            ) from None

    def differences(self, other: Recipe) -> list[str]:
        """What is not the same in a second run, in sentences; [] if its figures must be equal."""
        said = [
            ("The documents", self.corpus, other.corpus),
            ("The questions", self.questions_hash, other.questions_hash),
            ("The model", self.fingerprint, other.fingerprint),
        ]
        found = [f"{name} are not those of the first run." for name, a, b in said[:2] if a != b]
        found += [f"{name} is not that of the first run." for name, a, b in said[2:] if a != b]
        found += [
            f"{name} was {before}, and is {other.versions.get(name, 'not there')}."
            for name, before in self.versions.items()
            if other.versions.get(name) != before
        ]
        return found


def what_is_wrong(error: Exception) -> str:
    """In words, why a value of JSON could not be taken as what it should be."""
    if isinstance(error, KeyError):
        return f'"{error.args[0]}" is missing'
    return "a value in it is not of the kind it should be"


def _cutoff(row: Mapping[str, Any]) -> Cutoff:
    found = Cutoff(row["k"], row["budget"])
    check_cutoff(found)
    return found


def recipe(
    settings: Iterable[Setting],
    corpus: Corpus,
    questions: Sequence[Question],
    cutoffs: Sequence[Cutoff],
    model: str = DEFAULT_MODEL,
) -> Recipe:
    """The recipe of a sweep that is run here, with the arguments of `sweep`."""
    return Recipe(
        settings=tuple(dict.fromkeys(settings)),
        cutoffs=tuple(cutoffs),
        model=model,
        fingerprint=fingerprint(model),
        corpus=corpus.key,
        documents=tuple((source, document_hash(text)) for source, text in corpus.documents),
        questions=len(questions),
        questions_hash=questions_hash(questions),
        versions=_versions(),
    )


def _versions() -> dict[str, str]:
    found = {"ragchunk": program_hash(), "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@dataclass(frozen=True, eq=False)
class Table:
    """Results side by side, in the order of the recipe; those not measured yet are left out."""

    recipe: Recipe
    results: tuple[Result, ...]

    @property
    def labels(self) -> list[str]:
        return [each.setting.label for each in self.results]

    def figures(self, measure: str, cutoff: Cutoff) -> Floats:
        """One figure per setting and question: shape (settings, questions)."""
        return figures(self.results, measure, cutoff)

    def means(self, measure: str, cutoff: Cutoff) -> Floats:
        """The mean of each setting over the questions."""
        return means(self.results, measure, cutoff)

    def costs(self, cutoff: Cutoff) -> Floats:
        """The mean tokens that a reader pays for each setting until the answer is complete.

        See `Scores.reading_cost`. It does not depend on the cut-off.
        """
        means(self.results, "tokens", cutoff)  # or it was not measured
        return np.array([each.scores[cutoff].reading_cost(each.tokens) for each in self.results])

    def board(self, measure: str, cutoff: Cutoff, seed: int = 0) -> Board:
        """Which settings may be the best by a measure; the cost is `costs`.

        Where less is better the board's `means`, `low` and `high` are still the measure's own.
        """
        table = self.figures(measure, cutoff)
        if measure_named(measure).better != "lower":
            return board(table, self.costs(cutoff), seed)
        found = board(-table, self.costs(cutoff), seed)
        # Taken from 0, as -0.0 is nothing to be shown.
        return replace(found, means=0.0 - found.means, low=0.0 - found.high, high=0.0 - found.low)

    def only(self, chosen: npt.NDArray[Any]) -> Table:
        """The same settings on some of the questions, by number or mask."""
        return replace(self, results=tuple(each.only(chosen) for each in self.results))

    def rows(self) -> list[dict[str, Any]]:
        """Each setting with what it costs, and the mean of every measure at every cut-off.

        Plain values; None for what is infinite or not a number.
        """
        return [
            {
                "label": each.setting.label,
                "setting": each.setting.to_json(),
                "chunks": each.chunks,
                "stored_tokens": each.tokens,
                "unread_tokens": each.unread,
                "seconds": round(each.seconds, 3),
                "measures": {
                    name_of(cutoff): {
                        **{name: finite(mean) for name, mean in scores.means().items()},
                        "tokens_per_answered": finite(scores.tokens_per_answered),
                    }
                    for cutoff, scores in each.scores.items()
                },
            }
            for each in self.results
        ]


def table_of(recipe: Recipe, results: Iterable[Result]) -> Table:
    """The table of results in any order."""
    found = {each.setting: each for each in results}
    return Table(recipe, tuple(found[each] for each in recipe.settings if each in found))


def figures(results: Sequence[Result], measure: str, cutoff: Cutoff) -> Floats:
    """One figure per result and question: shape (results, questions).

    Raises SettingsError for an unknown measure, or a cut-off that was not measured.
    """
    measure_named(measure)
    for each in results:
        if cutoff not in each.scores:
            raise SettingsError(
                f"{each.setting.label} was not measured at {cutoff}, but at "
                f"{', '.join(map(str, each.scores)) or 'no cut-off'}."
            )
    return np.array([each.scores[cutoff][measure] for each in results], dtype=np.float64)


def means(results: Sequence[Result], measure: str, cutoff: Cutoff) -> Floats:
    """The mean of each result over the questions; errors as `figures`."""
    figures(results, measure, cutoff)
    return np.array([each.scores[cutoff].mean(measure) for each in results], dtype=np.float64)


def measure_named(name: str) -> Measure:
    """The measure with a name; SettingsError if there is none."""
    known = {each.name: each for each in MEASURES}
    return known[settings.one_of("Measure", name, known)]


def check_cutoff(cutoff: Cutoff) -> None:
    """Raise SettingsError for one that is larger than can be measured."""
    name, value = ("k", cutoff.k) if cutoff.k is not None else ("Budget", cutoff.budget)
    settings.integer(name, value, least=1, most=MOST_RETRIEVED)


def name_of(cutoff: Cutoff) -> str:
    """A cut-off as a key: `k5`, `budget1000`."""
    return f"k{cutoff.k}" if cutoff.k is not None else f"budget{cutoff.budget}"


def finite(value: float) -> float | None:
    """The number, or None for one that JSON has not."""
    return float(value) if math.isfinite(value) else None
