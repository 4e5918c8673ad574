"""Mining with vectors given by hand: gold views, wrong views and wrong mentions, against literal loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arborlink.labels import Labels
from arborlink.training import mining as mining_module
from arborlink.training.blocks import blocks_of_like
from arborlink.training.examples import EntitySide, Examples
from arborlink.training.mining import Mined, Mining
from arborlink.training.objectives import Needs
from arborlink.training.targets import ENTITY, NOBODY, POSITIVES, positives

MakeSides = Callable[..., tuple[Examples, EntitySide]]

seeds = st.integers(0, 10_000)
ALL = Needs(3, 4, targets=True, gold_entities=True)


class Given:
    """Examples and entities at random, some groups outside the KB, with vectors of small whole numbers."""

    def __init__(self, make_sides: MakeSides, seed: int, n: int = 30) -> None:
        draw = np.random.default_rng(seed)
        n_entities = int(draw.integers(1, 9))
        n_views = draw.integers(1, 5, n_entities)
        groups = draw.integers(0, n_entities + 1 + n_entities // 4, n)
        groups[0] = 0  # one at least is in the knowledge base
        self.examples, self.entities = make_sides(groups.tolist(), n_views.tolist(), seed, n_texts=n)
        self.mention_texts = draw.integers(-3, 4, (n, 4)).astype(np.float32)
        self.entity_texts = draw.integers(-3, 4, (int(n_views.sum()), 4)).astype(np.float32)

    def mining(self, needs: Needs = ALL, kind: str = "random", **options: Any) -> Mining:
        return Mining(self.examples, self.entities, needs, kind, 0, **options)

    def mined(self, mining: Mining, epoch: int = 0) -> Mined:
        return mining.mine(torch.from_numpy(self.mention_texts), torch.from_numpy(self.entity_texts), epoch)

    @property
    def mentions(self) -> NDArray[np.float32]:
        return self.mention_texts[self.examples.text_of_mention]

    @property
    def views(self) -> NDArray[np.float32]:
        return self.entity_texts[self.entities.text_of_view]

    @property
    def owner(self) -> list[int]:
        """The entity of each view."""
        offsets = self.entities.offsets.tolist()
        return [
            entity for entity in range(len(offsets) - 1) for _ in range(offsets[entity], offsets[entity + 1])
        ]

    def nearest_view(self, mention: int, views: Iterable[int]) -> list[int]:
        """The views, the nearest first, the smaller number at a tie."""
        return sorted(views, key=lambda view: (-float(self.mentions[mention] @ self.views[view]), view))

    def gold_views(self) -> list[int]:
        found = []
        for mention, group in enumerate(self.examples.groups.tolist()):
            own = [view for view, entity in enumerate(self.owner) if entity == group]
            found.append(self.nearest_view(mention, own)[0] if own else -1)
        return found

    def wrong_views(self, k: int) -> list[list[int]]:
        found = []
        for mention, group in enumerate(self.examples.groups.tolist()):
            others = [view for view, entity in enumerate(self.owner) if entity != group]
            found.append((self.nearest_view(mention, others)[:k] + [-1] * k)[:k])
        return found

    def wrong_mentions(self, k: int) -> list[list[int]]:
        groups, vectors = self.examples.groups.tolist(), self.mentions
        found = []
        for mention, group in enumerate(groups):
            others = [other for other in range(len(groups)) if groups[other] != group]
            others.sort(key=lambda other: (-float(vectors[mention] @ vectors[other]), other))
            found.append((others[:k] + [-1] * k)[:k])
        return found


@settings(max_examples=40, deadline=None)
@given(seed=seeds, k_entities=st.integers(0, 9), k_mentions=st.integers(0, 9))
def test_neighbours_equal_a_loop(make_sides: MakeSides, seed: int, k_entities: int, k_mentions: int) -> None:
    world = Given(make_sides, seed)
    mined = world.mined(world.mining(Needs(k_entities, k_mentions, targets=False, gold_entities=True)))
    assert mined.gold_view.tolist() == world.gold_views()
    assert mined.wrong_views.tolist() == world.wrong_views(k_entities)
    assert mined.wrong_mentions.tolist() == world.wrong_mentions(k_mentions)
    assert mined.positive.tolist() == [NOBODY] * len(world.examples)
    assert mined.block.tolist() == list(range(len(world.examples)))
    assert {getattr(mined, field.name).dtype for field in fields(mined)} == {np.dtype(np.int32)}


@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_negatives_never_hold_the_gold_entity_or_a_coreferent_mention(
    make_sides: MakeSides, seed: int
) -> None:
    world = Given(make_sides, seed)
    mined = world.mined(world.mining(Needs(50, 50, targets=False, gold_entities=True)))
    owner, groups = np.array(world.owner), world.examples.groups
    for mention, group in enumerate(groups.tolist()):
        views = mined.wrong_views[mention][mined.wrong_views[mention] >= 0]
        others = mined.wrong_mentions[mention][mined.wrong_mentions[mention] >= 0]
        assert group not in owner[views]
        assert group not in groups[others]
        assert (len(views), len(others)) == ((owner != group).sum(), (groups != group).sum())


def test_the_gold_view_is_the_nearest_name_and_the_first_at_a_tie(make_sides: MakeSides) -> None:
    world = Given(make_sides, 0, n=3)
    examples, entities = make_sides([1, 1, 2], [1, 3])
    entities = replace(entities, text_of_view=np.array([0, 1, 2, 3], dtype=np.int32))
    views = torch.tensor([[9.0, 9.0], [1.0, 0.0], [0.0, 2.0], [0.0, 2.0]])
    mentions = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    mining = replace(world.mining(), examples=examples, entities=entities)
    assert mining.mine(mentions, views, 0).gold_view.tolist() == [1, 2, -1]


def test_pairs_are_compared_some_at_a_time(make_sides: MakeSides, monkeypatch: pytest.MonkeyPatch) -> None:
    world = Given(make_sides, 4)
    at_once = world.mined(world.mining()).gold_view
    monkeypatch.setattr(mining_module, "_PAIRS", 7)
    assert world.mined(world.mining()).gold_view.tolist() == at_once.tolist() == world.gold_views()


@pytest.mark.parametrize("kind", POSITIVES)
def test_positives_are_those_of_the_kind(make_sides: MakeSides, kind: str) -> None:
    world = Given(make_sides, 7)
    mined = world.mined(world.mining(kind=kind))
    known = world.examples.in_kb
    affinity = np.full(len(world.examples), -np.inf, dtype=np.float32)
    affinity[known] = (world.mentions * world.views[mined.gold_view]).sum(axis=1)[known]
    if kind != "random":
        expected = positives(kind, world.mentions, affinity, world.examples.groups, seed=0)
        assert mined.positive.tolist() == expected.tolist()
    for mention, positive in enumerate(mined.positive.tolist()):
        assert positive != mention
        if positive >= 0:
            assert world.examples.groups[positive] == world.examples.groups[mention]
        else:
            assert positive == (ENTITY if known[mention] else NOBODY)
            is_alone = (world.examples.groups == world.examples.groups[mention]).sum() == 1
            assert positive == ENTITY or is_alone


def test_chance_depends_on_seed_and_epoch_alone(make_sides: MakeSides) -> None:
    world = Given(make_sides, 3)
    mining = world.mining()
    first = world.mined(mining, epoch=0).positive.tolist()
    assert world.mined(mining, epoch=0).positive.tolist() == first
    assert world.mined(mining, epoch=1).positive.tolist() != first
    assert world.mined(replace(mining, seed=1), epoch=0).positive.tolist() != first


@pytest.mark.parametrize(("k_entities", "k_mentions"), [(3, 2), (0, 4)])
def test_blocks_are_of_like_candidates(make_sides: MakeSides, k_entities: int, k_mentions: int) -> None:
    world = Given(make_sides, 5)
    needs = Needs(k_entities, k_mentions, targets=False, gold_entities=True)
    mined = world.mined(world.mining(needs, block_size=4))
    seed = int(np.random.default_rng([0, 0, 2]).integers(2**31))
    compared = np.concatenate([mined.gold_view[:, None], mined.wrong_views], axis=1)
    expected = blocks_of_like(compared if k_entities else mined.wrong_mentions, 4, seed)
    assert mined.block.tolist() == expected.tolist()


def test_types_restrict_who_is_a_negative(make_sides: MakeSides) -> None:
    world = Given(make_sides, 11)
    n, owner = len(world.examples), world.owner
    kinds = [frozenset("ab"[number % 2]) for number in range(n)]
    of_views = [frozenset("ab"[entity % 2]) for entity in owner]
    types = (Labels(kinds, of_views), Labels(kinds, kinds))
    mined = world.mined(world.mining(Needs(60, 60, targets=True, gold_entities=True), types=types))
    assert mined.gold_view.tolist() == world.gold_views()
    for mention in range(n):
        views = [view for view in world.wrong_views(len(owner))[mention] if view >= 0]
        others = [other for other in world.wrong_mentions(n)[mention] if other >= 0]
        found = [
            found[mention][found[mention] >= 0].tolist()
            for found in (mined.wrong_views, mined.wrong_mentions)
        ]
        assert found[0] == [view for view in views if owner[view] % 2 == mention % 2]
        assert found[1] == [other for other in others if other % 2 == mention % 2]


@settings(deadline=None)
@given(seed=seeds, epoch=st.integers(0, 3))
def test_without_vectors_a_view_of_the_gold_entity_is_drawn(
    make_sides: MakeSides, seed: int, epoch: int
) -> None:
    world = Given(make_sides, seed)
    mining = world.mining(Needs(0, 0, targets=False, gold_entities=True))
    assert not mining.needs_vectors
    mined = mining.draw(epoch)
    for view, group in zip(mined.gold_view.tolist(), world.examples.groups.tolist(), strict=True):
        assert (view == -1) if group >= world.examples.n_entities else (world.owner[view] == group)
    n = len(world.examples)
    assert mined.wrong_views.shape == mined.wrong_mentions.shape == (n, 0)
    assert mined.positive.tolist() == [NOBODY] * n
    assert mined.block.tolist() == list(range(n))
    assert mining.draw(epoch).gold_view.tolist() == mined.gold_view.tolist()


def test_every_view_is_drawn_about_equally_often(make_sides: MakeSides) -> None:
    examples, entities = make_sides([1] * 3000 + [2], [2, 3])
    mining = Mining(examples, entities, Needs(0, 0, targets=False, gold_entities=True), "random", 0)
    drawn = mining.draw(0).gold_view
    assert drawn[-1] == -1
    counts = np.bincount(drawn[:-1], minlength=5)
    assert counts[:2].tolist() == [0, 0]
    assert counts[2:].min() > 900
    assert mining.draw(1).gold_view.tolist() != drawn.tolist()


@pytest.mark.parametrize(
    "needs", [Needs(1, 0, False, True), Needs(0, 1, False, True), Needs(0, 0, True, True)], ids=str
)
def test_anything_to_be_found_needs_vectors(make_sides: MakeSides, needs: Needs) -> None:
    assert Given(make_sides, 0).mining(needs).needs_vectors


@pytest.mark.parametrize("needs", [ALL, Needs(0, 0, targets=False, gold_entities=True)], ids=["all", "none"])
def test_what_is_written_is_read_back(make_sides: MakeSides, tmp_path: Path, needs: Needs) -> None:
    world = Given(make_sides, 2)
    mining = world.mining(needs, block_size=4)
    mined = world.mined(mining) if mining.needs_vectors else mining.draw(0)
    mined.write(tmp_path / "mined.safetensors")
    read = Mined.read(tmp_path / "mined.safetensors")
    for field in fields(Mined):
        before, after = getattr(mined, field.name), getattr(read, field.name)
        assert (after.dtype, after.shape) == (before.dtype, before.shape)
        np.testing.assert_array_equal(after, before)
    assert [path.name for path in tmp_path.iterdir()] == ["mined.safetensors"]
