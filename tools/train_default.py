"""Train the model that ships: one encoder for the data sets of the experiments, each mention with its own entities.

    python tools/train_default.py --data DATA --output MODEL
    python tools/train_default.py --data DATA --output MODEL --set trainer.epochs=2 --device cuda

It is ``arborlink train`` with the settings of :data:`RECIPE`, over several knowledge bases at once and without dev:
the last epoch is kept, and ``arborlink tune`` chooses how to link afterwards. ``--train`` leaves a data set out, for
``experiments/default-without-*.toml``; ``tools/pack_model.py`` packs what was trained.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from arborlink.encoders.device import resolve_device
from arborlink.experiments.run_file import Experiment
from arborlink.experiments.workbench import Workbench
from arborlink.training.config_file import make_config, with_settings
from arborlink.training.folder import check_folder
from arborlink.training.run import Training
from arborlink.training.surroundings import quiet_libraries

# Names have a large share, and equal ones a bonus: towers carry over to knowledge bases where many entities share a
# name, and not to those where none do (docs/experiments.md).
RECIPE = [
    "encoder.name_share=0.45",
    "encoder.sameness=0.2",
    "encoder.description_names=true",
    "objective.name=knn",
    "objective.entity_negatives=2",
    "objective.mention_negatives=2",
    "objective.name_mentions=0.5",
    "trainer.epochs=5",
    "trainer.batch_size=1024",
    "trainer.block_size=8",
    "trainer.learning_rate=2e-4",
    "trainer.checkpoint_steps=100",
]


def main() -> None:
    """Read, train, write the model; a run that was killed goes on."""
    arguments = _arguments()
    config = with_settings(make_config({}), [*RECIPE, *arguments.set])
    check_folder(arguments.output, resume=arguments.resume)
    device = resolve_device(arguments.device)
    bench = Workbench(arguments.data, device, arguments.limit, None, _say)
    experiment = Experiment(row="default", train=arguments.train, evaluate=arguments.train)
    data = bench.training_data(experiment)
    material = replace(bench.reading(config.encoder).material(data, config.dev, device), dev=None)
    with quiet_libraries():
        training = Training(data.kb, data.train, None, arguments.output, config, device, None, _say, material)
        _say(training.finish(training.go()).summary())


def _say(line: str) -> None:
    print(line, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--train", nargs="+", default=["medmentions", "wikis", "bc5cdr"], help="data sets")
    parser.add_argument("--output", type=Path, required=True, help="the model's folder")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was killed")
    parser.add_argument("--set", action="append", default=[], help="a setting, as in arborlink train --set")
    parser.add_argument("--limit", type=int, help="documents of each split")
    parser.add_argument("--device", default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
