"""How a workspace encodes and links, fixed when it is made and changed only by encoding it anew."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from arborlink.encoders.model_settings import Inference
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.linker import Linker

MOST_CANDIDATES = 1000


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which model to load, as :meth:`arborlink.linker.Linker.load` is told.

    Args:
        model: a folder or a Hugging Face name, or ``untrained``. ``None`` is the installation's default,
            whatever that is; :meth:`settled` says which, so that another installation changes nothing.
        entity_model: the entity tower, where ``model`` is only the mention tower.
        view: what an untrained model compares.
        shortlist: names to encode for each mention string, nearest by spelling; 0 encodes all.
    """

    model: str | None = None
    entity_model: str | None = None
    view: str | None = None
    shortlist: int = 32

    def load(self, device: str, cache: Any, progress: bool | None) -> Linker:
        """The linker; its libraries take seconds to import."""
        from arborlink.linker import Linker

        return Linker.load(
            self.model,
            entity_model=self.entity_model,
            view=cast(Literal["names", "context"] | None, self.view),
            shortlist=self.shortlist,
            device=device,
            cache=cache,
            progress=progress,
        )

    def settled(self) -> ModelChoice:
        """The same with the word for the untrained model in place of none, where that is the default."""
        from arborlink.encoders.default_model import UNTRAINED, resolve_model

        return self if self.model or resolve_model(None) is not None else replace(self, model=UNTRAINED)

    @property
    def name(self) -> str:
        """What to call it."""
        return self.model or "the default model"


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """Model and inference of a workspace.

    Args:
        choice: which model encodes.
        fingerprint: of the encoder the vectors were made with.
        model: what the linker calls the model.
        inference: mode, neighbours, threshold, by type.
        is_by_type_asked: whether linking by type was asked for, rather than the model's own way.
        candidates: nearest entities kept for each mention, at least 2.
        detour: the model's: what is taken off the affinity of two mentions.
    """

    fingerprint: str
    model: str
    choice: ModelChoice = field(default_factory=ModelChoice)
    inference: Inference = field(default_factory=Inference)
    is_by_type_asked: bool = False
    candidates: int = 8
    detour: float = 0.0

    def __post_init__(self) -> None:
        if not 2 <= self.candidates <= MOST_CANDIDATES:
            raise InputError(
                f"candidates is {self.candidates}; a workspace keeps between 2 and {MOST_CANDIDATES} for each mention"
            )

    @property
    def n_others(self) -> int:
        """Neighbours each mention is joined to."""
        return 0 if self.inference.mode == "independent" else self.inference.neighbours

    def with_linker(self, linker: Linker, choice: ModelChoice) -> WorkspaceSettings:
        """The same inference with another model."""
        fingerprint = linker.encoder.fingerprint
        named = linker.model or fingerprint
        return replace(self, choice=choice, fingerprint=fingerprint, model=named, detour=linker.detour)

    def with_inference(self, inference: Inference, is_by_type_asked: bool) -> WorkspaceSettings:
        """The same model with another way of linking."""
        return replace(self, inference=inference, is_by_type_asked=self.is_by_type_asked or is_by_type_asked)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> WorkspaceSettings:
        """The settings of a record."""
        choice, inference = ModelChoice(**record["choice"]), Inference(**record["inference"])
        return cls(**{**record, "choice": choice, "inference": inference})
