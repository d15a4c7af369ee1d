"""The operators as functions, which run at once. `minigr.enactor.steps` has them as methods of an enactor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigr.operators.bands import split
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
from minigr.operators.single import run_single as _run
from minigr.program.frontier import Frontier
from minigr.signatures import names_options


@names_options
def advance(
    problem: Any,
    frontier: Frontier,
    functor: Any,
    *,
    output: Output | None = "vertices",
    direction: Direction = "push",
    duplicates: Duplicates = "remove",
    balance: Balance = "auto",
    since: Since | None = None,
    again: bool = False,
    reverse: bool = False,
    debug: bool = False,
) -> Frontier | None:
    """Go from a frontier along its edges to a new frontier.

    Parameters
    ----------
    problem : Problem
        The problem, which has the graph and the fields that the functor asks for.
    frontier : Frontier
        Vertices: the edges of the vertices are visited. Edges: for each edge, the edges of its destination are visited.
        All vertices: every edge is visited once, without a scan over degrees.
    functor : type of Functor
        ``cond_advance`` decides whether to keep an edge. ``apply_advance`` runs for each edge that is kept.
        ``cond_target`` is optional and tells first whether a destination can still be reached. In a push,
        ``cond_target`` saves work on edges. In a pull, ``cond_target`` selects the vertices that search for a source,
        and ends the search of each vertex.
    output : {"vertices", "edges", None}
        Contents of the new frontier: destinations, edges, or nothing.
    direction : {"push", "pull", "auto"}
        ``"push"`` follows the out-edges of the frontier. ``"pull"`` follows the in-edges of all vertices for which
        ``cond_target`` holds. ``"auto"`` selects the cheaper direction in each step, and needs ``cond_target``.
    duplicates : {"remove", "impossible", "keep"}
        How to treat several edges that lead to one vertex. With ``"remove"``, the new frontier holds the vertex once.
        With ``"impossible"``, the operator trusts that ``cond_advance`` holds at most once for each vertex in a step,
        because ``cond_advance`` claims the vertex with an atomic. An overflow is still detected and raises an error.
        With ``"keep"``, the new frontier holds the vertex once for each edge.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How a push deals out edges. The choice changes only the order of the result. On the GPU, one lane
        (``"thread"``), a group of lanes as large as the average number of edges of a vertex (``"tile"``), or a warp
        (``"warp"``) walks the edges of each vertex. With ``"block"``, a warp takes several vertices, and its lanes find
        the edges by a search. All of these strategies defer hubs, and all workers share the hubs. ``"merge"`` scans the
        degrees of the frontier, and every warp takes an equal share of all edges. For a frontier that is a list, only
        ``"merge"`` supplies ``idx``, the position among all visited edges. ``"auto"`` is ``"merge"`` if the functor
        asks for ``idx``, and ``"block"`` otherwise. On the CPU, ``"merge"`` gives threads equal shares of all edges.
        All other strategies are the same on the CPU: threads that are free claim vertices.
    since : {"mark"}, optional
        Visit only the edges of a dynamic graph that were inserted after its last ``mark()``.
    again : bool
        Whether a vertex may be in the output of several steps of a loop; ``direction="auto"`` cannot detect this. If
        True, the edges of the output still count as unexplored, and a pull is chosen only for most of all edges.
    reverse : bool
        Whether a push follows the edges that come into the frontier, as in the graph with all edges reversed. ``src``
        is then in the frontier, and ``dst`` is the vertex at which the edge starts. ``edge`` and ``weight`` belong to
        the original edge.
    debug : bool
        If True, check the indices of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    Frontier or None
        The new frontier; None with ``output=None``.

    Notes
    -----
    In a `DynamicGraph` the edges of a vertex have no order, so ``rank`` and ``idx`` are not available. ``edge`` is
    valid until the next update. With ``direction="auto"``, the operator always pushes over a directed dynamic graph
    that keeps no in-edges.

    Examples
    --------
    >>> import minigr as mg
    >>> class Nothing(mg.Problem):
    ...     pass
    >>> class Every(mg.Functor):
    ...     def cond_advance(src):
    ...         return True
    >>> problem = Nothing(mg.generate.path(4, device="cpu"))
    >>> sorted(mg.operators.advance(problem, mg.Frontier.of([1]), Every).ids.tolist())
    [0, 2]
    """
    return _run(
        "advance", problem, frontier, functor, debug, output=output, direction=direction, duplicates=duplicates,
        balance=balance, since=since, again=again, reverse=reverse,
    )  # fmt: skip


@names_options
def filter(
    problem: Any,
    frontier: Frontier,
    functor: Any = None,
    *,
    duplicates: Repeated = "keep",
    debug: bool = False,
) -> Frontier:
    """Keep the items of a frontier for which a condition holds.

    Parameters
    ----------
    problem : Problem
        The problem, which has the graph and the fields that the functor asks for.
    frontier : Frontier
        Vertices or edges, as a list or all of them; or pairs of vertices.
    functor : type of Functor, optional
        ``cond_filter`` decides whether to keep an item. ``apply_filter`` runs for each item that is kept. The functor
        may be omitted if the call only removes duplicates.
    duplicates : {"keep", "remove", "cull"}
        ``"remove"`` keeps exactly one of several equal ids, and is not available for pairs. ``"cull"`` drops most ids
        that come soon after an equal id. Culling is cheap, because a worker looks only at the few ids that the worker
        saw last. Some ids may stay repeated.
    debug : bool
        If True, check the indices of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    Frontier
        The items that are kept.

    Examples
    --------
    >>> import minigr as mg
    >>> class Nothing(mg.Problem):
    ...     pass
    >>> class Odd(mg.Functor):
    ...     def cond_filter(vertex):
    ...         return vertex % 2 == 1
    >>> problem = Nothing(mg.generate.path(4, device="cpu"))
    >>> sorted(mg.operators.filter(problem, mg.Frontier.all_vertices(), Odd).ids.tolist())
    [1, 3]
    """
    result = _run("filter", problem, frontier, functor, debug, duplicates=duplicates)
    assert result is not None
    return result


@names_options
def compute(
    problem: Any,
    frontier: Frontier,
    functor: Any,
    *,
    into: str | None = None,
    reduce: Reduction = "add",
    initial: Any = None,
    accumulate: bool = False,
    debug: bool = False,
) -> None:
    """Call a function for each item of a frontier; the returned values may be reduced to one number.

    Parameters
    ----------
    problem : Problem
        The problem, which has the graph and the fields that the functor asks for.
    frontier : Frontier
        Vertices or edges, as a list or all of them; or pairs of vertices.
    functor : type of Functor
        ``apply`` runs for each item.
    into : str, optional
        Name of the scalar field that receives the values that ``apply`` returns, reduced over all items. Each step
        starts a new reduction and ignores the previous value of the field. The order of the reduction is the same in
        every run. On a CPU, the order does not depend on the number of threads.
    reduce : {"add", "min", "max", "or"}
        The reduction.
    initial : scalar, optional
        Start value of the reduction, which is also the result for a frontier without items. By default, the identity of
        the reduction: 0 for ``"add"`` and ``"or"``, the greatest value of the field's dtype for ``"min"``, and the
        least value for ``"max"`` (for floats, the infinities).
    accumulate : bool
        Whether the reduction continues over the steps of a loop. If True, the reduction starts in the first step, and
        each later step continues from the result of the earlier steps.
    debug : bool
        If True, check the indices of all fields, as an `Enactor` in debug mode does.

    Notes
    -----
    Values are reduced in the dtype of the field. Integers of another size are converted as NumPy's ``astype`` does. A
    float for a field of integers is an error.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Most(mg.Problem):
    ...     most = mg.scalar_field(np.int64)
    >>> class Number(mg.Functor):
    ...     def apply(vertex):
    ...         return vertex
    >>> problem = Most(mg.generate.path(4, device="cpu"))
    >>> for frontier in (mg.Frontier.of([2, 1]), mg.Frontier.of([])):
    ...     mg.operators.compute(problem, frontier, Number, into="most", reduce="max", initial=-1)
    ...     print(problem.most[0])
    2
    -1
    """
    _run(
        "compute", problem, frontier, functor, debug, into=into, reduce=reduce, initial=initial, accumulate=accumulate
    )  # fmt: skip


@names_options
def intersect(
    problem: Any,
    frontier: Frontier,
    functor: Any,
    *,
    into: str | None = None,
    reduce: Reduction = "add",
    initial: Any = None,
    accumulate: bool = False,
    output: Listed | None = None,
    since: Since | None = None,
    hubs: int | None = None,
    debug: bool = False,
) -> Frontier | None:
    """Find the common neighbors of the two ends of each edge, or of each pair of vertices, of a frontier.

    A common neighbor of two vertices is a vertex to which an edge leads from both vertices. If an undirected edge joins
    the two vertices, a common neighbor is the third corner of a triangle. Each common neighbor is found once, even if
    the graph has parallel edges; the functor then gets the first of the parallel edges. In a graph with self-loops, an
    end may be a common neighbor. A pair may or may not be an edge. The common neighbors of a vertex and itself are all
    of its neighbors.

    Parameters
    ----------
    problem : Problem
        The problem, which has the graph and the fields that the functor asks for.
    frontier : Frontier
        Edges, as a list or all of them; or pairs of vertices, made by `Frontier.of_pairs`.
    functor : type of Functor
        ``cond_intersect`` decides whether to search an edge for common neighbors. ``apply_intersect`` runs for each
        common neighbor ``common``; ``src_edge`` and ``dst_edge`` are the edges from ``src`` and ``dst`` to ``common``.
        ``apply_count`` runs once for each edge, with the number of common neighbors ``count``. ``idx`` is the position
        of the edge in the frontier; over all edges, ``idx`` is the id of the edge. Pairs work the same way, except that
        pairs have no ``edge``. ``idx`` is then the position for the results of a pair in an `array_field`.
    into : str, optional
        Name of the scalar field that receives the values that ``apply_count`` returns, reduced over the searched edges.
        Each step starts a new reduction and ignores the previous value of the field. The order is not fixed, so the
        rounding of floats may differ.
    reduce : {"add", "min", "max", "or"}
        The reduction.
    initial : scalar, optional
        Start value of the reduction, which is also the result if no edge was searched; as in `compute`.
    accumulate : bool
        Whether the reduction continues over the steps of a loop. If True, the reduction starts in the first step, and
        each later step continues from the result of the earlier steps.
    output : {"edges", "pairs"}, optional
        Contents of the new frontier: the edges or the pairs for which ``cond_count`` holds, or nothing. ``cond_count``
        decides by the number of common neighbors, before ``apply_count`` runs.
    since : {"mark"}, optional
        Over all edges: visit only the edges that were inserted into a `DynamicGraph` after its last ``mark()``. The
        common neighbors of these edges are still found in the whole graph.
    hubs : int, optional
        Over all edges of a `Graph`: number of first vertices, at most 131,072, whose edges among each other are stored
        as bits, in ``hubs**2 / 8`` bytes. The common neighbors of a vertex and a hub that are hubs are then found many
        at a time. This option changes only the speed. It pays in skewed graphs whose vertices are numbered by falling
        degree, as in `Graph.by_degree`. A graph with parallel edges is processed without bits.
    debug : bool
        If True, check the indices of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    Frontier or None
        The new frontier; None with ``output=None``.

    Notes
    -----
    An edge takes at most O(d log D) work in a `Graph` and O(d) work in a `DynamicGraph`, where d is the smaller degree
    of the two ends and D is the greater degree. Over all edges, the operator may instead mark the neighbors of a vertex
    and look up the neighbors of each neighbor, in O(1) each. On a CPU, pairs with the same source share its marks if
    the pairs are adjacent in the frontier. Values are reduced in the dtype of the field, as in `compute`.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Supports(mg.Problem):
    ...     support = mg.edge_field(np.int64)
    >>> class Count(mg.Functor):
    ...     def apply_count(edge, count, support):
    ...         support[edge] = count
    >>> problem = Supports(mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], device="cpu"))
    >>> mg.operators.intersect(problem, mg.Frontier.all_edges(), Count)
    >>> problem.support
    array([1, 1, 1, 1, 1, 1, 0, 0])

    How many neighbors each of two pairs of vertices has in common:

    >>> class Shared(mg.Problem):
    ...     shared = mg.array_field(np.int64)
    >>> class CountShared(mg.Functor):
    ...     def apply_count(idx, count, shared):
    ...         shared[idx] = count
    >>> problem = Shared(problem.graph, shared=[0, 0])
    >>> mg.operators.intersect(problem, mg.Frontier.of_pairs([0, 2], [3, 3]), CountShared)
    >>> problem.shared
    array([1, 0])
    """
    return _run(
        "intersect", problem, frontier, functor, debug, into=into, reduce=reduce, initial=initial,
        accumulate=accumulate, output=output, since=since, hubs=hubs,
    )  # fmt: skip


@names_options
def neighbor_reduce(
    problem: Any,
    frontier: Frontier,
    functor: Any,
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
    debug: bool = False,
) -> Frontier | None:
    """Reduce the values of the edges of each vertex of a frontier to one value.

    Parameters
    ----------
    problem : Problem
        The problem, which has the graph and the fields that the functor asks for.
    frontier : Frontier
        Vertices, as a list or all of them.
    functor : type of Functor
        ``map`` returns the value of each edge, a number or a tuple of numbers. ``reduce`` combines two values and must
        be associative; ``reduce`` is not needed if the option `reduce` names a reduction. ``apply_reduce`` runs once
        for each vertex with its result.
    direction : {"out", "in"}
        ``"out"`` reduces over the edges that leave each vertex (the vertex is ``src``). ``"in"`` reduces over the edges
        that come in (the vertex is ``dst``).
    reduce : {"add", "min", "max", "or", "argmin", "argmax"}, optional
        The reduction, in place of the functor's ``reduce``. ``"min"`` and ``"max"`` ignore NaN. For ``"argmin"`` and
        ``"argmax"``, ``map`` returns a pair ``(value, id)``. The result is the pair with the least or greatest value.
        Among equal values, the result is the pair with the least id; negative ids come after all other ids. A NaN value
        comes after all numbers.
    initial : scalar or tuple of them, optional
        Start value of the reduction of each vertex, which is also the result of a vertex without edges. By default, the
        identity of the reduction: 0 for ``"add"`` and ``"or"``, the greatest value of the dtype for ``"min"``, and the
        least value for ``"max"`` (for floats, the infinities). For ``"argmin"`` and ``"argmax"``, the default is the
        same value with the id -1. A functor's own ``reduce`` requires `initial`. If `initial` is a tuple, ``map``
        returns tuples of as many numbers, ``reduce`` takes and returns tuples, and ``apply_reduce`` gets a tuple as
        ``value``.
    into : str or sequence of str, optional
        Name of the vertex field that receives the results. For tuples, one field for each number.
    by : {"vertex", "position"}
        Whether ``into[v]`` or ``into[i]`` receives the result of vertex v at position i of the frontier.
    dtype : dtype or sequence of them, optional
        The dtype of the reduction: int32, int64, float32 or float64; for tuples, one dtype for all numbers, or one
        dtype for each. By default, the dtype of `into`. Without `into`, the default is the type that ``map`` returns:
        int64 for bools and integers, float32 or float64 for floats. A field of `into` must be able to hold the dtype: a
        field of integers holds no floats and no wider integers. A field of floats rounds.
    scalar : str or sequence of str, optional
        Name of the scalar field that receives the values that ``apply_reduce`` returns, reduced by `scalar_reduce` over
        all vertices. Each step starts a new reduction and ignores the previous value of the field. With several fields,
        each field receives its part of the tuple that ``apply_reduce`` returns.
    scalar_reduce : {"add", "min", "max", "or"} or a sequence of them, one for each field
        The reduction into each scalar field.
    scalar_initial : scalar or a sequence of them, one for each field, optional
        Start value of the reduction into each scalar field, which is also the result for a frontier without vertices.
        By default, the identity of the reduction, as for `initial`.
    scalar_accumulate : bool
        Whether the reductions into scalar fields continue over the steps of a loop, as with `accumulate` in `compute`.
    output : {"vertices"}, optional
        Contents of the new frontier: the vertices for which ``cond_reduce`` holds, or nothing. ``cond_reduce`` decides
        by the result of a vertex, before ``apply_reduce`` runs.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out; see `advance`. With ``"block"``, a lane reduces the edges of a short row, and a warp
        reduces the edges of a longer row. With each strategy, the order of a reduction depends only on the graph and
        the frontier. Sums of floats are rounded differently by different strategies. On the CPU rows stay whole, and
        ``"merge"`` gives threads shares that are as equal as whole rows allow.
    since : {"mark"}, optional
        Reduce only over the edges of a `DynamicGraph` that were inserted after its last ``mark()``.
    debug : bool
        If True, check the indices of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    Frontier or None
        The new frontier; None with ``output=None``.

    Notes
    -----
    Integers of another size than the dtype are converted as NumPy's ``astype`` does. A functor is refused if its
    ``map``, ``reduce`` or ``apply_reduce`` returns a float and the reduction is in integers.

    In a `DynamicGraph` the edges of a vertex have no order. So ``map`` has no ``rank`` and no ``idx``, and a functor's
    own ``reduce`` must also be commutative.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Degrees(mg.Problem):
    ...     degree = mg.vertex_field(np.int64)
    >>> class One(mg.Functor):
    ...     def map(src):
    ...         return 1
    >>> problem = Degrees(mg.generate.star(4, device="cpu"))
    >>> mg.operators.neighbor_reduce(problem, mg.Frontier.all_vertices(), One, reduce="add", into="degree")
    >>> problem.degree
    array([3, 1, 1, 1])

    The shortest edge of each vertex, and where it leads:

    >>> class Nearest(mg.Problem):
    ...     length = mg.vertex_field(np.float64)
    ...     neighbor = mg.vertex_field(np.int32)
    >>> class Length(mg.Functor):
    ...     def map(dst, weight):
    ...         return weight, dst
    >>> problem = Nearest(mg.Graph.from_edges([0, 0, 1], [1, 2, 2], [5.0, 3.0, 4.0], num_vertices=4, device="cpu"))
    >>> everyone = mg.Frontier.all_vertices()
    >>> mg.operators.neighbor_reduce(problem, everyone, Length, reduce="argmin", into=("length", "neighbor"))
    >>> problem.length, problem.neighbor
    (array([ 3.,  4.,  3., inf]), array([ 2,  2,  0, -1], dtype=int32))
    """
    return _run(
        "neighbor_reduce", problem, frontier, functor, debug, direction=direction, reduce=reduce, initial=initial,
        into=into, by=by, dtype=dtype, scalar=scalar, scalar_reduce=scalar_reduce, scalar_initial=scalar_initial,
        scalar_accumulate=scalar_accumulate, output=output, balance=balance, since=since,
    )  # fmt: skip


@names_options
def near_far(
    problem: Any, frontier: Frontier, functor: Any, *, width: float, bins: int = 2, debug: bool = False
) -> tuple[Frontier, ...]:
    """Split a frontier into bands of priority, from near to far.

    Bin b holds the vertices with a priority from ``b * width`` to less than ``(b + 1) * width``. The first bin also
    holds all vertices with lower priorities, and the last bin all vertices with greater priorities. A vertex whose
    priority is infinity or NaN is in none of the bins.

    In the ``step`` of an enactor, ``self.near_far(frontier, width=...)`` keeps the vertices that are not due yet from
    one step to the next: see `minigr.Enactor.near_far`.

    Parameters
    ----------
    problem : Problem
        The problem, which has the graph and the fields that the functor asks for.
    frontier : Frontier
        Vertices, as a list or all of them.
    functor : type of Functor
        ``priority`` returns the priority of a vertex; the least priority comes first.
    width : float
        Width of a band; more than 0.
    bins : int
        Number of bands, from 2 to 32.
    debug : bool
        If True, check the indices of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    tuple of Frontier
        One frontier for each bin, nearest first. The vertices have the same order as in `frontier`.

    Notes
    -----
    Priorities are compared as float64. The operator takes O(vertices) work to compute the priorities, and another pass
    for each bin. It takes 8 bytes of memory for each vertex of the frontier besides the result.

    References
    ----------
    Davidson, Baxter, Garland, Owens, Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths (IPDPS 2014),
    section 5.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Distances(mg.Problem):
    ...     distance = mg.vertex_field(np.float64)
    >>> class Nearest(mg.Functor):
    ...     def priority(vertex, distance):
    ...         return distance[vertex]
    >>> problem = Distances(mg.generate.path(5, device="cpu"))
    >>> problem.distance = [1.5, 9.0, 0.5, np.inf, 2.5]
    >>> near, far = mg.operators.near_far(problem, mg.Frontier.all_vertices(), Nearest, width=2.0)
    >>> near.ids.tolist(), far.ids.tolist()
    ([0, 2], [1, 4])
    >>> bands = mg.operators.near_far(problem, mg.Frontier.of([4, 2, 0]), Nearest, width=1.0, bins=4)
    >>> [band.ids.tolist() for band in bands]
    [[2], [0], [4], []]
    """
    return split(problem, frontier, functor, debug, width=width, bins=bins)


@names_options
def reduce_by_key(
    problem: Any,
    frontier: Frontier,
    functor: Any,
    *,
    direction: Way = "out",
    reduce: Reduction = "add",
    dtype: Any = None,
    since: Since | None = None,
    debug: bool = False,
) -> None:
    """Group the edges of each vertex of a frontier by a key, reduce each group, and choose the best group.

    Two examples of such a reduction are to count the labels around a vertex, and to sum the weights of the edges that
    lead to each community around a vertex.

    Parameters
    ----------
    problem : Problem
        The problem, which has the graph and the fields that the functor asks for.
    frontier : Frontier
        Vertices, as a list or all of them.
    functor : type of Functor
        ``key`` returns the group of each edge, any 64-bit integer. ``map`` returns the value of each edge; without
        ``map``, edges are counted. ``apply_group`` runs once for each group of a vertex, with its ``key`` and its
        reduced ``value``. ``apply_group`` may return the score of the group; otherwise the value is the score.
        ``apply_best`` runs once for each vertex that has an edge, with the group of the greatest ``score``. Among
        several such groups, ``apply_best`` gets the group with the least key. NaN is less than any other score. At
        least one of ``apply_group`` and ``apply_best`` is required.
    direction : {"out", "in"}
        ``"out"`` groups the edges that leave each vertex (the vertex is ``src``). ``"in"`` groups the edges that come
        in (the vertex is ``dst``).
    reduce : {"add", "min", "max", "or"}
        The reduction of the values of a group.
    dtype : dtype, optional
        The dtype of the reduction: int32, int64, float32 or float64. By default, the type that ``map`` returns: int64
        for bools and integers, float32 or float64 for floats. Counts are int64.
    since : {"mark"}, optional
        Use only the edges of a `DynamicGraph` that were inserted after its last ``mark()``.
    debug : bool
        If True, check the indices of all fields, as an `Enactor` in debug mode does.

    Notes
    -----
    ``apply_best`` sees the values that ``apply_group`` wrote for its vertex. Groups are visited in no fixed order; this
    includes the groups of one vertex.

    Each edge takes O(1) expected work. On a CPU, each thread has a hash table with room for the edges of the vertex of
    highest degree, up to 80 bytes for each edge. On a GPU, a warp takes several vertices with few edges, or one vertex,
    and deals out the edges to its lanes. A vertex with more edges than a warp's table can hold is shared by a block or,
    with sixteen times as many edges, by the whole grid. The tables for the grid take up to 22 bytes for each edge of
    the graph, or 12 bytes with keys and values of 32 bits. A graph without shared vertices needs no tables for the
    grid.

    Integers are added exactly, so the result depends only on the graph and the functor, on every device. On a CPU,
    floats are added in the order of the edges. On a GPU, floats are added in another order, which is the same in every
    run for a vertex that is not shared. Shared vertices have more than 47 edges, or more than 95 edges with keys and
    values of 32 bits.

    See Also
    --------
    neighbor_reduce : all edges of a vertex as one group.

    Examples
    --------
    The color that most neighbors have:

    >>> import numpy as np
    >>> import minigr as mg
    >>> class Colors(mg.Problem):
    ...     color = mg.vertex_field(np.int32)
    ...     most = mg.vertex_field(np.int32, fill=-1)
    >>> class Vote(mg.Functor):
    ...     def key(dst, color):
    ...         return color[dst]
    ...     def apply_best(vertex, key, most):
    ...         most[vertex] = key
    >>> problem = Colors(mg.generate.star(5, device="cpu"), color=[4, 7, 9, 7, 5])
    >>> mg.operators.reduce_by_key(problem, mg.Frontier.all_vertices(), Vote)
    >>> problem.most
    array([7, 4, 4, 4, 4], dtype=int32)
    """
    options = {"direction": direction, "reduce": reduce, "dtype": dtype, "since": since}
    _run("reduce_by_key", problem, frontier, functor, debug, **options)
