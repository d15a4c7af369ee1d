"""Kept recordings of steps: a step that calls the same operators again takes only a look-up for each operator.

Operators read properties of the graph when they are recorded. So recordings are kept for each graph, as long as the
graph exists and does not change.
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
_MOST_KEPT = 1024  # places of a graph; steps with new options each time are forgotten from time to time
_kept: WeakKeyDictionary[Any, Recordings] = WeakKeyDictionary()


class Functions:
    """Functions of a functor at the time of a recording."""

    __slots__ = ("_digests", "_functions")

    def __init__(self, *functors: tuple[type[Functor] | None, Iterable[str]]) -> None:
        there = [(functor._functions, names) for functor, names in functors if functor is not None]
        self._functions = tuple([functions[name] for functions, names in there for name in names if name in functions])
        self._digests = tuple(map(digest, self._functions))

    @property
    def hold(self) -> bool:
        """Whether the functions still compile to the same code."""
        return tuple(map(digest, self._functions)) == self._digests


class Place:
    """A point in the recording of a step: the operators that were recorded so far.

    Attributes
    ----------
    node : Node
        The operator that was recorded last, which must not change; None at the beginning.
    inputs : list of Handle
        At the beginning: the symbols for the inputs of the step, which belong to no recording.
    plans : dict
        Whole plans of steps that end here, by the frontiers that they return and how their loop ends.
    """

    __slots__ = ("_after", "_count", "_functions", "inputs", "node", "plans")

    def __init__(self, count: Count, node: Any, functions: Functions) -> None:
        self._count, self.node, self._functions = count, node, functions
        self._after: dict[Any, Place] = {}
        self.inputs: list[Handle] = []
        self.plans: dict[Any, tuple[Plan, Functions]] = {}

    def after(self, key: Any) -> Place | None:
        """The place after the operator with this key (see `key_of`), if it was recorded here before."""
        found = self._after.get(key)
        return found if found is not None and found._functions.hold else None

    def keep(self, key: Any, node: Node, functor: type[Functor] | None) -> Place:
        """The place after an operator that is new here."""
        self._count.places += 1
        found = self._after[key] = Place(self._count, node, Functions((functor, node.functions)))
        return found


class Count:
    """The number of places of a graph.

    Places share only this object and don't refer to the recordings, so there is no reference cycle, and they are freed
    with the graph.
    """

    __slots__ = ("places",)

    def __init__(self) -> None:
        self.places = 0


class Whole:
    """The plan of a step that is known to depend only on its key."""

    __slots__ = ("_functions", "_plan", "_pulls")

    def __init__(self, plan: Plan, functor: type[Functor] | None) -> None:
        options = [node.recorded[1] for node in plan.nodes]
        functors = [(each.get("functor"), node.functions) for each, node in zip(options, plan.nodes, strict=True)]
        self._functions = Functions(*functors, (functor, ("until",)))
        self._pulls = plan.problem.graph.has_room_for_in_edges if any(map(may_pull, options)) else None
        self._plan = plan.over(None, None)

    def over(self, problem: Any) -> Plan | None:
        """The plan over `problem`, if the step would record the same plan again."""
        if self._pulls is not None and self._pulls != problem.graph.has_room_for_in_edges:
            return None
        return self._plan.over(problem, None) if self._functions.hold else None


class Recordings:
    """The recordings over one version of a graph.

    Attributes
    ----------
    beginnings : dict
        The places where recordings begin.
    """

    def __init__(self, version: int) -> None:
        self.version, self.count = version, Count()
        self.beginnings: dict[Any, Place] = {}
        self._plans: dict[Any, Whole] = {}  # plans of steps that name the attributes that they read, by the values read

    def plan(self, key: Any, problem: Any) -> Plan | None:
        """The plan over `problem` that was kept by this key, if the step would record the same plan again."""
        found = self._plans.get(key)
        return None if found is None else found.over(problem)

    def keep(self, key: Any, plan: Plan, functor: type[Functor] | None) -> None:
        """Keep a plan by the values that its step read. `functor` ends the loop of the plan."""
        self.count.places += 1
        self._plans[key] = Whole(plan, functor)


def recordings_of(graph: Any) -> Recordings:
    """The recordings over the current version of `graph`."""
    kept = _kept.get(graph)
    if kept is None or kept.version != graph.version or kept.count.places >= _MOST_KEPT:
        kept = _kept[graph] = Recordings(graph.version)
    return kept


def forget(graph: Any) -> None:
    """Forget the recordings of steps over `graph`, as after a change of the graph."""
    _kept.pop(graph, None)


def beginning(graph: Any, key: Any) -> Place:
    """The place where the recording of a step over `graph` begins; `key`: the other values that it depends on."""
    kept = recordings_of(graph)
    found = kept.beginnings.get(key)
    if found is None:
        kept.count.places += 1
        found = kept.beginnings[key] = Place(kept.count, None, Functions())
    return found


def may_pull(options: dict[str, Any]) -> bool:
    """Whether an operator with these options checks the room for in-edges: an advance with direction='auto'."""
    direction = options.get("direction")
    return isinstance(direction, str) and direction == "auto"


def key_of(record: Callable[..., Node], inputs: tuple[Any, ...], options: dict[str, Any], *others: bool) -> Any:
    """A key of an operator among all operators that may be recorded in one place; None if values can't be compared.

    `others`: values that the recording depends on besides inputs and options.
    """
    places: list[Any] = [record, *others, *options]
    for frontier in inputs:
        if type(frontier) is not Handle:
            return None
        places.append(frontier.place)
    found = key_of_values(options.values())
    return None if found is None else (*places, *found)


def key_of_values(values: Collection[Any]) -> tuple[Any, ...] | None:
    """A key that equals the key of other values only if all values are the same; None if a value can't be compared."""
    kinds = [*map(type, values)]  # True equals 1, but has another type
    if not _PLAIN.issuperset(kinds):
        values = [*map(_compared, values)]
        if NotImplemented in values:
            return None
    return (*values, *kinds)


def _compared(value: Any) -> Any:
    """An object that equals the object of another value of the type only if both are the same; or NotImplemented."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return value.hex()  # 0.0 equals -0.0, but is not the same
    if kind is tuple:
        found = tuple([(type(each), _compared(each)) for each in value])
        return NotImplemented if any(each[1] is NotImplemented for each in found) else found
    return value.kind if kind is Frontier and value.everything else NotImplemented
