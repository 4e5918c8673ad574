"""How the untrained model should be set: spelling, shortlist, inference, neighbours, context; on dev splits.

Each data set is ``NAME=DOCUMENTS,KB[,ID_MAP]``. Prints one line a setting and writes all of them as JSON::

    python benchmarks/untrained_default.py bc5cdr=dev.pubtator.gz,kb.jsonl.gz,retired_id_map.json \
        medmentions=dev.jsonl.gz,kb.jsonl.gz wikis=mentions/val.json.gz,documents \
        --output results/untrained_default.json
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink import Corpus, KnowledgeBase
from arborlink.encoders import NameEncoder, load_encoder
from arborlink.encoders.device import resolve_device
from arborlink.evaluation import Candidates, Predictions, evaluate, read_id_map
from arborlink.graph import NeighbourGraph
from arborlink.partition import MODES, partition
from arborlink.search import nearest, nearest_others
from arborlink.type_labels import type_labels
from look_up import look_up
from provenance import provenance

PARTS = ("shortlist", "spelling", "context", "types")
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4)
NEIGHBOURS = (1, 2, 4, 8)
CONTEXT_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
CONTEXT_CHARACTERS = 120


def main() -> None:
    """Sweep the settings over every data set named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", metavar="NAME=DOCUMENTS,KB[,ID_MAP]")
    parser.add_argument("--model", default="untrained", help="a folder or name instead of the embedded model")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--cache", type=Path, help="folder for embeddings")
    parser.add_argument(
        "--shortlists", type=int, nargs="+", default=[16, 32, 64, 128], help="0 encodes every name"
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="questions to ask")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    device = resolve_device(arguments.device)
    encoder = load_encoder(arguments.model, device=device, cache=arguments.cache)
    assert isinstance(encoder, NameEncoder)
    rows = []
    for text in arguments.data:
        name, _, paths = text.partition("=")
        for row in sweep(encoder, paths.split(","), arguments.shortlists, arguments.parts, device):
            rows.append({"data": name, **row})
            print(" ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    if arguments.output is not None:
        report = {**provenance(), "device": device, "rows": rows}
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def sweep(
    encoder: NameEncoder, paths: list[str], shortlists: list[int], parts: list[str], device: str
) -> Iterator[dict[str, Any]]:
    """Each question with the other settings at their defaults."""
    corpus, kb = Corpus.read(paths[0]), KnowledgeBase.read(paths[1])
    id_map = read_id_map(Path(paths[2])) if len(paths) > 2 else None
    share, kept = encoder.spelling, encoder.shortlist
    yield {"inference": "look-up", **figures_of(look_up(corpus, kb), corpus, kb, id_map)}
    if "shortlist" in parts:
        for encoder.shortlist in shortlists:
            yield from measure(encoder, corpus, kb, id_map, device, by_type=False, graph=False)
        encoder.shortlist = kept
    if "spelling" in parts:
        for encoder.spelling in SHARES:
            yield from measure(encoder, corpus, kb, id_map, device, by_type=False, graph=True)
        encoder.spelling = share
    if "context" in parts:
        yield from context(encoder, corpus, kb, id_map, device)
    if "types" in parts and any(mention.types for _, mention in corpus.mentions):
        yield from measure(encoder, corpus, kb, id_map, device, by_type=True, graph=True)


def measure(
    encoder: NameEncoder,
    corpus: Corpus,
    kb: KnowledgeBase,
    id_map: Any,
    device: str,
    *,
    by_type: bool,
    graph: bool,
) -> Iterator[dict[str, Any]]:
    """One setting of the encoder, with every inference if ``graph`` says so."""
    start = time.perf_counter()
    mentions, entities = encoder.encode_mentions(corpus), encoder.encode_entities(kb, corpus)
    labels = type_labels(corpus, kb) if by_type else None
    near = nearest(mentions, entities, 64, labels=labels, device=device)
    others = nearest_others(
        mentions, max(NEIGHBOURS), labels=list(labels.of_queries) if labels else None, device=device
    )
    setting = {
        "spelling": encoder.spelling,
        "shortlist": encoder.shortlist,
        "by_type": by_type,
        "n_vectors": len(entities.vectors),
    }
    for mode in MODES if graph else ("independent",):
        for k in (0,) if mode == "independent" else NEIGHBOURS:
            parts = partition(
                NeighbourGraph.from_neighbours(
                    near.items[:, :1],
                    near.affinities[:, :1],
                    others.items[:, :k],
                    others.affinities[:, :k],
                    len(kb),
                ),
                mode,
            )
            candidates = Candidates.from_lists([row[row >= 0].tolist() for row in near.items])
            yield {
                **setting,
                "inference": mode,
                "neighbours": k,
                **figures_of(parts.entity, corpus, kb, id_map, parts.cluster, candidates),
                "seconds": round(time.perf_counter() - start, 1),
            }
            start = time.perf_counter()


def context(
    encoder: NameEncoder, corpus: Corpus, kb: KnowledgeBase, id_map: Any, device: str
) -> Iterator[dict[str, Any]]:
    """What a share of context adds: the 64 nearest entities, ranked again with the text around the mention."""
    near = nearest(encoder.encode_mentions(corpus), encoder.encode_entities(kb, corpus), 64, device=device)
    windows = [
        document.text[max(0, mention.start - CONTEXT_CHARACTERS) : mention.end + CONTEXT_CHARACTERS]
        for document, mention in corpus.mentions
    ]
    shown = np.unique(near.items[near.items >= 0])
    texts = [". ".join([*kb.entities[item].names[:6], kb.entities[item].description[:400]]) for item in shown]
    around, described = (encoder.text_encoder.encode(each, "context") for each in (windows, texts))
    place = np.searchsorted(shown, np.maximum(near.items, shown[0]))
    alike = np.einsum("md,mkd->mk", around, described[place], optimize=True)
    rows = np.arange(len(near.items))
    for share in CONTEXT_SHARES:
        best = np.argmax(near.affinities + share * alike, axis=1)
        yield {
            "spelling": encoder.spelling,
            "shortlist": encoder.shortlist,
            "by_type": False,
            "context": share,
            "inference": "independent",
            "neighbours": 0,
            **figures_of(near.items[rows, best], corpus, kb, id_map),
        }


def figures_of(
    entity: NDArray[np.int32],
    corpus: Corpus,
    kb: KnowledgeBase,
    id_map: Any,
    cluster: NDArray[np.int32] | None = None,
    candidates: Candidates | None = None,
) -> dict[str, Any]:
    """The figures a setting is judged by."""
    clusters = np.full(len(entity), -1) if cluster is None else cluster.astype(np.int64)
    predicted = Predictions(entity.astype(np.int64), clusters, np.ones(len(entity), dtype=bool))
    figures = evaluate(predicted, corpus, kb, candidates=candidates, id_map=id_map, bootstrap=0).to_dict()
    keys = ("accuracy", "recall_at_64", "nmi_ari_mean", "n_linkable")
    return {key: round(value, 4) for key in keys if isinstance(value := figures[key], float | int)}


if __name__ == "__main__":
    main()
