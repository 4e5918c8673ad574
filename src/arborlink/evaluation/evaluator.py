"""The one call: predictions, gold documents and a knowledge base in, figures out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.evaluation.calibration import calibration_figures
from arborlink.evaluation.candidates import Candidates
from arborlink.evaluation.counts import count_figures
from arborlink.evaluation.discovery import discovery_figures
from arborlink.evaluation.figures import Evaluation
from arborlink.evaluation.folder import candidates_asked, candidates_asked_in, candidates_file
from arborlink.evaluation.gold import Gold, gold_ids
from arborlink.evaluation.linking import linking_figures
from arborlink.evaluation.predictions import Predictions
from arborlink.evaluation.protocol import protocol
from arborlink.evaluation.retrieval import retrieval_figures
from arborlink.formats.problems import Problems
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Candidate, Result


def evaluate(
    links: str | Path | Result | Predictions,
    corpus: Corpus,
    kb: KnowledgeBase,
    train: Corpus | None = None,
    candidates: str | Path | Candidates | Mapping[str, Sequence[Candidate]] | None = None,
    id_map: Mapping[str, str] | None = None,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    problems: Problems | None = None,
) -> Evaluation:
    """Measure links against gold labels.

    Args:
        links: what ``Linker.link`` returned, a result folder, a links file, or the links as arrays.
        corpus: the documents that were linked, with gold labels.
        kb: the knowledge base they were linked to.
        train: the documents the encoder was trained on; splits accuracy into seen and unseen entities.
        candidates: for recall at k: a candidates file, ``Result.candidates``, or arrays. By default those of
            the result or result folder given as ``links``, if it has any.
        id_map: retired id to current id, applied to the gold ids of ``corpus`` and ``train``.
        bootstrap: draws for the confidence interval of the accuracy; 0 for none.
        seed: of those draws.
        problems: what to do about links and candidates that cannot be used; by default the first is raised.

    Raises:
        InputError: a link names an unknown mention or entity, or a mention has two; says file and line.
        ResultError: the result folder is incomplete.

    Example::

        evaluation = evaluate("result", corpus, kb, train=train)
        print(evaluation.protocol, evaluation["accuracy"], evaluation["accuracy_unseen"])
    """
    predictions = _predictions(links, corpus, kb, problems)
    candidates = _candidates(candidates, links, corpus, kb, problems)
    _check_fit(predictions, candidates, corpus, kb)
    gold = Gold.of(corpus, kb, id_map)
    train_ids = None if train is None else gold_ids(train, id_map)
    figures = [
        *linking_figures(corpus, gold, predictions, train_ids, bootstrap, seed),
        *retrieval_figures(gold, candidates),
        *discovery_figures(gold, predictions),
        *calibration_figures(gold, predictions),
        *count_figures(gold, predictions),
    ]
    return Evaluation(
        protocol=protocol(
            gold, id_map, train is not None, candidates is not None, predictions.said is not None
        ),
        figures=tuple(figures),
    )


def _predictions(
    links: str | Path | Result | Predictions, corpus: Corpus, kb: KnowledgeBase, problems: Problems | None
) -> Predictions:
    if isinstance(links, Predictions):
        return links
    if isinstance(links, Result):
        return Predictions.of(links, corpus, kb)
    return Predictions.read(links, corpus, kb, problems)


def _candidates(
    given: str | Path | Candidates | Mapping[str, Sequence[Candidate]] | None,
    links: str | Path | Result | Predictions,
    corpus: Corpus,
    kb: KnowledgeBase,
    problems: Problems | None,
) -> Candidates | None:
    """The candidates given, else those that come with the links; these tell how many were asked for."""
    own: Path | Mapping[str, Sequence[Candidate]] | None = None
    asked = None
    if isinstance(links, Result):
        own, asked = links.candidates, candidates_asked(links.settings)
    elif not isinstance(links, Predictions):
        own = candidates_file(Path(links))
        asked = None if own is None else candidates_asked_in(Path(links))
    given = own if given is None else given
    if given is None or isinstance(given, Candidates):
        return given
    if isinstance(given, Mapping):
        return Candidates.of(given, corpus, kb, asked if given is own else None)
    return Candidates.read(given, corpus, kb, problems, asked if Path(given) == own else None)


def _check_fit(links: Predictions, candidates: Candidates | None, corpus: Corpus, kb: KnowledgeBase) -> None:
    lengths = {"predictions": len(links.entity)}
    numbers = {"predictions": links.entity}
    if candidates is not None:
        lengths["candidates"] = len(candidates.n_each)
        numbers["candidates"] = candidates.entity
    for what, length in lengths.items():
        if length != corpus.n_mentions:
            raise InputError(
                f"{what} are for {length} mentions but the gold documents have {corpus.n_mentions}"
            )
        if len(numbers[what]) and int(numbers[what].max()) >= len(kb):
            raise InputError(
                f"{what} name entity number {numbers[what].max()}, the knowledge base has {len(kb)} entities"
            )
