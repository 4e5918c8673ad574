"""One run: train or load, find neighbours, infer and measure, and everything about it as one JSON object."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arborlink.encoders.device import resolve_device
from arborlink.experiments.baselines import Bm25, LookUp
from arborlink.experiments.data_sets import DataSet
from arborlink.experiments.discovery import hidden_figures, missing_figures
from arborlink.experiments.linking import Linked, linking_figures
from arborlink.experiments.models import Finder, Found, LinkerFinder, TowersFinder
from arborlink.experiments.provenance import provenance, without_folders
from arborlink.experiments.results import RECALL_AT, VERSION, ResultFile
from arborlink.experiments.run_file import BASELINES, RunFile
from arborlink.experiments.workbench import Workbench
from arborlink.linker import Linker
from arborlink.training.config import TrainingConfig
from arborlink.training.config_file import with_settings


def run_all(
    runs: Sequence[RunFile],
    bench: Workbench,
    output: Path,
    *,
    seeds: Sequence[int] | None = None,
    models: Path | None = None,
    again: bool = False,
) -> list[Path]:
    """Do every run with every seed; each result is written as soon as it is there.

    Args:
        runs: the run files.
        bench: what they share.
        output: folder of the results.
        seeds: take the place of the seeds the files name.
        models: keep the trained models in this folder, ``<run>-seed<seed>`` each; ``None`` keeps none.
        again: do runs again whose result is there.

    Returns:
        The files of the results, those that were there before included.
    """
    written = []
    for run in runs:
        for seed in seeds or run.experiment.seeds:
            file = ResultFile(output, run.name, seed)
            written.append(file.path)
            if file.is_finished() and not again:
                bench.tell(f"{file.path}: is there already; --again does it again")
                continue
            bench.tell(f"{run.name}, seed {seed}")
            kept = None if models is None else models / file.path.stem
            start = time.perf_counter()
            file.write(run_once(run, seed, bench, kept))
            bench.tell(f"{file.path}: written after {time.perf_counter() - start:,.1f} s")
    return written


def run_once(run: RunFile, seed: int, bench: Workbench, model: Path | None = None) -> dict[str, Any]:
    """Do one run with one seed; see ``docs/experiments_howto.md`` for what comes out."""
    experiment = run.experiment
    config = _settings(run, seed, bench)
    sets = {name: bench.data_set(name, experiment) for name in experiment.evaluate}
    result: dict[str, Any] = {
        "version": VERSION,
        "run": run.name,
        "row": experiment.row,
        "model": experiment.model,
        "seed": seed,
        "limit": bench.limit,
        "experiment": experiment.model_dump() | {"folder": without_folders(experiment.folder)},
        "config": _shown(config) if experiment.model == "trained" else None,
        "provenance": provenance(),
        "data": {
            name: {
                "files": bench.data_set(name, experiment).fingerprint(),
                "statistics": bench.statistics(name, experiment),
            }
            for name in dict.fromkeys([*experiment.trained_on, *experiment.evaluate])
        },
        "training": None,
    }
    evaluation: dict[str, Any] = {}
    with _finder(run, config, bench, model, result) as finder:
        for name, data_set in sets.items():
            evaluation[name] = _evaluate(finder, data_set, run, config, seed)
            bench.tell(_summary(name, evaluation[name]))
    return result | {"evaluation": evaluation}


def _settings(run: RunFile, seed: int, bench: Workbench) -> TrainingConfig:
    """The run's settings with this seed; a model of one data set links by type if its data set does."""
    assignments = [f"trainer.seed={seed}"]
    trained_on = run.experiment.trained_on
    if len(trained_on) == 1 and bench.data_set(trained_on[0], run.experiment).by_type:
        assignments.append("objective.by_type=true")
    return with_settings(run.config, assignments)


def _shown(config: TrainingConfig) -> dict[str, Any]:
    values = config.model_dump()
    values["encoder"]["base"] = without_folders(values["encoder"]["base"])
    return values


