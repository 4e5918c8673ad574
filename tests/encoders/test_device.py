"""Where models run."""

from __future__ import annotations

import pytest

from arborlink.encoders.device import resolve_device, resolve_precision
from arborlink.errors import ModelError


@pytest.fixture
def no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.mark.usefixtures("no_accelerator")
def test_auto_is_the_processor_where_there_is_nothing_else() -> None:
    assert resolve_device() == resolve_device("auto") == "cpu"


def test_auto_prefers_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve_device("auto") == "mps"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_device("auto") == "cuda"


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
def test_the_processor_has_one_name(device: str) -> None:
    assert resolve_device(device) == "cpu"


@pytest.mark.parametrize("device", ["cuda:99", "toaster", "", "meta", "hpu", "CPU", "cpu gpu"])
def test_a_device_that_is_not_there_is_told_in_one_line(device: str) -> None:
    with pytest.raises(
        ModelError, match=r"^device '.*' cannot be used: .*; 'auto' takes what is there$"
    ) as refused:
        resolve_device(device)
    assert "\n" not in str(refused.value)
    assert repr(device) in str(refused.value)


def test_a_graphics_card_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def absent(*size: int, device: str) -> None:
        raise AssertionError("Torch not compiled with CUDA enabled\nand a stack of other lines")

    monkeypatch.setattr(torch, "zeros", absent)
    with pytest.raises(
        ModelError, match=r"^device 'cuda' cannot be used: Torch not compiled with CUDA enabled; 'auto'"
    ):
        resolve_device("cuda")


@pytest.mark.parametrize("multiplies", [True, False])
def test_half_precision_only_where_the_hardware_has_it(
    multiplies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    expected = torch.bfloat16 if multiplies else torch.float32
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: multiplies, raising=False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False, raising=False)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: multiplies)
    assert resolve_precision("cpu") == expected
    assert resolve_precision("cuda:1") == expected
    assert resolve_precision("mps") == torch.float32
