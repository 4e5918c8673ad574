"""A tower to be trained, from a base model and a few choices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from arborlink.encoders.embedded import embedded_folder
from arborlink.encoders.model_folder import is_model_folder, read_towers
from arborlink.encoders.network import load_network
from arborlink.encoders.towers import add_markers
from arborlink.encoders.views import Markers
from arborlink.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch.nn import Module

PoolingKind = Literal["mean", "cls", "span"]
Role = Literal["mention", "entity", "both"]
POOLINGS: tuple[PoolingKind, ...] = ("mean", "cls", "span")
ROLES: tuple[Role, ...] = ("mention", "entity", "both")


def build_tower(
    base: str | Path | None,
    *,
    pooling: PoolingKind,
    normalise: bool,
    role: Role,
    markers: Markers,
    device: str,
    dropout: float | None = None,
) -> SentenceTransformer:
    """A base model with markers, the asked pooling and nothing else behind it, in float32.

    Parameters that the vectors do not depend on, such as a pooler of the base model, do not require gradients:
    several processes that train together would wait for theirs.

    Args:
        base: ``None`` for the embedded model, a folder, a Hugging Face name, or the folder of a model that ArborLink
            saved: the tower of the same role is then taken from it, markers and all.
        pooling: ``mean`` of all tokens, ``cls`` the first token, ``span`` the tokens of the mention (between
            ``markers.start`` and ``markers.end``) or of the name (up to ``markers.title``).
        normalise: scale vectors to length 1.
        role: what the tower will read; ``both`` where one tower reads mentions and entities.
        markers: the special tokens; those the vocabulary lacks are added.
        device: where it runs.
        dropout: set every dropout of the model to this share; ``None`` leaves them.

    Raises:
        ModelError: the base cannot be loaded, joins several models or does not read text with a transformer, or an
            argument is unknown.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Transformer

    _check(pooling, role, dropout)
    name = "all-MiniLM-L6-v2 (embedded)" if base is None else str(base)
    source = embedded_folder() if base is None else _tower_of(base, role)
    network = load_network(source, name, device, torch.float32)
    transformer = network[0]
    if not isinstance(transformer, Transformer) or not callable(getattr(network, "tokenizer", None)):
        raise ModelError(f"model {name!r} does not read text with a transformer; choose one that does")
    add_markers(network, markers)
    if dropout is not None:
        _set_dropout(transformer, dropout)
    dimension = int(transformer.get_embedding_dimension())
    modules = [transformer, _pooling(pooling, dimension, role, network.tokenizer, markers)]
    tower = SentenceTransformer(
        modules=[*modules, Normalize()] if normalise else modules, device=device, similarity_fn_name="dot"
    )
    _freeze_unused(tower)
    return tower


def _check(pooling: str, role: str, dropout: float | None) -> None:
    if pooling not in POOLINGS:
        raise ModelError(f"pooling {pooling!r} is not known; choose one of {', '.join(POOLINGS)}")
    if role not in ROLES:
        raise ModelError(f"a tower cannot read {role!r}; choose one of {', '.join(ROLES)}")
    if dropout is not None and not 0 <= dropout < 1:
        raise ModelError(f"dropout is {dropout}; expected a share from 0 to less than 1")


def _tower_of(base: str | Path, role: Role) -> str | Path:
    """The base itself, or the tower of a saved model."""
    folder = Path(base)
    if not is_model_folder(folder):
        return base
    settings = read_towers(folder)
    if role == "both" and settings.mention_tower != settings.entity_tower:
        raise ModelError(
            f"{folder}: has two towers; train two from it, or name one of them: "
            f"{folder / settings.mention_tower} or {folder / settings.entity_tower}"
        )
    return folder / (settings.entity_tower if role == "entity" else settings.mention_tower)


def _pooling(kind: PoolingKind, dimension: int, role: Role, tokenizer: Any, markers: Markers) -> Module:
    if kind != "span":
        from sentence_transformers.sentence_transformer.modules import Pooling

        plain: Module = Pooling(dimension, pooling_mode=kind)
        return plain
    from arborlink.encoders.span_pooling import SpanPooling

    start, end, title = tokenizer.convert_tokens_to_ids(list(markers.all))
    of_mention, of_entity = (start, end), (_first_token(tokenizer), title)
    spans = {"mention": [of_mention], "entity": [of_entity], "both": [of_mention, of_entity]}
    return SpanPooling(dimension, spans[role])


def _first_token(tokenizer: Any) -> int | None:
    """The token a tokenizer puts before every text, if it does."""
    one, other = (tokenizer(text)["input_ids"] for text in ("a", "b"))
    return int(one[0]) if one[0] == other[0] else None


def _set_dropout(transformer: Module, share: float) -> None:
    """In the configuration, which is saved, and wherever the network has taken it over at its making."""
    import torch

    for module in transformer.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = share
        _set_shares(module, share)
    config: Any = getattr(transformer, "auto_model").config  # noqa: B009  a property the type does not tell
    _set_shares(config, share)


def _set_shares(holder: Any, share: float) -> None:
    for key, value in list(vars(holder).items()):
        if ("dropout" in key or key.endswith("pdrop")) and type(value) in (int, float):
            setattr(holder, key, share)


def _freeze_unused(tower: SentenceTransformer) -> None:
    """Found out by asking for the gradient of a vector, whatever the architecture calls its parts."""
    import torch

    tower.eval()
    features = {
        key: value.to(tower.device) for key, value in tower.tokenizer("a", return_tensors="pt").items()
    }
    with torch.enable_grad():
        vector = tower(features)["sentence_embedding"]
        parameters = list(tower.parameters())
        gradients = torch.autograd.grad(vector.sum(), parameters, allow_unused=True)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.requires_grad_(gradient is not None)
