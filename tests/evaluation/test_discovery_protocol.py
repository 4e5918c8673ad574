"""The discovery protocol: what is hidden, which thresholds are tried, and figures against their literal meaning."""

from __future__ import annotations

import re
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings
from arborlink.encoders.model_folder import Inference
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.evaluation.discovery_protocol import METHODS, centres, evaluate_discovery, hide_entities
from arborlink.evaluation.discovery_protocol.searched_split import SearchedSplit
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.partition import MODES


class PointEncoder:
    """Unit vectors: those of entities drawn by id, those of mentions near to their gold entity's.

    Args:
        noise: how far mentions stray.
    """

    fingerprint = "points"

    def __init__(self, noise: float = 0.6) -> None:
        self.noise = noise
        self.n_calls = {"mentions": 0, "entities": 0}

    def _point(self, id_: str) -> NDArray[np.float32]:
        return np.random.default_rng(list(id_.encode())).normal(size=6).astype(np.float32)

    def _embeddings(self, points: list[NDArray[np.float32]]) -> Embeddings:
        vectors = np.array(points)
        return Embeddings.one_each(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        self.n_calls["mentions"] += 1
        own = [(mention.id, (mention.entities or ("none",))[0]) for _, mention in corpus.mentions]
        return self._embeddings([self._point(gold) + self.noise * self._point(id_) for id_, gold in own])

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        self.n_calls["entities"] += 1
        return self._embeddings([self._point(entity.id) for entity in kb])


def world(prefix: str, n_mentions: int, n_entities: int, seed: int) -> Corpus:
    """Documents of one mention; a few are not labelled, or NIL of unknown cluster."""
    golds = np.random.default_rng(seed).integers(0, n_entities, n_mentions).tolist()
    labels = [None if gold == 0 else () if gold == 1 else (f"E{gold}",) for gold in golds]
    return Corpus(
        Document(f"{prefix}{number}", "word", (Mention(f"{prefix}{number}.0", 0, 4, (), label),))
        for number, label in enumerate(labels)
    )


KB = KnowledgeBase(Entity(f"E{number}", f"entity {number}") for number in range(40))


@pytest.fixture
def linker() -> Linker:
    return Linker(PointEncoder(), progress=False)


def gold_of(corpus: Corpus) -> set[str]:
    return {id_ for _, mention in corpus.mentions for id_ in mention.entities or ()}


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=30),
    st.floats(0.01, 0.9),
    st.integers(0, 5),
    st.randoms(),
)
def test_only_entities_with_a_gold_mention_are_hidden_and_always_the_same(
    golds: list[int], share: float, seed: int, random: object
) -> None:
    documents = [
        Document(f"d{number}", "w", (Mention(f"d{number}.0", 0, 1, (), (f"E{gold}",)),))
        for number, gold in enumerate(golds)
    ]
    kb = KnowledgeBase(Entity(f"E{number}", "name") for number in range(10))
    hideable = gold_of(Corpus(documents)) & kb.index.keys()
    if not hideable:
        with pytest.raises(InputError, match="there is nothing to hide"):
            hide_entities(Corpus(documents), kb, share, seed)
        return
    split = hide_entities(Corpus(documents), kb, share, seed)
    assert set(split.hidden) <= hideable
    assert (split.n_hideable, len(split.hidden)) == (
        len(hideable),
        max(1, int(share * len(hideable) + 0.5)),
    )
    assert [entity.id for entity in split.kb] == [e.id for e in kb if e.id not in split.hidden]
    random.shuffle(documents)  # type: ignore[attr-defined]
    assert hide_entities(Corpus(documents), kb, share, seed).hidden == split.hidden


def test_the_draw_is_the_same_on_every_machine_and_another_seed_draws_others() -> None:
    corpus = Corpus(
        Document(id_, "w", (Mention(f"{id_}.0", 0, 1, (), (id_,)),)) for id_ in (entity.id for entity in KB)
    )
    drawn = [hide_entities(corpus, KB, 0.1, seed).hidden for seed in range(5)]
    assert drawn[0] == ("E20", "E36", "E38", "E4")
    assert len(set(drawn)) == 5


@pytest.mark.parametrize("share", [0.0, -0.1, 1.5, float("nan")])
def test_a_share_out_of_range_is_refused(share: float) -> None:
    with pytest.raises(InputError, match="expected a number above 0 and at most 1"):
        hide_entities(world("d", 20, 40, 0), KB, share)


