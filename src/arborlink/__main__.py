"""``python -m arborlink``: the command line, for launchers that start modules (``accelerate launch -m``)."""

from __future__ import annotations

from arborlink.cli.main import main

if __name__ == "__main__":
    main()
