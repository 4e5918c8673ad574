"""Several models in one folder: what is joined is read, and links as any model."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joined_world import CORPUS, KB, affinities, change, names_in

from arborlink import Corpus, Document, Linker, Mention
from arborlink.encoders import TowerEncoder, load_encoder
from arborlink.encoders.blended import BlendedEncoder
from arborlink.encoders.building import build_tower
from arborlink.encoders.joined import JoinedTowers
from arborlink.encoders.joined_settings import JoinedSettings, joined_fingerprint
from arborlink.encoders.joining import join_models
from arborlink.encoders.model_folder import (
    Inference,
    read_settings,
    read_towers,
    write_inference,
)
from arborlink.encoders.packed_model.packing import pack_model
from arborlink.encoders.views import Markers
from arborlink.errors import InputError, ModelError
from arborlink.workspace import Workspace


def test_what_is_written_is_read(both: Path, small: Path, large: Path) -> None:
    settings = read_settings(both)
    assert isinstance(settings, JoinedSettings)
    prints = [read_settings(folder).fingerprint for folder in (small, large)]
    assert json.loads((both / "arborlink.json").read_text()) == {
        "version": 3,
        "parts": [
            {"folder": "part-1", "share": 0.75, "fingerprint": prints[0]},
            {"folder": "part-2", "share": 0.25, "fingerprint": prints[1]},
        ],
        "inference": {"mode": "minimax", "neighbours": 3, "threshold": 0.25, "by_type": False},
        "temperature": 0.0625,
        "name_share": 0.3,
        "sameness": 0.2,
        "description_names": True,
        "detour": 0.1,
        "fingerprint": joined_fingerprint(prints, [0.75, 0.25]),
    }
    assert names_in(both) == ["arborlink.json", "part-1", "part-2"]
    assert names_in(both / "part-1") == ["README.md", "arborlink.json", "tower"]
    for part, source in (("part-1", small), ("part-2", large)):
        assert read_settings(both / part) == read_settings(source), "a part is a model for itself"


def test_the_documentation_shows_the_file_as_it_is(both: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "encoders.md"
    blocks = re.findall(r"^```json\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    shown, written = json.loads(blocks[1]), json.loads((both / "arborlink.json").read_text())
    assert list(shown) == list(written)
    assert [list(part) for part in shown["parts"]] == [list(part) for part in written["parts"]]
    assert shown["version"] == written["version"]


def test_affinities_are_the_mean_with_names_beside(both: Path, small: Path, large: Path) -> None:
    encoder = load_encoder(both, device="cpu")
    assert isinstance(encoder, BlendedEncoder)
    assert isinstance(encoder.towers, JoinedTowers)
    assert encoder.share == 0.3
    assert (encoder.names.sameness, encoder.names.description_names) == (0.2, True)
    alone = load_encoder(small, device="cpu"), load_encoder(large, device="cpu")
    assert isinstance(alone[0], BlendedEncoder)
    of_towers = 0.75 * affinities(alone[0].towers) + 0.25 * affinities(alone[1])
    np.testing.assert_allclose(affinities(encoder.towers), of_towers, atol=2e-3)
    expected = 0.7 * of_towers + 0.3 * np.maximum(affinities(encoder.names), 0)
    np.testing.assert_allclose(affinities(encoder), expected, atol=2e-3)


def test_the_fingerprint_is_the_encoders_in_single_precision(
    both: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from arborlink.encoders import network

    monkeypatch.setattr(network, "resolve_precision", lambda device: torch.float32)
    encoder = load_encoder(both, device="cpu")
    assert isinstance(encoder, BlendedEncoder)
    assert encoder.towers.fingerprint == read_settings(both).fingerprint


def test_equal_shares_and_temperatures_are_exact(small: Path, large: Path, tmp_path: Path) -> None:
    change(small, temperature=0.07)
    change(large, temperature=0.07)
    third = tmp_path / "third"
    shutil.copytree(large, third)
    change(third, fingerprint="another")
    settings = join_models([small, large, third], tmp_path / "all")
    assert settings.shares == (1 / 3,) * 3
    assert settings.temperature == 0.07
    assert read_settings(tmp_path / "all") == settings


def test_what_is_told_takes_the_place_of_the_first_models(small: Path, large: Path, tmp_path: Path) -> None:
    told: dict[str, Any] = {"name_share": 0.5, "sameness": 0.1, "description_names": False, "detour": 0.0}
    way = Inference("directed", 1, None, by_type=True)
    settings = join_models([small, large], tmp_path / "both", inference=way, **told)
    assert {name: getattr(settings, name) for name in told} == told
    assert settings.inference == way


def test_without_a_share_of_names_none_are_compared(small: Path, large: Path, tmp_path: Path) -> None:
    join_models([small, large], tmp_path / "both", name_share=0.0)
    settings = read_settings(tmp_path / "both")
    assert (settings.name_share, settings.sameness, settings.description_names) == (0, 0, False)
    assert isinstance(load_encoder(tmp_path / "both", device="cpu"), JoinedTowers)
    assert read_settings(join_the_other_way(small, large, tmp_path)).name_share == 0


def join_the_other_way(small: Path, large: Path, place: Path) -> Path:
    join_models([large, small], place / "other way")
    return place / "other way"


def test_a_packed_model_is_a_part_too(small: Path, large: Path, tmp_path: Path) -> None:
    pack_model(small, tmp_path / "packed")
    join_models([tmp_path / "packed", large], tmp_path / "both")
    assert names_in(tmp_path / "both" / "part-1" / "tower") == ["delta.safetensors"]
    encoder = load_encoder(tmp_path / "both", device="cpu")
    assert isinstance(encoder, BlendedEncoder)
    assert np.isfinite(affinities(encoder)).all()


def test_it_links_grows_and_is_tuned_like_any_other(both: Path, tmp_path: Path) -> None:
    linker = Linker.load(both, device="cpu", cache=tmp_path / "cache")
    assert linker.model == read_settings(both).fingerprint
    assert (linker.temperature, linker.detour) == (0.0625, 0.1)
    result = linker.link(CORPUS, KB, inference="independent", threshold=None)
    expected = affinities(linker.encoder)
    assert [link.entity for link in result.links] == [KB.entities[j].id for j in expected.argmax(axis=1)]
    found = np.array([link.affinity for link in result.links], dtype=np.float64)
    np.testing.assert_allclose(found, expected.max(axis=1), atol=1e-3)

    workspace = Workspace.init(tmp_path / "workspace", KB, linker=linker)
    for document in CORPUS:
        workspace.add([document])
    grown, scratch = workspace.result(), linker.link(CORPUS, KB)
    assert [replace(link, discovery=None) for link in grown.links] == list(scratch.links)
    write_inference(both, Inference("directed", 1, 0.5))
    assert Linker.load(both, device="cpu", cache=False).defaults == Inference("directed", 1, 0.5)


def test_examples_vote(both: Path) -> None:
    linker = Linker.load(both, device="cpu", cache=False)
    labelled = Corpus([Document("l", "rats", (Mention("q", 0, 4, (), ("f",)),))])
    with_votes = linker.with_examples(labelled).link(CORPUS, KB, inference="independent", threshold=None)
    assert with_votes.links[2].affinity != linker.link(CORPUS, KB, threshold=None).links[2].affinity


def test_one_of_its_parts_is_a_base_and_the_whole_is_none(both: Path, tmp_path: Path) -> None:
    from arborlink.reranking.network import new_network

    options: dict[str, Any] = {
        "pooling": "mean",
        "normalise": True,
        "role": "mention",
        "markers": Markers(),
        "device": "cpu",
    }
    message = (
        re.escape(f"{both}: joins several models, and the towers of one are needed; name ")
        + r".*part-1 or .*part-2"
    )
    with pytest.raises(ModelError, match=message):
        build_tower(both, **options)
    with pytest.raises(ModelError, match=message):
        new_network(str(both), Markers(), "cpu")
    with pytest.raises(ModelError, match=message):
        pack_model(both, tmp_path / "packed")
    with pytest.raises(InputError, match="is not empty and holds no packed model"):
        pack_model(both / "part-1", both)
    assert build_tower(both / "part-2", **options).get_embedding_dimension() == 48


def test_towers_of_one_model_load_as_before(small: Path) -> None:
    assert read_towers(small) == read_settings(small)
    encoder = load_encoder(small, device="cpu")
    assert isinstance(encoder, BlendedEncoder)
    assert isinstance(encoder.towers, TowerEncoder)
