"""``arborlink tune``: choose mode, neighbours and threshold on labelled documents."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.options import (
    Cache,
    Device,
    ExamplesOption,
    Format,
    KbFormat,
    Model,
    NoCache,
    SharedWordsOption,
    Shortlist,
    SkipInvalid,
    asking_for_shared_words,
    check_name_share,
    check_shared_words,
    read_examples,
)
from arborlink.cli.output import expanded
from arborlink.cli.skipped import report_skipped
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.corpus import Corpus
    from arborlink.discovery import Aim, Tuning
    from arborlink.knowledge_base import KnowledgeBase
    from arborlink.linker import Linker
    from arborlink.partition import Mode


def tune(
    kb: Annotated[Path, typer.Option(help="The knowledge base.")],
    dev: Annotated[
        Path, typer.Option(help="Labelled documents that the model was not trained on.", metavar="PATH")
    ],
    model: Model = None,
    aim: Annotated[
        str,
        typer.Option(
            metavar="AIM",
            help="nmi-ari: the best mean of NMI and ARI. nil-precision>=P: the most mentions outside the knowledge "
            "base found at that precision. wrong-links<=X: the most links with at most that share of wrong ones.",
        ),
    ] = "nmi-ari",
    modes: Annotated[
        str, typer.Option(help="Ways of linking to try, with commas between.")
    ] = "directed,undirected,minimax",
    neighbours: Annotated[
        str, typer.Option(help="Numbers of neighbouring mentions to try, with commas between.")
    ] = "1,2,4,8",
    name_shares: Annotated[
        str,
        typer.Option(
            metavar="SHARES",
            help="Shares of the comparison of names in an affinity, beside towers, to try, with commas between: "
            "0.1,0.2,0.3,0.45.  [default: the model's own]",
        ),
    ] = "",
    output: Annotated[Path | None, typer.Option(help="File for the curves (JSON).")] = None,
    plot: Annotated[Path | None, typer.Option(help="File for a picture of the chosen curve (SVG).")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Choose and tell, but leave the model as it is.")
    ] = False,
    by_type: Annotated[
        bool | None,
        typer.Option(
            "--by-type/--no-by-type",
            help="Mentions only meet entities of their own type or none.  [default: the model's own, else not]",
        ),
    ] = None,
    entity_model: Annotated[
        str | None, typer.Option(help="The entity tower, where --model is only the mention tower.")
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(help="What an untrained model compares: names, or mentions in context (context)."),
    ] = None,
    examples: ExamplesOption = None,
    shared_words: SharedWordsOption = 0.0,
    shortlist: Shortlist = 32,
    device: Device = "auto",
    cache: Cache = None,
    no_cache: NoCache = False,
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Choose mode, neighbours and threshold on labelled documents, and store them with the model."""
    from arborlink.corpus import Corpus
    from arborlink.discovery import Aim
    from arborlink.formats import Problems

    for_what, ways, counts = Aim.parse(aim), _modes(modes), _counts(neighbours)
    if view not in (None, "names", "context"):
        raise InputError(f"--view {view} is not known; choose names or context")
    shares = _shares(name_shares)
    check_shared_words(shared_words)
    output, plot = (None if path is None else expanded(path) for path in (output, plot))
    _check_files(output, plot, kb, dev)
    problems = Problems(skip=skip_invalid)
    entities = read_kb(kb, kb_format, problems)
    corpus = Corpus.read(dev, format=format, problems=problems)
    voters = read_examples(examples, format, problems)
    report_skipped(problems)
    _check_labels(corpus, entities, for_what, dev)
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink import discovery
    from arborlink.linker import Linker

    options: dict[str, Any] = {"entity_model": entity_model, "view": view, "shortlist": shortlist}
    kept: Path | bool = False if no_cache else expanded(cache) if cache is not None else True
    linker = Linker.load(model, device=device, cache=kept, **options)
    linker = linker.with_examples(voters).with_shared_words(shared_words)
    tuned = discovery.tune(
        linker, corpus, entities, for_what, modes=ways, neighbours=counts, by_type=by_type, name_shares=shares
    )
    _print_table(tuned)
    _write(tuned, output, plot)
    _store(tuned, linker, model, dry_run, asking_for_shared_words(shared_words))


def _modes(text: str) -> list[Mode]:
    from arborlink.partition import MODES

    found = [part.strip() for part in text.split(",")]
    for mode in found:
        if mode not in MODES:
            raise InputError(f"--modes {text}: {mode!r} is not known; choose some of {', '.join(MODES)}")
    return cast("list[Mode]", found)


def _counts(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"--neighbours {text} is not a list of numbers; write for example 1,2,4,8")
    return [int(part) for part in parts]


def _shares(text: str) -> list[float]:
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    try:
        shares = [float(part) for part in parts]
    except ValueError as error:
        raise InputError(
            f"--name-shares {text} is not a list of numbers; write for example 0.1,0.2,0.3,0.45"
        ) from error
    for share in shares:
        check_name_share(share)
    return shares


