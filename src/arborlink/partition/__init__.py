"""Partitions of the neighbour graph: every mention to an entity, or to a cluster that has none."""

from arborlink.partition.constrained import ConstrainedPartition, partition_under
from arborlink.partition.constraints import Constraints, Statement, violated
from arborlink.partition.contradictions import Contradiction, contradictions
from arborlink.partition.modes import MODES, Mode, partition
from arborlink.partition.path import Edge, bottleneck, path_to_root
from arborlink.partition.result import Partition

__all__ = [
    "MODES",
    "ConstrainedPartition",
    "Constraints",
    "Contradiction",
    "Edge",
    "Mode",
    "Partition",
    "Statement",
    "bottleneck",
    "contradictions",
    "partition",
    "partition_under",
    "path_to_root",
    "violated",
]
