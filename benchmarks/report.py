"""Size of a report, and how long a browser takes from asking for the file until it is drawn.

Beside the report itself, its data are put into bare pages in both ways that come into question, plain JSON and JSON
packed by gzip in base64, and read by the browser::

    arborlink link --kb kb.jsonl.gz --documents test.jsonl.gz --output result --threshold 0.75
    python benchmarks/report.py result --output results/report.json
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import time
from base64 import b64decode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from arborlink.corpus import Corpus
from arborlink.files import write_text
from arborlink.knowledge_base import KnowledgeBase
from arborlink.report import asset, report_page
from arborlink.result import Result
from provenance import provenance

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLAIN = "JSON.parse(document.getElementById('data').textContent)"
PACKED = "await unpacked(document.getElementById('data').textContent)"


def main() -> None:
    """Write the report and the two bare pages, open each some times, print the medians."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("result", type=Path, help="A result folder whose inputs are where they were.")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    result = Result.read(arguments.result)
    sources = result.settings["sources"]
    corpus = Corpus.read(sources["documents"]["path"], format=sources["documents"]["format"])
    kb = KnowledgeBase.read(sources["kb"]["path"], format=sources["kb"]["format"])
    start = time.perf_counter()
    page = report_page(result, corpus, kb)
    seconds = time.perf_counter() - start
    figures = {
        **provenance(),
        "n_documents": len(corpus),
        "n_mentions": corpus.n_mentions,
        "repeats": arguments.repeats,
        "making_seconds": round(seconds, 2),
        **measured(page, arguments.repeats),
    }
    print(json.dumps(figures, indent=2))
    if arguments.output is not None:
        with write_text(arguments.output) as stream:
            json.dump(figures, stream, indent=2)
            stream.write("\n")


def measured(page: str, repeats: int) -> dict[str, Any]:
    """Megabytes and seconds of the report and of the bare pages."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    block = page.split('id="data">')[1].split("</script>")[0]
    text = gzip.decompress(b64decode(block)).decode("utf-8").replace("<", "\\u003c")
    pages = {
        "report": page,
        "packed_data": bare_page(block, PACKED),
        "plain_data": bare_page(text, PLAIN),
    }
    found: dict[str, Any] = {}
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        found["browser"] = f"Chromium {browser.version}"
        for name, content in pages.items():
            path = Path(folder) / f"{name}.html"
            path.write_text(content, encoding="utf-8")
            found[f"{name}_megabytes"] = round(path.stat().st_size / 1e6, 2)
            times = [seconds_to_ready(browser, path) for _ in range(repeats)]
            found[f"{name}_seconds"] = round(statistics.median(times), 3)
            found[f"{name}_seconds_slowest"] = round(max(times), 3)
        browser.close()
    return found


def bare_page(data: str, read: str) -> str:
    """A page that does nothing but read its data."""
    script = asset("data.js").replace("export ", "")
    return (
        '<!doctype html><meta charset="utf-8"><main></main>'
        f'<script type="text/plain" id="data">{data}</script>'
        f'<script type="module">{script}\nconst data = {read};\n'
        "document.querySelector('main').dataset.ready = data.mentions.id.length;</script>"
    )


def seconds_to_ready(browser: Browser, path: Path) -> float:
    """From asking for the file to what it shows, in a window without a history."""
    page = browser.new_page()
    start = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("main[data-ready]", state="attached")
    seconds = time.perf_counter() - start
    page.close()
    return seconds


if __name__ == "__main__":
    main()
