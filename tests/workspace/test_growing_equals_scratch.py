"""Whatever the order and size of additions, a workspace holds what linking everything at once gives."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspace_world import (
    HashEncoder,
    described_encoder,
    document,
    documents,
    entities,
    entity,
    hash_linker,
    joined_towers,
)

from arborlink.corpus import Corpus
from arborlink.document import Document, Mention
from arborlink.encoder import TextualEncoder
from arborlink.encoders.blended import BlendedEncoder
from arborlink.entity import Entity
from arborlink.knowledge_base import KnowledgeBase
from arborlink.linker import Linker
from arborlink.partition import MODES
from arborlink.workspace import Workspace

ENCODERS: dict[str, Callable[[], TextualEncoder]] = {
    "all names": HashEncoder,
    "near names": lambda: HashEncoder(near_names=True),
    "names of descriptions": described_encoder,
    "joined models": joined_towers,
    "joined models, names beside": lambda: BlendedEncoder(joined_towers(), described_encoder(), 0.4),
}


def assert_as_from_scratch(workspace: Workspace, linker: Linker) -> None:
    """Links equal field by field, candidates too, those of ``Linker.link`` over everything."""
    chosen = workspace.settings.inference
    scratch = linker.link(
        workspace.corpus,
        workspace.kb,
        inference=chosen.mode,
        neighbours=chosen.neighbours,
        threshold=chosen.threshold,
        by_type=chosen.by_type,
        candidates=workspace.settings.candidates,
    )
    found = workspace.result()
    assert [replace(link, discovery=None) for link in found.links] == list(scratch.links)
    assert found.candidates == scratch.candidates
    assert {name: found.settings[name] for name in scratch.settings if name in found.settings} == {
        name: value for name, value in scratch.settings.items() if name in found.settings
    }


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    sizes=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=6),
    mode=st.sampled_from(MODES),
    neighbours=st.integers(0, 3),
    threshold=st.sampled_from([None, 0.7, 0.9, 0.97]),
    detour=st.sampled_from([0.0, 0.05, 0.3]),
    encoder=st.sampled_from(list(ENCODERS)),
    by_type=st.booleans(),
    reopened=st.booleans(),
)
def test_additions_in_any_order_equal_one_run(
    seed: int,
    sizes: list[tuple[int, int]],
    mode: Any,
    neighbours: int,
    threshold: float | None,
    detour: float,
    encoder: str,
    by_type: bool,
    reopened: bool,
) -> None:
    rng = random.Random(seed)
    linker = hash_linker(ENCODERS[encoder]()).with_detour(detour)
    described = encoder == "names of descriptions"
    first = [entity(rng, f"Q{number}", by_type, described) for number in range(3)]
    typed = [replace(first[0], types=("Person",)), replace(first[1], types=("Place",)), first[2]]
    with TemporaryDirectory() as folder:
        workspace = Workspace.init(
            Path(folder) / "w",
            KnowledgeBase(typed if by_type else first),
            linker=linker,
            inference=mode,
            neighbours=neighbours,
            threshold=threshold,
            by_type=by_type,
            candidates=rng.choice([2, 3, 8]),
        )
        for batch, (n_documents, n_entities) in enumerate(sizes):
            if reopened:
                workspace.close()
                workspace = Workspace.open(Path(folder) / "w", linker=linker)
            workspace.add(
                [
                    document(rng, f"d{batch}-{number}", rng.randint(0, 4), by_type)
                    for number in range(n_documents)
                ],
                [entity(rng, f"E{batch}-{number}", by_type, described) for number in range(n_entities)],
            )
            if workspace.corpus.n_mentions:
                # a linker of its own: this one may remember descriptions
                assert_as_from_scratch(workspace, hash_linker(ENCODERS[encoder]()).with_detour(detour))
        assert workspace.check() == ()
        workspace.close()


def test_each_text_is_encoded_once(tmp_path: Path) -> None:
    encoder = HashEncoder()
    workspace = Workspace.init(
        tmp_path / "w", KnowledgeBase(entities(1, 5)), linker=hash_linker(encoder), threshold=0.9
    )
    for batch in range(4):
        workspace.add(documents(batch, 6, f"b{batch}-"), entities(batch, 2, f"E{batch}-"))
    names = [text for text in encoder.encoded if text]
    mentions = encoder.mention_texts(workspace.corpus).texts
    assert len(names) <= len(set(mentions)) + len(encoder.entity_texts(workspace.kb).texts)


def test_a_name_that_is_driven_out_of_the_shortlist_no_longer_counts(tmp_path: Path) -> None:
    linker = hash_linker(HashEncoder(near_names=True))
    kb = [entity(random.Random(seed), f"Q{seed}") for seed in range(12)]
    workspace = Workspace.init(tmp_path / "w", KnowledgeBase(kb[:4]), linker=linker, threshold=0.6)
    workspace.add(documents(3, 12))
    rows = workspace._session.current().entity_rows
    workspace.add(kb=kb[4:])
    assert len(workspace._session.current().entity_rows) < len(rows) + sum(len(each.names) for each in kb[4:])
    assert_as_from_scratch(workspace, linker)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_promotions_and_their_undoing_leave_what_the_grown_knowledge_base_gives(
    tmp_path: Path, encoder: str
) -> None:
    from arborlink.workspace import Promote

    linker = hash_linker(ENCODERS[encoder]())
    first, later = entities(1, 3, described=True), entities(9, 2, "L", described=True)
    workspace = Workspace.init(tmp_path / "w", KnowledgeBase(first), linker=linker, threshold=0.93)
    workspace.add(documents(5, 15))
    before = [replace(link, discovery=None) for link in workspace.result()]
    changed = workspace.decide(Promote(workspace.discoveries()[0].id))
    workspace.add(kb=later)
    assert changed.decision is not None
    workspace.undo(changed.decision)
    assert_as_from_scratch(workspace, linker)
    assert len(workspace.kb) == 5
    assert [link.mention for link in workspace.result()] == [link.mention for link in before]


def test_a_description_that_comes_makes_a_name_that_others_give_weigh_less(tmp_path: Path) -> None:
    linker = hash_linker(described_encoder())
    one, other, third = (
        Entity(f"Q{number}", name, description="also called bob")
        for number, name in enumerate(("x", "y", "z"))
    )
    workspace = Workspace.init(tmp_path / "w", KnowledgeBase([one]), linker=linker, candidates=3)
    workspace.add([Document("d", "bob", (Mention("m", 0, 3),))])
    near = []
    for more in ((), (other,), (third,)):
        workspace.add(kb=more)
        assert_as_from_scratch(workspace, hash_linker(described_encoder()))
        candidates = workspace.result().candidates
        assert candidates is not None
        near.append([candidate.affinity for candidate in candidates["m"]])
    assert near == [[0.5], [0.47, 0.47], [0.47, 0.47, 0.47]]


def test_an_entity_without_a_near_name_that_goes_gives_back_what_its_description_took(tmp_path: Path) -> None:
    from arborlink.workspace import Promote

    known = [Entity(f"Q{number}", f"x{number}", description="bob bob") for number in range(15)]
    linker = hash_linker(described_encoder(shortlist=1))
    workspace = Workspace.init(
        tmp_path / "w",
        KnowledgeBase([*known, Entity("V", "vvvv")]),
        linker=linker,
        threshold=0.9,
        candidates=2,
    )
    workspace.add([Document("d", "bob vvvw", (Mention("m", 0, 3), Mention("n", 4, 8)))])

    def nearest() -> float:
        candidates = workspace.result().candidates
        assert candidates is not None
        return candidates["m"][0].affinity

    before = nearest()
    new = next(found for found in workspace.discoveries() if "n" in found.mentions)
    promoted = workspace.decide(Promote(new.id, name="qqqq", aliases=(), description="bob", types=()))
    assert nearest() < before
    assert promoted.decision is not None
    workspace.undo(promoted.decision)
    assert nearest() == before
    assert_as_from_scratch(workspace, linker)


def test_vectors_are_kept_in_few_files_however_many_additions(tmp_path: Path) -> None:
    linker = hash_linker()
    workspace = Workspace.init(tmp_path / "w", KnowledgeBase(entities(1, 5)), linker=linker, threshold=0.9)
    for batch in range(12):
        workspace.add([document(random.Random(batch), f"d{batch}", 2)])
    assert len(list((tmp_path / "w" / "arrays").iterdir())) <= 7
    assert_as_from_scratch(workspace, linker)
    assert Corpus(workspace.corpus.documents).n_mentions == 24
