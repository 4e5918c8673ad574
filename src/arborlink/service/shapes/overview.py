"""Answers about the service and the workspace as wholes, and the one shape of a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

PlaceKind = Literal["entity", "discovery"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where mentions are: an entity of the knowledge base, or a discovered one."""

    kind: PlaceKind
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ErrorInside:
    """What went wrong: a code for programs, a sentence for people."""

    code: str
    message: str
    details: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """Every answer of 400 and above."""

    error: ErrorInside


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """Whether the service asks for a token, and whether this client has given it."""

    needs_token: bool
    is_signed_in: bool


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The model that encodes, and whether it is there yet."""

    name: str
    fingerprint: str
    state: Literal["loading", "ready", "failed"]
    message: str | None


@dataclass(frozen=True, slots=True)
class InferenceAnswer:
    """How mentions are linked."""

    mode: str
    neighbours: int
    threshold: float | None
    by_type: bool


@dataclass(frozen=True, slots=True)
class LimitsAnswer:
    """What one request may ask for."""

    max_bytes: int
    max_documents: int
    max_mentions: int
    max_characters: int
    max_seconds: float


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """What the workspace holds and how the service is."""

    version: int
    title: str
    n_documents: int
    n_mentions: int
    n_entities: int
    n_linked: int
    n_discoveries: int
    n_rejected: int
    n_decisions: int
    model: ModelAnswer
    inference: InferenceAnswer
    limits: LimitsAnswer


@dataclass(frozen=True, slots=True)
class ProgressAnswer:
    """How far the review is; reviewed is what was promoted, rejected, linked to an entity or merged into another."""

    version: int
    n_total: int
    n_reviewed: int
    n_left: int
    n_open: int
    n_unsure: int
    n_promoted: int
    n_rejected: int
    n_linked: int
    n_merged: int


@dataclass(frozen=True, slots=True)
class LogLine:
    """What made a version."""

    version: int
    time: str
    command: str
    told: str


@dataclass(frozen=True, slots=True)
class ChangesSince:
    """What was committed after a version, by whichever process."""

    version: int
    log: list[LogLine]
    discoveries: list[str]
