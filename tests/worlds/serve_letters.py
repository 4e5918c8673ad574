"""``arborlink serve`` with the encoder of the tests instead of a model: ``serve_letters.py SECONDS serve …``."""

from __future__ import annotations

import sys

from service_world import letter_linker

from arborlink.cli.main import main
from arborlink.linker import Linker
from arborlink.workspace.settings import ModelChoice

SECONDS = float(sys.argv[1])


def load(self: ModelChoice, device: str, cache: object, progress: bool | None) -> Linker:
    return letter_linker(SECONDS)


if __name__ == "__main__":
    ModelChoice.load = load  # type: ignore[method-assign]
    sys.argv = ["arborlink", *sys.argv[2:]]
    main()
