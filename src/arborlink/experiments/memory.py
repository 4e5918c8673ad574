"""How much memory of the accelerator a part of a run takes at most."""

from __future__ import annotations


def reset_memory(device: str) -> None:
    """Begin to look."""
    import torch

    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()


def peak_memory(device: str) -> float | None:
    """The most since then, in GB; ``None`` where there is no accelerator that tells."""
    import torch

    return torch.cuda.max_memory_allocated() / 1e9 if device.startswith("cuda") else None
