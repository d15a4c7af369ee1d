"""The loop of a program over a graph in parts, step by step by the host.

After each operator what it wrote to others' vertices goes to their owners, what it put out goes to the owners, and
copies of what has changed are refreshed where a later operator reads them. Scalars are reduced over all parts. So each
part goes on from what one device would have, and steering is that of one device by the sums of all parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import ProblemError
from minigr.operators.partitioned.local import LocalOperator, Until
from minigr.operators.partitioned.merge import Merge, refreshed, take_refreshed
from minigr.operators.partitioned.queue import Queue
from minigr.operators.partitioned.rules import check_until, rules_of
from minigr.primitives.reduce_ops import identity
from minigr.program.control import Stop
from minigr.program.executor import Executor
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import Node
from minigr.program.plan import UNLIMITED, Plan
from minigr.program.recorder import First, several
from minigr.program.scalar import Scalar
from minigr.program.step_frontier import StepFrontier

_REDUCED = {"add": np.add, "min": np.minimum, "max": np.maximum, "or": np.bitwise_or}


class PartsExecutor(Executor):
    """A loop over one problem, whose graph may be in parts."""

    def memory(self, frontier: First) -> int:
        """Bytes that a run from such a frontier allocates besides the problem's fields.

        Of the fields `Problem.memory_on` tells.

        Raises
        ------
        ProblemError
            Over a graph in parts, where that depends on how much travels.
        """
        if self.graph.layout == "parts":
            raise ProblemError("what a run over a graph in parts allocates depends on what travels: it is not known")
        return super().memory(frontier)

    def _execute_now(self, first: First) -> Any:
        if self.graph.layout != "parts":
            return super()._execute_now(first)
        if self.trace is not None or self.driver == "fused":
            option = "trace=True" if self.trace is not None else "driver='fused'"
            raise ProblemError(f"{option} is not for a graph in parts, whose loop is the host's: leave it out")
        if self._keeps_levels or any(frontier.levels is not None for frontier in several(first)):
            raise ProblemError("levels are not kept over a graph in parts: keep the depth of each vertex in a field")
        with self.graph._exchange.together():
            return self._loop(first)

    def _loop(self, first: First) -> PartsLoop:
        """Run the loop, as each process does that holds parts of the graph."""
        loop = PartsLoop(self, self.record(first), several(first))
        self.iterations, self.stopped, self._has_run = 0, loop.stop_before(self._skips_empty), True
        while self.stopped is Stop.RUNNING:
            loop.step(self.iterations + 1)
            self.iterations += 1
            self.stopped = loop.stop_after(self.iterations)
            if self.progress is not None:
                self.progress(self.iterations, None if self.max_iterations == UNLIMITED else self.max_iterations)
        return loop


class PartsLoop:
    """One run of a step over the parts of a graph that are in this process."""

    def __init__(self, executor: Executor, plan: Plan, first: Any) -> None:
        self.plan, self._most = plan, executor.max_iterations
        problem = self._problem = plan.problem
        graph = self._graph = problem.graph
        self._rules = [rules_of(node, problem) for node in plan.nodes]
        check_until(plan.until, problem)
        if any(node.reads_in_edges for node in plan.nodes):
            graph.make_in_edges()
        self._views = [problem.on_part(index) for index in range(len(graph.parts))]
        self._locals = [[LocalOperator(view, node, executor.debug) for view in self._views] for node in plan.nodes]
        self._merges = [self._merges_of(number) for number in range(len(plan.nodes))]
        self._queues = {node.index: self._queue_of(node) for node in plan.nodes if node.name == "near_far"}
        self._until = None
        if plan.until is not None:
            assert executor._functor is not None
            self._until = Until(self._views[0], executor._functor, executor.debug)
        self._inputs = [self._dealt(each) for each in first]
        self._fixed = [self._dealt(each) for each in plan.fixed]
        self._slots: dict[int, list[Any]] = {}
        self._read: set[str] = set().union(*(rules.reads for rules in self._rules))
        self._refresh([part.owned for part in graph.parts], [n for n in self._read if problem._values[n].stale])

    def _merges_of(self, number: int) -> list[Merge]:
        rules, parts = self._rules[number], self._graph.parts
        if not rules.writes:
            return []
        arrays = [{name: view._values[name] for name in rules.writes} for view in self._views]
        return [Merge(part, self._graph.deal, rules, each) for part, each in zip(parts, arrays, strict=True)]

    def _queue_of(self, node: Any) -> Queue:
        waiting = None if node.waiting is None else self._dealt(node.waiting)
        return Queue(self._graph._exchange, waiting, node.width, node.falling)

    def _dealt(self, frontier: Frontier) -> list[Any]:
        """Of each local part its share of a frontier that all processes have."""
        if frontier.everything:
            return [part.owned for part in self._graph.parts]
        ids = frontier.items_on(self._graph)
        owners = self._graph.deal.owners(ids)
        return [ids[owners == part.index] for part in self._graph.parts]

    # --- when the loop ends ------------------------------------------------------------------------------------------

    def _length(self) -> int:
        """How many items the frontiers hold that decide on the end, as the control block of one device counts them."""
        counted = [own for own in self.plan.frontiers if own.slot is not None or not self.plan.final_slots]
        return self._sum([sum(len(self._inputs[own.number][i]) for own in counted) for i in range(len(self._views))])

    def _sum(self, own: list[int]) -> int:
        return sum(self._graph._exchange.all_gather(own))

    def stop_before(self, skips_empty: bool) -> Stop:
        """Why there is no first step; RUNNING if there is one."""
        waits = sum(queue.waits for queue in self._queues.values())  # not any, so that all are asked everywhere
        if skips_empty and self._length() == 0 and not waits:
            return Stop.EMPTY
        return Stop.RUNNING if self._most > 0 else Stop.BUDGET

    def stop_after(self, iterations: int) -> Stop:
        """Why there is no other step after so many."""
        if self._length() == 0:
            return Stop.EMPTY
        if self._until is not None and self._until.holds(iterations):
            return Stop.UNTIL
        return Stop.BUDGET if iterations >= self._most else Stop.RUNNING

    # --- a step ------------------------------------------------------------------------------------------------------

    def step(self, iteration: int) -> None:
        """Run all operators of the step, and make what it returned the next step's input."""
        for node in self.plan.nodes:
            self._operate(node, iteration)
        for own in self.plan.frontiers:
            if own.slot is not None:
                self._inputs[own.number] = self._slots[own.slot]

    def _items(self, handle: Handle) -> list[Any]:
        """Of each local part, its share of a frontier of the step."""
        if handle.everything:
            return [part.owned for part in self._graph.parts]
        if handle.fixed is not None:
            return self._fixed[handle.fixed]
        return self._slots[handle.slot] if handle.slot >= 0 else self._inputs[-1 - handle.slot]

    def _operate(self, node: Node, iteration: int) -> None:
        given = [self._items(handle) for handle in node.inputs]
        distinct = [handle.distinct for handle in node.inputs]
        if node.index in self._queues:
            queue = self._queues[node.index]
            (lists,) = given
            self._slots[node.index] = queue.split(lists, lambda ids: self._priorities(node, iteration, ids))
            return
        runs = []
        for index in range(len(self._graph.parts)):
            lists = [each[index] for each in given]
            if self._merges[node.index]:
                self._merges[node.index][index].begin(lists[0])
            runs.append(self._run(node, index, iteration, lists, distinct) if any(map(len, lists)) else None)
        outputs = [
            np.empty(0, np.int32) if run is None or node.output is None else local.output(run)
            for run, local in zip(runs, self._locals[node.index], strict=True)
        ]
        changed = self._settle(node, outputs)
        rules = self._rules[node.index]
        if rules.writes_own:
            changed = [np.union1d(a, b).astype(np.int32) for a, b in zip(changed, given[0], strict=True)]
        written = rules.writes_own | rules.writes.keys()
        self._refresh(changed, [name for name in written if name in self._read])
        for name in written - self._read:
            self._problem._values[name].stale = True
        for scalar in node.scalar_results:
            self._reduce(scalar, runs, iteration)

    def _run(self, node: Node, index: int, iteration: int, lists: list[Any], distinct: list[bool]) -> Any:
        return self._locals[node.index][index].run(self._graph.parts[index], iteration, lists, distinct)

    def _priorities(self, node: Node, iteration: int, lists: list[Any]) -> list[Any]:
        found = []
        for index, ids in enumerate(lists):
            run = self._run(node, index, iteration, [ids], [True]) if len(ids) else None
            found.append(np.empty(0) if run is None else run.buffers["values_0"][: len(ids)].copy())
        return found

    def _settle(self, node: Node, outputs: list[Any]) -> list[Any]:
        """Bring what was put out and what was written to the owners; of each local part, its vertices that changed."""
        exchange, merges = self._graph._exchange, self._merges[node.index]
        none = [np.empty(0, np.int32) for _ in outputs]
        if node.name != "advance":
            self._slots[node.index] = outputs
            return none
        sent = []
        for index, items in enumerate(outputs):
            written = merges[index].sent(exchange.num_parts) if merges else [None] * exchange.num_parts
            owners = self._graph.deal.owners(items)
            sent.append([(items[owners == part], written[part]) for part in range(exchange.num_parts)])
        received = exchange.all_to_all(sent)
        put_out = [np.concatenate([items for items, _ in messages]) for messages in received]
        once = node.output is not None and node.output.distinct
        self._slots[node.index] = [np.unique(items) for items in put_out] if once else put_out
        if not merges:
            return none
        return [
            merge.take([written for _, written in messages]) for merge, messages in zip(merges, received, strict=True)
        ]

    def _refresh(self, changed: list[Any], names: list[str]) -> None:
        """Have ghosts be what their owners have of these fields, where vertices were changed."""
        if not names:
            return
        parts, arrays = self._graph.parts, [{name: view._values[name] for name in names} for view in self._views]
        sent = [refreshed(part, ids, each) for part, ids, each in zip(parts, changed, arrays, strict=True)]
        received = self._graph._exchange.all_to_all(sent)
        for part, messages, each in zip(parts, received, arrays, strict=True):
            take_refreshed(part, messages, each)
        for name in names:
            self._problem._values[name].stale = False

    def _reduce(self, scalar: Scalar, runs: list[Any], iteration: int) -> None:
        """Reduce what the parts came to, in their order, and give it to all."""
        nothing = identity(scalar.reduce, scalar.dtype)
        views = zip(runs, self._views, strict=True)
        own = [nothing if run is None else view._values[scalar.name][0] for run, view in views]
        field = self._problem._values[scalar.name]
        total = field[0] if scalar.accumulates and iteration > 1 else scalar.initial
        with np.errstate(all="ignore"):  # whole numbers wrap around
            for value in self._graph._exchange.all_gather(own):
                total = _REDUCED[scalar.reduce](total, value)
        for array in (field, *(view._values[scalar.name] for view in self._views)):
            array[0] = total

    # --- what is left ------------------------------------------------------------------------------------------------

    def output(self, frontier: StepFrontier) -> Any:
        """The vertices of one of the current frontiers, of all parts, in the order of these."""
        return np.concatenate(self._graph._exchange.all_gather(self._inputs[frontier.number]))

    def retire(self) -> None:
        """Nothing more is wanted of it."""
