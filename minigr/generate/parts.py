"""Randomly drawn graphs in parts: each part draws all edges and keeps those of its own vertices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigr import memory
from minigr.device import CPU, Device
from minigr.generate.finish import Target, Weights
from minigr.graphs import Graph
from minigr.graphs.arcs import DrawnEdges
from minigr.graphs.backend import builder
from minigr.graphs.partitioned.deal import Rule, deal_of
from minigr.graphs.partitioned.graph import Devices, PartitionedGraph, homes_of
from minigr.graphs.partitioned.team import Team

Draw = Callable[[int, int], tuple[Any, Any]]
"""``draw(size, first)`` generates some edges, and returns the same edges in each call."""


def parts_of_drawn(
    num_vertices: int, count: int, draw_on: Callable[[Device], Draw], *, directed: bool, simple: bool, weights: Weights,
    devices: Devices, deal: Rule,
) -> PartitionedGraph:  # fmt: skip
    """The graph of `count` edges in parts.

    Each part draws all edges twice, in pieces, and keeps its own arcs. The first part draws them another time, because
    the rule for dealing vertices out depends on the drawn arcs, including repeats.

    Raises
    ------
    OutOfMemoryError
        If a device has no room for its share of the edges, assuming that the shares of parts are equal.
    """
    exchange, homes = homes_of(devices, deal)
    with exchange.together():
        for device in dict.fromkeys(homes):
            there = homes.count(device)
            entries = count * (1 if directed else 2) * there // exchange.num_parts
            needed = 8 * (num_vertices + min(count, builder(device).part_of(count))) * there
            memory.require_graph(device, needed, 4 * entries, f"drawing {entries:,} arcs of parts", arcs_in="device")

        def pieces(device: Device) -> Iterator[tuple[Any, Any]]:
            draw, at_once = draw_on(device), builder(device).part_of(count)
            for first in range(0, count, at_once):
                src, dst = draw(min(at_once, count - first), first)
                yield src, dst
                if not directed:
                    other = src != dst  # a self-loop is one arc
                    yield dst[other], src[other]

        with homes[0].as_current():
            degrees = homes[0].full(num_vertices, 0, np.int64)
            for src, _ in pieces(homes[0]):
                degrees += homes[0].xp.bincount(src, minlength=num_vertices)
            chosen = deal_of(deal, CPU.asarray(degrees), exchange.num_parts)
            del degrees

        def rows(number: int) -> Graph:
            index, device = exchange.local[number], homes[number]
            rule = chosen.on(device)

            def own() -> Iterator[tuple[Any, Any]]:
                for src, dst in pieces(device):
                    kept = rule.owners(src) == index
                    yield src[kept], dst[kept]

            offsets, indices = builder(device).rows_of_drawn(num_vertices, DrawnEdges(own, False, simple))
            target = Target(device, "device")
            return weights.attached(offsets, indices, target, directed=directed, simple=simple)

        return PartitionedGraph(Team(homes, exchange.local).each(rows), chosen, directed, exchange)
