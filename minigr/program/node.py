"""A recorded operator: its input, its output and the functions that it calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.errors import FunctorError, GraphError, ProblemError
from minigr.jit.functor import Bound, Functor, require
from minigr.program.frontier import Handle
from minigr.program.problem import Problem
from minigr.program.seen_graph import bind_to

if TYPE_CHECKING:
    from minigr.program.scalar import Scalar

HUB = 1 << 14  # positions of a vertex beyond which a CPU's threads share them: many times what a barrier costs
SLICE = 512  # positions in a slice of a hub; see schedules/hubs.cuh

# What the items of a frontier don't have, by its kind.
_ABSENT = {"vertices": ("edge", "src", "dst", "weight"), "edges": ("vertex",), "pairs": ("edge", "weight", "vertex")}


@dataclass
class Node:
    """One operator in a step.

    Attributes
    ----------
    index : int
        Position in the step; also the number of its output slot.
    input : Handle
    output : Handle or None
    functions : dict
        The functor's functions that this operator calls, bound, by name.
    buffers : dict
        Arrays this operator needs while the loop runs: name to (shape, dtype, initial value or None). The shape may be
        a function of the number of workers (threads of the team, blocks of the grid).
    """

    index: int
    input: Handle
    output: Handle | None
    functions: dict[str, Bound] = field(default_factory=dict)
    buffers: dict[str, tuple[Any, Any, Any]] = field(default_factory=dict)

    #: who recorded it, and by which options: over a graph in parts it is recorded again for each part
    recorded: tuple[Any, dict[str, Any]] = field(default=(None, {}), init=False, repr=False, compare=False)
    #: items that the output slot must have room for
    capacity: int = 0
    #: whether this operator reads in-edges, and the ids of in-edges
    reads_in_edges: bool = False
    reads_in_ids: bool = False
    #: whether it searches among in-edges, and mostly finds what it searches for at the first one
    searches: bool = False
    #: whether the work of an item is its edges
    per_edge: ClassVar[bool] = False
    #: whether its CPU kernel leaves the cursor of the control block to the operator before it
    claims_apart: ClassVar[bool] = False
    #: whether it may run at the same time as the operator before it
    overlaps: bool = False
    #: what a step may hold one of only, because its state is in the control block; empty where there is no limit
    sole: str = ""

    def copied(self) -> Node:
        """The same operator as another object, for another plan."""
        node = object.__new__(type(self))  # `copy.copy` takes several microseconds
        node.__dict__.update(self.__dict__)
        return node

    @property
    def name(self) -> str:
        """The operator's name, for messages."""
        return re.sub("(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()

    @property
    def inputs(self) -> tuple[Handle, ...]:
        """All frontiers that it takes."""
        return (self.input,)

    @property
    def scalar_results(self) -> tuple[Scalar, ...]:
        """The scalar fields that it reduces into."""
        return ()

    @property
    def stays(self) -> bool:
        """Whether it takes a frontier that is the same in each step."""
        return self.input.stays

    def least_work(self, graph: Any) -> int:
        """Edges or items it looks at however short the step's frontier is."""
        return sum(self._work_over(frontier, graph) for frontier in self.inputs if frontier.stays)

    def _work_over(self, frontier: Handle, graph: Any) -> int:
        if frontier.fixed is not None:
            return frontier.capacity * (1 + graph.num_arcs // max(graph.num_vertices, 1) * self.per_edge)
        return int(graph.num_arcs if self.per_edge or frontier.kind == "edges" else graph.num_vertices)

    @property
    def shares_hubs(self) -> bool:
        """Whether a CPU's threads share the vertices of more than `HUB` positions."""
        return False

    @property
    def lists_arcs(self) -> bool:
        """Whether its output may hold as many items as there are arcs."""
        return self.output is not None and self.output.kind == "edges"

    def take_over(self, after: Node, plan: Any) -> bool:
        """Do the work of the next operator of `plan`, which alone reads this one's output, if the device can."""
        return False

    def defers(self, graph: Any) -> bool:
        """Whether its GPU kernel must be ready to put off hubs of `graph`; see ``schedules/hubs.cuh``."""
        return False

    def is_one_phase(self, graph: Any) -> bool:
        """Whether its GPU kernel is one phase, of which nothing is left to do at the barrier."""
        return False

    def frame(self, graph: Any) -> Any:
        """What of a graph its buffers and its kernels go by besides what `Plan.frame` has."""
        return None

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        """Buffers that only the CPU kernel needs, in the form of `buffers`."""
        return {}

    def first_items(self, graph: Any) -> dict[str, tuple[Any, int | None]]:
        """By a buffer's name, what it holds when the loop starts, and the control word for how much that is, if any."""
        return {}

    def first_words(self, graph: Any) -> dict[int, int]:
        """Words of the control block that a loop starts with, on either device."""
        return {}

    @property
    def counters(self) -> int:
        """How many counters it has in the control block besides the length of its output."""
        return 0

    def control_words(self, first_own: int) -> dict[int, int]:
        """Words of the control block that its GPU kernel starts with; `first_own`: where its own counters begin."""
        return {}

    def numbers(self) -> dict[str, int]:
        """Numbers that its kernels are given, by name: they shape no code, so programs don't differ by them."""
        return {}

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        """Buffers that only the GPU kernel needs, in the form of `buffers`."""
        return {}

    def options(self) -> tuple[Any, ...]:
        """All that shapes this operator's code besides its functions."""
        return ()

    def uses(self, supplied: str) -> bool:
        """Whether any of its functions asks the operator for `supplied`."""
        return any(bound.uses(supplied) for bound in self.functions.values())


def bind_functions(
    functor: type[Functor] | None, problem: Problem, names: Iterable[str], needed: tuple[str, ...], operator: str
) -> dict[str, Bound]:
    """Bind those of `names` that the functor has; at least one of `needed` must be there.

    Raises
    ------
    FunctorError
        If the functor is missing, lacks what the operator needs, or asks for a name that nobody supplies, or for
        weights of a graph that has none.
    """
    require(functor, needed, operator)
    assert functor is not None
    bound = {name: b for name in names if (b := bind_to(functor, name, problem)) is not None}
    if not problem.graph.weighted:
        for function in bound.values():
            if function.uses("weight"):
                raise FunctorError(f"{function.label} asks for 'weight', but the graph has no weights: give it some")
    return bound


def refuse_positions(functions: Iterable[Bound], problem: Problem, operator: str) -> None:
    """Refuse functions that ask where an edge stands in its row, if the rows of the graph have no order."""
    if problem.graph.layout != "slabs":
        return
    for bound in functions:
        for name in ("rank", "idx"):
            if bound.uses(name):
                raise FunctorError(
                    f"{bound.label} asks {operator} for {name!r}, but the rows of a DynamicGraph are hashes, and edges "
                    "have no positions there: use 'edge', which names an edge until the next update, or run on "
                    "graph.to_graph()"
                )


def check_in_edges(problem: Problem, what: str) -> None:
    """Refuse what needs in-edges if the graph doesn't keep them."""
    if not problem.graph.keeps_in_edges:
        raise GraphError(
            f"{what} needs in-edges, and the directed DynamicGraph does not keep them: make it with in_edges=True"
        )


def check_since(since: Any, problem: Problem, operator: str) -> bool:
    """Whether `since` asks for the edges that came after the graph's mark.

    Raises
    ------
    ProblemError
        If `since` is neither None nor ``"mark"``, or the graph has no mark.
    """
    check_choice(since, (None, "mark"), f"{operator}: since")
    has_mark = getattr(problem.graph, "has_mark", None)
    if since is not None and has_mark is None:
        raise ProblemError(f"{operator}: since='mark' takes a DynamicGraph: a static graph has no marks")
    if since is not None and not has_mark:
        raise ProblemError(f"{operator}: since='mark', but the graph has no mark yet: call graph.mark() first")
    return since is not None


def check_item_names(functions: Mapping[str, Bound], kind: str) -> None:
    """Refuse functions that ask for what the items of a frontier of this kind don't have."""
    for bound in functions.values():
        for name in _ABSENT[kind]:
            if bound.uses(name):
                raise FunctorError(f"{bound.label} asks for {name!r}, which a frontier of {kind} doesn't have")


def check_input(frontier: Any, operator: str, kinds: tuple[str, ...] = ("vertices", "edges")) -> Handle:
    """`frontier` as a Handle of one of `kinds`."""
    if not isinstance(frontier, Handle):
        raise ProblemError(
            f"{operator} in a step takes the frontier that step was given, one that an operator returned, or a "
            f"mg.Frontier, got {type(frontier).__name__}"
        )
    if frontier.kind not in kinds:
        raise ProblemError(f"{operator} takes a frontier of {' or '.join(kinds)}, got one of {frontier.kind}")
    return frontier


def check_choice(value: Any, allowed: tuple[Any, ...], what: str) -> Any:
    """`value` if it is one of `allowed`; otherwise an error that lists them."""
    if not isinstance(value, (str, type(None))) or value not in allowed:  # an array can't be looked for
        raise ProblemError(f"{what}={value!r}: use one of {', '.join(map(repr, allowed))}")
    return value


def check_flag(value: Any, what: str) -> bool:
    """`value` as a bool, if it is one; otherwise an error."""
    if not isinstance(value, (bool, np.bool_)):
        raise ProblemError(f"{what}={value!r}: use True or False")
    return bool(value)
