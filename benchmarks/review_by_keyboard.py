"""Review proposals of a workspace in Chromium as a curator would who does not touch the mouse.

A copy of the workspace is served; the script presses keys and reads the page, nothing else. What it decides follows
from what the page shows: a proposal whose nearest known entity is very near is linked to it, one that hangs together
by a weak edge is split there, one with a very short name is left as unsure, others are promoted; every seventh is
rejected, undone and rejected again. It is a stand-in for a person, not a judge::

    arborlink workspace init review --kb kb.jsonl.gz --threshold 0.75
    arborlink workspace add review --documents dev.jsonl.gz
    python benchmarks/review_by_keyboard.py review --output results/review.json
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from arborlink.files import write_text
from provenance import provenance

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from review_screenshots import served

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NEAR = 0.7
WEAK = 0.78
IDLE = '() => !document.querySelector("[aria-busy], dialog[open]")'
MOVED = """(before) => document.getElementById("view").dataset.open !== before
  && !document.querySelector("[aria-busy], dialog[open]")"""
SAVED = '() => document.getElementById("saving").textContent === ""'
LONGEST_WAIT = 240_000.0
SHOWN = """() => {
  const figures = (name) => [...document.querySelectorAll(name)].map((each) => Number(each.textContent));
  const weakest = document.querySelector(".facts small")?.textContent.match(/weakest ([\\d.]+)/);
  const firstFact = document.querySelector(".facts dd");
  return {
    name: document.querySelector(".proposal h1")?.firstChild.textContent ?? null,
    n_mentions: firstFact ? Number(firstFact.textContent.replace(",", "")) : 0,
    nearest: figures(".meter .figure")[0] ?? 0,
    weakest: weakest ? Number(weakest[1]) : 1,
  };
}"""


def main() -> None:
    """Review, print what was done, and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path, help="It is copied; nothing in it changes.")
    parser.add_argument("--proposals", type=int, default=20)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "workspace"
        shutil.copytree(arguments.workspace, copy)
        with served(copy) as address:
            figures = {**provenance(), **reviewed(address, arguments.proposals)}
    print(
        json.dumps(
            {name: figures[name] for name in ("n_reviewed", "actions", "seconds", "progress")}, indent=1
        )
    )
    if arguments.output:
        with write_text(arguments.output) as stream:
            json.dump(figures, stream, indent=1, ensure_ascii=False)
            stream.write("\n")


def reviewed(address: str, n: int) -> dict[str, Any]:
    """Review n proposals; what was done and how long the page took."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.extend(complaint_of(said)))
        start = time.perf_counter()
        page.goto(address)
        page.wait_for_selector(".proposal h1")
        opened = time.perf_counter() - start
        steps = [step(page, number) for number in range(n)]
        page.wait_for_function(SAVED, timeout=LONGEST_WAIT)
        saved = time.perf_counter() - start
        progress = page.locator("#progress").inner_text()
        browser.close()
    assert not complaints, complaints
    seconds = [each["seconds"] for each in steps]
    return {
        "n_reviewed": len(steps),
        "actions": dict(Counter(each["action"] for each in steps)),
        "seconds": {
            "until_open": round(opened, 2),
            "median": round(statistics.median(seconds), 2),
            "slowest": round(max(seconds), 2),
            "until_all_is_saved": round(saved, 2),
        },
        "progress": progress,
        "steps": steps,
    }


def complaint_of(said: ConsoleMessage) -> list[str]:
    """What the page complains of; that the model is still being loaded is no reason to."""
    is_refusal = said.text.startswith("Failed to load resource") and "503" in said.text
    return [said.text] if said.type == "error" and not is_refusal else []


def step(page: Page, number: int) -> dict[str, Any]:
    """One proposal; the time is from the first key until the next proposal stands there."""
    shown = page.evaluate(SHOWN)
    action = choice(shown, number)
    start = time.perf_counter()
    KEYS[action](page)
    seconds = time.perf_counter() - start
    print(f"{number + 1:3} {action:16} {seconds:6.2f} s  {shown['n_mentions']:4} × {shown['name'][:60]}")
    return {"action": action, **shown, "seconds": round(seconds, 3)}


def choice(shown: dict[str, Any], number: int) -> str:
    """What the curator makes of a proposal."""
    if number % 7 == 6:
        return "reject and undo"
    if shown["nearest"] >= NEAR:
        return "link"
    if shown["n_mentions"] >= 4 and shown["weakest"] < WEAK:
        return "split"
    return "unsure" if len(shown["name"]) < 6 else "promote"


def press(page: Page, *keys: str, waits: bool = True) -> None:
    """Press keys; with the last one another proposal comes."""
    before = page.locator("#view").get_attribute("data-open")
    for key in keys:
        page.keyboard.press(key)
    if waits:
        page.wait_for_function(MOVED, arg=before, timeout=LONGEST_WAIT)


def promote(page: Page) -> None:
    """The form as it is filled in."""
    press(page, "p", waits=False)
    page.wait_for_selector("dialog[open] input")
    press(page, "Enter")


def split(page: Page) -> None:
    """At the bottleneck; what is left stays open, so on to the next."""
    press(page, "s", waits=False)
    page.wait_for_selector(".splitting")
    press(page, "b", "Enter", waits=False)
    page.wait_for_selector(".splitting", state="detached", timeout=LONGEST_WAIT)
    page.wait_for_function(IDLE, timeout=LONGEST_WAIT)
    press(page, "j")


def reject_and_undo(page: Page) -> None:
    """Rejected, undone, rejected again."""
    for key in ("x", "z", "x"):
        press(page, key)
        page.wait_for_function(IDLE, timeout=LONGEST_WAIT)


KEYS: dict[str, Callable[[Page], None]] = {
    "promote": promote,
    "split": split,
    "reject and undo": reject_and_undo,
    "link": lambda page: press(page, "1"),
    "unsure": lambda page: press(page, "u"),
}


if __name__ == "__main__":
    main()
