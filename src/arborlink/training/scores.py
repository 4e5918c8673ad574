"""What an objective asks for, and what it gets: the affinities of one step and what counts as right or wrong."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from arborlink.errors import InputError


@dataclass(frozen=True, slots=True)
class Needs:
    """What must be mined and encoded for an objective.

    Args:
        entity_negatives: nearest wrong entities to mine for each mention.
        mention_negatives: nearest wrong mentions to mine for each mention.
        targets: whether the parents of the mentions must be computed.
        gold_entities: whether the gold entity of each mention of the batch is encoded as a candidate.
    """

    entity_negatives: int
    mention_negatives: int
    targets: bool
    gold_entities: bool

    def __post_init__(self) -> None:
        for name in ("entity_negatives", "mention_negatives"):
            count = getattr(self, name)
            if count < 0:
                raise InputError(f"{name} is {count}; expected 0 or more")


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """The affinities of B mentions (queries) to C candidates, distinct entity views first, then distinct mentions.

    Args:
        values: affinity divided by temperature, float, shape (B, C).
        parent: column of the positive the targets give, an entity view or a mention; -1 for none; int64, (B,).
        entity: column of the gold entity's view; -1 where the entity is not in the knowledge base; int64, (B,).
        negatives: candidates that count as wrong, bool, shape (B, C): never the query itself, its gold entity or
            a coreferent mention. See :func:`negative_mask`.
        n_entities: how many of the columns are entity views.

    Raises:
        InputError: the shapes do not belong together.
    """

    values: Tensor
    parent: Tensor
    entity: Tensor
    negatives: Tensor
    n_entities: int

    def __post_init__(self) -> None:
        if self.values.dim() != 2 or self.values.shape != self.negatives.shape:
            raise InputError(
                f"scores have values of shape {tuple(self.values.shape)} and negatives of shape "
                f"{tuple(self.negatives.shape)}; expected (queries, candidates) for both"
            )
        n_queries, n_candidates = self.values.shape
        for name in ("parent", "entity"):
            shape = tuple(getattr(self, name).shape)
            if shape != (n_queries,):
                raise InputError(
                    f"scores of {n_queries} queries have {name} of shape {shape}; expected one each"
                )
        if not 0 <= self.n_entities <= n_candidates:
            raise InputError(f"scores have {self.n_entities} entity columns of {n_candidates} in all")

    def entities_only(self) -> Scores:
        """The same queries with the entity columns alone; a parent that is a mention becomes -1."""
        n = self.n_entities
        parent = self.parent.where(self.parent < n, -1)
        return Scores(self.values[:, :n], parent, self.entity, self.negatives[:, :n], n)


def negative_mask(
    query_groups: Tensor,
    candidate_groups: Tensor,
    own: Tensor | None = None,
    scopes: tuple[Tensor, Tensor] | None = None,
) -> Tensor:
    """Which candidates are wrong for which queries.

    A group is a gold entity, inside the knowledge base or not: an entity view and all mentions of that entity share
    its number, so a query's own group holds its gold entity, its coreferent mentions and itself. A mention whose
    gold entity is unknown needs a number nobody else has.

    Args:
        query_groups: int64, shape (B,).
        candidate_groups: int64, shape (C,).
        own: columns of the negatives mined for each query, int64, shape (B, k), padded with -1. Without it the
            candidates are shared over the batch: every one of another group is a negative of every query.
        scopes: of the queries, int64, shape (B,), and of the candidates, (C,), where several knowledge bases are
            learned together: what is of another scope than the query is neither right nor wrong for it.

    Returns:
        bool, shape (B, C), on the device of the groups.

    Example:
        >>> queries, candidates = torch.tensor([7, 8]), torch.tensor([7, 8, 9])
        >>> negative_mask(queries, candidates).tolist()
        [[False, True, True], [True, False, True]]
        >>> negative_mask(queries, candidates, own=torch.tensor([[2, -1], [0, 1]])).tolist()
        [[False, False, True], [True, False, False]]
    """
    is_wrong = candidate_groups != query_groups.unsqueeze(-1)
    if scopes is not None:
        is_wrong &= scopes[1] == scopes[0].unsqueeze(-1)
    if own is None:
        return is_wrong
    n_queries, n_candidates = is_wrong.shape
    # padding is marked in a column of its own, which is cut off again
    columns = own.where(own >= 0, n_candidates)
    is_mined = torch.zeros(n_queries, n_candidates + 1, dtype=torch.bool, device=is_wrong.device)
    is_mined.scatter_(1, columns, True)
    return is_wrong & is_mined[:, :n_candidates]
