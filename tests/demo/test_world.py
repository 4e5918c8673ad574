"""The demo world is what its page says: big enough, well formed, ambiguous, and in step with its source."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arborlink.demo import demo_documents_path, demo_kb_path
from arborlink.document import Document, Mention
from arborlink.entity import Entity

TYPES = {"Person", "Place", "Ship", "Guild", "Plant", "Illness", "Book"}
EASY_MISSING = {
    "blue-knuckle",
    "cinnamon-duchess",
    "forty-ways",
    "glass-orchard",
    "ingvild-halvorsen",
    "iron-clover",
    "midnight-swimmers",
    "zaphira-kask",
}
LOOKALIKE_MISSING = {"little-wendle", "steamer-thorncastle", "young-tobias-voss"}
MISSING = EASY_MISSING | LOOKALIKE_MISSING
CHAINS = {
    "aldwyn-thorncastle": ("Big Al Thorncastle", "Big Al"),
    "bartholomew-quill": ("Inky Bart Quill", "Inky Bart"),
    "chandlers-cough": ("chandler's hack", "the hack"),
    "cornelius-drake": ("Peg-leg Drake", "Old Peg-leg"),
    "gallowglass-lighthouse": ("Old Gally Light", "Old Gally"),
    "gideon-pellow": ("Giddy Pellow", "Giddy"),
    "hepzibah-crane": ("Auntie Hep Crane", "Auntie Hep"),
    "isolde-trevanion": ("Izzy Trevanion", "Izzy"),
    "ledger-of-wrecks": ("the black wreck book", "the Black Book"),
    "nathaniel-crane": ("Young Nat Crane", "Young Nat"),
    "philippa-underhay": ("Pip Underhay", "Pip"),
    "pilots-companion": ("the Pilot's Companion", "the Companion"),
    "sailors-garlic": ("sailor's stinker", "stinkers"),
    "tobias-voss": ("Old Toby Voss", "Old Toby"),
    "wilhelmina-stroud": ("Billie Stroud", "Billie"),
}
TOOL = Path(__file__).resolve().parents[2] / "tools" / "build_demo_world.py"

Record = dict[str, Any]


def _records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def entities() -> list[Record]:
    return _records(demo_kb_path())


@pytest.fixture(scope="module")
def documents() -> list[Record]:
    return _records(demo_documents_path())


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_demo_world", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _surfaces(documents: list[Record]) -> list[tuple[str, str]]:
    """(text, gold id) of every mention."""
    return [(d["text"][m["start"] : m["end"]], m["entity"]) for d in documents for m in d["mentions"]]


def _owners(entities: list[Record]) -> dict[str, list[str]]:
    """Ids of the entities that bear each name, lower-cased, in the order of the knowledge base."""
    owners: dict[str, list[str]] = defaultdict(list)
    for entity in entities:
        for name in dict.fromkeys(n.lower() for n in (entity["name"], *entity.get("aliases", ()))):
            owners[name].append(entity["id"])
    return owners


def test_the_world_is_big_enough(entities: list[Record], documents: list[Record]) -> None:
    assert len(entities) >= 70
    assert len(documents) >= 40
    assert len(_surfaces(documents)) >= 280


def test_every_record_is_a_valid_object_of_the_package(
    entities: list[Record], documents: list[Record]
) -> None:
    for e in entities:
        entity = Entity(e["id"], e["name"], tuple(e.get("aliases", ())), e["description"], tuple(e["types"]))
        assert len(entity.names) == 1 + len(e.get("aliases", ()))
        assert entity.description.endswith(".")
    for d in documents:
        mentions = tuple(Mention(m["id"], m["start"], m["end"], (m["type"],)) for m in d["mentions"])
        assert len(Document(d["id"], d["text"], mentions).mentions) == len(d["mentions"])


def test_ids_are_unique(entities: list[Record], documents: list[Record]) -> None:
    mention_ids = [m["id"] for d in documents for m in d["mentions"]]
    for ids in ([e["id"] for e in entities], [d["id"] for d in documents], mention_ids):
        assert len(ids) == len(set(ids))


def test_documents_are_short_and_dense(documents: list[Record]) -> None:
    for document in documents:
        assert 60 <= len(document["text"].split()) <= 150, document["id"]
        assert 5 <= len(document["mentions"]) <= 9, document["id"]


def test_mentions_stand_in_order_apart_and_on_whole_words(documents: list[Record]) -> None:
    for document in documents:
        text, end_of_last = document["text"], 0
        for mention in document["mentions"]:
            start, end = mention["start"], mention["end"]
            assert end_of_last <= start < end <= len(text), mention["id"]
            assert text[start:end] == text[start:end].strip() != "", mention["id"]
            assert not text[start - 1 : start].isalnum(), mention["id"]
            assert not text[end : end + 1].isalnum(), mention["id"]
            end_of_last = end


def test_every_type_occurs_and_mentions_have_their_entitys_type(
    entities: list[Record], documents: list[Record]
) -> None:
    type_of = {e["id"]: e["types"][0] for e in entities}
    assert set(type_of.values()) == TYPES
    assert {m["type"] for d in documents for m in d["mentions"]} == TYPES
    for mention in (m for d in documents for m in d["mentions"] if m["entity"] in type_of):
        assert mention["type"] == type_of[mention["entity"]], mention["id"]


def test_gold_ids_are_in_the_knowledge_base_or_declared_missing(
    entities: list[Record], documents: list[Record]
) -> None:
    known = {e["id"] for e in entities}
    used = Counter(gold for _, gold in _surfaces(documents))
    assert not known & MISSING
    assert set(used) - known == MISSING
    assert all(3 <= used[missing] <= 8 for missing in MISSING)


def test_missing_entities_occur_in_several_documents(documents: list[Record]) -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for mention in document["mentions"]:
            places[mention["entity"]].add(document["id"])
    assert all(len(places[missing]) >= 3 for missing in MISSING)


def test_names_are_shared(entities: list[Record], documents: list[Record]) -> None:
    shared = {name: set(ids) for name, ids in _owners(entities).items() if len(ids) > 1}
    assert shared["the heron"] == {"josiah-heron", "heron-inn", "grey-heron"}
    assert shared["wendle"] == {"wendle-town", "river-wendle"}
    assert shared["captain voss"] == {"mara-voss", "tobias-voss"}
    assert len(shared) >= 8
    meant: dict[str, set[str]] = defaultdict(set)
    for text, gold in _surfaces(documents):
        meant[text.lower()].add(gold)
    assert meant["the heron"] == shared["the heron"]
    assert len([name for name in shared if len(meant[name]) > 1]) >= 5


def test_looking_names_up_finds_about_half_of_the_linkable_mentions(
    entities: list[Record], documents: list[Record]
) -> None:
    owners = _owners(entities)
    linkable = [(text, gold) for text, gold in _surfaces(documents) if gold not in MISSING]
    right = sum(owners.get(text.lower(), [""])[0] == gold for text, gold in linkable)
    assert 0.50 <= right / len(linkable) <= 0.60


@pytest.mark.parametrize("entity_id", CHAINS)
def test_each_nickname_has_a_bridge_and_no_entry_in_the_knowledge_base(
    entity_id: str, entities: list[Record], documents: list[Record]
) -> None:
    bridge, nickname = CHAINS[entity_id]
    surfaces = Counter((text.lower(), gold) for text, gold in _surfaces(documents))
    assert surfaces[bridge.lower(), entity_id] >= 1
    assert surfaces[nickname.lower(), entity_id] >= 1
    assert not {bridge.lower(), nickname.lower()} & set(_owners(entities))


def test_one_abbreviation_means_two_things_in_two_documents(documents: list[Record]) -> None:
    defined = {
        (document["id"], match[1])
        for document in documents
        for match in re.finditer(r"\(([A-Z]{3})\)", document["text"])
    }
    meaning = {
        (d["id"], m["entity"])
        for d in documents
        for m in d["mentions"]
        if d["text"][m["start"] : m["end"]] == "HRS"
    }
    assert {short for _, short in defined} == {"GAH", "HRS", "WLB"}
    assert meaning == {("minutes-01", "harbour-relief"), ("notice-03", "herring-syndicate")}
    assert {("minutes-01", "HRS"), ("notice-03", "HRS")} <= defined


def test_the_files_are_what_the_source_builds(tool: ModuleType) -> None:
    built = tool.build()
    assert built["kb.jsonl"] == demo_kb_path().read_text(encoding="utf-8")
    assert built["documents.jsonl"] == demo_documents_path().read_text(encoding="utf-8")
    assert tool.main(["--check"]) == 0


def test_the_tool_turns_marks_into_offsets(tool: ModuleType) -> None:
    record = tool.document_record(
        "d", "Überall [[Ada|ada]], [[Bob|bob]].", {"ada": "Person", "bob": "Person"}
    )
    assert record["text"] == "Überall Ada, Bob."
    assert [(m["id"], m["start"], m["end"]) for m in record["mentions"]] == [("d.0", 8, 11), ("d.1", 13, 16)]


@pytest.mark.parametrize("marked", ["[[Ada|adda]] slept.", "[[Ada]] slept.", "[[Ada|ada slept."])
def test_the_tool_refuses_wrong_marks(tool: ModuleType, marked: str) -> None:
    with pytest.raises(tool.SourceError, match="document d"):
        tool.document_record("d", marked, {"ada": "Person"})


def test_the_tool_refuses_a_second_block_and_an_unknown_field(tool: ModuleType, tmp_path: Path) -> None:
    source = tmp_path / "entities.txt"
    block = "entity ada\nname: Ada\ntype: Person\nabout: A person.\n"
    source.write_text(block + "\n" + block, encoding="utf-8")
    with pytest.raises(tool.SourceError, match="ada stands twice"):
        tool.parse_entities(source)
    source.write_text(block + "nickname: Ad\n", encoding="utf-8")
    with pytest.raises(tool.SourceError, match="unknown fields"):
        tool.parse_entities(source)


def test_finding_the_files_imports_nothing_heavy() -> None:
    code = (
        "import sys; from arborlink.demo import demo_kb_path; assert demo_kb_path().is_file(); "
        "print(sorted({'torch', 'numba', 'faiss', 'scipy', 'sklearn', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
