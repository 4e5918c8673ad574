"""Progress goes to standard error, and only where somebody watches or asks for it."""

from __future__ import annotations

import pytest

from arborlink.progress import progress_bar


def test_nobody_watches_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Counting sheep", 3) as advance:
        advance(3)
    assert tuple(capsys.readouterr()) == ("", "")


def test_a_bar_that_is_asked_for_counts_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Counting sheep", 3, enabled=True) as advance:
        advance(1)
        advance(2)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Counting sheep" in shown.err
    assert "3/3" in shown.err


def test_nothing_to_count_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Counting sheep", 0, enabled=True) as advance:
        advance(0)
    assert capsys.readouterr().err == ""


def test_what_goes_wrong_inside_comes_out() -> None:
    with pytest.raises(ZeroDivisionError), progress_bar("Counting sheep", 3, enabled=True):
        raise ZeroDivisionError
