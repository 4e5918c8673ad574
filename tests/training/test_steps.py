"""Steps: everybody asked once, tensors that mean what they say, a loss that does not depend on the chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sentence_transformers import SentenceTransformer

from arborlink.encoders.sequences import Sequences
from arborlink.training.examples import EntitySide, Examples
from arborlink.training.mining import Mined, Mining
from arborlink.training.objectives import OBJECTIVES, Needs, Objective, make_objective
from arborlink.training.scores import Scores, negative_mask
from arborlink.training.steps import Steps
from arborlink.training.targets import ENTITY
from arborlink.training.towers_in_training import TowersInTraining

MakeSides = Callable[..., tuple[Examples, EntitySide]]
MakeTower = Callable[..., SentenceTransformer]

seeds = st.integers(0, 10_000)
names = st.sampled_from(OBJECTIVES)


def needs_of(name: str, n_entities: int = 2, n_mentions: int = 3) -> Needs:
    return make_objective(name, entity_negatives=n_entities, mention_negatives=n_mentions).needs


def random_steps(
    make_sides: MakeSides, seed: int, needs: Needs, batch_size: int, n: int = 25, **options: Any
) -> tuple[Steps, Mined]:
    """Steps at the start of an epoch, with neighbours mined from vectors at random."""
    draw = np.random.default_rng(seed)
    n_entities = int(draw.integers(1, 8))
    groups = draw.integers(0, n_entities + 3, n)
    groups[0] = 0
    examples, entities = make_sides(groups.tolist(), draw.integers(1, 4, n_entities).tolist(), seed, n)
    mining = Mining(examples, entities, needs, "random", seed, block_size=int(draw.integers(1, 5)))
    if mining.needs_vectors:
        vectors = [
            torch.from_numpy(draw.standard_normal((len(texts), 3)).astype(np.float32))
            for texts in (examples.texts, entities.texts)
        ]
        mined = mining.mine(vectors[0], vectors[1], 0)
    else:
        mined = mining.draw(0)
    steps = Steps(examples, entities, needs, batch_size, seed=seed, **options)
    steps.start(0, mined)
    return steps, mined


def tokens_of_side(side: dict[str, Any]) -> list[list[int]]:
    """The token ids of a step's texts, in the order of the step."""
    rows = [
        own[seen.bool()].tolist()
        for ids, mask in zip(side["ids"], side["masks"], strict=True)
        for own, seen in zip(ids, mask, strict=True)
    ]
    assert len(rows) == side["n_texts"]
    return [rows[place] for place in side["order"].tolist()]


def tokens(texts: Sequences, number: int) -> list[int]:
    found: list[int] = texts.tokens[texts.offsets[number] : texts.offsets[number + 1]].tolist()
    return found


@settings(max_examples=50, deadline=None)
@given(seed=seeds, name=names, batch_size=st.integers(1, 40))
def test_everybody_with_a_positive_is_asked_once_in_steps_of_even_size(
    make_sides: MakeSides, seed: int, name: str, batch_size: int
) -> None:
    steps, _ = random_steps(make_sides, seed, needs_of(name), batch_size)
    examples = steps.examples
    fellows = [(examples.groups == group).sum() > 1 for group in examples.groups]
    expected = [n for n in range(25) if examples.in_kb[n] or (steps.needs.targets and fellows[n])]
    asked: list[int] = []
    plan = steps.plan

    def noted(queries: Any) -> dict[str, Any]:
        asked.extend(queries.tolist())
        return plan(queries)

    steps.plan = noted  # type: ignore[method-assign]
    sizes = [len(steps[number]["queries"]) for number in range(len(steps))]
    assert sorted(asked) == expected
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == 1 or batch_size / 2 <= min(sizes) <= max(sizes) <= batch_size * 1.5 + 1
    with pytest.raises(IndexError):
        steps[len(steps)]


