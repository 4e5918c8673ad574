"""A detour is taken off the affinity of two mentions, and of nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arborlink.encoder import Embeddings
from arborlink.encoders.building import build_tower
from arborlink.encoders.model_folder import ModelSettings, write_towers
from arborlink.encoders.views import Markers
from arborlink.errors import InputError, ModelError
from arborlink.graph import NeighbourGraph
from arborlink.linker import Linker
from arborlink.neighbourhood import Neighbourhood
from arborlink.partition import MODES, Mode, partition
from arborlink.result import Result
from arborlink.voting import TEXT_VOTES, Examples

LinkGiven = Callable[..., Result]
RunCommand = Callable[..., Any]


def vectors(seed: int, n: int) -> Embeddings:
    return Embeddings.one_each(np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 12),
    k=st.integers(0, 6),
    detour=st.sampled_from([0.0, 0.15, 1.0, 7.5]),
    mode=st.sampled_from(MODES),
    threshold=st.sampled_from([None, -0.5, 0.5]),
)
def test_it_is_a_graph_with_longer_edges_between_mentions(
    seed: int, n: int, k: int, detour: float, mode: Mode, threshold: float | None
) -> None:
    mentions, entities = vectors(seed, n), vectors(seed + 1, 5)
    plain = Neighbourhood.search(mentions, entities, 3, 8).graph(k)
    found = Neighbourhood.search(mentions, entities, 3, 8, detour=detour).graph(k)
    longer = plain.weight + np.where(plain.source >= plain.n_entities, detour, 0.0)
    expected = NeighbourGraph(
        plain.source, plain.target, np.round(longer, 6), plain.n_entities, plain.n_mentions
    )
    assert found.weight.tolist() == pytest.approx(expected.weight.tolist(), abs=1e-9)
    parts, literal = (partition(graph, mode, threshold) for graph in (found, expected))
    assert parts.entity.tolist() == literal.entity.tolist()
    assert parts.cluster.tolist() == literal.cluster.tolist()


def test_a_large_one_links_one_by_one() -> None:
    mentions, entities = vectors(3, 30), vectors(4, 8)
    alone = partition(Neighbourhood.search(mentions, entities, 1, 0).graph(0), "independent").entity
    hood = Neighbourhood.search(mentions, entities, 1, 4)
    far = Neighbourhood.search(mentions, entities, 1, 4, detour=100.0)
    for mode in ("undirected", "minimax"):
        assert partition(hood.graph(4), mode).entity.tolist() != alone.tolist()
        assert partition(far.graph(4), mode).entity.tolist() == alone.tolist()


def test_the_lead_of_votes_is_part_of_it() -> None:
    mentions, entities = vectors(0, 6), vectors(1, 3)
    voters = Examples(vectors(2, 4), np.array([0, 1, 2, 2], dtype=np.int32), 0.05)
    lead = 0.05 * math.log(TEXT_VOTES)
    for detour, left in ((0.0, 0.0), (0.1, 0.0), (0.4, 0.4 - lead)):
        hood = Neighbourhood.search(mentions, entities, 2, 3, examples=voters, detour=detour)
        assert hood.detour == pytest.approx(left)
        plain = Neighbourhood.search(mentions, entities, 2, 3, detour=detour)
        assert hood.others.affinities.tolist() == plain.others.affinities.tolist()
        again = plain.voted(hood.near, 0.05)
        assert again.graph(3).weight.tolist() == hood.graph(3).weight.tolist()


def test_examples_that_are_none_lift_nothing() -> None:
    nobody = Examples(vectors(2, 0), np.empty(0, dtype=np.int32), 0.05)
    hood = Neighbourhood.search(vectors(0, 6), vectors(1, 3), 2, 3, examples=nobody, detour=0.4)
    assert hood.detour == 0.4


@pytest.fixture
def pip(link_given: LinkGiven) -> Callable[[float], Result]:
    """x is near to A, y a little less to C, and both say nearly the same."""

    def link(detour: float) -> Result:
        near = [[0.8, 0.0], [0.0, 0.7]]
        return link_given("xy", "AC", near, {(0, 1): 0.9}, inference="minimax", detour=detour)

    return link


def test_what_leads_there_at_once_wins_unless_the_detour_is_worth_it(pip: Callable[[float], Result]) -> None:
    assert [link.entity for link in pip(0.0)] == ["A", "A"]
    assert [link.entity for link in pip(0.15)] == ["A", "A"]
    assert [link.entity for link in pip(0.25)] == ["A", "C"]
    through, at_once = pip(0.15), pip(0.25)
    assert (through.settings["detour"], at_once.settings["detour"]) == (0.15, 0.25)
    assert [link.affinity for link in through] == [0.8, 0.75]  # less the detour
    assert [link.affinity for link in at_once] == [0.8, 0.7]


def test_a_calibration_is_for_one_detour(tiny_model: Path) -> None:
    linker = Linker.load(tiny_model, device="cpu", progress=False, cache=False)
    other = linker.with_detour(0.25)
    assert (other.name, linker.calibrated_name) == (linker.name, linker.name)
    assert other.calibrated_name == f"{linker.name}+detour-0.25"


@pytest.mark.parametrize("detour", [-0.1, math.nan, math.inf])
def test_what_cannot_be_one_is_refused(tiny_model: Path, detour: float) -> None:
    linker = Linker.load(tiny_model, device="cpu", progress=False)
    with pytest.raises(InputError, match=r"detour is .*; expected a finite number, 0 or more"):
        linker.with_detour(detour)
    assert linker.detour == 0.0


def test_a_model_brings_its_own(tiny_model: Path, tmp_path: Path) -> None:
    tower = build_tower(
        tiny_model, pooling="mean", normalise=True, role="both", markers=Markers(), device="cpu"
    )
    write_towers(tmp_path / "model", tower, tower, ModelSettings(32, 32, detour=0.3))
    linker = Linker.load(tmp_path / "model", device="cpu", progress=False, cache=False)
    assert (linker.detour, linker.with_detour(0).detour, linker.detour) == (0.3, 0.0, 0.3)
    written = json.loads((tmp_path / "model" / "arborlink.json").read_text(encoding="utf-8"))
    assert (
        ModelSettings.from_json({name: written[name] for name in written if name != "detour"}).detour == 0.0
    )
    for value, told in (
        (-1, "detour is -1.0; expected a finite number, 0 or more"),
        ("far", "detour is 'far'; expected a number"),
        (True, "detour is True; expected a number"),
    ):
        with pytest.raises(ModelError, match=told):
            ModelSettings.from_json(written | {"detour": value})


def test_the_command_takes_one(run_command: RunCommand, tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "kb.jsonl").write_text('{"id": "A", "name": "Anna"}\n{"id": "B", "name": "Bert"}\n')
    (tmp_path / "documents.jsonl").write_text(
        '{"id": "d", "text": "Anna met Bert", "mentions": [{"start": 0, "end": 4}, {"start": 9, "end": 13}]}\n'
    )
    given: list[object] = ["link", "--kb", tmp_path / "kb.jsonl", "--documents", tmp_path / "documents.jsonl"]
    given += ["--model", tiny_model, "--no-cache", "--output", tmp_path / "result"]
    done = run_command(*given, "--detour", "-0.5")
    assert (done.status, "detour is -0.5; expected a finite number, 0 or more" in done.err) == (2, True)
    assert not (tmp_path / "result").exists()
    done = run_command(*given, "--detour", "0.2")
    assert done.status == 0, done.err
    manifest = json.loads((tmp_path / "result" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["detour"] == 0.2
