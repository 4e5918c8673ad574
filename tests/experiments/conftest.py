"""The three data sets in their layouts, made up and tiny, and run files for them."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

Marked = tuple[str, str, str]  # surface, type, gold id
MakeRun = Callable[..., Path]
RunCommand = Callable[..., Any]

LETTERS = "abdegiklmnorstu"
_chance = random.Random(7)
NAMES = ["".join(_chance.choices(LETTERS, k=6)) for _ in range(60)]
BETWEEN = ("so", "we saw", "near", "then", "with")


def packed(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


def sentence(marked: Sequence[Marked], chance: random.Random) -> tuple[str, list[tuple[int, int, Marked]]]:
    """A text with these mentions in it, and where they are."""
    text, spans = "", []
    for each in marked:
        text += f"{chance.choice(BETWEEN)} "
        spans.append((len(text), len(text) + len(each[0]), each))
        text += f"{each[0]} "
    return text.rstrip(), spans


def drawn(kinds: Sequence[Marked], n: int, chance: random.Random) -> list[list[Marked]]:
    return [chance.sample(list(kinds), 3) for _ in range(n)]


def medmentions(folder: Path) -> None:
    """C0 to C11 in the knowledge base, of which train never mentions C8 to C11; N1 and N2 are missing."""
    chance = random.Random(1)
    packed(
        folder / "kb.jsonl.gz",
        (
            json.dumps({"id": f"C{i}", "name": NAMES[i], "aliases": [NAMES[i + 12]], "types": []})
            for i in range(12)
        ),
    )
    known = [(NAMES[i + shift], "", f"C{i}") for i in range(12) for shift in (0, 12)]
    missing = [(NAMES[24], "", "N1"), (NAMES[25], "", "N2")]
    splits = {"train": (known[:16], 14), "dev": (known, 8), "test": ([*known, *missing, *missing], 10)}
    for split, (kinds, n) in splits.items():
        records = []
        for number, marked in enumerate(drawn(kinds, n, chance)):
            text, spans = sentence(marked, chance)
            mentions = [{"start": start, "end": end, "entity": each[2]} for start, end, each in spans]
            records.append(json.dumps({"id": f"{split}{number}", "text": text, "mentions": mentions}))
        packed(folder / f"{split}.jsonl.gz", records)


def bc5cdr(folder: Path) -> None:
    """D0 to D9, every other one a chemical; X0 is a retired id of D0, -1 stands for no entity."""
    chance = random.Random(2)
    kinds = [(NAMES[30 + i], "Disease" if i % 2 else "Chemical", f"D{i}") for i in range(10)]
    packed(
        folder / "kb.jsonl.gz",
        (json.dumps({"id": id_, "name": name, "types": [kind]}) for name, kind, id_ in kinds),
    )
    (folder / "retired_id_map.json").write_text('{"X0": "D0"}')
    odd = [(NAMES[30], "Chemical", "X0"), (NAMES[45], "Disease", "-1"), (NAMES[46], "Disease", "M1")]
    for split, n in {"train": 12, "dev": 8, "test": 8}.items():
        lines = []
        for number, marked in enumerate(drawn([*kinds, *odd], n, chance)):
            text, spans = sentence(marked, chance)
            lines += [f"{split}{number}|t|{text}", f"{split}{number}|a|"]
            lines += [
                f"{split}{number}\t{start}\t{end}\t{surface}\t{kind}\t{id_}"
                for start, end, (surface, kind, id_) in spans
            ]
            lines.append("")
        packed(folder / f"{split}.pubtator.gz", lines)


def wikis(folder: Path) -> None:
    """Worlds north and south for train, east for val, west for test; a name of one world may be one of another's."""
    chance = random.Random(3)
    worlds = {"north": "train", "south": "train", "east": "val", "west": "test"}
    mentions: dict[str, list[dict[str, Any]]] = {}
    for place, (world, split) in enumerate(worlds.items()):
        names = [NAMES[2 * place + i] for i in range(8)]
        pages: list[dict[str, Any]] = [
            {"title": name, "text": f"{name} is of {world}", "document_id": f"{world}-{name}"}
            for name in names
        ]
        for number in range(8):
            marked = [(name, world, f"{world}-{name}") for name in chance.sample(names, 3)]
            marked.append((NAMES[50 + number % 2], world, f"NIL:{world}{number % 2}"))
            text, _ = sentence(marked, chance)
            page = f"{world}-page{number}"
            pages.append({"title": f"page {number}", "text": text, "document_id": page, "entity": False})
            tokens = text.split(" ")
            for surface, _, gold in marked:
                where = tokens.index(surface)
                nil = gold.startswith("NIL")
                mentions.setdefault(f"mentions_nil/{split}" if nil else f"mentions/{split}", []).append(
                    {
                        "mention_id": f"{page}-{where}",
                        "context_document_id": page,
                        "corpus": world,
                        "start_index": where,
                        "end_index": where,
                        "text": surface,
                        "label_document_id": gold,
                        "category": "LOW_OVERLAP",
                    }
                )
        packed(folder / "documents" / f"{world}.json.gz", map(json.dumps, pages))
    of_north = [each for each in mentions["mentions/train"] if each["corpus"] == "north"]
    mentions["mentions/heldout_train_seen"] = of_north[:2]
    mentions["mentions/heldout_train_unseen"] = of_north[2:3]
    mentions["mentions_by_world/north"] = of_north
    for name, records in mentions.items():
        packed(folder / f"{name}.json.gz", map(json.dumps, records))


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the folders of the three data sets."""
    folder = tmp_path_factory.mktemp("data")
    medmentions(folder / "medmentions")
    bc5cdr(folder / "bc5cdr")
    wikis(folder / "wikis")
    return folder


@pytest.fixture
def make_run(tmp_path: Path, tiny_model: Path) -> MakeRun:
    """``make_run("name", evaluate=["wikis"], objective="knn")``: a run file with quick settings."""

    def make(name: str, objective: str = "joint", **experiment: Any) -> Path:
        lines = ["[experiment]", *(f"{key} = {json.dumps(value)}" for key, value in experiment.items())]
        lines += [
            "[encoder]",
            f"base = {json.dumps(str(tiny_model))}",
            "mention_tokens = 32",
            "entity_tokens = 32",
        ]
        lines += ["[objective]", f'name = "{objective}"', "entity_negatives = 3", "mention_negatives = 3"]
        lines += ["[trainer]", "epochs = 1", "batch_size = 16", "block_size = 4", "learning_rate = 2e-3"]
        lines += ['precision = "fp32"', "[dev]", "neighbours = [1, 2]"]
        path = tmp_path / f"{name}.toml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return make


@pytest.fixture
def run(run_command: RunCommand, data_folder: Path, tmp_path: Path) -> RunCommand:
    """``run(path, "--seed", 1)``: into the folder ``out``."""

    def run_them(*arguments: object) -> Any:
        fixed = ("--data", data_folder, "--output", tmp_path / "out", "--device", "cpu")
        return run_command("experiment", "run", *arguments, *fixed)

    return run_them
