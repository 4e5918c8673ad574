"""Objectives: what they ask for, which columns they look at, and the numbers they give."""

from __future__ import annotations

import doctest
import importlib
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from arborlink.errors import InputError
from arborlink.training.losses import LOSSES
from arborlink.training.objectives import OBJECTIVES, Needs, Objective, make_objective
from arborlink.training.scores import Scores, negative_mask

EACH_LOSS = pytest.mark.parametrize("loss", LOSSES)
EACH_OBJECTIVE = pytest.mark.parametrize("name", OBJECTIVES)


def hand_made(values: Tensor | None = None) -> Scores:
    """Entities 10 and 11, then mentions of 10, 11 and 12; 12 is not in the knowledge base.

    Queries: a mention of 10 whose parent is a mention, a mention of 11 whose parent is its entity, a mention of 12
    whose parent is a mention, and one of 12 that has no parent.
    """
    if values is None:
        values = (
            torch.tensor([[2, 1, 1, 4, 2], [1, 3, 2, 5, 2], [1, 1, 1, 1, 6], [7, 8, 9, 7, 8]]).double().log()
        )
    wrong = negative_mask(torch.tensor([10, 11, 12, 12]), torch.tensor([10, 11, 10, 11, 12]))
    return Scores(values, torch.tensor([2, 1, 4, -1]), torch.tensor([0, 1, -1, -1]), wrong, n_entities=2)


def test_shared_negatives_are_all_of_other_groups() -> None:
    assert hand_made().negatives.int().tolist() == [
        [0, 1, 0, 1, 1],
        [1, 0, 1, 0, 1],
        [1, 1, 1, 1, 0],
        [1, 1, 1, 1, 0],
    ]


def test_own_negatives_are_the_mined_ones_less_the_own_group() -> None:
    own = torch.tensor([[1, 2, -1], [-1, -1, -1], [0, 0, 1]])
    mask = negative_mask(torch.tensor([5, 6, 7]), torch.tensor([5, 6, 5, 8]), own)
    # column 2 was mined for the first query and is of its group; 0 was mined twice for the last
    assert mask.int().tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]]


@pytest.mark.parametrize("n_mined", [0, 2])
def test_masks_of_nothing_have_the_right_shape(n_mined: int) -> None:
    nothing, groups = torch.zeros(0, dtype=torch.int64), torch.tensor([1, 2])
    own = torch.full((2, n_mined), -1)
    assert not negative_mask(groups, groups, own).any()
    assert negative_mask(groups, nothing, own).shape == (2, 0)
    assert negative_mask(nothing, groups).shape == (0, 2)


def test_entities_only_forgets_mentions() -> None:
    entities = hand_made().entities_only()
    assert entities.values.shape == entities.negatives.shape == (4, 2)
    assert entities.parent.tolist() == [-1, 1, -1, -1]
    assert entities.entity.tolist() == [0, 1, -1, -1]
    assert entities.n_entities == 2


def test_scores_that_do_not_fit_together_are_refused() -> None:
    values, column, mask = (
        torch.zeros(2, 3),
        torch.zeros(2, dtype=torch.int64),
        torch.zeros(2, 3, dtype=torch.bool),
    )
    with pytest.raises(InputError, match=r"values of shape \(2, 3\) and negatives of shape \(2, 2\)"):
        Scores(values, column, column, mask[:, :2], 1)
    with pytest.raises(InputError, match=r"2 queries have entity of shape \(1,\)"):
        Scores(values, column, column[:1], mask, 1)
    with pytest.raises(InputError, match="4 entity columns of 3 in all"):
        Scores(values, column, column, mask, 4)


@pytest.mark.parametrize("name", ["in-batch", "knn"])
def test_entity_objectives_by_hand(name: str) -> None:
    # entity columns, queries with an entity: 2 against 1, and 3 against 1: (log(3/2) + log(4/3)) / 2 = log(2) / 2
    assert make_objective(name)(hand_made()).item() == pytest.approx(math.log(2) / 2)
    # one negative each: the paper's loss is twice that
    assert make_objective(name, loss="paper")(hand_made()).item() == pytest.approx(math.log(2))


