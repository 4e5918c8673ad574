"""Losses against values worked out by hand, naive loops, torch's own and numerical gradients."""

from __future__ import annotations

import doctest
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from arborlink.errors import InputError
from arborlink.training import losses
from arborlink.training.losses import LOSSES, cross_entropy, loss_named, mean_over, paper_loss

EACH_LOSS = pytest.mark.parametrize("name", LOSSES)


def all_but(positive: list[int], n_candidates: int) -> Tensor:
    """Every candidate but the positive is a negative."""
    mask = torch.ones(len(positive), n_candidates, dtype=torch.bool)
    for row, column in enumerate(positive):
        if column >= 0:
            mask[row, column] = False
    return mask


def value_and_gradient(
    name: str, values: Tensor, positive: list[int], negatives: Tensor
) -> tuple[Tensor, Tensor]:
    values = values.clone().requires_grad_()
    loss = LOSSES[name](values, torch.tensor(positive), negatives)
    (gradient,) = torch.autograd.grad(loss.sum(), values)
    return loss.detach(), gradient


def test_cross_entropy_by_hand() -> None:
    # exp(values) are 2, 1, 1, 7, and the last is masked out: p(positive) = 2 / (2 + 1 + 1)
    values = torch.tensor([[2.0, 1.0, 1.0, 7.0]], dtype=torch.float64).log()
    negatives = torch.tensor([[False, True, True, False]])
    loss = cross_entropy(values, torch.tensor([0]), negatives)
    assert loss.tolist() == pytest.approx([math.log(2)])


def test_paper_loss_by_hand() -> None:
    # p = 2/4 for the positive, 1/4 for each negative: log 2 + 2 log(4/3)
    values = torch.tensor([[2.0, 1.0, 1.0, 7.0]], dtype=torch.float64).log()
    negatives = torch.tensor([[False, True, True, False]])
    loss = paper_loss(values, torch.tensor([0]), negatives)
    assert loss.tolist() == pytest.approx([math.log(2) + 2 * math.log(4 / 3)])


def test_paper_loss_by_hand_where_a_negative_is_ahead() -> None:
    # p = 1/8 for the positive; 6/8 and 1/8 for the negatives: log 8 + log 4 + log(8/7)
    values = torch.tensor([[6.0, 1.0, 1.0]], dtype=torch.float64).log()
    loss = paper_loss(values, torch.tensor([1]), all_but([1], 3))
    assert loss.tolist() == pytest.approx([math.log(8) + math.log(4) + math.log(8 / 7)])


def test_gradients_by_hand() -> None:
    # one negative: cross-entropy is softplus(n - p), the paper's is twice that; at n - p = log 3 the slope is 3/4
    values = torch.tensor([[1.0, 3.0]], dtype=torch.float64).log()
    _, gradient = value_and_gradient("cross-entropy", values, [0], all_but([0], 2))
    assert gradient[0].tolist() == pytest.approx([-0.75, 0.75])
    _, gradient = value_and_gradient("paper", values, [0], all_but([0], 2))
    assert gradient[0].tolist() == pytest.approx([-1.5, 1.5])


def naive(name: str, values: list[float], positive: int, negatives: list[bool]) -> float:
    """The formula, word for word; an empty sum where there is no positive."""
    if positive < 0:
        return 0.0
    among = {column for column, counts in enumerate(negatives) if counts} | {positive}
    total = sum(math.exp(values[column]) for column in among)
    loss = -math.log(math.exp(values[positive]) / total)
    if name == "paper":
        for column in among - {positive}:
            loss -= math.log(1 - math.exp(values[column]) / total)
    return loss


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[list[float]], list[int], list[list[bool]]]:
    n_queries, n_candidates = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    row = st.lists(st.floats(-5, 5, width=32), min_size=n_candidates, max_size=n_candidates)
    mask = st.lists(st.booleans(), min_size=n_candidates, max_size=n_candidates)
    values = draw(st.lists(row, min_size=n_queries, max_size=n_queries))
    positive = draw(st.lists(st.integers(-1, n_candidates - 1), min_size=n_queries, max_size=n_queries))
    return values, positive, draw(st.lists(mask, min_size=n_queries, max_size=n_queries))


