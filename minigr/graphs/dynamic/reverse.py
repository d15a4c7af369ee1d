"""A dynamic graph with its arcs turned round."""

from __future__ import annotations

from minigr.graphs.dynamic.queries import Queries


class Reversed(Queries):
    """What `DynamicGraph.reverse` returns: the same slabs, those of out- and in-edges in each other's place."""

    def __init__(self, graph: Queries) -> None:
        self.__dict__.update(vars(graph))
        self._directions = graph._directions[::-1]
        self._facts = {}

    def __repr__(self) -> str:
        return f"{super().__repr__()}, reversed"
