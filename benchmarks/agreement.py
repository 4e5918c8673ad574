"""How far the labels of a corpus agree with each other: what linking by strings and contexts can reach.

    python benchmarks/agreement.py --kb KB --train TRAIN --dev DEV --output results/agreement.json

No model is asked. A string is what a mention says, in lower case; only mentions with exactly one gold entity in the
knowledge base count. Printed are

- ``same_document`` and ``other_documents``: how often two mentions of one string have the same label, if both stand
  in one document and if they do not, averaged over mentions of train;
- ``commonest``: how often a mention of train has the label that its string has most often in the other documents;
- of dev, the share of mentions whose string train has (``known_strings``), how often the label is the commonest of
  train (``commonest``) and how often it is one of train's at all (``any_label``);
- ``by_likeness``: the same where train mentions of the string vote, those in documents about the like the more: each
  weighs exp(sharpness · cosine), by the words of the documents and by those around the mentions.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from arborlink import Corpus, KnowledgeBase
from provenance import provenance

SHARPNESS = (0, 5, 10, 20)
# Characters on either side of a mention that count as around it.
_AROUND = 150


@dataclass(frozen=True)
class Labelled:
    """A mention with one gold entity: the number of its document, its string, its label, the text around it."""

    document: int
    string: str
    label: str
    around: str


def main() -> None:
    """Count and write."""
    arguments = _arguments()
    kb = KnowledgeBase.read(arguments.kb)
    train, dev = Corpus.read(arguments.train), Corpus.read(arguments.dev)
    learned, asked = _labelled(train, kb), _labelled(dev, kb)
    by_document: dict[str, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for each in learned:
        by_document[each.string][each.document][each.label] += 1
    report: dict[str, Any] = {
        "provenance": provenance(),
        "train": {"mentions": len(learned), **_agreement(list(by_document.values()))},
        "dev": {"mentions": len(asked), **_known(asked, by_document)},
    }
    report["dev"]["by_likeness"] = _by_likeness(train, dev, learned, asked)
    print(json.dumps(report, indent=1))
    arguments.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _labelled(corpus: Corpus, kb: KnowledgeBase) -> list[Labelled]:
    return [
        Labelled(
            number,
            document.text[mention.start : mention.end].lower(),
            mention.entities[0],
            document.text[max(0, mention.start - _AROUND) : mention.start]
            + " "
            + document.text[mention.end : mention.end + _AROUND],
        )
        for number, document in enumerate(corpus)
        for mention in document.mentions
        if mention.entities is not None and len(mention.entities) == 1 and mention.entities[0] in kb.index
    ]


def _agreement(strings: Sequence[dict[int, Counter[str]]]) -> dict[str, float]:
    """How often two mentions agree, and how often a mention agrees with most of those in other documents."""
    inside, outside, commonest = [0.0, 0], [0.0, 0], [0.0, 0]
    for documents in strings:
        total: Counter[str] = Counter()
        for labels in documents.values():
            total += labels
        for labels in documents.values():
            n, n_others = labels.total(), total.total() - labels.total()
            others = total - labels
            for label, count in labels.items():
                if n > 1:
                    inside[0] += count * (count - 1) / (n - 1)
                    inside[1] += count
                if n_others:
                    outside[0] += count * others[label] / n_others
                    outside[1] += count
            if n_others:
                commonest[0] += labels[_commonest(others)]
                commonest[1] += n
    pairs = {"same_document": inside, "other_documents": outside, "commonest": commonest}
    return {name: right / max(1, n) for name, (right, n) in pairs.items()}


def _commonest(votes: Mapping[str, float]) -> str:
    """The label with the most votes, of equals the last by name."""
    return max(votes, key=lambda label: (votes[label], label))


def _known(asked: list[Labelled], by_document: dict[str, dict[int, Counter[str]]]) -> dict[str, float]:
    labels = {string: sum(documents.values(), Counter()) for string, documents in by_document.items()}
    known = [each for each in asked if each.string in labels]
    commonest = sum(_commonest(labels[each.string]) == each.label for each in known)
    return {
        "known_strings": len(known) / max(1, len(asked)),
        "commonest": commonest / max(1, len(known)),
        "any_label": sum(each.label in labels[each.string] for each in known) / max(1, len(known)),
    }


def _by_likeness(
    train: Corpus, dev: Corpus, learned: list[Labelled], asked: list[Labelled]
) -> dict[str, dict[str, float]]:
    """How often the votes of train mentions are right, for every sharpness."""
    of_string: dict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(learned):
        of_string[each.string].append(number)
    known = [number for number, each in enumerate(asked) if each.string in of_string]
    whole, around = _vectors(stop_words="english"), _vectors()
    of_documents = whole.fit_transform([document.text for document in train])
    likeness = (whole.transform([document.text for document in dev]) @ of_documents.T).toarray()
    windows = around.fit_transform([each.around for each in learned])
    of_asked = around.transform([each.around for each in asked])
    right: dict[str, Counter[int]] = {"documents": Counter(), "around": Counter()}
    for number in known:
        each, voters = asked[number], of_string[asked[number].string]
        cosines = {
            "documents": likeness[each.document, [learned[voter].document for voter in voters]],
            "around": (windows[voters] @ of_asked[number].T).toarray().ravel(),
        }
        for kind, values in cosines.items():
            for sharpness in SHARPNESS:
                votes: dict[str, float] = defaultdict(float)
                for voter, weight in zip(voters, np.exp(sharpness * values), strict=True):
                    votes[learned[voter].label] += float(weight)
                right[kind][sharpness] += _commonest(votes) == each.label
    return {
        kind: {str(sharpness): counts[sharpness] / max(1, len(known)) for sharpness in SHARPNESS}
        for kind, counts in right.items()
    }


def _vectors(stop_words: str | None = None) -> TfidfVectorizer:
    return TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words=stop_words)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("kb", "train", "dev", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