@EACH_LOSS
@given(batch=batches())
@settings(max_examples=150, deadline=None)
def test_losses_equal_a_naive_loop(
    name: str, batch: tuple[list[list[float]], list[int], list[list[bool]]]
) -> None:
    values, positive, negatives = batch
    expected = [naive(name, *row) for row in zip(values, positive, negatives, strict=True)]
    for dtype, tolerance in ((torch.float64, 1e-9), (torch.float32, 1e-4)):
        loss, gradient = value_and_gradient(
            name, torch.tensor(values, dtype=dtype), positive, torch.tensor(negatives)
        )
        assert loss.dtype == dtype
        assert loss.tolist() == pytest.approx(expected, rel=tolerance, abs=tolerance)
        assert gradient.isfinite().all()


@given(batch=batches())
@settings(max_examples=100, deadline=None)
def test_the_paper_loss_lies_between_once_and_twice_the_cross_entropy(
    batch: tuple[list[list[float]], list[int], list[list[bool]]],
) -> None:
    values, positive, negatives = batch
    arguments = torch.tensor(values, dtype=torch.float64), torch.tensor(positive), torch.tensor(negatives)
    once, paper = cross_entropy(*arguments), paper_loss(*arguments)
    assert (paper >= once - 1e-9).all()
    assert (paper <= 2 * once + 1e-9).all()


def test_cross_entropy_equals_that_of_torch_where_all_others_are_negatives() -> None:
    generator = torch.Generator().manual_seed(1)
    values = torch.randn(7, 11, generator=generator) * 8
    positive = torch.randint(0, 11, (7,), generator=generator)
    loss = cross_entropy(values, positive, all_but(positive.tolist(), 11))
    torch.testing.assert_close(loss, torch.nn.functional.cross_entropy(values, positive, reduction="none"))


@EACH_LOSS
def test_gradients_agree_with_numerical_ones(name: str) -> None:
    generator = torch.Generator().manual_seed(2)
    values = (torch.randn(6, 5, generator=generator, dtype=torch.float64) * 3).requires_grad_()
    positive = torch.tensor([0, 4, -1, 2, 1, 3])
    negatives = torch.rand(6, 5, generator=generator) < 0.6
    negatives[3] = False
    assert torch.autograd.gradcheck(lambda x: LOSSES[name](x, positive, negatives), (values,))


@EACH_LOSS
def test_what_is_masked_out_gets_no_gradient_and_does_not_matter(name: str) -> None:
    values = torch.tensor([[1.0, 50.0, 0.5, 2.0], [3.0, 1.0, 2.0, 60.0]])
    negatives = torch.tensor([[False, False, True, True], [True, True, False, False]])
    positive = [0, 2]
    loss, gradient = value_and_gradient(name, values, positive, negatives)
    assert gradient[0, 1] == 0
    assert gradient[1, 3] == 0
    assert (gradient != 0).sum() == 6
    values[0, 1], values[1, 3] = -1e30, 1e30
    assert torch.equal(LOSSES[name](values, torch.tensor(positive), negatives), loss)


@EACH_LOSS
def test_a_positive_among_the_negatives_is_not_one(name: str) -> None:
    values, positive = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([1])
    everything = torch.ones(1, 3, dtype=torch.bool)
    assert torch.equal(
        LOSSES[name](values, positive, everything), LOSSES[name](values, positive, all_but([1], 3))
    )


@EACH_LOSS
def test_queries_without_a_positive_or_negatives_are_zero_in_value_and_gradient(name: str) -> None:
    negatives = torch.tensor([[True, True], [False, False], [False, False], [False, True]])
    loss, gradient = value_and_gradient(name, torch.full((4, 2), 3.0), [-1, -1, 0, -1], negatives)
    assert loss.tolist() == [0, 0, 0, 0]
    assert gradient.tolist() == [[0, 0]] * 4
    # a single candidate takes the whole probability even where it is masked out
    loss, gradient = value_and_gradient(
        name, torch.ones(3, 1), [-1, -1, 0], torch.tensor([[True], [False], [False]])
    )
    assert loss.tolist() == [0, 0, 0]
    assert gradient.tolist() == [[0]] * 3


