"""The public names: sorted, all there, and no others."""

from __future__ import annotations

import ast
import inspect

import pytest

import arborlink


def test_the_list_is_sorted_and_has_no_repeats() -> None:
    assert arborlink.__all__ == sorted(set(arborlink.__all__))


def test_every_name_has_a_home_and_every_home_a_name() -> None:
    assert list(arborlink._HOMES) == arborlink.__all__


@pytest.mark.parametrize("name", arborlink.__all__)
def test_every_name_resolves_to_what_lives_in_its_home(name: str) -> None:
    value = getattr(arborlink, name)
    assert value.__name__ == name
    assert value.__module__.startswith(arborlink._HOMES[name])
    assert value.__doc__


def test_a_star_import_and_dir_show_them() -> None:
    names: dict[str, object] = {}
    exec("from arborlink import *", names)
    assert set(arborlink.__all__) <= set(names)
    assert set(arborlink.__all__) <= set(dir(arborlink))
    assert len(dir(arborlink)) == len(set(dir(arborlink)))


def test_a_name_that_is_none_is_told() -> None:
    with pytest.raises(AttributeError, match="module 'arborlink' has no attribute 'Linkr'"):
        arborlink.Linkr  # noqa: B018


def test_type_checkers_are_told_the_same_names_and_homes() -> None:
    tree = ast.parse(inspect.getsource(arborlink))
    guarded = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for block in guarded for node in block.body if isinstance(node, ast.ImportFrom)]
    told = {alias.name: node.module for node in imports for alias in node.names}
    assert told == arborlink._HOMES
