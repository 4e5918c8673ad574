"""Documents and a knowledge base in, links and clusters out."""

from __future__ import annotations

import copy
import operator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from arborlink.confidence import Calibration, refusal, with_confidence
from arborlink.corpus import Corpus
from arborlink.encoder import Encoder
from arborlink.encoders.model_folder import Inference
from arborlink.encoders.model_settings import checked_detour
from arborlink.encoders.name_part import name_part_of
from arborlink.encoders.name_share import name_share_of, with_name_share
from arborlink.encoders.promise import check_embeddings
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels
from arborlink.linker.labelled import Labelled, about_examples
from arborlink.linker.loading import DEFAULT_SHORTLIST, load_parts
from arborlink.linker.provenance import counts_of, how_it_links, timed
from arborlink.neighbourhood import Neighbourhood
from arborlink.partition import Mode, partition
from arborlink.reranking import Reranker
from arborlink.result import Result
from arborlink.result.from_partition import candidates_of, links_of
from arborlink.shared_words import SharedWords
from arborlink.type_labels import labels_of
from arborlink.voting import TEMPERATURE


class Linker:
    """Links mentions to entities through the neighbour graph.

    Args:
        encoder: what turns mentions and entities into vectors.
        device: where the search runs; ``cpu`` uses FAISS.
        progress: show bars; ``None`` shows them on a terminal only.
        defaults: how to link where :meth:`link` is not told; ``None`` is ``Inference()``.
        model: what to call the model in a result; ``None`` takes the encoder's fingerprint.
        calibration: how sure links of this model are; ``None`` where that is not known.
        temperature: the one the encoder was trained with: how sharply labelled examples vote.
        reranker: takes a second look at the nearest entities of each mention; ``None`` for none.
        detour: what is taken off the affinity of two mentions; see :class:`~arborlink.neighbourhood.Neighbourhood`.
        shared_words: words that mentions share with descriptions have a say in who is nearest; ``None``: they have
            none.

    Example:
        >>> linker = Linker.load()                                             # doctest: +SKIP
        >>> result = linker.link(Corpus.read("notes.jsonl"), KnowledgeBase.read("kb.jsonl"))  # doctest: +SKIP
    """

    def __init__(
        self,
        encoder: Encoder,
        device: str = "cpu",
        progress: bool | None = None,
        defaults: Inference | None = None,
        model: str | None = None,
        calibration: Calibration | None = None,
        temperature: float = TEMPERATURE,
        reranker: Reranker | None = None,
        detour: float = 0.0,
        shared_words: SharedWords | None = None,
    ) -> None:
        self.encoder = encoder
        self.device = device
        self.progress = progress
        self.defaults = Inference() if defaults is None else defaults
        self.model = model
        self.calibration = calibration
        self.temperature = temperature
        self.reranker = reranker
        self.detour = checked_detour(float(detour))
        self.shared_words = shared_words
        self._own_name_share = name_share_of(encoder)
        self._labelled: Labelled | None = None

    @property
    def examples(self) -> Corpus | None:
        """The labelled documents whose mentions vote, if there are any."""
        return None if self._labelled is None else self._labelled.corpus

    def with_examples(self, examples: Corpus | None) -> Linker:
        """The same linker, to which labelled documents say how their entities are written about.

        Their mentions of entities of the knowledge base vote for these beside the entities' own texts
        (:mod:`arborlink.voting`), wherever this linker links, tunes or is measured. They need not be those the model
        was trained on, and cost no training. A document that is linked may be among them: about its own mentions
        they vote as if it were not.
        """
        return self._with(_labelled=None if examples is None else Labelled(examples, self.encoder))

    def with_reranker(self, reranker: Reranker | None) -> Linker:
        """The same linker with this re-ranker, or without any."""
        return self._with(reranker=reranker)

    def with_detour(self, detour: float) -> Linker:
        """The same linker with another detour: what is taken off the affinity of two mentions.

        Raises:
            InputError: it is no finite number, or less than 0.
        """
        return self._with(detour=checked_detour(float(detour)))

    @property
    def name_share(self) -> float | None:
        """The share of names in an affinity, beside towers; ``None`` of a model that has not both."""
        return name_share_of(self.encoder)

    def with_name_share(self, share: float | None) -> Linker:
        """The same linker, where the comparison of names has another share beside the towers; ``None``: its own.

        Labelled documents can tell which is best for a knowledge base (``arborlink tune --name-shares``). A threshold
        and a calibration are for the share they were chosen with.

        Raises:
            InputError: the share is not above 0 and below 1, or the model has no names beside towers.
        """
        if share is None:
            return self
        return self._with(encoder=with_name_share(self.encoder, share)).with_examples(self.examples)

    def with_shared_words(self, share: float) -> Linker:
        """The same linker, where words around mentions have this share in who is nearest; 0: they have none.

        They are looked for in the descriptions of the nearest entities (:mod:`arborlink.shared_words`), before a
        re-ranker has its say.

        Raises:
            InputError: the share is no finite number, or less than 0.
        """
        return self._with(shared_words=SharedWords(share, progress=self.progress) if share else None)

    def _with(self, **changed: Any) -> Linker:
        other = copy.copy(self)
        vars(other).update(changed)
        return other

    def reranking(self, n: int | None) -> Linker:
        """The same linker, re-ranking the n nearest entities of each mention: 0 none, ``None`` its own number.

        Raises:
            InputError: there is nothing to re-rank with, or n is below 0.
        """
        if n is None:
            return self
        if n == 0:
            return self.with_reranker(None)
        if self.reranker is None:
            raise InputError(
                f"rerank is {n}, but the model has no re-ranker; `arborlink train-reranker` gives it one"
            )
        return self.with_reranker(self.reranker.of_n(n))

    @property
    def name(self) -> str:
        """Names what decides who is how near.

        That is the model, and if there are any: another share of names than its own, examples, shared words, a
        re-ranker.
        """
        name = self.model or self.encoder.fingerprint
        if self.name_share != self._own_name_share:
            name += f"+names-{self.name_share:g}"
        if self._labelled is not None:
            name += f"+{self._labelled.digest}"
        if self.shared_words is not None:
            name += f"+{self.shared_words.name}"
        return name if self.reranker is None else f"{name}+reranker-{self.reranker.fingerprint}"

    @property
    def calibrated_name(self) -> str:
        """What a calibration is of: the name, and the detour if there is one, which decides how links are made."""
        return f"{self.name}+detour-{self.detour:g}" if self.detour else self.name

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        *,
        entity_model: str | Path | None = None,
        view: Literal["names", "context"] | None = None,
        shortlist: int = DEFAULT_SHORTLIST,
        device: str = "auto",
        cache: str | Path | bool = True,
        progress: bool | None = None,
        calibration: str | Path | None = None,
        reranker: bool = True,
    ) -> Linker:
        """A linker with the default model, or with that of a folder or a Hugging Face name.

        A model that ArborLink saved brings its own defaults for :meth:`link`: what was best on its dev documents.

        Args:
            model: nothing for the default, ``"untrained"``, a folder or a name; see
                :func:`arborlink.encoders.load_encoder` for this and the next.
            entity_model: the entity tower, where ``model`` is only the mention tower.
            view: what an untrained model compares.
            shortlist: names to encode for each mention string, nearest by spelling; 0 encodes all.
            device: ``auto`` takes an accelerator if there is one.
            cache: keep embeddings on disk: in the user's cache folder (``True``), in this folder, or not at all.
            progress: show bars; ``None`` shows them on a terminal only.
            calibration: a file of ``arborlink calibrate``; ``None`` takes the one in the model's folder, if any.
            reranker: load the re-ranker in the model's folder, if there is one.
        """
        parts = load_parts(
            model,
            entity_model=entity_model,
            view=view,
            shortlist=shortlist,
            device=device,
            cache=cache,
            progress=progress,
            calibration=calibration,
            reranker=reranker,
        )
        return cls(*parts)

    def link(
        self,
        corpus: Corpus,
        kb: KnowledgeBase,
        *,
        inference: Mode | None = None,
        neighbours: int | None = None,
        threshold: float | Literal["model"] | None = "model",
        by_type: bool | None = None,
        candidates: int = 0,
        target_error: float | None = None,
        rerank: int | None = None,
    ) -> Result:
        """Link every mention, or discover what the knowledge base lacks.

        What is not given is as the model's folder says, else ``directed``, one neighbour, no threshold, not by type.

        Args:
            corpus: the documents; gold labels in them are not looked at.
            kb: the knowledge base.
            inference: ``directed``, ``undirected``, ``minimax`` or ``independent``.
            neighbours: mentions that each mention is joined to in the graph.
            threshold: the least affinity that joins two nodes. Mentions that no entity reaches over such edges
                become clusters of their own. ``None`` links every mention that may meet an entity; ``"model"`` is
                the model's own.
            by_type: a mention only meets entities that share a type with it or have none, and mentions of the
                very same types: what it is linked to through others is then of its type too.
            candidates: nearest entities to keep for each mention.
            target_error: the share of wrong answers to keep to; ``None`` is the calibration's own. Links have a
                probability and an answer if there is a calibration for this model and way of linking; where there
                is one that does not fit, the settings of the result say why.
            rerank: nearest entities of each mention to re-rank; 0 for none, ``None`` for as many as the model's
                re-ranker says, if it has one.

        Raises:
            InputError: an argument out of range, documents without mentions, types that nobody shares, a target
                error without a calibration that fits, re-ranking without a re-ranker.
            ModelError: the encoder breaks its promise: vectors that are missing, odd or of different lengths.
        """
        chosen = self.defaults.replaced(inference, neighbours, threshold, by_type)
        looking = self.reranking(None if rerank is None else operator.index(rerank))
        refused = refusal(self.calibration, chosen, looking.calibrated_name, target_error)
        candidates = operator.index(candidates)
        if candidates < 0:
            raise InputError(f"candidates is {candidates}; expected 0 or more")
        if not corpus.n_mentions:
            raise InputError("the documents have no mentions: mark the spans to be linked")
        seconds: dict[str, float] = {}
        labels = labels_of(corpus, kb, is_asked=by_type is not None) if chosen.by_type else None
        k = 0 if chosen.mode == "independent" else min(chosen.neighbours, corpus.n_mentions - 1)
        hood = looking.neighbourhood(corpus, kb, max(2, candidates), k, labels=labels, seconds=seconds)
        with timed(seconds, "partition"):
            # Affinities are turned into weights when the graph is built; the threshold turns with them.
            threshold = None if chosen.threshold is None else -chosen.threshold
            parts = partition(hood.graph(k), chosen.mode, threshold)
        with timed(seconds, "links"):
            links = list(links_of(corpus, kb, parts, hood.near))
            kept = candidates_of(corpus, kb, hood.near, candidates) if candidates else None
            said = {} if refused is None else {"calibration": {"applied": False, "reason": refused}}
            if self.calibration is not None and refused is None:
                links, counts = with_confidence(links, self.calibration, hood.near, parts, target_error)
                said["calibration"] = counts
        settings = {
            **how_it_links(looking, chosen, k, candidates),
            **about_examples(self._labelled, corpus),
            **counts_of(looking, corpus, kb, links),
            **said,
            "seconds": {step: round(spent, 3) for step, spent in seconds.items()},
        }
        return Result(links, settings, kept)

    def neighbourhood(
        self,
        corpus: Corpus,
        kb: KnowledgeBase,
        n_near: int,
        n_others: int,
        *,
        labels: Labels | None = None,
        seconds: dict[str, float] | None = None,
    ) -> Neighbourhood:
        """Encode mentions and entities, search, and give what was found a new order if anything asks for one.

        Args:
            corpus: the documents.
            kb: the knowledge base.
            n_near: entities to find for each mention.
            n_others: mentions to find for each mention.
            labels: which mentions may meet which entities, if not all may.
            seconds: is told how long each step took.

        Raises:
            ModelError: the encoder breaks its promise: vectors that are missing, odd or of different lengths.
        """
        spent = {} if seconds is None else seconds
        with timed(spent, "encode_mentions"):
            mentions = self.encoder.encode_mentions(corpus)
        with timed(spent, "encode_entities"):
            entities = self.encoder.encode_entities(kb, corpus, labels)
        check_embeddings(mentions, entities, corpus.n_mentions, len(kb))
        examples = None
        if self._labelled is not None:
            with timed(spent, "encode_examples"):
                examples = self._labelled.examples(corpus, kb, self.temperature)
        looks = [look.n for look in (self.shared_words, self.reranker) if look is not None]
        with timed(spent, "search"):
            hood = Neighbourhood.search(
                mentions,
                entities,
                max([n_near, *looks]),
                n_others,
                labels=labels,
                examples=examples,
                detour=self.detour,
                device=self.device,
                progress=self.progress,
            )
        near = hood.near
        if self.shared_words is not None:
            with timed(spent, "shared_words"):
                named = name_part_of(self.encoder, mentions, entities)
                near = self.shared_words.rerank(corpus, kb, near, named)
        if self.reranker is not None:
            with timed(spent, "rerank"):
                near = self.reranker.rerank(corpus, kb, near, self.temperature, self.examples)
        return replace(hood, near=near.first(n_near))
