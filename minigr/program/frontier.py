"""Frontiers: the vertices, edges or pairs an operator works on, as a list or as a bitmap."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from minigr.device import CPU, Device, device_of
from minigr.errors import ProblemError
from minigr.graphs.backend import scope
from minigr.memory import out_of_memory
from minigr.primitives.compact import compact
from minigr.program import item_ids
from minigr.program.levels import Levels

ITEM_DTYPES = {"vertices": np.int32, "edges": np.int64, "pairs": np.int64}
"""The dtype of a frontier's list, by the kind of the frontier."""
_MASKED = ("vertices", "edges")


class Frontier:
    """A set of vertices or edges: sparse (a list of ids), dense (one bit for each), or all vertices or edges.

    Make a frontier with `of`, `of_edges`, `from_mask`, `all_vertices` or `all_edges`. A frontier is converted to the
    form that an operator needs, list or bitmap, when the operator asks for it. `of_pairs` makes a frontier of pairs of
    vertices, which need not be edges; this frontier is a list.

    ``a | b``, ``a & b`` and ``a - b`` are the union, the intersection and the difference of two frontiers of one kind.
    The result is a new frontier on the device of `a`, with each id once. Two bitmaps of equal length give a bitmap in
    O(length). Other frontiers give a list in ascending order, in O(n log n). ``a - b`` is an error if `a` is all
    vertices or all edges and `b` is a list. ``for id in a`` iterates over the ids on the host; the id of a pair is a
    tuple ``(source, destination)``. ``id in a`` takes an integer, of Python or NumPy, or such a pair, and scans all
    ids. An integer that is not a vertex or an edge of any graph is in no frontier. Any other value, such as a float, a
    bool or a string, is an error.

    Attributes
    ----------
    kind : str
        ``"vertices"``, ``"edges"`` or ``"pairs"``.
    everything : bool
        True for all vertices or all edges, which needs no list.
    levels : Levels or None
        The kept levels that a loop visits, if `of_levels` made the frontier.
    reverse : bool
        Whether the loop begins with the last level.

    Examples
    --------
    >>> frontier = Frontier.of([3, 1])
    >>> len(frontier), frontier.ids
    (2, array([3, 1], dtype=int32))
    >>> frontier.mask(5)
    array([False,  True, False,  True, False])
    >>> Frontier.from_mask(frontier.mask(5)).ids
    array([1, 3], dtype=int32)
    >>> list(frontier | Frontier.of([0, 1])), list(frontier - Frontier.of(1)), 3 in frontier
    ([0, 1, 3], [3], True)
    >>> pairs = Frontier.of_pairs([0, 4], [2, 2])
    >>> list(pairs), (4, 2) in pairs, (2, 4) in pairs
    ([(0, 2), (4, 2)], True, False)
    """

    def __init__(
        self, kind: str, *, ids: Any = None, bits: Any = None, size: int | None = None, distinct: bool | None = None
    ) -> None:
        self.kind = kind
        self.everything = ids is None and bits is None
        if self.everything and kind == "pairs":
            raise ProblemError("there is no frontier of all pairs: list the pairs, with Frontier.of_pairs")
        self._ids, self._bits, self._size = ids, bits, size
        self._distinct = True if ids is None else distinct  # None: not known yet
        self.levels: Levels | None = None
        self.reverse = False
        self._checked: tuple[Any, int] | None = None  # a graph that has all of the ids, and its version

    @classmethod
    def known(cls, kind: str, ids: Any, graph: Any, *, distinct: bool | None) -> Frontier:
        """Return the frontier of `ids` that are known to exist in the current `graph`; the ids are not checked again.

        `kind`: the kind of the frontier. `distinct`: whether to treat the ids as distinct. If None, the ids are checked
        for duplicates when this matters.
        """
        found = cls(kind, ids=ids, distinct=distinct)
        found._checked = weakref.ref(graph), graph.version
        return found

    @classmethod
    @out_of_memory
    def of(cls, vertices: Any, device: str | Device | None = None) -> Frontier:
        """Return the frontier of `vertices`: one id, or a sequence or array of ids. For a mask, see `from_mask`.

        `device`: the device of the frontier; by default, the device of the array.
        """
        return cls("vertices", ids=item_ids.ids_of(vertices, np.int32, device))

    @classmethod
    @out_of_memory
    def of_edges(cls, edges: Any, device: str | Device | None = None) -> Frontier:
        """Return the frontier of `edges`, ids of arcs: positions in ``graph.indices``, or lanes of a DynamicGraph.

        `device`: the device of the frontier; by default, the device of the array.
        """
        return cls("edges", ids=item_ids.ids_of(edges, np.int64, device))

    @classmethod
    @out_of_memory
    def of_pairs(cls, sources: Any, destinations: Any = None, device: str | Device | None = None) -> Frontier:
        """Return the frontier of the pairs ``(sources[i], destinations[i])`` of vertices, which need not be edges.

        `sources` and `destinations` have equal lengths. Without `destinations`, `sources` is an array of shape (n, 2),
        or a sequence of n pairs. A pair may occur more than once and in both orders. The two vertices of a pair may be
        equal.

        `device`: the device of the frontier; by default, the device of the sources.
        """
        return cls("pairs", ids=item_ids.pairs_of(sources, destinations, device))

    @classmethod
    def all_vertices(cls) -> Frontier:
        """Return the frontier of every vertex of the graph with which it is used, except deleted vertices."""
        return cls("vertices")

    @classmethod
    def all_edges(cls) -> Frontier:
        """Return the frontier of every arc of the graph with which it is used."""
        return cls("edges")

    @classmethod
    def of_levels(cls, levels: Levels, *, reverse: bool = False) -> Frontier:
        """Return the first of the kept `levels` of a run (with `reverse`, the last), for a loop over the levels.

        With such a frontier, `step` returns None. The loop itself takes the next level after each step, and ends after
        the last level.
        """
        if not isinstance(levels, Levels):
            raise ProblemError(f"of_levels takes the levels of an enactor's last run, got {type(levels).__name__}")
        first = levels.level(-1 if reverse else 0) if len(levels) else levels.vertices
        frontier = cls("vertices", ids=first, distinct=True)
        frontier.levels, frontier.reverse = levels, reverse
        return frontier

    @classmethod
    @out_of_memory
    def from_mask(cls, mask: Any, kind: str = "vertices") -> Frontier:
        """Return the frontier of the positions where a boolean array is true, kept as a bitmap.

        Raises
        ------
        ProblemError
            If `mask` is not a one-dimensional boolean array, or is one of NumPy's masked arrays. If `kind` is unknown.
        """
        if kind not in _MASKED:
            raise ProblemError(f"a mask says which 'vertices' or 'edges' a frontier holds, not which {kind!r}")
        item_ids.refuse_masked(mask, "the mask of a frontier")
        device = device_of(mask)
        try:
            mask = device.asarray(mask)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"{type(mask).__name__} can't be read as an array of bools: {error}") from None
        if mask.dtype != np.bool_ or mask.ndim != 1:
            raise ProblemError(f"a mask is a one-dimensional bool array, got {mask.ndim} dimensions of {mask.dtype}")
        return cls(kind, bits=device.xp.packbits(mask, bitorder="little"), size=mask.size)

    @property
    def is_dense(self) -> bool:
        """True if the frontier is kept as a bitmap."""
        return self._bits is not None

    @property
    @out_of_memory
    def ids(self) -> Any:
        """The ids as an array (int32 for vertices, int64 for edges); from a bitmap, in ascending order.

        The id of a pair is ``source << 32 | destination``, an int64. `pairs` holds sources and destinations separately.
        """
        if self.everything:
            raise ProblemError(
                f"the frontier of all {self.kind} has no list: its ids and its length depend on the graph"
            )
        if self._ids is None:
            bits = device_of(self._bits).xp.unpackbits(self._bits, bitorder="little").view(np.bool_)
            self._ids = compact(bits, count=self._size, dtype=ITEM_DTYPES[self.kind])
        return self._ids

    @property
    def pairs(self) -> tuple[Any, Any]:
        """The sources and the destinations of a frontier of pairs, as two int32 arrays on the frontier's device."""
        if self.kind != "pairs":
            raise ProblemError(f"a frontier of {self.kind} has no pairs: make one with Frontier.of_pairs")
        return item_ids.ends_of(self.ids)

    @property
    def distinct(self) -> bool:
        """True if no id occurs twice. To find out, a list whose ids are not known to be distinct is sorted once."""
        if self._distinct is None:
            ids = self.ids
            self._distinct = len(ids) < 2 or int(device_of(ids).xp.unique(ids).size) == len(ids)
        return self._distinct

    @out_of_memory
    def mask(self, size: int) -> Any:
        """Return a boolean array of `size` elements that is true at the ids.

        The array is on the device of the ids. For all vertices or all edges it is a NumPy array.

        Raises
        ------
        ProblemError
            If an id is not below `size`, or if the frontier is a frontier of pairs.
        """
        if self.kind == "pairs":
            raise ProblemError("a frontier of pairs has no mask: use .pairs, the sources and destinations of the pairs")
        if self.everything:
            return np.ones(size, np.bool_)
        ids = self.ids
        item_ids.require_below(ids, size, self.kind)
        mask = device_of(ids).full(size, False, np.bool_)
        mask[ids] = True
        return mask

    def dense(self, size: int) -> Frontier:
        """Return this frontier as a bitmap over `size` vertices or edges; each id is kept once."""
        return Frontier.from_mask(self.mask(size), self.kind)

    def sparse(self) -> Frontier:
        """Return this frontier as a list of ids."""
        return Frontier(self.kind, ids=self.ids, distinct=self._distinct)

    def count(self, total: int) -> int:
        """Return the number of ids in the frontier, in a graph with `total` vertices or edges of its kind."""
        return total if self.everything else len(self)

    def __len__(self) -> int:
        return int(self.ids.size)

    def __iter__(self) -> Iterator[Any]:
        if self.kind == "pairs":
            return item_ids.tuples_of(self.ids)
        return iter(CPU.asarray(self.ids).tolist())

    def __contains__(self, item: Any) -> bool:
        ids = self.ids
        found = item_ids.pair_of(item) if self.kind == "pairs" else item_ids.id_of(item, ids.dtype, self.kind)
        return found is not None and bool((ids == found).any())

    def __or__(self, other: Frontier) -> Frontier:
        if not isinstance(other, Frontier):
            return NotImplemented
        self._require_kind_of(other)
        if self.everything or other.everything:
            return Frontier(self.kind)
        if (both := self._bitmaps(other)) is not None:
            return Frontier(self.kind, bits=both[0] | both[1], size=self._size)
        xp, mine, theirs = self._lists(other)
        return self._of_distinct(xp.unique(xp.concatenate((mine, theirs))))

    def __and__(self, other: Frontier) -> Frontier:
        if not isinstance(other, Frontier):
            return NotImplemented
        self._require_kind_of(other)
        if self.everything or other.everything:
            one = other if self.everything else self
            return Frontier(self.kind) if one.everything else self._of_distinct(device_of(one.ids).xp.unique(one.ids))
        if (both := self._bitmaps(other)) is not None:
            return Frontier(self.kind, bits=both[0] & both[1], size=self._size)
        xp, mine, theirs = self._lists(other)
        mine = xp.unique(mine)
        return self._of_distinct(mine[xp.isin(mine, theirs)])

    def __sub__(self, other: Frontier) -> Frontier:
        if not isinstance(other, Frontier):
            return NotImplemented
        self._require_kind_of(other)
        if other.everything:
            return self._of_distinct(np.empty(0, ITEM_DTYPES[self.kind]))
        if self.everything:
            listed = "of(range(graph.num_vertices))" if self.kind == "vertices" else "of_edges(range(graph.num_arcs))"
            raise ProblemError(
                f"the frontier of all {self.kind} has no list to remove ids from: list the ids of the graph, e.g. "
                f"Frontier.{listed} - other"
            )
        if (both := self._bitmaps(other)) is not None:
            return Frontier(self.kind, bits=both[0] & ~both[1], size=self._size)
        xp, mine, theirs = self._lists(other)
        mine = xp.unique(mine)
        return self._of_distinct(mine[~xp.isin(mine, theirs)])

    def _require_kind_of(self, other: Frontier) -> None:
        require_alike(self.kind, other.kind)

    def _bitmaps(self, other: Frontier) -> tuple[Any, Any] | None:
        """The bits of both frontiers on this frontier's device, if both are bitmaps of the same length."""
        if not (self.is_dense and other.is_dense and self._size == other._size):
            return None
        return self._bits, device_of(self._bits).asarray(other._bits)

    def _lists(self, other: Frontier) -> tuple[Any, Any, Any]:
        """The array library of this frontier's device, and the ids of both frontiers on this device."""
        device = device_of(self.ids)
        return device.xp, self.ids, device.asarray(other.ids)

    def _of_distinct(self, ids: Any) -> Frontier:
        return Frontier(self.kind, ids=ids, distinct=True)

    def __repr__(self) -> str:
        if self.everything:
            return f"Frontier(all {self.kind})"
        return f"Frontier({len(self)} {self.kind}, {'dense' if self.is_dense else 'sparse'})"

    def vertices_on(self, graph: Any) -> Any:
        """Return the ids of a frontier of vertices on `graph`, as `items_on` does.

        The ids of all vertices exclude deleted vertices.
        """
        if not self.everything:
            return self.items_on(graph)
        if graph.num_live_vertices < graph.num_vertices:
            return graph.live_vertices()
        with scope(graph._device):
            return graph._device.xp.arange(graph.num_vertices, dtype=np.int32)

    def listed_on(self, graph: Any) -> Frontier:
        """Return this frontier of all vertices or edges as a list for `graph`; O(n), or O(lanes) for edges of slabs."""
        if self.kind == "vertices":
            ids = self.vertices_on(graph)
        else:
            with scope(graph._device):
                ids = graph._device.xp.arange(graph.num_edge_ids, dtype=np.int64)
                if graph.layout == "slabs":
                    ids = ids[graph.edges_there(ids)]
        return Frontier.known(self.kind, ids, graph, distinct=True)

    def items_on(self, graph: Any) -> Any:
        """Return the ids as an array on the graph's device, checked to exist in the graph; raises as `ids_in` does."""
        return graph._device.asarray(self.ids_in(graph))

    def ids_in(self, graph: Any) -> Any:
        """Return the ids on their current device, checked to exist in the graph.

        Raises
        ------
        ProblemError
            If the graph doesn't have an id; the error names the id.
        """
        found = self.ids
        if self._checked is not None and self._checked[0]() is graph and self._checked[1] == graph.version:
            return found
        # The check runs where the ids are, because a check of a few ids on the host costs less than a read from the
        # GPU.
        if self.kind == "pairs":
            item_ids.require_ends_below(found, graph.num_vertices)
            return found
        size = graph.num_vertices if self.kind == "vertices" else graph.num_edge_ids
        item_ids.require_below(found, size, self.kind)
        if self.kind == "edges" and graph.layout == "slabs":
            ids = graph._device.asarray(found)
            there = graph.edges_there(ids)
            if not bool(there.all()):
                raise ProblemError(
                    f"frontier holds edge id {int(ids[~there][0])}, which no edge has: edge ids of a DynamicGraph are "
                    "valid until the graph's next update"
                )
        most = graph.num_vertices if self.kind == "vertices" else graph.num_arcs
        if self._distinct and found.size > most:
            raise ProblemError(
                f"frontier holds {found.size} ids, but there are {most} {self.kind}: an operator put out an id "
                "more than once, but duplicates='impossible' was given; use duplicates='remove'"
            )
        return found


