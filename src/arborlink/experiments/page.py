"""The page of results on disk, with its pictures beside it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from arborlink.experiments.pictures import draw_all
from arborlink.experiments.results import read_results
from arborlink.experiments.tables import results_page
from arborlink.files import write_text


def write_page(results: Path, output: Path, pictures: Path | None = None) -> list[Path]:
    """Write the page, and pictures if there is a folder for them.

    Args:
        results: folder of results.
        output: the page.
        pictures: folder of the pictures; ``None`` draws none.

    Returns:
        What was written, the page first.

    Raises:
        InputError: the folder of results cannot be read.
    """
    found = read_results(results)
    drawn = {} if pictures is None else draw_all(found)
    titles: dict[str, str] = {}
    written = [output]
    for name, (title, svg) in drawn.items():
        assert pictures is not None
        path = pictures / name
        with write_text(path) as stream:
            stream.write(svg)
        titles[title] = Path(os.path.relpath(path, output.parent)).as_posix()
        written.append(path)
    with write_text(output) as stream:
        stream.write(results_page(found, _command(results, output, pictures), titles))
    return written


def _command(results: Path, output: Path, pictures: Path | None) -> str:
    """The command as anybody would type it, from the folder of the project."""
    here = Path.cwd()

    def shown(path: Path) -> str:
        return (
            path.resolve().relative_to(here).as_posix() if path.resolve().is_relative_to(here) else path.name
        )

    words = ["arborlink", "experiment", "tables", shown(results), "--output", shown(output)]
    return shlex.join([*words, *([] if pictures is None else ["--plots", shown(pictures)])])
