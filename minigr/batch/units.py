"""The division of the work on a batch into units: a graph and some of its vertices, the largest graphs first.

Several workers can work on units of one graph at the same time. The contributions of units to a vertex are summed
afterwards, in the order of the units. So the results do not depend on the number of workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.batch.constants import WORD

if TYPE_CHECKING:
    from minigr.graphs.batch import GraphBatch


@dataclass(frozen=True)
class Widths:
    """The number of sources of a unit: `small` in graphs of up to `bound` vertices, otherwise `large`."""

    bound: int
    small: int
    large: int


WORDS = Widths(0, WORD, WORD)
"""The widths for searches with a bit for each source."""


@dataclass(frozen=True)
class Units:
    """The units of a batch, with the largest graphs first. Arrays are on the batch's device.

    Attributes
    ----------
    widths : Widths
    graph, first : int32[number of units]
        The graph of each unit, and the first source of the unit, as an id within the graph.
    sizes : int64[number of units]
        The number of vertices of the graph of each unit, in host memory.
    part_offsets : int64[number of graphs]
        Where the parts of each graph begin. Each unit of a graph has a row with an element for each vertex of the
        graph.
    num_parts : int
        The number of elements of all parts.
    """

    widths: Widths
    graph: Any
    first: Any
    sizes: Any
    part_offsets: Any
    num_parts: int

    @property
    def largest(self) -> int:
        """The size of the largest graph."""
        return int(self.sizes[0]) if len(self.sizes) else 0


def units_of(batch: GraphBatch, widths: Widths = WORDS) -> Units:
    """The units of a batch, computed at first use and kept with the batch."""
    key = ("units", widths)
    if key not in batch._kept:
        batch._kept[key] = _made(batch, widths)
    return batch._kept[key]


def _made(batch: GraphBatch, widths: Widths) -> Units:
    sizes = batch.sizes
    width = np.where(sizes <= widths.bound, widths.small, widths.large)
    count = -(-sizes // width)
    order = np.argsort(-sizes, kind="stable")
    graph = np.repeat(order, count[order])
    ends = np.cumsum(count[order])
    first = (np.arange(len(graph)) - np.repeat(ends - count[order], count[order])) * width[graph]
    parts = np.concatenate([[0], np.cumsum(sizes * count)])
    on_device = batch.graph._device.asarray
    tables = (on_device(graph.astype(np.int32)), on_device(first.astype(np.int32)))
    return Units(widths, *tables, sizes[graph], on_device(parts[:-1]), int(parts[-1]))


def host_pair_offsets(batch: GraphBatch) -> Any:
    """int64[number of graphs + 1]: where the matrix of each graph begins, in host memory."""
    if "host pairs" not in batch._kept:
        batch._kept["host pairs"] = np.concatenate([[0], np.cumsum(batch.sizes**2)])
    return batch._kept["host pairs"]


def pair_offsets(batch: GraphBatch) -> Any:
    """The same on the batch's device."""
    if "pairs" not in batch._kept:
        batch._kept["pairs"] = batch.graph._device.asarray(host_pair_offsets(batch))
    return batch._kept["pairs"]


def as_float64(weights: Any) -> Any:
    """Weights as float64, in which searches add them up. No copy if they already are float64."""
    return weights.astype(np.float64, copy=False)
