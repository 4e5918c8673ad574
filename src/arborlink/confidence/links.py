"""Links with a probability and an answer each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from arborlink.confidence.answers import check_target
from arborlink.confidence.calibration import Calibration
from arborlink.encoders.model_settings import Inference
from arborlink.errors import InputError
from arborlink.partition import Partition
from arborlink.result.links import Link
from arborlink.search import Neighbours


def refusal(
    calibration: Calibration | None, inference: Inference, model: str, target_error: float | None
) -> str | None:
    """Why a calibration is not applied; ``None`` if it is, or if there is none.

    Raises:
        InputError: a target error is asked for and cannot be kept to, or is out of range.
    """
    reason = None if calibration is None else calibration.mismatch(inference, model)
    if target_error is not None:
        check_target(target_error)
        if calibration is None or reason is not None:
            why = "there is no calibration" if reason is None else f"the calibration does not fit: {reason}"
            raise InputError(
                f"a target error is given, but {why}; run `arborlink calibrate` for this way of linking"
            )
    return reason


def with_confidence(
    links: Iterable[Link],
    calibration: Calibration,
    near: Neighbours,
    parts: Partition,
    target_error: float | None = None,
) -> tuple[list[Link], dict[str, Any]]:
    """The links with what a calibration says, and how many answers there are of each kind.

    Args:
        links: one for each mention of the partition, in its order.
        calibration: of this model and way of linking.
        near: the nearest entities of each mention.
        parts: the partition.
        target_error: the share of wrong answers to keep to; ``None`` is the calibration's own.
    """
    said = calibration.apply(near, parts, target_error)
    told = [
        replace(link, probability=None if math.isnan(probability) else probability, answer=answer)
        for link, probability, answer in zip(
            links, said.probability.tolist(), said.answer.tolist(), strict=True
        )
    ]
    answers = said.answer.tolist()
    counts = {
        "applied": True,
        "target_error": calibration.target_error if target_error is None else target_error,
        **{f"n_{answer}": answers.count(answer) for answer in ("linked", "new", "unsure")},
    }
    return told, counts
