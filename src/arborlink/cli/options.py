"""Options that several verbs have, with the same words for each."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.corpus import Corpus
    from arborlink.formats import Problems

Format = Annotated[
    str | None, typer.Option(help="Format of the documents, where content and name do not tell.")
]
KbFormat = Annotated[
    str | None, typer.Option(help="Format of the knowledge base, where content and name do not tell.")
]
SkipInvalid = Annotated[
    bool, typer.Option("--skip-invalid", help="Skip records that cannot be used, count and report them.")
]
Model = Annotated[
    str | None,
    typer.Option(
        help="A model's folder or Hugging Face name; untrained: the base model, comparing names.  "
        "[default: the model that comes with ArborLink]"
    ),
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]
Cache = Annotated[
    Path | None, typer.Option(help="Folder for embeddings.  [default: the user's cache folder]")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Keep no embeddings on disk.")]
Shortlist = Annotated[
    int,
    typer.Option(min=0, help="Names to encode for each mention string, nearest by spelling; 0 encodes all."),
]

ExamplesOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--examples",
        metavar="PATH",
        help="Labelled documents: their mentions vote for their entities beside the entities' own texts. May be "
        "given several times.",
    ),
]

SharedWordsOption = Annotated[
    float,
    typer.Option(
        "--shared-words",
        metavar="SHARE",
        help="The share that words around a mention have in who is nearest, where descriptions of entities say them "
        "too: for knowledge bases that describe at length, 0.4. 0: none.",
    ),
]


NameShareOption = Annotated[
    float | None,
    typer.Option(
        "--name-share",
        metavar="SHARE",
        help="The share of the comparison of names in an affinity, beside towers; above 0, below 1. `arborlink tune "
        "--name-shares` finds it.  [default: the model's own]",
    ),
]


def check_name_share(share: float | None) -> None:
    """Tell of a share that is none before anything is read or loaded."""
    from arborlink.encoders.name_share import checked_name_share

    if share is not None:
        checked_name_share(share)


def check_shared_words(share: float) -> None:
    """Tell of a share that is none before anything is read or loaded."""
    from arborlink.shared_words import SharedWords

    if share:
        SharedWords(share)


def asking_for_shared_words(share: float) -> list[str]:
    """The option as it has to be given to another verb, which keeps no share."""
    return ["--shared-words", repr(share)] if share else []


def read_examples(paths: list[Path] | None, format: str | None, problems: Problems) -> Corpus | None:
    """What ``--examples`` names, as one corpus."""
    if not paths:
        return None
    from arborlink.corpus import Corpus

    return Corpus(
        [document for path in paths for document in Corpus.read(path, format=format, problems=problems)]
    )


def parsed_threshold(text: str) -> float | Literal["model"] | None:
    """What ``--threshold`` says: a number, ``none`` or ``model``."""
    if text == "model":
        return "model"
    if text == "none":
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"--threshold {text} is not a finite number; leave it out, or give none to link every mention"
        )
    return number
