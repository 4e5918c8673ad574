"""``arborlink train-reranker``: a model takes a second look at the nearest entities of each mention."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.options import (
    Cache,
    ExamplesOption,
    Format,
    KbFormat,
    NoCache,
    SkipInvalid,
    read_examples,
)
from arborlink.cli.output import check_output, expanded
from arborlink.cli.skipped import report_skipped
from arborlink.cli.train import read_labelled
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.training.reranker import RerankerConfig

REPORT_FILE = "reranker-training.json"


def train_reranker(
    model: Annotated[
        Path | None, typer.Option(help="A model's folder, written by `arborlink train`.  [required]")
    ] = None,
    kb: Annotated[Path | None, typer.Option(help="The knowledge base.  [required]")] = None,
    train_documents: Annotated[
        Path | None,
        typer.Option("--train", help="The documents to learn from, with gold labels.  [required]"),
    ] = None,
    dev_documents: Annotated[
        Path | None,
        typer.Option(
            "--dev",
            help="Other labelled documents: they choose the epoch and how much the towers have to say.  "
            "[default: none, the last epoch is kept]",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Folder for a copy of the model with the re-ranker.  [default: the model's own folder]"
        ),
    ] = None,
    examples: ExamplesOption = None,
    config: Annotated[
        Path | None, typer.Option(help="A file of settings (TOML).  [default: every setting's default]")
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="One setting, such as trainer.epochs=3; may be repeated."
        ),
    ] = None,
    init_config: Annotated[
        bool, typer.Option("--init-config", help="Print a file with every setting and what it does, and end.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint of a training that was cut off.")
    ] = False,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, mps.")] = "auto",
    cache: Cache = None,
    no_cache: NoCache = False,
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Train a re-ranker for a model: it looks again at the nearest entities of each mention."""
    settings = _settings(config, assignments or [])
    if init_config:
        from arborlink.training.config_file import write_config

        typer.echo(write_config(settings), nl=False)
        return
    if model is None or kb is None or train_documents is None:
        raise InputError(_missing({"--model": model, "--kb": kb, "--train": train_documents}))
    model = expanded(model)
    output = None if output is None else expanded(output)
    inputs = [path for path in (kb, train_documents, dev_documents, *(examples or ())) if path is not None]
    _check(model, output, train_documents, dev_documents, inputs)

    from arborlink.formats import Problems

    problems = Problems(skip=skip_invalid)
    entities = read_kb(kb, kb_format, problems)
    learnt = read_labelled(train_documents, format, problems)
    dev = None if dev_documents is None else read_labelled(dev_documents, format, problems)
    voters = read_examples(examples, format, problems)
    report_skipped(problems)
    if dev is None:
        _tell("no --dev: the last epoch is kept, and the weight of the towers is the setting's")
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink.linker import Linker
    from arborlink.reranking import write_reranker
    from arborlink.training.reranker import train_reranker as train_it
    from arborlink.training.reranker.folder import UNFINISHED, clear, prepare_model

    kept: Path | bool = False if no_cache else expanded(cache) if cache is not None else True
    target = prepare_model(model, output, resume)
    linker = Linker.load(target, device=device, cache=kept, reranker=False).with_examples(voters)
    folder = target / UNFINISHED
    trained = train_it(linker, entities, learnt, dev, settings, folder=folder, tell=_tell)
    write_reranker(target, trained.reranker)
    _write(target / REPORT_FILE, json.dumps(trained.report.to_dict(), indent=1) + "\n")
    clear(folder)
    typer.echo(trained.report.summary())
    command = shlex.join(["arborlink", "link", "--model", str(target), "--kb", str(kb)])
    typer.echo(f"Written to {target / 'reranker'}; `{command} …` uses it")


def _settings(path: Path | None, assignments: list[str]) -> RerankerConfig:
    from arborlink.training.config_file import read_sections, with_settings
    from arborlink.training.reranker.config import RerankerConfig

    config = RerankerConfig() if path is None else read_sections(RerankerConfig, path)
    return with_settings(config, assignments)


def _missing(options: dict[str, Path | None]) -> str:
    names = [name for name, value in options.items() if value is None]
    needed = f"{names[0]} is needed" if len(names) == 1 else f"{', '.join(names)} are needed"
    return f"{needed}; `arborlink train-reranker --help` says what for"


def _check(model: Path, output: Path | None, train: Path, dev: Path | None, inputs: list[Path]) -> None:
    from arborlink.encoders.model_folder import is_model_folder

    if not is_model_folder(model):
        raise InputError(
            "holds no model of `arborlink train`; a re-ranker needs towers to search with", model
        )
    if dev is not None and train.exists() and dev.exists() and train.samefile(dev):
        raise InputError(
            "--train and --dev are the same file; dev chooses the epoch, so it must hold other documents", dev
        )
    if output is not None:
        check_output(output, *inputs)


def _write(path: Path, content: str) -> None:
    from arborlink.files import write_text

    with write_text(path) as stream:
        stream.write(content)


def _tell(line: str) -> None:
    typer.echo(line, err=True)