@settings(max_examples=80, deadline=None)
@given(seed=seeds, name=names, is_shared=st.booleans(), max_tokens=st.sampled_from([0, 16, 100]))
def test_an_item_means_what_it_says(
    make_sides: MakeSides, seed: int, name: str, is_shared: bool, max_tokens: int
) -> None:
    needs = needs_of(name)
    steps, mined = random_steps(make_sides, seed, needs, 8, shared_negatives=is_shared, max_tokens=max_tokens)
    examples, entities = steps.examples, steps.entities
    queries = np.random.default_rng(seed).permutation(steps._askable)[:8]
    item = steps.plan(queries)

    views, mentions = set(), set(queries.tolist())
    for query in queries.tolist():
        parent, gold = int(mined.positive[query]), int(mined.gold_view[query])
        views |= {*mined.wrong_views[query].tolist()}
        views |= {gold} if needs.gold_entities or parent == ENTITY else set()
        mentions |= {*mined.wrong_mentions[query].tolist(), parent}
    view_list = sorted(view for view in views if view >= 0) or [0]
    mention_list = sorted(mention for mention in mentions if mention >= 0)
    candidates = [("view", view) for view in view_list] + [("mention", mention) for mention in mention_list]

    assert tokens_of_side(item["entities"]) == [
        tokens(entities.texts, int(entities.text_of_view[view])) for view in view_list
    ]
    assert tokens_of_side(item["mentions"]) == [
        tokens(examples.texts, int(examples.text_of_mention[mention])) for mention in mention_list
    ]
    assert [mention_list[place] for place in item["queries"].tolist()] == queries.tolist()
    assert item["query_groups"].tolist() == examples.groups[queries].tolist()
    assert item["candidate_groups"].tolist() == [
        int(entities.entity_of_view[number] if kind == "view" else examples.groups[number])
        for kind, number in candidates
    ]
    for place, query in enumerate(queries.tolist()):
        parent, gold = int(mined.positive[query]), int(mined.gold_view[query])
        found = int(item["parent"][place])
        if parent == ENTITY:
            assert candidates[found] == ("view", gold)
        else:
            assert (candidates[found] == ("mention", parent)) if parent >= 0 else (found == -1)
        assert found < 0 or item["candidate_groups"][found] == item["query_groups"][place]
        found = int(item["entity"][place])
        has_entity = needs.gold_entities and gold >= 0
        assert (candidates[found] == ("view", gold)) if has_entity else (found == -1)
    assert all(item[key].dtype == torch.int64 for key in item if key not in ("mentions", "entities"))
    check_negatives(item, candidates, queries.tolist(), mined, is_shared or name == "in-batch")


def check_negatives(
    item: dict[str, Any], candidates: list[tuple[str, int]], queries: list[int], mined: Mined, is_shared: bool
) -> None:
    assert ("own_negatives" not in item) == is_shared
    groups = item["candidate_groups"]
    mask = negative_mask(item["query_groups"], groups, item.get("own_negatives"))
    for place, query in enumerate(queries):
        wrong = [candidates[column] for column in mask[place].nonzero().flatten().tolist()]
        own_group = item["query_groups"][place]
        assert not (groups[mask[place]] == own_group).any()
        if is_shared:
            assert len(wrong) == int((groups != own_group).sum())
        else:
            of_views = {("view", view) for view in mined.wrong_views[query].tolist() if view >= 0}
            of_mentions = {("mention", other) for other in mined.wrong_mentions[query].tolist() if other >= 0}
            assert set(wrong) == of_views | of_mentions


