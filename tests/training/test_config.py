"""The settings of a training: defaults and checks, changes one by one, and their documentation."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from arborlink.errors import InputError
from arborlink.partition import MODES
from arborlink.training import config as config_module
from arborlink.training import config_file
from arborlink.training.config import DevConfig, EncoderConfig, ObjectiveConfig, TrainerConfig, TrainingConfig
from arborlink.training.config_file import make_config, settings, toml_value, with_settings
from arborlink.training.losses import LOSSES
from arborlink.training.objectives import OBJECTIVES
from arborlink.training.targets import POSITIVES

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
COUNT = "a whole number from 1 to 10,000"


def test_the_modes_are_those_of_the_partition() -> None:
    assert set(TrainingConfig().dev.modes) == set(MODES)


def test_what_can_be_chosen_is_what_there_is() -> None:
    def choices(name: str) -> set[str]:
        return set(get_args(ObjectiveConfig.model_fields[name].annotation))

    assert choices("name") == set(OBJECTIVES)
    assert choices("loss") == set(LOSSES)
    assert choices("positives") == set(POSITIVES)


def test_a_configuration_cannot_be_changed() -> None:
    config = TrainingConfig()
    with pytest.raises(ValidationError, match="frozen"):
        config.trainer.epochs = 5
    with pytest.raises(ValidationError, match="frozen"):
        config.trainer = TrainerConfig()


def test_lists_are_not_shared_between_configurations() -> None:
    TrainingConfig().dev.neighbours.append(16)
    TrainingConfig().trainer.report_to.append("x")
    assert TrainingConfig().dev.neighbours == DevConfig().neighbours != [1, 2, 4, 8, 16]
    assert TrainingConfig().trainer.report_to == []


def test_a_whole_number_may_stand_for_a_float() -> None:
    temperature = make_config({"encoder": {"temperature": 1}}).encoder.temperature
    assert (temperature, type(temperature)) == (1.0, float)


@pytest.mark.parametrize(
    "values",
    [
        {"name": "in-batch", "entity_negatives": 0, "mention_negatives": 0},
        {"name": "arborescence", "mention_negatives": 0},
        {"name": "knn", "mention_negatives": 8},
    ],
)
def test_negatives_that_an_objective_has_no_use_for_are_no_error(values: dict[str, Any]) -> None:
    assert make_config({"objective": values}).objective == ObjectiveConfig(**values)


def test_assignments_change_what_they_name_and_the_last_counts() -> None:
    config = make_config({"encoder": {"dropout": 0.2}, "trainer": {"seed": 7}})
    changed = with_settings(
        config,
        [
            "trainer.epochs=4",
            "encoder.pooling = span",
            "encoder.dropout=none",
            'trainer.report_to=["tensorboard"]',
            "dev.neighbours=[1, 2]",
            "encoder.normalise=false",
            "trainer.epochs=5",
        ],
    )
    assert changed == TrainingConfig(
        encoder=EncoderConfig(pooling="span", normalise=False),
        trainer=TrainerConfig(epochs=5, seed=7, report_to=["tensorboard"]),
        dev=DevConfig(neighbours=[1, 2]),
    )
    assert config.encoder.dropout == 0.2


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("org/model-v2", "org/model-v2"),
        ('"quoted = \\"x\\""', 'quoted = "x"'),
        ("2024", "2024"),
        ("true", "true"),
        ("none", "none"),
        ("", ""),
        ("C:\\models # 3", "C:\\models # 3"),
        ("a=b", "a=b"),
        ("1\nother = 2", "1\nother = 2"),
    ],
)
def test_a_bare_word_is_a_string(text: str, base: str) -> None:
    assert with_settings(TrainingConfig(), [f"encoder.base={text}"]).encoder.base == base


def test_assignments_are_checked_together() -> None:
    frozen = make_config({"encoder": {"freeze_embeddings": True}})
    changed = with_settings(frozen, ["encoder.lora_rank=8", "encoder.freeze_embeddings=false"])
    assert changed.encoder.lora_rank == 8


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        (
            "trainer.epochs",
            "'trainer.epochs' is no assignment; expected key=value, such as trainer.epochs=3",
        ),
        ("trainer=3", "trainer is a section, not a setting; `arborlink train --init-config` prints them all"),
        ("trainer.epoch=3", "trainer.epoch is not a setting; did you mean trainer.epochs?"),
        ("a.b.c=3", "a.b.c is not a setting; `arborlink train --init-config` prints them all"),
        ("trainer.epochs=many", f'trainer.epochs is "many"; expected {COUNT}'),
        ("trainer.epochs=", f'trainer.epochs is ""; expected {COUNT}'),
        ("trainer.epochs=none", f'trainer.epochs is "none"; expected {COUNT}'),
        ("dev.neighbours=[1, 2", "dev.neighbours is [1, 2, which is broken TOML: Unclosed array"),
        ("encoder.base=\udc80", 'encoder.base is "\udc80"; expected text that UTF-8 can write'),
    ],
)
def test_an_assignment_that_cannot_be_made_is_told(assignment: str, told: str) -> None:
    with pytest.raises(InputError) as raised:
        with_settings(TrainingConfig(), [assignment])
    assert str(raised.value) == told


@pytest.mark.parametrize("key", settings())
def test_every_setting_has_a_description_and_a_value_to_show(key: str) -> None:
    setting = settings()[key]
    assert re.fullmatch(r"\S.*\.", setting.description)
    assert (setting.default is None) == (setting.example is not None)


def settings_table() -> str:
    """The table as the documentation should have it."""
    rows = ["| Setting | Default | Values | Meaning |", "| --- | --- | --- | --- |"]
    for setting in settings().values():
        default = "not set" if setting.default is None else f"`{toml_value(setting.default)}`"
        rows.append(f"| `{setting.key}` | {default} | {setting.expected} | {setting.description} |")
    return "\n".join(rows)


def test_the_documentation_has_the_table_of_all_settings() -> None:
    table = settings_table()
    assert table in PAGE, f"docs/training.md needs this table:\n{table}"


def test_settings_named_in_the_documentation_are_settings() -> None:
    sections = "|".join(TrainingConfig.model_fields)
    named = set(re.findall(rf"[`'\s]((?:{sections})\.[a-z_]+)[`=]", PAGE))
    assert named == set(settings())


@pytest.mark.parametrize("module", [config_module, config_file])
def test_the_examples_in_docstrings_run(module: Any) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_a_mention_loses_its_context_or_its_name() -> None:
    assert (
        make_config({"objective": {"context_dropout": 0.5, "name_dropout": 0.5}}).objective.name_dropout
        == 0.5
    )
    with pytest.raises(InputError) as refused:
        make_config({"objective": {"context_dropout": 0.5, "name_dropout": 0.75}})
    assert str(refused.value) == (
        "objective.context_dropout and objective.name_dropout add up to 1.25; expected 1 at most"
    )
    with pytest.raises(InputError) as refused:
        make_config({"objective": {"name_mentions": -0.5}})
    assert str(refused.value) == "objective.name_mentions is -0.5; expected a number from 0 to 100"


def test_joint_needs_entities_to_compare_with() -> None:
    with pytest.raises(InputError) as refused:
        make_config({"objective": {"entity_negatives": 0, "shared_negatives": False}})
    assert str(refused.value) == (
        'objective.entity_negatives is 0 and objective.shared_negatives is false, but the objective "joint" compares '
        "the gold entity with other entities; raise the one or share negatives"
    )


def test_sameness_is_a_share() -> None:
    assert make_config({"encoder": {"name_share": 0.5, "sameness": 0.2}}).encoder.sameness == 0.2
    with pytest.raises(InputError) as refused:
        make_config({"encoder": {"sameness": 1}})
    assert str(refused.value) == "encoder.sameness is 1; expected a number from 0 to below 1"
    with pytest.raises(InputError) as refused:
        make_config({"encoder": {"sameness": 0.2}})
    assert str(refused.value) == (
        "encoder.sameness is 0.2, a share of the comparison of names, but encoder.name_share is 0; raise it or set "
        "sameness to 0"
    )


def test_descriptions_give_names_where_names_are_compared() -> None:
    assert not make_config({}).encoder.description_names
    assert make_config({"encoder": {"name_share": 0.5, "description_names": True}}).encoder.description_names
    with pytest.raises(InputError) as refused:
        make_config({"encoder": {"name_share": 0.5, "description_names": 1}})
    assert str(refused.value) == "encoder.description_names is 1; expected true or false"
    with pytest.raises(InputError) as refused:
        make_config({"encoder": {"description_names": True}})
    assert str(refused.value) == (
        "encoder.description_names is true, but encoder.name_share is 0, so that names are not compared; raise it or "
        "set description_names to false"
    )
