"""A discovery as an entity of the knowledge base, drawn from what its mentions say."""

from __future__ import annotations

from arborlink.entity import Entity
from arborlink.proposals import Proposal
from arborlink.workspace.decisions import Promote

# Mentions whose surroundings make the description, and the share of mentions that must have a type.
_N_EVIDENCE = 2
_TYPE_SHARE = 0.5


def promoted_entity(decision: Promote, proposal: Proposal) -> Entity:
    """The entity of a promotion; what the decision leaves open is taken from the proposal.

    Name and aliases are what the mentions say. Types are those that at least half of the mentions have: types guessed
    from near entities are not taken, since with them a wrong guess could keep mentions away. The description is what
    stands around the most central mentions.
    """
    types = [each.type for each in proposal.types if each.share >= _TYPE_SHARE]
    name = proposal.name if decision.name is None else decision.name
    said = [proposal.name, *(alias.text for alias in proposal.aliases)]
    return Entity(
        id=decision.discovery,
        name=name,
        aliases=_others(name, said) if decision.aliases is None else decision.aliases,
        description=_surroundings(proposal) if decision.description is None else decision.description,
        types=decision.types
        if decision.types is not None
        else tuple(types)
        if proposal.types_from == "mentions"
        else (),
    )


def _others(name: str, said: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in said if each.casefold() != name.casefold()))


def _surroundings(proposal: Proposal) -> str:
    shown = (f"{each.before}{each.text}{each.after}" for each in proposal.evidence[:_N_EVIDENCE])
    return " … ".join(dict.fromkeys(" ".join(text.split()) for text in shown))
