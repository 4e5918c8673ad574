"""What a training did: for the folder, the model card and the screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arborlink.encoders.model_folder import Inference
from arborlink.training.course import Course, Epoch


@dataclass(frozen=True)
class TrainingReport:
    """A finished training.

    Args:
        config: every setting.
        n_entities: size of the knowledge base.
        examples: mentions of the training documents, by kind.
        dev: mentions of the dev documents, by kind; ``None`` without dev.
        epochs: what each did.
        losses: (step, mean loss since the entry before).
        sizes: mentions of a step, tokens of a chunk (0: a step's activations are all kept) and tokens whose
            activations are kept where there are chunks, as they were in this run.
        inference: how the model links unless told otherwise.
    """

    config: dict[str, Any]
    n_entities: int
    examples: dict[str, int]
    dev: dict[str, int] | None
    epochs: list[Epoch]
    losses: list[tuple[int, float]]
    sizes: dict[str, int]
    inference: Inference

    @property
    def best(self) -> Epoch:
        """The epoch the model is from: the best on dev, the last without dev."""
        return Course(self.epochs).best or self.epochs[-1]

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {**asdict(self), "best_epoch": self.best.number}

    def summary(self) -> str:
        """A few lines for the screen."""
        best = self.best
        seconds = sum(epoch.total_seconds for epoch in self.epochs)
        lines = [f"Trained {len(self.epochs)} epochs in {seconds:,.1f} s; kept epoch {best.number}"]
        if best.dev and self.dev is not None:
            recall = next(key for key in best.dev if key.startswith("recall@"))
            lines.append(
                f"Dev: accuracy {100 * best.dev['accuracy']:.1f} "
                f"with {_way(best.dev['mode'], best.dev['neighbours'])}, {recall} {100 * best.dev[recall]:.1f}, "
                f"over {self.dev['linkable']:,} mentions with their entity in the knowledge base"
            )
        lines.append(f"The model links by {_described(self.inference)}")
        return "\n".join(lines)


def model_card(report: TrainingReport) -> str:
    """README.md of the model folder: what it is, how it was trained, how good it is, with a block for machines."""
    config, best = report.config, report.best
    encoder, objective, trainer = config["encoder"], config["objective"], config["trainer"]
    base = encoder["base"] or "sentence-transformers/all-MiniLM-L6-v2"
    front = [
        "---",
        "library_name: arborlink",
        f"base_model: {_quoted(base)}",
        "tags: [entity-linking, entity-discovery]",
    ]
    figures: dict[str, float] = {}
    if best.dev:
        figures = {key: value for key, value in best.dev.items() if isinstance(value, float)}
        front += ["model-index:", "- name: arborlink", "  results:", "  - task: {type: entity-linking}"]
        front += ["    dataset: {name: dev, type: dev}", "    metrics:"]
        front += [f"    - {{type: {_quoted(key)}, value: {value:.6f}}}" for key, value in figures.items()]
    front.append("---")
    examples = report.examples
    lines = [
        *front,
        "# An ArborLink model",
        "",
        f"{'Two towers' if encoder['towers'] == 'two' else 'One tower'} on `{base}`, {encoder['pooling']} pooling, "
        f"{'normalised' if encoder['normalise'] else 'raw'} vectors, {encoder['mention_tokens']} tokens for a "
        f"mention and {encoder['entity_tokens']} for an entity{_names(encoder)}.",
        "",
        "## Use",
        "```",
        "arborlink link --model THIS_FOLDER --kb KB --documents DOCUMENTS --output LINKS",
        "```",
        f"Unless told otherwise it links by {_described(report.inference)}.",
        "",
        "## Training",
        f"Objective `{objective['name']}` ({objective['loss']} loss), {trainer['epochs']} epochs of "
        f"{report.sizes['batch_size']} mentions a step, seed {trainer['seed']}; every setting is in `train.toml`, "
        "the course of the training in `training.json`.",
        f"Data: {examples['linkable']:,} mentions of {examples['entities_with_mentions']:,} entities; "
        f"{examples['outside_kb']:,} mentions of entities outside a knowledge base of {report.n_entities:,}.",
        "",
        "## Dev figures",
    ]
    if report.dev is None or not best.dev:
        lines.append("None: no dev documents were given, the last epoch was kept.")
    else:
        lines += [
            f"Epoch {best.number}, {report.dev['linkable']:,} mentions with their entity in the knowledge base, no "
            "threshold. These chose the model: they flatter it.",
            "",
            "| inference | accuracy |",
            "|---|---|",
        ]
        for choice in best.dev["choices"]:
            way = _way(choice["mode"], choice["neighbours"])
            lines.append(f"| {way} | {100 * choice['accuracy']:.2f} |")
        lines += ["", *(f"- {key}: {100 * value:.2f}" for key, value in figures.items())]
    return "\n".join(lines) + "\n"


def _described(inference: Inference) -> str:
    way = _way(inference.mode, inference.neighbours)
    if inference.threshold is None:
        way += ", every mention to an entity"
    else:
        way += f", edges of affinity {inference.threshold:g} or more; what no entity reaches is discovered"
    return way + (", within types" if inference.by_type else "")


def _way(mode: str, neighbours: int) -> str:
    return mode if mode == "independent" else f"{mode} inference with k = {neighbours}"


def _names(encoder: Mapping[str, Any]) -> str:
    if not encoder["name_share"]:
        return ""
    told = f"; the comparison of names has a share of {encoder['name_share']:g} in an affinity"
    if encoder["sameness"]:
        told += f", and sameness one of {encoder['sameness']:g} in that"
    return f"{told}; descriptions give names too" if encoder["description_names"] else told


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)
