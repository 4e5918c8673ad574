"""A re-ranker on disk: the folder ``reranker`` of a model, which the ``transformers`` library can load.

It is written whole under another name first, and ``reranker.json`` in it tells the checksum of the weights: there is
a complete re-ranker or none, whatever moment the writing was killed at.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from shutil import rmtree

from arborlink.encoders.network import listening
from arborlink.encoders.weights import WEIGHTS_FILE, check_weights_file, sha256_of
from arborlink.errors import InputError, ModelError
from arborlink.files import partial_path, sync_folder
from arborlink.reranking.reranker import Reranker
from arborlink.reranking.settings import RerankerSettings

RERANKER = "reranker"
SETTINGS_FILE = "reranker.json"


def has_reranker(model: Path) -> bool:
    """Whether a model's folder holds a re-ranker."""
    return (model / RERANKER / SETTINGS_FILE).is_file()


def write_reranker(model: Path, reranker: Reranker) -> None:
    """Put a re-ranker into a model's folder; an earlier one is replaced.

    Raises:
        InputError: the folder cannot be written, or holds something else under that name.
    """
    final = model / RERANKER
    if os.path.lexists(final) and not has_reranker(model):
        raise InputError(f"{RERANKER} is there and no re-ranker ArborLink saved; move it away", model)
    try:
        staging, outdated = partial_path(final), partial_path(final)
        staging.mkdir()
        try:
            _save(reranker, staging)
            if final.is_dir():
                final.rename(outdated)
            staging.rename(final)
            sync_folder(model)
        finally:
            if outdated.is_dir() and not final.exists():
                outdated.rename(final)
            rmtree(staging, ignore_errors=True)
            rmtree(outdated, ignore_errors=True)
    except OSError as error:
        raise InputError(f"the re-ranker cannot be written: {error.strerror or error}", model) from error


def read_reranker(model: Path, device: str = "cpu", progress: bool | None = None) -> Reranker:
    """The re-ranker of a model's folder, its weights checked.

    Args:
        model: the model's folder.
        device: where it runs.
        progress: show bars; ``None`` shows them on a terminal only.

    Raises:
        ModelError: there is none, or it is damaged or of another version.
    """
    folder = model / RERANKER
    path = folder / SETTINGS_FILE
    try:
        settings, expected = RerankerSettings.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: not a re-ranker ArborLink saved: {error}") from error
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    check_weights_file(folder / WEIGHTS_FILE, expected, "re-ranker", ", or link without it: --rerank 0")
    from arborlink.reranking.network import load_saved

    network, tokenizer = load_saved(folder, device)
    known = tokenizer.get_vocab()
    if lost := [marker for marker in settings.markers.all if marker not in known]:
        raise ModelError(f"{folder}: the tokenizer does not know {', '.join(lost)}; copy the model again")
    try:
        return Reranker(network, tokenizer, settings, progress)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def _save(reranker: Reranker, folder: Path) -> None:
    with listening(show_bars=False):
        reranker.network.save_pretrained(folder)
        reranker.tokenizer.save_pretrained(folder)
    digest = sha256_of(folder / WEIGHTS_FILE)
    content = json.dumps(reranker.settings.to_json(digest), indent=2)
    (folder / SETTINGS_FILE).write_text(content + "\n", encoding="utf-8")
    for path in folder.iterdir():
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
    sync_folder(folder)
