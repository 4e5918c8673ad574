"""A workspace that grows against linking everything at once, and what is left of commands that are killed.

- batches: documents added in ten batches; after the last the links are those of one ``Linker.link``, field by field;
- cost: the last 1 % of the documents added, against one ``Linker.link`` over everything, in the same process;
- decisions: how long decisions take once the workspace is open;
- kills: ``tests/worlds/workspace_kills.py``, commands killed at random points.

``--encoder untrained`` is the embedded base model. ``--encoder windows`` needs no model and stands in for two trained
towers: a spelling vector of each mention with the words around it, one of each entity's name, 384 dimensions; its
figures say what searching, partitioning and writing cost, nothing about encoding or accuracy.

::

    python benchmarks/workspace.py --kb kb.jsonl.gz --documents test.jsonl.gz --kills 200
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink import Corpus, KnowledgeBase, Linker
from arborlink.encoder import Embeddings, Texts
from arborlink.encoders.lexical import lexical_vectors
from arborlink.labels import Labels
from arborlink.workspace import Apart, Decision, Merge, Promote, Reject, Workspace
from provenance import provenance

N_BATCHES = 10
DIMENSION, CONTEXT = 384, 30
KILLS = Path(__file__).parents[1] / "tests" / "worlds" / "workspace_kills.py"


class WindowEncoder:
    """Spelling vectors of mentions with the words around them, and of the names of entities."""

    fingerprint = "windows"
    entity_texts_need_corpus = False

    def mention_texts(self, corpus: Corpus) -> Texts:
        """Each mention with some characters on both sides."""
        windows = [
            document.text[max(0, mention.start - CONTEXT) : mention.end + CONTEXT]
            for document, mention in corpus.mentions
        ]
        places: dict[str, int] = {}
        rows = [places.setdefault(window, len(places)) for window in windows]
        return Texts.one_each(list(places), np.array(rows, dtype=np.int32))

    def entity_texts(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Texts:
        """The name of each entity."""
        places: dict[str, int] = {}
        rows = [places.setdefault(entity.name, len(places)) for entity in kb]
        return Texts.one_each(list(places), np.array(rows, dtype=np.int32))

    def encode_mention_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Spelling vectors."""
        return lexical_vectors(texts, DIMENSION)

    def encode_entity_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Spelling vectors."""
        return lexical_vectors(texts, DIMENSION)

    def encode_mentions(self, corpus: Corpus) -> Embeddings:
        """Both steps at once."""
        found = self.mention_texts(corpus)
        return found.encoded(self.encode_mention_texts(found.texts))

    def encode_entities(
        self, kb: KnowledgeBase, corpus: Corpus | None = None, labels: Labels | None = None
    ) -> Embeddings:
        """Both steps at once."""
        found = self.entity_texts(kb)
        return found.encoded(self.encode_entity_texts(found.texts))


def main() -> None:
    """Measure and print; write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kb", type=Path, required=True)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--encoder", choices=["windows", "untrained"], action="append")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0, help="of the kills")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    corpus, kb = Corpus.read(arguments.documents), KnowledgeBase.read(arguments.kb)
    report: dict[str, Any] = {
        **provenance(),
        "documents": arguments.documents.name,
        "n_documents": len(corpus),
        "n_mentions": corpus.n_mentions,
        "n_entities": len(kb),
        "threshold": arguments.threshold,
    }
    for name in arguments.encoder or ["windows"]:
        with tempfile.TemporaryDirectory() as folder:
            linker = loaded(name, Path(folder) / "cache")
            report[name] = measured(corpus, kb, linker, arguments.threshold, Path(folder))
            if name == "untrained":
                report[name] |= with_encoding(corpus, kb, arguments.threshold, report[name])
            print(json.dumps({name: report[name]}, indent=2), flush=True)
    if arguments.kills:
        report["kills"] = kills(arguments.kills, arguments.seed)
    print(json.dumps(report, indent=2))
    if arguments.output is not None:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def loaded(name: str, cache: Path) -> Linker:
    """The encoder with its search; a model keeps vectors on disk, so that both runs compare the same ones."""
    if name == "untrained":
        return Linker.load(name, device="cpu", cache=cache, progress=False)
    return Linker(WindowEncoder(), progress=False)


