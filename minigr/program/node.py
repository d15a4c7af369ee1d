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

# The threads of a CPU share a vertex that has more positions: to read so many takes many times as long as a barrier.
HUB = 1 << 14
SLICE = 512  # positions in a slice of a hub; see schedules/hubs.cuh

# The names that the items of a frontier don't have, by kind of frontier.
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
        The functions of the functor that this operator calls, bound, by name.
    buffers : dict
        Arrays that this operator needs while the loop runs: name to (shape, dtype, initial value or None). The shape
        may be a function of the number of workers (threads of the team, blocks of the grid).
    """

    index: int
    input: Handle
    output: Handle | None
    functions: dict[str, Bound] = field(default_factory=dict)
    buffers: dict[str, tuple[Any, Any, Any]] = field(default_factory=dict)

    #: the function that recorded the operator, and its options; over a graph in parts, each part records it again
    recorded: tuple[Any, dict[str, Any]] = field(default=(None, {}), init=False, repr=False, compare=False)
    #: items that the output slot must have room for
    capacity: int = 0
    #: whether this operator reads in-edges, and the ids of in-edges
    reads_in_edges: bool = False
    reads_in_ids: bool = False
    #: whether it searches in-edges and in most cases finds a match at the first edge
    searches: bool = False
    #: whether the work for an item is the number of its edges
    per_edge: ClassVar[bool] = False
    #: whether its CPU kernel leaves the cursor of the control block to the operator before it
    claims_apart: ClassVar[bool] = False
    #: whether it may run at the same time as the operator before it
    overlaps: bool = False
    #: name of the state in the control block that only one operator of a step may have; empty if there is none
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
        """All frontiers that the operator takes."""
        return (self.input,)

    @property
    def scalar_results(self) -> tuple[Scalar, ...]:
        """The scalar fields that the operator reduces into."""
        return ()

    @property
    def stays(self) -> bool:
        """Whether the operator takes a frontier that is the same in each step."""
        return self.input.stays

    def least_work(self, graph: Any) -> int:
        """The number of edges or items that the operator looks at even if the step's frontier is empty."""
        return sum(self._work_over(frontier, graph) for frontier in self.inputs if frontier.stays)

    def _work_over(self, frontier: Handle, graph: Any) -> int:
        if frontier.fixed is not None:
            return frontier.capacity * (1 + graph.num_arcs // max(graph.num_vertices, 1) * self.per_edge)
        return int(graph.num_arcs if self.per_edge or frontier.kind == "edges" else graph.num_vertices)

    @property
    def shares_hubs(self) -> bool:
        """Whether the threads of a CPU share the vertices of more than `HUB` positions."""
        return False

    @property
    def lists_arcs(self) -> bool:
        """Whether the output may hold as many items as there are arcs."""
        return self.output is not None and self.output.kind == "edges"

    def take_over(self, after: Node, plan: Any) -> bool:
        """Do the work of the next operator of `plan`, which alone reads this operator's output, if the device can."""
        return False

    def defers(self, graph: Any) -> bool:
        """Whether the GPU kernel must be able to put off hubs of `graph`; see ``schedules/hubs.cuh``."""
        return False

    def is_one_phase(self, graph: Any) -> bool:
        """Whether the GPU kernel is a single phase, with no work left at the barrier."""
        return False

    def frame(self, graph: Any) -> Any:
        """Properties of a graph that the buffers and kernels depend on, besides those in `Plan.frame`."""
        return None

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        """Buffers that only the CPU kernel needs, in the form of `buffers`."""
        return {}

    def first_items(self, graph: Any) -> dict[str, tuple[Any, int | None]]:
        """First items of buffers, by name: the items, and the control word for their number or None."""
        return {}

    def first_words(self, graph: Any) -> dict[int, int]:
        """Words of the control block that a loop starts with, on any device."""
        return {}

    @property
    def counters(self) -> int:
        """The number of the operator's counters in the control block, besides the length of its output."""
        return 0

    def control_words(self, first_own: int) -> dict[int, int]:
        """Words of the control block that the GPU kernel starts with; `first_own`: position of its first counter."""
        return {}

    def numbers(self) -> dict[str, int]:
        """Numbers that the kernels get as arguments, by name. The code does not depend on them."""
        return {}

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        """Buffers that only the GPU kernel needs, in the form of `buffers`."""
        return {}

    def options(self) -> tuple[Any, ...]:
        """Everything that the operator's code depends on besides its functions."""
        return ()

    def uses(self, supplied: str) -> bool:
        """Whether any of the operator's functions has the parameter `supplied`."""
        return any(bound.uses(supplied) for bound in self.functions.values())


def bind_functions(
    functor: type[Functor] | None, problem: Problem, names: Iterable[str], needed: tuple[str, ...], operator: str
) -> dict[str, Bound]:
    """Bind the functions of `names` that the functor has; it must have at least one of `needed`.

    Raises
    ------
    FunctorError
        If the functor is missing, or lacks what the operator needs. If a function asks for a name that nobody supplies,
        or for weights if the graph has none.
    """
    require(functor, needed, operator)
    assert functor is not None
    bound = {name: b for name in names if (b := bind_to(functor, name, problem)) is not None}
    if not problem.graph.weighted:
        for function in bound.values():
            if function.uses("weight"):
                raise FunctorError(
                    f"{function.label} asks for 'weight', but the graph has no weights: make it with weights"
                )
    return bound


def refuse_positions(functions: Iterable[Bound], problem: Problem, operator: str) -> None:
    """Refuse functions that ask for the position of an edge in its row, if the rows of the graph have no order."""
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
    """Refuse an operation that needs in-edges if the graph doesn't keep them."""
    if not problem.graph.keeps_in_edges:
        raise GraphError(
            f"{what} needs in-edges, but the directed DynamicGraph doesn't keep them: make it with in_edges=True"
        )


def check_since(since: Any, problem: Problem, operator: str) -> bool:
    """Whether `since` asks for the edges that were inserted after the graph's mark.

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


_INSTEAD = {
    "vertices": "ask for 'vertex', or pass a frontier of edges",
    "edges": "ask for 'src', 'dst' or 'edge', or pass a frontier of vertices",
    "pairs": "ask for 'src' and 'dst'",
}


def check_item_names(functions: Mapping[str, Bound], kind: str) -> None:
    """Refuse functions that ask for names that the items of a frontier of this kind don't have."""
    for bound in functions.values():
        for name in _ABSENT[kind]:
            if bound.uses(name):
                raise FunctorError(
                    f"{bound.label} asks for {name!r}, which a frontier of {kind} doesn't have: {_INSTEAD[kind]}"
                )


def check_input(frontier: Any, operator: str, kinds: tuple[str, ...] = ("vertices", "edges")) -> Handle:
    """Return `frontier` if it is a Handle of one of `kinds`."""
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
    if not isinstance(value, (str, type(None))) or value not in allowed:  # `in` fails for an array
        raise ProblemError(f"{what}={value!r}: use one of {', '.join(map(repr, allowed))}")
    return value


def check_flag(value: Any, what: str) -> bool:
    """`value` as a bool, if it is one; otherwise an error."""
    if not isinstance(value, (bool, np.bool_)):
        raise ProblemError(f"{what}={value!r}: use True or False")
    return bool(value)
