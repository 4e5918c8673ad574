"""The defaults of the command are those of the library."""

from __future__ import annotations

import inspect
from typing import get_args, get_type_hints

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


def test_a_linker_with_no_model_of_its_own_mind_has_the_defaults_that_the_help_tells() -> None:
    hints = get_type_hints(link, include_extras=True)
    plain = Linker(NameEncoder.__new__(NameEncoder)).defaults
    assert (plain.mode, plain.neighbours, plain.threshold, plain.by_type) == ("directed", 1, None, False)
    told = {name: get_args(hints[name])[1].help for name in ("inference", "neighbours", "by_type")}
    assert told["inference"].endswith("[default: the model's own, else directed]")
    assert told["neighbours"].endswith("[default: the model's own, else 1]")
    assert told["by_type"].endswith("[default: the model's own, else not]")


def test_the_shortlist_is_the_same_everywhere() -> None:
    places = (Linker.load, load_encoder, NameEncoder)
    assert {inspect.signature(place).parameters["shortlist"].default for place in places} == {32}
