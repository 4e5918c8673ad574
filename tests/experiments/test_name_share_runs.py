"""Dev chooses the share of names: what is measured is what a model with that share gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from named_model import save_named_model

from arborlink.errors import InputError
from arborlink.experiments.run_file import read_run_file

RunCommand = Callable[..., Any]
MakeRun = Callable[..., Path]
SHARES = [0.0001, 0.01, 0.5]
RUN = {"row": "x", "evaluate": ["medmentions"], "model": "folder", "examples": True}


@pytest.fixture
def figures(run: RunCommand, make_run: MakeRun, tmp_path: Path) -> RunCommand:
    """``figures("own", folder=...)``: what a run says of MedMentions."""

    def measured(name: str, folder: Path, **experiment: Any) -> dict[str, Any]:
        done = run(make_run(name, folder=str(folder), **RUN, **experiment))
        assert done.status == 0, done.err
        content = json.loads((tmp_path / "out" / f"{name}-seed0.json").read_text(encoding="utf-8"))
        found: dict[str, Any] = content["evaluation"]["medmentions"]
        return found

    return measured


def without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_seconds(own) for key, own in value.items() if "seconds" not in key}
    return value


def test_dev_chooses_for_each_variant(figures: RunCommand, tiny_model: Path, tmp_path: Path) -> None:
    folders = {share: save_named_model(tiny_model, tmp_path / f"with-{share}", share) for share in SHARES}
    own = figures("own", folders[0.5], name_shares=SHARES)
    alone = {share: figures(f"alone{share}", folder) for share, folder in folders.items()}
    for variant in ("", "examples"):
        found = own[variant] if variant else own
        of_share = {share: each[variant] if variant else each for share, each in alone.items()}
        on_dev = {
            share: max(mode["dev_accuracy"] for mode in each["linking"]["modes"].values())
            for share, each in of_share.items()
        }
        told = found["name_share"]
        assert told["dev_accuracy"] == {f"{share:g}": pytest.approx(value) for share, value in on_dev.items()}
        assert on_dev[told["share"]] == max(on_dev.values())
        expected = without_seconds(of_share[told["share"]])
        for protocol in ("linking", "hidden", "missing"):
            assert without_seconds(found[protocol]) == expected[protocol], (variant, protocol)
    assert len(set(own["name_share"]["dev_accuracy"].values())) > 1
    assert "name_share" not in alone[0.5]


def test_a_model_without_names_is_told_before_anything_is_done(
    run: RunCommand, make_run: MakeRun, tiny_model: Path, tmp_path: Path
) -> None:
    done = run(make_run("own", folder=str(tiny_model), name_shares=[0.3], **RUN))
    assert done.status == 2
    assert "the share of names is 0.3, but this model has no comparison of names beside towers" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("model", ["trained", "untrained", "bm25", "look-up"])
def test_they_are_for_models_that_are_there(tmp_path: Path, model: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        f'[experiment]\nrow = "x"\nevaluate = ["wikis"]\nmodel = "{model}"\nname_shares = [0.3]\n'
    )
    with pytest.raises(InputError, match=f'name_shares are given, but experiment.model is "{model}"'):
        read_run_file(path)


def test_a_re_ranker_learns_from_what_one_share_finds(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[experiment]\nrow = "x"\nevaluate = ["wikis"]\nmodel = "shipped"\nname_shares = [0.3]\n[reranker]\n'
    )
    with pytest.raises(InputError, match=r"has experiment\.name_shares and a re-ranker"):
        read_run_file(path)


@pytest.mark.parametrize("share", ["0.0", "1.0", "-0.5", '"0.3"'])
def test_a_share_lies_between_nothing_and_all(tmp_path: Path, share: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        f'[experiment]\nrow = "x"\nevaluate = ["wikis"]\nmodel = "shipped"\nname_shares = [{share}]\n'
    )
    with pytest.raises(InputError, match=r"experiment\.name_shares\.0: Input should be"):
        read_run_file(path)
