"""The verbs of ``arborlink workspace`` for reviewers: see proposals, decide, undo, look back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arborlink.cli.output import expanded
from arborlink.cli.streams import console as output_console
from arborlink.cli.workspace_output import AsJson, Folder, Wait, print_changes, print_object
from arborlink.errors import InputError

if TYPE_CHECKING:
    from arborlink.workspace import Decision, DiscoveryProposal

Author = Annotated[str | None, typer.Option(help="Who decides.")]
_USAGE = {
    "promote": "promote ID",
    "reject": "reject ID",
    "merge": "merge ID ID…",
    "split": "split ID MENTION…",
    "together": "together MENTION MENTION…",
    "apart": "apart MENTION MENTION",
    "relink": "relink MENTION ENTITY",
    "unlink": "unlink MENTION ENTITY",
}


def proposals(
    folder: Folder,
    min_mentions: Annotated[
        int, typer.Option(min=1, help="Leave out discoveries with fewer mentions than this.")
    ] = 1,
    top: Annotated[
        int, typer.Option(min=0, help="Evidence mentions and nearest entities of each, at most.")
    ] = 5,
    context: Annotated[
        int, typer.Option(min=0, help="Characters on each side of an evidence mention, at most.")
    ] = 80,
    rows: Annotated[int, typer.Option(min=0, help="Proposals to print.")] = 20,
    rejected: Annotated[bool, typer.Option("--rejected", help="Those that were rejected.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print what was discovered, the most valuable first."""
    from arborlink.workspace import Workspace

    with Workspace.open(expanded(folder)) as workspace:
        found = workspace.proposals(min_mentions=min_mentions, top=top, context=context, rejected=rejected)
    if as_json:
        print_object([each.to_dict() for each in found])
        return
    if not found:
        typer.echo("Nothing is proposed")
    for each in found[:rows]:
        _print_proposal(each)
    if len(found) > rows:
        typer.echo(f"… and {len(found) - rows:,} more")


def decide(
    folder: Folder,
    kind: Annotated[
        str,
        typer.Argument(help="promote, reject, merge, split, together, apart, relink or unlink."),
    ],
    ids: Annotated[
        list[str], typer.Argument(help="What it is about: ids of discoveries, mentions or entities.")
    ],
    name: Annotated[
        str | None, typer.Option(help="promote: name of the entity.  [default: drawn from the mentions]")
    ] = None,
    alias: Annotated[list[str] | None, typer.Option(help="promote: another name; may be repeated.")] = None,
    type_: Annotated[
        list[str] | None, typer.Option("--type", help="promote: a type; may be repeated.")
    ] = None,
    description: Annotated[str | None, typer.Option(help="promote: what the entity is.")] = None,
    author: Author = None,
    if_version: Annotated[
        int | None, typer.Option(min=0, help="Refuse if this has changed since that version.")
    ] = None,
    wait: Wait = 30.0,
    as_json: AsJson = False,
) -> None:
    """Decide about what was discovered; every later partition honours it."""
    from arborlink.workspace import Workspace

    details = {
        "name": name,
        "aliases": tuple(alias) if alias else None,
        "types": tuple(type_) if type_ else None,
        "description": description,
    }
    decision = _decision(kind, ids, details)
    with Workspace.open(expanded(folder), wait=wait) as workspace:
        print_changes(workspace.decide(decision, author=author, if_version=if_version), as_json)


def undo(
    folder: Folder,
    decision: Annotated[
        int | None, typer.Argument(help="Number of the decision.  [default: the last one in force]")
    ] = None,
    author: Author = None,
    wait: Wait = 30.0,
    as_json: AsJson = False,
) -> None:
    """Undo a decision."""
    from arborlink.workspace import Workspace

    with Workspace.open(expanded(folder), wait=wait) as workspace:
        print_changes(workspace.undo(decision, author=author), as_json)


