"""The share of names beside towers, chosen on dev: for each data set, with examples and without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arborlink.experiments.measuring import Measuring, under
from arborlink.experiments.models import Finder, LinkerFinder


def measured(
    finder: Finder, shares: Sequence[float], measure: Callable[[Finder], Measuring]
) -> dict[str, Any]:
    """All figures of a model on a data set, each variant's with the share that dev chooses for it.

    The share is chosen as modes are: by the accuracy of linking on dev, that of the best mode and number of
    neighbours. Of equal ones the first is taken. What was tried stands under ``name_share``.

    Args:
        finder: the model.
        shares: those to choose from; none leaves the model as it is.
        measure: measures a model on the data set.
    """
    if not shares or not isinstance(finder, LinkerFinder):
        return measure(finder).everything()
    tried = {share: measure(finder.with_name_share(share)) for share in shares}
    some = tried[shares[0]]
    figures: dict[str, Any] = {"by_type": some.data_set.by_type}
    for variant in some.variants:
        on_dev = {share: each.accuracy_on_dev(variant) for share, each in tried.items()}
        best = max(on_dev, key=lambda share: on_dev[share])
        told = {"share": best, "dev_accuracy": {f"{share:g}": found for share, found in on_dev.items()}}
        figures |= under(variant, {"name_share": told, **tried[best].figures(variant)})
    return figures
