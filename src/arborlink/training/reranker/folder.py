"""The model folder that gets a re-ranker, and what is kept in it while that is trained."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from arborlink.corpus import Corpus
from arborlink.encoders.model_folder import is_model_folder, read_settings
from arborlink.errors import InputError
from arborlink.files import partial_path, sync_folder, write_text
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.reranking.folder import RERANKER, has_reranker
from arborlink.training.checkpoints import remove_incomplete
from arborlink.training.reranker.config import RerankerConfig

# Checkpoints, the candidates and what the run began with; gone when the re-ranker is there.
UNFINISHED = "reranker-unfinished"
CANDIDATES_FILE = "candidates.safetensors"
_IDENTITY_FILE = "identity.json"


def prepare_model(model: Path, output: Path | None, resume: bool) -> Path:
    """The folder that will hold the re-ranker: the model's own, or a copy of it without an earlier re-ranker.

    Args:
        model: a folder of ``arborlink train``.
        output: where the copy goes: new, empty, or such a copy already; ``None`` takes the model's own folder.
        resume: go on with a training that was cut off there, if there is one.

    Raises:
        InputError: no model, a folder in use, another model in the copy.
    """
    if not is_model_folder(model):
        raise InputError(
            "holds no model of `arborlink train`; a re-ranker needs towers to search with", model
        )
    settings = read_settings(model)
    target = model if output is None else output
    if (target / UNFINISHED).is_dir() and not resume:
        raise InputError(
            "holds a re-ranker's training that was not finished; --resume goes on with it, or remove its folder "
            f"{UNFINISHED}",
            target,
        )
    if target == model or (target.exists() and target.samefile(model)):
        return model
    if target.is_dir() and any(target.iterdir()):
        # A run that failed before it learned anything has left the copy, which is as good as a new one.
        if not is_model_folder(target) or (has_reranker(target) and not resume):
            raise InputError("is not empty; name another folder", target)
        if read_settings(target).fingerprint != settings.fingerprint:
            raise InputError(f"holds another model than {model}; name another folder", target)
        return target
    _copy(model, target)
    return target


def begin(folder: Path, config: RerankerConfig, data: str, sizes: dict[str, int]) -> dict[str, int]:
    """Lay the folder of the checkpoints out, or make sure that a run is resumed with what it began with.

    Returns:
        The sizes that the run began with.

    Raises:
        InputError: settings or data are others than those the run began with.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _IDENTITY_FILE
    now: dict[str, Any] = {"config": config.model_dump(), "data": data, "sizes": sizes}
    if path.is_file():
        before = json.loads(path.read_text(encoding="utf-8"))
        changed = [
            f"{section}.{key}"
            for section, settings in now["config"].items()
            for key, value in settings.items()
            if before["config"].get(section, {}).get(key) != value
        ]
        if before["data"] != data:
            changed.append("the model, the documents or the knowledge base")
        if changed:
            raise InputError(
                f"the run in {folder} began with other settings ({', '.join(changed)}); resume it with the same "
                "ones, or remove that folder"
            )
        sizes = before["sizes"]
    else:
        with write_text(path) as stream:
            json.dump(now, stream, indent=1)
    remove_incomplete(folder)
    return sizes


def clear(folder: Path) -> None:
    """Remove the checkpoints; they lose their name first, so that nobody resumes what is left of them."""
    removed = partial_path(folder)
    folder.rename(removed)
    shutil.rmtree(removed)


def data_fingerprint(linker: Linker, kb: KnowledgeBase, documents: Iterable[Corpus | None]) -> str:
    """Names all that decides what is learned, to tell whether a resumed run has the same."""
    digest = blake2b(linker.with_reranker(None).name.encode(), digest_size=12)
    for entity in kb:
        digest.update(repr((entity.id, entity.names, entity.types, entity.description)).encode())
    for corpus in documents:
        digest.update(b"documents")
        for document in corpus or ():
            spans = [(each.start, each.end, each.types, each.entities) for each in document.mentions]
            digest.update(repr((document.id, document.text, spans)).encode())
    return digest.hexdigest()


def _copy(model: Path, target: Path) -> None:
    def left_out(folder: str, names: list[str]) -> set[str]:
        is_top = Path(folder) == model
        return {name for name in names if is_top and (name in (RERANKER, UNFINISHED) or name[0] == ".")}

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        staging = partial_path(target)
        try:
            shutil.copytree(model, staging, ignore=left_out)
            if target.is_dir():
                target.rmdir()
            staging.rename(target)
            sync_folder(target.parent)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise InputError(f"the model cannot be copied: {error.strerror or error}", target) from error
