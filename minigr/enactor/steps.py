"""The operators as methods of an enactor, which record them in its step.

The docstring of a method describes its options in short, because an editor shows the text at a definition. The function
of the same name in `minigr.operators` describes the options in full. ``tests/operators/test_options.py`` checks that
the method, the function and the operator's ``record`` have the same options, order, defaults and values. The method
`near_far` has a longer docstring than the function, because only a loop has a queue.
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
    """The operators that a step may call: a method for each function of `minigr.operators`, with its options.

    Each method also takes ``overlap=True``: the operator may run at the same time as the operator before it, because
    neither needs the results of the other. On a GPU, this saves a barrier if neither of the two operators has edges of
    hubs to defer. On a CPU, this saves a barrier if the operator is a `compute` or a `neighbor_reduce`.
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
            Vertices or edges: the input of the step, the output of an operator, or a `minigr.Frontier`.
        functor : type of Functor, optional
            Functor with ``cond_advance`` or ``apply_advance``, and ``cond_target`` for pulls. By default, the enactor's
            functor.
        output : {"vertices", "edges", None}
            Contents of the new frontier: destinations, edges, or nothing.
        direction : {"push", "pull", "auto"}
            ``"push"`` follows the edges that leave the frontier. ``"pull"`` follows the edges that come into the
            vertices for which ``cond_target`` holds. ``"auto"`` selects the cheaper direction in each step, and needs
            ``cond_target``.
        duplicates : {"remove", "impossible", "keep"}
            How to treat several edges that lead to one vertex: output the vertex once; trust that ``cond_advance``
            claims the vertex with an atomic; or output the vertex once for each edge.
        balance : {"auto", "thread", "tile", "warp", "block", "merge"}
            How a push deals out edges. The choice changes the speed and the order of the output.
        since : {"mark"}, optional
            Visit only the edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        again : bool
            Whether a vertex may be in the output of several steps; ``direction="auto"`` cannot detect this.
        reverse : bool
            Whether a push follows the edges that come into the frontier, as if all edges were reversed.
        overlap : bool
            Whether the operator may run at the same time as the operator before it.

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
            Vertices, edges or pairs: the input of the step, the output of an operator, or a `minigr.Frontier`.
        functor : type of Functor, optional
            Functor with ``cond_filter`` or ``apply_filter``. By default, the enactor's functor.
        duplicates : {"keep", "remove", "cull"}
            ``"remove"`` keeps one of several equal ids. ``"cull"`` drops most repeated ids, at a low cost.
        overlap : bool
            Whether the operator may run at the same time as the operator before it.

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
        """Call a function for each item of a frontier, as `minigr.operators.compute` does.

        Parameters
        ----------
        frontier : Handle or Frontier
            Vertices, edges or pairs: the input of the step, the output of an operator, or a `minigr.Frontier`.
        functor : type of Functor, optional
            Functor with ``apply``. By default, the enactor's functor.
        into : str, optional
            Name of the scalar field that receives the values that ``apply`` returns, reduced over all items.
        reduce : {"add", "min", "max", "or"}
            The reduction.
        initial : scalar, optional
            Start value of the reduction. By default, the identity of the reduction.
        accumulate : bool
            Whether the reduction continues over the steps of a loop.
        overlap : bool
            Whether the operator may run at the same time as the operator before it.
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
        """Reduce the values of the edges of each vertex to one value, as `minigr.operators.neighbor_reduce` does.

        Parameters
        ----------
        frontier : Handle or Frontier
            Vertices: the input of the step, the output of an operator, or a `minigr.Frontier`.
        functor : type of Functor, optional
            Functor with ``map``, and with ``reduce`` and ``apply_reduce`` if they are needed. By default, the enactor's
            functor.
        direction : {"out", "in"}
            Whether to reduce over the edges that leave each vertex, or over the edges that come in.
        reduce : {"add", "min", "max", "or", "argmin", "argmax"}, optional
            The reduction, in place of the functor's ``reduce``. ``"argmin"`` and ``"argmax"`` keep one of the pairs
            (value, id) that ``map`` returns.
        initial : scalar or tuple of them, optional
            Start value of the reduction of each vertex. By default, the identity of the reduction.
        into : str or sequence of str, optional
            Name of the vertex field that receives the results; for tuples, one field for each number.
        by : {"vertex", "position"}
            Whether `into` holds the results by vertex, or by position in the frontier.
        dtype : dtype or sequence of them, optional
            The dtype of the reduction. By default, the dtype of `into`, or the type that ``map`` returns.
        scalar : str or sequence of str, optional
            Name of the scalar field that receives the values that ``apply_reduce`` returns, reduced over all vertices;
            or names of several fields.
        scalar_reduce : {"add", "min", "max", "or"} or a sequence of them, one for each field
            The reduction into each scalar field.
        scalar_initial : scalar or a sequence of them, one for each field, optional
            Start value of the reduction into each scalar field. By default, the identity of the reduction.
        scalar_accumulate : bool
            Whether the reductions into scalar fields continue over the steps of a loop.
        output : {"vertices"}, optional
            Contents of the new frontier: the vertices for which ``cond_reduce`` holds, or nothing.
        balance : {"auto", "thread", "tile", "warp", "block", "merge"}
            How edges are dealt out. The choice changes the speed and the rounding of floats.
        since : {"mark"}, optional
            Reduce only over the edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        overlap : bool
            Whether the operator may run at the same time as the operator before it.

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
            Edges, or pairs of vertices: the input of the step, the output of an operator, or a `minigr.Frontier`.
        functor : type of Functor, optional
            Functor with ``cond_intersect``, ``apply_intersect`` and ``apply_count``, if they are needed. By default,
            the enactor's functor.
        into : str, optional
            Name of the scalar field that receives the values that ``apply_count`` returns, reduced over the edges or
            pairs.
        reduce : {"add", "min", "max", "or"}
            The reduction.
        initial : scalar, optional
            Start value of the reduction. By default, the identity of the reduction.
        accumulate : bool
            Whether the reduction continues over the steps of a loop.
        output : {"edges", "pairs"}, optional
            Contents of the new frontier: the edges or the pairs for which ``cond_count`` holds, or nothing.
        since : {"mark"}, optional
            Over all edges: visit only the edges that were inserted into a `DynamicGraph` after its last ``mark()``.
        hubs : int, optional
            Over all edges of a `Graph`: number of first vertices whose edges among each other are stored as bits.
        overlap : bool
            Whether the operator may run at the same time as the operator before it.

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
        """Split a frontier into the vertices that are due now, and the vertices that wait for a later step.

        A vertex is due, and in the output, if its priority is below a threshold. Other vertices wait. When no vertex is
        due, the threshold rises past the least priority of the waiting vertices, and the waiting vertices are split
        again. A split uses the priority that a vertex has at the time of the split. A waiting vertex is dropped if its
        priority has meanwhile fallen below an earlier threshold, because the vertex was due then. So priorities may
        only fall, and a functor that lowers the priority of a vertex must put the vertex into `frontier`. Vertices
        whose priority is infinity or NaN are dropped.

        The first threshold is `width`. With `waiting`, no vertex is due at first, so the threshold rises before the
        first band. The threshold rises to `width` above the least priority of the waiting vertices. With
        ``falling=True``, the threshold rises to `width` above the last threshold, unless no vertex is due then.

        With two bins, all waiting vertices are in one pile, which is scanned whenever the threshold rises. With more
        bins, the vertices of each of the next ``bins - 2`` bands wait in a bin of their own. The threshold then rises
        to the end of the next band that holds a vertex. The vertices beyond these bands are scanned when all of these
        bins are empty, which is once for ``bins - 1`` bands. `minigr.operators.near_far` splits a frontier once,
        without a loop.

        On a CPU, if the step of a loop is only ``near_far(advance(frontier))``, a thread may process the near vertices
        that it found in the same step. The loop then takes fewer steps to the same end. After a band with fewer edges
        than waiting vertices, the bands of such a loop become twice as wide. After a band with more than eight edges
        for each waiting vertex, they become narrower by half, but not narrower than `width`. A thread does this only
        with two bins and without ``falling=True``. The functor may write only an element at `dst`, by an `atomic_min`
        that lets an edge through. No function may ask for `iteration`, `seg` or `idx`, and there must be no
        `apply_advance`, no `until` and no `max_iterations`. All other loops run step by step.

        Parameters
        ----------
        frontier : Handle or Frontier
            Distinct vertices: the input of the step, the output of an operator, or a `minigr.Frontier`.
        functor : type of Functor, optional
            Functor with ``priority``. By default, the enactor's functor.
        width : float
            Amount, or least amount, by which the threshold rises each time; more than 0.
        bins : int
            Number of parts in which vertices are kept, from 2 to 32: the due vertices, the bins, and the vertices
            beyond.
        waiting : Frontier, optional
            Distinct vertices, or all vertices, that wait from the start. The first frontier of the loop may then be
            empty.
        falling : bool
            Set True if a functor that lowers the priority of a waiting vertex puts the vertex into `frontier` only if
            the priority falls below the threshold. A band without vertices then costs a scan of all waiting vertices.
            True is not allowed with more than two bins, because such a vertex would be found in the bin of its old
            priority, and too late.
        overlap : bool
            Whether the operator may run at the same time as the operator before it.

        Returns
        -------
        Handle
            A symbol for the vertices that are due, each vertex once.

        Raises
        ------
        ProblemError
            If the frontier is not a list of distinct vertices. If `width` or `bins` is out of range. If
            ``falling=True`` is combined with more than two bins.

        Notes
        -----
        The operator takes ``4 * bins + 4`` bytes of memory for each vertex of the graph, because each bin may hold all
        vertices.

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
            Vertices: the input of the step, the output of an operator, or a `minigr.Frontier`.
        functor : type of Functor, optional
            Functor with ``key``, with ``map`` unless edges are only counted, and with ``apply_group`` or
            ``apply_best``. By default, the enactor's functor.
        direction : {"out", "in"}
            Whether to use the edges that leave each vertex, or the edges that come in.
        reduce : {"add", "min", "max", "or"}
            The reduction of the values of a group.
        dtype : dtype, optional
            The dtype of the reduction. By default, the type that ``map`` returns.
        since : {"mark"}, optional
            Use only the edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        overlap : bool
            Whether the operator may run at the same time as the operator before it.
        """
        self._record(
            "reduce_by_key", frontier, functor, overlap, direction=direction, reduce=reduce, dtype=dtype, since=since
        )
