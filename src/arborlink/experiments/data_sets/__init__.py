"""The data sets that experiments run on, one module per layout of files."""

from __future__ import annotations

from pathlib import Path

from arborlink.errors import InputError
from arborlink.experiments.data_sets.bc5cdr import Bc5cdr
from arborlink.experiments.data_sets.data_set import DataSet, Split
from arborlink.experiments.data_sets.medmentions import MedMentions, OfficialMedMentions
from arborlink.experiments.data_sets.wikis import Wikis, Zeshel

LAYOUTS: dict[str, type[DataSet]] = {
    layout.name: layout for layout in (MedMentions, Wikis, Bc5cdr, OfficialMedMentions, Zeshel)
}

__all__ = ["LAYOUTS", "DataSet", "Split", "open_data_set"]


def open_data_set(name: str, folder: Path, by_type: bool | None = None, limit: int | None = None) -> DataSet:
    """A data set by its name, in the folder of that name.

    Args:
        name: one of ``LAYOUTS``.
        folder: the folder that holds the folders of all data sets.
        by_type: mentions only meet what is of their own type; ``None`` is what is usual for the data set.
        limit: documents of each split to take; ``None`` takes all.

    Raises:
        InputError: an unknown name, or no such folder.
    """
    if name not in LAYOUTS:
        raise InputError(f"the data set {name!r} is not known; there are {', '.join(LAYOUTS)}")
    own = folder / name
    if not own.is_dir():
        raise InputError(
            f"there is no folder {name}, which the run needs; docs/experiments_howto.md says what goes into it",
            folder,
        )
    return LAYOUTS[name](own, by_type, limit)
