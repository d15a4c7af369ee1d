"""A recorded step: its operators, the problem they work on, and how the loop ends."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigr import memory
from minigr.cached import cached_property
from minigr.errors import FunctorError, ProblemError
from minigr.jit import capture
from minigr.jit.accesses import Access, accesses
from minigr.jit.functor import Bound
from minigr.jit.graph_parameter import WEIGHTS
from minigr.jit.index_checks import source_lines
from minigr.program.control import Word, length_word
from minigr.program.frontier import ITEM_DTYPES, Frontier, Handle
from minigr.program.levels import Levels
from minigr.program.node import Node
from minigr.program.problem import Problem
from minigr.program.step_frontier import StepFrontier

UNLIMITED = 1 << 62  # number of steps, or amount of work
MOST_LEFT = 1 << 16  # bytes of buffers that a run may leave to a later run


@dataclass
class Plan:
    """The operators of a step in the order they were called.

    Attributes
    ----------
    problem : Problem
    frontiers : list of StepFrontier
        The frontiers that the step takes and returns; in most programs one.
    final_slots : list of int
        The slots that become the next step's input; empty if all frontiers stay the same.
    nodes : list of Node
    fixed : list of Frontier
        Lists of ids that the step itself names. They are the same in each step.
    until : Bound or None
        Function that ends the loop.
    single : bool
        The step runs once, so its output need not be usable as its input.
    keeps_levels : bool
        The output of each step is stored after its input, and nothing is overwritten.
    levels : Levels or None
        Levels that the loop goes through, in place of the outputs of its steps.
    reverse : bool
        Go through `levels` from the last level to the first.
    debug : bool
        The indexes of fields are checked.
    whole : bool
        The plan has `until`, and was checked.
    shared : dict
        Results of a run that later runs over problems of the same kind reuse; see `over`.
    across : object or None
        If each part of a graph runs the loop on its GPU: how operators exchange data with other parts. Has ``key()``,
        ``text(plan)``, the `CudaText` of the plan, and ``own_words(plan)``, the number of words that a part has for
        other parts.
    part : int
        The number of the part. Each part has a program of its own, with its own arguments.
    version : int
        Version of the graph when the step was recorded. The buffers fit the graph of that version.
    """

    problem: Problem
    frontiers: list[StepFrontier]
    final_slots: list[int] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    fixed: list[Frontier] = field(default_factory=list)
    until: Bound | None = None
    single: bool = False
    keeps_levels: bool = False
    levels: Levels | None = None
    reverse: bool = False
    debug: bool = False
    whole: bool = False
    shared: dict[str, Any] = field(default_factory=dict)
    across: Any = None
    part: int = 0
    version: int = field(init=False)

    def __post_init__(self) -> None:
        self.version = self.problem.graph.version

    def over(self, problem: Any, levels: Levels | None) -> Plan:
        """This plan over another problem of the same kind and other levels. The graph must be unchanged."""
        plan = Plan.__new__(Plan)
        plan.__dict__.update(self.__dict__)
        plan.problem, plan.levels = problem, levels
        return plan

    @property
    def loops_back(self) -> bool:
        """Whether the output of the step becomes its next input."""
        return not self.single and bool(self.final_slots)

    @cached_property
    def is_of_all(self) -> bool:
        """Whether the step's frontiers are all vertices or edges."""
        return all(frontier.input.everything for frontier in self.frontiers)

    def feeds_itself(self, node: Node) -> bool:
        """Whether the output of an operator is the operator's input in the next step."""
        return self.loops_back and any(f.slot == node.index and f.input == node.input for f in self.frontiers)

    # --- words of the control block ---------------------------------------------------------------------------------

    @property
    def grids(self) -> int:
        """The number of GPUs whose grids run the loop together."""
        return 1 if self.across is None else int(self.across.num_parts)

    @property
    def counters(self) -> int:
        """The number of counters of a program.

        The counters are the lengths of outputs, the counters of operators and, with several frontiers, the length of
        each frontier and the sum of these lengths.
        """
        own = sum(node.counters for node in self.nodes)
        return len(self.nodes) + own + (len(self.frontiers) + 1 if len(self.frontiers) > 1 else 0)

    def first_own_word(self, node: Node) -> int:
        """Position of an operator's first own counter in the control block. Use only after the step is recorded."""
        return length_word(len(self.nodes) + sum(before.counters for before in self.nodes[: node.index]))

    def input_word(self, frontier: StepFrontier) -> int:
        """Position of the word with the number of items in one of the step's input frontiers."""
        several = len(self.frontiers)
        return Word.INPUT_LENGTH if several == 1 else length_word(self.counters - 1 - several + frontier.number)

    def end_of_step(self) -> tuple[list[str], int]:
        """Assignments of words that end a step, and the word with the length of the output; -1 if there is no output.

        With several frontiers, this length is the number of items in all frontiers that the step returned. So the loop
        ends when all these frontiers are empty.
        """
        if len(self.frontiers) == 1 or not self.final_slots:
            return [], next(map(length_word, self.final_slots), -1)
        returned = [(self.input_word(f), length_word(f.slot)) for f in self.frontiers if f.slot is not None]
        total = length_word(self.counters - 1)
        lines = [f"control[{word}] = control[{length}]" for word, length in returned]
        return [*lines, f"control[{total}] = " + " + ".join(f"control[{word}]" for word, _ in returned)], total

    def first_words(self, control: Any) -> None:
        """Set the words of a control block with which every loop over the current graph starts."""
        graph = self.problem.graph
        control[Word.DRAWS], control[Word.UNEXPLORED] = 1, graph.num_arcs
        if self.is_of_all:
            control[Word.WORK] = graph.num_vertices + graph.num_arcs  # of every step
        else:
            control[Word.WORK_PER_ITEM] = 1 + graph.num_arcs // max(graph.num_vertices, 1)
            control[Word.LEAST_WORK] = max((node.least_work(graph) for node in self.nodes if node.stays), default=0)
        for node in self.nodes:
            for word, value in node.first_words(graph).items():
                control[word] = value

    # --- buffers ----------------------------------------------------------------------------------------------------

    @property
    def in_order(self) -> bool:
        """Whether the step's input is part of a sequence of levels, which is being kept or read again."""
        return self.keeps_levels or self.levels is not None

    @cached_property
    def input_capacities(self) -> list[int]:
        """The number of items that each of the step's inputs must hold. Use this only after the step is recorded."""
        return [0 if frontier.input.stays else frontier.input.capacity for frontier in self.frontiers]

    @cached_property
    def own_buffers(self) -> list[dict[str, tuple[Any, Any, Any]]]:
        """For each operator, the buffers that only kernels of this device need. Use this only after `fuse`."""
        graph = self.problem.graph
        if self.problem.device.is_cuda:
            return [node.gpu_buffers(graph) for node in self.nodes]
        return [node.cpu_buffers(graph) for node in self.nodes]

    def given(self) -> dict[str, Any]:
        """Values that exist before a run, by their names in a program.

        ``starts`` has the beginnings of levels, and ``levels`` is the number of levels to read again.
        ``fixed_length_k`` is the length of a list that the step names. The numbers of operators are included.
        """
        if self.levels is not None:
            found = {"first": self.levels.vertices, "starts": self.levels.starts, "levels": np.int64(len(self.levels))}
        else:
            found = {"levels": np.int64(0)} if self.keeps_levels else {}
        for k, ids in enumerate(self.fixed):
            found[f"fixed_length_{k}"] = np.int64(len(ids))
        for node in self.nodes:
            found |= {f"{name}_{node.index}": np.int64(number) for name, number in node.numbers().items()}
        return found

    def allocations(self, workers: int) -> dict[str, tuple[Any, Any, Any]]:
        """The shape, dtype and initial value (or None) of each array that a run makes, by its name in a program.

        ``first`` and ``second`` hold the step's input and output, and in most programs change places after each step;
        ``first_k`` and ``second_k`` are the same for further frontiers. If levels are kept, ``first`` holds all of
        them, and the output is stored behind the input. ``slot_k`` are outputs that are no step's input, ``fixed_k``
        are lists that the step names, and all other arrays are buffers of operators. `workers`: number of threads of a
        CPU's team, or number of blocks of a GPU's grid.
        """
        found: dict[str, tuple[Any, Any, Any]] = {}
        loops_back, in_order = self.loops_back, self.in_order
        for frontier, first in zip(self.frontiers, self.input_capacities):  # noqa: B905  # one each; strict= slows small calls
            if self.levels is None:
                found[frontier.name("first")] = first, ITEM_DTYPES[frontier.input.kind], None
            if self.keeps_levels:  # an empty output ends the loop, so each level has at least one vertex
                found["starts"] = self.problem.graph.num_vertices + 1, np.int32, None
            second = 0
            if frontier.slot is not None and not in_order:
                second = max(self.nodes[frontier.slot].capacity, first if loops_back else 0)
            found[frontier.name("second")] = second, ITEM_DTYPES[frontier.output_kind], None
        for k, ids in enumerate(self.fixed):
            found[f"fixed_{k}"] = len(ids), ITEM_DTYPES[ids.kind], None
        for node, own in zip(self.nodes, self.own_buffers, strict=True):
            if node.output is not None and node.index not in self.final_slots:
                found[f"slot_{node.index}"] = node.capacity, ITEM_DTYPES[node.output.kind], None
            for name, (shape, dtype, fill) in (*node.buffers.items(), *own.items()):
                found[f"{name}_{node.index}"] = shape(workers) if callable(shape) else shape, dtype, fill
        return found

    def require_memory(self, needed: int) -> None:
        """Raise `OutOfMemoryError` if the device has no room for `needed` bytes."""
        if needed >= memory.ASK_FROM:
            names = ", ".join(node.name for node in self.nodes)
            memory.require(self.problem.device, needed, f"a loop over {type(self.problem).__name__} ({names})")

    @cached_property
    def counts_arcs(self) -> bool:
        """Whether a list must have room for as many items as there are arcs. Use this only after `fuse`."""
        edges = "edges" in [frontier.input.kind for frontier in self.frontiers]
        return (edges and not self.single) or any(node.lists_arcs for node in self.nodes)

    def takes(self, given: Sequence[Frontier]) -> bool:
        """Whether the plan can also run with these first frontiers."""
        if self.levels is not None or len(given) != len(self.frontiers):
            return False
        graph = self.problem.graph
        for own, frontier, capacity in zip(self.frontiers, given, self.input_capacities):  # noqa: B905  # checked above
            if not own.takes(frontier, capacity, graph):
                return False
        return True

    def frame(self) -> tuple[Any, ...]:
        """Properties of the current graph that buffers and kernels depend on. Few updates change them."""
        graph = self.problem.graph
        if self.counts_arcs or self.fixed or graph.layout == "csr":
            return (graph.version,)
        inward = graph.longest_row(inward=True) if self.reads_in_edges else 0
        own = [node.frame(graph) for node in self.nodes]
        if any(node.stays for node in self.nodes):
            own.append(graph.num_live_vertices == graph.num_vertices)  # otherwise a list of the live vertices is used
        return graph.num_vertices, graph.most_edge_ids, graph.longest_row(), inward, *own

    @cached_property
    def reads_in_edges(self) -> bool:
        return any(node.reads_in_edges for node in self.nodes)

    @cached_property
    def _searches_rows(self) -> bool:
        problem = self.problem
        return problem.device.is_cuda and problem.graph.layout == "csr" and any(node.searches for node in self.nodes)

    def in_rows(self) -> Any:
        """The rows of in-edges, as the operators read them."""
        graph = self.problem.graph
        return (graph._rows_to_search if self._searches_rows else graph.in_edges)(ids=self.reads_in_ids)

    @cached_property
    def reads_in_ids(self) -> bool:
        return any(node.reads_in_ids for node in self.nodes)

    @property
    def shares_hubs(self) -> bool:
        """Whether a CPU's threads share hubs of the frontier. Then a frontier of few vertices may be shared too."""
        listed = self.loops_back or self.levels is not None
        return listed and bool(self.weighed) and any(node.shares_hubs for node in self.nodes)

    @property
    def weighed(self) -> list[StepFrontier]:
        """The frontiers in which the threads of a CPU look for hubs."""
        if not (self.loops_back or self.levels is not None):
            return []
        moving = [frontier for frontier in self.frontiers if frontier.slot is not None or self.levels is not None]
        return [frontier for frontier in moving if frontier.input.kind == "vertices"]

    @cached_property
    def weight_dtype(self) -> np.dtype | None:
        """The dtype of the weights if a function uses them, otherwise None. Not to be used while recording."""
        asked = any(bound.uses("weight") or bound.sees(WEIGHTS) for bound in self.functions())
        return self.problem.graph.weight_dtype if asked else None

    def functions(self) -> list[Bound]:
        """All user functions that the step calls."""
        bound = [function for node in self.nodes for function in node.functions.values()]
        return [*bound, self.until] if self.until else bound

    def changes(self, functions: Iterable[Bound]) -> list[tuple[str, Access]] | None:
        """The changes that functions make to arrays, with the function's name; None if a source is not available."""
        arrays = [name for name, each in self.problem._fields.items() if each.is_array]
        try:
            return [(each.name, one) for each in functions for one in accesses(each, arrays) if one.writes]
        except FunctorError:
            return None

    def fuse(self) -> None:
        """Let an operator do the work of the next operator if only that operator reads its output.

        An advance puts its vertices straight into a near-far split, which saves a barrier. On a GPU, this is always
        done. On a CPU, it is done if a thread can then continue with these vertices by itself. Over a graph in parts,
        the parts exchange their changes between two operators. So it is done only if the split need not wait for this.
        """
        for before, node in zip(self.nodes, self.nodes[1:], strict=False):
            readers = [n for n in self.nodes if any(frontier.slot == before.index for frontier in n.inputs)]
            if readers == [node] and before.index not in self.final_slots:
                before.take_over(node, self)

    def check(self) -> None:
        """Raise `ProblemError` if the step can't be looped."""
        if not self.nodes:
            raise ProblemError("step called no operator: call at least one, e.g. self.advance(frontier)")
        for kind in {node.sole for node in self.nodes if node.sole}:
            if sum(node.sole == kind for node in self.nodes) > 1:
                raise ProblemError(f"step holds more than one {kind}: they would share their state; use only one")
        if self.loops_back and any(
            node.sole == "near_far" and node.index not in self.final_slots for node in self.nodes
        ):
            raise ProblemError(
                "near_far keeps waiting vertices, but the loop would end before their turn: return what near_far "
                "returned, and put other operators before near_far"
            )
        if len(self.frontiers) > 1 and self.in_order:
            raise ProblemError("a loop that keeps levels, or goes through levels, takes one frontier: use only one")
        if self.levels is not None and self.final_slots:
            raise ProblemError("step goes through levels that were kept, but returns a frontier: return None")
        first = self.frontiers[0]
        if self.keeps_levels and not (self.loops_back and first.output_kind == "vertices" and first.distinct):
            raise ProblemError(
                "levels are kept only if step takes a list of distinct vertices and returns one: return the output of "
                "an operator without duplicates"
            )
        for frontier in self.frontiers:
            if frontier.output is not None:
                self._check_returned(frontier, frontier.output)
        self._check_scalars()

    def _check_scalars(self) -> None:
        """Refuse a reduction that continues over the steps if another reduction writes to the same field."""
        results = [scalar for node in self.nodes for scalar in node.scalar_results]
        for scalar in results:
            if scalar.accumulates and sum(other.name == scalar.name for other in results) > 1:
                raise ProblemError(
                    f"step reduces into {scalar.name!r} more than once, and one of these reductions accumulates over "
                    "the steps: declare a scalar field for each, or reduce once over all items"
                )

    def _check_returned(self, frontier: StepFrontier, output: Handle) -> None:
        """Refuse an output that can't be the next step's frontier."""
        slot = frontier.slot
        if self.final_slots.count(slot) > 1 if slot is not None else output.slot != frontier.input.slot:
            raise ProblemError(
                "step returns one frontier in two places, or in the place of another: return a copy there, e.g. the "
                "output of a filter, or frontier | frontier"
            )
        if self.loops_back and output.kind != frontier.input.kind:
            raise ProblemError(
                f"step takes a frontier of {frontier.input.kind} and returns one of {output.kind}: both must "
                "be of one kind, because the output of a step is the input of the next step"
            )

    def key(self) -> Hashable:
        """Everything that the compiled program depends on. It is compared on every run."""
        problem = self.problem
        fields = tuple(
            (name, f.kind, problem._dtypes[name].str, problem._columns[name]) for name, f in problem._fields.items()
        )
        nodes = tuple(
            (
                type(node).__name__,
                node.options(),
                node.input,
                node.output,
                node.overlaps,
                tuple(node.buffers),
                tuple((n, b.functor, b.arguments, capture.digest(b.function)) for n, b in node.functions.items()),
            )
            for node in self.nodes
        )
        until = self.until and (self.until.arguments, capture.digest(self.until.function))
        weights = self.weight_dtype
        return (
            problem.graph.layout,
            problem.graph.arcs,
            fields,
            nodes,
            until,
            *[(frontier.input, frontier.slot) for frontier in self.frontiers],
            self.single,
            self.keeps_levels,
            self.levels is not None,
            self.reverse,
            weights,
            self.reads_in_edges,
            self.reads_in_ids,
            self.debug and tuple(source_lines(bound.function) for bound in self.functions()),
            self.across and self.across.key(),
        )


def bytes_of(arrays: dict[str, tuple[Any, Any, Any]]) -> int:
    """The number of bytes of the arrays in `Plan.allocations`."""
    return sum(
        (math.prod(shape) if isinstance(shape, tuple) else shape) * np.dtype(dtype).itemsize
        for shape, dtype, _ in arrays.values()
    )
