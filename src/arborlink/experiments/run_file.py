"""A run file: what is trained on what, and how it is judged; the settings of a training and a section of its own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arborlink.errors import InputError
from arborlink.experiments.data_sets import LAYOUTS
from arborlink.files import read_lines
from arborlink.training.config import TrainingConfig
from arborlink.training.config_file import make_config, with_settings

Kind = Literal["trained", "untrained", "folder", "bm25", "look-up"]
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
        description="trained; untrained, the default of `arborlink link`; folder, a model of yours; bm25; look-up.",
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
    hide: float = Field(default=0.1, gt=0, lt=1, description="Share of the entities to hide, for hidden.")

    @property
    def trained_on(self) -> tuple[str, ...]:
        """The data sets that a training sees; none where nothing is trained."""
        return tuple(self.train or self.evaluate) if self.model == "trained" else ()

    def train_splits(self, data_set: str) -> tuple[str, ...]:
        """The splits of a data set that a training sees."""
        return tuple(self.splits.get(data_set, ["train"]))


class RunFile(BaseModel):
    """A run file, read and checked.

    Args:
        name: names the results: the file's name without its ending.
        experiment: what to do.
        config: the settings of the training.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    experiment: Experiment
    config: TrainingConfig


def read_run_file(path: Path, assignments: Iterable[str] = ()) -> RunFile:
    """Read a run file.

    Args:
        path: the file: a ``train.toml`` with a section ``[experiment]``.
        assignments: settings of the training that take the place of what the file says, as ``key=value``.

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
    config = make_config(values, path)
    experiment = _experiment(own, path)
    return RunFile(name=path.stem, experiment=experiment, config=with_settings(config, assignments))


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
    if not re.fullmatch(r"[\w.+-]+", path.stem):
        raise InputError("the name of a run file names its results: letters, digits, - _ . + only", path)
    return experiment
