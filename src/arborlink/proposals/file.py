"""``proposals.jsonl``: one proposal a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from arborlink.errors import InputError
from arborlink.files import write_text
from arborlink.proposals.proposal import Proposal


def write_proposals(proposals: Iterable[Proposal], path: str | Path) -> None:
    """Write proposals in their order; nothing appears under ``path`` before all is written. ``.gz`` is packed.

    Raises:
        InputError: the file cannot be written.
    """
    path = Path(path)
    try:
        with write_text(path) as stream:
            for proposal in proposals:
                stream.write(json.dumps(proposal.to_dict(), ensure_ascii=False, allow_nan=False) + "\n")
    except OSError as error:
        raise InputError(f"the proposals cannot be written: {error.strerror or error}", path) from error
