"""``arborlink explain``: why a mention went where it went."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from arborlink.cli.streams import is_unicode


def explain(
    folder: Annotated[Path, typer.Argument(help="Result folder of `arborlink link`.")],
    mention: Annotated[str, typer.Argument(help="Id of a mention.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the path from the entity to the mention, its weakest step and the runner-up."""
    from arborlink.result import Result

    explanation = Result.read(folder).explain(mention)
    if as_json:
        takes_all = sys.stdout is not None and is_unicode(sys.stdout.encoding)
        typer.echo(json.dumps(explanation.to_dict(), ensure_ascii=not takes_all))
    else:
        typer.echo(str(explanation))
