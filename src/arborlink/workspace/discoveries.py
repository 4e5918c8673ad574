"""Discovered entities as a reviewer sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from arborlink.errors import InputError
from arborlink.proposals import Proposal, proposals
from arborlink.proposals.naming import name_of
from arborlink.result import Result
from arborlink.workspace.links import result_of
from arborlink.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Discovery:
    """A discovered entity.

    Args:
        id: stays the same as long as most of its mentions do.
        version: of the workspace, with which it last changed; a decision about it may carry this version.
        is_rejected: whether it is not proposed, since at least half of its mentions were rejected.
        name: the name it is proposed under.
        mentions: ids of its mentions, in corpus order.
    """

    id: str
    version: int
    is_rejected: bool
    name: str
    mentions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class DiscoveryProposal:
    """A proposal for a discovered entity, with the id and version to decide about it."""

    id: str
    version: int
    is_rejected: bool
    proposal: Proposal

    def to_dict(self) -> dict[str, Any]:
        """The record of ``proposals.jsonl``: that of a proposal, with id and version."""
        return {
            "id": self.id,
            "version": self.version,
            "is_rejected": self.is_rejected,
            **self.proposal.to_dict(),
        }


def discoveries_of(snapshot: Snapshot) -> Iterator[Discovery]:
    """All live discoveries, the largest first, of equals the older id."""
    order = sorted(snapshot.members.items(), key=lambda item: (-len(item[1]), item[0]))
    for id_, members in order:
        texts = (snapshot.corpus.mentions[number] for number in members)
        yield Discovery(
            id=id_,
            version=snapshot.discovery_versions[id_],
            is_rejected=snapshot.is_rejected(id_),
            name=name_of(document.text_of(mention) for document, mention in texts).name,
            mentions=tuple(snapshot.mention_ids[number] for number in members),
        )


def proposals_of(snapshot: Snapshot, result: Result, top: int, context: int) -> Iterator[DiscoveryProposal]:
    """Proposals for the discoveries in a result, the most valuable first; rejected ones among them.

    Args:
        snapshot: the version.
        result: its result, or that of some mentions.
        top: evidence mentions and nearest entities of each, at most.
        context: characters on each side of an evidence mention, at most.
    """
    if all(link.entity is not None for link in result.links):
        return
    for proposal in proposals(result, snapshot.corpus, snapshot.kb, top, context):
        number = snapshot.corpus.mention_index[proposal.mentions[0]]
        _, id_ = snapshot.place_of(number)
        version, is_rejected = snapshot.discovery_versions[id_], snapshot.is_rejected(id_)
        yield DiscoveryProposal(id_, version, is_rejected, proposal)


def proposal_of(snapshot: Snapshot, discovery: str, top: int, context: int) -> DiscoveryProposal:
    """The proposal for one discovery.

    Raises:
        InputError: there is none of this id.
    """
    if discovery not in snapshot.members:
        raise InputError(f"{discovery} is not a discovery of this workspace now; its history may tell more")
    (found,) = proposals_of(snapshot, result_of(snapshot, snapshot.members[discovery]), top, context)
    return found
