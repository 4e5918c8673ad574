"""The objectives of training: what the affinities of a step should have been.

An objective says what it needs to have mined and encoded, and turns the :class:`~arborlink.training.scores.Scores`
of a step into one number.
"""

from __future__ import annotations

from typing import Literal, Protocol, get_args, runtime_checkable

from torch import Tensor

from arborlink.errors import InputError
from arborlink.training.objectives.arborescence import Arborescence
from arborlink.training.objectives.in_batch import InBatch
from arborlink.training.objectives.joint import Joint
from arborlink.training.objectives.knn import NearestNegatives
from arborlink.training.scores import Needs, Scores

__all__ = [
    "OBJECTIVES",
    "Arborescence",
    "InBatch",
    "Joint",
    "NearestNegatives",
    "Needs",
    "Objective",
    "ObjectiveName",
    "make_objective",
]

ObjectiveName = Literal["in-batch", "knn", "arborescence", "joint"]
OBJECTIVES: tuple[ObjectiveName, ...] = get_args(ObjectiveName)


@runtime_checkable
class Objective(Protocol):
    """Turns the scores of a step into the number that training makes smaller."""

    @property
    def needs(self) -> Needs:
        """What must be mined and encoded."""
        ...

    def __call__(self, scores: Scores) -> Tensor:
        """The loss, a scalar that can be differentiated; 0 where no query has a positive."""
        ...


def make_objective(
    name: str,
    *,
    loss: str = "cross-entropy",
    entity_weight: float = 1.0,
    entity_negatives: int = 8,
    mention_negatives: int = 8,
) -> Objective:
    """The objective of that name.

    Args:
        name: ``in-batch``, ``knn``, ``arborescence`` or ``joint``.
        loss: ``cross-entropy`` or ``paper``.
        entity_weight: weight of the direct entity term; only ``joint`` has one.
        entity_negatives: nearest wrong entities for each mention; ``in-batch`` has none.
        mention_negatives: nearest wrong mentions for each mention; ``knn`` takes as many entities instead.

    Raises:
        InputError: a name that is not known, or a number out of range.

    Example:
        >>> make_objective("knn", entity_negatives=4, mention_negatives=4).needs.entity_negatives
        8
    """
    if name == "in-batch":
        return InBatch(loss)
    if name == "knn":
        return NearestNegatives(loss, entity_negatives, mention_negatives)
    if name == "arborescence":
        return Arborescence(loss, entity_negatives, mention_negatives)
    if name == "joint":
        return Joint(loss, entity_weight, entity_negatives, mention_negatives)
    raise InputError(f"objective {name!r} is not known; choose one of {', '.join(OBJECTIVES)}")
