"""What the untrained model gets on test splits, by the commands a user would run.

Each data set is ``NAME=DOCUMENTS,KB[,ID_MAP]``. Every one is linked with the defaults and, where its mentions have
types, with ``--by-type``; every result is evaluated with and without the id map::

    python benchmarks/untrained_test.py bc5cdr=test.pubtator.gz,kb.jsonl.gz,retired_id_map.json \
        medmentions=test.jsonl.gz,kb.jsonl.gz westeros=mentions/test.json.gz,documents/westeros.json.gz \
        --output results/untrained_test.json
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from arborlink import Corpus, KnowledgeBase, evaluate
from arborlink.evaluation import Predictions, read_id_map
from arborlink.files import write_text
from look_up import look_up
from provenance import provenance

SHOWN = ("accuracy", "accuracy_ci_low", "accuracy_ci_high", "accuracy_type_Chemical", "accuracy_type_Disease")


def main() -> None:
    """Link and evaluate every data set named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", metavar="NAME=DOCUMENTS,KB[,ID_MAP]")
    parser.add_argument("--cache", help="folder for embeddings")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    options = ["--cache", arguments.cache] if arguments.cache else []
    runs = []
    for text in arguments.data:
        name, _, paths = text.partition("=")
        for run in chain(floor(*paths.split(",")), measure(*paths.split(","), options=options)):
            runs.append({"data": name, **run})
            shown = {key: run["figures"].get(key) for key in (*SHOWN, "recall_at_64", "nmi_ari_mean")}
            print(name, run["evaluate"], json.dumps(shown), flush=True)
    if arguments.output is not None:
        with write_text(arguments.output) as stream:
            stream.write(json.dumps({**provenance(), "runs": runs}, indent=1) + "\n")


def measure(
    documents: str, kb: str, id_map: str | None = None, *, options: list[str]
) -> Iterator[dict[str, Any]]:
    """The results of one data set: the commands, what linking took, all figures."""
    for by_type in ([], ["--by-type"]):
        with tempfile.TemporaryDirectory() as folder:
            link = ["link", "--kb", kb, "--documents", documents, "--candidates", "64", *by_type]
            done = arborlink(*link, "--output", f"{folder}/result", *options)
            if done.returncode and by_type and "type" in done.stderr:
                return  # no types to go by
            done.check_returncode()
            manifest = json.loads(Path(folder, "result", "manifest.json").read_text(encoding="utf-8"))
            for maps in [[], ["--id-map", id_map]] if id_map else [[]]:
                command = ["evaluate", "--documents", documents, "--kb", kb, *maps, "--json"]
                figures = arborlink(*command, "--links", f"{folder}/result")
                figures.check_returncode()
                yield {
                    "link": " ".join(["arborlink", *link]),
                    "evaluate": " ".join(["arborlink", *command]),
                    "seconds": manifest["seconds"],
                    "figures": json.loads(figures.stdout),
                }


def floor(documents: str, kb: str, id_map: str | None = None) -> Iterator[dict[str, Any]]:
    """What exact look-up of the string gets, measured alike."""
    corpus, entities = Corpus.read(documents), KnowledgeBase.read(kb)
    entity = look_up(corpus, entities).astype(np.int64)
    links = Predictions(entity, np.full(len(entity), -1), np.ones(len(entity), dtype=bool))
    for path in [None, id_map] if id_map else [None]:
        ids = read_id_map(Path(path)) if path else None
        figures = evaluate(links, corpus, entities, id_map=ids).to_dict()
        yield {"link": "look-up", "evaluate": f"look-up, id map {path}", "figures": figures}


def arborlink(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    command = [sys.executable, "-m", "arborlink.cli.main", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr)
    return done


if __name__ == "__main__":
    main()
