"""What a saved re-ranker says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arborlink.encoders.views import Markers
from arborlink.errors import ModelError

VERSION = 2
DEFAULT_N = 16
DEFAULT_PASSAGE_TOKENS = 32
# As for the towers: a mention, its markers, the tokenizer's own tokens and a little context.
FEWEST_TOKENS = 16
# The tokenizer's own tokens and a word.
FEWEST_OPENING_TOKENS = 4
MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """The content of ``reranker.json``, but for the version and the checksum of the weights.

    Args:
        n: nearest entities of each mention that get a new order.
        weight: how much the towers have to say beside the re-ranker; see :func:`arborlink.reranking.rerank`.
        mention_tokens: tokens of a mention with its context, special tokens included.
        entity_tokens: tokens of an entity, special tokens included.
        markers: the special tokens of the texts.
        opening_tokens: tokens of the opening of a mention's document, special tokens included; 0 reads none.
        passages: passages about an entity that are read for each mention; see :mod:`arborlink.reranking.passages`.
        passage_tokens: tokens of each of them, special tokens included.
    """

    n: int = DEFAULT_N
    weight: float = 1.0
    mention_tokens: int = 64
    entity_tokens: int = 64
    markers: Markers = field(default_factory=Markers)
    opening_tokens: int = 0
    passages: int = 0
    passage_tokens: int = DEFAULT_PASSAGE_TOKENS

    @property
    def longest(self) -> int:
        """Tokens of the longest pair."""
        read = self.mention_tokens + self.opening_tokens + self.entity_tokens
        return read + self.passages * self.passage_tokens

    def to_json(self, sha256: str) -> dict[str, Any]:
        """The settings as they are written, with the checksum of the weights."""
        return {"version": VERSION, **asdict(self), "sha256": sha256}

    @classmethod
    def from_json(cls, content: object) -> tuple[RerankerSettings, str]:
        """The settings as they were read, every one of them checked, and the checksum of the weights.

        Raises:
            ModelError: another version, a field that is missing, of the wrong type or out of range.
        """
        if not isinstance(content, dict):
            raise ModelError("not a re-ranker ArborLink saved: the file does not hold an object")
        if content.get("version") != VERSION:
            raise ModelError(
                f"version {content.get('version')!r}, but this ArborLink reads version {VERSION}; train the "
                "re-ranker again with `arborlink train-reranker`, or link without it: --rerank 0"
            )
        settings = cls(
            n=_whole(content, "n", 1),
            weight=_weight(content),
            mention_tokens=_whole(content, "mention_tokens", FEWEST_TOKENS),
            entity_tokens=_whole(content, "entity_tokens", FEWEST_TOKENS),
            markers=_markers(content.get("markers")),
            opening_tokens=_opening(content),
            passages=_whole(content, "passages", 0),
            passage_tokens=_whole(content, "passage_tokens", FEWEST_TOKENS),
        )
        digest = content.get("sha256")
        if not isinstance(digest, str) or len(digest) != 64:
            raise ModelError(f"sha256 is {digest!r}; expected the 64 digits of a SHA-256")
        return settings, digest


def _whole(content: Mapping[str, Any], name: str, least: int) -> int:
    value = content.get(name)
    if type(value) is not int or not least <= value <= MOST:
        raise ModelError(f"{name} is {value!r}; expected a whole number of {least} or more")
    return value


def _opening(content: Mapping[str, Any]) -> int:
    value = _whole(content, "opening_tokens", 0)
    if 0 < value < FEWEST_OPENING_TOKENS:
        raise ModelError(f"opening_tokens is {value}; expected 0, or {FEWEST_OPENING_TOKENS} or more")
    return value


def _weight(content: Mapping[str, Any]) -> float:
    value = content.get("weight")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        raise ModelError(f"weight is {value!r}; expected a number of 0 or more")
    return float(value)


def _markers(value: object) -> Markers:
    names = ("start", "end", "title")
    if (
        not isinstance(value, dict)
        or set(value) != set(names)
        or not all(isinstance(marker, str) and marker.strip() for marker in value.values())
        or len(set(value.values())) < len(names)
    ):
        raise ModelError(f"markers are {value!r}; expected three different tokens: {', '.join(names)}")
    return Markers(**value)
