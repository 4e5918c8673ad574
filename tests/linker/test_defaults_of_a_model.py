"""What a model's folder says about linking holds until somebody says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arborlink.encoders.building import build_tower
from arborlink.encoders.model_folder import Inference, ModelSettings, write_towers
from arborlink.encoders.views import Markers
from arborlink.errors import InputError
from arborlink.linker import Linker
from arborlink.result import Result

LinkGiven = Callable[..., Result]

TO_ENTITIES = [[0.8, 0.0], [0.0, 0.7], [0.1, 0.05]]
PAIRS = {(0, 1): 0.9, (1, 2): 0.95}
MODEL = Inference(mode="undirected", neighbours=2, threshold=0.5, by_type=False)


def used(result: Result) -> tuple[Any, ...]:
    return tuple(result.settings[name] for name in ("inference", "neighbours", "threshold", "by_type"))


@pytest.fixture
def link_xyz(link_given: LinkGiven) -> LinkGiven:
    return lambda **options: link_given("xyz", "AC", TO_ENTITIES, PAIRS, **options)


def test_without_a_model_of_its_own_mind(link_xyz: LinkGiven) -> None:
    assert used(link_xyz()) == ("directed", 1, None, False)


def test_what_is_not_given_is_the_models(link_xyz: LinkGiven) -> None:
    assert used(link_xyz(defaults=MODEL)) == ("undirected", 2, 0.5, False)
    given = link_xyz(inference="undirected", neighbours=2, threshold=0.5, by_type=False)
    assert link_xyz(defaults=MODEL).links == given.links


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"inference": "minimax"}, ("minimax", 2, 0.5, False)),
        ({"neighbours": 0}, ("undirected", 0, 0.5, False)),
        ({"neighbours": np.int64(1)}, ("undirected", 1, 0.5, False)),
        ({"threshold": None}, ("undirected", 2, None, False)),
        ({"threshold": 0}, ("undirected", 2, 0.0, False)),
        ({"threshold": np.float32(0.25)}, ("undirected", 2, 0.25, False)),
        ({"threshold": "model", "neighbours": None}, ("undirected", 2, 0.5, False)),
    ],
)
def test_each_of_them_can_be_said_anew(
    link_xyz: LinkGiven, options: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    assert used(link_xyz(defaults=MODEL, **options)) == expected


def test_a_model_trained_by_type_links_by_type(link_given: LinkGiven) -> None:
    types = {"x": ("Drug",), "A": ("Drug",), "B": ("Person",)}
    world: tuple[Any, ...] = ("x", "AB", [[0.1, 0.9]])
    defaults = Inference(by_type=True)
    assert link_given(*world, types=types, defaults=defaults)["x"].entity == "A"
    free = link_given(*world, types=types, defaults=defaults, by_type=False)
    assert free["x"].entity == "B"
    assert free.settings["by_type"] is False


def test_a_model_trained_by_type_without_types(link_given: LinkGiven) -> None:
    world: tuple[Any, ...] = ("x", "A", [[0.1]])
    with pytest.raises(
        InputError,
        match=r"^the model was trained by type, but no type of a mention \(there is none\) .*; "
        r"--no-by-type \(by_type=False\) links without types$",
    ):
        link_given(*world, defaults=Inference(by_type=True))
    with pytest.raises(InputError, match=r"^no type of a mention"):
        link_given(*world, defaults=Inference(by_type=True), by_type=True)


def test_a_folder_brings_its_defaults_and_its_name(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tower = build_tower(
        tiny_model, pooling="span", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    inference = Inference("minimax", 3, 0.25, by_type=True)
    written = write_towers(tmp_path, tower, tower, ModelSettings(32, 48, inference=inference))
    linker = Linker.load(tmp_path, device="cpu", cache=False)
    assert linker.defaults == inference
    assert linker.model == written.fingerprint
    plain = Linker.load(tiny_model, device="cpu", cache=False)
    assert (plain.defaults, plain.model) == (Inference(), None)
    assert capfd.readouterr() == ("", "")
