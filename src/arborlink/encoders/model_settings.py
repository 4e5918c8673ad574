"""What a saved model says about itself: which text its towers read, and how its vectors are best linked."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from arborlink.encoders.settings_fields import (
    content_of,
    field_of,
    folder_name,
    number_of,
    of_type,
    only,
    share_of,
    temperature_of,
)
from arborlink.encoders.views import EntityViews, Markers
from arborlink.errors import InputError, ModelError

SETTINGS_VERSION = 2
# A mention, its markers, the tokenizer's own tokens and a little context.
FEWEST_TOKENS = 16
# Those of arborlink.partition, which stands above this room.
InferenceMode = Literal["independent", "undirected", "directed", "minimax"]
INFERENCE_MODES: tuple[InferenceMode, ...] = get_args(InferenceMode)


@dataclass(frozen=True, slots=True)
class Inference:
    """How vectors become links, where nobody says otherwise.

    Args:
        mode: the inference, one of ``arborlink.partition.MODES``.
        neighbours: mentions that each mention is joined to in the graph.
        threshold: the least affinity that joins two nodes; ``None`` links every mention.
        by_type: mentions only meet entities and mentions of their own types.

    Raises:
        InputError: a value is unknown or out of range.
    """

    mode: InferenceMode = "directed"
    neighbours: int = 1
    threshold: float | None = None
    by_type: bool = False

    def __post_init__(self) -> None:
        if self.mode not in INFERENCE_MODES:
            known = ", ".join(INFERENCE_MODES)
            raise InputError(f"inference {self.mode!r} is not known; choose one of {known}")
        if self.neighbours < 0:
            raise InputError(f"neighbours is {self.neighbours}; expected 0 or more")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise InputError(
                f"threshold is {self.threshold}; expected a finite number, or none to link every mention"
            )

    def replaced(
        self,
        mode: InferenceMode | None = None,
        neighbours: int | None = None,
        threshold: float | str | None = "model",
        by_type: bool | None = None,
    ) -> Inference:
        """The same but for what is given: ``None`` leaves a value as it is, for the threshold ``"model"`` does.

        Raises:
            InputError: a value is unknown or out of range.
        """
        if isinstance(threshold, str):
            if threshold != "model":
                raise InputError(f"threshold is {threshold!r}; expected a number, None or 'model'")
            threshold = self.threshold
        return Inference(
            mode=self.mode if mode is None else mode,
            neighbours=self.neighbours if neighbours is None else operator.index(neighbours),
            threshold=None if threshold is None else float(threshold),
            by_type=self.by_type if by_type is None else bool(by_type),
        )


def checked_detour(detour: float) -> float:
    """The detour, if it can be one.

    Raises:
        InputError: it is no finite number, or less than 0.
    """
    if not 0 <= detour < math.inf:
        raise InputError(f"detour is {detour}; expected a finite number, 0 or more")
    return detour


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The content of ``arborlink.json``.

    The last four fields are filled in when the model is written.

    Args:
        mention_tokens: tokens of a mention's text that count, special tokens included.
        entity_tokens: tokens of an entity's text that count.
        markers: the special tokens of the texts.
        entity_views: ``text``: one text for each entity; ``names``: one for each of its names.
        inference: how the vectors are best linked.
        temperature: affinities were divided by it in training: how sharply they tell right from wrong.
        name_share: share of the comparison of names in an affinity beside the towers; see
            :mod:`arborlink.encoders.blended`.
        sameness: share, in that comparison, of whether two names are the same; see
            :mod:`arborlink.encoders.sameness`.
        description_names: in that comparison, mention strings that an entity's description has are names of it too;
            see :mod:`arborlink.encoders.description_names`.
        detour: what is taken off the affinity of two mentions; see :class:`arborlink.neighbourhood.Neighbourhood`.
        mention_tower: folder beside the file with the model that reads mentions.
        entity_tower: folder of the one that reads entities; may be the same.
        weights: for each folder, the SHA-256 of its ``model.safetensors``.
        fingerprint: names weights and settings, in the precision they were saved in.
    """

    mention_tokens: int = 128
    entity_tokens: int = 128
    markers: Markers = field(default_factory=Markers)
    entity_views: EntityViews = "text"
    inference: Inference = field(default_factory=Inference)
    temperature: float = 0.05
    name_share: float = 0.0
    sameness: float = 0.0
    description_names: bool = False
    detour: float = 0.0
    mention_tower: str = ""
    entity_tower: str = ""
    weights: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""

    @property
    def towers(self) -> tuple[str, ...]:
        """The distinct folders of the towers."""
        return tuple(dict.fromkeys((self.mention_tower, self.entity_tower)))

    def to_json(self) -> dict[str, Any]:
        """The settings as they are written."""
        return {"version": SETTINGS_VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, content: object) -> ModelSettings:
        """The settings as they were read, every one of them checked.

        Raises:
            ModelError: another version, a field that is missing, of the wrong type or out of range; the message has
                no place yet.
        """
        fields = content_of(content, SETTINGS_VERSION)
        towers: dict[str, Any] = {
            name: folder_name(field_of(fields, name, str), name) for name in ("mention_tower", "entity_tower")
        }
        views = field_of(fields, "entity_views", str)
        if views not in get_args(EntityViews):
            raise ModelError(f"entity_views is {views!r}; expected {' or '.join(get_args(EntityViews))}")
        return cls(
            mention_tokens=_tokens(fields, "mention_tokens"),
            entity_tokens=_tokens(fields, "entity_tokens"),
            markers=_markers(field_of(fields, "markers", dict)),
            entity_views=views,
            weights=_weights(field_of(fields, "weights", dict), set(towers.values())),
            fingerprint=field_of(fields, "fingerprint", str),
            **towers,
            **linking_of(fields),
        )