def test_arborescence_by_hand() -> None:
    # 1 against 1, 4, 2: 1/8; 3 against 1, 2, 2: 3/8; 6 against 1, 1, 1, 1: 6/10
    expected = (math.log(8) + math.log(8 / 3) + math.log(10 / 6)) / 3
    assert make_objective("arborescence")(hand_made()).item() == pytest.approx(expected)
    # negatives' 1 - p: 7/8, 4/8, 6/8; 7/8, 6/8, 6/8; four times 9/10
    added = -math.log(7 / 8 * 4 / 8 * 6 / 8 * 7 / 8 * 6 / 8 * 6 / 8 * 0.9**4) / 3
    assert make_objective("arborescence", loss="paper")(hand_made()).item() == pytest.approx(expected + added)


def test_the_gold_entity_is_no_negative_of_the_arborescence_term() -> None:
    scores = hand_made()
    without = make_objective("arborescence")(scores)
    # the first query's parent is a mention; its gold entity stands in column 0
    raised = scores.values.clone()
    raised[0, 0] += 100
    assert torch.equal(make_objective("arborescence")(hand_made(raised)), without)


@EACH_LOSS
@pytest.mark.parametrize("weight", [0.0, 0.5, 3.0])
def test_joint_is_arborescence_plus_weighted_knn(loss: str, weight: float) -> None:
    generator = torch.Generator().manual_seed(4)
    scores = hand_made(torch.randn(4, 5, generator=generator, dtype=torch.float64) * 3)
    joint = make_objective("joint", loss=loss, entity_weight=weight)(scores)
    expected = make_objective("arborescence", loss=loss)(scores) + weight * make_objective("knn", loss=loss)(
        scores
    )
    torch.testing.assert_close(joint, expected)


def in_batch_loop(values: Tensor, gold: list[int], groups: list[int]) -> float:
    """Each mention against the other gold entities of the batch, its own counted once and never against it."""
    losses = []
    for query, entity in enumerate(gold):
        if entity < 0:
            continue
        others = {column for column in gold if column >= 0 and groups[column] != groups[entity]}
        total = sum(math.exp(values[query, column]) for column in others | {entity})
        losses.append(-math.log(math.exp(values[query, entity]) / total))
    return sum(losses) / len(losses) if losses else 0.0


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_in_batch_equals_a_loop_with_duplicates(data: st.DataObject) -> None:
    # few entities and many mentions; an entity may have two views in the batch; -1 is not in the knowledge base
    n_views = data.draw(st.integers(1, 4))
    groups = data.draw(st.lists(st.integers(0, 2), min_size=n_views, max_size=n_views))
    drawn = data.draw(st.lists(st.integers(-1, n_views - 1), min_size=1, max_size=8))
    # only gold entities are columns, each view once
    used = sorted({view for view in drawn if view >= 0})
    gold = [used.index(view) if view >= 0 else -1 for view in drawn]
    groups = [groups[view] for view in used]
    numbers = st.lists(st.floats(-4, 4, width=32), min_size=len(used), max_size=len(used))
    values = torch.tensor([data.draw(numbers) for _ in gold], dtype=torch.float64)
    query_groups = torch.tensor([groups[column] if column >= 0 else 99 for column in gold])
    wrong = negative_mask(query_groups, torch.tensor(groups, dtype=torch.int64))
    scores = Scores(values, torch.tensor(gold), torch.tensor(gold), wrong, len(used))
    assert make_objective("in-batch")(scores).item() == pytest.approx(
        in_batch_loop(values, gold, groups), abs=1e-9
    )


def test_a_batch_of_one_entity_has_nothing_to_learn_in_batch() -> None:
    values = torch.tensor([[5.0], [-5.0]], requires_grad=True)
    gold = torch.tensor([0, 0])
    loss = make_objective("in-batch")(Scores(values, gold, gold, negative_mask(gold, torch.tensor([0])), 1))
    loss.backward()  # type: ignore[no-untyped-call]
    assert loss.item() == 0
    assert values.grad is not None
    assert values.grad.tolist() == [[0], [0]]


