"""``arborlink join``: several trained models as one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arborlink.cli.options import parsed_threshold
from arborlink.cli.output import check_output, expanded
from arborlink.errors import InputError, ModelError

if TYPE_CHECKING:
    from arborlink.encoders.model_folder import Inference, JoinedSettings


def join(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL MODEL...",
            help="Folders of models that `arborlink train` wrote; shipped: the model that comes with ArborLink.",
        ),
    ],
    output: Annotated[Path, typer.Option(help="Folder for the joined model; new or empty.")],
    shares: Annotated[
        list[float] | None,
        typer.Option(
            "--share",
            help="Share of a model in an affinity; once for each, in their order, 1 in all.  [default: equal ones]",
        ),
    ] = None,
    name_share: Annotated[
        float | None,
        typer.Option(
            help="Share of the comparison of names, beside all models together.  [default: the first model's]"
        ),
    ] = None,
    sameness: Annotated[
        float | None,
        typer.Option(help="Share, in that, of whether names are the same.  [default: the first model's]"),
    ] = None,
    description_names: Annotated[
        bool | None,
        typer.Option(
            "--description-names/--no-description-names",
            help="In that, descriptions give names too.  [default: as in the first model]",
        ),
    ] = None,
    detour: Annotated[
        float | None,
        typer.Option(
            help="What is taken off the affinity of two mentions in the graph.  [default: the first model's]"
        ),
    ] = None,
    inference: Annotated[
        str | None,
        typer.Option(
            help="directed, undirected, minimax or independent.  [default: as the first model links]"
        ),
    ] = None,
    neighbours: Annotated[
        int | None,
        typer.Option(
            min=0, help="Mentions that each mention is joined to.  [default: as the first model links]"
        ),
    ] = None,
    threshold: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|none|model",
            help="Least affinity of an edge. none: every mention is linked. model: the first model's.",
        ),
    ] = "model",
    by_type: Annotated[
        bool | None,
        typer.Option(
            "--by-type/--no-by-type",
            help="Mentions only meet entities of their own type or none.  [default: as the first model links]",
        ),
    ] = None,
) -> None:
    """Make one model of several: its affinities are the weighted mean of theirs."""
    from arborlink.encoders.joined_settings import checked_shares
    from arborlink.encoders.joining import join_models, part_settings
    from arborlink.encoders.model_folder import INFERENCE_MODES

    checked_shares(shares, len(models))
    if inference is not None and inference not in INFERENCE_MODES:
        raise InputError(f"--inference {inference} is not known; choose one of {', '.join(INFERENCE_MODES)}")
    least = parsed_threshold(threshold)
    output = expanded(output)
    check_output(output)
    folders = [_folder(model) for model in models]
    chosen = part_settings(folders[0]).inference.replaced(inference, neighbours, least, by_type)
    settings = join_models(
        folders,
        output,
        shares=shares,
        name_share=name_share,
        sameness=sameness,
        description_names=description_names,
        detour=detour,
        inference=chosen,
    )
    for line in _told(models, settings):
        typer.echo(line)
    command = shlex.join(["arborlink", "tune", "--model", str(output)])
    typer.echo(
        f"Written to {output}. Its affinities are those of no part: choose the threshold with `{command} …`, and "
        "learn with `arborlink calibrate` how sure its links are"
    )


def _folder(model: str) -> Path:
    from arborlink.encoders.default_model import SHIPPED, shipped_model

    if model != SHIPPED:
        return expanded(Path(model))
    folder = shipped_model()
    if folder is None:
        raise ModelError("this ArborLink comes with no trained model; name folders of others")
    return folder


def _told(models: Sequence[str], settings: JoinedSettings) -> list[str]:
    """What was made, a line for each kind of setting."""
    shares = (f"{model} {share:.4g}" for model, share in zip(models, settings.shares, strict=True))
    return [
        f"Joined, with the shares: {', '.join(shares)}",
        _of_names(settings),
        f"Links {_way(settings.inference)}, detour {settings.detour:g}; temperature {settings.temperature:.4g}, the "
        "mean of the parts'",
    ]


def _of_names(settings: JoinedSettings) -> str:
    if not settings.name_share:
        return "Names are not compared beside the towers"
    told = f"The comparison of names has a share of {settings.name_share:g} beside them all"
    if settings.sameness:
        told += f", sameness one of {settings.sameness:g} in that"
    return f"{told}; descriptions give names too" if settings.description_names else told


def _way(inference: Inference) -> str:
    near = f"{inference.neighbours} neighbour{'' if inference.neighbours == 1 else 's'}"
    least = "no threshold" if inference.threshold is None else f"threshold {inference.threshold:g}"
    return f"{inference.mode}, {near}, {least}{', by type' if inference.by_type else ''}"
