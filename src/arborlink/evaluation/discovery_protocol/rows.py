"""What the protocol reports: one row for each way to cluster."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

Method = Literal["no_entities", "undirected", "directed", "minimax"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class Row:
    """How well one method finds the gold clusters.

    Args:
        method: ``no_entities`` (weak components of the mentions alone) or a mode of inference.
        nmi: normalised mutual information with the gold clusters.
        ari: adjusted Rand index.
        nmi_ari_mean: their mean.
        k: neighbours of each mention, as chosen.
        threshold: least affinity of an edge, as chosen.
        chosen_mean: ``nmi_ari_mean`` where k and threshold were chosen: on dev, if there is one.
    """

    method: Method
    nmi: float
    ari: float
    nmi_ari_mean: float
    k: int
    threshold: float
    chosen_mean: float


@dataclass(frozen=True)
class DiscoveryEvaluation:
    """The rows, and what they were counted over.

    Args:
        protocol: what was done, in words.
        rows: one for each method.
        seed: that entities were hidden by.
        hide: share of the entities that was hidden.
        chosen_on: ``dev``, or ``documents`` where k and threshold were chosen on what they are reported on, which
            flatters.
        n_hidden: entities hidden from the documents reported on.
        n_hideable: entities there that could have been hidden.
        n_hidden_mentions: mentions there that had an entity in the knowledge base before, and have none now.
        n_outside_kb: mentions there with gold ids, none of which is in the knowledge base, the hidden among them.
        n_mentions_clustered: mentions there whose gold cluster is known; the figures are over these.
        n_entities: size of the knowledge base without the hidden entities.
        n_hidden_dev: entities hidden from dev; ``None`` without it.
    """

    protocol: str
    rows: tuple[Row, ...]
    seed: int
    hide: float
    chosen_on: Literal["dev", "documents"]
    n_hidden: int
    n_hideable: int
    n_hidden_mentions: int
    n_outside_kb: int
    n_mentions_clustered: int
    n_entities: int
    n_hidden_dev: int | None

    @property
    def is_optimistic(self) -> bool:
        """Whether k and threshold were chosen on the very documents they are reported on."""
        return self.chosen_on == "documents"

    def __getitem__(self, method: Method) -> Row:
        return {row.method: row for row in self.rows}[method]

    def to_dict(self) -> dict[str, float | int | str | None]:
        """One flat dictionary; the figures of a row stand under ``<method>_<figure>``."""
        found = {name: value for name, value in vars(self).items() if name != "rows"}
        for row in self.rows:
            fields = asdict(row)
            method = fields.pop("method")
            found |= {f"{method}_{name}": value for name, value in fields.items()}
        return found