def measured(
    corpus: Corpus, kb: KnowledgeBase, linker: Linker, threshold: float, folder: Path
) -> dict[str, Any]:
    """Batches and equality, cost, decisions."""
    workspace = Workspace.init(folder / "w", kb, linker=linker, threshold=threshold)
    n = len(corpus)
    last = max(1, round(n / 100))
    cuts = [round((n - last) * part / (N_BATCHES - 1)) for part in range(N_BATCHES)]
    spent = []
    for start, stop in pairwise(cuts):
        spent.append(timed(lambda: workspace.add(corpus.documents[start:stop])))  # noqa: B023 (called at once)
    workspace.close()
    opened: list[Workspace] = []
    seconds_to_open = timed(lambda: opened.append(Workspace.open(folder / "w", linker=linker)))
    (workspace,) = opened
    seconds_to_read = timed(lambda: workspace.version)
    added = timed(lambda: workspace.add(corpus.documents[n - last :]))
    results: list[Any] = []
    whole = timed(
        lambda: results.append(
            linker.link(corpus, kb, threshold=threshold, candidates=workspace.settings.candidates)
        )
    )
    found, scratch = workspace.result(), results[0]
    differing = sum(
        replace(one, discovery=None) != other for one, other in zip(found.links, scratch.links, strict=True)
    )
    return {
        "batches": [*spent, added],
        "n_links_that_differ": differing,
        "candidates_equal": found.candidates == scratch.candidates,
        "n_linked": scratch.settings["n_linked"],
        "n_discovered": scratch.settings["n_discovered"],
        "last_batch": {
            "n_documents": last,
            "n_mentions": sum(len(d.mentions) for d in corpus.documents[n - last :]),
        },
        "seconds_to_open_and_read": round(seconds_to_open + seconds_to_read, 3),
        "seconds_to_add_the_last_batch": added,
        "seconds_from_scratch": whole,
        "steps_from_scratch": scratch.settings["seconds"],
        "share": round(added / whole, 4),
        "share_with_opening": round((added + seconds_to_open + seconds_to_read) / whole, 4),
        "decisions": decisions(workspace),
        "problems": list(workspace.check()),
    }


def with_encoding(
    corpus: Corpus, kb: KnowledgeBase, threshold: float, known: dict[str, Any]
) -> dict[str, Any]:
    """The run from scratch again with nothing encoded before, as it would be without a workspace or a cache."""
    linker = Linker.load("untrained", device="cpu", cache=False, progress=False)
    whole = timed(lambda: linker.link(corpus, kb, threshold=threshold, candidates=8))
    return {
        "seconds_from_scratch_with_encoding": whole,
        "share_of_that": round(known["seconds_to_add_the_last_batch"] / whole, 4),
    }


def decisions(workspace: Workspace) -> dict[str, float]:
    """Seconds of one decision of each kind, each with all before it in force."""
    first, second, third, fourth, fifth = workspace.discoveries()[:5]
    chosen: dict[str, Decision] = {
        "merge": Merge((first.id, second.id)),
        "apart": Apart(*third.mentions[:2]),
        "reject": Reject(fourth.id),
        "promote": Promote(fourth.id),
        "promote again": Promote(fifth.id),
    }
    spent = {}
    for name, decision in chosen.items():
        spent[name] = timed(lambda: workspace.decide(decision))  # noqa: B023 (called at once)
    spent["undo"] = timed(lambda: workspace.undo(1))
    return spent


def kills(n: int, seed: int) -> dict[str, Any]:
    """Commands killed at random points; it fails where anything is lost."""
    environment = {**os.environ, "PYTHONPATH": str(KILLS.parent)}
    command = [sys.executable, str(KILLS), "--kills", str(n), "--seed", str(seed)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def timed(act: Callable[[], object]) -> float:
    """Seconds that a call took."""
    start = time.perf_counter()
    act()
    return round(time.perf_counter() - start, 3)


if __name__ == "__main__":
    main()
