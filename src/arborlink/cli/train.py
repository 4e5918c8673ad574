"""``arborlink train``: labelled documents and a knowledge base in, a model that links better out."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.options import Format, KbFormat, SkipInvalid
from arborlink.cli.output import check_output, expanded
from arborlink.cli.skipped import report_skipped
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.corpus import Corpus
    from arborlink.formats import Problems
    from arborlink.training.config import TrainingConfig


def train(
    kb: Annotated[Path | None, typer.Option(help="The knowledge base.  [required]")] = None,
    train_documents: Annotated[
        Path | None,
        typer.Option("--train", help="The documents to learn from, with gold labels.  [required]"),
    ] = None,
    dev_documents: Annotated[
        Path | None,
        typer.Option(
            "--dev",
            help="Other labelled documents: they choose the epoch and the way of linking.  "
            "[default: none, the last epoch is kept]",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Folder for the model.  [required]")] = None,
    config: Annotated[
        Path | None, typer.Option(help="A file of settings (TOML).  [default: every setting's default]")
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="One setting, such as trainer.epochs=5; may be repeated."
        ),
    ] = None,
    init_config: Annotated[
        bool, typer.Option("--init-config", help="Print a file with every setting and what it does, and end.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint in the folder of --output.")
    ] = False,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, mps.")] = "auto",
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Train a model on labelled documents."""
    settings = _settings(config, assignments or [])
    if init_config:
        from arborlink.training.config_file import write_config

        typer.echo(write_config(settings), nl=False)
        return
    if kb is None or train_documents is None or output is None:
        raise InputError(_missing({"--kb": kb, "--train": train_documents, "--output": output}))
    output = expanded(output)
    _check_dev(train_documents, dev_documents, settings)
    inputs = [path for path in (kb, train_documents, dev_documents) if path is not None]
    if _is_first_process():  # the others may find what the first has begun to write
        _check_folder(output, inputs, resume)

    import gc

    from arborlink.formats import Problems

    problems = Problems(skip=skip_invalid)
    entities = read_kb(kb, kb_format, problems)
    learnt = read_labelled(train_documents, format, problems)
    dev = None if dev_documents is None else read_labelled(dev_documents, format, problems)
    gc.freeze()  # all of this stays to the end; the collector need not walk it again and again
    if _is_first_process():
        report_skipped(problems)
        if dev is None:
            _tell("no --dev: the last epoch is kept, and linking with it has the usual defaults")
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink.training import train as train_model

    report = train_model(entities, learnt, dev, output, settings, resume=resume, device=device, tell=_tell)
    if _is_first_process():
        typer.echo(report.summary())
        command = _link_command(kb, dev_documents or train_documents, output, format, kb_format)
        typer.echo(f"Written to {output}; link with it: {command}")


def _settings(path: Path | None, assignments: list[str]) -> TrainingConfig:
    from arborlink.training.config import TrainingConfig
    from arborlink.training.config_file import read_config, with_settings

    config = TrainingConfig() if path is None else read_config(path)
    return with_settings(config, assignments)


def _missing(options: dict[str, Path | None]) -> str:
    names = [name for name, value in options.items() if value is None]
    needed = f"{names[0]} is needed" if len(names) == 1 else f"{', '.join(names)} are needed"
    return f"{needed}; `arborlink train --help` says what for"


def _check_dev(train: Path, dev: Path | None, settings: TrainingConfig) -> None:
    if dev is None:
        if settings.trainer.patience:
            raise InputError(
                f"trainer.patience is {settings.trainer.patience}, but without --dev there is no score to wait for; "
                "name --dev or set it to 0"
            )
    elif train.exists() and dev.exists() and train.samefile(dev):
        raise InputError(
            "--train and --dev are the same file; dev chooses the epoch, so it must hold other documents", dev
        )


def _check_folder(output: Path, inputs: list[Path], resume: bool) -> None:
    if not resume and output.is_dir() and any(output.iterdir()):
        raise InputError(
            "is not empty; choose another folder, or add --resume if it holds a training that was cut off",
            output,
        )
    check_output(output, *inputs)


def read_labelled(path: Path, format: str | None, problems: Problems) -> Corpus:
    """Documents to learn from or to choose by; some of their mentions must have a gold label."""
    from arborlink.corpus import Corpus

    corpus = Corpus.read(path, format=format, problems=problems)
    if not corpus.n_mentions:
        raise InputError("the documents have no mentions: mark them, with their entities", path)
    if not any(mention.entities for _, mention in corpus.mentions):
        raise InputError(
            f"none of the {corpus.n_mentions:,} mentions has a gold label; each needs the id of its entity",
            path,
        )
    return corpus


def _link_command(kb: Path, documents: Path, model: Path, format: str | None, kb_format: str | None) -> str:
    options = {"--kb": kb, "--kb-format": kb_format, "--documents": documents, "--format": format}
    given = [str(part) for item in options.items() if item[1] is not None for part in item]
    return shlex.join(["arborlink", "link", "--model", str(model), *given, "--output", "result"])


def _tell(line: str) -> None:
    typer.echo(line, err=True)


def _is_first_process() -> bool:
    """Whether this process speaks for all of those that ``accelerate launch`` started."""
    return os.environ.get("RANK", "0") == "0"