@EACH_LOSS
@EACH_OBJECTIVE
def test_gradients_agree_with_numerical_ones(name: str, loss: str) -> None:
    generator = torch.Generator().manual_seed(5)
    values = torch.randn(4, 5, generator=generator, dtype=torch.float64).requires_grad_()
    objective = make_objective(name, loss=loss, entity_weight=0.7)
    assert torch.autograd.gradcheck(lambda x: objective(hand_made(x)), (values,))


@EACH_LOSS
@pytest.mark.parametrize(
    ("name", "looked_at"),
    [
        ("in-batch", [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0] * 5, [0] * 5]),
        ("knn", [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0] * 5, [0] * 5]),
        ("arborescence", [[0, 1, 1, 1, 1], [1, 1, 1, 0, 1], [1] * 5, [0] * 5]),
        ("joint", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 1], [1] * 5, [0] * 5]),
    ],
)
def test_only_what_counts_gets_a_gradient(name: str, loss: str, looked_at: list[list[int]]) -> None:
    values = hand_made().values.clone().requires_grad_()
    make_objective(name, loss=loss)(hand_made(values)).backward()  # type: ignore[no-untyped-call]
    assert values.grad is not None
    assert (values.grad != 0).int().tolist() == looked_at


@EACH_LOSS
@EACH_OBJECTIVE
@pytest.mark.parametrize("size", [1e4, -1e4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_extreme_scores_stay_finite(name: str, loss: str, size: float, dtype: torch.dtype) -> None:
    sign = torch.tensor([[1, -1, 1, 1, -1], [1, -1, -1, -1, -1], [1, 1, 1, 1, -1], [1, 1, 1, 1, 1]])
    values = (sign * size).to(dtype).requires_grad_()
    result = make_objective(name, loss=loss)(hand_made(values))
    result.backward()  # type: ignore[no-untyped-call]
    assert result.dtype == torch.float32
    assert result.isfinite()
    assert values.grad is not None
    assert values.grad.isfinite().all()


@EACH_LOSS
@EACH_OBJECTIVE
def test_a_batch_without_positives_gives_zero_and_no_gradient(name: str, loss: str) -> None:
    values = torch.ones(2, 3, requires_grad=True)
    nowhere, wrong = torch.tensor([-1, -1]), torch.ones(2, 3, dtype=torch.bool)
    for n_entities in (0, 2, 3):
        result = make_objective(name, loss=loss)(Scores(values, nowhere, nowhere, wrong, n_entities))
        (gradient,) = torch.autograd.grad(result, values)
        assert result.item() == 0
        assert not gradient.any()


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("in-batch", Needs(0, 0, targets=False, gold_entities=True)),
        ("knn", Needs(8, 0, targets=False, gold_entities=True)),
        ("arborescence", Needs(5, 3, targets=True, gold_entities=False)),
        ("joint", Needs(5, 3, targets=True, gold_entities=True)),
    ],
)
def test_objectives_say_what_they_need(name: str, needs: Needs) -> None:
    objective = make_objective(name, entity_negatives=5, mention_negatives=3)
    assert isinstance(objective, Objective)
    assert objective.needs == needs


def test_unknown_names_and_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(
        InputError, match="'triplet' is not known; choose one of in-batch, knn, arborescence, joint"
    ):
        make_objective("triplet")
    with pytest.raises(InputError, match="loss 'hinge' is not known"):
        make_objective("joint", loss="hinge")
    for weight in (-0.1, math.nan, math.inf):
        with pytest.raises(InputError, match=r"entity_weight is .*; expected a finite number, 0 or more"):
            make_objective("joint", entity_weight=weight)
    for name in ("knn", "arborescence", "joint"):
        with pytest.raises(InputError, match="mention_negatives is -2; expected 0 or more"):
            make_objective(name, mention_negatives=-2)


@pytest.mark.parametrize(
    "module",
    [
        "scores",
        "objectives",
        *(f"objectives.{part}" for part in ("in_batch", "knn", "arborescence", "joint")),
    ],
)
def test_the_examples_run(module: str) -> None:
    done = doctest.testmod(importlib.import_module(f"arborlink.training.{module}"))
    assert done.failed == 0
    assert done.attempted >= 1
