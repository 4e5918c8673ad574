"""What linking costs beside its bare parts: encoding, search, everything else, memory; all within one run.

- encoding: ``TextEncoder.encode`` against ``SentenceTransformer.encode`` of the same model on the same strings;
- search: ``nearest`` against a bare ``faiss.IndexFlatIP`` on the same vectors;
- the whole: ``arborlink link`` from files to written result with an empty cache, and again with a full one.

::

    python benchmarks/link.py --kb kb.jsonl.gz --documents test.pubtator.gz --output results/link.json
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from arborlink import Corpus, KnowledgeBase
from arborlink.encoder import Embeddings
from arborlink.encoders import NameEncoder, load_encoder
from arborlink.search import nearest
from provenance import provenance

N_ROUNDS = 3


def main() -> None:
    """Measure and print; write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kb", type=Path, required=True)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--n-strings", type=int, default=6000, help="names encoded by both encoders")
    parser.add_argument("--k", type=int, default=64, help="neighbours searched by both searches")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    encoder = load_encoder("untrained", device="cpu", progress=False)
    assert isinstance(encoder, NameEncoder)
    corpus, kb = Corpus.read(arguments.documents), KnowledgeBase.read(arguments.kb)
    report: dict[str, Any] = {
        **provenance(),
        "n_mentions": corpus.n_mentions,
        "n_entities": len(kb),
        "encoding": encoding(encoder, kb, arguments.n_strings),
        "search": search(encoder, corpus, kb, arguments.k),
        "whole": whole(arguments.kb, arguments.documents),
    }
    print(json.dumps(report, indent=2))
    if arguments.output is not None:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def encoding(encoder: NameEncoder, kb: KnowledgeBase, n_strings: int) -> dict[str, float]:
    """Strings a second of both encoders, median of alternating rounds, and their ratio."""
    names = list(dict.fromkeys(name for entity in kb for name in entity.names))
    strings = names[:: max(1, len(names) // n_strings)][:n_strings]
    text_encoder = encoder.text_encoder
    model = text_encoder.model
    text_encoder.encode(strings[:256], "warm-up")
    model.encode(strings[:256])
    ours, bare = alternate(
        lambda: text_encoder.encode(strings, "names"), lambda: model.encode(strings, convert_to_tensor=True)
    )
    return {
        "n_strings": len(strings),
        "dtype": str(next(model.parameters()).dtype),  # type: ignore[dict-item]
        "strings_per_second": round(len(strings) / ours, 1),
        "sentence_transformers_strings_per_second": round(len(strings) / bare, 1),
        "ratio": round(bare / ours, 3),
    }


def search(encoder: NameEncoder, corpus: Corpus, kb: KnowledgeBase, k: int) -> dict[str, float]:
    """Queries a second of both searches over the spelling vectors of all names, and their ratio."""
    import faiss

    from arborlink.encoders.lexical import lexical_vectors
    from arborlink.encoders.names import mention_strings

    names = list(dict.fromkeys(name for entity in kb for name in entity.names))
    targets = lexical_vectors(names)
    queries = lexical_vectors(list(dict.fromkeys(mention_strings(corpus))))
    index = faiss.IndexFlatIP(targets.shape[1])
    index.add(targets)
    both = Embeddings.one_each(queries), Embeddings.one_each(targets)
    nearest(Embeddings.one_each(queries[:64]), both[1], k)
    # The same number of rows from both: nearest asks for some more than k to be sure of k distinct items.
    ours, bare = alternate(lambda: nearest(*both, k), lambda: index.search(queries, k))
    found = nearest(*both, k).affinities
    expected, _ = index.search(queries, k)
    return {
        "n_queries": len(queries),
        "n_targets": len(targets),
        "dimension": int(targets.shape[1]),
        "k": k,
        "seconds": round(ours, 3),
        "faiss_seconds": round(bare, 3),
        "ratio": round(bare / ours, 3),
        "largest_difference": float(np.abs(found - expected).max()),
    }


def alternate(ours: Callable[[], object], bare: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of each, run in turns so that a busy moment hits both."""
    times: dict[int, list[float]] = {0: [], 1: []}
    for _ in range(N_ROUNDS):
        for which, run in enumerate((ours, bare)):
            start = time.perf_counter()
            run()
            times[which].append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def whole(kb: Path, documents: Path) -> dict[str, Any]:
    """The command, first with an empty cache, then with a full one: its steps, the rest, peak memory."""
    runs = {}
    with tempfile.TemporaryDirectory() as folder:
        for run in ("first", "second"):
            output = Path(folder) / run
            command = [
                sys.executable,
                "-m",
                "arborlink.cli.main",
                "link",
                "--device",
                "cpu",
                "--model",
                "untrained",
            ]
            command += ["--kb", str(kb), "--documents", str(documents), "--output", str(output)]
            start = time.perf_counter()
            subprocess.run([*command, "--cache", f"{folder}/cache"], check=True, stdout=subprocess.DEVNULL)
            total = time.perf_counter() - start
            steps = json.loads((output / "manifest.json").read_text(encoding="utf-8"))["seconds"]
            work = steps["encode_mentions"] + steps["encode_entities"] + steps["search"]
            runs[run] = {
                "seconds": round(total, 1),
                "steps": steps,
                "everything_else": round(total - work, 1),
                "share_of_everything_else": round((total - work) / total, 3),
            }
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    return {**runs, "peak_memory_gib": round(peak, 2)}


if __name__ == "__main__":
    main()
