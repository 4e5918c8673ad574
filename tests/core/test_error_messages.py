"""Errors say where they come from as far as that is known."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from arborlink import errors
from arborlink.errors import (
    ArborLinkError,
    ConflictError,
    InputError,
    ModelError,
    ResultError,
    TrainingError,
    WorkspaceError,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InputError("no text"), "no text"),
        (InputError("no text", "a.jsonl"), "a.jsonl: no text"),
        (InputError("no text", Path("b") / "a.jsonl", 17), "b/a.jsonl:17: no text"),
        (InputError("no text", line=17), "no text"),
    ],
)
def test_an_input_error_names_the_place_it_knows(error: InputError, text: str) -> None:
    assert str(error) == text
    assert error.message == "no text"


def test_a_place_is_filled_in_only_where_none_was_known() -> None:
    bare = InputError("no text")
    assert str(bare.at("a.jsonl", 3)) == "a.jsonl:3: no text"
    assert str(bare.at("a.jsonl", 3).at("b.jsonl", 9)) == "a.jsonl:3: no text"
    assert str(bare.at("a.jsonl").at("b.jsonl", 9)) == "a.jsonl:9: no text"
    assert str(bare) == "no text"


def test_an_input_error_survives_the_way_between_processes() -> None:
    again = pickle.loads(pickle.dumps(InputError("no text", "a.jsonl", 3)))
    assert (str(again), again.path, again.line) == ("a.jsonl:3: no text", Path("a.jsonl"), 3)


def test_a_conflict_survives_it_with_what_changed() -> None:
    again = pickle.loads(pickle.dumps(ConflictError("it grew", 7, ("grown by 2",))))
    assert (str(again), again.current_version, again.changes) == ("it grew", 7, ("grown by 2",))


def test_all_errors_hang_from_one_root_and_are_drawn_at_the_top() -> None:
    tree = {InputError, ModelError, ResultError, TrainingError, WorkspaceError}
    assert tree == set(ArborLinkError.__subclasses__())
    assert InputError.__subclasses__() == [ConflictError]
    for kind in (ArborLinkError, ConflictError, *tree):
        assert kind.__name__ in (errors.__doc__ or "")