@EACH_LOSS
@pytest.mark.parametrize("shape", [(3, 0), (0, 4), (0, 0)])
def test_empty_batches_and_no_candidates_give_zero_with_a_graph(name: str, shape: tuple[int, int]) -> None:
    values = torch.zeros(shape, requires_grad=True)
    positive = torch.full(shape[:1], -1)
    loss = mean_over(LOSSES[name](values, positive, torch.zeros(shape, dtype=torch.bool)), positive)
    loss.backward()  # type: ignore[no-untyped-call]
    assert loss.item() == 0
    assert values.grad is not None


@pytest.mark.parametrize("size", [1e2, 1e4])
def test_a_negative_far_ahead_costs_much_and_pulls_fully(size: float) -> None:
    # positive -size, one negative +size, one -size: in float32 p of the first negative is exactly 1 and
    # -log p(positive) = 2 size; 1 - p(that negative) = 2 exp(-2 size), so the paper's adds 2 size - log 2
    values = torch.tensor([[-size, size, -size]])
    loss, gradient = value_and_gradient("cross-entropy", values, [0], all_but([0], 3))
    assert loss.tolist() == pytest.approx([2 * size])
    assert gradient[0].tolist() == pytest.approx([-1, 1, 0])
    loss, gradient = value_and_gradient("paper", values, [0], all_but([0], 3))
    assert loss.tolist() == pytest.approx([4 * size - math.log(2)])
    # the added term's slope: +1 on the negative ahead, -1/2 on each of the two that make up the rest; numbers of
    # size 1e4 have steps of 1e-3 in float32
    assert gradient[0].tolist() == pytest.approx([-1.5, 2, -0.5], rel=1e-3)


@EACH_LOSS
def test_a_positive_far_ahead_costs_nothing(name: str) -> None:
    loss, gradient = value_and_gradient(name, torch.tensor([[1e4, -1e4, -1e4]]), [0], all_but([0], 3))
    assert loss.tolist() == [0]
    assert gradient.tolist() == [[0, 0, 0]]


@EACH_LOSS
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_inputs_are_computed_in_float32(name: str, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(3)
    narrow = (torch.randn(4, 6, generator=generator) * 4).to(dtype)
    positive = [0, 5, 2, 3]
    expected, slope = value_and_gradient(name, narrow.float(), positive, all_but(positive, 6))
    loss, gradient = value_and_gradient(name, narrow, positive, all_but(positive, 6))
    assert loss.dtype == torch.float32
    assert gradient.dtype == dtype
    assert torch.equal(loss, expected)
    assert torch.equal(gradient, slope.to(dtype))


@EACH_LOSS
def test_autocast_does_not_narrow_the_loss(name: str) -> None:
    values = torch.tensor([[1.0, 0.99, -2.0]])
    expected, slope = value_and_gradient(name, values, [0], all_but([0], 3))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss, gradient = value_and_gradient(name, values, [0], all_but([0], 3))
    assert loss.dtype == torch.float32
    assert torch.equal(loss, expected)
    assert torch.equal(gradient, slope)


def test_mean_is_over_queries_with_a_positive() -> None:
    # the third has no positive, whatever its number: (1 + 5) / 2
    assert mean_over(torch.tensor([1.0, 5.0, 90.0]), torch.tensor([0, 3, -1])).item() == 3


def test_mean_over_nothing_is_zero_and_can_be_differentiated() -> None:
    per_query = torch.tensor([1.0, 2.0], requires_grad=True)
    mean = mean_over(per_query, torch.tensor([-1, -1]))
    mean.backward()  # type: ignore[no-untyped-call]
    assert mean.item() == 0
    assert per_query.grad is not None
    assert per_query.grad.tolist() == [0, 0]


def test_a_loss_is_found_by_its_name_or_refused() -> None:
    assert loss_named("cross-entropy") is cross_entropy
    assert loss_named("paper") is paper_loss
    with pytest.raises(InputError, match="loss 'hinge' is not known; choose one of cross-entropy, paper"):
        loss_named("hinge")


def test_the_examples_run() -> None:
    done = doctest.testmod(losses)
    assert done.failed == 0
    assert done.attempted >= 5
