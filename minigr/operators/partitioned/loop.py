"""The loop of a program over a graph in parts, which the host runs step by step.

After each operator, writes to vertices of other parts and the vertices put out are sent to the owners, and changed
copies are refreshed if a later operator reads them. Scalars are reduced over all parts. So each part continues with the
same state as one device would have, and the steering uses the sums over all parts.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import ProblemError
from minigr.graphs.partitioned.traffic import counting
from minigr.jit.told import tell
from minigr.operators.partitioned.across_run import AcrossRun
from minigr.operators.partitioned.across_setup import Setup, setup_of
from minigr.operators.partitioned.copies import Copies
from minigr.operators.partitioned.forest import Forest
from minigr.operators.partitioned.local import Until
from minigr.operators.partitioned.operation import Operation
from minigr.operators.partitioned.part_plan import dealt, over_present_parts
from minigr.operators.partitioned.queue import Queue
from minigr.operators.partitioned.rules import Rules, check_until, rules_of
from minigr.program.control import Stop
from minigr.program.executor import Executor, note_steps
from minigr.program.frontier import Frontier, Handle
from minigr.program.plan import UNLIMITED, Plan
from minigr.program.recorder import First, several
from minigr.program.step_frontier import StepFrontier
from minigr.program.trace import Trace


class PartsExecutor(Executor):
    """A loop over one problem, whose graph may be in parts."""

    def memory(self, frontier: First) -> int:
        """Return the bytes that a run from `frontier` allocates, in addition to the problem's fields.

        `Problem.memory_on` returns the bytes of the fields.

        Raises
        ------
        ProblemError
            If the graph is in parts, because the memory then depends on the amount of data that parts exchange.
        """
        if self.graph.layout == "parts":
            raise ProblemError(
                "the memory of a run over a graph in parts can't be told, because it depends on what parts send"
            )
        return super().memory(frontier)

    def _execute_now(self, first: First) -> Any:
        if self.graph.layout != "parts":
            return super()._execute_now(first)
        if self.driver == "graph":
            raise ProblemError("driver='graph' is not for a graph in parts: leave driver= out")
        if self._keeps_levels or any(frontier.levels is not None for frontier in several(first)):
            raise ProblemError("levels are not kept over a graph in parts: keep the depth of each vertex in a field")
        with self.graph._exchange.together():
            self.graph._check_alike()
            return self._over_parts(first)

    def _over_parts(self, first: First) -> Any:
        """Run the loop in each process that has parts of the graph. If possible, GPUs run the loop together."""
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
                    f"driver='fused' runs the loop on the parts' GPUs together, but {setup}: leave driver= out"
                )
        return self._loop(plan, rules, first)

    def _finish(self, run: Any) -> None:
        if self.graph.layout == "parts":
            run.retire()  # the run is not used again
        else:
            super()._finish(run)

    def _loop(self, plan: Plan, rules: list[Rules], first: First) -> PartsLoop:
        """Run the loop step by step, by the host."""
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
        note_steps(self.iterations)
        return loop


class PartsLoop:
    """One run of a step over the parts of a graph that belong to this process."""

    def __init__(self, executor: Executor, plan: Plan, rules: list[Rules], first: Any) -> None:
        self.plan, self._most = plan, executor.max_iterations
        if any(node.reads_in_edges for node in plan.nodes):
            plan.problem.graph.make_in_edges()
        problem = over_present_parts(plan.problem)
        graph = self._graph = problem.graph
        copies = Copies(problem, rules)
        forests = {
            name: graph._team.each(lambda i, name=name: Forest(graph.parts[i], copies.views[i]._values[name]))
            for name in sorted(set().union(*(each.joins for each in rules)))
        }
        debug, counts = executor.debug, executor.trace is not None
        self._operations = [
            Operation(node, rules[node.index], copies, problem, forests, debug, counts) for node in plan.nodes
        ]
        self._queues = {node.index: self._queue_of(node) for node in plan.nodes if node.name == "near_far"}
        self._until = None
        if plan.until is not None:
            assert executor._functor is not None
            self._until = Until(copies.views[0], executor._functor, debug)
        self._inputs = [self._dealt(each) for each in first]
        self._fixed = [self._dealt(each) for each in plan.fixed]
        self._slots: dict[int, list[Any]] = {}
        self._deciding = [own for own in plan.frontiers if own.slot is not None or not plan.final_slots]

    def _queue_of(self, node: Any) -> Queue:
        waiting = None if node.waiting is None else self._dealt(node.waiting)
        return Queue(self._graph, waiting, node.width, node.falling)

    def _dealt(self, frontier: Frontier) -> list[Any]:
        """For each local part, its share of a frontier that all processes have."""
        parts = self._graph.parts
        shares = zip(parts, dealt(frontier, parts, self._graph), strict=True)
        return [part.device.asarray(ids) for part, ids in shares]

    # --- when the loop ends ------------------------------------------------------------------------------------------

    def length(self) -> int:
        """The number of items in the frontiers that decide on the end, as the control block of one device has it."""
        own = [sum(len(self._inputs[own.number][i]) for own in self._deciding) for i in range(len(self._graph.parts))]
        return sum(self._graph._exchange.all_gather(own))

    def _length_after(self) -> int:
        """The same number after a step. The operators of the step know the length of the output of all parts."""
        slots = [own.slot for own in self._deciding if own.slot is not None]
        if len(slots) < len(self._deciding):
            return self.length()
        return sum(self._queues[k].due if k in self._queues else self._operations[k].put_out for k in slots)

    def stop_before(self, skips_empty: bool) -> Stop:
        """Why there is no first step; RUNNING if there is one."""
        waiting = any(queue.waiting for queue in self._queues.values())
        if skips_empty and self.length() == 0 and not waiting:
            return Stop.EMPTY
        return Stop.RUNNING if self._most > 0 else Stop.BUDGET

    def stop_after(self, iterations: int) -> Stop:
        """Why there is no step after `iterations` steps; RUNNING if there is one."""
        if self._length_after() == 0:
            return Stop.EMPTY
        if self._until is not None and self._until.holds(iterations):
            return Stop.UNTIL
        return Stop.BUDGET if iterations >= self._most else Stop.RUNNING

    # --- a step ------------------------------------------------------------------------------------------------------

    def step(self, iteration: int) -> None:
        """Run all operators of the step, and make the returned frontier the next step's input."""
        for node, operation in zip(self.plan.nodes, self._operations, strict=True):
            given = [self._items(handle) for handle in node.inputs]
            if node.index in self._queues:
                priorities = partial(operation.priorities, iteration)
                self._slots[node.index] = self._queues[node.index].split(given[0], priorities)
            else:
                self._slots[node.index] = operation.run(given, iteration)
        for own in self.plan.frontiers:
            if own.slot is not None:
                self._inputs[own.number] = self._slots[own.slot]

    def traced(self, trace: Trace, iteration: int) -> None:
        """Run a step, and add it to the trace with the edges and the bytes sent of all parts."""
        started = time.perf_counter()
        with counting() as traffic:
            self.step(iteration)
        seconds = time.perf_counter() - started
        own = traffic.sent, sum(operation.edges for operation in self._operations)
        sent, edges = map(sum, zip(*self._graph._exchange.of_processes(own), strict=True))
        pulled = any(operation.pulled for operation in self._operations)
        trace.add_of_parts(iteration, self.length(), pulled, edges, seconds, sent, traffic.seconds)

    def _items(self, handle: Handle) -> list[Any]:
        """For each local part, its share of a frontier of the step."""
        if handle.everything:
            return [part.live for part in self._graph.parts]
        if handle.fixed is not None:
            return self._fixed[handle.fixed]
        return self._slots[handle.slot] if handle.slot >= 0 else self._inputs[-1 - handle.slot]

    # --- the result --------------------------------------------------------------------------------------------------

    def output(self, frontier: StepFrontier) -> Any:
        """The vertices of one of the current frontiers, from all parts, in the order of parts."""
        own = [CPU.asarray(ids) for ids in self._inputs[frontier.number]]
        return np.concatenate(self._graph._exchange.all_gather(own))

    def retire(self) -> None:
        """End the use of the run."""
