"""What a model that joins several says about itself: its parts, their shares, and how its vectors are linked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any

from arborlink.encoders.model_settings import SETTINGS_VERSION, Inference, ModelSettings, linking_of
from arborlink.encoders.settings_fields import content_of, field_of, folder_name, number_of, of_type, only
from arborlink.errors import InputError, ModelError

JOINED_VERSION = 3
# Shares are written by hand, with some digits.
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Part:
    """One of the models that are joined.

    Args:
        folder: beside the file; a model of its own, complete.
        share: of its towers in the affinity of all towers.
        fingerprint: the part's own.
    """

    folder: str
    share: float
    fingerprint: str


@dataclass(frozen=True, slots=True)
class JoinedSettings:
    """The content of ``arborlink.json`` where several models are joined.

    Args:
        parts: the models, two or more. Of each its towers count; what it says about names and linking does not.
        inference: how the joined vectors are linked; this and the next five as in
            :class:`~arborlink.encoders.model_settings.ModelSettings`.
        temperature: how sharply affinities tell right from wrong.
        name_share: share of the comparison of names in an affinity, beside all towers together.
        sameness: share, in that comparison, of whether two names are the same.
        description_names: in that comparison, mention strings that a description has are names too.
        detour: what is taken off the affinity of two mentions.
        fingerprint: names the parts and their shares.
    """

    parts: tuple[Part, ...]
    inference: Inference = field(default_factory=Inference)
    temperature: float = 0.05
    name_share: float = 0.0
    sameness: float = 0.0
    description_names: bool = False
    detour: float = 0.0
    fingerprint: str = ""

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of the parts."""
        return tuple(part.folder for part in self.parts)

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of the parts."""
        return tuple(part.share for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """The settings as they are written."""
        return {"version": JOINED_VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, content: object) -> JoinedSettings:
        """The settings as they were read, every one of them checked.

        Raises:
            ModelError: another version, a field that is missing, of the wrong type or out of range, or a fingerprint
                of other parts or shares; the message has no place yet.
        """
        fields = content_of(content, JOINED_VERSION)
        listed = field_of(fields, "parts", list)
        parts = tuple(_part(one, f"parts[{number}]") for number, one in enumerate(listed))
        if len({part.folder for part in parts}) < len(parts):
            raise ModelError("parts name a folder twice; expected a folder for each")
        try:
            shares = checked_shares([part.share for part in parts], len(parts))
        except InputError as error:
            raise ModelError(f"parts: {error}") from error
        fingerprint = field_of(fields, "fingerprint", str)
        if fingerprint != joined_fingerprint([part.fingerprint for part in parts], shares):
            raise ModelError("the fingerprint is not that of these parts and shares; join the models again")
        return cls(parts=parts, fingerprint=fingerprint, **linking_of(fields))


def settings_of(content: object) -> ModelSettings | JoinedSettings:
    """The settings of a model of either kind, as they were read.

    Raises:
        ModelError: they are not in order; the message has no place yet.
    """
    fields = content_of(content, SETTINGS_VERSION, JOINED_VERSION)
    is_joined = fields["version"] == JOINED_VERSION
    return JoinedSettings.from_json(fields) if is_joined else ModelSettings.from_json(fields)


def checked_shares(shares: Sequence[float] | None, n_parts: int) -> tuple[float, ...]:
    """The share of each part; equal ones if none are given.

    Raises:
        InputError: there are fewer than two parts, or the shares are too few or too many, are not all above 0, or do
            not add up to 1.
    """
    if n_parts < 2:
        named = "one model is" if n_parts else "no models are"
        raise InputError(f"{named} nothing to join; name two or more")
    if not shares:
        return (1 / n_parts,) * n_parts
    told = ", ".join(f"{share:g}" for share in shares)
    if len(shares) != n_parts:
        raise InputError(
            f"{n_parts} models, but the shares are {told}; give one for each, in the order of the models, or none "
            "for equal shares"
        )
    if not all(0 < share < math.inf for share in shares):
        raise InputError(
            f"shares are {told}; expected numbers above 0, since a model without a share is no part"
        )
    if abs(math.fsum(shares) - 1) > _TOLERANCE:
        raise InputError(f"shares are {told}, which add up to {math.fsum(shares):g}; expected 1")
    return tuple(map(float, shares))


def joined_fingerprint(parts: Sequence[str], shares: Sequence[float]) -> str:
    """A name for joined towers, by the fingerprints of the parts and their shares."""
    settings = f"joined 1 {' '.join(parts)} {' '.join(map(repr, map(float, shares)))}"
    return blake2b(settings.encode(), digest_size=12).hexdigest()


def _part(value: object, what: str) -> Part:
    fields: dict[str, Any] = of_type(value, dict, what)
    only(fields, ("folder", "share", "fingerprint"), what)
    return Part(
        folder=folder_name(fields["folder"], f"{what}.folder"),
        share=number_of(fields["share"], f"{what}.share"),
        fingerprint=of_type(fields["fingerprint"], str, f"{what}.fingerprint"),
    )
