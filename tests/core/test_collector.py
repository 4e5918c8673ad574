from __future__ import annotations

import gc
from pathlib import Path

import pytest

from arborlink import Corpus, InputError
from arborlink.files import collector_paused


def test_the_collector_is_off_inside_and_on_again_after() -> None:
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_error_while_reading_leaves_it_on(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text('{"id": "d", "text": 3}\n', encoding="utf-8")
    with pytest.raises(InputError):
        Corpus.read(path)
    assert gc.isenabled()