def test_hiding_the_whole_knowledge_base_is_refused() -> None:
    corpus = Corpus([Document("d", "w", (Mention("d.0", 0, 1, (), ("E0",)),))])
    with pytest.raises(InputError, match="hiding 1 entities leaves none of the 1"):
        hide_entities(corpus, KnowledgeBase([Entity("E0", "name")]))


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(0, 1000), st.sampled_from([1, 2, 4]), st.floats(-1, 1))
def test_without_entities_clusters_are_the_weak_components(
    n: int, seed: int, k: int, threshold: float
) -> None:
    corpus = world(f"s{seed}-", n, 12, seed)
    linker = Linker(PointEncoder(), progress=False)
    split = hide_entities(labelled(corpus), KB)
    around = SearchedSplit.of(split, linker, 4, by_type=False)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    for mention in range(n):
        for item, affinity in zip(
            around.hood.others.items[mention, :k], around.hood.others.affinities[mention, :k], strict=True
        ):
            if item >= 0 and affinity >= threshold:
                graph.add_edge(int(item), mention)
    clusters = around.clusters("no_entities", k, threshold)
    expected = {frozenset(each) for each in networkx.weakly_connected_components(graph)}
    assert {frozenset(np.flatnonzero(clusters == c).tolist()) for c in set(clusters.tolist())} == expected


def labelled(corpus: Corpus) -> Corpus:
    """The corpus with an entity for its first mention, so that there is one to hide."""
    first, *rest = corpus.documents
    mention = first.mentions[0]
    return Corpus([Document(first.id, first.text, (Mention(mention.id, 0, 4, (), ("E5",)),)), *rest])


def literal(
    linker: Linker, corpus: Corpus, kb: KnowledgeBase, method: str, k: int, threshold: float
) -> float:
    """(NMI + ARI) / 2 of a real run of the linker, by scikit-learn."""
    result = linker.link(corpus, kb, inference=method, neighbours=k, threshold=threshold)  # type: ignore[arg-type]
    golds = [mention.entities for _, mention in corpus.mentions]
    pairs = [(gold, link.cluster) for gold, link in zip(golds, result.links, strict=True) if gold]
    names = sorted({gold for gold, _ in pairs})
    gold = [names.index(name) for name, _ in pairs]
    found = [cluster for _, cluster in pairs]
    return float(normalized_mutual_info_score(gold, found) + adjusted_rand_score(gold, found)) / 2


@pytest.mark.parametrize("method", ["undirected", "directed", "minimax"])
def test_the_choice_and_the_figures_are_those_of_real_runs(linker: Linker, method: str) -> None:
    corpus, dev = world("t", 80, 20, 1), world("v", 70, 20, 2)
    row = evaluate_discovery(linker, corpus, KB, dev, hide=0.2, seed=3)[method]  # type: ignore[index]
    on_dev, on_test = hide_entities(dev, KB, 0.2, 3), hide_entities(corpus, KB, 0.2, 3)
    around = SearchedSplit.of(on_dev, linker, 8, by_type=False)
    best = -1.0, 0, 0.0
    for k in (1, 2, 4, 8):
        near, others = around.hood.near.affinities.ravel(), around.hood.others.affinities[:, :k].ravel()
        edges = np.concatenate([near, others[np.isfinite(others)]])
        for threshold in np.round(centres(edges, 10), 6):
            mean = literal(linker, dev, on_dev.kb, method, k, float(threshold))
            best = max(best, (mean, -k, -float(threshold)))
    assert (row.chosen_mean, row.k, row.threshold) == pytest.approx((best[0], -best[1], -best[2]))
    assert row.nmi_ari_mean == pytest.approx(
        literal(linker, corpus, on_test.kb, method, row.k, row.threshold)
    )
    assert row.nmi_ari_mean == (row.nmi + row.ari) / 2


def test_every_method_clusters_in_its_own_way(linker: Linker) -> None:
    assert set(METHODS) - {"no_entities"} == set(MODES) - {"independent"}
    split = hide_entities(world("t", 150, 30, 5), KB)
    around = SearchedSplit.of(split, linker, 1, by_type=False)
    found = {tuple(around.clusters(method, 1, 0.5).tolist()) for method in METHODS}
    assert len(found) == len(METHODS)