def test_the_order_depends_on_seed_and_epoch_and_keeps_blocks_together(make_sides: MakeSides) -> None:
    examples, entities = make_sides([n % 5 for n in range(40)], [1] * 5)
    mined = Mining(examples, entities, needs_of("in-batch"), "random", 0).draw(0)
    mined = replace(mined, block=np.repeat(np.arange(10), 4).astype(np.int32))

    def order(seed: int, epoch: int) -> list[int]:
        steps = Steps(examples, entities, needs_of("in-batch"), 8, seed=seed)
        steps.start(epoch, mined)
        asked: list[int] = steps._order.tolist()
        return asked

    first = order(0, 0)
    assert order(0, 0) == first
    assert order(0, 1) != first != order(1, 0)
    assert sorted(first) == list(range(40))
    blocks = [{number // 4 for number in first[start : start + 4]} for start in range(0, 40, 4)]
    assert all(len(block) == 1 for block in blocks)
    assert [min(block) for block in blocks] != list(range(10))


def test_new_neighbours_come_in_the_old_order(make_sides: MakeSides) -> None:
    steps, mined = random_steps(make_sides, 1, needs_of("joint"), 6)
    before = [steps[number]["query_groups"].tolist() for number in range(len(steps))]
    anew = replace(mined, wrong_views=mined.wrong_views[:, ::-1], block=mined.block[::-1])
    steps.mine_anew(anew)
    assert steps.mined is not None
    assert steps.mined.wrong_views is anew.wrong_views
    assert [steps[number]["query_groups"].tolist() for number in range(len(steps))] == before
    # a run that is resumed from what is kept now draws the same order again
    again = Steps(steps.examples, steps.entities, steps.needs, 6, seed=1)
    again.start(0, steps.mined)
    assert [again[number]["query_groups"].tolist() for number in range(len(again))] == before


def test_nothing_is_planned_before_mining(make_sides: MakeSides) -> None:
    steps = Steps(*make_sides([0, 0], [1]), needs_of("joint"), 2)
    with pytest.raises(RuntimeError, match="mine first"):
        steps[0]


def test_texts_are_counted(make_sides: MakeSides) -> None:
    steps, _ = random_steps(make_sides, 2, needs_of("joint"), 6)
    items = [steps[number] for number in range(len(steps))]
    assert steps.n_sequences == sum(
        item[side]["n_texts"] for item in items for side in ("mentions", "entities")
    )


class Seen:
    """An objective that keeps the scores it gets."""

    def __init__(self, objective: Objective) -> None:
        self.objective, self.needs = objective, objective.needs
        self.scores: list[Scores] = []

    def __call__(self, scores: Scores) -> torch.Tensor:
        self.scores.append(scores)
        return self.objective(scores)


def loss_and_gradients(towers: TowersInTraining, item: dict[str, Any]) -> tuple[float, list[torch.Tensor]]:
    towers.zero_grad()
    loss: torch.Tensor = towers(**item)["loss"]
    loss.backward()  # type: ignore[no-untyped-call]
    used = [parameter for parameter in towers.parameters() if parameter.requires_grad]
    assert all(parameter.grad is not None for parameter in used)
    return loss.item(), [parameter.grad.clone() for parameter in used if parameter.grad is not None]


@pytest.mark.parametrize("kept_tokens", [0, 100])
@pytest.mark.parametrize("n_towers", [1, 2])
def test_chunks_and_recomputing_change_neither_scores_nor_loss_nor_gradients(
    make_sides: MakeSides, make_tower: MakeTower, n_towers: int, kept_tokens: int
) -> None:
    towers = [make_tower(dropout=0.0) for _ in range(n_towers)]
    if n_towers == 2:
        with torch.no_grad():
            for parameter in towers[1].parameters():
                parameter.mul_(1.1)
    objective = Seen(make_objective("joint", entity_negatives=2, mention_negatives=3))
    steps, _ = random_steps(make_sides, 3, objective.needs, 8)
    model = TowersInTraining(towers[0], towers[-1], objective, 0.1).train()
    item = steps[0]
    loss, gradients = loss_and_gradients(model, item)
    model.kept_tokens, steps.max_tokens = kept_tokens, 48
    chunked = steps[0]
    assert len(chunked["mentions"]["ids"]) > len(item["mentions"]["ids"])
    read: list[int] = []
    for tower in model.each_tower:
        tower.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0]["input_ids"].numel()))
    other_loss, other_gradients = loss_and_gradients(model, chunked)
    sizes = [ids.numel() for side in ("mentions", "entities") for ids in chunked[side]["ids"]]
    again = [size for size, upto in zip(sizes, np.cumsum(sizes), strict=True) if upto > kept_tokens]
    assert 0 < len(again) <= len(sizes) - (kept_tokens > 0)
    assert read[: len(sizes)] == sizes
    assert sorted(read[len(sizes) :]) == sorted(again)  # what is not kept is read once more, and nothing else
    assert other_loss == pytest.approx(loss, abs=1e-5)
    for one, other in zip(gradients, other_gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)

    def alone(tower: SentenceTransformer, ids: list[int]) -> torch.Tensor:
        one = torch.tensor([ids])
        read = tower({"input_ids": one, "attention_mask": torch.ones_like(one)})
        return torch.as_tensor(read["sentence_embedding"][0])

    with torch.no_grad():
        of_mentions = torch.stack([alone(towers[0], ids) for ids in tokens_of_side(item["mentions"])])
        of_entities = torch.stack([alone(towers[-1], ids) for ids in tokens_of_side(item["entities"])])
    expected = of_mentions[item["queries"]] @ torch.cat([of_entities, of_mentions]).T / 0.1
    for scores in objective.scores:
        torch.testing.assert_close(scores.values.detach(), expected, rtol=0, atol=1e-4)
        assert scores.n_entities == len(of_entities)
        assert torch.equal(scores.negatives, negative_mask(item["query_groups"], item["candidate_groups"]))
    # an order mixed up would not have passed
    assert torch.pdist(torch.unique(of_mentions, dim=0)).min() > 1e-3


def test_in_batch_negatives_are_those_of_the_batch_whatever_is_shared(
    make_sides: MakeSides, make_tower: MakeTower
) -> None:
    tower = make_tower(dropout=0.0)
    losses = []
    for is_shared in (True, False):
        steps, _ = random_steps(make_sides, 3, needs_of("in-batch"), 8, shared_negatives=is_shared)
        towers = TowersInTraining(tower, tower, make_objective("in-batch"), 0.1)
        losses.append(towers(**steps[0])["loss"].item())
    assert losses[0] == losses[1] > 0.1


@pytest.mark.parametrize("name", ["arborescence", "joint"])
def test_a_step_without_entities_reads_one_all_the_same(
    make_sides: MakeSides, make_tower: MakeTower, name: str
) -> None:
    """Mentions of an entity the knowledge base lacks: a tower left out of a step would have no gradients."""
    steps, mined = random_steps(make_sides, 0, needs_of(name, n_entities=0), 8)
    fellows = np.roll(np.arange(25, dtype=np.int32), 1)
    mined = replace(mined, gold_view=np.full_like(mined.gold_view, -1), positive=fellows)
    steps.mine_anew(mined)
    item = steps.plan(np.array([3, 4, 5]))
    assert item["entities"]["n_texts"] == 1
    assert item["entity"].tolist() == [-1, -1, -1]
    towers = TowersInTraining(make_tower(), make_tower(), make_objective(name), 0.1)
    loss, _ = loss_and_gradients(towers, item)
    assert np.isfinite(loss)
