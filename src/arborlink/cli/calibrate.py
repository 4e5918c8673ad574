"""``arborlink calibrate``: learn on labelled documents how sure links and discoveries are."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.options import (
    Cache,
    Device,
    ExamplesOption,
    Format,
    KbFormat,
    Model,
    NameShareOption,
    NoCache,
    SharedWordsOption,
    Shortlist,
    SkipInvalid,
    asking_for_shared_words,
    check_name_share,
    check_shared_words,
    parsed_threshold,
    read_examples,
)
from arborlink.cli.output import expanded
from arborlink.cli.skipped import report_skipped
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.calibration import Calibrated, Trial
    from arborlink.corpus import Corpus
    from arborlink.encoders.model_folder import Inference
    from arborlink.knowledge_base import KnowledgeBase

RELIABILITY, PICTURE = "reliability.json", "reliability.svg"


def calibrate(
    kb: Annotated[Path, typer.Option(help="The knowledge base.")],
    dev: Annotated[
        Path, typer.Option(help="Labelled documents that the model was not trained on.", metavar="PATH")
    ],
    model: Model = None,
    target_error: Annotated[
        float, typer.Option(help="Share of wrong answers to keep to, where `link` is not told otherwise.")
    ] = 0.05,
    hide: Annotated[
        float,
        typer.Option(
            help="Share of the entities with a gold mention to take out of the knowledge base first, where it has "
            "more of them than it will have of those to come."
        ),
    ] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the entities to hide.")] = 0,
    inference: Annotated[
        str | None,
        typer.Option(
            help="directed, undirected, minimax or independent.  [default: the model's own, else directed]"
        ),
    ] = None,
    neighbours: Annotated[
        int | None,
        typer.Option(
            min=0, help="Mentions that each mention is joined to.  [default: the model's own, else 1]"
        ),
    ] = None,
    threshold: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|none|model",
            help="Least affinity of an edge. none: every mention is linked. model: the model's own, else none.",
        ),
    ] = "model",
    by_type: Annotated[
        bool | None,
        typer.Option(
            "--by-type/--no-by-type",
            help="Mentions only meet entities of their own type or none.  [default: the model's own, else not]",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help=f"Folder for calibration.json, {RELIABILITY} and {PICTURE}."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Calibrate and tell, but leave the model as it is.")
    ] = False,
    entity_model: Annotated[
        str | None, typer.Option(help="The entity tower, where --model is only the mention tower.")
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(help="What an untrained model compares: names, or mentions in context (context)."),
    ] = None,
    examples: ExamplesOption = None,
    name_share: NameShareOption = None,
    shared_words: SharedWordsOption = 0.0,
    shortlist: Shortlist = 32,
    device: Device = "auto",
    cache: Cache = None,
    no_cache: NoCache = False,
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Learn on labelled documents how sure links and discoveries are, and store it with the model."""
    from arborlink.confidence import check_target
    from arborlink.corpus import Corpus
    from arborlink.formats import Problems
    from arborlink.partition import MODES

    if inference is not None and inference not in MODES:
        raise InputError(f"--inference {inference} is not known; choose one of {', '.join(MODES)}")
    if view not in (None, "names", "context"):
        raise InputError(f"--view {view} is not known; choose names or context")
    if not 0 <= hide < 1:
        raise InputError(f"--hide {hide:g} is not a share from 0 to below 1")
    check_target(target_error, "--target-error")
    least = parsed_threshold(threshold)
    check_name_share(name_share)
    check_shared_words(shared_words)
    output = None if output is None else expanded(output)
    _check_output(output, model, kb, dev)
    problems = Problems(skip=skip_invalid)
    entities = read_kb(kb, kb_format, problems)
    corpus = Corpus.read(dev, format=format, problems=problems)
    voters = read_examples(examples, format, problems)
    report_skipped(problems)
    _check_labels(corpus, entities, dev)
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink import calibration
    from arborlink.linker import Linker

    options: dict[str, Any] = {"entity_model": entity_model, "view": view, "shortlist": shortlist}
    kept: Path | bool = False if no_cache else expanded(cache) if cache is not None else True
    linker = Linker.load(model, device=device, cache=kept, **options)
    linker = linker.with_examples(voters).with_name_share(name_share).with_shared_words(shared_words)
    made = calibration.calibrate(
        linker,
        corpus,
        entities,
        inference=inference,
        neighbours=neighbours,
        threshold=least,
        by_type=by_type,
        target_error=target_error,
        hide=hide,
        seed=seed,
    )
    _print_table(made)
    _write(made, output)
    _store(made, linker.defaults, model, output, dry_run, asking_for_shared_words(shared_words))


