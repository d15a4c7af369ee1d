"""What steps recorded before, so that a step that says the same again costs a look-up for each operator.

Operators look at the graph when they are recorded, so what they found is kept for each graph, as long as the graph is
there and does not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from minigr.jit.capture import digest
from minigr.jit.functor import FunctorType
from minigr.program.frontier import Frontier, Handle

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from minigr.jit.functor import Functor
    from minigr.program.node import Node
    from minigr.program.plan import Plan

_PLAIN = frozenset((str, bool, int, type, FunctorType, type(None)))  # values that are the same if they are equal
_MOST_KEPT = 1024  # places of a graph: steps whose options are others each time are forgotten now and then
_kept: WeakKeyDictionary[Any, Recordings] = WeakKeyDictionary()


class Functions:
    """Functions of a functor, as they were when something was recorded of them."""

    __slots__ = ("_digests", "_functions")

    def __init__(self, *functors: tuple[type[Functor] | None, Iterable[str]]) -> None:
        there = [(functor._functions, names) for functor, names in functors if functor is not None]
        self._functions = tuple([functions[name] for functions, names in there for name in names if name in functions])
        self._digests = tuple(map(digest, self._functions))

    @property
    def hold(self) -> bool:
        """Whether their compiled code would still be the same."""
        return tuple(map(digest, self._functions)) == self._digests


class Place:
    """How far the recording of a step has come.

    Attributes
    ----------
    node : Node
        The operator that was recorded last; not to be changed. None where there is none yet.
    inputs : list of Handle
        Where there is none yet: the symbols for what the step takes, of no recording.
    plans : dict
        Whole plans of steps that end here, by what they return and how their loop ends.
    """

    __slots__ = ("_after", "_count", "_functions", "inputs", "node", "plans")

    def __init__(self, count: Count, node: Any, functions: Functions) -> None:
        self._count, self.node, self._functions = count, node, functions
        self._after: dict[Any, Place] = {}
        self.inputs: list[Handle] = []
        self.plans: dict[Any, tuple[Plan, Functions]] = {}

    def after(self, key: Any) -> Place | None:
        """The place after the operator that `key_of` tells from others, if it was recorded here before."""
        found = self._after.get(key)
        return found if found is not None and found._functions.hold else None

    def keep(self, key: Any, node: Node, functor: type[Functor] | None) -> Place:
        """The place after an operator that is new here."""
        self._count.places += 1
        found = self._after[key] = Place(self._count, node, Functions((functor, node.functions)))
        return found


class Count:
    """How many places a graph has. Places know no more of each other than this, so they go with the graph at once."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        self.places = 0


class Whole:
    """The plan of a step that is known to look at nothing but what it was kept by."""

    __slots__ = ("_functions", "_plan", "_pulls")

    def __init__(self, plan: Plan, functor: type[Functor] | None) -> None:
        options = [node.recorded[1] for node in plan.nodes]
        functors = [(each.get("functor"), node.functions) for each, node in zip(options, plan.nodes, strict=True)]
        self._functions = Functions(*functors, (functor, ("until",)))
        self._pulls = plan.problem.graph.has_room_for_in_edges if any(map(may_pull, options)) else None
        self._plan = plan.over(None, None)

    def over(self, problem: Any) -> Plan | None:
        """The plan over `problem`, if the step would record it again."""
        if self._pulls is not None and self._pulls != problem.graph.has_room_for_in_edges:
            return None
        return self._plan.over(problem, None) if self._functions.hold else None


class Recordings:
    """What was recorded over one version of a graph.

    Attributes
    ----------
    beginnings : dict
        Where recordings begin.
    """

    def __init__(self, version: int) -> None:
        self.version, self.count = version, Count()
        self.beginnings: dict[Any, Place] = {}
        self._plans: dict[Any, Whole] = {}  # of steps that say what they look at, by what they saw

    def plan(self, key: Any, problem: Any) -> Plan | None:
        """The plan over `problem` that was kept by what a step saw, if the step would record it again."""
        found = self._plans.get(key)
        return None if found is None else found.over(problem)

    def keep(self, key: Any, plan: Plan, functor: type[Functor] | None) -> None:
        """Keep a plan by what its step saw; `functor` ends its loop."""
        self.count.places += 1
        self._plans[key] = Whole(plan, functor)


def recordings_of(graph: Any) -> Recordings:
    """What was recorded over `graph` as it is now."""
    kept = _kept.get(graph)
    if kept is None or kept.version != graph.version or kept.count.places >= _MOST_KEPT:
        kept = _kept[graph] = Recordings(graph.version)
    return kept


def forget(graph: Any) -> None:
    """Have steps over `graph` recorded again, as after a change of the graph."""
    _kept.pop(graph, None)


def beginning(graph: Any, key: Any) -> Place:
    """Where the recording of a step over `graph` begins; `key`: what else it depends on."""
    kept = recordings_of(graph)
    found = kept.beginnings.get(key)
    if found is None:
        kept.count.places += 1
        found = kept.beginnings[key] = Place(kept.count, None, Functions())
    return found


def may_pull(options: dict[str, Any]) -> bool:
    """Whether an operator, by its options, looks at the room for in-edges: an advance that chooses its direction."""
    direction = options.get("direction")
    return isinstance(direction, str) and direction == "auto"


def key_of(record: Callable[..., Node], inputs: tuple[Any, ...], options: dict[str, Any], *others: bool) -> Any:
    """What tells an operator from all others that may be recorded in its place; None where values can't be compared.

    `others`: what its recording depends on besides its inputs and its options.
    """
    places: list[Any] = [record, *others, *options]
    for frontier in inputs:
        if type(frontier) is not Handle:
            return None
        places.append(frontier.place)
    found = key_of_values(options.values())
    return None if found is None else (*places, *found)


def key_of_values(values: Collection[Any]) -> tuple[Any, ...] | None:
    """What equals that of other values only if they are the same; None where one of them can't be compared."""
    kinds = [*map(type, values)]  # True equals 1, but has another kind
    if not _PLAIN.issuperset(kinds):
        values = [*map(_compared, values)]
        if NotImplemented in values:
            return None
    return (*values, *kinds)


def _compared(value: Any) -> Any:
    """What equals that of another value of its kind only if the two are the same; NotImplemented if there is none."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return value.hex()  # 0.0 equals -0.0
    if kind is tuple:
        found = tuple([(type(each), _compared(each)) for each in value])
        return NotImplemented if any(each[1] is NotImplemented for each in found) else found
    return value.kind if kind is Frontier and value.everything else NotImplemented
