"""Memory and time of an exact search at the size of MedMentions against MeSH, with vectors drawn at random.

::

    python benchmarks/search.py --output results/search.json
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from arborlink.encoder import Embeddings
from arborlink.encoders.device import resolve_device
from arborlink.files import write_text
from arborlink.search import nearest, nearest_others
from provenance import provenance


def main() -> None:
    """Draw, search, print what it took beyond the vectors themselves."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mentions", type=int, default=40_000)
    parser.add_argument("--entities", type=int, default=354_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--k", type=int, default=64)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    device = resolve_device(arguments.device)
    random = np.random.default_rng(0)
    shape = (arguments.mentions, arguments.dimension), (arguments.entities, arguments.dimension)
    mentions, entities = (
        Embeddings.one_each(random.standard_normal(each, dtype=np.float32)) for each in shape
    )
    one = Embeddings.one_each(mentions.vectors[:1])
    nearest(one, entities, 2, device=device)  # libraries loaded, kernels compiled
    before = peak_gib()
    start = time.perf_counter()
    nearest(mentions, entities, arguments.k, device=device)
    entity_seconds = time.perf_counter() - start
    start = time.perf_counter()
    nearest_others(mentions, 8, device=device)
    mention_seconds = time.perf_counter() - start
    report = {
        **provenance(),
        "n_mentions": arguments.mentions,
        "n_entities": arguments.entities,
        "dimension": arguments.dimension,
        "k": arguments.k,
        "device": device,
        "entity_search_seconds": round(entity_seconds, 1),
        "mention_search_seconds": round(mention_seconds, 1),
        "embeddings_gib": round((mentions.vectors.nbytes + entities.vectors.nbytes) / 2**30, 2),
        "peak_beyond_embeddings_gib": round(peak_gib() - before, 2),
        "peak_of_process_gib": round(peak_gib(), 2),
    }
    text = json.dumps(report, indent=2)
    print(text)
    if arguments.output is not None:
        with write_text(arguments.output) as stream:
            stream.write(text + "\n")


def peak_gib() -> float:
    """The most memory this process ever held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


if __name__ == "__main__":
    main()
