"""What a linker is made of, read from a model's folder or from nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from arborlink.confidence import CALIBRATION_FILE, Calibration, read_calibration
from arborlink.encoder import Encoder
from arborlink.encoders.default_model import resolve_model
from arborlink.encoders.model_folder import Inference, is_model_folder, read_settings
from arborlink.reranking import Reranker, has_reranker, read_reranker
from arborlink.voting import TEMPERATURE

DEFAULT_SHORTLIST = 32


class Parts(NamedTuple):
    """The arguments of :class:`arborlink.linker.Linker`, in its order."""

    encoder: Encoder
    device: str
    progress: bool | None
    defaults: Inference | None = None
    model: str | None = None
    calibration: Calibration | None = None
    temperature: float = TEMPERATURE
    reranker: Reranker | None = None
    detour: float = 0.0


def load_parts(
    model: str | Path | None,
    *,
    entity_model: str | Path | None,
    view: Literal["names", "context"] | None,
    shortlist: int,
    device: str,
    cache: str | Path | bool,
    progress: bool | None,
    calibration: str | Path | None,
    reranker: bool,
) -> Parts:
    """Load what :meth:`arborlink.linker.Linker.load` is told to; it says what the arguments mean."""
    from arborlink.encoders import load_encoder
    from arborlink.encoders.cache import default_cache_folder
    from arborlink.encoders.device import resolve_device

    device = resolve_device(device)
    folder = default_cache_folder() if cache is True else Path(cache) if cache else None
    encoder = load_encoder(
        model,
        entity_model=entity_model,
        view=view,
        shortlist=shortlist,
        device=device,
        cache=folder,
        progress=progress,
    )
    known = None if calibration is None else read_calibration(calibration)
    chosen = resolve_model(model)
    if chosen is None or not is_model_folder(Path(chosen)):
        return Parts(encoder, device, progress, calibration=known)
    settings = read_settings(Path(chosen))
    if known is None and (Path(chosen) / CALIBRATION_FILE).is_file():
        known = read_calibration(Path(chosen))
    second = (
        read_reranker(Path(chosen), device, progress) if reranker and has_reranker(Path(chosen)) else None
    )
    return Parts(
        encoder,
        device,
        progress,
        settings.inference,
        settings.fingerprint,
        known,
        settings.temperature,
        second,
        settings.detour,
    )
