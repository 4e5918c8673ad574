"""Linking by type: the types of mentions and entities as labels that say who may meet whom."""

from __future__ import annotations

from arborlink.corpus import Corpus
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.labels import Labels


def labels_of(corpus: Corpus, kb: KnowledgeBase, is_asked: bool) -> Labels:
    """The types as labels; where nobody asked for them but the model, the message says how to do without."""
    try:
        return type_labels(corpus, kb)
    except InputError as error:
        if is_asked:
            raise
        raise InputError(
            f"the model was trained by type, but {error.message}; --no-by-type (by_type=False) links without types"
        ) from error


def type_labels(corpus: Corpus, kb: KnowledgeBase) -> Labels:
    """The types of mentions and entities, as labels; ``A|B`` is A and B, as some vocabularies write it."""
    of_mentions = [_split(mention.types) for _, mention in corpus.mentions]
    of_entities = [_split(entity.types) for entity in kb]
    known, asked = frozenset().union(*of_entities), frozenset().union(*of_mentions)
    if not known & asked:
        raise InputError(
            f"no type of a mention ({_sample(asked)}) is a type of an entity ({_sample(known)}); "
            "linking by type needs the same names on both sides"
        )
    return Labels(of_mentions, of_entities)


def _split(types: tuple[str, ...]) -> frozenset[str]:
    return frozenset(part.strip() for each in types for part in each.split("|") if part.strip())


def _sample(types: frozenset[str]) -> str:
    shown = sorted(types)[:5]
    return ", ".join(shown) + (", …" if len(types) > len(shown) else "") if shown else "there is none"
