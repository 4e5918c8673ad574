"""The tool that sees to a browser: quiet where there is one, clear where it can do nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "install_chromium.py"


def run(**environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "CHROMIUM"}
    return subprocess.run(
        [sys.executable, TOOL], env=clean | environment, capture_output=True, text=True, check=False
    )


def test_a_browser_that_is_there_is_enough() -> None:
    assert run(CHROMIUM=sys.executable).returncode == 0
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_a_browser_and_without_apt_it_says_what_to_install(tmp_path: Path) -> None:
    done = run(PATH=str(tmp_path))
    assert done.returncode == 1
    assert "need Chromium, and none was found" in done.stderr
    assert "CHROMIUM=/path/to/chrome make test" in done.stderr
