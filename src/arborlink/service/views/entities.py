"""Entities of the knowledge base."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from arborlink.entity import Entity
from arborlink.service.entity_search import EntitySearch
from arborlink.service.look import Look
from arborlink.service.problems import not_found
from arborlink.service.shapes.documents import EntityAnswer, EntityItem, EntityList

_N_MENTIONS = 50
_LONGEST_ABOUT = 600


def entity_list(look: Look, search: EntitySearch, typed: str, limit: int) -> EntityList:
    """The entities that what was typed may mean, the best first."""
    found = search.find(typed)
    promoted = set(look.promoted())
    entities = look.snapshot.kb.entities
    items = [_item(look, entities[number], matched, promoted) for number, matched in found[:limit]]
    return EntityList(look.version, len(found), items)


def entity_answer(look: Look, id_: str) -> EntityAnswer:
    """An entity with some of its mentions."""
    place = look.place(id_)
    if place is None or place.kind != "entity":
        raise not_found(f"there is no entity {id_!r} in the knowledge base")
    number = look.snapshot.all_entities.index[id_]
    item = _item(look, look.snapshot.entities[number], place.name, set(look.promoted()), whole=True)
    numbers = np.flatnonzero(look.snapshot.parts.entity == number)
    mentions = [look.in_context(each) for each in numbers[:_N_MENTIONS].tolist()]
    return EntityAnswer(
        **{field.name: getattr(item, field.name) for field in fields(EntityItem)},
        version=look.version,
        mentions=mentions,
        documents=list(dict.fromkeys(mention.document for mention in mentions)),
    )


def _item(look: Look, entity: Entity, matched: str, promoted: set[str], whole: bool = False) -> EntityItem:
    number = look.snapshot.all_entities.index[entity.id]
    return EntityItem(
        id=entity.id,
        name=entity.name,
        aliases=entity.aliases,
        types=entity.types,
        description=entity.description if whole else entity.description[:_LONGEST_ABOUT],
        is_promoted=entity.id in promoted,
        n_mentions=look.n_linked[number],
        matched=matched,
    )
