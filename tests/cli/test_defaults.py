"""The defaults of the command are those of the library."""

from __future__ import annotations

import inspect

import pytest

from arborlink import Linker
from arborlink.cli.link import link
from arborlink.encoders import NameEncoder, load_encoder

OF_COMMAND = inspect.signature(link).parameters


@pytest.mark.parametrize("name", ["inference", "neighbours", "threshold", "by_type", "candidates"])
def test_link_has_the_defaults_of_the_linker(name: str) -> None:
    assert OF_COMMAND[name].default == inspect.signature(Linker.link).parameters[name].default


@pytest.mark.parametrize("name", ["model", "entity_model", "view", "shortlist", "device"])
def test_loading_has_them_too(name: str) -> None:
    assert OF_COMMAND[name].default == inspect.signature(Linker.load).parameters[name].default


def test_the_shortlist_is_the_same_everywhere() -> None:
    places = (Linker.load, load_encoder, NameEncoder)
    assert {inspect.signature(place).parameters["shortlist"].default for place in places} == {32}
