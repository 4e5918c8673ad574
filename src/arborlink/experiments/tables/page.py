"""docs/results.md, from results alone."""

from __future__ import annotations

from collections.abc import Sequence

from arborlink.experiments.results import Result
from arborlink.experiments.tables.discovery_tables import discovery_difference_table, discovery_table
from arborlink.experiments.tables.linking_tables import (
    accuracy_table,
    difference_table,
    recall_table,
    tie_table,
)
from arborlink.experiments.tables.rows import TRAININGS, Row, data_sets_of, rows_of
from arborlink.experiments.tables.sizes_and_times import (
    efficiency_table,
    provenance_table,
    statistics_table,
)

_ABOUT = {
    "medmentions": "MedMentions ST21pv abstracts, linked to an open knowledge base; not UMLS.",
    "wikis": "Seven wikis in ZeShEL's form, the worlds of test unseen in training. Not ZeShEL: these figures must "
    "not stand beside published ones.",
    "bc5cdr": "BC5CDR abstracts, linked to MeSH; the type of a mention is known, and it only meets its own.",
    "medmentions_umls": "MedMentions ST21pv as published, linked to UMLS.",
    "zeshel": "ZeShEL as published.",
}
_PROTOCOL = """\
Dev chooses, test reports: the k of every mode and the mode (`*`), the epoch, the threshold. Accuracy is over the
linkable mentions, those with a gold entity in the knowledge base; of a composite mention any id is right. Seen and
unseen: a gold entity is in the train split, or not. Intervals are 95 % percentile intervals over 1,000 draws of test
documents; of several seeds, the means are compared. Differences are between pairs on the same draws, bold where the
interval leaves out zero. In discovery, NMI and ARI are over all mentions of known gold cluster, and the interval is
moved to lie around the value measured. With examples: the labelled mentions of train vote for their entities. With a
re-ranker: it gives the nearest entities of each mention a new order; how much the towers have to say beside it is
chosen on dev as well. Rows that have no result say "not run"."""
_TIES = """\
Of entities that are equally near to a mention, the first in the knowledge base's file is taken. Accuracy of the
nearest entity so, and the mean over all orders of the file. Rows without equally near entities are left out, and
those that were measured before this was:"""
_HIDDEN = """\
*Hidden*: 10 % of the entities with a gold mention are taken out of the knowledge base, by seed; k and one of ten
thresholds are chosen on dev, from which entities are taken out likewise. The models were trained with all of them."""
_MISSING = """\
*Missing*: the entities that the knowledge base really lacks; every threshold is tried on dev. Where dev lacks none,
those of its entities that train does not mention are taken out to choose by. Accuracy is at that threshold."""


def results_page(results: Sequence[Result], command: str, pictures: dict[str, str] | None = None) -> str:
    """The page.

    Args:
        results: all of them; trials, which have a limit on documents, are left out.
        command: what made the page.
        pictures: paths of pictures, relative to the page, by title.
    """
    whole = [result for result in results if result["limit"] is None]
    data_sets = data_sets_of(whole)
    by_data_set = {name: rows_of(whole, name) for name in data_sets}
    parts = [
        "# Results\n",
        f"Made by `{command}` from the files there; [experiments_howto.md](experiments_howto.md) says how to make "
        "those. Do not edit.\n",
        _PROTOCOL + "\n",
        *_of_dev_examples(whole),
        *_of_name_shares([row for rows in by_data_set.values() for row in rows]),
    ]
    parts += ["## Table 1: linking accuracy\n"]
    for name, rows in by_data_set.items():
        parts += _linking(name, rows)
    parts += ["## Table 2: recall@64\n", recall_table(dict(by_data_set.items()))]
    parts += ["## Table 3: discovery\n", _HIDDEN + "\n", _MISSING + "\n"]
    for name, rows in by_data_set.items():
        parts += _discovery(name, _that_cluster(rows))
    parts += ["## Table 4: the data\n", statistics_table(whole, data_sets)]
    parts += [
        "## Table 5: time against accuracy\n",
        "Training includes mining and judging on dev; inference is encoding of mentions and entities, search, "
        "re-ranking if there is any, and partition of the test split. The paper's hours are those it reports for "
        "MedMentions with all of UMLS and BERT-base, on hardware of its time.\n",
    ]
    for name, rows in by_data_set.items():
        parts += [f"### {name}\n", efficiency_table(rows, paper=name.startswith("medmentions"))]
    if pictures:
        parts += ["## Pictures\n", *(f"![{title}]({path})\n" for title, path in pictures.items())]
    parts += [
        "## Where they come from\n",
        provenance_table(whole) if whole else "There are no results yet.\n",
    ]
    return "\n".join(parts)


def _of_dev_examples(results: Sequence[Result]) -> list[str]:
    """What is different in the rows whose examples are those of dev as well."""
    names = sorted({result["row"] for result in results if result["experiment"].get("dev_examples")})
    if not names:
        return []
    return [
        f"Rows with examples of {', '.join(names)}: on test the labelled mentions of dev vote as well, once dev has "
        "chosen; seen is also what dev mentions.\n"
    ]


def _of_name_shares(rows: Sequence[Row]) -> list[str]:
    """The shares of names that dev chose, one for each row whose run gave it some to choose from."""
    chosen = [
        f"{row.data_set}, {row.name} {' and '.join(dict.fromkeys(f'{each:g}' for each in shares))}"
        for row in rows
        if (shares := row.values("name_share", "share"))
    ]
    return [f"Shares of names beside towers that dev chose: {'; '.join(chosen)}.\n"] if chosen else []


def _linking(name: str, rows: list[Row]) -> list[str]:
    parts = [f"### {name}\n", _ABOUT.get(name, "") + "\n", accuracy_table(rows)]
    if any(row.of("linking_mapped") for row in rows):
        parts += ["With retired gold ids replaced by current ones:\n", accuracy_table(rows, "linking_mapped")]
    parts += ["Differences, in points:\n", difference_table(rows)]
    ties = tie_table(rows)
    return parts if ties is None else [*parts, _TIES + "\n", ties]


def _discovery(name: str, rows: list[Row]) -> list[str]:
    parts = [f"### {name}, hidden entities\n", discovery_table(rows, "hidden")]
    parts += ["Differences:\n", discovery_difference_table(rows, "hidden")]
    parts += [f"### {name}, missing entities\n", discovery_table(rows, "missing")]
    return [*parts, "Differences:\n", discovery_difference_table(rows, "missing")]


def _that_cluster(rows: list[Row]) -> list[Row]:
    """Without baselines, which know no neighbours."""
    return [row for row in rows if row.name in TRAININGS or row.of("hidden") or row.of("missing")]
