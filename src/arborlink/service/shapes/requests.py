"""What clients send, checked field by field before anything is done."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints


def _whole(text: str) -> str:
    """The text, if no half of a surrogate pair is in it, which JSON can tell and UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("holds half a character (a lone surrogate)") from error
    return text


def _integer(value: object) -> object:
    """A number without a fraction as an integer, however it is written."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Limits stand first, so that the description of the service knows them.
Whole = Annotated[str, AfterValidator(_whole)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(_whole)]
Author = Annotated[str, StringConstraints(max_length=200), AfterValidator(_whole)]
Text = Annotated[str, StringConstraints(max_length=100_000), AfterValidator(_whole)]
# JSON knows no integers, only numbers, of which a browser tells those below 2**53 apart.
Number = Annotated[int, Field(ge=0, le=2**53), BeforeValidator(_integer)]
FewCandidates = Annotated[int, Field(ge=0, le=50), BeforeValidator(_integer)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class LoginBody(_Body):
    """The token, typed in or taken from the address."""

    token: Text


class NoBody(_Body):
    """Nothing to say; an object all the same, so that a form of another site cannot send it."""


class PromoteBody(_Body):
    """A discovery becomes an entity; what is not given is drawn from the evidence."""

    kind: Literal["promote"]
    discovery: Id
    name: Text | None = None
    aliases: Annotated[list[Text], Field(max_length=1000)] | None = None
    types: Annotated[list[Text], Field(max_length=1000)] | None = None
    description: Text | None = None


class RejectBody(_Body):
    """A discovery is nothing worth an entity."""

    kind: Literal["reject"]
    discovery: Id


class MergeBody(_Body):
    """Discoveries are one thing, or all of them the one entity that is among the ids."""

    kind: Literal["merge"]
    ids: Annotated[list[Id], Field(min_length=2, max_length=1000)]


class SplitBody(_Body):
    """Some mentions of a discovery are another thing than the rest."""

    kind: Literal["split"]
    discovery: Id
    mentions: Annotated[list[Id], Field(min_length=1, max_length=100_000)]


class TogetherBody(_Body):
    """Mentions are one thing."""

    kind: Literal["together"]
    mentions: Annotated[list[Id], Field(min_length=2, max_length=100_000)]


class ApartBody(_Body):
    """Two mentions are different things."""

    kind: Literal["apart"]
    one: Id
    other: Id


class RelinkBody(_Body):
    """A mention is this entity."""

    kind: Literal["relink"]
    mention: Id
    entity: Id


class UnlinkBody(_Body):
    """A mention is not this entity."""

    kind: Literal["unlink"]
    mention: Id
    entity: Id


DecisionBody = Annotated[
    PromoteBody | RejectBody | MergeBody | SplitBody | TogetherBody | ApartBody | RelinkBody | UnlinkBody,
    Field(discriminator="kind"),
]


class DecideBody(_Body):
    """A decision, and the version of what its author looked at: a second writer is told, nothing is lost."""

    decision: DecisionBody
    if_version: Number
    author: Author | None = None


class AuthorBody(_Body):
    """Who does it."""

    author: Author | None = None


class MarkBody(AuthorBody):
    """Who is unsure, and about which version."""

    if_version: Number


class LinkMention(_Body):
    """A marked span, in code points; its id is made of the document's where it has none."""

    id: Id | None = None
    start: Number
    end: Number
    type: Id | Annotated[list[Id], Field(max_length=100)] | None = None


class LinkDocument(_Body):
    """A text with its mentions; numbered where it has no id."""

    id: Id | None = None
    text: Whole
    mentions: list[LinkMention] = Field(default_factory=list)


class LinkBody(_Body):
    """Documents to link to the knowledge base of the workspace, which does not keep them."""

    documents: Annotated[list[LinkDocument], Field(min_length=1)]
    candidates: FewCandidates = 0
