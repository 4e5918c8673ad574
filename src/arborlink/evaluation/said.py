"""How sure links say they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from arborlink.errors import InputError
from arborlink.result import Answer

ANSWERS: tuple[Answer, ...] = get_args(Answer)
"""The answers there are; an answer's place here is its number."""


@dataclass(frozen=True)
class Said:
    """Probabilities and answers as arrays, aligned with ``Corpus.mentions``.

    Args:
        probability: (n,) float64, NaN where a link tells none.
        answer: (n,) int64, place in ``ANSWERS``, -1 where a link gives none.
    """

    probability: NDArray[np.float64]
    answer: NDArray[np.int64]

    @classmethod
    def of(cls, links: Iterable[tuple[int, float | None, Answer | None]], n_mentions: int) -> Said | None:
        """What links say, given as mention's number, probability and answer; ``None`` if none says anything."""
        probability = np.full(n_mentions, np.nan)
        answer = np.full(n_mentions, -1, np.int64)
        for number, said, given in links:
            probability[number] = np.nan if said is None else said
            answer[number] = -1 if given is None else ANSWERS.index(given)
        if np.isnan(probability).all() and (answer < 0).all():
            return None
        return cls(probability, answer)


def probability_of(fields: Mapping[str, object]) -> float | None:
    """The probability a record tells, if any.

    Raises:
        InputError: it is no number from 0 to 1.
    """
    value = fields.get("probability")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(f"probability is {value!r}; expected a number from 0 to 1, or null")
    return float(value)


def answer_of(fields: Mapping[str, object]) -> Answer | None:
    """The answer a record gives, if any.

    Raises:
        InputError: it is none of the three.
    """
    value = fields.get("answer")
    if value is not None and value not in ANSWERS:
        raise InputError(f"answer is {value!r}; expected one of {', '.join(ANSWERS)}, or null")
    return value
