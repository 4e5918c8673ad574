"""See to it that there is a Chromium for the browser tests: nothing to do, apt-get, or a word on what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ("chromium", "fonts-dejavu-core")
HOW = (
    "The browser tests need Chromium, and none was found. Install it (Debian and Ubuntu: `apt-get install chromium`; "
    "Fedora: `dnf install chromium`; macOS: `brew install --cask chromium`), or name a Chromium or Chrome that you "
    "have: `CHROMIUM=/path/to/chrome make test`."
)


def installed() -> str | None:
    """The program of ``$CHROMIUM``, else the first that is found."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def install() -> bool:
    """Install it, where this machine has apt-get and we may use it; say whether it is there now."""
    if shutil.which("apt-get") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    print(f"Installing {' and '.join(PACKAGES)} for the browser tests", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    take = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "update", "--quiet"], take):
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    return installed() is not None


def main() -> int:
    """Exit status 0 if there is a Chromium in the end."""
    if installed() or install():
        return 0
    print(HOW, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
