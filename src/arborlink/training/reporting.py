"""Where a training's figures go besides the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arborlink.errors import InputError

# Event files of TensorBoard, in the model's folder.
LOGS = "logs"
_ALONE = (["all"], ["none"])


def check_report_to(names: Sequence[str]) -> None:
    """Make sure that transformers can report to all of these.

    Args:
        names: as in ``trainer.report_to``.

    Raises:
        InputError: it does not know one of them, or one is not installed.

    Example:
        >>> check_report_to(["tensorbored"])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        arborlink.errors.InputError: trainer.report_to names 'tensorbored', which transformers does not know; ...
    """
    if not names or list(names) in _ALONE:
        return
    from transformers.integrations.integration_utils import INTEGRATION_TO_CALLBACK as KNOWN
    from transformers.integrations.integration_utils import get_available_reporting_integrations

    installed = get_available_reporting_integrations()  # type: ignore[no-untyped-call]
    for name in names:
        if name not in KNOWN:
            raise InputError(
                f"trainer.report_to names {name!r}, which transformers does not know; choose among "
                f"{', '.join(sorted(KNOWN))}"
            )
        if name not in installed:
            raise InputError(
                f"trainer.report_to names {name!r}, which is not installed; install it, or choose among those that "
                f"are: {', '.join(sorted(installed)) or 'none'}"
            )


def keep_events(callbacks: Sequence[Any], output: Path) -> None:
    """Let TensorBoard write into the model's folder: beside the checkpoints its files would go with them.

    A folder named by ``TENSORBOARD_LOGGING_DIR`` is left as it is.

    Args:
        callbacks: those of the trainer.
        output: the model's folder.
    """
    for callback in callbacks:
        if type(callback).__name__ == "TensorBoardCallback" and callback.logging_dir is None:
            callback.logging_dir = str(output / LOGS)
