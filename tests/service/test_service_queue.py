"""The queue that is brought up to date is the one worked out in full, whatever was decided."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from service_world import document, entities, letter_linker, made

from arborlink.confidence import Calibration
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.proposals import Proposal
from arborlink.service import queue as queue_module
from arborlink.service.queue import QueueKeeper, fingerprints
from arborlink.service.service import current_snapshot
from arborlink.workspace import Apart, Decision, Merge, Promote, Reject, Relink, Split, Workspace
from arborlink.workspace.snapshot import Snapshot

NAMES = (
    "Luigi Menabrea",
    "Luigi Menabreo",
    "Giovanni Plana",
    "Mary Somerville",
    "Difference Engine",
    "Turin",
)


def decision(rng: random.Random, workspace: Workspace) -> Decision:
    live = workspace.discoveries()
    some = rng.choice(live)
    mentions = [each for discovery in live for each in discovery.mentions]
    kinds: list[Callable[[], Decision]] = [
        lambda: Promote(some.id, name=rng.choice((None, "Somebody"))),
        lambda: Reject(some.id),
        lambda: Merge((some.id, rng.choice(live).id)),
        lambda: Merge((some.id, rng.choice(("Q1", "Q2")))),
        lambda: Split(some.id, some.mentions[:1]),
        lambda: Apart(*rng.sample(mentions, 2)),
        lambda: Relink(rng.choice(mentions), "Q3"),
    ]
    return rng.choice(kinds)()


@pytest.mark.parametrize("seed", range(6))
def test_any_way_of_getting_there(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    workspace, keeper = made(tmp_path / "w"), QueueKeeper()
    n_changed = 0
    for step in range(25):
        snapshot = current_snapshot(workspace)
        queue = keeper.at(snapshot)
        assert queue == QueueKeeper().at(snapshot)
        expected = [
            *workspace.proposals(top=1, context=0),
            *workspace.proposals(top=1, context=0, rejected=True),
        ]
        assert {(each.id, each.version, each.is_rejected, each.value) for each in queue.items} == {
            (each.id, each.version, each.is_rejected, each.proposal.value) for each in expected
        }
        try:
            if step % 8 == 7:
                text = " and ".join(f"[{rng.choice(NAMES)}]" for _ in range(3))
                workspace.add([document(f"more{step}", text)], [Entity(f"N{step}", rng.choice(NAMES))])
            elif rng.random() < 0.3 or len(workspace.discoveries()) < 2:
                workspace.undo()
            else:
                workspace.decide(decision(rng, workspace))
        except InputError:
            continue
        n_changed += 1
    assert n_changed > 10


def test_only_what_changed_is_worked_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, keeper = made(tmp_path / "w"), QueueKeeper()
    keeper.at(current_snapshot(workspace))
    asked: list[list[str]] = []
    original = queue_module._proposals

    def noted(snapshot: Snapshot, ids: Iterable[str]) -> Iterable[tuple[str, Proposal]]:
        asked.append(list(ids))
        return original(snapshot, asked[-1])

    monkeypatch.setattr(queue_module, "_proposals", noted)
    first = workspace.proposals()[0]
    workspace.decide(Split(first.id, first.proposal.mentions[:1]))
    keeper.at(current_snapshot(workspace))
    keeper.at(current_snapshot(workspace))
    (ids,) = asked
    assert first.id in ids
    # besides the two parts, only what decisions let find another way
    assert len(ids) < len(workspace.discoveries()) / 2


def test_an_entity_of_other_content_under_the_same_id(tmp_path: Path) -> None:
    workspace, keeper = made(tmp_path / "w"), QueueKeeper()
    id_ = next(each.id for each in workspace.discoveries() if each.name == "Analytical Engine")
    for name in ("Difference Engine One", "Difference Engine Two"):
        workspace.decide(Promote(id_, name=name, aliases=("Difference Engin",)))
        queue = keeper.at(current_snapshot(workspace))
        assert queue == QueueKeeper().at(current_snapshot(workspace))
        workspace.undo()


def test_fingerprints_differ_where_proposals_do(tmp_path: Path) -> None:
    workspace = made(tmp_path / "w")
    before = fingerprints(current_snapshot(workspace))
    assert len(set(before.values())) == len(before) == len(workspace.discoveries())
    workspace.decide(Promote(workspace.proposals()[0].id))
    after = fingerprints(current_snapshot(workspace))
    assert before.keys() - after.keys() == {workspace.decisions()[0].decision.to_dict()["discovery"]}


def test_probabilities_of_being_new_where_a_calibration_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = made(tmp_path / "w")
    snapshot = current_snapshot(workspace)
    assert all(item.probability_new is None for item in QueueKeeper().at(snapshot).items)
    asked = []

    class Said:
        probability = np.linspace(0, 1, snapshot.parts.n_mentions)

    def apply(self: Calibration, near: Any, parts: Any, target: float | None) -> Said:
        asked.append(len(near.items))
        return Said()

    monkeypatch.setattr(Calibration, "apply", apply)
    calibration = Calibration(snapshot.settings.model, snapshot.settings.inference, None, None)
    monkeypatch.setattr("arborlink.service.novelty._calibration", lambda _: calibration)
    queue = QueueKeeper().at(snapshot)
    assert asked == [snapshot.parts.n_mentions]
    for item in queue.items:
        expected = float(np.mean(Said.probability[snapshot.members[item.id]]))
        assert item.probability_new == pytest.approx(expected, abs=1e-6)


def test_a_knowledge_base_without_documents(tmp_path: Path) -> None:
    kb = KnowledgeBase(entities())
    workspace = Workspace.init(tmp_path / "w", kb, linker=letter_linker(), threshold=0.8)
    assert QueueKeeper().at(current_snapshot(workspace)).items == ()
