"""From a name or a folder to an encoder.

- nothing: the embedded default, all-MiniLM-L6-v2 from its own package, no network needed;
- a folder with ``arborlink.json``: a model that ArborLink saved, two towers or one;
- any other folder, or a Hugging Face name: a sentence encoder that was not trained for this. It compares names
  (``view="names"``) unless it is told to read mentions in context (``view="context"``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from arborlink.encoder import Encoder
from arborlink.encoders.device import resolve_device
from arborlink.encoders.embedded import embedded_folder
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.network import load_network
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.encoders.towers import TowerEncoder, add_markers
from arborlink.encoders.views import Markers
from arborlink.errors import ModelError

SETTINGS_FILE = "arborlink.json"
SETTINGS_VERSION = 1
View = Literal["names", "context"]
# Names are short; longer ones differ early or never.
_NAME_TOKENS = 64
_CONTEXT_TOKENS = 128
# A mention, its markers, the tokenizer's own tokens and a little context.
_FEWEST_TOKENS = 16


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
    network = load_network(embedded_folder() if model is None else model, name, options["device"])
    if markers is not None:
        add_markers(network, markers)
    limit = min(max_length, int(network.max_seq_length or max_length))
    return TextEncoder(network, name, limit, options["cache"], options["progress"])