def linking_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a saved model of any kind says about linking with it; fields that came later may be missing.

    Raises:
        ModelError: a field is missing, of the wrong type or out of range.
    """
    return {
        "inference": _inference(field_of(fields, "inference", dict)),
        "temperature": temperature_of(fields),
        "name_share": share_of(fields, "name_share"),
        "sameness": share_of(fields, "sameness"),
        "description_names": of_type(fields.get("description_names", False), bool, "description_names"),
        "detour": _detour(fields.get("detour", 0.0)),
    }


def _tokens(fields: Mapping[str, Any], name: str) -> int:
    tokens: int = field_of(fields, name, int)
    if tokens < FEWEST_TOKENS:
        raise ModelError(f"{name} is {tokens}; expected {FEWEST_TOKENS} or more")
    return tokens


def _markers(fields: Mapping[str, Any]) -> Markers:
    only(fields, ("start", "end", "title"), "markers")
    markers = Markers(**{name: of_type(value, str, f"markers.{name}") for name, value in fields.items()})
    if len(set(markers.all)) < 3 or not all(marker.strip() for marker in markers.all):
        raise ModelError(f"markers are {', '.join(map(repr, markers.all))}; expected three different tokens")
    return markers


def _inference(fields: Mapping[str, Any]) -> Inference:
    only(fields, ("mode", "neighbours", "threshold", "by_type"), "inference")
    threshold = fields["threshold"]
    try:
        return Inference(
            mode=of_type(fields["mode"], str, "inference.mode"),
            neighbours=of_type(fields["neighbours"], int, "inference.neighbours"),
            threshold=None if threshold is None else float(of_type(threshold, float, "inference.threshold")),
            by_type=of_type(fields["by_type"], bool, "inference.by_type"),
        )
    except (InputError, OverflowError) as error:
        raise ModelError(f"inference: {error}") from error


def _detour(value: object) -> float:
    """Models from before it was kept have none."""
    try:
        return checked_detour(number_of(value, "detour"))
    except InputError as error:
        raise ModelError(str(error)) from error


def _weights(fields: Mapping[str, Any], towers: set[str]) -> dict[str, str]:
    if set(fields) != towers:
        raise ModelError(
            f"weights are of {', '.join(sorted(fields)) or 'nothing'}; expected {', '.join(sorted(towers))}"
        )
    for name, digest in fields.items():
        if not isinstance(digest, str) or len(digest) != 64 or set(digest) - set("0123456789abcdef"):
            raise ModelError(f"weights.{name} is {digest!r}; expected the 64 digits of a SHA-256")
    return dict(fields)
