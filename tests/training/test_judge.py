"""Judging by the real inference: the same figures as linking with ``Linker`` and counting by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import Embeddings
from arborlink.encoders.model_folder import Inference
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker import Linker
from arborlink.result import Result
from arborlink.training.config import DevConfig
from arborlink.training.judge import Choice, Judge, Judgement

TYPES = ("drug", "sign")
N_ENTITIES = 6
SMALL = DevConfig(neighbours=[1, 3], recall_at=3)


class World:
    """Mentions around their entities, as vectors; entities have one to three of them.

    A composite, an unlabelled and a NIL mention come first; ``n_outside`` groups are not in the knowledge base.
    """

    fingerprint = "given"

    def __init__(self, seed: int, n: int = 24, n_outside: int = 2) -> None:
        draw = np.random.default_rng(seed)
        groups = draw.integers(0, N_ENTITIES + n_outside, n).tolist()
        groups[3:5] = [0, N_ENTITIES + n_outside - 1]
        labels: list[tuple[str, ...] | None] = [(f"E{group}",) for group in groups]
        labels[:3] = [("E1", "X9"), None, ()]
        self.labels = labels
        centres = draw.standard_normal((N_ENTITIES + n_outside, 5))
        self.mentions = (centres[groups] + 0.8 * draw.standard_normal((n, 5))).astype(np.float32)
        self.n_views = draw.integers(1, 4, N_ENTITIES)
        owner = np.repeat(np.arange(N_ENTITIES), self.n_views)
        self.views = (centres[owner] + 0.8 * draw.standard_normal((len(owner), 5))).astype(np.float32)
        self.rows = np.where(draw.random(n) < 0.2, 0, np.arange(n)).astype(np.int32)  # some windows are equal
        self.corpus = Corpus(
            Document(f"d{n}", "word", (Mention(f"m{n}", 0, 4, (TYPES[group % 2],), label),))
            for n, (group, label) in enumerate(zip(groups, labels, strict=True))
        )
        self.kb = KnowledgeBase(
            Entity(f"E{number}", f"entity {number}", types=(TYPES[number % 2],))
            for number in range(N_ENTITIES)
        )

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        return Embeddings.one_each(self.mentions, self.rows)

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        offsets = np.concatenate([[0], np.cumsum(self.n_views)]).astype(np.int64)
        return Embeddings(self.views, np.arange(len(self.views), dtype=np.int32), offsets)

    def judgement(self, config: DevConfig, by_type: bool = False) -> Judgement:
        judge = Judge(self.corpus, self.kb, config, by_type)
        return judge.judge(self.encode_mentions(self.corpus), self.encode_entities(self.kb))

    def linked(self, way: Inference, candidates: int = 0) -> Result:
        return Linker(self, progress=False, defaults=way).link(self.corpus, self.kb, candidates=candidates)

    def accuracy(self, result: Result) -> float:
        right = [
            link.entity in label
            for link, label in zip(result, self.labels, strict=True)
            if label and any(id_ in self.kb for id_ in label)
        ]
        return sum(right) / len(right)

    def agreement(self, result: Result) -> float:
        pairs = [
            (label, link.cluster) for link, label in zip(result, self.labels, strict=True) if label
        ]  # gold clusters are sets of ids
        gold, found = [str(label) for label, _ in pairs], [cluster for _, cluster in pairs]
        return float(normalized_mutual_info_score(gold, found) + adjusted_rand_score(gold, found)) / 2


def ways(config: DevConfig) -> list[tuple[str, int]]:
    first = config.neighbours[0]
    tried = [(mode, k) for k in config.neighbours for mode in config.modes]
    return [
        (mode, 1 if mode == "independent" else k) for mode, k in tried if mode != "independent" or k == first
    ]


def test_a_detour_counts_on_dev_as_in_linking() -> None:
    world = World(3)
    config = SMALL.model_copy(update={"detour": 0.25})
    judgement = world.judgement(config)
    assert judgement.hood.detour == 0.25
    for mode, k in ways(config):
        linker = Linker(world, progress=False, defaults=Inference(mode, k), detour=0.25)  # type: ignore[arg-type]
        found = [None if e < 0 else world.kb.entities[e].id for e in judgement.partition(mode, k).entity]  # type: ignore[arg-type]
        assert found == [link.entity for link in linker.link(world.corpus, world.kb)]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), by_type=st.booleans())
def test_choices_are_what_linking_gives(seed: int, by_type: bool) -> None:
    world = World(seed)
    choices = world.judgement(SMALL, by_type).choices()
    expected = [
        Choice(mode, k, world.accuracy(world.linked(Inference(mode, k, None, by_type))))  # type: ignore[arg-type]
        for mode, k in ways(SMALL)
    ]
    best = max(choice.accuracy for choice in expected)
    n_linkable = sum(any(id_ in world.kb for id_ in label or ()) for label in world.labels)
    close = [
        choice
        for choice in expected
        if choice.accuracy >= best - (best * (1 - best) / n_linkable) ** 0.5 - 1e-12
    ]
    assert choices[0] == close[0]
    expected.remove(close[0])
    assert choices[1:] == sorted(expected, key=lambda choice: -choice.accuracy)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), by_type=st.booleans())
def test_recall_is_that_of_the_candidates(seed: int, by_type: bool) -> None:
    world = World(seed)
    found = world.linked(Inference(by_type=by_type), candidates=SMALL.recall_at).candidates
    assert found is not None
    linkable = [
        (mention.id, mention.entities)
        for _, mention in world.corpus.mentions
        if any(id_ in world.kb for id_ in mention.entities or ())
    ]
    hits = [any(each.entity in (gold or ()) for each in found[id_]) for id_, gold in linkable]
    assert world.judgement(SMALL, by_type).recall() == pytest.approx(sum(hits) / len(hits), abs=1e-12)


def test_more_neighbours_and_entities_than_there_are_do_no_harm() -> None:
    world = World(3, n=5)
    hood = world.judgement(DevConfig(neighbours=[2, 4, 8], recall_at=1000))
    assert hood.recall() == 1.0
    accuracies = {(choice.mode, choice.neighbours): choice.accuracy for choice in hood.choices()}
    for mode in ("undirected", "directed", "minimax"):
        assert accuracies[mode, 4] == accuracies[mode, 8]


def test_a_single_mention_can_be_judged() -> None:
    corpus = Corpus([Document("d", "word", (Mention("m", 0, 4, (), ("E0",)),))])
    kb = KnowledgeBase([Entity("E0", "zero"), Entity("E1", "one")])
    vectors = Embeddings.one_each(np.eye(2, dtype=np.float32))
    hood = Judge(corpus, kb, SMALL).judge(Embeddings.one_each(vectors.vectors[:1]), vectors)
    assert {choice.accuracy for choice in hood.choices()} == {1.0}


def test_with_nothing_to_discover_every_mention_is_linked_in_the_most_accurate_way() -> None:
    world = World(1, n_outside=0)
    hood = world.judgement(SMALL)
    best = hood.choices()[0]
    assert hood.inference(by_type=False) == Inference(best.mode, best.neighbours, None, False)
    assert hood.inference(by_type=True).by_type


def literal_thresholds(result: Result) -> list[float]:
    """Two dozen levels between the lowest affinity that joins anything and the one above four fifths of them."""
    affinities = [link.affinity for link in result if link.affinity is not None]
    return sorted({round(float(np.quantile(affinities, share)), 6) for share in np.linspace(0, 0.8, 24)})


@pytest.mark.parametrize(("seed", "by_type"), [(0, False), (1, False), (2, True)])
def test_with_something_to_discover_the_threshold_is_the_best_of_a_sweep(seed: int, by_type: bool) -> None:
    world = World(seed)
    config = DevConfig(modes=["independent", "directed", "minimax"], neighbours=[1, 2])
    chosen = world.judgement(config, by_type).inference(by_type)
    sweep = {
        (mode, k, threshold): world.agreement(world.linked(Inference(mode, k, threshold, by_type)))  # type: ignore[arg-type]
        for mode, k in ways(config)
        for threshold in literal_thresholds(world.linked(Inference(mode, k, None, by_type)))  # type: ignore[arg-type]
    }
    assert chosen.threshold is not None
    assert chosen.by_type == by_type
    assert world.agreement(world.linked(chosen)) >= max(sweep.values()) - 1e-9
    discovered = [link for link in world.linked(chosen) if link.entity is None]
    assert discovered  # the threshold leaves somebody out


def test_mentions_are_counted_by_kind() -> None:
    world = World(5)
    judge = Judge(world.corpus, world.kb, SMALL)
    kinds = Counter(
        "none" if not label else "linkable" if any(id_ in world.kb for id_ in label) else "outside"
        for label in world.labels
    )
    assert judge.counts == {
        "mentions": 24,
        "linkable": kinds["linkable"],
        "outside_kb": kinds["outside"],
    }
    assert kinds["none"] == 2


def test_dev_without_overlap_is_refused() -> None:
    mentions = [
        Mention("m0", 0, 4, (), ("X",)),
        Mention("m1", 0, 4, (), None),
        Mention("m2", 0, 4, (), ("X", "Y")),
    ]
    corpus = Corpus([Document("d", "word", tuple(mentions))])
    with pytest.raises(InputError) as raised:
        Judge(corpus, KnowledgeBase([Entity("E0", "zero")]), DevConfig())
    assert str(raised.value) == (
        "none of the 3 mentions of the dev documents has its gold entity in the knowledge base: there is nothing to "
        "choose a model by; give other documents, or leave out dev"
    )


def test_judging_by_type_needs_types_on_both_sides() -> None:
    corpus = Corpus([Document("d", "word", (Mention("m", 0, 4, ("drug",), ("E0",)),))])
    with pytest.raises(InputError, match="no type of a mention"):
        Judge(corpus, KnowledgeBase([Entity("E0", "zero", types=("sign",))]), SMALL, by_type=True)
