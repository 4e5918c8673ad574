"""Proposals: discovered clusters as entries a curator can act on, with a name, evidence and the nearest entities."""

from arborlink.proposals.file import write_proposals
from arborlink.proposals.proposal import Alias, Coherence, Evidence, NearEntity, Proposal, TypeShare
from arborlink.proposals.proposing import proposals

__all__ = [
    "Alias",
    "Coherence",
    "Evidence",
    "NearEntity",
    "Proposal",
    "TypeShare",
    "proposals",
    "write_proposals",
]
