"""One operator of a step over the local parts, with the exchanges at its end."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.partitioned.array import Known
from minigr.operators.advance import Advance
from minigr.operators.partitioned.copies import Copies
from minigr.operators.partitioned.direction import Steering, bits_of, with_ghosts
from minigr.operators.partitioned.forest import Forest, join_together
from minigr.operators.partitioned.local import LocalOperator
from minigr.operators.partitioned.merge_gpu import GpuMerge
from minigr.operators.partitioned.merge_host import HostMerge
from minigr.operators.partitioned.rules import Rules, may_pull, pulls_all
from minigr.primitives.reduce_ops import identity
from minigr.program.control import Word
from minigr.program.node import Node
from minigr.program.scalar import Scalar

_REDUCED = {"add": np.add, "min": np.minimum, "max": np.maximum, "or": np.bitwise_or}


class Operation:
    """One operator for one run of the loop, with everything that is decided once for the run.

    Parameters
    ----------
    node : Node
    rules : Rules
    copies : Copies
    problem : Problem
    forests : dict
        By field, the sets that the local parts know.
    debug, counts : bool
        Whether kernels check indexes, and whether they count edges.

    Attributes
    ----------
    edges : int
        Number of edges that the local parts looked at in the last step.
    pulled : bool
        Whether the operator pulled in the last step.
    put_out : int
        The length of the output of all parts in the last step.
    """

    def __init__(
        self,
        node: Node,
        rules: Rules,
        copies: Copies,
        problem: Any,
        forests: dict[str, list[Forest]],
        debug: bool,
        counts: bool,
    ) -> None:
        self._node, self._rules, self._copies, self._problem = node, rules, copies, problem
        self._graph = graph = problem.graph
        self._written = rules.writes_own | rules.writes.keys()
        self._refreshed = sorted(self._written & copies.read)
        self._forests = [forests[name] for name in sorted(rules.joins)]
        self._pulls_all = pulls_all(node)
        advance = node if isinstance(node, Advance) and not self._pulls_all else None
        self._advances = advance is not None
        self._steering = Steering(advance, graph) if advance is not None and may_pull(advance, rules, graph) else None
        direction = "push" if self._steering is None else "auto"
        self._locals = [LocalOperator(view, node, direction, debug, counts) for view in copies.views]
        self._merges: list[Any] = graph._team.each(self._merge_of) if self._advances else []
        self._distinct = [handle.distinct for handle in node.inputs]
        self.edges, self.pulled, self.put_out = 0, False, 0

    def _merge_of(self, index: int) -> GpuMerge | HostMerge:
        node, rules, part = self._node, self._rules, self._graph.parts[index]
        once = node.output is not None and node.output.distinct
        if self._copies.shadows:
            return HostMerge(part, rules, self._copies.shadows[index], self._copies, once)
        values = self._copies.views[index]._values
        return GpuMerge(part, rules, {name: values[name] for name in rules.writes}, once)

    def priorities(self, iteration: int, index: int, vertices: Any) -> Any:
        """The priorities of some vertices of a local part as float64, for `near_far`."""
        part = self._graph.parts[index]
        if not len(vertices):
            return part.device.empty(0, np.float64)
        run = self._locals[index].run(part, iteration, [vertices], [True])
        return run.buffers["values_0"][: len(vertices)]

    def run(self, given: list[list[Any]], iteration: int) -> list[Any]:
        """Run step `iteration` over each local part's share of the frontiers.

        Return the part's vertices in the output.
        """
        graph, team, rules = self._graph, self._graph._team, self._rules
        by_bits = self._steering is not None and self._steering.pulls
        self.pulled = by_bits or self._pulls_all
        taken = [self._known(given[0])] if by_bits else given
        for name in self._written:  # until the refresh, in case an exception comes before it
            self._problem._values[name].known = Known.OWN

        def operate(index: int) -> tuple[Any, list[Any], int, list[Any]]:
            """The operator, and its messages: to owners from an advance, to parts with ghosts from others."""
            lists = [each[index] for each in taken]
            if self._advances:
                self._merges[index].begin(lists[0])
            put_out, scalars, edges = self._local(index, iteration, lists, by_bits)
            if self._advances:
                return put_out, scalars, edges, self._merges[index].sent(put_out, lists[0], edges, by_bits)
            self._copies.settle(index, rules.writes_own, lists[0])
            return put_out, scalars, edges, self._copies.news(index, lists[0], self._refreshed)

        put_out, scalars, edges, sent = map(list, zip(*team.each(operate), strict=True))
        self.edges = sum(edges)
        if self._advances:
            received = [[each] for each in sent] if by_bits else graph._exchange.all_to_all(sent)
            put_out, sent, ahead = self._settled(received, given[0])
        else:
            ahead = [0] * len(put_out)
        counts = list(zip(map(len, put_out), ahead, strict=True))
        counts = self._copies.refresh(sent, self._written, self._refreshed, counts, self._node.output is not None)
        self.put_out = sum(count for count, _ in counts)
        if self._steering is not None:
            self._steering.note(self.put_out, sum(edges_ahead for _, edges_ahead in counts))
        for forests in self._forests:
            join_together(graph, forests)
        for number, scalar in enumerate(self._node.scalar_results):
            self._reduce(scalar, [each[number] for each in scalars], iteration)
        return put_out

    def _known(self, frontier: list[Any]) -> list[Any]:
        """For each local part, the vertices of the whole frontier that the part knows."""
        graph, team = self._graph, self._graph._team
        received = graph._exchange.all_to_all(team.each(lambda i: bits_of(graph.parts[i], frontier[i])))
        return team.each(lambda i: with_ghosts(graph.parts[i], frontier[i], received[i]))

    def _local(self, index: int, iteration: int, lists: list[Any], pull: bool) -> tuple[Any, list[Any], int]:
        """Run the operator on one part; `pull` is an argument of `LocalOperator.run`.

        Returns the output of the operator, the part's value of each scalar, and the number of edges looked at.
        """
        part, local, results = self._graph.parts[index], self._locals[index], self._node.scalar_results
        if not any(map(len, lists)):
            return part.none(), [identity(scalar.reduce, scalar.dtype) for scalar in results], 0
        run = local.run(part, iteration, lists, self._distinct, pull=pull)
        put_out = part.none() if self._node.output is None else local.output(run)
        values = self._copies.views[index]._values
        scalars = [scalar.dtype.type(part.device.number(values[scalar.name])) for scalar in results]
        return put_out, scalars, run.control[Word.EDGES]

    def _settled(self, received: list[list[Any]], given: list[Any]) -> tuple[list[Any], list[Any], list[int]]:
        """Process an advance's messages to the owners: for each local part the output, the news for ghosts, and edges.

        The last is the number of edges of the output's vertices, if it is needed.
        """
        graph = self._graph

        def take(index: int) -> tuple[Any, list[Any], int]:
            also = given[index] if self._rules.writes_own else None
            items, changed = self._merges[index].take(received[index], also)
            edges = 0
            if self._steering is not None and len(items):
                edges = int(graph.parts[index].graph.out_edges.degrees_of(items).sum())
            return items, self._copies.news(index, changed, self._refreshed), edges

        items, news, edges = map(list, zip(*graph._team.each(take), strict=True))
        return items, news, edges

    def _reduce(self, scalar: Scalar, own: list[Any], iteration: int) -> None:
        """Reduce the values of all parts, in the order of parts, and store the result in all parts."""
        field = self._problem._values[scalar.name]
        total = field[0] if scalar.accumulates and iteration > 1 else scalar.initial
        with np.errstate(all="ignore"):  # integers wrap around
            for value in self._graph._exchange.all_gather(own):
                total = _REDUCED[scalar.reduce](total, value)
        field[0] = total
        for view in self._copies.views:
            view.device.fill(view._values[scalar.name], total)
