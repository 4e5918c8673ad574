"""The weights of a trained network as differences to those of its base, and back.

What is stored of a tensor, each under ``kind/name of the tensor``:

- ``levels``, ``scales``: the quantised difference of the rows that changed; ``rows``: which those are, if not all;
- ``added``: rows that the base lacks, such as those of the markers, as they are;
- ``values``: the whole tensor as it is. Vectors (biases, normalisations) are few numbers, and much hangs on each.

Of a tensor that did not change nothing is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.encoders.packed_model.quantised import QuantisedRows, deflated, inflated, quantise

Arrays = Mapping[str, NDArray[Any]]
KINDS = ("levels", "scales", "rows", "added", "values")
_EMBEDDINGS = "word_embeddings"


@dataclass(frozen=True, slots=True)
class Bits:
    """How many bits a number of a difference has.

    Args:
        matrices: in the layers of the network; every text goes through all of them.
        embeddings: in the embeddings of words, of which a text uses a few.
    """

    matrices: int = 8
    embeddings: int = 8

    def of(self, name: str) -> int:
        """Those of a tensor."""
        return self.embeddings if _EMBEDDINGS in name else self.matrices

    def __str__(self) -> str:
        return f"{self.matrices} bits, embeddings {self.embeddings}"


def differences(base: Arrays, trained: Arrays, bits: Bits) -> dict[str, NDArray[Any]]:
    """What has to be stored to make ``trained`` of ``base``.

    Args:
        base: the tensors of the base network, by name.
        trained: those of the trained one, float32.
        bits: of the quantised differences.

    Raises:
        ValueError: the networks have different parts or shapes, or a number is not finite.
    """
    missing = sorted(base.keys() - trained.keys())
    if missing:
        raise ValueError(f"it has no {missing[0]}, which its base has")
    stored: dict[str, NDArray[Any]] = {}
    for name, values in trained.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise ValueError(f"{name} holds NaN or infinity")
        before = base.get(name)
        if before is not None and values.shape == before.shape and np.array_equal(values, before):
            continue
        if before is None or values.ndim < 2 or values.dtype != np.float32:
            stored[f"values/{name}"] = values
            continue
        if values.shape[1:] != before.shape[1:] or len(values) < len(before):
            raise ValueError(f"{name} has the shape {values.shape}, in the base {before.shape}")
        stored |= {f"{kind}/{name}": part for kind, part in _of_rows(before, values, bits.of(name)).items()}
    return stored


def _of_rows(before: NDArray[Any], values: NDArray[Any], bits: int) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    base, trained = _as_rows(before), _as_rows(values)
    difference = trained[: len(base)] - base
    changed = np.flatnonzero(difference.any(axis=1)).astype(np.int32)
    if len(changed):
        quantised = quantise(difference[changed], bits)
        found |= {"levels": deflated(quantised.levels), "scales": quantised.scales}
        if len(changed) < len(base):
            found["rows"] = changed
    if len(values) > len(before):
        found["added"] = values[len(before) :]
    return found


def restored(base: Arrays, stored: Arrays) -> dict[str, NDArray[Any]]:
    """The tensors that differ from the base, put together from what :func:`differences` stored.

    Raises:
        ValueError: what is stored is none of this base, or not in order.
    """
    parts: dict[str, dict[str, NDArray[Any]]] = {}
    for key, part in stored.items():
        kind, _, name = key.partition("/")
        if kind not in KINDS or not name:
            raise ValueError(f"{key} is no part of a difference")
        parts.setdefault(name, {})[kind] = part
    return {name: _restored(name, base.get(name), own) for name, own in parts.items()}


def _restored(name: str, before: NDArray[Any] | None, parts: dict[str, NDArray[Any]]) -> NDArray[Any]:
    if "values" in parts:
        return parts["values"]
    if before is None:
        raise ValueError(f"the base has no {name}")
    rows = _as_rows(before).copy()
    if "levels" in parts:
        try:
            _add(rows, parts)
        except (ValueError, IndexError, KeyError) as error:
            raise ValueError(f"{name}: {error}") from error
    if "added" in parts:
        added = parts["added"]
        if added.shape[1:] != before.shape[1:]:
            raise ValueError(f"{name}: rows of the shape {added.shape[1:]} were added to {before.shape[1:]}")
        rows = np.concatenate([rows, _as_rows(added)])
    return rows.reshape(len(rows), *before.shape[1:])


def _add(rows: NDArray[np.float32], parts: dict[str, NDArray[Any]]) -> None:
    """Add the quantised difference to the rows that it is of."""
    scales = np.asarray(parts["scales"], dtype=np.float32)
    levels = inflated(np.asarray(parts["levels"], dtype=np.uint8), len(scales), rows.shape[1])
    quantised = QuantisedRows(levels, scales)
    changed = parts.get("rows")
    if changed is None:
        if len(scales) != len(rows):
            raise ValueError(f"{len(scales):,} rows changed, the base has {len(rows):,}")
        rows[:] = quantised.added_to(rows)
        return
    numbers = np.asarray(changed, dtype=np.int64)
    if numbers.shape != scales.shape or (np.diff(numbers) <= 0).any() or numbers.min(initial=0) < 0:
        raise ValueError("the numbers of the rows that changed are not in order")
    rows[numbers] = quantised.added_to(rows[numbers])


def _as_rows(values: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32).reshape(len(values), -1)
