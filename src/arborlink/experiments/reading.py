"""Texts as an encoder reads them: tokenised once for all runs whose encoder reads alike."""

from __future__ import annotations

from arborlink.corpus import Corpus
from arborlink.encoders.views import Markers
from arborlink.experiments.training_data import TrainingData
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels, same_labels
from arborlink.training.adapting import make_towers
from arborlink.training.config import DevConfig, EncoderConfig
from arborlink.training.examples import EntitySide, Examples, MentionSide
from arborlink.training.judge import Judge
from arborlink.training.material import Dev, Material


class Reading:
    """How an encoder turns documents and knowledge bases into token ids, and what it has read.

    Args:
        encoder: base, lengths and views.
        progress: show bars; ``None`` shows them on a terminal only.
    """

    def __init__(self, encoder: EncoderConfig, progress: bool | None = None) -> None:
        self.markers = Markers()
        self.progress = progress
        self.views = encoder.entity_views
        plain = encoder.model_copy(update={"towers": "one", "lora_rank": 0, "freeze_embeddings": False})
        tower = make_towers(plain, self.markers, "cpu")[0]
        self.tokenizer = tower.tokenizer
        longest = int(tower.max_seq_length or max(encoder.mention_tokens, encoder.entity_tokens))
        self.mention_tokens = min(encoder.mention_tokens, longest)
        self.entity_tokens = min(encoder.entity_tokens, longest)
        self._mentions: dict[Corpus, MentionSide] = {}
        self._entities: dict[KnowledgeBase, EntitySide] = {}

    @staticmethod
    def key(encoder: EncoderConfig) -> tuple[object, ...]:
        """Encoders with equal keys read alike."""
        return encoder.base, encoder.mention_tokens, encoder.entity_tokens, encoder.entity_views

    def mentions(self, corpus: Corpus) -> MentionSide:
        """The mentions of documents as token ids."""
        if corpus not in self._mentions:
            self._mentions[corpus] = MentionSide.of(
                corpus, self.tokenizer, self.mention_tokens, self.markers, progress=self.progress
            )
        return self._mentions[corpus]

    def entities(self, kb: KnowledgeBase) -> EntitySide:
        """The entities of a knowledge base as token ids."""
        if kb not in self._entities:
            self._entities[kb] = EntitySide.of(
                kb, self.tokenizer, self.entity_tokens, self.views, self.markers, self.progress
            )
        return self._entities[kb]

    def material(self, data: TrainingData, dev: DevConfig, device: str) -> Material:
        """What a training works on, as ``Material.of`` makes it, but with labels that are given."""
        entities = self.entities(data.kb)
        examples = Examples.of(data.train, data.kb, self.mentions(data.train))
        types = None
        if data.train_labels is not None:
            types = _restrictions(data.train_labels, examples, entities)
        judge = LabelledJudge(data.dev, data.kb, dev, data.dev_labels, device)
        judged = Dev(judge, self.mentions(data.dev))
        scopes = None
        if data.scopes is not None:
            of_mentions, of_entities = data.scopes
            scopes = of_mentions[examples.mentions], of_entities[entities.entity_of_view]
        return Material(examples, entities, judged, types, self.mention_tokens, self.entity_tokens, scopes)


class LabelledJudge(Judge):
    """A judge that is told who may meet whom, where types alone do not tell.

    Args:
        corpus: the documents.
        kb: the knowledge base.
        settings: what is tried.
        labels: which mentions may meet which entities; ``None``: all.
        device: where the search runs.
    """

    def __init__(
        self, corpus: Corpus, kb: KnowledgeBase, settings: DevConfig, labels: Labels | None, device: str
    ) -> None:
        super().__init__(corpus, kb, settings, device=device)
        self.labels = labels


def _restrictions(labels: Labels, examples: Examples, entities: EntitySide) -> tuple[Labels, Labels]:
    """Which entity views, and which mentions, each example may meet."""
    asking = [labels.of_queries[number] for number in examples.mentions.tolist()]
    of_views = [labels.of_targets[entity] for entity in entities.entity_of_view.tolist()]
    groups = same_labels(asking)
    return Labels(asking, of_views), Labels(groups, groups)
