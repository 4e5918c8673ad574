"""One run: train or load, find neighbours, infer and measure, and everything about it as one JSON object."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arborlink.encoders.default_model import UNTRAINED
from arborlink.encoders.device import resolve_device
from arborlink.errors import TrainingError
from arborlink.experiments.baselines import Bm25, LookUp
from arborlink.experiments.measuring import Measuring, summary
from arborlink.experiments.models import Finder, LinkerFinder, TowersFinder
from arborlink.experiments.provenance import provenance, without_folders
from arborlink.experiments.results import VERSION, ResultFile
from arborlink.experiments.run_file import BASELINES, RunFile
from arborlink.experiments.workbench import Workbench
from arborlink.linker import Linker
from arborlink.training.config import TrainingConfig
from arborlink.training.config_file import with_settings
from arborlink.training.folder import check_folder


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

    Raises:
        InputError: data that a run needs is not there; nothing has been done then.
        TrainingError: trainings failed; all other runs have been done.
    """
    jobs = [
        (run, ResultFile(output, run.name, seed, bench.limit))
        for run in runs
        for seed in seeds or run.experiment.seeds
    ]
    todo = [job for job in jobs if again or not _is_there(*job, bench)]
    for run, file in todo:
        _check(run, bench)
        if models is not None and run.experiment.model == "trained":
            check_folder(models / file.path.stem, resume=False)
    failed = []
    for run, file in todo:
        bench.tell(f"{run.name}, seed {file.seed}")
        start = time.perf_counter()
        try:
            result = run_once(run, file.seed, bench, None if models is None else models / file.path.stem)
        except TrainingError as error:  # the others can do without this one
            failed.append(f"{file.path.stem}: {error}")
            bench.tell(failed[-1])
            continue
        file.write(result)
        bench.tell(f"{file.path}: written after {time.perf_counter() - start:,.1f} s")
    if failed:
        raise TrainingError(f"{len(failed)} of {len(todo)} runs failed: {'; '.join(failed)}")
    return [file.path for _, file in jobs]


def _is_there(run: RunFile, file: ResultFile, bench: Workbench) -> bool:
    if not file.is_finished():
        return False
    config = _shown(_settings(run, file.seed, bench)) if run.experiment.model == "trained" else None
    changed = file.changed_settings(config)
    others = f", made with other settings ({', '.join(changed)})" if changed else ""
    bench.tell(f"{file.path}: is there already{others}; --again does it again")
    return True


def _check(run: RunFile, bench: Workbench) -> None:
    """Find what is missing before anything is trained."""
    for name in (*run.experiment.trained_on, *run.experiment.evaluate):
        bench.data_set(name, run.experiment).files()


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
            measuring = Measuring(finder, data_set, experiment, config.dev, seed, bench.device)
            evaluation[name] = measuring.everything()
            for variant in ("", "examples"):
                if figures := evaluation[name].get(variant) if variant else evaluation[name]:
                    bench.tell(summary(f"{name} with examples" if variant else name, figures))
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
        folder = run.experiment.folder if kind == "folder" else UNTRAINED
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


def device_of(name: str) -> str:
    """The device that models run on, ``auto`` resolved."""
    return resolve_device(name)
