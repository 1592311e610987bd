"""Settings worth showing, each with one sentence of what to look at."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragchunk.documents import Document
from ragchunk.state import ColumnState, Cutter, PageState

# Three sentences of 21, 20 and 26 characters: small enough to count by hand.
DOCKER = Document(
    "docker.txt", "Docker packs the app. Nginx sits in front. Env vars hold the secrets."
)
ENVIRONMENT = "how do I set environment variables?"


@dataclass(frozen=True)
class Preset:
    """A state of the page with a name and what to look at in it."""

    name: str
    look: str
    state: PageState


def _characters(size: int, overlap: int, way: str = "plain") -> Cutter:
    return Cutter("characters", size, overlap, way)


_opening = PageState()
_docker = replace(
    _opening, corpus="docker", query="where do secrets go?", k=2, document=DOCKER.source
)

PRESETS: tuple[Preset, ...] = (
    Preset(
        "Confetti",
        "Chunks of 200 characters: look how often a thought is cut in two, how many sentences are "
        "lost, and that no hit holds the whole answer.",
        replace(_opening, shared=_characters(200, 0), document="rag.md"),
    ),
    Preset(
        "Whole files",
        "Chunks of 5,000 characters: for all documents but the longest, fixed windows and "
        "paragraphs have become the whole document, and of the long ones the model reads only the "
        "start.",
        replace(_opening, shared=_characters(5_000, 0), document="rag.md"),
    ),
    Preset(
        "A sentence cut in half",
        "The same windows with overlap 10 and without: without it two sentences are whole in no "
        "chunk; with it more are cut, and none is lost.",
        replace(
            _docker,
            shared=_characters(30, 10),
            columns=(
                ColumnState("window"),
                ColumnState("window", _characters(30, 0)),
                ColumnState("whole"),
            ),
        ),
    ),
    Preset(
        "The redundant tail",
        "A loop that steps on to the end of the text makes four windows here; the last, "
        "' secrets.', lies wholly inside the third. These are three.",
        replace(_docker, shared=_characters(30, 10), columns=(ColumnState("window"),)),
    ),
    Preset(
        "The averaging problem",
        "The deployment post as one vector: plain never read the paragraph that answers, averaged "
        "read it and lost it among the others, paragraphs have it at rank 1.",
        replace(
            _opening,
            query=ENVIRONMENT,
            document="deployment.md",
            columns=(
                ColumnState("whole"),
                ColumnState("whole", Cutter(way="averaged")),
                ColumnState("paragraphs"),
            ),
        ),
    ),
    Preset(
        "What overlap costs",
        "Windows of 120 tokens that share 100: see how much of the stored text is repeated, and "
        "how little of the top 5 is unique, beside the same windows sharing nothing.",
        replace(
            _opening,
            k=5,
            document="rag.md",
            shared=Cutter("tokens", 120, 100),
            columns=(ColumnState("window"), ColumnState("window", Cutter("tokens", 120, 0))),
        ),
    ),
    Preset(
        "The blind tail",
        "Chunks of 800 tokens: what stands behind the 254 that the model reads is hatched. Plain "
        "vectors do not know it is there, averaged ones do.",
        replace(
            _opening,
            query=ENVIRONMENT,
            document="deployment.md",
            shared=Cutter("tokens", 800, 0),
            columns=(
                ColumnState("window"),
                ColumnState("window", Cutter("tokens", 800, 0, "averaged")),
                ColumnState("paragraphs"),
            ),
        ),
    ),
)

# A link to a preset says which one it is, so that its sentence comes along.
PRESETS = tuple(replace(each, state=replace(each.state, preset=each.name)) for each in PRESETS)


def look_of(name: str) -> str:
    """The sentence of the preset with that name, "" if there is none."""
    return next((each.look for each in PRESETS if each.name == name), "")
