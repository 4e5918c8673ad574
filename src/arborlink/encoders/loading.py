"""From a name or a folder to an encoder.

- nothing: the trained model that comes with ArborLink, else as ``untrained``;
- ``untrained``: the embedded base model, all-MiniLM-L6-v2 from its own package, no network needed;
- a folder with ``arborlink.json``: a model that ArborLink saved, two towers or one, or several models joined;
- any other folder, or a Hugging Face name: a sentence encoder that was not trained for this. It compares names
  (``view="names"``) unless it is told to read mentions in context (``view="context"``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from arborlink.encoder import Encoder
from arborlink.encoders.blended import BlendedEncoder
from arborlink.encoders.default_model import UNTRAINED, resolve_model
from arborlink.encoders.device import resolve_device
from arborlink.encoders.embedded import embedded_folder
from arborlink.encoders.joined import JoinedTowers
from arborlink.encoders.model_folder import (
    JoinedSettings,
    ModelSettings,
    check_weights,
    is_model_folder,
    read_settings,
    read_towers,
)
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.network import load_network
from arborlink.encoders.text_encoder import TextEncoder
from arborlink.encoders.towers import TowerEncoder, add_markers
from arborlink.encoders.views import Markers
from arborlink.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

View = Literal["names", "context"]
# Names are short; longer ones differ early or never.
_NAME_TOKENS = 64
_CONTEXT_TOKENS = 128
DEFAULT_SHORTLIST = 32


def load_encoder(
    model: str | Path | None = None,
    *,
    entity_model: str | Path | None = None,
    view: View | None = None,
    device: str = "auto",
    cache: Path | None = None,
    progress: bool | None = None,
    shortlist: int = DEFAULT_SHORTLIST,
) -> Encoder:
    """Load an encoder.

    Args:
        model: nothing, ``untrained``, a folder or a Hugging Face name, see above.
        entity_model: the entity tower, where it is not the mention tower; implies ``view="context"``.
        view: what an untrained model reads.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        cache: folder for embeddings; ``None`` keeps none.
        progress: show bars; ``None`` shows them on a terminal only.
        shortlist: see :class:`~arborlink.encoders.names.NameEncoder`.

    Raises:
        ModelError: the model cannot be loaded, is damaged, or cannot do what is asked.
    """
    if view not in (None, "names", "context"):
        raise ModelError(f"view {view!r} is not known; choose 'names' or 'context'")
    if entity_model is not None and view == "names":
        raise ModelError("an entity model makes two towers, which read context; leave out view='names'")
    device = resolve_device(device)
    options: dict[str, Any] = {"device": device, "cache": cache, "progress": progress, "shortlist": shortlist}
    chosen = resolve_model(model)
    folder = Path(chosen) if chosen is not None else None
    if folder is not None and is_model_folder(folder):
        if entity_model is not None or view == "names":
            asked = "an entity model" if entity_model is not None else "view='names'"
            named = f"{folder}:" if model is not None else "the default model"
            otherwise = "" if model is not None else f", or choose the model {UNTRAINED!r}"
            raise ModelError(f"{named} has its own towers, which read context; leave out {asked}{otherwise}")
        return _load_saved(folder, options) if model is not None else _load_default(folder, options)
    if view == "context" or entity_model is not None:
        untrained = ModelSettings(_CONTEXT_TOKENS, _CONTEXT_TOKENS)
        return _load_towers(chosen, entity_model, untrained, options)
    return _load_names(chosen, options)


def load_names(
    sameness: float = 0.0,
    description_names: bool = False,
    device: str = "auto",
    cache: Path | None = None,
    progress: bool | None = None,
) -> NameEncoder:
    """The embedded base model comparing names, as it does beside towers; arguments as for :func:`load_encoder`.

    Args:
        sameness: see :class:`~arborlink.encoders.names.NameEncoder`.
        description_names: likewise.
    """
    options = {"device": resolve_device(device), "cache": cache, "progress": progress}
    return _load_names(None, {**options, "shortlist": DEFAULT_SHORTLIST}, sameness, description_names)


def _load_names(
    model: str | Path | None,
    options: dict[str, Any],
    sameness: float = 0.0,
    description_names: bool = False,
) -> NameEncoder:
    text_encoder = _load_text_encoder(model, _NAME_TOKENS, None, options)
    return NameEncoder(
        text_encoder,
        shortlist=options["shortlist"],
        sameness=sameness,
        description_names=description_names,
    )


def _load_default(folder: Path, options: dict[str, Any]) -> Encoder:
    try:
        return _load_saved(folder, options)
    except ModelError as error:
        raise ModelError(
            f"the default model cannot be loaded; reinstall arborlink, or choose the model {UNTRAINED!r}: {error}"
        ) from error


def _load_saved(folder: Path, options: dict[str, Any]) -> Encoder:
    settings = read_settings(folder)
    check_weights(folder, settings)
    towers: TowerEncoder | JoinedTowers
    if isinstance(settings, JoinedSettings):
        parts = [folder / name for name in settings.folders]
        towers = JoinedTowers(
            [_load_model(part, read_towers(part), options) for part in parts], settings.shares
        )
    else:
        towers = _load_model(folder, settings, options)
    if not settings.name_share:
        return towers
    names = _load_names(None, options, settings.sameness, settings.description_names)
    return BlendedEncoder(towers, names, settings.name_share)


def _load_model(folder: Path, settings: ModelSettings, options: dict[str, Any]) -> TowerEncoder:
    mention, entity = folder / settings.mention_tower, folder / settings.entity_tower
    return _load_towers(mention, None if mention == entity else entity, settings, options)


def _load_towers(
    mention: str | Path | None, entity: str | Path | None, settings: ModelSettings, options: dict[str, Any]
) -> TowerEncoder:
    mention_tower = _load_text_encoder(mention, settings.mention_tokens, settings.markers, options)
    if entity is not None:
        entity_tower = _load_text_encoder(entity, settings.entity_tokens, settings.markers, options)
    elif settings.entity_tokens == settings.mention_tokens:
        entity_tower = mention_tower
    else:
        network = mention_tower.model
        entity_tower = _text_encoder(network, mention_tower.name, settings.entity_tokens, options)
    if mention_tower.dimension != entity_tower.dimension:
        raise ModelError(
            f"the towers do not fit: mention vectors have {mention_tower.dimension} dimensions, "
            f"entity vectors {entity_tower.dimension}"
        )
    return TowerEncoder(mention_tower, entity_tower, settings.markers, settings.entity_views)


def _load_text_encoder(
    model: str | Path | None, max_length: int, markers: Markers | None, options: dict[str, Any]
) -> TextEncoder:
    name = "all-MiniLM-L6-v2 (embedded)" if model is None else str(model)
    network = load_network(embedded_folder() if model is None else model, name, options["device"])
    if markers is not None:
        add_markers(network, markers)
    return _text_encoder(network, name, max_length, options)


def _text_encoder(
    network: SentenceTransformer, name: str, max_length: int, options: dict[str, Any]
) -> TextEncoder:
    limit = min(max_length, int(network.max_seq_length or max_length))
    return TextEncoder(network, name, limit, options["cache"], options["progress"])
