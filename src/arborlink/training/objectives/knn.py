"""Nearest negatives: the gold entity against the nearest wrong entities."""

from __future__ import annotations

from torch import Tensor

from arborlink.training.losses import loss_named, mean_over
from arborlink.training.scores import Needs, Scores


class NearestNegatives:
    r"""The gold entity of each mention against the nearest wrong entities.

    .. math:: L = \frac{1}{|B|} \sum_{m \in B} \ell\big(m, e^\star_m, N_k(m)\big)

    :math:`N_k(m)` are the k entities nearest to the mention that are not its own; with negatives shared over the
    batch, those of the other mentions too. Mentions whose entity is not in the knowledge base contribute nothing.

    Args:
        loss: a name in :data:`arborlink.training.losses.LOSSES`.
        entity_negatives: with ``mention_negatives`` makes up k.
        mention_negatives: entities are taken in the place of mentions, so that objectives given the same numbers
            see equally many negatives.

    Reference:
        Gillick et al. (2019), Learning Dense Representations for Entity Retrieval; the baseline with nearest
        negatives of Agarwal et al. (2021), Entity Linking and Discovery via Arborescence-based Supervised Clustering.

    Inputs:
        Scores with gold and nearest entities as entity columns, see :class:`arborlink.training.scores.Scores`.

    Example:
        A mention of entity 0, which scores log 2; entities 1 and 2 score 0: -log(2 / 4).

        >>> import torch
        >>> from arborlink.training.scores import Scores
        >>> objective = NearestNegatives(entity_negatives=1, mention_negatives=1)
        >>> objective.needs.entity_negatives, objective.needs.mention_negatives
        (2, 0)
        >>> values = torch.tensor([[2.0, 1.0, 1.0]]).log()
        >>> gold, wrong = torch.tensor([0]), torch.tensor([[False, True, True]])
        >>> round(objective(Scores(values, parent=gold, entity=gold, negatives=wrong, n_entities=3)).item(), 4)
        0.6931
    """

    def __init__(
        self, loss: str = "cross-entropy", entity_negatives: int = 8, mention_negatives: int = 8
    ) -> None:
        self.loss = loss_named(loss)
        asked = Needs(entity_negatives, mention_negatives, targets=False, gold_entities=True)
        n_nearest = asked.entity_negatives + asked.mention_negatives
        self.needs = Needs(n_nearest, mention_negatives=0, targets=False, gold_entities=True)

    def __call__(self, scores: Scores) -> Tensor:
        """The mean loss over the mentions that have an entity; a scalar."""
        entities = scores.entities_only()
        return mean_over(self.loss(entities.values, entities.entity, entities.negatives), entities.entity)
