"""Every setting of a training, typed and checked: what ``train.toml`` may say.

The descriptions here are the only ones there are: the documented file of ``arborlink train --init-config``, the table
in ``docs/training.md`` and the error messages are made of them and of the ranges.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from arborlink.training.sections import Section, Sections, Text

Mode = Literal["independent", "undirected", "directed", "minimax"]
_MOST_TOKENS = 512
_MOST_NEGATIVES = 1024
_MOST_STEPS = 1_000_000_000


def _each_once(items: list[Any]) -> list[Any]:
    if len(set(items)) != len(items):
        raise ValueError("each item once")
    return items


def _ascending(numbers: list[int]) -> list[int]:
    if sorted(set(numbers)) != numbers:
        raise ValueError("ascending numbers, each once")
    return numbers


class EncoderConfig(Section):
    """``[encoder]``: what reads mentions and entities, and how two of them are compared."""

    base: Text = Field(
        default="",
        description="Model to start from: a folder or a Hugging Face name; empty for the embedded all-MiniLM-L6-v2.",
    )
    towers: Literal["two", "one"] = Field(
        default="two", description="Mentions and entities have an encoder each (two) or share one (one)."
    )
    pooling: Literal["mean", "cls", "span"] = Field(
        default="mean",
        description="How token vectors become one vector: all tokens (mean), the first (cls), or the tokens of the "
        "mention or the name alone (span).",
    )
    normalise: bool = Field(
        default=True,
        description="Bring vectors to length 1, so that affinities are cosines; false keeps raw inner products.",
    )
    temperature: float = Field(
        default=0.05,
        gt=0,
        le=1000,
        description="Affinities are divided by it before the softmax; 1.0 with normalise = false is the paper's.",
    )
    mention_tokens: int = Field(
        default=64, ge=16, le=_MOST_TOKENS, description="Length of a mention with its context, in tokens."
    )
    entity_tokens: int = Field(
        default=64, ge=16, le=_MOST_TOKENS, description="Length of an entity's text, in tokens."
    )
    entity_views: Literal["text", "names"] = Field(
        default="text",
        description="An entity is one text with all its names (text), or one text for each name (names).",
    )
    name_share: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="Share of the untrained comparison of names in an affinity beside the towers, in linking; the "
        "towers are trained without it.",
    )
    sameness: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="Share, in that comparison of names, of whether a name and the mention's string are the same.",
    )
    description_names: bool = Field(
        default=False,
        description="In that comparison of names, take what a mention says for a name of entities whose descriptions "
        "say it.",
    )
    lora_rank: int = Field(
        default=0,
        ge=0,
        le=1024,
        description="Rank of LoRA adapters; 0 trains all weights instead of adapters.",
    )
    lora_alpha: int = Field(
        default=16,
        ge=1,
        le=4096,
        description="Scale of the adapters: their output is multiplied by lora_alpha / lora_rank.",
    )
    freeze_embeddings: bool = Field(
        default=False, description="Leave the word and position embeddings of the base model as they are."
    )
    dropout: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="Dropout in training; left out: the base model's own.",
        examples=[0.1],
    )

    @model_validator(mode="after")
    def _check_frozen_once(self) -> EncoderConfig:
        if self.lora_rank and self.freeze_embeddings:
            raise ValueError(
                f"encoder.lora_rank is {self.lora_rank} and encoder.freeze_embeddings is true, but LoRA freezes the "
                "embeddings anyway; set one of them to 0 or false"
            )
        return self

    @model_validator(mode="after")
    def _check_names_count(self) -> EncoderConfig:
        if self.sameness and not self.name_share:
            raise ValueError(
                f"encoder.sameness is {self.sameness:g}, a share of the comparison of names, but encoder.name_share "
                "is 0; raise it or set sameness to 0"
            )
        if self.description_names and not self.name_share:
            raise ValueError(
                "encoder.description_names is true, but encoder.name_share is 0, so that names are not compared; "
                "raise it or set description_names to false"
            )
        return self


class ObjectiveConfig(Section):
    """``[objective]``: what is to come out nearer to what."""

    name: Literal["in-batch", "knn", "arborescence", "joint"] = Field(
        default="joint",
        description="Positives and negatives: the gold entity against those of the batch (in-batch) or against the "
        "nearest wrong entities (knn); the parent in the gold cluster's arborescence against the nearest wrong "
        "entities and mentions (arborescence); that and the gold entity as well (joint).",
    )
    loss: Literal["cross-entropy", "paper"] = Field(
        default="cross-entropy",
        description="-log p(positive) (cross-entropy), or that less the sum of log(1 - p(negative)) (paper).",
    )
    entity_weight: float = Field(
        default=1.0,
        ge=0,
        le=1000,
        description="joint only: weight of the gold entity's term beside the arborescence's.",
    )
    positives: Literal["arborescence", "nearest", "random"] = Field(
        default="arborescence",
        description="arborescence and joint only: the positive is the parent in the arborescence, the nearest of the "
        "gold cluster, or one of it at random.",
    )
    entity_negatives: int = Field(
        default=8, ge=0, le=_MOST_NEGATIVES, description="Nearest wrong entities mined for each mention."
    )
    mention_negatives: int = Field(
        default=8,
        ge=0,
        le=_MOST_NEGATIVES,
        description="Nearest wrong mentions mined for each mention; with knn, as many more wrong entities.",
    )
    shared_negatives: bool = Field(
        default=True,
        description="What was encoded for one mention of a step is a negative for the others as well.",
    )
    by_type: bool = Field(
        default=False,
        description="A mention only meets entities and mentions of its type: in mining, on dev, in linking.",
    )
    mine_every: int = Field(
        default=0,
        ge=0,
        le=_MOST_STEPS,
        description="Steps between two minings; 0 mines at the start of each epoch.",
    )
    name_mentions: float = Field(
        default=0.0,
        ge=0,
        le=100,
        description="Aliases of entities that are asked as mentions without context in an epoch, drawn anew each "
        "time, as a share of the training mentions; 0 for none.",
    )
    context_dropout: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Probability that a mention is read without its context in an epoch.",
    )
    name_dropout: float = Field(
        default=0.0, ge=0, le=1, description="Probability that a mention's own words are masked in an epoch."
    )

    @model_validator(mode="after")
    def _check_negatives(self) -> ObjectiveConfig:
        if self.name != "in-batch" and not self.entity_negatives and not self.mention_negatives:
            raise ValueError(
                "objective.entity_negatives and objective.mention_negatives are both 0, but the objective "
                f'"{self.name}" needs negatives; raise one of them or choose "in-batch"'
            )
        if self.name == "joint" and not self.entity_negatives and not self.shared_negatives:
            raise ValueError(
                'objective.entity_negatives is 0 and objective.shared_negatives is false, but the objective "joint" '
                "compares the gold entity with other entities; raise the one or share negatives"
            )
        if (total := self.context_dropout + self.name_dropout) > 1:
            raise ValueError(
                f"objective.context_dropout and objective.name_dropout add up to {total:g}; expected 1 at most"
            )
        return self


class TrainerConfig(Section):
    """``[trainer]``: how long, how fast, how precisely."""

    epochs: int = Field(default=3, ge=1, le=10_000, description="Passes over the training mentions.")
    batch_size: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="Mentions in a step, over all processes together; 0: 256, or fewer where there are few mentions.",
    )
    block_size: int = Field(
        default=32,
        ge=1,
        le=1_000_000,
        description="Mentions with like candidates that are asked in one step; 1 takes mentions from everywhere.",
    )
    accumulate: int = Field(
        default=1, ge=1, le=10_000, description="Steps whose gradients are added up before the weights move."
    )
    chunk_tokens: int = Field(
        default=0,
        ge=0,
        le=1_000_000_000,
        description="Encode at most so many tokens at a time and recompute activations in the backward pass: less "
        "memory, a third more time; 0 does so only with what might not fit into memory.",
    )
    learning_rate: float = Field(default=1e-4, gt=0, le=1, description="Highest learning rate.")
    schedule: Literal["linear", "cosine", "constant"] = Field(
        default="linear", description="How the learning rate falls after the warm-up."
    )
    warmup: float = Field(
        default=0.1, ge=0, le=1, description="Share of the steps in which the learning rate rises."
    )
    weight_decay: float = Field(default=0.01, ge=0, le=1, description="AdamW's weight decay.")
    max_grad_norm: float = Field(
        default=1.0, ge=0, le=1_000_000, description="Longer gradients are cut to this length; 0 cuts none."
    )
    precision: Literal["auto", "bf16", "fp32"] = Field(
        default="auto",
        description="Precision of the forward pass; auto is bf16 where the hardware multiplies it, else fp32.",
    )
    seed: int = Field(default=0, ge=0, le=2**32 - 1, description="Seed of order, dropout and random choices.")
    checkpoint_steps: int = Field(
        default=0,
        ge=0,
        le=_MOST_STEPS,
        description="Steps between two checkpoints besides those after each epoch; 0 for those alone.",
    )
    patience: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Epochs without a better score on dev before training stops; 0 never stops early.",
    )
    report_to: Annotated[list[Text], AfterValidator(_each_once)] = Field(
        default=[],
        description='Where figures go besides the terminal, by the names transformers has: "tensorboard".',
    )


class DevConfig(Section):
    """``[dev]``: the ways of linking tried on dev after each epoch; the best one is stored with the model."""

    modes: Annotated[list[Mode], AfterValidator(_each_once)] = Field(
        default=["directed", "minimax", "undirected", "independent"],
        min_length=1,
        description="Inferences to try, the preferred first: of those that do about as well it is taken.",
    )
    neighbours: Annotated[list[Annotated[int, Field(ge=1, le=1024)]], AfterValidator(_ascending)] = Field(
        default=[1, 2, 4, 8], min_length=1, description="Numbers of neighbouring mentions to try, ascending."
    )
    detour: float = Field(
        default=0.0,
        ge=0,
        le=1000,
        description="What is taken off the affinity of two mentions in the graph, here and in linking.",
    )
    every: int = Field(
        default=1,
        ge=0,
        le=10_000,
        description="Epochs between two judgements; the last epoch is always judged, with 0 it alone.",
    )
    recall_at: int = Field(
        default=64,
        ge=1,
        le=10_000,
        description="Recall is measured over so many nearest entities of each mention.",
    )


class TrainingConfig(Sections):
    """All settings of a training, in sections; immutable.

    Built from Python it raises pydantic's ``ValidationError``;
    :func:`~arborlink.training.config_file.make_config` takes a plain mapping and raises
    :class:`~arborlink.errors.InputError` instead.

    Example:
        >>> config = TrainingConfig(trainer=TrainerConfig(epochs=5))
        >>> config.trainer.epochs, config.objective.name
        (5, 'joint')
    """

    command: ClassVar[str] = "train"
    encoder: EncoderConfig = EncoderConfig()
    objective: ObjectiveConfig = ObjectiveConfig()
    trainer: TrainerConfig = TrainerConfig()
    dev: DevConfig = DevConfig()
