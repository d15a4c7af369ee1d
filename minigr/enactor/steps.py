"""The operators as methods of an enactor, which record them in its step.

A method's docstring says its options in short, because an editor shows the text that stands at a definition. The
function of the same name in `minigr.operators` tells them at length. ``tests/operators/test_options.py`` holds both,
and the operator's ``record``, to the same options, order, defaults and values. The method
`near_far` says more than the function, because only a loop has a queue.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from minigr.jit.functor import Functor
from minigr.operators.options import (
    Balance,
    Direction,
    Duplicates,
    EdgeReduction,
    Listed,
    Output,
    Place,
    Reduction,
    Repeated,
    Since,
    Vertices,
    Way,
)
from minigr.program.frontier import Frontier, Handle
from minigr.signatures import names_options


class Steps(ABC):
    """What a step may call: a method for each function of `minigr.operators`, with its options.

    Each method also takes ``overlap=True``: the operator may run at the same time as the one before it, because neither
    needs what the other does. On a GPU that saves a barrier, if neither of the two has edges of hubs to put off; on a
    CPU, if the operator is a `compute` or a `neighbor_reduce`.
    """

    @abstractmethod
    def _record(
        self, name: str, frontier: Handle | Frontier, functor: type[Functor] | None, overlap: bool, **options: Any
    ) -> Any: ...

    @names_options
    def advance(
        self,
        frontier: Handle | Frontier,
        functor: type[Functor] | None = None,
        *,
        output: Output | None = "vertices",
        direction: Direction = "push",
        duplicates: Duplicates = "remove",
        balance: Balance = "auto",
        since: Since | None = None,
        again: bool = False,
        reverse: bool = False,
        overlap: bool = False,
    ) -> Handle:
        """Go from a frontier along its edges to a new frontier, as `minigr.operators.advance` does.

        Parameters
        ----------
        frontier : Handle or Frontier
            Vertices or edges: what the step was given, what an operator returned, or a `minigr.Frontier`.
        functor : type of Functor, optional
            With ``cond_advance`` or ``apply_advance``, and ``cond_target`` for pulls. By default the enactor's.
        output : {"vertices", "edges", None}
            What the new frontier holds: destinations, edges, or nothing.
        direction : {"push", "pull", "auto"}
            Along the edges that leave the frontier; along those that come into the vertices that ``cond_target`` lets
            through; or whichever costs less in each step (needs ``cond_target``).
        duplicates : {"remove", "impossible", "keep"}
            Of several edges to one vertex: let the vertex out once; trust that ``cond_advance`` claims it by an atomic;
            or let it out for each.
        balance : {"auto", "thread", "tile", "warp", "block", "merge"}
            How a push deals out edges. It changes the speed, and the order of the output.
        since : {"mark"}, optional
            Only edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        again : bool
            Whether a vertex may be in the output of several steps, which ``direction="auto"`` can't know.
        reverse : bool
            Whether a push goes along the edges that come into the frontier, as if all edges were reversed.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the new frontier; None with ``output=None``.
        """
        return self._record(
            "advance", frontier, functor, overlap, output=output, direction=direction, duplicates=duplicates,
            balance=balance, since=since, again=again, reverse=reverse,
        )  # fmt: skip

    @names_options
    def filter(
        self,
        frontier: Handle | Frontier,
        functor: type[Functor] | None = None,
        *,
        duplicates: Repeated = "keep",
        overlap: bool = False,
    ) -> Handle:
        """Keep the items of a frontier for which a condition holds, as `minigr.operators.filter` does.

        Parameters
        ----------
        frontier : Handle or Frontier
            Vertices, edges or pairs: what the step was given, what an operator returned, or a `minigr.Frontier`.
        functor : type of Functor, optional
            With ``cond_filter`` or ``apply_filter``. By default the enactor's.
        duplicates : {"keep", "remove", "cull"}
            ``"remove"``: of several equal ids one is kept. ``"cull"``: most of those that repeat are dropped, cheaply.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the items that are kept.
        """
        return self._record("filter", frontier, functor, overlap, duplicates=duplicates)

    @names_options
    def compute(
        self,
        frontier: Handle | Frontier,
        functor: type[Functor] | None = None,
        *,
        into: str | None = None,
        reduce: Reduction = "add",
        initial: Any = None,
        accumulate: bool = False,
        overlap: bool = False,
    ) -> None:
        """Do something for each item of a frontier, as `minigr.operators.compute` does.

        Parameters
        ----------
        frontier : Handle or Frontier
            Vertices, edges or pairs: what the step was given, what an operator returned, or a `minigr.Frontier`.
        functor : type of Functor, optional
            With ``apply``. By default the enactor's.
        into : str, optional
            Name of a scalar field that gets what ``apply`` returns, reduced over all items.
        reduce : {"add", "min", "max", "or"}
            How it is reduced.
        initial : scalar, optional
            Where the reduction starts. By default the value that changes nothing.
        accumulate : bool
            Whether the reduction goes on over the steps of a loop.
        overlap : bool
            Whether the operator may run at the same time as the one before it.
        """
        self._record(
            "compute", frontier, functor, overlap, into=into, reduce=reduce, initial=initial, accumulate=accumulate
        )  # fmt: skip

    @names_options
    def neighbor_reduce(
        self,
        frontier: Handle | Frontier,
        functor: type[Functor] | None = None,
        *,
        direction: Way = "out",
        reduce: EdgeReduction | None = None,
        initial: Any = None,
        into: str | Sequence[str] | None = None,
        by: Place = "vertex",
        dtype: Any = None,
        scalar: str | Sequence[str] | None = None,
        scalar_reduce: Reduction | Sequence[Reduction] = "add",
        scalar_initial: Any = None,
        scalar_accumulate: bool = False,
        output: Vertices | None = None,
        balance: Balance = "auto",
        since: Since | None = None,
        overlap: bool = False,
    ) -> Handle | None:
        """Reduce the values of the edges of each vertex to one, as `minigr.operators.neighbor_reduce` does.

        Parameters
        ----------
        frontier : Handle or Frontier
            Vertices: what the step was given, what an operator returned, or a `minigr.Frontier`.
        functor : type of Functor, optional
            With ``map``, and with ``reduce`` and ``apply_reduce`` where they are needed. By default the enactor's.
        direction : {"out", "in"}
            Over the edges that leave each vertex, or over those that come in.
        reduce : {"add", "min", "max", "or", "argmin", "argmax"}, optional
            Instead of the functor's ``reduce``. The last two keep one of the pairs (value, id) that ``map`` returns.
        initial : scalar or tuple of them, optional
            Where each vertex's reduction starts. By default the value that changes nothing.
        into : str or sequence of str, optional
            Name of a vertex field that gets the results; of tuples, a field for each number.
        by : {"vertex", "position"}
            Whether results stand in `into` by vertex, or by position in the frontier.
        dtype : dtype or sequence of them, optional
            The dtype that values are reduced in. By default that of `into`, or what ``map`` returns.
        scalar : str or sequence of str, optional
            Name of a scalar field that gets what ``apply_reduce`` returns, reduced over all vertices; or of several.
        scalar_reduce : {"add", "min", "max", "or"} or a sequence of them, one for each field
            How that is reduced.
        scalar_initial : scalar or a sequence of them, one for each field, optional
            Where that reduction starts. By default the value that changes nothing.
        scalar_accumulate : bool
            Whether that reduction goes on over the steps of a loop.
        output : {"vertices"}, optional
            What the new frontier holds: the vertices for which ``cond_reduce`` holds, or nothing.
        balance : {"auto", "thread", "tile", "warp", "block", "merge"}
            How edges are dealt out. It changes the speed, and the rounding of floats.
        since : {"mark"}, optional
            Only edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the new frontier; None with ``output=None``.
        """
        return self._record(
            "neighbor_reduce", frontier, functor, overlap, direction=direction, reduce=reduce, initial=initial,
            into=into, by=by, dtype=dtype, scalar=scalar, scalar_reduce=scalar_reduce, scalar_initial=scalar_initial,
            scalar_accumulate=scalar_accumulate, output=output, balance=balance, since=since,
        )  # fmt: skip

    @names_options
    def intersect(
        self,
        frontier: Handle | Frontier,
        functor: type[Functor] | None = None,
        *,
        into: str | None = None,
        reduce: Reduction = "add",
        initial: Any = None,
        accumulate: bool = False,
        output: Listed | None = None,
        since: Since | None = None,
        hubs: int | None = None,
        overlap: bool = False,
    ) -> Handle | None:
        """Find the common neighbors of the ends of each edge or pair, as `minigr.operators.intersect` does.

        Parameters
        ----------
        frontier : Handle or Frontier
            Edges, or pairs of vertices: what the step was given, what an operator returned, or a `minigr.Frontier`.
        functor : type of Functor, optional
            With ``cond_intersect``, ``apply_intersect`` and ``apply_count``, as far as they are needed. By default the
            enactor's.
        into : str, optional
            Name of a scalar field that gets what ``apply_count`` returns, reduced over the edges or pairs.
        reduce : {"add", "min", "max", "or"}
            How it is reduced.
        initial : scalar, optional
            Where the reduction starts. By default the value that changes nothing.
        accumulate : bool
            Whether the reduction goes on over the steps of a loop.
        output : {"edges", "pairs"}, optional
            What the new frontier holds: those of the edges, or pairs, for which ``cond_count`` holds, or nothing.
        since : {"mark"}, optional
            Over all edges: those alone that came into a `DynamicGraph` after its last ``mark()``.
        hubs : int, optional
            Over all edges of a `Graph`: for how many of the first vertices it is kept as bits which are neighbors.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the new frontier; None with ``output=None``.
        """
        return self._record(
            "intersect", frontier, functor, overlap, into=into, reduce=reduce, initial=initial, accumulate=accumulate,
            output=output, since=since, hubs=hubs,
        )  # fmt: skip

    @names_options
    def near_far(
        self,
        frontier: Handle | Frontier,
        functor: type[Functor] | None = None,
        *,
        width: float,
        bins: int = 2,
        waiting: Frontier | None = None,
        falling: bool = False,
        overlap: bool = False,
    ) -> Handle:
        """Split a frontier into the vertices that are due, which go on, and others, which wait for a later step.

        A vertex goes on if its priority is below a threshold; others wait. When no vertex goes on, the threshold rises
        past the least priority that waits, and what waits is split again. A vertex waits with the priority that it has
        when it is looked at. A vertex whose priority fell below an earlier threshold in between is dropped, because it
        went on then. So priorities may only fall, and a functor that lowers the priority of a vertex must put the
        vertex into `frontier`. Priorities that are infinity or NaN are dropped.

        The first threshold is `width`. It rises to `width` above the least priority that waits. With ``falling=True``
        it rises to `width` above the last threshold, unless that is not enough for any vertex.

        With two bins, all that waits is in one pile, which is looked at whenever the threshold rises. With more, those
        vertices whose band is one of the next ``bins - 2`` wait in a bin of their own, and the threshold rises to the
        end of the next band that holds a vertex. What lies beyond is looked at when all these bins are empty, which is
        once for ``bins - 1`` bands. `minigr.operators.near_far` splits a frontier once, without a loop.

        On a CPU, in a loop whose step is ``near_far(advance(frontier))`` and nothing else, a thread may go on with the
        vertices that it has found near, in the same step. The loop then takes fewer steps to the same end. After a band
        with fewer edges than vertices that wait, the threshold of such a loop rises by more than `width`. A thread goes
        on with two bins and without ``falling=True``, where all that the functor writes is an element at `dst`, by
        an `atomic_min` that lets an edge through; where no function asks for `iteration`, `seg` or `idx`; and where
        there is no `apply_advance`, no `until` and no `max_iterations`. All other loops go step by step.

        Parameters
        ----------
        frontier : Handle or Frontier
            Distinct vertices: what the step was given, what an operator returned, or a `minigr.Frontier`.
        functor : type of Functor, optional
            With ``priority``. By default the enactor's.
        width : float
            How far the threshold rises each time, or at least; more than 0.
        bins : int
            In how many parts vertices are kept, from 2 to 32: those that are due, the bins, and what lies beyond.
        waiting : Frontier, optional
            Distinct vertices, or all, that wait from the start. The loop's first frontier may then be empty.
        falling : bool
            Say True where a functor that lowers the priority of a waiting vertex puts it into `frontier` only if the
            priority falls below the threshold. A band without vertices then costs a look at all that wait. Not with
            more than two bins, where such a vertex would be found in the bin of its old priority, and too late.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the vertices that are due, each of them once.

        Raises
        ------
        ProblemError
            If the frontier is not a list of distinct vertices, or `width` or `bins` is out of range; for
            ``falling=True`` with more than two bins.

        Notes
        -----
        Takes ``4 * bins + 4`` bytes of memory for each vertex of the graph: any bin may come to hold all vertices.

        References
        ----------
        Davidson, Baxter, Garland, Owens, Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths (IPDPS
        2014), section 5, for two bins. Dhulipala, Blelloch, Shun, Julienne: A Framework for Parallel Graph Algorithms
        using Work-efficient Bucketing (SPAA 2017), for more.

        Examples
        --------
        >>> import numpy as np
        >>> import minigr as mg
        >>> class Distances(mg.Problem):
        ...     distance = mg.vertex_field(np.float64, fill=np.inf)
        >>> class Relax(mg.Functor):
        ...     def cond_advance(src, dst, weight, distance):
        ...         through = distance[src] + weight
        ...         return through < mg.atomic_min(distance, dst, through)
        ...     def priority(vertex, distance):
        ...         return distance[vertex]
        >>> class Nearest(mg.Enactor, problem=Distances, functor=Relax):
        ...     def start(self, source):
        ...         self.problem.distance[source] = 0
        ...         return mg.Frontier.of(source)
        ...     def step(self, frontier):
        ...         return self.near_far(self.advance(frontier), width=2.0)
        >>> graph = mg.Graph.from_edges([0, 1, 0], [1, 2, 2], [1.0, 1.0, 5.0], device="cpu")
        >>> enactor = Nearest(graph)
        >>> enactor.run(0)
        >>> enactor.problem.distance
        array([0., 1., 2.])
        """
        options = {"width": width, "bins": bins, "waiting": waiting, "falling": falling}
        return self._record("near_far", frontier, functor, overlap, **options)

    @names_options
    def reduce_by_key(
        self,
        frontier: Handle | Frontier,
        functor: type[Functor] | None = None,
        *,
        direction: Way = "out",
        reduce: Reduction = "add",
        dtype: Any = None,
        since: Since | None = None,
        overlap: bool = False,
    ) -> None:
        """Group the edges of each vertex by a key and reduce the groups, as `minigr.operators.reduce_by_key` does.

        Parameters
        ----------
        frontier : Handle or Frontier
            Vertices: what the step was given, what an operator returned, or a `minigr.Frontier`.
        functor : type of Functor, optional
            With ``key``, with ``map`` where edges are not just counted, and with ``apply_group`` or ``apply_best``. By
            default the enactor's.
        direction : {"out", "in"}
            Over the edges that leave each vertex, or over those that come in.
        reduce : {"add", "min", "max", "or"}
            How the values of a group are reduced.
        dtype : dtype, optional
            The dtype that values are reduced in. By default that of what ``map`` returns.
        since : {"mark"}, optional
            Only edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        overlap : bool
            Whether the operator may run at the same time as the one before it.
        """
        self._record(
            "reduce_by_key", frontier, functor, overlap, direction=direction, reduce=reduce, dtype=dtype, since=since
        )
