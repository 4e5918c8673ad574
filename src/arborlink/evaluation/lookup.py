"""From the ids a record names to the numbers of mentions and entities."""

from __future__ import annotations

from collections.abc import Mapping

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.formats.json_fields import identifier
from arborlink.knowledge_base import KnowledgeBase


def mention_number(fields: Mapping[str, object], corpus: Corpus) -> int:
    """Number of the mention a record is about."""
    if "mention" not in fields:
        raise InputError('the field "mention" is missing; expected the id of a mention')
    mention_id = identifier(fields["mention"], "mention")
    number = corpus.mention_index.get(mention_id)
    if number is None:
        raise InputError(
            f"mention {mention_id!r} is not in the gold documents; "
            "give the documents that were linked, in the same format"
        )
    return number


def entity_number(value: object, kb: KnowledgeBase, field: str) -> int:
    """Number of an entity a record names."""
    entity_id = identifier(value, field)
    number = kb.index.get(entity_id)
    if number is None:
        raise InputError(
            f"entity {entity_id!r} is not in the knowledge base; give the one the mentions were linked to"
        )
    return number
