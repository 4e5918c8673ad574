"""``arborlink link``: documents and a knowledge base in, links and clusters out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arborlink.cli.kb import read_kb
from arborlink.cli.options import (
    Cache,
    Device,
    ExamplesOption,
    Format,
    KbFormat,
    Model,
    NameShareOption,
    NoCache,
    SharedWordsOption,
    Shortlist,
    SkipInvalid,
    check_name_share,
    check_shared_words,
    parsed_threshold,
    read_examples,
)
from arborlink.cli.output import check_output, expanded, explain_command
from arborlink.cli.report import check_report_file, sources
from arborlink.cli.skipped import report_skipped
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.knowledge_base import KnowledgeBase
    from arborlink.result import Result


def link(
    kb: Annotated[Path, typer.Option(help="The knowledge base.")],
    documents: Annotated[Path, typer.Option(help="The documents, with their mentions marked.")],
    output: Annotated[Path, typer.Option(help="Folder for links.jsonl, clusters.jsonl and manifest.json.")],
    model: Model = None,
    entity_model: Annotated[
        str | None, typer.Option(help="The entity tower, where --model is only the mention tower.")
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(help="What an untrained model compares: names, or mentions in context (context)."),
    ] = None,
    inference: Annotated[
        str | None,
        typer.Option(
            help="directed, undirected, minimax or independent.  [default: the model's own, else directed]"
        ),
    ] = None,
    neighbours: Annotated[
        int | None,
        typer.Option(
            min=0, help="Mentions that each mention is joined to.  [default: the model's own, else 1]"
        ),
    ] = None,
    threshold: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|none|model",
            help="Least affinity of an edge: mentions that no entity reaches become discovered entities. none: "
            "every mention is linked. model: the model's own, else none.",
        ),
    ] = "model",
    detour: Annotated[
        float | None,
        typer.Option(
            help="What is taken off the affinity of two mentions in the graph.  [default: the model's own, else 0]"
        ),
    ] = None,
    by_type: Annotated[
        bool | None,
        typer.Option(
            "--by-type/--no-by-type",
            help="Mentions only meet entities of their own type or none.  [default: the model's own, else not]",
        ),
    ] = None,
    candidates: Annotated[
        int,
        typer.Option(min=0, help="Also write candidates.jsonl with the nearest entities of each mention."),
    ] = 0,
    calibration: Annotated[
        Path | None,
        typer.Option(
            help="A file of `arborlink calibrate`: how sure links are.  [default: the model's own, if any]"
        ),
    ] = None,
    target_error: Annotated[
        float | None,
        typer.Option(
            help="Share of wrong answers to keep to, for the answers linked, new and unsure.  "
            "[default: the calibration's own]"
        ),
    ] = None,
    rerank: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Nearest entities of each mention that the model's re-ranker looks at again; 0: none.  "
            "[default: the re-ranker's own number, if the model has one]",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Also write an HTML report of the result into this file.")
    ] = None,
    examples: ExamplesOption = None,
    name_share: NameShareOption = None,
    shared_words: SharedWordsOption = 0.0,
    shortlist: Shortlist = 32,
    device: Device = "auto",
    cache: Cache = None,
    no_cache: NoCache = False,
    format: Format = None,
    kb_format: KbFormat = None,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Link the mentions of documents to a knowledge base, and discover what it lacks."""
    import gc

    from arborlink.corpus import Corpus
    from arborlink.formats import Problems
    from arborlink.partition import MODES

    if inference is not None and inference not in MODES:
        raise InputError(f"--inference {inference} is not known; choose one of {', '.join(MODES)}")
    if view not in (None, "names", "context"):
        raise InputError(f"--view {view} is not known; choose names or context")
    least = parsed_threshold(threshold)
    if detour is not None:
        from arborlink.encoders.model_settings import checked_detour

        checked_detour(detour)
    check_name_share(name_share)
    check_shared_words(shared_words)
    output = expanded(output)
    check_output(output, kb, documents)
    if report is not None:
        report = expanded(report)
        check_report_file(report, output, kb, documents)
    problems = Problems(skip=skip_invalid)
    entities = read_kb(kb, kb_format, problems)
    corpus = Corpus.read(documents, format=format, problems=problems)
    voters = read_examples(examples, format, problems)
    report_skipped(problems)
    gc.freeze()  # all of this stays to the end; the collector need not walk it again and again
    if not corpus.n_mentions:
        raise InputError("the documents have no mentions: mark the spans to be linked", documents)
    # The model's libraries take seconds to import: bad input is told first.
    from arborlink.linker import Linker

    options: dict[str, Any] = {"entity_model": entity_model, "view": view, "shortlist": shortlist}
    options["reranker"] = rerank != 0
    kept: Path | bool = False if no_cache else expanded(cache) if cache is not None else True
    linker = Linker.load(model, device=device, cache=kept, calibration=calibration, **options).with_examples(
        voters
    )
    if detour is not None:
        linker = linker.with_detour(detour)
    linker = linker.with_name_share(name_share).with_shared_words(shared_words)
    result = linker.link(
        corpus,
        entities,
        inference=inference,
        neighbours=neighbours,
        threshold=least,
        by_type=by_type,
        candidates=candidates,
        target_error=target_error,
        rerank=rerank,
    )
    result.settings["n_skipped"] = problems.n_skipped
    result.settings["sources"] = sources(documents, format, kb, kb_format, skip_invalid)
    result.write(output)
    typer.echo(summary(result))
    for line in (*_ties(result), *_advice(entities, shared_words)):
        typer.echo(line)
    question = explain_command(output, result.links[0].mention)
    typer.echo(f"Written to {output}; ask why with: {question}")
    if report is not None:
        from arborlink.report import write_report

        write_report(report, result, corpus, entities, title=output.absolute().name)
        typer.echo(f"The report is in {report}; open it in a browser")


