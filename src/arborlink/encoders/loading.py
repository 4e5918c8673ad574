"""From a name or a folder to an encoder.

- nothing: the embedded default, all-MiniLM-L6-v2 from its own package, no network needed;
- a folder with ``arborlink.json``: a model that ArborLink saved, two towers or one;
- any other folder, or a Hugging Face name: a sentence encoder that was not trained for this. It compares names
  (``view="names"``) unless it is told to read mentions in context (``view="context"``).
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from arborlink.encoder import Encoder
from arborlink.encoders.device import resolve_device, resolve_precision
from arborlink.encoders.embedded import embedded_folder
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.encoders.towers import TowerEncoder, add_markers
from arborlink.encoders.views import Markers
from arborlink.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

SETTINGS_FILE = "arborlink.json"
SETTINGS_VERSION = 1
View = Literal["names", "context"]
# Names are short; longer ones differ early or never.
_NAME_TOKENS = 64
_CONTEXT_TOKENS = 128
# A mention, its markers, the tokenizer's own tokens and a little context.
_FEWEST_TOKENS = 16
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
# Seconds to wait for an answer of the hub.
_PATIENCE = 10
# A line of the report that transformers logs about weights it did not find.
_DRAWN = re.compile(r"^(\S+) *\| *\S*MISSING", re.MULTILINE)


def load_encoder(
    model: str | Path | None = None,
    *,
    entity_model: str | Path | None = None,
    view: View | None = None,
    device: str = "auto",
    cache: Path | None = None,
    progress: bool | None = None,
    shortlist: int = 32,
) -> Encoder:
    """Load an encoder.

    Args:
        model: nothing, a folder or a Hugging Face name, see above.
        entity_model: the entity tower, where it is not the mention tower; implies ``view="context"``.
        view: what an untrained model reads.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        cache: folder for embeddings; ``None`` keeps none.
        progress: show bars; ``None`` shows them on a terminal only.
        shortlist: see :class:`~arborlink.encoders.names.NameEncoder`.
    """
    if view not in (None, "names", "context"):
        raise ModelError(f"view {view!r} is not known; choose 'names' or 'context'")
    if entity_model is not None and view == "names":
        raise ModelError("an entity model makes two towers, which read context; leave out view='names'")
    device = resolve_device(device)
    options: dict[str, Any] = {"device": device, "cache": cache, "progress": progress}
    folder = Path(model) if model is not None else None
    if folder is not None and (folder / SETTINGS_FILE).is_file():
        if entity_model is not None or view == "names":
            asked = "an entity model" if entity_model is not None else "view='names'"
            raise ModelError(f"{folder}: has its own towers, which read context; leave out {asked}")
        return _load_saved(folder, options)
    if view == "context" or entity_model is not None:
        return _load_towers(model, entity_model, _CONTEXT_TOKENS, Markers(), options)
    return NameEncoder(_load_text_encoder(model, _NAME_TOKENS, None, options), shortlist=shortlist)


def _load_saved(folder: Path, options: dict[str, Any]) -> TowerEncoder:
    """``arborlink.json``: version, mention_tower, entity_tower (folders beside it), max_length, markers."""
    path = folder / SETTINGS_FILE
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        version = settings["version"]
        if version != SETTINGS_VERSION:
            raise ModelError(
                f"{path}: version {version}, but this ArborLink reads version {SETTINGS_VERSION}"
            )
        mention, entity = folder / settings["mention_tower"], folder / settings["entity_tower"]
        max_length, markers = int(settings["max_length"]), Markers(**settings["markers"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path}: not a model ArborLink saved: {error!r}") from error
    if max_length < _FEWEST_TOKENS:
        raise ModelError(f"{path}: max_length is {max_length}; expected {_FEWEST_TOKENS} or more")
    for tower in (mention, entity):
        if not tower.is_dir():
            raise ModelError(
                f"{path}: there is no folder {tower}; copy the model again, with all its folders"
            )
    return _load_towers(mention, None if mention == entity else entity, max_length, markers, options)


def _load_towers(
    mention: str | Path | None,
    entity: str | Path | None,
    max_length: int,
    markers: Markers,
    options: dict[str, Any],
) -> TowerEncoder:
    mention_tower = _load_text_encoder(mention, max_length, markers, options)
    entity_tower = (
        mention_tower if entity is None else _load_text_encoder(entity, max_length, markers, options)
    )
    if mention_tower.dimension != entity_tower.dimension:
        raise ModelError(
            f"the towers do not fit: mention vectors have {mention_tower.dimension} dimensions, "
            f"entity vectors {entity_tower.dimension}"
        )
    return TowerEncoder(mention_tower, entity_tower, markers)


def _load_text_encoder(
    model: str | Path | None, max_length: int, markers: Markers | None, options: dict[str, Any]
) -> TextEncoder:
    name = "all-MiniLM-L6-v2 (embedded)" if model is None else str(model)
    network = _load_network(embedded_folder() if model is None else model, name, options["device"])
    if markers is not None:
        add_markers(network, markers)
    limit = min(max_length, int(network.max_seq_length or max_length))
    return TextEncoder(network, name, limit, options["cache"], options["progress"])


def _load_network(model: str | Path, name: str, device: str) -> SentenceTransformer:
    import torch

    is_local = not _must_download(model)
    with _listening() as messages, torch.random.fork_rng(devices=[]):
        from sentence_transformers import SentenceTransformer

        # Weights a folder lacks, such as a pooler nobody uses, are drawn: alike on every load.
        torch.default_generator.manual_seed(0)  # not those of the accelerators, which are not put back
        try:
            network = SentenceTransformer(
                str(model),
                device=device,
                model_kwargs={"dtype": resolve_precision(device)},
                local_files_only=is_local,
            )
        except Exception as error:  # a damaged folder or an absent network raises whatever it likes
            reason = (str(error) or repr(error)).strip().splitlines()[0]
            raise ModelError(
                f"model {name!r} cannot be loaded: {reason}; give a folder with a sentence-transformers or "
                "transformers model, or a Hugging Face name and a network"
            ) from error
    drawn = sorted(key for message in messages for key in _DRAWN.findall(message) if "pooler" not in key)
    if drawn:
        raise ModelError(
            f"model {name!r} has no weights for {drawn[0]} and {len(drawn) - 1} more of its parts: its files are "
            "not all of one model; fetch it again"
        )
    return network


def _must_download(model: str | Path) -> bool:
    """Whether the model has to come over the network: it is a Hugging Face name, and the network is there."""
    if Path(model).is_dir():
        return False
    if Path(model).exists():
        raise ModelError(f"model {str(model)!r} is a file; give the folder that holds it")
    if isinstance(model, Path) or not _HUB_NAME.fullmatch(model):
        raise ModelError(
            f"model {str(model)!r}: there is no such folder, nor can this be a Hugging Face name"
        )
    from huggingface_hub import constants, get_session

    # Asked once: the library itself would try each file of a model five times before it gives up.
    try:
        get_session().head(constants.ENDPOINT, timeout=_PATIENCE)
    except (
        Exception
    ):  # no network, no proxy, or offline on purpose; the name may still be in the library's cache
        return False
    return True


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Collect what the model's libraries would print while they load; a user can do nothing about most of it."""
    from transformers.utils import logging as settings

    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    had_bar = settings.is_progress_bar_enabled()
    loggers = [
        logging.getLogger(name) for name in ("sentence_transformers", "transformers", "huggingface_hub")
    ]
    before = [(logger, logger.handlers, logger.propagate) for logger in loggers]
    try:
        settings.disable_progress_bar()  # type: ignore[no-untyped-call]
        for logger in loggers:
            logger.handlers, logger.propagate = [handler], False
        yield messages
    finally:
        for logger, handlers, propagates in before:
            logger.handlers, logger.propagate = handlers, propagates
        if had_bar:
            settings.enable_progress_bar()  # type: ignore[no-untyped-call]
