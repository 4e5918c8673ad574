"""Where the model runs and in which precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arborlink.errors import ModelError

if TYPE_CHECKING:
    import torch


def resolve_device(device: str = "auto") -> str:
    """``auto`` is the accelerator if there is one, else the CPU; anything else must be there."""
    import torch

    if device == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.zeros(1, device=device).item()  # read back: a device without memory ("meta") computes nothing
    except (RuntimeError, AssertionError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"device {device!r} cannot be used: {reason}; 'auto' takes what is there") from error
    return "cpu" if torch.device(device).type == "cpu" else device


def resolve_precision(device: str) -> torch.dtype:
    """bfloat16 where the hardware multiplies it, float32 elsewhere."""
    import torch

    if device.startswith("cuda"):
        fast = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        fast = device == "cpu" and _cpu_multiplies_bfloat16()
    return torch.bfloat16 if fast else torch.float32


def _cpu_multiplies_bfloat16() -> bool:
    import torch

    probes = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, probe)() for probe in probes if hasattr(torch.cpu, probe))
