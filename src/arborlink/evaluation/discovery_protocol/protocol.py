"""The one call of the discovery protocol."""

from __future__ import annotations

from collections.abc import Sequence

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.evaluation.discovery_protocol.hiding import Split, hide_entities
from arborlink.evaluation.discovery_protocol.rows import METHODS, DiscoveryEvaluation, Method, Row
from arborlink.evaluation.discovery_protocol.searched_split import SearchedSplit
from arborlink.evaluation.gold import Gold
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker

NEIGHBOURS = (1, 2, 4, 8)
N_THRESHOLDS = 10


def evaluate_discovery(
    linker: Linker,
    corpus: Corpus,
    kb: KnowledgeBase,
    dev: Corpus | None = None,
    *,
    hide: float = 0.1,
    seed: int = 0,
    by_type: bool | None = None,
    neighbours: Sequence[int] = NEIGHBOURS,
    n_thresholds: int = N_THRESHOLDS,
) -> DiscoveryEvaluation:
    """Hide entities that the documents mention, and measure whether their mentions are found as clusters.

    For each method the neighbours k and the threshold with the best (NMI + ARI) / 2 are chosen on dev, from which
    entities are hidden by the same seed, and reported on the documents. Thresholds are the centres of a
    one-dimensional k-means over the affinities of all edges of the graph. Both figures are over all mentions of
    known gold cluster, linkable or hidden.

    Args:
        linker: whose encoder and device to use; its defaults only matter for ``by_type``.
        corpus: documents with gold labels, which the figures are reported on.
        kb: the whole knowledge base.
        dev: other documents with gold labels, to choose k and threshold by. Without them the choice is made on
            ``corpus`` itself, and the figures are optimistic.
        hide: share of the entities with a gold mention to hide.
        seed: of the draw.
        by_type: as in :meth:`arborlink.linker.Linker.link`; ``None`` is the linker's default.
        neighbours: the k to try; those beyond the number of other mentions are cut down to it.
        n_thresholds: how many thresholds to try for each k.

    Raises:
        InputError: arguments out of range, or documents without what the protocol needs.

    References:
        Agarwal, Angell, Monath and McCallum, Entity Linking and Discovery via Arborescence-based Supervised
        Clustering, 2021, the experiments on entity discovery.

    Example::

        found = evaluate_discovery(Linker.load("model"), test, kb, dev=dev)
        print(found["directed"].nmi_ari_mean, found["no_entities"].nmi_ari_mean)
    """
    if not neighbours or min(neighbours) < 1:
        raise InputError(f"the neighbours to try are {list(neighbours)}; expected one number or more, from 1")
    is_typed = linker.defaults.by_type if by_type is None else by_type
    splits = [hide_entities(each, kb, hide, seed) for each in (corpus, dev) if each is not None]
    around = [SearchedSplit.of(split, linker, max(neighbours), is_typed) for split in splits]
    reported, judged = around[0], around[-1]
    tried = _within(neighbours, judged)
    rows = tuple(_row(method, reported, judged, tried, n_thresholds) for method in METHODS)
    before = Gold.of(corpus, kb)
    return DiscoveryEvaluation(
        protocol=_protocol(splits[0], hide, seed, dev is not None, tried, n_thresholds, is_typed),
        rows=rows,
        seed=seed,
        hide=hide,
        chosen_on="documents" if dev is None else "dev",
        n_hidden=len(splits[0].hidden),
        n_hideable=splits[0].n_hideable,
        n_hidden_mentions=int((before.linkable & ~reported.gold.linkable).sum()),
        n_outside_kb=int(reported.gold.outside.sum()),
        n_mentions_clustered=int((reported.gold.cluster >= 0).sum()),
        n_entities=len(splits[0].kb),
        n_hidden_dev=None if dev is None else len(splits[1].hidden),
    )


def _within(neighbours: Sequence[int], around: SearchedSplit) -> list[int]:
    """The numbers of neighbours to try, ascending, none beyond what there is."""
    there_are = around.hood.others.items.shape[1]
    return sorted({min(k, there_are) for k in neighbours})


def _row(
    method: Method, reported: SearchedSplit, judged: SearchedSplit, neighbours: Sequence[int], n: int
) -> Row:
    k, threshold, mean = judged.best(method, neighbours, n)
    nmi, ari = reported.agreement(reported.clusters(method, k, threshold))
    return Row(method, nmi, ari, (nmi + ari) / 2, k, threshold, mean)


def _protocol(
    split: Split, hide: float, seed: int, has_dev: bool, tried: list[int], n_thresholds: int, by_type: bool
) -> str:
    chosen = (
        "chosen on the dev documents, entities hidden from them likewise"
        if has_dev
        else "chosen on the very documents they are reported on, which flatters: OPTIMISTIC, give dev documents"
    )
    return "; ".join(
        [
            f"discovery: {len(split.hidden):,} of {split.n_hideable:,} entities with a gold mention hidden "
            f"({hide:.0%}, seed {seed})",
            "NMI and ARI over all mentions with a known gold cluster (composite = its set of ids)",
            f"k of {', '.join(map(str, tried))} and one of {n_thresholds} thresholds (k-means centres of the edges' "
            f"affinities) with the best mean of the two, {chosen}",
            "no entities = weak components of the edges between mentions",
            "mentions only meet their own types" if by_type else "types not looked at",
        ]
    )
