"""The file of settings: read, refused with what it could say, written with descriptions, read back equal."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.errors import InputError
from arborlink.partition import MODES
from arborlink.training.config import DevConfig, EncoderConfig, TrainerConfig, TrainingConfig
from arborlink.training.config_file import read_config, toml_value, write_config
from arborlink.training.config_file import settings as known_settings

COUNT = "a whole number from 1 to 10,000"
MODE_LIST = 'a list of one or more, each item one of "independent", "undirected", "directed", "minimax"'


def message(text: str, path: Path) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_config(path)
    assert raised.value.path == path
    return str(raised.value).replace(str(path), path.name)


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "train.toml").write_bytes(b"")
    assert read_config(tmp_path / "train.toml") == TrainingConfig()


def test_a_file_is_read_section_by_section(tmp_path: Path) -> None:
    text = '\ufeff[encoder]\r\nbase = "mine"\r\ndropout = 0\r\n[dev]\r\nneighbours = [1, 3]\r\nmodes = ["minimax"]'
    (tmp_path / "train.toml").write_text(text, encoding="utf-8", newline="")
    assert read_config(str(tmp_path / "train.toml")) == TrainingConfig(
        encoder=EncoderConfig(base="mine", dropout=0.0),
        dev=DevConfig(neighbours=[1, 3], modes=["minimax"]),
    )


PROBLEMS = {
    "[trainer]\nlearning_rat = 1e-5": (
        "train.toml: trainer.learning_rat is not a setting; did you mean trainer.learning_rate?"
    ),
    "[encoder]\nlearning_rate = 1e-5": (
        "train.toml: encoder.learning_rate is not a setting; did you mean trainer.learning_rate?"
    ),
    "epochs = 3": "train.toml: epochs is not a setting; did you mean trainer.epochs?",
    "[trainer]\nzzzz = 1": (
        "train.toml: trainer.zzzz is not a setting; `arborlink train --init-config` prints them all"
    ),
    "[trainr]\nepochs = 3": "train.toml: [trainr] is not a section; did you mean [trainer]?",
    "[optimizer]\nlr = 3": (
        "train.toml: [optimizer] is not a section; there are [encoder], [objective], [trainer], [dev]"
    ),
    "trainer = 3": "train.toml: trainer is 3; expected a section [trainer] with settings below it",
    "[trainer.epochs]\nn = 3": f"train.toml: trainer.epochs is a section; expected {COUNT}",
    "[trainer]\nepochs = 0\n[dev]\nrecall = 3": (
        "train.toml: dev.recall is not a setting; did you mean dev.recall_at?"
    ),
    "[trainer]\nepochs = '3'": f'train.toml: trainer.epochs is "3"; expected {COUNT}',
    "[trainer]\nepochs = 3.0": f"train.toml: trainer.epochs is 3.0; expected {COUNT}",
    "[trainer]\nepochs = true": f"train.toml: trainer.epochs is true; expected {COUNT}",
    "[trainer]\nepochs = 0": f"train.toml: trainer.epochs is 0; expected {COUNT}",
    "[trainer]\nepochs = 2024-01-31": f"train.toml: trainer.epochs is 2024-01-31; expected {COUNT}",
    f"[trainer]\nepochs = 0x{'f' * 9000}": (
        f"train.toml: trainer.epochs is a number too long to show; expected {COUNT}"
    ),
    f"[trainer]\nepochs = '{'x' * 99}'": f'train.toml: trainer.epochs is "{"x" * 58}…; expected {COUNT}',
    "[trainer]\nbatch_size = -1": (
        "train.toml: trainer.batch_size is -1; expected a whole number from 0 to 1,000,000"
    ),
    "[trainer]\nlearning_rate = inf": (
        "train.toml: trainer.learning_rate is inf; expected a number above 0, at most 1"
    ),
    "[trainer]\nlearning_rate = 0": (
        "train.toml: trainer.learning_rate is 0; expected a number above 0, at most 1"
    ),
    "[trainer]\nreport_to = 'wandb'": (
        'train.toml: trainer.report_to is "wandb"; expected a list, each item a string'
    ),
    "[encoder]\ndropout = 1": "train.toml: encoder.dropout is 1; expected a number from 0 to below 1",
    "[encoder]\nnormalise = 1": "train.toml: encoder.normalise is 1; expected true or false",
    "[encoder]\nbase = 5": "train.toml: encoder.base is 5; expected a string",
    "[encoder]\npooling = 'max'": (
        'train.toml: encoder.pooling is "max"; expected one of "mean", "cls", "span"'
    ),
    "[encoder]\nmention_tokens = 8": (
        "train.toml: encoder.mention_tokens is 8; expected a whole number from 16 to 512"
    ),
    "[encoder]\nlora_rank = 8\nfreeze_embeddings = true": (
        "train.toml: encoder.lora_rank is 8 and encoder.freeze_embeddings is true, but LoRA freezes the embeddings "
        "anyway; set one of them to 0 or false"
    ),
    "[objective]\nname = 'knn'\nentity_negatives = 0\nmention_negatives = 0": (
        "train.toml: objective.entity_negatives and objective.mention_negatives are both 0, but the objective "
        '"knn" needs negatives; raise one of them or choose "in-batch"'
    ),
    "[dev]\nneighbours = [4, 2]": (
        "train.toml: dev.neighbours is [4, 2]; expected ascending numbers, each once"
    ),
    "[dev]\nneighbours = [2, 2]": (
        "train.toml: dev.neighbours is [2, 2]; expected ascending numbers, each once"
    ),
    "[dev]\nneighbours = [0, 1]": (
        "train.toml: dev.neighbours is [0, 1]; expected a list of one or more, each item a whole number from 1 to "
        "1,024"
    ),
    "[dev]\nmodes = []": f"train.toml: dev.modes is []; expected {MODE_LIST}",
    "[dev]\nmodes = ['best']": f'train.toml: dev.modes is ["best"]; expected {MODE_LIST}',
    "[dev]\nmodes = ['minimax', 'minimax']": (
        'train.toml: dev.modes is ["minimax", "minimax"]; expected each item once'
    ),
    "\n[trainer\nepochs = 3": (
        "train.toml:2: broken TOML: Expected ']' at the end of a table declaration at column 9"
    ),
    "[trainer]\nepochs =": "train.toml:2: broken TOML: Invalid value at the end",
    f"a = {'[' * 100_000}": "train.toml: broken TOML: it is nested too deeply",
}


@pytest.mark.parametrize(("text", "told"), PROBLEMS.items(), ids=lambda text: text[:50])
def test_what_a_file_cannot_say_is_told_with_what_it_could(text: str, told: str, tmp_path: Path) -> None:
    assert message(text, tmp_path / "train.toml") == told


def test_a_file_that_is_not_there_or_not_utf8_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml:1?:? ?cannot be read: No such file or directory"):
        read_config(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes("[encoder]\nbase = 'é'".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.toml:2: not UTF-8: byte 0xe9"):
        read_config(tmp_path / "latin.toml")


def ascending(numbers: list[int]) -> list[int]:
    return sorted(set(numbers))


CONFIGURATIONS = st.builds(
    TrainingConfig,
    encoder=st.builds(
        EncoderConfig,
        base=st.text(),
        temperature=st.floats(0, 1000, exclude_min=True),
        dropout=st.none() | st.floats(0, 1, exclude_max=True),
        normalise=st.booleans(),
        pooling=st.sampled_from(["mean", "cls", "span"]),
    ),
    trainer=st.builds(
        TrainerConfig,
        seed=st.integers(0, 2**32 - 1),
        learning_rate=st.floats(0, 1, exclude_min=True),
        report_to=st.lists(st.text(), unique=True),
    ),
    dev=st.builds(
        DevConfig,
        modes=st.lists(st.sampled_from(MODES), min_size=1, unique=True),
        neighbours=st.lists(st.integers(1, 1024), min_size=1).map(ascending),
    ),
)


@settings(deadline=None)
@given(config=CONFIGURATIONS)
def test_a_written_file_reads_back_equal(
    config: TrainingConfig, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "round_trip.toml"
    path.write_text(write_config(config), encoding="utf-8", newline="\n")
    assert read_config(path) == config


@settings(deadline=None)
@given(st.text())
def test_strings_are_escaped(text: str) -> None:
    assert tomllib.loads(f"value = {toml_value(text)}") == {"value": text}


def test_the_written_file_describes_every_setting_above_it() -> None:
    written = write_config(TrainingConfig())
    position = 0
    for setting in known_settings().values():
        section, name = setting.key.split(".")
        found = re.compile(rf"((?:# .*\n)+)(?:# )?{name} = ").search(written, position)
        assert found is not None, setting.key
        told = " ".join(found[1].replace("# ", "").split())
        assert told.endswith(f"{setting.description} Expected: {setting.expected}."), setting.key
        assert written[: found.start()].count(f"[{section}]") == 1
        position = found.end()
    assert "\n# dropout = 0.1\n" in written
    assert written.isascii(), "it is printed on terminals of any encoding"
    assert max(map(len, written.splitlines())) <= 100
