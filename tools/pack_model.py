"""Pack a trained model into the package, small enough to ship.

The model must have been trained from the embedded base model. Its towers become quantised differences to it, with as
many bits as the size allows; the packed towers are compared with the trained ones on documents and a knowledge base,
and only if their vectors agree does the packed model take its place. Printed is what was measured, as JSON::

    python tools/pack_model.py MODEL
    python tools/pack_model.py MODEL --output packed --documents dev.jsonl --kb kb.jsonl

A calibration of the trained model is taken along. ``arborlink tune`` and ``arborlink calibrate`` can be run on the
packed folder as on any other.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arborlink.confidence import CALIBRATION_FILE, read_calibration, write_calibration
from arborlink.corpus import Corpus
from arborlink.demo import demo_documents_path, demo_kb_path
from arborlink.encoders.default_model import SHIPPED_FOLDER
from arborlink.encoders.model_folder import read_settings, read_towers
from arborlink.encoders.packed_model.differences import Bits
from arborlink.encoders.packed_model.packing import LADDER, MOST_BYTES, Packed, pack_model
from arborlink.errors import ArborLinkError, ModelError
from arborlink.knowledge_base import KnowledgeBase

CARD = "README.md"
Vectors = NDArray[np.float32]


def main() -> None:
    """Read the command line, pack, print."""
    arguments = _arguments()
    try:
        print(json.dumps(pack(arguments), indent=2))
    except ArborLinkError as error:
        print(f"pack_model: {error}", file=sys.stderr)
        sys.exit(2)


def pack(arguments: argparse.Namespace) -> dict[str, Any]:
    """Pack, measure, refuse what is too large or too far off; what was measured."""
    corpus = _first(Corpus.read(arguments.documents or demo_documents_path()), arguments.limit)
    kb = KnowledgeBase.read(arguments.kb or demo_kb_path())
    source: Path = arguments.model
    report: dict[str, Any] = {}

    def finish(staged: Path, packed: Packed) -> None:
        report.update(compared(source, staged, corpus, kb))
        least = min(report["mentions"]["least_cosine"], report["entities"]["least_cosine"])
        if least < arguments.least_cosine:
            raise ModelError(
                f"{source}: packed at {packed.bits}, a vector has a cosine of {least:.6f} with the trained one; "
                f"expected at least {arguments.least_cosine:g}"
            )
        report["calibration"] = _take_calibration(source, staged, packed)
        _write_card(source, staged, packed, least)

    ladder = LADDER if arguments.bits is None else (Bits(*arguments.bits),)
    packed = pack_model(
        source, arguments.output, most_bytes=arguments.most_bytes, ladder=ladder, finish=finish
    )
    return {
        "bits": {"matrices": packed.bits.matrices, "embeddings": packed.bits.embeddings},
        "bytes": packed.n_bytes,
        "most_bytes": arguments.most_bytes,
        "fingerprint": packed.settings.fingerprint,
        **report,
    }


def compared(source: Path, packed: Path, corpus: Corpus, kb: KnowledgeBase) -> dict[str, Any]:
    """How far the vectors of the packed model, and the links made of them, are from those of the trained one."""
    mentions, entities, _ = _vectors(source, corpus, kb)
    mentions_packed, entities_packed, seconds = _vectors(packed, corpus, kb)
    before, after = mentions @ entities.T, mentions_packed @ entities_packed.T
    return {
        "mentions": _cosines(mentions, mentions_packed),
        "entities": _cosines(entities, entities_packed),
        "largest_change_of_an_affinity": round(float(np.abs(after - before).max()), 6),
        "same_nearest_entity": round(float((before.argmax(axis=1) == after.argmax(axis=1)).mean()), 6),
        "seconds_to_unpack": round(seconds, 2),
    }


def _vectors(folder: Path, corpus: Corpus, kb: KnowledgeBase) -> tuple[Vectors, Vectors, float]:
    """Vectors of the distinct texts of mentions and entities in float32, and the seconds that loading took."""
    import torch

    from arborlink.encoders.network import load_network
    from arborlink.encoders.text_encoder import TextEncoder
    from arborlink.encoders.towers import TowerEncoder

    settings = read_towers(folder)
    start = time.perf_counter()
    towers = {name: load_network(folder / name, name, "cpu", torch.float32) for name in settings.towers}
    seconds = time.perf_counter() - start
    mention = TextEncoder(towers[settings.mention_tower], "mentions", settings.mention_tokens)
    entity = TextEncoder(towers[settings.entity_tower], "entities", settings.entity_tokens)
    encoder = TowerEncoder(mention, entity, settings.markers, settings.entity_views)
    return encoder.encode_mentions(corpus).vectors, encoder.encode_entities(kb).vectors, seconds


def _cosines(trained: Vectors, packed: Vectors) -> dict[str, Any]:
    exact, near = trained.astype(np.float64), packed.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1) * np.linalg.norm(near, axis=1)
    cosines = (exact * near).sum(axis=1) / np.maximum(lengths, 1e-12)
    return {
        "n": len(cosines),
        "least_cosine": round(float(cosines.min()), 6),
        "mean_cosine": round(float(cosines.mean()), 6),
    }


def _take_calibration(source: Path, staged: Path, packed: Packed) -> str:
    if not (source / CALIBRATION_FILE).is_file():
        return "none"
    calibration = read_calibration(source)
    trained = read_settings(source).fingerprint
    if calibration.model != trained:
        return f"left out: it is of {calibration.model}, and the model is {trained}"
    about = {**calibration.about, "packed_from": trained}
    renamed = replace(calibration, model=packed.settings.fingerprint, about=about)
    write_calibration(renamed, staged / CALIBRATION_FILE)
    return "taken along"


def _write_card(source: Path, staged: Path, packed: Packed, least: float) -> None:
    card = staged / CARD
    if not card.is_file():
        raise ModelError(f"{source}: has no {CARD}; a model that ships needs a card")
    text = card.read_text(encoding="utf-8").rstrip("\n")
    said = (
        f"Packed: the differences to the weights of all-MiniLM-L6-v2, {packed.bits}; cosine between "
        f"packed and trained vectors at least {least:.6f}."
    )
    card.write_text(f"{text}\n\n{said}\n", encoding="utf-8")


def _first(corpus: Corpus, limit: int) -> Corpus:
    """The first documents, as many as have ``limit`` mentions together."""
    chosen, n_mentions = [], 0
    for document in corpus:
        if n_mentions >= limit:
            break
        chosen.append(document)
        n_mentions += len(document.mentions)
    return Corpus(chosen)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="a model's folder")
    parser.add_argument("--output", type=Path, default=SHIPPED_FOLDER, help="folder for the packed model")
    parser.add_argument("--documents", type=Path, help="to compare on; the demo world's without it")
    parser.add_argument("--kb", type=Path, help="to compare on; the demo world's without it")
    parser.add_argument("--limit", type=int, default=500, help="mentions to compare on")
    parser.add_argument("--bits", type=int, nargs=2, metavar=("MATRICES", "EMBEDDINGS"), choices=range(2, 9))
    parser.add_argument("--most-bytes", type=int, default=MOST_BYTES, help="size not to exceed")
    parser.add_argument(
        "--least-cosine", type=float, default=0.999, help="refuse a model that is farther off"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
