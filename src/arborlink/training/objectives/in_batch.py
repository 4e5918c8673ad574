"""In-batch negatives: the gold entity against the gold entities of the other mentions."""

from __future__ import annotations

from torch import Tensor

from arborlink.training.losses import loss_named, mean_over
from arborlink.training.scores import Needs, Scores


class InBatch:
    r"""The gold entity of each mention against the other gold entities of the batch.

    .. math:: L = \frac{1}{|B|} \sum_{m \in B} \ell\big(m, e^\star_m, E_B \setminus \{e^\star_m\}\big)

    :math:`E_B` are the gold entities of all mentions of the batch. An entity that several mentions of the batch
    share is a negative of none of them. Mentions whose entity is not in the knowledge base contribute nothing.

    Args:
        loss: a name in :data:`arborlink.training.losses.LOSSES`.

    Reference:
        Gillick et al. (2019), Learning Dense Representations for Entity Retrieval.

    Inputs:
        Scores with the gold entities of the batch as entity columns, see :class:`arborlink.training.scores.Scores`.

    Example:
        Three mentions, two of the same entity: each has one negative, of the same score, so each loss is log 2.

        >>> import torch
        >>> from arborlink.training.scores import Scores, negative_mask
        >>> gold = torch.tensor([0, 0, 1])
        >>> wrong = negative_mask(gold, torch.tensor([0, 1]))
        >>> scores = Scores(torch.ones(3, 2), parent=gold, entity=gold, negatives=wrong, n_entities=2)
        >>> round(InBatch()(scores).item(), 4)
        0.6931
    """

    def __init__(self, loss: str = "cross-entropy") -> None:
        self.loss = loss_named(loss)
        self.needs = Needs(entity_negatives=0, mention_negatives=0, targets=False, gold_entities=True)

    def __call__(self, scores: Scores) -> Tensor:
        """The mean loss over the mentions that have an entity; a scalar."""
        entities = scores.entities_only()
        return mean_over(self.loss(entities.values, entities.entity, entities.negatives), entities.entity)
