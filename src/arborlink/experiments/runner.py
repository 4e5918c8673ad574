"""One run: train or load, find neighbours, infer and measure, and everything about it as one JSON object."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from arborlink.encoders.default_model import UNTRAINED, shipped_model
from arborlink.encoders.device import resolve_device
from arborlink.encoders.loading import load_names
from arborlink.errors import InputError, ModelError, TrainingError
from arborlink.experiments.baselines import Baseline, Bm25, LookUp
from arborlink.experiments.measuring import Measuring, summaries
from arborlink.experiments.models import LinkerFinder, Searcher, TowersFinder
from arborlink.experiments.name_shares import measured
from arborlink.experiments.provenance import provenance, without_folders
from arborlink.experiments.results import VERSION, ResultFile
from arborlink.experiments.run_file import BASELINES, RunFile
from arborlink.experiments.run_sections import RERANKER_SECTIONS
from arborlink.experiments.second_look import SecondLook, check_base, train_second_look
from arborlink.experiments.workbench import Workbench
from arborlink.linker import Linker
from arborlink.reranking import write_reranker
from arborlink.shared_words import SharedWords
from arborlink.training.config import TrainingConfig
from arborlink.training.config_file import with_settings
from arborlink.training.folder import check_folder
from arborlink.training.reranker.config import RerankerConfig


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
        InputError: data or a model that a run needs is not there; nothing has been done then.
        ModelError: a model that a run needs cannot be used; nothing has been done then.
        TrainingError: trainings failed; all other runs have been done.
    """
    jobs = [
        (run, ResultFile(output, run.name, seed, bench.limit))
        for run in runs
        for seed in seeds or run.experiment.seeds
    ]
    todo = [job for job in jobs if again or not _is_there(*job, bench)]
    for run in runs:
        if any(run is each for each, _ in todo):
            _check(run, bench)
    for run, file in todo:
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
    changed = file.changed_settings(_shown(run, *_settings(run, file.seed, bench)))
    others = f", made with other settings ({', '.join(changed)})" if changed else ""
    bench.tell(f"{file.path}: is there already{others}; --again does it again")
    return True


def _check(run: RunFile, bench: Workbench) -> None:
    """Find what is missing before anything is trained."""
    for name in (*run.learned_from, *run.experiment.evaluate):
        bench.data_set(name, run.experiment).files()
    if run.experiment.model in ("shipped", "folder"):
        linker = _linker(run, "cpu")
        for share in run.experiment.name_shares:
            linker.with_name_share(share)
    if run.reranker is not None:
        check_base(run.reranker)


def run_once(run: RunFile, seed: int, bench: Workbench, model: Path | None = None) -> dict[str, Any]:
    """Do one run with one seed; see ``docs/experiments_howto.md`` for what comes out."""
    experiment = run.experiment
    config, reranker = _settings(run, seed, bench)
    sets = {name: bench.data_set(name, experiment) for name in experiment.evaluate}
    result: dict[str, Any] = {
        "version": VERSION,
        "run": run.name,
        "row": experiment.row,
        "model": experiment.model,
        "seed": seed,
        "limit": bench.limit,
        "experiment": experiment.model_dump() | {"folder": without_folders(experiment.folder)},
        "config": _shown(run, config, reranker),
        "provenance": provenance(),
        "data": {
            name: {
                "files": bench.data_set(name, experiment).fingerprint(),
                "statistics": bench.statistics(name, experiment),
            }
            for name in dict.fromkeys([*run.learned_from, *experiment.evaluate])
        },
        "training": None,
    }
    evaluation: dict[str, Any] = {}
    with _finder(run, config, bench, model, result) as finder:
        share = experiment.shared_words
        words = SharedWords(share, progress=bench.progress) if share else None
        look = _second_look(run, finder, reranker, bench, model, result, words)
        for name, data_set in sets.items():
            measure = partial(
                Measuring,
                data_set=data_set,
                experiment=experiment,
                ways=config.dev,
                seed=seed,
                device=bench.device,
                look=look,
                words=words,
            )
            evaluation[name] = measured(finder, experiment.name_shares, measure)
            for line in summaries(name, evaluation[name]):
                bench.tell(line)
    return result | {"evaluation": evaluation}


