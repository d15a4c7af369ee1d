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
        Has the graph, and the fields that the functor asks for.
    frontier : Frontier
        Vertices: their edges are visited. Edges: for each edge, the edges of its destination are visited. All vertices:
        every edge is visited once, without a scan over degrees.
    functor : type of Functor
        ``cond_advance`` decides for each edge, and ``apply_advance`` runs where it held. ``cond_target`` may say first
        whether a destination can still be reached: in a push it spares edges; in a pull it picks the vertices that look
        for a source, and ends the search of each.
    output : {"vertices", "edges", None}
        What the new frontier holds: destinations, edges, or nothing.
    direction : {"push", "pull", "auto"}
        Along the out-edges of the frontier; along the in-edges of all vertices that ``cond_target`` lets through; or
        whichever costs less in each step (needs ``cond_target``).
    duplicates : {"remove", "impossible", "keep"}
        What to do when several edges lead to one vertex. ``"remove"``: the new frontier holds the vertex once.
        ``"impossible"``: trust that ``cond_advance`` holds once for each vertex in a step, because it claims the vertex
        by an atomic; an overflow is still detected and raised. ``"keep"``: the new frontier holds the vertex once for
        each edge.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How a push deals out edges. The result is the same, in another order. On the GPU a lane walks the edges of each
        vertex (``"thread"``), a group of lanes as large as vertices have edges on average (``"tile"``), or a warp
        (``"warp"``); or a warp takes several vertices, whose edges its lanes find by a search (``"block"``). In each of
        these, hubs are put off and shared by all. ``"merge"`` scans the degrees of the frontier, and every warp takes
        an equal share of all edges. Only ``"merge"`` knows ``idx``, the position among all edges visited, over a list.
        ``"auto"`` is ``"merge"`` where the functor asks for ``idx``, and ``"block"`` otherwise. On the CPU ``"merge"``
        gives threads equal shares of all edges, and the others are one: threads claim vertices as they come free.
    since : {"mark"}, optional
        Only edges of a dynamic graph that were inserted after its last ``mark()``.
    again : bool
        Whether a vertex may be in the output of several steps of a loop, which ``direction="auto"`` can't know: edges
        of the output then still count as unexplored, and a pull is chosen only for most of all edges.
    reverse : bool
        Whether a push goes along the edges that come into the frontier, as in the graph with all edges reversed:
        ``src`` is in the frontier, and ``dst`` is where the edge comes from. ``edge`` and ``weight`` are the edge's.
    debug : bool
        Check the indexes of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    Frontier or None
        None with ``output=None``.

    Notes
    -----
    Over a `DynamicGraph` the edges of a vertex have no order, so there is no ``rank`` and no ``idx``; ``edge`` holds
    until the next update. With ``direction="auto"`` a directed one that keeps no in-edges is only pushed over.

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
        Has the graph, and the fields that the functor asks for.
    frontier : Frontier
        Vertices or edges, a list or all of them; or pairs of vertices.
    functor : type of Functor, optional
        ``cond_filter`` decides for each item, and ``apply_filter`` runs where it held. May be left out where only
        duplicates are removed.
    duplicates : {"keep", "remove", "cull"}
        ``"remove"``: of several equal ids one is kept, exactly; not for pairs. ``"cull"``: an id that comes soon after
        an equal one is mostly dropped. Culling is cheap, because a worker looks only at the few ids that it saw last;
        ids may stay repeated.
    debug : bool
        Check the indexes of all fields, as an `Enactor` in debug mode does.

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
    """Do something for each item of a frontier; what that returns may be reduced to one number.

    Parameters
    ----------
    problem : Problem
        Has the graph, and the fields that the functor asks for.
    frontier : Frontier
        Vertices or edges, a list or all of them; or pairs of vertices.
    functor : type of Functor
        ``apply`` runs for each item.
    into : str, optional
        Name of a scalar field that gets what ``apply`` returns, reduced over all items. Each step reduces again: what
        the field held before has no part in it. The order of the reduction is the same in
        every run; on a CPU it does not depend on the number of threads.
    reduce : {"add", "min", "max", "or"}
        How it is reduced.
    initial : scalar, optional
        Where the reduction starts, and so what it gives for a frontier without items. By default the value that changes
        nothing: 0 for ``"add"`` and ``"or"``; the greatest value of the field's dtype for ``"min"``, and the least one
        for ``"max"`` (of floats the infinities).
    accumulate : bool
        Whether the reduction goes on over the steps of a loop: it starts in the first step, and each later step adds to
        what the steps before it came to.
    debug : bool
        Check the indexes of all fields, as an `Enactor` in debug mode does.

    Notes
    -----
    Values are reduced in the dtype of the field. Whole numbers of another size are converted as NumPy's ``astype``
    does; a float that would go into a field of integers is refused.

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

    A common neighbor of two vertices is a vertex to which an edge leads from both: where an undirected edge joins the
    two, the third corner of a triangle. Each is found once, whatever parallel edges there are; the first of the
    parallel edges is the one that is named. In a graph with self-loops an end may be a common neighbor. A pair may be
    an edge or not; the common neighbors of a vertex and itself are all of its neighbors.

    Parameters
    ----------
    problem : Problem
        Has the graph, and the fields that the functor asks for.
    frontier : Frontier
        Edges, a list or all of them; or pairs of vertices, made by `Frontier.of_pairs`.
    functor : type of Functor
        ``cond_intersect`` decides for each edge whether it is looked at. ``apply_intersect`` runs for each common
        neighbor ``common``; ``src_edge`` and ``dst_edge`` are the edges that lead to it from ``src`` and ``dst``.
        ``apply_count`` runs once for each edge, with the number of common neighbors, ``count``. ``idx`` is an edge's
        position in the frontier; over all edges it is the edge's id. The same holds for pairs, which have no ``edge``;
        ``idx`` is the place of a pair's results in an `array_field`.
    into : str, optional
        Name of a scalar field that gets what ``apply_count`` returns, reduced over the edges that were looked at. Each
        step reduces again: what the field held before has no part in it. There is no fixed order, so the rounding of
        floats may differ.
    reduce : {"add", "min", "max", "or"}
        How it is reduced.
    initial : scalar, optional
        Where the reduction starts, and what it gives where no edge was looked at; as in `compute`.
    accumulate : bool
        Whether the reduction goes on over the steps of a loop: it starts in the first step, and each later step adds to
        what the steps before it came to.
    output : {"edges", "pairs"}, optional
        What the new frontier holds: those of the edges, or of the pairs, for which ``cond_count`` holds, which decides
        by the number of common neighbors before ``apply_count`` runs; or nothing.
    since : {"mark"}, optional
        Over all edges: go through those alone that came into a `DynamicGraph` after its last ``mark()``. Their common
        neighbors are those of the whole graph.
    hubs : int, optional
        Over all edges of a `Graph`: for so many of the first vertices, at most 131,072, it is kept as bits which of
        them are neighbors, in ``hubs**2 / 8`` bytes. Common neighbors of a vertex and a hub that are hubs are then
        found many at a time. This changes the speed only. It pays in skewed graphs whose vertices are numbered by
        falling degree, as in `Graph.by_degree`. A graph with parallel edges is gone through without bits.
    debug : bool
        Check the indexes of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    Frontier or None
        None with ``output=None``.

    Notes
    -----
    An edge takes no more than O(d log D) work for a `Graph` and O(d) for a `DynamicGraph`, where d is the smaller
    degree of its ends and D the greater. Over all edges the neighbors of a vertex may instead be marked, and the
    neighbors of each neighbor looked up, in O(1) each. On a CPU, pairs with one source share its marks where they stand
    beside each other. Values are reduced in the dtype of the field, as in `compute`.

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
    """Reduce the values of the edges of each vertex of a frontier to one.

    Parameters
    ----------
    problem : Problem
        Has the graph, and the fields that the functor asks for.
    frontier : Frontier
        Vertices, a list or all of them.
    functor : type of Functor
        ``map`` gives the value of each edge, a number or a tuple of numbers. ``reduce`` combines two values and must be
        associative; it is not needed if `reduce` names a reduction. ``apply_reduce`` runs once for each vertex with its
        result.
    direction : {"out", "in"}
        Over the edges that leave each vertex (it is ``src``) or over the edges that come in (it is ``dst``).
    reduce : {"add", "min", "max", "or", "argmin", "argmax"}, optional
        Instead of the functor's ``reduce``. ``"min"`` and ``"max"`` pass over NaN. For ``"argmin"`` and ``"argmax"``,
        ``map`` returns a pair ``(value, id)``. The result is the pair with the least or greatest value, and of equal
        values the pair with the least id; ids below zero come after all others. A value that is NaN comes after all
        numbers.
    initial : scalar or tuple of them, optional
        Where each vertex's reduction starts, and so the result of a vertex without edges. By default the value that
        changes nothing: 0 for ``"add"`` and ``"or"``; the greatest value of the dtype for ``"min"``, and the least one
        for ``"max"`` (of floats the infinities); these with the id -1 for ``"argmin"`` and ``"argmax"``. A functor's
        own ``reduce`` needs it given. If it is a tuple, ``map`` returns tuples of as many numbers, ``reduce`` takes and
        returns them, and ``apply_reduce`` gets one as ``value``.
    into : str or sequence of str, optional
        Name of a vertex field that gets the results. Of tuples, a field for each number.
    by : {"vertex", "position"}
        Whether ``into[v]`` or ``into[i]`` gets the result of vertex v at position i of the frontier.
    dtype : dtype or sequence of them, optional
        The dtype that values are reduced in: int32, int64, float32 or float64; of tuples a dtype for all numbers, or
        one for each. By default the dtype of `into`; without `into`, what ``map`` returns: int64 for bools and
        integers, float32 or float64 for floats.
    scalar : str or sequence of str, optional
        Name of a scalar field that gets what ``apply_reduce`` returns, reduced by `scalar_reduce` over all vertices.
        Each step reduces again: what the field held before has no part in it. Of several fields, each gets its part of
        the tuple that ``apply_reduce`` returns.
    scalar_reduce : {"add", "min", "max", "or"} or a sequence of them, one for each field
        How that is reduced.
    scalar_initial : scalar or a sequence of them, one for each field, optional
        Where the reduction of each scalar field starts, and so what it gives for a frontier without vertices; by
        default the value that changes nothing, as for `initial`.
    scalar_accumulate : bool
        Whether the reductions into scalar fields go on over the steps of a loop, as with `accumulate` in `compute`.
    output : {"vertices"}, optional
        What the new frontier holds: the vertices for which ``cond_reduce`` holds, which decides by a vertex's result
        before ``apply_reduce`` runs; or nothing.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out; see `advance`. In ``"block"`` a lane reduces the edges of a short row, and a warp those
        of a longer one. With each of them a reduction is done in an order that depends on the graph and the frontier
        alone; but where floats are added, the rounding of one strategy is not that of another. On the CPU rows stay
        whole, and ``"merge"`` gives threads shares that are as equal as that allows.
    since : {"mark"}, optional
        Only over edges of a `DynamicGraph` that were inserted after its last ``mark()``.
    debug : bool
        Check the indexes of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    Frontier or None
        None with ``output=None``.

    Notes
    -----
    Integers of another size than the dtype are converted as NumPy's ``astype`` does. Where ``map``, ``reduce`` or
    ``apply_reduce`` returns a float that would be reduced in integers, the functor is refused.

    Over a `DynamicGraph` the edges of a vertex have no order: ``map`` has no ``rank`` and no ``idx``, and a functor's
    own ``reduce`` must be commutative too.

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
    """Split a frontier into bands of priority: what is near, and what is farther.

    Bin b holds the vertices with a priority from ``b * width`` to less than ``(b + 1) * width``. The first bin also
    holds all that are less, and the last bin all that are greater. A vertex whose priority is infinity or NaN is in
    none of the bins.

    In the ``step`` of an enactor, ``self.near_far(frontier, width=...)`` keeps from one step to the next what is not
    due yet: see `minigr.Enactor.near_far`.

    Parameters
    ----------
    problem : Problem
        Has the graph, and the fields that the functor asks for.
    frontier : Frontier
        Vertices, a list or all of them.
    functor : type of Functor
        ``priority`` of a vertex, least first.
    width : float
        How wide a band is; more than 0.
    bins : int
        How many bands there are, from 2 to 32.
    debug : bool
        Check the indexes of all fields, as an `Enactor` in debug mode does.

    Returns
    -------
    tuple of Frontier
        One for each bin, nearest first, with the vertices in the order that they have in `frontier`.

    Notes
    -----
    Priorities are compared as float64. O(vertices) work to compute them, and another pass for each bin; 8 bytes of
    memory for each vertex of the frontier besides the result.

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

    Counting the labels around a vertex is such a reduction, and so is summing the weights that lead to each community
    around it.

    Parameters
    ----------
    problem : Problem
        Has the graph, and the fields that the functor asks for.
    frontier : Frontier
        Vertices, a list or all of them.
    functor : type of Functor
        ``key`` gives the group of each edge, any whole number of 64 bits. ``map`` gives the value of each edge; without
        it edges are counted. ``apply_group`` runs once for each group of a vertex, with its ``key`` and its reduced
        ``value``, and may return the group's score; without that the value is the score. ``apply_best`` runs once for
        each vertex that has an edge, with the group of the greatest ``score``; of several such groups it is that of the
        least key. A NaN is less than any other score. One of these two functions must be there.
    direction : {"out", "in"}
        Over the edges that leave each vertex (it is ``src``) or over the edges that come in (it is ``dst``).
    reduce : {"add", "min", "max", "or"}
        How the values of a group are reduced.
    dtype : dtype, optional
        The dtype that values are reduced in: int32, int64, float32 or float64. By default what ``map`` returns: int64
        for bools and integers, float32 or float64 for floats; int64 for counts.
    since : {"mark"}, optional
        Only over edges of a `DynamicGraph` that were inserted after its last ``mark()``.
    debug : bool
        Check the indexes of all fields, as an `Enactor` in debug mode does.

    Notes
    -----
    ``apply_best`` sees what ``apply_group`` wrote for its vertex. Groups are visited in no fixed order, those of one
    vertex too.

    O(1) for each edge, expected. On a CPU each thread has a hash table with room for the edges of the vertex of highest
    degree, up to 80 bytes for each. On a GPU a warp takes several vertices with few edges, or one vertex, and deals out
    the edges to its lanes. A vertex with more edges than a warp's table can hold is shared by a block or, with sixteen
    times as many edges, by the whole grid. The tables for the grid take up to 22 bytes for each edge of the graph, or
    12 with keys and values of 32 bits; a graph without shared vertices needs none.

    Whole numbers are added exactly, so the result depends on the graph and the functor alone, whatever the device.
    Floats are added in the order of the edges on a CPU. On a GPU they are added in another order, which is the same in
    every run for a vertex that is not shared. Shared vertices have more than 47 edges, or more than 95 with
    keys and values of 32 bits.

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