def require_alike(kind: str, other: str) -> None:
    """Raise `ProblemError` unless two frontiers are of one kind."""
    if kind != other:
        raise ProblemError(f"a frontier of {kind} and one of {other} can't be combined: use two of one kind")


# not frozen, although it never changes, because a frozen one takes three times as long to make
@dataclass(unsafe_hash=True)
class Handle:
    """A frontier in a recorded step: the output of an operator, before the operator has run.

    ``a | b``, ``a & b`` and ``a - b`` record an operator for the union, the intersection or the difference of two
    frontiers of one kind. One of the two may be a `Frontier`. The output has each id once. O(n) for n ids in both
    frontiers.

    Attributes
    ----------
    kind : str
        ``"vertices"``, ``"edges"`` or ``"pairs"``.
    slot : int
        Output slot that holds the frontier; -1 for the step's input.
    everything : bool
        True for all vertices or all edges, which have no slot.
    fixed : int or None
        Number of the list that holds the frontier, if the step itself names the ids; then there is no slot.
    distinct : bool
        True if no id occurs twice.
    capacity : int
        Maximum number of items.
    """

    kind: str
    slot: int = -1
    everything: bool = False
    fixed: int | None = None
    distinct: bool = field(default=True, compare=False)  # neither `distinct` nor `capacity` changes the compiled code
    capacity: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        self._recorder: Any = None  # a weak reference, because kept programs hold handles
        self._recording = 0

    def of_step(self, recorder: Any, recording: int) -> Handle:
        """This symbol for recording number `recording` of the step of `recorder`, with set operations."""
        symbol = Handle.__new__(Handle)
        symbol.__dict__.update(self.__dict__)
        symbol._recorder, symbol._recording = weakref.ref(recorder), recording
        return symbol

    def is_of(self, recorder: Any, recording: int) -> bool:
        """Whether the symbol belongs to recording number `recording` of the step of `recorder`."""
        return self._recorder is not None and self._recorder() is recorder and self._recording == recording

    @property
    def place(self) -> tuple[str, int, bool]:
        """A key of this symbol among all symbols of a step that names no list."""
        return self.kind, self.slot, self.everything

    @property
    def stays(self) -> bool:
        """Whether the frontier is the same in each step."""
        return self.everything or self.fixed is not None

    def __len__(self) -> int:
        raise ProblemError("a step is recorded once and then runs on the device: it can't look at a frontier's length")

    def __bool__(self) -> bool:
        raise ProblemError("a step is recorded once and then runs on the device: it can't branch on a frontier")

    def __iter__(self) -> Iterator[Any]:
        raise ProblemError("a step is recorded once and then runs on the device: it can't go through a frontier's ids")

    def __getattr__(self, name: str) -> NoReturn:
        if name[:1] != "_" and hasattr(Frontier, name):
            raise ProblemError(
                f"a step is recorded once and then runs on the device: it can't look at a frontier's {name}; look at "
                "ids in a functor, or after the run in what run_for_output returns"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __contains__(self, item: Any) -> bool:
        raise ProblemError("a step is recorded once and then runs on the device: it can't look for an id in a frontier")

    def __or__(self, other: Handle | Frontier) -> Handle:
        return self._combined("union", self, other)

    def __ror__(self, other: Frontier) -> Handle:
        return self._combined("union", other, self)

    def __and__(self, other: Handle | Frontier) -> Handle:
        return self._combined("intersection", self, other)

    def __rand__(self, other: Frontier) -> Handle:
        return self._combined("intersection", other, self)

    def __sub__(self, other: Handle | Frontier) -> Handle:
        return self._combined("difference", self, other)

    def __rsub__(self, other: Frontier) -> Handle:
        return self._combined("difference", other, self)

    def _combined(self, operation: str, first: Handle | Frontier, second: Handle | Frontier) -> Handle:
        if not (isinstance(first, (Handle, Frontier)) and isinstance(second, (Handle, Frontier))):
            return NotImplemented
        recorder = None if self._recorder is None else self._recorder()
        if recorder is None:
            raise ProblemError("a frontier of a step can be combined with others only in the same call of step")
        return recorder._combine(operation, first, second)