def _check_files(output: Path | None, plot: Path | None, *inputs: Path) -> None:
    """Tell before the work what would spoil its end, or what its end would spoil."""
    for option, path in (("--output", output), ("--plot", plot)):
        if path is None:
            continue
        if path.is_dir():
            raise InputError(f"is a folder; {option} names a file", path)
        if path.exists() and any(given.exists() and path.samefile(given) for given in inputs):
            raise InputError(f"is one of the inputs; choose another file for {option}", path)
    if output is not None and plot is not None and output.absolute() == plot.absolute():
        raise InputError("--output and --plot are the same file; choose another for one of them", output)


def _check_labels(corpus: Corpus, kb: KnowledgeBase, aim: Aim, path: Path) -> None:
    from arborlink.evaluation.gold import Gold

    if not corpus.n_mentions:
        raise InputError("the documents have no mentions: mark them, with their entities", path)
    try:
        aim.check(Gold.of(corpus, kb))
    except InputError as error:
        raise error.at(path) from error


_COLUMNS = {
    "NMI+ARI": "nmi_ari_mean",
    "NIL prec.": "nil_precision",
    "NIL recall": "nil_recall",
    "accuracy": "accuracy",
    "wrong": "wrong_links",
}


def _print_table(tuned: Tuning) -> None:
    """The best of every curve; ``*`` marks the chosen one, ``-`` those that miss the bound."""
    from arborlink.discovery.choice import best_point

    rows = [["", "mode", "k", "threshold", *_COLUMNS, "new"]]
    for curve in tuned.curves:
        best = best_point(curve, tuned.aim)
        if best is None:
            continue
        figures = best.figures
        mark = "*" if curve is tuned.choice.curve else "" if best.is_met else "-"
        values = (figures[name] for name in _COLUMNS.values())
        shares = ("–" if value is None else f"{value:.4f}" for value in values)
        threshold, n_new = f"{best.threshold:.6f}", f"{figures['n_discovered']:,}"
        rows.append([mark, curve.mode, str(curve.neighbours), threshold, *shares, n_new])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for mark, mode, *numbers in rows:
        right = (number.rjust(width) for number, width in zip(numbers, widths[2:], strict=True))
        typer.echo("  ".join([f"{mark:{widths[0]}} {mode:{widths[1]}}", *right]).rstrip())
    if tuned.name_shares:
        _print_shares(tuned)
    typer.echo(f"Chosen for {tuned.aim}: {tuned.choice}{_with_share(tuned)}")


def _print_shares(tuned: Tuning) -> None:
    """The best of every share of names; the table before is of the chosen one."""
    for share, best in tuned.name_shares.items():
        mark = "*" if best is tuned.choice else " "
        told = "  ".join(
            f"{name} {'–' if best.figures[key] is None else format(best.figures[key], '.4f')}"
            for name, key in _COLUMNS.items()
        )
        typer.echo(f"{mark} names {share:<6g}{best}: {told}")


def _with_share(tuned: Tuning) -> str:
    return f", share of names {tuned.name_share:g}" if tuned.name_shares else ""


def _write(tuned: Tuning, output: Path | None, plot: Path | None) -> None:
    from arborlink.discovery.picture import draw_curve
    from arborlink.files import write_text

    if output is not None:
        with write_text(output) as stream:
            json.dump(tuned.to_json(), stream, allow_nan=False)
            stream.write("\n")
    if plot is not None:
        with write_text(plot) as stream:
            stream.write(draw_curve(tuned.choice, str(tuned.aim)))
    written = [str(path) for path in (output, plot) if path is not None]
    if written:
        typer.echo(f"Written to {' and '.join(written)}")


def _store(tuned: Tuning, linker: Linker, model: str | None, dry_run: bool, asked: list[str]) -> None:
    from arborlink.encoders.default_model import folder_to_keep_in, why_nothing_is_kept
    from arborlink.encoders.model_folder import write_inference

    inference = tuned.choice.inference(tuned.by_type)
    folder = folder_to_keep_in(model)
    has_other_share = tuned.name_share != linker.name_share
    if folder is not None and not has_other_share:
        if dry_run:
            typer.echo(f"Not stored: {model} links as before")
        else:
            write_inference(folder, inference)
            typer.echo(f"Stored: {model} links so from now on")
        return
    options = ["--inference", inference.mode, "--neighbours", str(inference.neighbours)]
    options += ["--threshold", repr(inference.threshold)]
    if inference.by_type != linker.defaults.by_type:
        options.append("--by-type" if inference.by_type else "--no-by-type")
    if has_other_share:
        options += ["--name-share", repr(tuned.name_share)]
    why = why_nothing_is_kept(model) if folder is None else f"{model} has names with another share"
    typer.echo(f"Not stored, as {why}; link with: {shlex.join(options + asked)}")
