"""How the work on a batch is dealt out: in units of a graph and some of its vertices, the largest graphs first.

Units of one graph can be worked on at one time, and what they add to a vertex is summed afterwards in the order of the
units: so nothing depends on how many workers there are.
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
    """How many vertices a unit is to search from: `small` in graphs of up to `bound` vertices, else `large`."""

    bound: int
    small: int
    large: int


WORDS = Widths(0, WORD, WORD)
"""Units for searches with a bit for each source."""


@dataclass(frozen=True)
class Units:
    """The units of a batch, in falling order of their graphs' sizes. Arrays are on the batch's device.

    Attributes
    ----------
    widths : Widths
    graph, first : int32[number of units]
        The graph of each, and the first of the vertices it searches from, as an id within the graph.
    sizes : int64[number of units]
        Of the graphs, in host memory.
    part_offsets : int64[number of graphs]
        Where the parts of each graph begin, a row of as many elements as vertices for each of its units.
    num_parts : int
        Elements of all parts.
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
    """The units of a batch; made at first use and kept with it."""
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
    """int64[number of graphs + 1], in host memory: where the matrix of each graph begins."""
    if "host pairs" not in batch._kept:
        batch._kept["host pairs"] = np.concatenate([[0], np.cumsum(batch.sizes**2)])
    return batch._kept["host pairs"]


def pair_offsets(batch: GraphBatch) -> Any:
    """The same on the batch's device."""
    if "pairs" not in batch._kept:
        batch._kept["pairs"] = batch.graph._device.asarray(host_pair_offsets(batch))
    return batch._kept["pairs"]


def as_float64(weights: Any) -> Any:
    """Weights as searches add them up; the array itself where they are float64 already."""
    return weights.astype(np.float64, copy=False)