def _settings(run: RunFile, seed: int, bench: Workbench) -> tuple[TrainingConfig, RerankerConfig | None]:
    """The run's settings with this seed; a model of one data set links by type if its data set does."""
    assignments = [f"trainer.seed={seed}"]
    trained_on = run.experiment.trained_on
    reranker = None if run.reranker is None else with_settings(run.reranker, assignments)
    if len(trained_on) == 1 and bench.data_set(trained_on[0], run.experiment).by_type:
        assignments.append("objective.by_type=true")
    return with_settings(run.config, assignments), reranker


def _shown(run: RunFile, config: TrainingConfig, reranker: RerankerConfig | None) -> dict[str, Any] | None:
    """The settings of what is trained in the run, in the sections of its file; ``None`` where nothing is."""
    values: dict[str, Any] = {}
    if run.experiment.model == "trained":
        values |= config.model_dump()
        values["encoder"]["base"] = without_folders(values["encoder"]["base"])
    if reranker is not None:
        sections = (reranker.reranker.model_dump(), reranker.trainer.model_dump())
        values |= dict(zip(RERANKER_SECTIONS, sections, strict=True))
        values["reranker"]["base"] = without_folders(values["reranker"]["base"])
    return values or None


@contextmanager
def _finder(
    run: RunFile, config: TrainingConfig, bench: Workbench, model: Path | None, result: dict[str, Any]
) -> Iterator[Baseline | Searcher]:
    """What finds neighbours in this run; how it was trained is told in ``result``."""
    kind = run.experiment.model
    if kind in BASELINES:
        yield Bm25() if kind == "bm25" else LookUp()
    elif kind != "trained":
        yield LinkerFinder(_linker(run, bench.device, bench.progress))
    else:
        with tempfile.TemporaryDirectory() as folder:
            where = Path(folder) / "model" if model is None else model
            yield _train(run, config, bench, where, model is not None, result)
    gc.collect()


def _linker(run: RunFile, device: str, progress: bool | None = None) -> Linker:
    """The model of a run that trains no towers.

    Raises:
        InputError: the run file names a folder that is not there, nor is it a Hugging Face name that can be loaded.
        ModelError: the model cannot be used, or is the one that ships, and none does.
    """
    model, detour = _model_there(run), run.experiment.detour
    try:
        linker = Linker.load(model, device=device, progress=progress, reranker=False)
        return linker if detour is None else linker.with_detour(detour)
    except ModelError as error:
        if run.experiment.model != "folder" or Path(model).is_dir():
            raise
        # "models/mine" may be either: only that it cannot be loaded shows that the folder was meant.
        raise InputError(
            f'experiment.folder is "{model}", and there is no such folder; train it first, the file may say how: '
            f"{error}",
            run.path,
        ) from error


def _model_there(run: RunFile) -> str | Path:
    if run.experiment.model == "shipped":
        folder = shipped_model()
        if folder is None:
            raise ModelError("this ArborLink comes with no trained model; train one, and name its folder")
        return folder
    return run.experiment.folder if run.experiment.model == "folder" else UNTRAINED


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
    encoder, names = config.encoder, None
    if encoder.name_share:
        names = load_names(encoder.sameness, encoder.description_names, bench.device, progress=bench.progress)
    return TowersFinder(trainer, bench.reading(encoder), names, encoder.name_share, config.dev.detour)


def _second_look(
    run: RunFile,
    finder: Baseline | Searcher,
    config: RerankerConfig | None,
    bench: Workbench,
    model: Path | None,
    result: dict[str, Any],
    words: SharedWords | None,
) -> SecondLook | None:
    """The run's re-ranker, if it has one; it goes into the model's folder where that is kept."""
    if config is None or isinstance(finder, Baseline):
        return None
    data, experiment = bench.training_data(run.experiment), run.experiment
    look, told = train_second_look(finder, data, config, bench, experiment.examples, words)
    result["training"] = (result["training"] or {}) | {"reranker": told}
    if model is not None and experiment.model == "trained":
        write_reranker(model, look.reranker)
    return look


def device_of(name: str) -> str:
    """The device that models run on, ``auto`` resolved."""
    return resolve_device(name)
