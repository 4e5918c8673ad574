"""The folder that ``link`` and ``demo`` write: where it is, and what would spoil it, told before the work."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from arborlink.errors import InputError


def expanded(path: Path) -> Path:
    """The path with a leading ``~`` resolved, which shells leave alone in ``--output=~/x``."""
    try:
        return path.expanduser()
    except RuntimeError:  # nobody of that name, or no home: then it is a name like others
        return path


def check_output(output: Path, *inputs: Path) -> None:
    """Tell before the work what would spoil its end, or what its end would spoil."""
    from arborlink.result.folder import NAMES, refuse_foreign_files

    if output.is_symlink() and not output.exists():
        raise InputError(
            "is a link to a folder that is not there; make the folder or remove the link", output
        )
    if output.exists() and not output.is_dir():
        raise InputError("is a file; --output names a folder", output)
    there = next(folder for folder in (output, *output.absolute().parents) if folder.exists())
    if not there.is_dir():
        raise InputError(f"cannot be made: {there} is a file", output)
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"cannot be written: {there} belongs to somebody else or cannot be changed", output)
    for name in NAMES:
        target = output / name
        if target.exists() and any(given.exists() and target.samefile(given) for given in inputs):
            raise InputError(f"{name} in it is one of the inputs; choose another folder for --output", output)
    refuse_foreign_files(output)


def explain_command(output: Path, mention: str) -> str:
    """What to type to see why a mention went where it went."""
    arguments = [str(output), mention]
    if any(argument.startswith("-") for argument in arguments):
        arguments.insert(0, "--")
    return shlex.join(["arborlink", "explain", *arguments])
