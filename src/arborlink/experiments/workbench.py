"""What the runs of one command share: data sets, token ids, what trainings work on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arborlink.experiments.data_sets import DataSet, open_data_set
from arborlink.experiments.reading import Reading
from arborlink.experiments.run_file import Experiment
from arborlink.experiments.statistics import statistics
from arborlink.experiments.training_data import TrainingData
from arborlink.training.config import EncoderConfig, TrainingConfig
from arborlink.training.material import Material

Tell = Callable[[str], None]


class Workbench:
    """Everything is read when it is first asked for, and once.

    Args:
        data: the folder that holds the folders of all data sets.
        device: where models run, resolved.
        limit: documents of each split to take; ``None`` takes all.
        progress: show bars; ``None`` shows them on a terminal only.
        tell: is told a line about what happens.
    """

    def __init__(
        self,
        data: Path,
        device: str,
        limit: int | None = None,
        progress: bool | None = None,
        tell: Tell = lambda line: None,
    ) -> None:
        self.data = data
        self.device = device
        self.limit = limit
        self.progress = progress
        self.tell = tell
        self._data_sets: dict[tuple[str, bool | None], DataSet] = {}
        self._statistics: dict[str, object] = {}
        self._readings: dict[tuple[object, ...], Reading] = {}
        self._training_data: dict[tuple[object, ...], TrainingData] = {}
        self._material: dict[tuple[object, ...], Material] = {}

    def data_set(self, name: str, experiment: Experiment) -> DataSet:
        """A data set, restricted by type as the run says."""
        key = name, experiment.by_type.get(name)
        if key not in self._data_sets:
            self._data_sets[key] = open_data_set(name, self.data, key[1], self.limit)
        return self._data_sets[key]

    def statistics(self, name: str, experiment: Experiment) -> object:
        """The sizes of a data set."""
        if name not in self._statistics:
            self._statistics[name] = statistics(self.data_set(name, experiment))
        return self._statistics[name]

    def reading(self, encoder: EncoderConfig) -> Reading:
        """How an encoder reads, and what it has read."""
        key = Reading.key(encoder)
        if key not in self._readings:
            self._readings[key] = Reading(encoder, self.progress)
        return self._readings[key]

    def training_data(self, experiment: Experiment) -> TrainingData:
        """What a run learns from."""
        key = _data_key(experiment)
        if key not in self._training_data:
            parts = [
                (self.data_set(name, experiment), experiment.train_splits(name))
                for name in experiment.sources
            ]
            self._training_data[key] = TrainingData.of(parts)
        return self._training_data[key]

    def material(self, experiment: Experiment, config: TrainingConfig) -> Material:
        """The same as token ids."""
        key = *_data_key(experiment), *Reading.key(config.encoder), config.dev.model_dump_json()
        if key not in self._material:
            data = self.training_data(experiment)
            self._material[key] = self.reading(config.encoder).material(data, config.dev, self.device)
        return self._material[key]


def _data_key(experiment: Experiment) -> tuple[object, ...]:
    return tuple(
        (name, experiment.by_type.get(name), experiment.train_splits(name)) for name in experiment.sources
    )
