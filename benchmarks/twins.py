"""What entities that say the same of themselves allow: the best that anybody can link who reads nothing else.

    python benchmarks/twins.py --data DATA/medmentions --output results/twins_medmentions.json

Twins are entities with the same names and the same description. Told is how many linkable mentions are of such an
entity, and the accuracy of somebody who always knows which twins are meant and takes of them the first in the file,
any, the one that the examples mention most, or most under the same string. The examples are train, for test train and
dev.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from arborlink.corpus import Corpus
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from provenance import provenance

Twins = list[int]


def main() -> None:
    """Measure dev and test."""
    arguments = _arguments()
    kb = KnowledgeBase.read(_file(arguments.data, "kb"))
    corpora = {name: Corpus.read(_file(arguments.data, name)) for name in ("train", "dev", "test")}
    twins = twins_of(kb)
    results = {
        "provenance": provenance(),
        "entities": len(kb),
        "entities_with_twins": sum(len(own) > 1 for own in twins),
        "dev": ceilings(kb, twins, [corpora["train"]], corpora["dev"]),
        "test": ceilings(kb, twins, [corpora["train"], corpora["dev"]], corpora["test"]),
    }
    for split in ("dev", "test"):
        print(f"{split}: {results[split]}")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def twins_of(kb: KnowledgeBase) -> list[Twins]:
    """The entities that say what each entity says, itself among them, in the order of the file."""
    members: dict[Any, Twins] = defaultdict(list)
    for number, entity in enumerate(kb):
        members[_said(entity)].append(number)
    return [members[_said(entity)] for entity in kb]


def ceilings(
    kb: KnowledgeBase, twins: list[Twins], examples: Iterable[Corpus], asked: Corpus
) -> dict[str, float]:
    """The figures of one split."""
    mentioned: Counter[str] = Counter()
    under: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for corpus in examples:
        for string, gold in _labelled(corpus):
            mentioned[gold] += 1
            under[string][gold] += 1
    linkable = [(string, kb.index[gold]) for string, gold in _labelled(asked) if gold in kb.index]
    ids = [entity.id for entity in kb]

    def most(string: str, own: Twins) -> int:
        """The twin that most mentions of the string are of, else most mentions; of equals the first in the file."""
        return max(own, key=lambda number: (under[string][ids[number]], mentioned[ids[number]], -number))

    figures: dict[str, float] = {
        "linkable": len(linkable),
        "with_twins": _mean(len(twins[gold]) > 1 for _, gold in linkable),
        "first_in_file": _mean(twins[gold][0] == gold for _, gold in linkable),
        "any": _mean(1 / len(twins[gold]) for _, gold in linkable),
        "commonest": _mean(most("", twins[gold]) == gold for _, gold in linkable),
        "commonest_under_string": _mean(most(string, twins[gold]) == gold for string, gold in linkable),
    }
    return figures


def _mean(values: Iterable[float]) -> float:
    return round(float(np.mean(list(values))), 4)


def _said(entity: Entity) -> Any:
    return entity.name.casefold(), tuple(map(str.casefold, entity.aliases)), entity.description


def _labelled(corpus: Corpus) -> Iterable[tuple[str, str]]:
    """String and gold id of the mentions that have exactly one."""
    for document, mention in corpus.mentions:
        if mention.entities and len(mention.entities) == 1:
            yield document.text_of(mention).casefold(), mention.entities[0]


def _file(folder: Path, name: str) -> Path:
    packed = folder / f"{name}.jsonl.gz"
    return packed if packed.is_file() else folder / f"{name}.jsonl"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with kb, train, dev and test (native)"
    )
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
