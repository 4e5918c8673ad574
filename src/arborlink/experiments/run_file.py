"""A run file: what is trained on what, and how it is judged; the settings of a training and a section of its own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arborlink.errors import InputError
from arborlink.experiments.data_sets import LAYOUTS
from arborlink.experiments.results import RECALL_AT
from arborlink.experiments.run_sections import RERANKER_SECTIONS, RunSections
from arborlink.files import read_lines
from arborlink.training.config import TrainingConfig
from arborlink.training.config_file import make_sections, with_settings
from arborlink.training.reranker.config import RerankerConfig

Kind = Literal["trained", "shipped", "untrained", "folder", "bm25", "look-up"]
Protocol = Literal["linking", "hidden", "missing"]
BASELINES = ("bm25", "look-up")
_SECTION = "experiment"


class Experiment(BaseModel):
    """``[experiment]``: everything about a run but the settings of the training."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    row: str = Field(
        description="What the run is called in the tables; runs of one row differ in data or seed."
    )
    model: Kind = Field(
        default="trained",
        description="trained in the run; shipped, the model that comes with ArborLink; untrained, the embedded base; "
        "folder, a model of yours; bm25; look-up.",
    )
    folder: str = Field(default="", description="The model's folder or name, for folder.")
    evaluate: list[str] = Field(min_length=1, description="Data sets to report.")
    train: list[str] = Field(default=[], description="Data sets to train on; by default those to report.")
    splits: dict[str, list[str]] = Field(
        default={}, description="Splits to train on, for each data set; by default its train split."
    )
    by_type: dict[str, bool] = Field(
        default={},
        description="Whether mentions only meet their own type; by default as is usual for the data set.",
    )
    seeds: list[int] = Field(default=[0], min_length=1, description="Seeds to run.")
    protocols: list[Protocol] = Field(
        default=["linking", "hidden", "missing"],
        min_length=1,
        description="linking: accuracy and recall; hidden: discovery, with entities hidden; missing: discovery of "
        "those that are really missing.",
    )
    examples: bool = Field(
        default=False,
        description="Measure also with the labelled mentions of the train splits as voters for their entities.",
    )
    dev_examples: bool = Field(
        default=False,
        description="On test, the labelled mentions of dev are examples as well, once dev has chosen; an entity that "
        "dev mentions then counts as seen.",
    )
    detour: float | None = Field(
        default=None,
        ge=0,
        le=1000,
        description="What is taken off the affinity of two mentions, for models that are not trained in the run; by "
        "default the model's own. For others dev.detour says it.",
    )
    name_shares: list[Annotated[float, Field(gt=0, lt=1)]] = Field(
        default=[],
        description="Shares of the comparison of names beside towers that dev chooses from, for each data set, with "
        "examples and without; for models that are not trained in the run. By default the model's own.",
    )
    shared_words: float = Field(
        default=0.0,
        ge=0,
        le=1000,
        description="The share that words around a mention have in who is nearest, where descriptions say them too.",
    )
    hide: float = Field(default=0.1, gt=0, lt=1, description="Share of the entities to hide, for hidden.")

    @property
    def sources(self) -> tuple[str, ...]:
        """The data sets that whatever is trained, towers or a re-ranker, learns from."""
        return tuple(self.train or self.evaluate)

    @property
    def trained_on(self) -> tuple[str, ...]:
        """The data sets that the towers have learned from in this run; none where they are not trained in it."""
        return self.sources if self.model == "trained" else ()

    def train_splits(self, data_set: str) -> tuple[str, ...]:
        """The splits of a data set that a training sees."""
        return tuple(self.splits.get(data_set, ["train"]))


class RunFile(BaseModel):
    """A run file, read and checked.

    Args:
        path: the file.
        experiment: what to do.
        config: the settings of the training.
        reranker: those of the re-ranker's training; ``None`` where the run has no re-ranker.
    """

    model_config = ConfigDict(frozen=True)

    path: Path
    experiment: Experiment
    config: TrainingConfig
    reranker: RerankerConfig | None = None

    @property
    def name(self) -> str:
        """What the results are called: the file's name without its ending."""
        return self.path.stem

    @property
    def learned_from(self) -> tuple[str, ...]:
        """The data sets that anything in this run learns from."""
        return self.experiment.trained_on if self.reranker is None else self.experiment.sources


