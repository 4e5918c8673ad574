"""What is drawn anew for each epoch: names that are asked as mentions, windows that lose their context or their name.

Seed and epoch decide, so every process and every resumed run draws the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from arborlink.encoders.sequences import Sequences
from arborlink.encoders.views import Markers
from arborlink.knowledge_base import KnowledgeBase
from arborlink.training.config import TrainingConfig
from arborlink.training.examples import Examples
from arborlink.training.masking import Masking
from arborlink.training.material import Material
from arborlink.training.name_mentions import NameMentions

# Besides seed and epoch, what a random choice is for; mining has the numbers below.
_NAMES, _MASKS = 3, 4


class Drawing:
    """Draws what each epoch learns from; as many mentions in each.

    Args:
        material: the labelled mentions and the knowledge base.
        kb: the same knowledge base with all its names.
        config: ``name_mentions``, ``context_dropout`` and ``name_dropout`` of ``[objective]`` say what is drawn; with
            0 for all of them an epoch learns from the material as it is.
        tokenizers: of the mention tower and of the entity tower.
        markers: the special tokens.

    Raises:
        InputError: names are asked for and no entity has a second one, or the tokenizer cannot mask.
    """

    def __init__(
        self,
        material: Material,
        kb: KnowledgeBase,
        config: TrainingConfig,
        tokenizers: tuple[Any, Any],
        markers: Markers,
    ) -> None:
        self.material = material
        objective = config.objective
        self._seed = config.trainer.seed
        self._dropouts = objective.name_dropout, objective.context_dropout
        self._masking: Masking | None = None
        if any(self._dropouts):
            self._masking = Masking.of(tokenizers[0], markers, names=objective.name_dropout > 0)
        self._names: NameMentions | None = None
        if objective.name_mentions:
            by_name = config.encoder.entity_views == "names"
            self._names = NameMentions(objective.name_mentions, material, kb, by_name, tokenizers, markers)
        self._last: tuple[int, Material] | None = None

    @property
    def n_names(self) -> int:
        """Names that are asked as mentions in an epoch."""
        return 0 if self._names is None else len(self._names)

    @property
    def fingerprint(self) -> str:
        """Names all that decides what is learned, to tell whether a resumed run has the same."""
        own = self.material.fingerprint
        return own if self._names is None else f"{own}-{self._names.names.fingerprint}"

    def described(self) -> str:
        """What there is to learn from, in one line."""
        line = self.material.described()
        return line if self._names is None else f"{line}; {self._names.described()}"

    def draw(self, epoch: int) -> Material:
        """What an epoch learns from; epochs count from 0. The one drawn last is kept."""
        if self._last is None or self._last[0] != epoch:
            self._last = None  # there is no need for both
            self._last = epoch, self._drawn(epoch)
        return self._last[1]

    def _drawn(self, epoch: int) -> Material:
        drawn = self.material
        if self._masking is not None:
            drawn = replace(drawn, examples=self._masked(drawn.examples, self._masking, epoch))
        if self._names is not None:
            drawn = self._names.added_to(drawn, np.random.default_rng([self._seed, epoch, _NAMES]))
        return drawn

    def _masked(self, examples: Examples, masking: Masking, epoch: int) -> Examples:
        """The mentions, some of them without name or without context; only the texts that are read so."""
        chance = np.random.default_rng([self._seed, epoch, _MASKS]).random(len(examples))
        nameless = chance < self._dropouts[0]
        bare = ~nameless & (chance < sum(self._dropouts))
        variants = (
            (~(nameless | bare), Sequences.taken),
            (nameless, masking.without_name),
            (bare, masking.without_context),
        )
        texts: list[Sequences] = []
        rows = np.empty(len(examples), dtype=np.int32)
        n_texts = 0
        for chosen, read in variants:
            own, place = np.unique(examples.text_of_mention[chosen], return_inverse=True)
            texts.append(read(examples.texts, own.astype(np.int64)))
            rows[chosen] = n_texts + place
            n_texts += len(own)
        return replace(examples, texts=texts[0].joined(*texts[1:]), text_of_mention=rows)
