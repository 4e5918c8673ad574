"""Where a result comes from: the command, the commit, the machine in words, the versions."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("arborlink", "faiss-cpu", "numba", "numpy", "sentence-transformers", "torch", "transformers")


def provenance(program: str = "arborlink") -> dict[str, Any]:
    """Command, commit, machine and versions.

    Args:
        program: what was called, before its arguments.

    The commit is that of the checkout, marked if it was changed since; ``ARBORLINK_COMMIT`` names it for a copy of
    the tree without its history. Of a path in the command only the last part is told: the rest is about a machine.
    """
    return {
        "command": " ".join([program, *(shlex.quote(_without_machine(word)) for word in sys.argv[1:])]),
        "commit": os.environ.get("ARBORLINK_COMMIT") or _commit(),
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "accelerator": _accelerator(),
            "system": platform.system(),
        },
        "versions": {"python": platform.python_version()} | {name: _version(name) for name in _PACKAGES},
    }


def without_folders(value: str) -> str:
    """An absolute path without its folders; anything else as it is."""
    return Path(value).name if Path(value).is_absolute() else value


def _without_machine(word: str) -> str:
    key, equals, value = word.partition("=")
    return f"{key}={without_folders(value)}" if equals else without_folders(word)


def _commit() -> str | None:
    if shutil.which("git") is None:
        return None
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _accelerator() -> str | None:
    torch = sys.modules.get("torch")
    return torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