@contextmanager
def _finder(
    run: RunFile, config: TrainingConfig, bench: Workbench, model: Path | None, result: dict[str, Any]
) -> Iterator[Finder]:
    """What finds neighbours in this run; how it was trained is told in ``result``."""
    kind = run.experiment.model
    if kind in BASELINES:
        yield Bm25() if kind == "bm25" else LookUp()
    elif kind != "trained":
        folder = run.experiment.folder if kind == "folder" else None
        yield LinkerFinder(Linker.load(folder, device=bench.device, progress=bench.progress))
    else:
        with tempfile.TemporaryDirectory() as folder:
            where = Path(folder) / "model" if model is None else model
            yield _train(run, config, bench, where, model is not None, result)
    gc.collect()


def _train(
    run: RunFile, config: TrainingConfig, bench: Workbench, folder: Path, keep: bool, result: dict[str, Any]
) -> TowersFinder:
    from arborlink.experiments.training import train

    start = time.perf_counter()
    material = bench.material(run.experiment, config)
    prepared = time.perf_counter() - start
    data = bench.training_data(run.experiment)
    trainer, told = train(data, material, config, folder, bench, keep)
    told["seconds"] = {"preparing": prepared, **told["seconds"]}
    result["training"] = told
    return TowersFinder(trainer, bench.reading(config.encoder))


def _evaluate(
    finder: Finder, data_set: DataSet, run: RunFile, config: TrainingConfig, seed: int
) -> dict[str, Any]:
    protocols, neighbours = run.experiment.protocols, config.dev.neighbours
    figures: dict[str, Any] = {"by_type": data_set.by_type}
    sides = [finder.find(data_set.split(name), RECALL_AT, max(neighbours)) for name in ("dev", "test")]
    dev, test = sides
    figures["seconds"] = test.seconds
    tried = [k for k in neighbours if k <= min(each.hood.others.items.shape[1] for each in sides)]
    if "linking" in protocols:
        linked = [Linked.of(found, tried) for found in sides]
        figures["linking"] = linking_figures(linked[0], linked[1], data_set, config.dev.modes)
        if data_set.id_map is not None:
            figures["linking_mapped"] = linking_figures(
                linked[0], linked[1], data_set, config.dev.modes, data_set.id_map
            )
    if tried and "hidden" in protocols:
        figures["hidden"] = hidden_figures(dev, test, run.experiment.hide, seed, tried)
    if tried and "missing" in protocols:
        figures["missing"] = _missing(finder, data_set, (dev, test), tried, max(neighbours))
    return figures


def _missing(
    finder: Finder, data_set: DataSet, found: tuple[Found, Found], tried: Sequence[int], n_others: int
) -> dict[str, Any] | None:
    names = [data_set.with_missing(name) for name in ("dev", "test")]
    dev, test = (
        before
        if name is None or name == before.split.name
        else finder.find(data_set.split(name), RECALL_AT, n_others)
        for name, before in zip(names, found, strict=True)
    )
    return missing_figures(dev, test, tried, data_set.train_ids)


def _summary(name: str, figures: dict[str, Any]) -> str:
    """The most important figures in one line."""
    parts = [name]
    if "linking" in figures:
        linking = figures["linking"]
        for mode, own in linking["modes"].items():
            mark = "*" if mode == linking["mode"] else ""
            parts.append(f"{mode}{mark} {100 * (own['accuracy']['all'] or 0):.1f} (k = {own['k']})")
        parts.append(f"recall@{linking['recall']['at']} {100 * (linking['recall']['share']['all'] or 0):.1f}")
    for protocol in ("hidden", "missing"):
        if figures.get(protocol):
            methods = figures[protocol]["methods"]
            best = max(methods, key=lambda method: methods[method]["dev_mean"])
            parts.append(f"{protocol} {methods[best]['mean']:.4f} ({best})")
    return ", ".join(parts)


def device_of(name: str) -> str:
    """The device that models run on, ``auto`` resolved."""
    return resolve_device(name)
