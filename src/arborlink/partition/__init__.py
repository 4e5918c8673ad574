"""Partitions of the neighbour graph: every mention to an entity, or to a cluster that has none."""

from arborlink.partition.modes import MODES, Mode, partition
from arborlink.partition.path import Edge, bottleneck, path_to_root
from arborlink.partition.result import Partition

__all__ = ["MODES", "Edge", "Mode", "Partition", "bottleneck", "partition", "path_to_root"]
