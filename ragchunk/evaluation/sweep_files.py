"""The table of a sweep as JSON and as CSV, with everything needed to run it again."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from io import StringIO
from typing import Any

from ragchunk import settings
from ragchunk.errors import SettingsError
from ragchunk.evaluation.choice import Choice
from ragchunk.evaluation.measures import Cutoff
from ragchunk.evaluation.table import Recipe, measure_named, name_of, what_is_wrong

FORMAT = 1

SETTING_COLUMNS = ("strategy", "size", "overlap", "unit", "tail", "min_size", "separators", "way")


@dataclass(frozen=True)
class Run:
    """A sweep that was run: its recipe, and how it was judged, with the arguments of `choose`."""

    recipe: Recipe
    measure: str
    cutoff: Cutoff
    hold_out: float
    seed: int


def to_json(choice: Choice) -> dict[str, Any]:
    """Plain values: the recipe, what was chosen by which measure, and a row for each setting."""
    table = choice.table
    return {
        "format": FORMAT,
        "recipe": table.recipe.to_json(),
        "choice": {
            "measure": choice.measure,
            "cutoff": name_of(choice.cutoff),
            "seed": choice.seed,
            "questions": choice.board.questions,
            "held_out_questions": choice.held_questions,
            "sentence": choice.sentence(),
        },
        "rows": [
            {**row, "choice": judged}
            for row, judged in zip(table.rows(), choice.rows(), strict=True)
        ],
    }


def run_from(text: str) -> Run:
    """What was run, from a file that `to_json` made; SettingsError if it does not say."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"The results of a sweep are JSON, and this is not ({error})."
        ) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise SettingsError(
            "This is no JSON that a sweep of this version wrote: it must be an object with "
            f'"format": {FORMAT}.'
        )
    recipe = Recipe.from_json(found.get("recipe"))
    try:
        return _judged(recipe, found["choice"])
    except SettingsError:
        raise
    except (KeyError, TypeError) as error:
        raise SettingsError(
            f"How the sweep was judged cannot be read ({what_is_wrong(error)}): give the JSON that "
            "a sweep wrote."
        ) from None


def _judged(recipe: Recipe, row: Any) -> Run:
    cutoffs = {name_of(each): each for each in recipe.cutoffs}
    held = settings.integer("held_out_questions", row["held_out_questions"], least=0)
    kept = settings.integer("questions", row["questions"], least=1)
    return Run(
        recipe,
        measure_named(row["measure"]).name,
        cutoffs[settings.one_of("Cut-off", row["cutoff"], cutoffs)],
        # Of as many questions this share holds out as many again.
        held / (held + kept),
        settings.integer("Seed", row["seed"], least=0),
    )


def to_csv(choice: Choice) -> str:
    """CSV (RFC 4180), a row for each setting; what it was run on is repeated in each.

    Names of documents are in the JSON alone.
    """
    recipe = choice.table.recipe
    run = {
        "measure": choice.measure,
        "cutoff": name_of(choice.cutoff),
        "seed": choice.seed,
        "questions": recipe.questions,
        "questions_held_out": choice.held_questions,
        "questions_hash": recipe.questions_hash,
        "documents": len(recipe.documents),
        "corpus_hash": recipe.corpus,
        "model": recipe.model,
        "model_fingerprint": recipe.fingerprint,
        "program": recipe.versions.get("ragchunk", ""),
    }
    rows: list[dict[str, Any]] = []
    for row, judged in zip(choice.table.rows(), choice.rows(), strict=True):
        setting = row["setting"]
        flat = {"label": row["label"], **{name: setting.get(name) for name in SETTING_COLUMNS}}
        if flat["separators"] is not None:
            flat["separators"] = json.dumps(flat["separators"], ensure_ascii=False)
        flat |= {name: row[name] for name in ("chunks", "stored_tokens", "unread_tokens")}
        # Of the questions it was chosen by; the measures behind are of all.
        flat |= {f"choice_{name}": value for name, value in judged.items()}
        for cutoff, figures in row["measures"].items():
            flat |= {f"{name}@{cutoff}": value for name, value in figures.items()}
        rows.append({**flat, **run})
    out = StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
