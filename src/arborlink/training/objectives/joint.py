"""Arborescence positives and the gold entity together."""

from __future__ import annotations

import math

from torch import Tensor

from arborlink.errors import InputError
from arborlink.training.objectives.arborescence import Arborescence
from arborlink.training.objectives.knn import NearestNegatives
from arborlink.training.scores import Needs, Scores


class Joint:
    r"""The arborescence objective plus a direct term for the gold entity.

    .. math:: L = L_{\mathrm{arborescence}} + w \, L_{\mathrm{knn}}

    Both terms are computed from the same scores. Where most parents are mentions, the arborescence alone gives the
    entity tower few positives; the second term gives it one for each mention. A mention whose entity is not in the
    knowledge base counts in the first term only.

    Args:
        loss: a name in :data:`arborlink.training.losses.LOSSES`, for both terms.
        entity_weight: w, a finite number, 0 or more.
        entity_negatives: nearest wrong entities for each mention, negatives in both terms.
        mention_negatives: nearest wrong mentions for each mention, negatives in the first term.

    Reference:
        The first term as in :class:`~arborlink.training.objectives.arborescence.Arborescence`; the second is an
        addition of ArborLink.

    Inputs:
        Scores with entities, the gold ones included, and mentions as columns and the parents, see
        :class:`arborlink.training.scores.Scores`.

    Example:
        A mention with the gold entity in column 0, a wrong one in column 1, its parent in column 2 and a wrong
        mention in column 3, all with the same score: log 3 + 2 log 2.

        >>> import torch
        >>> from arborlink.training.scores import Scores, negative_mask
        >>> wrong = negative_mask(torch.tensor([0]), torch.tensor([0, 1, 0, 1]))
        >>> scores = Scores(torch.ones(1, 4), torch.tensor([2]), torch.tensor([0]), wrong, n_entities=2)
        >>> round(Joint(entity_weight=2.0)(scores).item(), 4)
        2.4849
    """

    def __init__(
        self,
        loss: str = "cross-entropy",
        entity_weight: float = 1.0,
        entity_negatives: int = 8,
        mention_negatives: int = 8,
    ) -> None:
        if not (math.isfinite(entity_weight) and entity_weight >= 0):
            raise InputError(f"entity_weight is {entity_weight}; expected a finite number, 0 or more")
        self.entity_weight = entity_weight
        self.arborescence = Arborescence(loss, entity_negatives, mention_negatives)
        self.direct = NearestNegatives(loss, entity_negatives, mention_negatives)
        self.needs = Needs(entity_negatives, mention_negatives, targets=True, gold_entities=True)

    def __call__(self, scores: Scores) -> Tensor:
        """The sum of both terms, each a mean over the mentions it concerns; a scalar."""
        return self.arborescence(scores) + self.entity_weight * self.direct(scores)
