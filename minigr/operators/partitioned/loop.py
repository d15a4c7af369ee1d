"""The loop of a program over a graph in parts, step by step by the host.

After each operator what it wrote to others' vertices goes to their owners, what it put out goes to the owners, and
copies of what has changed are refreshed where a later operator reads them. Scalars are reduced over all parts. So each
part goes on from what one device would have, and steering is that of one device by the sums of all parts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import ProblemError
from minigr.graphs.partitioned.array import Known
from minigr.graphs.partitioned.traffic import counting
from minigr.jit.told import tell
from minigr.operators.partitioned.across_run import AcrossRun
from minigr.operators.partitioned.across_setup import Setup, setup_of
from minigr.operators.partitioned.forest import Forest, join_together
from minigr.operators.partitioned.local import LocalOperator, Until
from minigr.operators.partitioned.merge_gpu import GpuMerge
from minigr.operators.partitioned.merge_host import HostMerge
from minigr.operators.partitioned.queue import Queue
from minigr.operators.partitioned.refresh import news_of, refresh, refresh_stale, spread, spread_stale
from minigr.operators.partitioned.rules import Rules, check_until, rules_of
from minigr.operators.partitioned.shadows import Shadows
from minigr.primitives.reduce_ops import identity
from minigr.program.control import Stop, Word
from minigr.program.executor import Executor
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import Node
from minigr.program.plan import UNLIMITED, Plan
from minigr.program.recorder import First, several
from minigr.program.scalar import Scalar
from minigr.program.step_frontier import StepFrontier
from minigr.program.trace import Trace

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
        if self.driver == "graph":
            raise ProblemError("driver='graph' is not for a graph in parts: leave it out")
        if self._keeps_levels or any(frontier.levels is not None for frontier in several(first)):
            raise ProblemError("levels are not kept over a graph in parts: keep the depth of each vertex in a field")
        with self.graph._exchange.together():
            self.graph._check_alike()
            return self._over_parts(first)

    def _over_parts(self, first: First) -> Any:
        """Run the loop, as each process does that holds parts of the graph: on GPUs together where they can."""
        plan = self.record(first)
        rules = plan.shared.get("rules")
        if rules is None:
            rules = rules_of(plan.nodes, plan.problem)
            check_until(plan.until, plan.problem)
            plan.shared["rules"] = rules
        tell("parts", (plan, rules))
        if self.driver != "host":
            setup = setup_of(plan, rules)
            if isinstance(setup, Setup):
                run = AcrossRun(plan, setup, several(first))
                try:
                    return self._run_loop(run)
                finally:
                    run.settle()
            if self.driver == "fused":
                raise ProblemError(
                    f"driver='fused' has the parts' GPUs run the loop together, but {setup}: leave it out"
                )
        return self._loop(plan, rules, first)

    def _finish(self, run: Any) -> None:
        if self.graph.layout == "parts":
            run.retire()  # none is taken again
        else:
            super()._finish(run)

    def _loop(self, plan: Plan, rules: list[Rules], first: First) -> PartsLoop:
        """Run the loop by the host, step by step."""
        loop = PartsLoop(self, plan, rules, several(first))
        self.iterations, self.stopped, self._has_run = 0, loop.stop_before(self._skips_empty), True
        if self.trace is not None:
            self.trace.begin(loop.length(), in_parts=True)
        while self.stopped is Stop.RUNNING:
            step = loop.step if self.trace is None else partial(loop.traced, self.trace)
            step(self.iterations + 1)
            self.iterations += 1
            self.stopped = loop.stop_after(self.iterations)
            if self.progress is not None:
                self.progress(self.iterations, None if self.max_iterations == UNLIMITED else self.max_iterations)
        return loop


@dataclass
class _Done:
    """What became of an operator on one part.

    Attributes
    ----------
    put_out : int32 array
    scalars : list
        What the part came to of each scalar.
    edges : int
        How many it looked at.
    """

    put_out: Any
    scalars: list[Any]
    edges: int


class PartsLoop:
    """One run of a step over the parts of a graph that are in this process."""

    def __init__(self, executor: Executor, plan: Plan, rules: list[Rules], first: Any) -> None:
        self.plan, self._most, self._edges = plan, executor.max_iterations, 0
        problem = self._problem = plan.problem
        graph = self._graph = problem.graph
        self._rules = rules
        if any(node.reads_in_edges for node in plan.nodes):
            graph.make_in_edges()
        self._team = team = graph._team
        self._views = team.each(problem.on_part)
        self._locals = [
            [LocalOperator(view, node, executor.debug, executor.trace is not None) for view in self._views]
            for node in plan.nodes
        ]
        self._queues = {node.index: self._queue_of(node) for node in plan.nodes if node.name == "near_far"}
        self._until = None
        if plan.until is not None:
            assert executor._functor is not None
            self._until = Until(self._views[0], executor._functor, executor.debug)
        self._inputs = [self._dealt(each) for each in first]
        self._fixed = [self._dealt(each) for each in plan.fixed]
        self._slots: dict[int, list[Any]] = {}
        self._read: set[str] = set().union(*(rules.reads for rules in self._rules))
        self._sets: set[str] = set().union(*(rules.sets for rules in self._rules))
        self._forests = {
            name: team.each(lambda index, name=name: Forest(graph.parts[index], self._views[index]._values[name]))
            for name in sorted(set().union(*(rules.joins for rules in self._rules)))
        }
        refresh_stale(problem, self._views, sorted(self._read))
        spread_stale(problem, self._views, sorted(self._sets))
        self._shadows = [] if problem.device.is_cuda else team.each(self._shadows_of)
        self._merges = {node.index: self._merges_of(node) for node in plan.nodes if node.name == "advance"}

    def _shadows_of(self, index: int) -> Shadows:
        names, values = sorted(set().union(*(rules.writes for rules in self._rules))), self._views[index]._values
        return Shadows(self._graph.parts[index], {name: values[name] for name in names})

    def _merges_of(self, node: Node) -> list[GpuMerge | HostMerge]:
        rules, parts = self._rules[node.index], self._graph.parts
        once = node.output is not None and node.output.distinct

        def merge(index: int) -> GpuMerge | HostMerge:
            if self._shadows:
                return HostMerge(parts[index], rules, self._shadows[index], self._read, once)
            values = self._views[index]._values
            return GpuMerge(parts[index], rules, {name: values[name] for name in rules.writes}, once)

        return self._team.each(merge)

    def _news(self, index: int, changed: Any, names: list[str]) -> list[Any]:
        shadows = self._shadows[index] if self._shadows else None
        return news_of(self._graph.parts[index], self._views[index], changed, names, shadows)

    def _queue_of(self, node: Any) -> Queue:
        waiting = None if node.waiting is None else self._dealt(node.waiting)
        return Queue(self._graph, waiting, node.width, node.falling)

    def _dealt(self, frontier: Frontier) -> list[Any]:
        """Of each local part its share of a frontier that all processes have."""
        if frontier.everything:
            return [part.live for part in self._graph.parts]
        ids = frontier.items_on(self._graph)
        owners = self._graph.deal.owners(ids)
        return [part.device.asarray(ids[owners == part.index]) for part in self._graph.parts]

    # --- when the loop ends ------------------------------------------------------------------------------------------

    def length(self) -> int:
        """How many items the frontiers hold that decide on the end, as the control block of one device counts them."""
        counted = [own for own in self.plan.frontiers if own.slot is not None or not self.plan.final_slots]
        return self._sum([sum(len(self._inputs[own.number][i]) for own in counted) for i in range(len(self._views))])

    def _sum(self, own: list[int]) -> int:
        return sum(self._graph._exchange.all_gather(own))

    def stop_before(self, skips_empty: bool) -> Stop:
        """Why there is no first step; RUNNING if there is one."""
        waits = sum(queue.waits for queue in self._queues.values())  # not any, so that all are asked everywhere
        if skips_empty and self.length() == 0 and not waits:
            return Stop.EMPTY
        return Stop.RUNNING if self._most > 0 else Stop.BUDGET

    def stop_after(self, iterations: int) -> Stop:
        """Why there is no other step after so many."""
        if self.length() == 0:
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

    def traced(self, trace: Trace, iteration: int) -> None:
        """Run a step, and add it to the trace with what all parts did and sent."""
        self._edges, started = 0, time.perf_counter()
        with counting() as traffic:
            self.step(iteration)
        seconds = time.perf_counter() - started
        sent, edges = map(sum, zip(*self._graph._exchange.of_processes((traffic.sent, self._edges)), strict=True))
        trace.add_of_parts(iteration, self.length(), edges, seconds, sent, traffic.seconds)

    def _items(self, handle: Handle) -> list[Any]:
        """Of each local part, its share of a frontier of the step."""
        if handle.everything:
            return [part.live for part in self._graph.parts]
        if handle.fixed is not None:
            return self._fixed[handle.fixed]
        return self._slots[handle.slot] if handle.slot >= 0 else self._inputs[-1 - handle.slot]

    def _operate(self, node: Node, iteration: int) -> None:
        given, rules, team = [self._items(handle) for handle in node.inputs], self._rules[node.index], self._team
        if node.index in self._queues:
            (lists,) = given
            queue = self._queues[node.index]
            self._slots[node.index] = queue.split(lists, lambda i, ids: self._priorities(node, i, iteration, ids))
            return
        written = rules.writes_own | rules.writes.keys()
        names = [name for name in written if name in self._read]

        def run(index: int) -> tuple[_Done, list[Any]]:
            """The operator, and what is sent: of an advance to the owners, of others to those who have ghosts."""
            lists = [each[index] for each in given]
            done = self._run_on(node, index, iteration, lists)
            if node.name == "advance":
                return done, self._merges[node.index][index].sent(done.put_out, lists[0], done.edges, False)
            if self._shadows:
                self._shadows[index].settle(rules.writes_own, lists[0])
            return done, self._news(index, lists[0], names)

        done, sent = map(list, zip(*team.each(run), strict=True))
        self._edges += sum(each.edges for each in done)
        if node.name == "advance":
            self._slots[node.index], sent = self._settle(node, sent, given[0], names)
        else:
            self._slots[node.index] = [each.put_out for each in done]
        if names:
            refresh(self._problem, self._views, sent, names, self._shadows)
        for name in written - self._read:
            self._problem._values[name].known = Known.OWN
        if stored := sorted(written & self._sets):
            spread(self._problem, self._views, stored)
        for name in sorted(rules.joins):
            join_together(self._graph, self._forests[name])
        for number, scalar in enumerate(node.scalar_results):
            self._reduce(scalar, [each.scalars[number] for each in done], iteration)

    def _run_on(self, node: Node, index: int, iteration: int, lists: list[Any]) -> _Done:
        """Run an operator on one part, over its shares of the frontiers."""
        part, local = self._graph.parts[index], self._locals[node.index][index]
        if node.name == "advance":
            self._merges[node.index][index].begin(lists[0])
        ran, edges = any(map(len, lists)), 0
        put_out, scalars = part.none(), [identity(scalar.reduce, scalar.dtype) for scalar in node.scalar_results]
        if ran:
            run = local.run(part, iteration, lists, [handle.distinct for handle in node.inputs])
            edges = run.control[Word.EDGES]
            if node.output is not None:
                put_out = local.output(run)
            scalars = [self._scalar(scalar, index) for scalar in node.scalar_results]
        return _Done(put_out, scalars, edges)

    def _scalar(self, scalar: Scalar, index: int) -> Any:
        """What a part came to of a scalar."""
        view = self._views[index]
        return scalar.dtype.type(view.device.number(view._values[scalar.name]))

    def _priorities(self, node: Node, index: int, iteration: int, ids: Any) -> Any:
        part = self._graph.parts[index]
        if not len(ids):
            return part.device.empty(0, np.float64)
        run = self._locals[node.index][index].run(part, iteration, [ids], [True])
        return run.buffers["values_0"][: len(ids)]

    def _settle(self, node: Node, sent: list[Any], given: list[Any], names: list[str]) -> tuple[list[Any], list[Any]]:
        """Bring what an advance put out and wrote to the owners; of each part its share, and the news for ghosts."""
        merges, rules = self._merges[node.index], self._rules[node.index]
        received = self._graph._exchange.all_to_all(sent)

        def take(index: int) -> tuple[Any, list[Any]]:
            items, changed = merges[index].take(received[index], given[index] if rules.writes_own else None)
            return items, self._news(index, changed, names)

        put_out, news = zip(*self._team.each(take), strict=True)
        return list(put_out), list(news)

    def _reduce(self, scalar: Scalar, own: list[Any], iteration: int) -> None:
        """Reduce what the parts came to, in their order, and give it to all."""
        field = self._problem._values[scalar.name]
        total = field[0] if scalar.accumulates and iteration > 1 else scalar.initial
        with np.errstate(all="ignore"):  # whole numbers wrap around
            for value in self._graph._exchange.all_gather(own):
                total = _REDUCED[scalar.reduce](total, value)
        field[0] = total
        for view in self._views:
            view.device.fill(view._values[scalar.name], total)

    # --- what is left ------------------------------------------------------------------------------------------------

    def output(self, frontier: StepFrontier) -> Any:
        """The vertices of one of the current frontiers, of all parts, in the order of these."""
        own = [CPU.asarray(ids) for ids in self._inputs[frontier.number]]
        return np.concatenate(self._graph._exchange.all_gather(own))

    def retire(self) -> None:
        """Nothing more is wanted of it."""