def test_everything_is_encoded_once_and_counted(linker: Linker) -> None:
    corpus, dev = world("t", 80, 20, 1), world("v", 70, 20, 2)
    found = evaluate_discovery(linker, corpus, KB, dev)
    assert linker.encoder.n_calls == {"mentions": 2, "entities": 2}  # type: ignore[attr-defined]
    split = hide_entities(corpus, KB)
    labels = [mention.entities for _, mention in corpus.mentions]
    n_hidden_mentions = sum(bool(label) and label[0] in split.hidden for label in labels if label is not None)
    assert (found.n_hidden, found.n_hideable) == (len(split.hidden), len(gold_of(corpus)))
    assert (found.n_hidden_mentions, found.n_outside_kb) == (n_hidden_mentions, n_hidden_mentions)
    assert found.n_mentions_clustered == sum(bool(label) for label in labels)
    assert (found.n_entities, found.n_hidden_dev) == (
        40 - len(split.hidden),
        len(hide_entities(dev, KB).hidden),
    )
    assert found == evaluate_discovery(linker, corpus, KB, dev)


def test_a_choice_on_the_documents_themselves_is_called_optimistic(linker: Linker) -> None:
    corpus, dev = world("t", 80, 20, 1), world("v", 70, 20, 2)
    alone, honest = evaluate_discovery(linker, corpus, KB), evaluate_discovery(linker, corpus, KB, dev)
    assert (alone.is_optimistic, honest.is_optimistic) == (True, False)
    assert (alone.chosen_on, honest.chosen_on) == ("documents", "dev")
    assert "OPTIMISTIC" in alone.protocol
    assert "OPTIMISTIC" not in honest.protocol
    for method in METHODS:
        assert alone[method].chosen_mean == alone[method].nmi_ari_mean


def test_the_dictionary_is_flat(linker: Linker) -> None:
    found = evaluate_discovery(linker, world("t", 60, 20, 1), KB)
    told = found.to_dict()
    assert told["directed_nmi"] == found["directed"].nmi
    assert told["no_entities_threshold"] == found["no_entities"].threshold
    assert told["n_hidden"] == found.n_hidden
    assert all(value is None or isinstance(value, int | float | str) for value in told.values())


def test_the_documentation_defines_every_figure(linker: Linker) -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    chapter = page[page.index("## The discovery protocol") : page.index("## A tiny example")]
    told = evaluate_discovery(linker, world("t", 60, 20, 1), KB).to_dict()
    names = {re.sub(rf"^({'|'.join(METHODS)})_", "<method>_", key) for key in told}
    assert len(names) == len(told) - 6 * (len(METHODS) - 1)
    assert [name for name in sorted(names) if f"`{name}`" not in chapter] == []


def test_more_neighbours_than_mentions_are_cut_down(linker: Linker) -> None:
    corpus = labelled(world("t", 3, 20, 1))
    assert all(row.k in (1, 2) for row in evaluate_discovery(linker, corpus, KB).rows)


def test_what_cannot_be_tried_is_told(linker: Linker) -> None:
    with pytest.raises(InputError, match="the 1 mentions have no edges"):
        evaluate_discovery(linker, labelled(world("t", 1, 20, 1)), KB)
    with pytest.raises(InputError, match=r"the neighbours to try are \[0\]"):
        evaluate_discovery(linker, world("t", 20, 20, 1), KB, neighbours=[0])


def test_types_are_the_linkers_unless_told() -> None:
    corpus = Corpus(
        Document(f"d{n}", "word", (Mention(f"d{n}.0", 0, 4, ("AB"[n % 2],), (f"E{n % 6}",)),))
        for n in range(30)
    )
    kb = KnowledgeBase(Entity(f"E{number}", "name", types=("AB"[number % 2],)) for number in range(6))
    typed = Linker(PointEncoder(), progress=False, defaults=Inference(by_type=True))
    assert "only meet their own types" in evaluate_discovery(typed, corpus, kb).protocol
    assert "types not looked at" in evaluate_discovery(typed, corpus, kb, by_type=False).protocol
    around = SearchedSplit.of(hide_entities(corpus, kb), typed, 2, by_type=True)
    places = np.arange(30)[:, None]
    assert ((around.hood.others.items - places) % 2 == 0)[around.hood.others.items >= 0].all()
