"""Which model is meant where none is named.

The package may hold a trained model, packed (:mod:`arborlink.encoders.packed_model`). If it does, that is the
default; if not, or where ``untrained`` is asked for, the embedded base model compares names.
"""

from __future__ import annotations

from pathlib import Path

from arborlink.encoders.model_folder import is_model_folder

UNTRAINED = "untrained"
SHIPPED = "shipped"
SHIPPED_FOLDER = Path(__file__).parent / "shipped_model"


def shipped_model() -> Path | None:
    """The folder of the trained model that comes with the package; ``None`` if it comes with none."""
    return SHIPPED_FOLDER if is_model_folder(SHIPPED_FOLDER) else None


def resolve_model(model: str | Path | None) -> str | Path | None:
    """The model that is meant, everywhere a model can be named.

    Args:
        model: a folder, a Hugging Face name, ``"untrained"``, or ``None`` for the default. A folder of the name
            ``untrained`` is ``./untrained``.

    Returns:
        A folder or a name; ``None`` for the embedded base model, untrained.
    """
    if model is None:
        return shipped_model()
    return None if model == UNTRAINED else model


def folder_to_keep_in(model: str | Path | None) -> Path | None:
    """The model's folder where what was chosen for it can be kept; ``None`` where there is none.

    That is the folder of a model of ours that was named. The default is part of the installation and stays as it is.
    """
    if model is None or model == UNTRAINED:
        return None
    return Path(model) if is_model_folder(Path(model)) else None


def why_nothing_is_kept(model: str | Path | None) -> str:
    """Said where :func:`folder_to_keep_in` finds none."""
    is_shipped = model is None and shipped_model() is not None
    return "the default model is part of the installation" if is_shipped else "the model is none of ours"
