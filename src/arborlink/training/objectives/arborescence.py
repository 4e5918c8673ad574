"""Arborescence positives: the parent of each mention against the nearest wrong entities and mentions."""

from __future__ import annotations

from torch import Tensor

from arborlink.training.losses import loss_named, mean_over
from arborlink.training.scores import Needs, Scores


class Arborescence:
    r"""The parent of each mention, be it an entity or a mention, against the nearest wrong ones of both kinds.

    .. math:: L = \frac{1}{|B|} \sum_{m \in B} \ell\big(m, \mathrm{parent}(m), N^E(m) \cup N^M(m)\big)

    The parent is the one in the minimum arborescence of the mention's gold cluster, rooted at its entity;
    :math:`N^E` and :math:`N^M` are the nearest entities and mentions of other clusters. Wherever the parent is a
    mention, the gold entity is neither positive nor negative. Mentions without a parent contribute nothing.

    Args:
        loss: a name in :data:`arborlink.training.losses.LOSSES`; ``paper`` is the one of the reference.
        entity_negatives: nearest wrong entities for each mention.
        mention_negatives: nearest wrong mentions for each mention.

    Reference:
        Agarwal, Angell, Monath, McCallum (2021), Entity Linking and Discovery via Arborescence-based Supervised
        Clustering, section 4.

    Inputs:
        Scores with entities and mentions as columns and the parents, see :class:`arborlink.training.scores.Scores`.

    Example:
        A mention whose parent is the mention in column 2; a wrong entity in column 1 and a wrong mention in column 3
        score the same. Its gold entity in column 0 scores highest and does not matter: -log(1 / 3).

        >>> import torch
        >>> from arborlink.training.scores import Scores, negative_mask
        >>> wrong = negative_mask(torch.tensor([0]), torch.tensor([0, 1, 0, 1]))
        >>> scores = Scores(torch.tensor([[9.0, 1.0, 1.0, 1.0]]), torch.tensor([2]), torch.tensor([0]), wrong, 2)
        >>> round(Arborescence()(scores).item(), 4)
        1.0986
    """

    def __init__(
        self, loss: str = "cross-entropy", entity_negatives: int = 8, mention_negatives: int = 8
    ) -> None:
        self.loss = loss_named(loss)
        self.needs = Needs(entity_negatives, mention_negatives, targets=True, gold_entities=False)

    def __call__(self, scores: Scores) -> Tensor:
        """The mean loss over the mentions that have a parent; a scalar."""
        return mean_over(self.loss(scores.values, scores.parent, scores.negatives), scores.parent)
