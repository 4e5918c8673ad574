"""``calibration.json``: in a model's folder, or anywhere."""

from __future__ import annotations

import json
from pathlib import Path

from arborlink.confidence.calibration import Calibration
from arborlink.errors import InputError
from arborlink.files import write_text

CALIBRATION_FILE = "calibration.json"


def read_calibration(path: str | Path) -> Calibration:
    """Read a calibration; of a folder, the file of that name in it.

    Raises:
        InputError: there is none, or one that cannot be used.
    """
    path = Path(path)
    path = path / CALIBRATION_FILE if path.is_dir() else path
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"the calibration cannot be read: {error.strerror or error}", path) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a calibration: {error}; run `arborlink calibrate` again", path) from error
    try:
        return Calibration.from_json(content)
    except InputError as error:
        raise error.at(path) from error


def write_calibration(calibration: Calibration, path: str | Path) -> None:
    """Write a calibration; it takes its name only when all of it is on disk.

    Raises:
        InputError: it cannot be written.
    """
    path = Path(path)
    try:
        with write_text(path) as stream:
            json.dump(calibration.to_json(), stream, indent=1, allow_nan=False)
            stream.write("\n")
    except OSError as error:
        raise InputError(f"the calibration cannot be written: {error.strerror or error}", path) from error
