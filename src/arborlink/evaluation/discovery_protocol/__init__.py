"""The paper's discovery protocol: hide entities, find their mentions again as clusters of their own."""

from arborlink.evaluation.discovery_protocol.centres import centres
from arborlink.evaluation.discovery_protocol.hiding import Split, hide_entities
from arborlink.evaluation.discovery_protocol.protocol import evaluate_discovery
from arborlink.evaluation.discovery_protocol.rows import METHODS, DiscoveryEvaluation, Method, Row

__all__ = [
    "METHODS",
    "DiscoveryEvaluation",
    "Method",
    "Row",
    "Split",
    "centres",
    "evaluate_discovery",
    "hide_entities",
]
