"""Are the probabilities of links what they say? Learnt on dev, judged on test.

For each share of hidden entities, a calibration is learnt on dev with that share of its entities taken out of the
knowledge base, and the test documents are linked to the whole of it::

    python benchmarks/calibration.py --kb kb.jsonl.gz --dev dev.jsonl.gz --test test.jsonl.gz --model model \
        --hide 0 0.2 --output results/calibration.json
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from arborlink import Corpus, KnowledgeBase, Linker, evaluate
from arborlink.calibration import calibrate
from arborlink.cli.options import parsed_threshold
from arborlink.files import write_text
from provenance import provenance

REQUIRED_CALIBRATION_ERROR = 0.05


def main() -> None:
    """Read the command line, calibrate, judge, write."""
    arguments = _arguments()
    kb = KnowledgeBase.read(arguments.kb)
    dev = _first(Corpus.read(arguments.dev), arguments.limit)
    test = _first(Corpus.read(arguments.test), arguments.limit)
    linker = Linker.load(arguments.model, device=arguments.device, cache=arguments.cache or True)
    linker = linker.with_examples(Corpus.read(arguments.examples) if arguments.examples else None)
    runs = []
    for hide in arguments.hide:
        for threshold in arguments.threshold:
            runs.append(run(linker, dev, test, kb, arguments, hide, threshold))
            print(json.dumps({name: runs[-1][name] for name in ("hide", "threshold", "test")}), flush=True)
    results = {
        **provenance(),
        "required_calibration_error": REQUIRED_CALIBRATION_ERROR,
        "n_dev_documents": len(dev),
        "n_test_documents": len(test),
        "runs": runs,
    }
    if arguments.output is not None:
        with write_text(arguments.output) as stream:
            stream.write(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


def run(
    linker: Linker,
    dev: Corpus,
    test: Corpus,
    kb: KnowledgeBase,
    arguments: argparse.Namespace,
    hide: float,
    threshold: str,
) -> dict[str, Any]:
    """One calibration: what it says of dev documents held out, and what the test documents say of it."""
    way: dict[str, Any] = {
        "inference": arguments.inference,
        "neighbours": arguments.neighbours,
        "threshold": parsed_threshold(threshold),
    }
    target = arguments.target_error
    start = time.perf_counter()
    made = calibrate(linker, dev, kb, hide=hide, seed=arguments.seed, target_error=target, **way)
    seconds = time.perf_counter() - start
    linker.calibration = made.calibration
    result = linker.link(test, kb, **way)
    evaluated = evaluate(result, test, kb, bootstrap=0)
    return {
        "hide": hide,
        "seed": arguments.seed,
        "threshold": threshold,
        "inference": made.calibration.to_json()["inference"],
        "target_error": target,
        "calibrate_seconds": round(seconds, 1),
        "dev": {
            name: None if trial is None else {**trial.figures(), **trial.answered(target)}
            for name, trial in (("links", made.links), ("new", made.new))
        },
        "test": {figure.key: figure.value for figure in evaluated.group("calibration")},
        "test_accuracy": evaluated["accuracy"],
        "test_accuracy_with_nil": evaluated["accuracy_with_nil"],
    }


def _first(corpus: Corpus, limit: int | None) -> Corpus:
    return corpus if limit is None else Corpus(corpus.documents[:limit])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kb", required=True)
    parser.add_argument("--dev", required=True, help="documents to learn from")
    parser.add_argument("--test", required=True, help="documents to judge by")
    parser.add_argument("--model", help="a model's folder or name; the default one without it")
    parser.add_argument("--examples", help="labelled documents whose mentions vote for their entities")
    parser.add_argument(
        "--hide", type=float, nargs="+", default=[0.0], help="shares of entities hidden on dev"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the hidden entities")
    parser.add_argument("--target-error", type=float, default=0.05)
    parser.add_argument("--inference")
    parser.add_argument("--neighbours", type=int)
    parser.add_argument("--threshold", nargs="+", default=["model"], help="numbers, none or model")
    parser.add_argument("--limit", type=int, help="only so many documents of dev and of test")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--cache", type=Path, help="folder for embeddings")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
