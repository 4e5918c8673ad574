"""``arborlink serve``: what it refuses before it starts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from service_world import made

RunCommand = Callable[..., Any]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--host", "0.0.0.0"), "give a token with --token-file or $ARBORLINK_TOKEN"),
        (("--token-file", "nowhere"), "nowhere: the token cannot be read: No such file"),
        (("--workspace", "nothing-here"), "no such folder"),
    ],
)
def test_it_says_what_to_do(
    run_command: RunCommand,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    words: str,
) -> None:
    made(tmp_path / "w").close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARBORLINK_TOKEN", raising=False)
    done = run_command("serve", "--workspace", "w", *options)
    assert done.status == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(("content", "words"), [("", "holds no token"), ("short", "could be guessed")])
def test_token_files_that_will_not_do(
    run_command: RunCommand, tmp_path: Path, content: str, words: str
) -> None:
    file = tmp_path / "token"
    file.write_text(content, encoding="utf-8")
    done = run_command("serve", "--workspace", tmp_path, "--token-file", file)
    assert (done.status, words in done.err) == (2, True)


def test_a_token_of_the_environment(
    run_command: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBORLINK_TOKEN", "guess")
    done = run_command("serve", "--workspace", tmp_path)
    assert (done.status, "could be guessed" in done.err, "guess;" in done.err) == (2, True, False)
