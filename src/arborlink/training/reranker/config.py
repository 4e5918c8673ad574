"""Every setting of a re-ranker's training; see :mod:`arborlink.training.config` for the rules."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from arborlink.reranking.settings import DEFAULT_PASSAGE_TOKENS, FEWEST_OPENING_TOKENS
from arborlink.training.config import TrainerConfig, TrainingConfig
from arborlink.training.sections import Section, Sections, Text

_MOST_TOKENS = 512
_MOST_CANDIDATES = 1024


def _ascending(numbers: list[float]) -> list[float]:
    if sorted(set(numbers)) != numbers:
        raise ValueError("ascending numbers, each once")
    return numbers


def _room_for_a_word(n_tokens: int) -> int:
    if 0 < n_tokens < FEWEST_OPENING_TOKENS:
        raise ValueError(f"0, or a whole number from {FEWEST_OPENING_TOKENS} to {_MOST_TOKENS}")
    return n_tokens


Weight = Annotated[float, Field(ge=0, le=1000)]


class RerankerSection(Section):
    """``[reranker]``: what reads pairs, which pairs it learns from, which it orders."""

    base: Text = Field(
        default="",
        description="Model to start from: a folder, a Hugging Face name, or a model of `arborlink train`, whose "
        "mention tower is taken; empty for the embedded all-MiniLM-L6-v2.",
    )
    mention_tokens: int = Field(
        default=64, ge=16, le=_MOST_TOKENS, description="Length of a mention with its context, in tokens."
    )
    entity_tokens: int = Field(
        default=64, ge=16, le=_MOST_TOKENS, description="Length of an entity's text, in tokens."
    )
    opening_tokens: Annotated[int, AfterValidator(_room_for_a_word)] = Field(
        default=0,
        ge=0,
        le=_MOST_TOKENS,
        description="Length of the opening of the mention's document, which is read as well, 4 or more; 0 for none.",
    )
    passages: int = Field(
        default=0,
        ge=0,
        le=16,
        description="Passages about an entity that are read for each mention: those of its description, and the "
        "labelled mentions of it, that share most with the mention.",
    )
    passage_tokens: int = Field(
        default=DEFAULT_PASSAGE_TOKENS,
        ge=16,
        le=_MOST_TOKENS,
        description="Length of a passage, in tokens.",
    )
    candidates: int = Field(
        default=16,
        ge=2,
        le=_MOST_CANDIDATES,
        description="Entities that each training mention is compared with: its own and the nearest wrong ones.",
    )
    mentions: int = Field(
        default=0,
        ge=0,
        le=1_000_000_000,
        description="Training mentions to learn from, drawn by seed; 0: all of them.",
    )
    n: int = Field(
        default=16,
        ge=1,
        le=_MOST_CANDIDATES,
        description="Nearest entities of each mention that get a new order in linking, and on dev.",
    )
    weights: Annotated[list[Weight], AfterValidator(_ascending)] = Field(
        default=[0.0, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0],
        min_length=1,
        description="How much the towers may have to say beside the re-ranker; dev chooses one.",
    )
    weight: Weight = Field(
        default=0.5, description="How much they have to say where there are no dev documents."
    )


class RerankerTrainerSection(Section):
    """``[trainer]``: how long, how fast, how precisely."""

    epochs: int = Field(default=2, ge=1, le=10_000, description="Passes over the training mentions.")
    batch_size: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="Mentions in a step, each with all its candidates; 0: 128, or fewer where there are few.",
    )
    accumulate: int = Field(
        default=1, ge=1, le=10_000, description="Steps whose gradients are added up before the weights move."
    )
    chunk_tokens: int = Field(
        default=0,
        ge=0,
        le=1_000_000_000,
        description="Read at most so many tokens at a time and recompute activations in the backward pass; 0 does so "
        "only where a step might not fit into memory.",
    )
    learning_rate: float = Field(default=5e-5, gt=0, le=1, description="Highest learning rate.")
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
    seed: int = Field(default=0, ge=0, le=2**32 - 1, description="Seed of order, dropout and new weights.")


class RerankerConfig(Sections):
    """All settings of a re-ranker's training, in sections; immutable.

    Example:
        >>> RerankerConfig(trainer=RerankerTrainerSection(epochs=5)).reranker.candidates
        16
    """

    command: ClassVar[str] = "train-reranker"
    reranker: RerankerSection = RerankerSection()
    trainer: RerankerTrainerSection = RerankerTrainerSection()

    @property
    def as_training(self) -> TrainingConfig:
        """What the two trainings share, in the words of the other."""
        shared = self.trainer.model_dump()
        return TrainingConfig(trainer=TrainerConfig(**shared))
