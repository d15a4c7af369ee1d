"""Code that the parts of `minigr.bench.dynamic` share: the graph that timed calls change, and rows of times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from minigr import DynamicGraph
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, Timing, ignore
from minigr.bench.recipes import Source
from minigr.bench.timed import Call, timed_rows
from minigr.device import Device
from minigr.errors import MeasurementError
from minigr.graphs.backend import scope

UNWEIGHTED = "none"
"""The name of no weights among dtypes of weights: the graph is then a set of edges, and otherwise a map."""
_FEW, _FEW_OF = 1024, 1024  # a rehearsal has _FEW edges, but at most 1 / _FEW_OF of the graph's edges
_APART = 1 << 40  # the batch number of rehearsals, far from the numbers of batches


@dataclass(frozen=True)
class Plan:
    """The settings of measurements on one graph.

    Attributes
    ----------
    recipe : Source
    device : Device
    batches : sequence of int
        Edges of the batches.
    repeat : int
        Samples of each call.
    peers : mapping of str to class
        Classes of `minigr.bench.dynamic_peers.PEERS`.
    tell : callable
    values : sequence of str
        Dtypes of weights. Updates and lookups are measured with each of them; `UNWEIGHTED` stands for no weights.
    """

    recipe: Source
    device: Device
    batches: Sequence[int]
    repeat: int
    peers: Mapping[str, Any] = field(default_factory=dict)
    tell: Tell = ignore
    values: Sequence[str] = (UNWEIGHTED,)


class Subject:
    """The graph that calls change, and the batch of edges or vertices of these changes."""

    def __init__(self, recipe: Source, device: Device, values: str = UNWEIGHTED) -> None:
        self.recipe, self.device, self._values = recipe, device, values
        self.graph: Any = None
        self.batch: Any = ()
        self.few = recipe.edges(device, min(_FEW, -(-recipe.num_drawn // _FEW_OF)), _APART)
        self.vertices: Any = None
        self._numbers = count(1)
        self._weights, self._few_weights = self.weights(0), self.weights(len(self.few[0]))

    def weights(self, count: int | None = None) -> Any:
        """Weights for `count` edges, or for all that the graph is built from; None if the graph has no weights."""
        if self._values == UNWEIGHTED:
            return None
        return self.recipe.weights(self.device, self._values, count)

    def original(self) -> DynamicGraph:
        """The graph that every sample begins with."""
        return self.recipe.built(self.device, self.recipe.edges(self.device), self.weights())

    def restore(self, original: DynamicGraph, edges: int = 0, vertices: int = 0) -> None:
        """Begin again with a copy of the original, and with a new batch of this many edges and vertices."""
        self.graph = None  # free its memory before the copy
        self.graph = original.copy()
        number = next(self._numbers)
        self.batch = self.recipe.edges(self.device, edges, number)
        self._weights = self.weights(edges)
        self.vertices = self.recipe.vertices(self.device, vertices, number)

    def restore_for_new(self, original: DynamicGraph, edges: int, number: int) -> None:
        """Begin again, with a batch of edges from `number` new vertices, the same number from each."""
        self.restore(original, edges)
        with scope(self.device):
            self.batch = ~(self.device.xp.arange(edges, dtype=np.int32) % number), self.batch[1]

    def rehearse(self, measure: str, before: Callable[[], object] | None = None) -> None:
        """Call `before`, then do with a few edges what will be done with the batch."""
        if before is not None:
            before()
        if measure == "insert":
            self.graph.insert_edges(*self.few, self._few_weights)
        else:
            {"query": self.graph.has_edges, "delete": self.graph.delete_edges}[measure](*self.few)

    def insert(self) -> Any:
        return self.graph.insert_edges(*self.batch, self._weights)

    def query(self) -> Any:
        return self.graph.has_edges(*self.batch)

    def delete(self) -> Any:
        return self.graph.delete_edges(*self.batch)

    def rehash(self, load_factor: float | None = None) -> Any:
        self.graph.rehash(load_factor)
        return self.graph

    def to_graph(self) -> Any:
        return self.graph.to_graph()

    def insert_vertices(self, number: int) -> Any:
        return self.graph.insert_vertices(number)

    def insert_connected(self, number: int) -> Any:
        return self.graph.insert_vertices(number, *self.batch)

    def delete_vertices(self) -> Any:
        return self.graph.delete_vertices(self.vertices)

    def require_all(self, found: Any) -> None:
        """Require that all of the batch were found, except self-loops."""
        src, dst = self.batch
        if not bool((found == (src != dst)).all()):
            raise MeasurementError("has_edges is wrong about edges that were inserted: this is a defect of minigr")

    def require_none(self, _deleted: int) -> None:
        """Require that no edge of the batch is left."""
        if bool(self.query().any()):
            raise MeasurementError("has_edges finds edges that were deleted: this is a defect of minigr")

    def batch_calls(self, key: Mapping[str, Any], size: int, before: Callable[[], object] | None = None) -> list[Call]:
        """Calls that insert, find and delete the batch, after `before`; the answers are checked.

        Each call is rehearsed, because in practice batches follow each other, and the first call after another task
        would find cold caches of the processor.
        """
        insert, query, delete = ({**key, "measure": name, "batch": size, "by": MINIGR} for name in MEASURES)
        return [
            Call(insert, self.insert, before=partial(self.rehearse, "insert", before), count=size),
            Call(query, self.query, before=partial(self.rehearse, "query"), after=self.require_all, count=size),
            Call(delete, self.delete, before=partial(self.rehearse, "delete"), after=self.require_none, count=size),
        ]


def keyed(key: Mapping[str, Any], values: str) -> dict[str, Any]:
    """The key of rows of a graph with weights of this dtype. Without weights nothing is added."""
    return dict(key) if values == UNWEIGHTED else {**key, "weights": values}


MEASURES = ("insert", "query", "delete")
"""The operations on a batch of edges, in the order in which they run."""


class Memory:
    """Reports of the memory of graphs that calls built, by a value that stands for the graph in rows' keys."""

    def __init__(self) -> None:
        self._found: dict[Any, list[tuple[int, dict[str, Any]]]] = {}

    def note(self, which: Any, graph: DynamicGraph) -> None:
        """Add the report of a graph as one more sample of `which`."""
        report = graph.memory()
        found = {"bytes_per_edge": report.total / max(graph.num_edges, 1), **asdict(report)}
        self._found.setdefault(which, []).append((report.total, found))

    def rows(self, key: Mapping[str, Any], name: str) -> list[Row]:
        """A row in bytes for each `which`, which is in the key as `name`."""
        rows = []
        for which, reports in self._found.items():
            whole = {**key, name: which, "measure": "memory", "by": MINIGR}
            rows.append(row(whole, [total for total, _ in reports], "bytes", **reports[-1][1]))
        return rows


def rows_of(plan: Plan, calls: Iterable[Call]) -> list[Row]:
    """Time calls in turn; return a row for each, with its speed in edges per second if it counts edges."""
    return timed_rows(calls, plan.device, plan.repeat, facts=_rates, tell=plan.tell)


def _rates(call: Call, timing: Timing) -> dict[str, Any]:
    return {} if call.count is None else {"edges": call.count, "medges_per_s": call.count / timing.median / 1e3}