def decisions(folder: Folder, as_json: AsJson = False) -> None:
    """Print all decisions, undone ones as well."""
    from arborlink.workspace import Workspace

    with Workspace.open(expanded(folder)) as workspace:
        found = workspace.decisions()
    if as_json:
        print_object([each.to_dict() for each in found])
        return
    for each in found:
        given = {name: value for name, value in each.decision.to_dict().items() if value is not None}
        told = " ".join(_told(value) for value in given.values())
        author = f" by {each.author}" if each.author else ""
        undone = f", undone {each.undone_time}" if not each.is_in_force else ""
        typer.echo(f"{each.id}  {told}{author}, {each.time}{undone}")
    if not found:
        typer.echo("Nothing was decided")


def history(
    folder: Folder,
    discovery: Annotated[
        str | None, typer.Argument(metavar="ID", help="A discovery.  [default: the log of all versions]")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print what happened to a discovery, or what made each version."""
    from arborlink.workspace import Workspace

    with Workspace.open(expanded(folder)) as workspace:
        events = workspace.log() if discovery is None else workspace.history(discovery)
    if discovery is not None and not events:
        raise InputError(f"there never was a discovery {discovery} in {folder}")
    if as_json:
        print_object([event.to_dict() for event in events])
        return
    for event in events:
        typer.echo(f"version {event.version}  {event.time}  {event}")


def explain(
    folder: Folder,
    mention: Annotated[str, typer.Argument(help="Id of a mention.")],
    as_json: AsJson = False,
) -> None:
    """Print why a mention is where it is."""
    from arborlink.workspace import Workspace

    with Workspace.open(expanded(folder)) as workspace:
        found = workspace.explain(mention)
    if as_json:
        print_object(found.to_dict())
    else:
        typer.echo(str(found))


def _decision(kind: str, ids: list[str], details: dict[str, Any]) -> Decision:
    """The decision of the words on the command line."""
    from arborlink.workspace import Apart, Merge, Promote, Reject, Relink, Split, Together, Unlink

    if kind not in _USAGE:
        raise InputError(f"there is no decision {kind!r}; choose one of {', '.join(_USAGE)}")
    if kind != "promote" and any(value is not None for value in details.values()):
        raise InputError("--name, --alias, --type and --description go with promote alone")
    match kind, ids:
        case "promote", [discovery]:
            return Promote(discovery, **details)
        case "reject", [discovery]:
            return Reject(discovery)
        case "merge", [_, _, *_]:
            return Merge(tuple(ids))
        case "split", [discovery, _, *_]:
            return Split(discovery, tuple(ids[1:]))
        case "together", [_, _, *_]:
            return Together(tuple(ids))
        case "apart", [one, other]:
            return Apart(one, other)
        case "relink", [mention, entity]:
            return Relink(mention, entity)
        case "unlink", [mention, entity]:
            return Unlink(mention, entity)
    raise InputError(f"{kind} was given {len(ids)} ids; expected: {_USAGE[kind]}")


def _told(value: Any) -> str:
    return " ".join(value) if isinstance(value, tuple | list) else str(value)


def _print_proposal(each: DiscoveryProposal) -> None:
    proposal = each.proposal
    also = ", ".join(alias.text for alias in proposal.aliases[:5])
    near = ", ".join(f"{entity.name} {entity.affinity:.3f}" for entity in proposal.nearest[:2])
    console = output_console()
    console.print(f"{each.id}  {proposal.name}", soft_wrap=True)
    counts = f"{proposal.n_mentions} mentions in {proposal.n_documents} documents, version {each.version}"
    console.print(f"  {counts}" + (f"; also {also}" if also else ""), soft_wrap=True)
    if near:
        console.print(f"  nearest known: {near}", soft_wrap=True)
    for evidence in proposal.evidence[:2]:
        said = f"{evidence.before}[{evidence.text}]{evidence.after}"
        console.print(f"  {evidence.mention}: {' '.join(said.split())}", soft_wrap=True)