def _ties(result: Result) -> list[str]:
    """Mentions whose entity is one of several that are equally near, with the commonest of them."""
    n_tied = result.settings["n_tied"]
    if not n_tied:
        return []
    pairs = Counter(
        (link.text, link.entity, link.runner_up.entity)
        for link in result.links
        if link.is_tied and link.runner_up is not None
    )
    text, entity, other = pairs.most_common(1)[0][0]
    are = "mention is" if n_tied == 1 else "mentions are"
    shown = " ".join(text.split())
    return [
        f'{n_tied:,} {are} as near to several entities ("{shown}": {entity}, {other}) and linked to the first in '
        "the knowledge base; descriptions, other names or --examples tell them apart"
    ]


def _advice(kb: KnowledgeBase, shared_words: float) -> list[str]:
    """What would most likely link better, if it was not asked for."""
    from arborlink.shared_words import LONG, USUAL_SHARE, usual_length

    length = 0 if shared_words else usual_length(kb)
    if length < LONG:
        return []
    return [
        f"Descriptions have {length:,} words (median): --shared-words {USUAL_SHARE:g} would compare them with what "
        "stands around mentions"
    ]


def summary(result: Result) -> str:
    """What was linked and discovered, how sure it is, and what took its time, in one to four lines."""
    settings = result.settings
    n_unlinked = settings["n_mentions"] - settings["n_linked"]
    found = f", {n_unlinked:,} in {_counted(settings['n_discovered'], 'discovered entity')}"
    lines = [
        f"{_counted(settings['n_mentions'], 'mention')} of {_counted(settings['n_documents'], 'document')}, "
        f"{_counted(settings['n_entities'], 'entity')}: {_counted(settings['n_linked'], 'mention')} linked"
        + (found if n_unlinked else ""),
        *_own_labels(settings.get("n_documents_in_examples", 0)),
        *_answers(settings.get("calibration")),
    ]
    spent = {step: seconds for step, seconds in settings["seconds"].items() if seconds >= 0.05}
    if spent:
        lines.append("Seconds: " + ", ".join(f"{step} {seconds:.1f}" for step, seconds in spent.items()))
    return "\n".join(lines)


def _own_labels(n_documents: int) -> list[str]:
    if not n_documents:
        return []
    are = "is" if n_documents == 1 else "are"
    return [
        f"{_counted(n_documents, 'document')} {are} among the examples: no label voted in its own document"
    ]


def _answers(said: Mapping[str, Any] | None) -> list[str]:
    if said is None:
        return []
    if not said["applied"]:
        return [f"No probabilities: the calibration does not fit; {said['reason']}"]
    return [
        f"Answers at a target error of {said['target_error']:g}: {said['n_linked']:,} linked, {said['n_new']:,} new, "
        f"{said['n_unsure']:,} unsure"
    ]


def _counted(n: int, noun: str) -> str:
    if n != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun}"
