"""What steps recorded before, so that a step that says the same again costs a look-up for each operator.

Operators look at the graph when they are recorded, so what they found is kept for each graph, as long as the graph is
there and does not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from minigr.jit.capture import digest
from minigr.program.frontier import Frontier, Handle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from minigr.jit.functor import Functor
    from minigr.program.node import Node
    from minigr.program.plan import Plan

_PLAIN = frozenset((str, bool, int, type, type(None)))  # values that are the same if they are equal
_MOST_KEPT = 1024  # places of a graph: steps whose options are others each time are forgotten now and then
_kept: WeakKeyDictionary[Any, Recordings] = WeakKeyDictionary()


class Functions:
    """Functions of a functor, as they were when something was recorded of them."""

    __slots__ = ("_digests", "_functions")

    def __init__(self, functor: type[Functor] | None, names: Iterable[str]) -> None:
        there = functor._functions if functor is not None else {}
        self._functions = tuple([there[name] for name in names if name in there])
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
        found = self._after[key] = Place(self._count, node, Functions(functor, node.functions))
        return found


class Count:
    """How many places a graph has. Places know no more of each other than this, so they go with the graph at once."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        self.places = 0


class Recordings:
    """What was recorded over one version of a graph."""

    def __init__(self, version: int) -> None:
        self.version, self.count = version, Count()
        self.beginnings: dict[Any, Place] = {}


def beginning(graph: Any, key: Any) -> Place:
    """Where the recording of a step over `graph` begins; `key`: what else it depends on."""
    kept = _kept.get(graph)
    if kept is None or kept.version != graph.version or kept.count.places >= _MOST_KEPT:
        kept = _kept[graph] = Recordings(graph.version)
    found = kept.beginnings.get(key)
    if found is None:
        kept.count.places += 1
        found = kept.beginnings[key] = Place(kept.count, None, Functions(None, ()))
    return found


def key_of(record: Callable[..., Node], inputs: tuple[Any, ...], options: dict[str, Any], *others: bool) -> Any:
    """What tells an operator from all others that may be recorded in its place; None where values can't be compared.

    `others`: what its recording depends on besides its inputs and its options.
    """
    places: list[Any] = [record, *others, *options]
    for frontier in inputs:
        if type(frontier) is not Handle:
            return None
        places.append(frontier.place)
    values: Any = options.values()
    kinds = [*map(type, values)]  # True equals 1, but has another kind
    if not _PLAIN.issuperset(kinds):
        values = [*map(_compared, values)]
        if NotImplemented in values:
            return None
    return (*places, *values, *kinds)


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