def read_run_file(path: Path, assignments: Iterable[str] = ()) -> RunFile:
    """Read a run file.

    Args:
        path: the file: a ``train.toml`` with a section ``[experiment]``, and ``[reranker]`` and
            ``[reranker_trainer]`` if a re-ranker is to be trained as well.
        assignments: settings of the trainings that take the place of what the file says, as ``key=value``.

    Raises:
        InputError: the file cannot be read, or says what cannot be.
    """
    text = "\n".join(line for _, line in read_lines(path))
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"broken TOML: {error}", path) from error
    own = values.pop(_SECTION, None)
    if not isinstance(own, dict):
        raise InputError("has no section [experiment], which says what data to run on", path)
    sections = make_sections(RunSections, values, path)
    experiment = _experiment(own, path)
    changes = list(assignments)
    has_reranker = any(section in values for section in RERANKER_SECTIONS)
    changed = with_settings(sections, changes)
    if not has_reranker and (lost := _of_reranker(changes)):
        raise InputError(
            f"{lost[0]} is set, but the run has no re-ranker; give the file a section [reranker]", path
        )
    reranker = changed.reranker_config if has_reranker else None
    if reranker is not None:
        _check_reranker(reranker, experiment, path)
    return RunFile(path=path, experiment=experiment, config=changed.training, reranker=reranker)


def _of_reranker(assignments: list[str]) -> list[str]:
    keys = [assignment.partition("=")[0].strip() for assignment in assignments]
    return [key for key in keys if key.partition(".")[0] in RERANKER_SECTIONS]


def _check_reranker(config: RerankerConfig, experiment: Experiment, path: Path) -> None:
    if experiment.model in BASELINES:
        raise InputError(
            f'experiment.model is "{experiment.model}", but a re-ranker needs towers; leave out [reranker]',
            path,
        )
    if experiment.name_shares:
        raise InputError(
            "has experiment.name_shares and a re-ranker, which learns from what one share finds; leave out one",
            path,
        )
    if config.reranker.n > RECALL_AT:
        raise InputError(
            f"reranker.n is {config.reranker.n}; experiments find {RECALL_AT} entities of each mention, so expected "
            f"at most {RECALL_AT}",
            path,
        )


def _experiment(values: dict[str, Any], path: Path) -> Experiment:
    try:
        experiment = Experiment.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, (_SECTION, *first["loc"])))
        raise InputError(f"{key}: {first['msg']}; see docs/experiments_howto.md", path) from error
    named = {*experiment.evaluate, *experiment.train, *experiment.splits, *experiment.by_type}
    if unknown := sorted(named - LAYOUTS.keys()):
        raise InputError(f"the data set {unknown[0]!r} is not known; there are {', '.join(LAYOUTS)}", path)
    if experiment.model == "folder" and not experiment.folder:
        raise InputError('experiment.model is "folder", but experiment.folder names none', path)
    if experiment.detour is not None and experiment.model in ("trained", *BASELINES):
        raise InputError(
            f'experiment.detour is {experiment.detour:g}, but experiment.model is "{experiment.model}"; set '
            "dev.detour for a model that is trained, and none for a baseline",
            path,
        )
    if experiment.name_shares and experiment.model not in ("shipped", "folder"):
        raise InputError(
            f'experiment.name_shares are given, but experiment.model is "{experiment.model}"; they are for a model '
            "that is there and has names beside its towers",
            path,
        )
    if experiment.shared_words and experiment.model in BASELINES:
        raise InputError(
            f"experiment.shared_words is {experiment.shared_words:g}, but experiment.model is "
            f'"{experiment.model}", a baseline; leave it out',
            path,
        )
    if experiment.dev_examples and not experiment.examples:
        raise InputError(
            "experiment.dev_examples is true, but experiment.examples is not; set both, or none", path
        )
    if not re.fullmatch(r"[\w.+-]+", path.stem):
        raise InputError("the name of a run file names its results: letters, digits, - _ . + only", path)
    return experiment
