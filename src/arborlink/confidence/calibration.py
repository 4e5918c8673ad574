"""A calibration: probabilities and answers for the mentions of a partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.confidence.answers import check_target
from arborlink.confidence.features import LINK_FEATURES, N_NEAR, NEW_FEATURES, link_features, new_features
from arborlink.confidence.model import ProbabilityModel
from arborlink.confidence.numbers import number
from arborlink.encoders.model_settings import Inference
from arborlink.errors import InputError
from arborlink.partition import Partition
from arborlink.search import Neighbours

VERSION = 1
_KIND = "arborlink-calibration"


@dataclass(frozen=True, eq=False, slots=True)
class Confidence:
    """What a calibration says about each mention.

    Args:
        probability: of a linked mention, that its link is right; of another, that its entity really is outside the
            knowledge base; in six digits, NaN where nothing is known. float64, shape (n_mentions,).
        answer: ``linked``, ``new`` or ``unsure``; shape (n_mentions,).
    """

    probability: NDArray[np.float64]
    answer: NDArray[np.str_]


@dataclass(frozen=True, eq=False, slots=True)
class Calibration:
    """Probabilities learnt on labelled documents, for one model and one way of linking.

    Args:
        model: fingerprint of the model.
        inference: how the documents were linked.
        links: that a link is right; ``None`` where nothing was linked on the labelled documents.
        new: that a mention left unlinked is outside the knowledge base; ``None`` where none was left.
        target_error: the share of wrong answers to keep to, where nobody says otherwise.
        about: what it was learnt from, and how well it did there; for readers.

    Example:
        >>> said = read_calibration("model/calibration.json").apply(hood.near, parts)  # doctest: +SKIP
        >>> said.probability[0], said.answer[0]  # doctest: +SKIP
        (0.973, 'linked')
    """

    model: str
    inference: Inference
    links: ProbabilityModel | None
    new: ProbabilityModel | None
    target_error: float = 0.05
    about: Mapping[str, Any] = field(default_factory=dict)

    def mismatch(self, inference: Inference, model: str) -> str | None:
        """Why the calibration is none for this model and this way of linking; ``None`` if it is.

        Without neighbours in the graph, how many there would be does not matter.
        """
        if model != self.model:
            return f"it is of the model {self.model}, and this is {model}"
        for name, ours, given in (
            ("inference", self.inference.mode, inference.mode),
            ("neighbours", _neighbours(self.inference), _neighbours(inference)),
            ("threshold", self.inference.threshold, inference.threshold),
            ("by_type", self.inference.by_type, inference.by_type),
        ):
            if ours != given:
                return f"it is for {name} {_told(ours)}, and the documents are linked with {_told(given)}"
        return None

    def apply(self, near: Neighbours, parts: Partition, target_error: float | None = None) -> Confidence:
        """Probabilities and answers for the mentions of a partition.

        Args:
            near: the nearest entities of each mention, best first: two, or all where there are fewer.
            parts: the partition.
            target_error: the share of wrong answers to keep to; ``None`` is the calibration's own.

        Raises:
            InputError: too few entities, another number of mentions, or a target out of range.
        """
        _check(near, parts)
        target = check_target(self.target_error if target_error is None else target_error)
        probability = np.full(parts.n_mentions, np.nan)
        answer = np.full(parts.n_mentions, "unsure")
        is_linked = parts.entity >= 0
        for model, features, members, word in (
            (self.links, link_features, is_linked, "linked"),
            (self.new, new_features, ~is_linked, "new"),
        ):
            if model is None or not members.any():
                continue
            probability[members] = model.probability(features(near, parts)[members])
            least = model.answers.least_probability(target)
            if least is not None:
                answer[members & (probability >= least)] = word
        return Confidence(probability, answer)

    def to_json(self) -> dict[str, Any]:
        """Plain values; see ``docs/calibration.md``."""
        return {
            "kind": _KIND,
            "version": VERSION,
            "model": self.model,
            "inference": {
                "mode": self.inference.mode,
                "neighbours": self.inference.neighbours,
                "threshold": self.inference.threshold,
                "by_type": self.inference.by_type,
            },
            "target_error": self.target_error,
            "about": dict(self.about),
            "links": None if self.links is None else self.links.to_json(),
            "new": None if self.new is None else self.new.to_json(),
        }

    @classmethod
    def from_json(cls, content: Any) -> Calibration:
        """The calibration of plain values.

        Raises:
            InputError: they are none, or of another version.
        """
        if not isinstance(content, dict) or content.get("kind") != _KIND:
            raise InputError("not a calibration; make one with `arborlink calibrate`")
        if content.get("version") != VERSION:
            raise InputError(
                f"a calibration of version {content.get('version')!r}, but this ArborLink reads version {VERSION}; "
                "run `arborlink calibrate` again"
            )
        if not isinstance(content.get("model"), str) or not isinstance(content.get("about", {}), dict):
            raise InputError("the calibration does not say which model it is of, or what it was learnt from")
        return cls(
            content["model"],
            _inference(content.get("inference")),
            _model(content.get("links"), LINK_FEATURES),
            _model(content.get("new"), NEW_FEATURES),
            check_target(number(content, "target_error"), "target_error"),
            content.get("about", {}),
        )


def _neighbours(inference: Inference) -> int:
    return 0 if inference.mode == "independent" else inference.neighbours


def _told(value: object) -> object:
    return "none" if value is None else value


def _check(near: Neighbours, parts: Partition) -> None:
    if len(near.items) != parts.n_mentions:
        raise InputError(
            f"there are entities near {len(near.items)} mentions and a partition of {parts.n_mentions}; "
            "expected the same mentions"
        )
    n_needed = min(N_NEAR, parts.n_entities)
    if near.items.shape[1] < n_needed:
        raise InputError(
            f"each mention has {near.items.shape[1]} near entities; a calibration looks at {n_needed}"
        )


def _inference(content: Any) -> Inference:
    if not isinstance(content, dict) or content.keys() != {"mode", "neighbours", "threshold", "by_type"}:
        raise InputError("the calibration does not say for which way of linking it is")
    if type(content["neighbours"]) is not int or type(content["by_type"]) is not bool:
        raise InputError("neighbours is no whole number, or by_type neither true nor false")
    threshold = None if content["threshold"] is None else number(content, "threshold")
    return Inference(content["mode"], content["neighbours"], threshold, content["by_type"])


def _model(content: Any, features: tuple[str, ...]) -> ProbabilityModel | None:
    if content is None:
        return None
    if not isinstance(content, dict):
        raise InputError(
            f"a model of the calibration is {type(content).__name__}; expected an object or null"
        )
    return ProbabilityModel.from_json(content, features)
