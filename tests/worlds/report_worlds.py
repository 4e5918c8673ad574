"""Small results made by hand, and a large one."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.result import Candidate, Link, Result


class Row(NamedTuple):
    """One mention: where it stands, what it is, where it went."""

    document: str
    says: str
    gold: tuple[str, ...] | None
    entity: str | None
    cluster: int
    affinity: float | None
    parent: str | None
    near: str | None = None


class World(NamedTuple):
    """A result, and what it was made from."""

    result: Result
    corpus: Corpus
    kb: KnowledgeBase


TEXTS = {
    "d1": "Ada Lovelace was in London with Zork.",
    "d2": "Ada knew 😀 old Zork 😀, and Ada wrote.",
    "d3": "In London, nothing is said of anybody.",
}
ENTITIES = (
    Entity("Q1", "Ada Lovelace", aliases=("Countess",), description="Wrote the first program."),
    Entity("Q2", "London", types=("Place",)),
    Entity("Q3", "Ada", types=("Place",)),
)
ROWS = (
    Row("d1", "Ada Lovelace", ("Q1",), "Q1", 0, 0.95, "Q1", "Q3"),
    Row("d1", "London", ("Q2",), "Q2", 1, 1.0, "Q2"),
    Row("d1", "Zork", ("N1",), None, 2, None, None, "Q2"),
    Row("d2", "Ada", ("Q1",), "Q1", 0, 0.8, "d1.0", "Q3"),
    Row("d2", "old Zork", ("N1",), None, 2, 0.7, "d1.2", "Q2"),
    Row("d2", "Ada", ("Q1",), "Q1", 0, 0.6, "d2.0", "Q3"),
    Row("d3", "London", ("Q3",), "Q2", 1, 0.9, "d1.1", "Q1"),
)


def small_world() -> World:
    """Two entities of three are linked to, one is discovered, the last link is wrong, d2 has signs beyond UCS-2."""
    return world_of(TEXTS, ROWS, ENTITIES)


def world_of(texts: dict[str, str], rows: Sequence[Row], entities: Sequence[Entity]) -> World:
    """Mentions stand in the order of the rows, each after the one before it."""
    kb = KnowledgeBase(entities)
    links: list[Link] = []
    documents = []
    for name, text in texts.items():
        mentions: list[Mention] = []
        for row in (row for row in rows if row.document == name):
            start = text.index(row.says, mentions[-1].end if mentions else 0)
            mentions.append(
                Mention(f"{name}.{len(mentions)}", start, start + len(row.says), entities=row.gold)
            )
            links.append(_link(row, mentions[-1], kb))
        documents.append(Document(name, text, tuple(mentions)))
    return World(result_of(links, n_entities=len(kb)), Corpus(documents), kb)


def _link(row: Row, mention: Mention, kb: KnowledgeBase) -> Link:
    return Link(
        document=row.document,
        mention=mention.id,
        start=mention.start,
        end=mention.end,
        text=row.says,
        entity=row.entity,
        name=None if row.entity is None else kb[row.entity].name,
        cluster=row.cluster,
        affinity=row.affinity,
        parent=row.parent,
        parent_kind=None if row.parent is None else "entity" if row.parent in kb else "mention",
        runner_up=None if row.near is None else Candidate(row.near, kb[row.near].name, 0.4),
    )


def result_of(links: Sequence[Link], **settings: Any) -> Result:
    """A result with some of the settings that ``Linker.link`` gives."""
    given = {"model": "a/model", "inference": "directed", "neighbours": 1, "threshold": 0.5}
    return Result(links, given | settings)


def large_world(n_documents: int = 1000, n_each: int = 40, seed: int = 0) -> World:
    """As many mentions as the test split of MedMentions, with clusters from one mention to thousands."""
    draw = Random(seed)
    syllables = [f"{a}{b}{c}" for a in "bcdfglmnprst" for b in "aeiou" for c in "lmnrst"]
    words = ["".join(draw.choices(syllables, k=draw.randint(1, 3))) for _ in range(20_000)]
    entities = [
        Entity(
            f"E{number}", " ".join(draw.choices(words, k=2)), description=" ".join(draw.choices(words, k=12))
        )
        for number in range(5_000)
    ]
    members: dict[int, list[str]] = {}
    rows: list[Row] = []
    texts: dict[str, str] = {}
    for document in range(n_documents):
        parts: list[str] = []
        for place in range(n_each):
            cluster = min(int(draw.paretovariate(0.5)), 9_999)
            entity = None if cluster % 4 == 0 else entities[cluster % len(entities)]
            says = " ".join(draw.choices(words, k=2)) if entity is None else entity.name
            parts += [*draw.choices(words, k=4), says]
            root = entity.id if entity is not None else None
            known = members.setdefault(cluster, [])
            parent = draw.choice(known) if known and (root is None or draw.random() < 0.5) else root
            affinity = None if parent is None else round(draw.uniform(0.5, 1), 4)
            near = entities[draw.randrange(len(entities))].id
            rows.append(Row(f"doc{document}", says, None, root, cluster, affinity, parent, near))
            known.append(f"doc{document}.{place}")
        texts[f"doc{document}"] = " ".join(parts)
    return world_of(texts, rows, entities)
