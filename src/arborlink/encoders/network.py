"""The neural network behind a folder or a name."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arborlink.encoders.device import resolve_precision
from arborlink.encoders.packed_model.tower_file import is_packed
from arborlink.errors import ModelError

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
# Seconds to wait for an answer of the hub.
_PATIENCE = 10
_SPAN_POOLING = "arborlink.encoders.span_pooling.SpanPooling"
# A line of the report that transformers logs about weights it did not find.
_DRAWN = re.compile(r"^(\S+) *\| *\S*MISSING", re.MULTILINE)


def load_network(
    model: str | Path, name: str, device: str, dtype: torch.dtype | None = None
) -> SentenceTransformer:
    """Load a model, from a folder or by its Hugging Face name, quietly and the same on every load.

    Args:
        model: the folder or name.
        name: what to call it in messages.
        device: where it runs.
        dtype: precision of the weights; ``None`` takes what the device computes best in.
    """
    import torch

    from arborlink.encoders.fused_attention import fuse_attention

    dtype = resolve_precision(device) if dtype is None else dtype
    if is_packed(Path(model)):
        from arborlink.encoders.packed_model.unpacking import load_packed

        return load_packed(Path(model), device, dtype)
    is_local = not _must_download(model)
    with listening(show_bars=not is_local) as messages, torch.random.fork_rng(devices=[]):
        # Weights a folder lacks, such as a pooler nobody uses, are drawn: alike on every load.
        torch.default_generator.manual_seed(0)  # not those of the accelerators, which are not put back
        try:
            network = _load(model, device, dtype, is_local)
        except Exception as error:  # a damaged folder or an absent network raises whatever it likes
            reason = (str(error) or repr(error)).strip().splitlines()[0]
            raise ModelError(
                f"model {name!r} cannot be loaded: {reason}; give a folder with a sentence-transformers or "
                "transformers model, or a Hugging Face name and a network"
            ) from error
    drawn = sorted(key for message in messages for key in _DRAWN.findall(message) if "pooler" not in key)
    if drawn:
        raise ModelError(
            f"model {name!r} has no weights for {drawn[0]} and {len(drawn) - 1} more of its parts: its files are "
            "not all of one model; fetch it again"
        )
    fuse_attention(network)
    return network


def _load(model: str | Path, device: str, dtype: torch.dtype, is_local: bool) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    if _is_span_pooled(Path(model)):
        from arborlink.encoders.span_pooling import load_span_pooled

        return load_span_pooled(Path(model), device, dtype)
    return SentenceTransformer(
        str(model), device=device, model_kwargs={"dtype": dtype}, local_files_only=is_local
    )


def _is_span_pooled(folder: Path) -> bool:
    """Whether one of the folder's modules is our own, which sentence-transformers would not load unasked."""
    try:
        modules: list[dict[str, Any]] = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        return any(module["type"] == _SPAN_POOLING for module in modules)
    except (OSError, ValueError, KeyError, TypeError):
        return False  # not there or damaged: whoever loads the folder will tell


def _must_download(model: str | Path) -> bool:
    """Whether the model has to come over the network: it is a Hugging Face name, and the network is there."""
    if Path(model).is_dir():
        return False
    if Path(model).exists():
        raise ModelError(f"model {str(model)!r} is a file; give the folder that holds it")
    if isinstance(model, Path) or not _HUB_NAME.fullmatch(model):
        raise ModelError(
            f"model {str(model)!r}: there is no such folder, nor can this be a Hugging Face name"
        )
    from huggingface_hub import constants, get_session

    # Asked once: the library itself would try each file of a model five times before it gives up.
    try:
        get_session().head(constants.ENDPOINT, timeout=_PATIENCE)
    except Exception:  # no network, or offline on purpose: the name may still be in the library's own cache
        return False
    return True


@contextmanager
def listening(show_bars: bool) -> Iterator[list[str]]:
    """Collect what the model's libraries would print while they load or save; a user can do little about it.

    Their bars are worth showing only where something is fetched.
    """
    from transformers.utils import logging as settings

    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    hide_bars = settings.is_progress_bar_enabled() and not show_bars
    loggers = [
        logging.getLogger(name) for name in ("sentence_transformers", "transformers", "huggingface_hub")
    ]
    before = [(logger, logger.handlers, logger.propagate) for logger in loggers]
    try:
        if hide_bars:
            settings.disable_progress_bar()  # type: ignore[no-untyped-call]
        for logger in loggers:
            logger.handlers, logger.propagate = [handler], False
        yield messages
    finally:
        for logger, handlers, propagates in before:
            logger.handlers, logger.propagate = handlers, propagates
        if hide_bars:
            settings.enable_progress_bar()  # type: ignore[no-untyped-call]
