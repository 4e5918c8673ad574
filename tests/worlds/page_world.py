"""A small world for the review page: few known entities, many discoveries, an encoder by words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from workspace_world import HashEncoder, hash_linker

from arborlink.document import Document, Mention
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.workspace import Workspace

THRESHOLD = 0.6
ENTITIES = (
    Entity(
        "Q1", "Ada Lovelace", ("Countess of Lovelace",), "Mathematician of the first programme.", ("Person",)
    ),
    Entity("Q2", "London", description="City on the Thames.", types=("Place",)),
    Entity("Q3", "Charles Babbage", ("Babbage",), "Builder of engines.", ("Person",)),
)
# mentions stand in brackets; a word that two mentions share brings them together
SENTENCES = (
    "[Ada Lovelace] met [old Zork] in [London].\nThen [Zork] left for good, and nobody asked why he had gone.",
    "[Zork] and [Charles Babbage] drew the engine that [old Zork] had seen.",
    "The ship [Cinnamon] came in on Monday; [Zork] saw her.",
    "The [Blue Duchess] is what sailors call the same ship, the [Blue Duchess] of [London].",
    "[Cinnamon] again, and [Charley] on board. 😀 [Charley] waved to [Ada Lovelace].",
)
SINGLES = (
    *("Abbot", "Birch", "Cedar", "Dorn", "Elm", "Fennel", "Garnet", "Hazel", "Iris", "Juniper"),
    *("Kale", "Larch", "Maple", "Nettle", "Oak", "Pine", "Quince", "Rue", "Sage", "Thyme"),
)


class WordEncoder(HashEncoder):
    """A vector by the words of a text: texts that share a word are near, others are not."""

    @property
    def fingerprint(self) -> str:
        return "words"

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += texts
        vectors = np.stack([np.sum([_word_vector(word) for word in text.split()], axis=0) for text in texts])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / lengths, dtype=np.float32)


def word_linker() -> Linker:
    return hash_linker(WordEncoder())


def marked_document(id_: str, sentence: str, type_: str | None = None) -> Document:
    """The document of a text in which mentions stand in brackets."""
    text, mentions = "", list[Mention]()
    types = () if type_ is None else (type_,)
    for number, part in enumerate(sentence.replace("]", "[").split("[")):
        if number % 2:
            mentions.append(Mention(f"{id_}.{len(mentions)}", len(text), len(text) + len(part), types))
        text += part
    return Document(id_, text, tuple(mentions))


def small_documents() -> list[Document]:
    many = [f"A letter about [{name}] and no other, numbered {i}." for i, name in enumerate(SINGLES)]
    return [marked_document(f"d{i}", sentence) for i, sentence in enumerate((*SENTENCES, *many))]


def made_workspace(
    folder: Path,
    documents: Iterable[Document] | None = None,
    entities: Iterable[Entity] = ENTITIES,
) -> Workspace:
    workspace = Workspace.init(folder, KnowledgeBase(entities), linker=word_linker(), threshold=THRESHOLD)
    workspace.add(small_documents() if documents is None else documents)
    return workspace


def _word_vector(word: str) -> NDArray[np.float64]:
    seed = int.from_bytes(blake2b(word.strip(".,").encode(), digest_size=8).digest(), "big")
    drawn = np.random.default_rng(seed).standard_normal(256)
    return drawn / np.linalg.norm(drawn)
