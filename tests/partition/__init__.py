"""The neighbour graph and its partitions, against slow oracles."""
