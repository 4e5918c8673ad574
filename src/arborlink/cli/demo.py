"""``arborlink demo``: the main job on a small made-up world, from files to explanation to figures."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arborlink.cli.options import Model
from arborlink.cli.output import check_output, expanded, explain_command
from arborlink.cli.report import sources
from arborlink.cli.streams import console as output_console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from arborlink.corpus import Corpus
    from arborlink.discovery import Tuning
    from arborlink.knowledge_base import KnowledgeBase
    from arborlink.linker import Linker
    from arborlink.result import Result

# For models that have no threshold of their own; read off this world's labels (docs/demo.md).
THRESHOLD = 0.5


def demo(
    output: Annotated[
        Path, typer.Option(help="Folder for the result, to try explain and evaluate on.")
    ] = Path("demo-output"),
    model: Model = None,
    files: Annotated[
        Path | None,
        typer.Option(
            help="Only write the world into this folder, to train on: kb.jsonl, train.jsonl, dev.jsonl, test.jsonl."
        ),
    ] = None,
) -> None:
    """Link a made-up harbour town's papers to its register, and discover who is missing from it."""
    if files is not None:
        _write_files(expanded(files))
        return
    from arborlink.corpus import Corpus
    from arborlink.demo import demo_documents_path, demo_kb_path
    from arborlink.knowledge_base import KnowledgeBase
    from arborlink.linker import Linker
    from arborlink.report import write_report

    output = expanded(output)
    check_output(output)
    kb, corpus = KnowledgeBase.read(demo_kb_path()), Corpus.read(demo_documents_path())
    console = output_console()
    gold = {label for _, mention in corpus.mentions for label in mention.entities or ()}
    console.print(
        f"The demo world: {len(corpus)} documents with {corpus.n_mentions} mentions, a knowledge base of "
        f"{len(kb)} entities, and {sum(label not in kb for label in gold)} entities that it lacks."
    )
    linker = Linker.load(model)
    own = linker.defaults.threshold
    threshold = THRESHOLD if own is None else own
    alone = linker.link(corpus, kb, inference="independent", threshold=None)
    result = linker.link(corpus, kb, threshold=threshold)
    result.settings["sources"] = sources(
        demo_documents_path(), None, demo_kb_path(), None, skip_invalid=False
    )
    result.write(output)
    shown = rescued(corpus, alone, result)
    _print(console, "Links that only other mentions make possible", link_table(result, alone, shown))
    _print(console, f"Discovered entities (threshold {threshold:g})", discovery_table(corpus, result))
    if shown:
        console.print("\nOne explanation", style="bold")
        console.print(str(result.explain(_longest_path(corpus, result, shown))))
    _print(console, "Measured against the labels", score_table(corpus, kb, linker, result, threshold))
    page = output / "report.html"
    write_report(page, result, corpus, kb, tuning=_curves(linker, corpus, kb), title="The papers of Wendle")
    console.print(f"\nA report to look at is in {page}: open it in a browser.", soft_wrap=True)
    console.print(f"The result is in {output}. Try next:", soft_wrap=True)
    for mention in shown[:1]:
        console.print(f"  {explain_command(output, mention)}", soft_wrap=True)
    options = ("--links", output, "--documents", demo_documents_path(), "--kb", demo_kb_path())
    console.print(f"  {shlex.join(['arborlink', 'evaluate', *map(str, options)])}", soft_wrap=True)


def _write_files(folder: Path) -> None:
    from arborlink.demo import demo_kb_path, demo_splits
    from arborlink.files import write_text

    with write_text(folder / "kb.jsonl") as stream:
        stream.write(demo_kb_path().read_text(encoding="utf-8"))
    counts = []
    for name, corpus in demo_splits().items():
        corpus.write(folder / f"{name}.jsonl")
        counts.append(f"{name}.jsonl ({len(corpus)} documents, {corpus.n_mentions} mentions)")
    typer.echo(f"Written to {folder}: kb.jsonl, {', '.join(counts)}")


def rescued(corpus: Corpus, alone: Result, result: Result) -> list[str]:
    """Mentions that the graph links rightly and that on their own go wrong, one for each string."""
    by_text: dict[str, str] = {}
    for _, mention in corpus.mentions:
        gold = mention.entities or ()
        if result[mention.id].entity in gold and alone[mention.id].entity not in gold:
            by_text.setdefault(result[mention.id].text.casefold(), mention.id)
    return list(by_text.values())


def link_table(result: Result, alone: Result, mentions: list[str]) -> Table:
    """What each of these mentions was linked to, through whom, and where it would have gone alone."""
    table = _table("mention", "linked to", "through the mention", "and on its own")
    for mention in mentions[:10]:
        link = result[mention]
        parent = result[link.parent].text if link.parent_kind == "mention" and link.parent else "–"
        table.add_row(link.text, link.name or "–", parent, alone[mention].name or "–")
    return table


def discovery_table(corpus: Corpus, result: Result) -> Table:
    """The clusters without an entity, largest first."""
    table = _table("proposed name", "mentions", "documents", "also called", "nearest entity")
    for cluster in result.discovered:
        links = [result[mention] for mention in cluster.mentions]
        also = dict.fromkeys(link.text for link in links if link.text.casefold() != cluster.name.casefold())
        near = max(
            (link.runner_up for link in links if link.runner_up), key=lambda c: c.affinity, default=None
        )
        table.add_row(
            cluster.name,
            str(len(links)),
            str(len({link.document for link in links})),
            ", ".join(list(also)[:2]),
            f"{near.name} ({near.affinity:.2f})" if near else "–",
        )
    return table


def score_table(corpus: Corpus, kb: KnowledgeBase, linker: Linker, result: Result, threshold: float) -> Table:
    """Accuracy and discovery of each mention on its own, and of the graph, with the same threshold."""
    from arborlink.evaluation import evaluate

    table = _table("", "on its own", "in the graph", "what it is")
    alone = linker.link(corpus, kb, inference="independent", threshold=threshold)
    figures = [evaluate(each, corpus, kb, bootstrap=0).to_dict() for each in (alone, result)]
    rows = (
        ("accuracy", "linkable mentions linked rightly"),
        ("nil_recall", "mentions of missing entities left unlinked"),
        ("nil_precision", "unlinked mentions that are of missing ones"),
        ("nmi_ari_mean", "all mentions as clusters, (NMI + ARI) / 2"),
    )
    for key, meaning in rows:
        values = [figure[key] for figure in figures]
        table.add_row(
            key, *(f"{value:.3f}" if isinstance(value, float) else "–" for value in values), meaning
        )
    return table


def _table(*headers: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(*headers, box=box.SIMPLE_HEAD, pad_edge=False)


def _curves(linker: Linker, corpus: Corpus, kb: KnowledgeBase) -> Tuning:
    """Figures by threshold for the way the demo links; on its own labels, as the threshold was chosen."""
    from arborlink.discovery import tune

    way = linker.defaults
    return tune(linker, corpus, kb, modes=[way.mode], neighbours=[way.neighbours])


def _longest_path(corpus: Corpus, result: Result, mentions: list[str]) -> str:
    """The mention with the longest path, one that keeps to the mentions of its entity if there is any."""
    gold = {mention.id: mention.entities or () for _, mention in corpus.mentions}

    def worth(mention: str) -> tuple[bool, int]:
        steps = result.explain(mention).steps
        return all(result[mention].entity in gold[step.mention] for step in steps), len(steps)

    return max(mentions, key=worth)


def _print(console: Console, title: str, table: Table) -> None:
    console.print(f"\n{title}", style="bold")
    console.print(table)