def _check_output(output: Path | None, model: str | None, *inputs: Path) -> None:
    """Tell before the work what would spoil its end, or what its end would spoil."""
    from arborlink.confidence import CALIBRATION_FILE

    if output is None:
        return
    if output.exists() and not output.is_dir():
        raise InputError("is a file; --output names a folder", output)
    if model is not None and output.is_dir() and Path(model).is_dir() and output.samefile(model):
        raise InputError("is the model's folder; choose another for --output", output)
    for name in (CALIBRATION_FILE, RELIABILITY, PICTURE):
        target = output / name
        if target.exists() and any(given.exists() and target.samefile(given) for given in inputs):
            raise InputError(f"{name} in it is one of the inputs; choose another folder for --output", output)


def _check_labels(corpus: Corpus, kb: KnowledgeBase, path: Path) -> None:
    from arborlink.calibration import check_labels
    from arborlink.evaluation.gold import Gold

    try:
        check_labels(Gold.of(corpus, kb))
    except InputError as error:
        raise error.at(path) from error


def _print_table(made: Calibrated) -> None:
    """One line for links and one for mentions left unlinked, of documents held out."""
    target = made.calibration.target_error
    rows = [["", "mentions", "so", "ECE", "Brier", "answered", "right"]]
    for label, trial in (("the link is right", made.links), ("the entity is new", made.new)):
        if trial is not None:
            rows.append([label, *_row(trial, target)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for label, *values in rows:
        right = (value.rjust(width) for value, width in zip(values, widths[1:], strict=True))
        typer.echo("  ".join([f"{label:{widths[0]}}", *right]))
    typer.echo(f"Answered: at a target error of {target:g}; all of it on documents held out")
    if not made.calibration.about["n_outside_kb"]:
        typer.echo(
            "No mention is outside the knowledge base: links will be less sure where entities are missing, and "
            "nothing is known about new ones; --hide 0.1 hides a tenth of the entities"
        )


def _row(trial: Trial, target: float) -> list[str]:
    figures, answered = trial.figures(), trial.answered(target)
    shares = (
        figures["share_right"],
        figures["expected_calibration_error"],
        figures["brier_score"],
        answered["share_answered"],
        answered["precision"],
    )
    return [f"{figures['n']:,}", *("–" if share is None else f"{share:.4f}" for share in shares)]


def _write(made: Calibrated, output: Path | None) -> None:
    from arborlink.calibration.picture import draw_reliability
    from arborlink.confidence import CALIBRATION_FILE, write_calibration
    from arborlink.files import write_text

    if output is None:
        return
    write_calibration(made.calibration, output / CALIBRATION_FILE)
    with write_text(output / RELIABILITY) as stream:
        json.dump(made.to_json(), stream, indent=1, allow_nan=False)
        stream.write("\n")
    with write_text(output / PICTURE) as stream:
        stream.write(draw_reliability(made))
    typer.echo(f"Written to {output}: {CALIBRATION_FILE}, {RELIABILITY}, {PICTURE}")


def _store(
    made: Calibrated,
    defaults: Inference,
    model: str | None,
    output: Path | None,
    dry_run: bool,
    asked: list[str],
) -> None:
    from arborlink.confidence import CALIBRATION_FILE, write_calibration
    from arborlink.encoders.default_model import folder_to_keep_in, why_nothing_is_kept

    inference = made.calibration.inference
    way = [*(_way(inference) if inference != defaults else []), *asked]
    folder = folder_to_keep_in(model)
    if folder is not None:
        if dry_run:
            typer.echo(f"Not stored: {model} is as sure as before")
        else:
            write_calibration(made.calibration, folder / CALIBRATION_FILE)
            when = f"with: {shlex.join(way)}" if way else "from now on"
            typer.echo(f"Stored: {model} says how sure its links are {when}")
    elif output is None:
        typer.echo(f"Not stored, as {why_nothing_is_kept(model)}; keep it with --output FOLDER")
    else:
        options = ["--calibration", str(output / CALIBRATION_FILE), *way]
        typer.echo(f"Not stored, as {why_nothing_is_kept(model)}; link with: {shlex.join(options)}")


def _way(inference: Inference) -> list[str]:
    threshold = "none" if inference.threshold is None else repr(inference.threshold)
    options = ["--inference", inference.mode, "--neighbours", str(inference.neighbours)]
    return [*options, "--threshold", threshold, "--by-type" if inference.by_type else "--no-by-type"]
