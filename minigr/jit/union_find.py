"""Union-find for functors: `find` and `join` over a field of parents.

The field has one parent for each element. The parent is the element itself or an element with a lower number. An
element that is its own parent is a root. The root represents all elements whose parents lead to it. Any number of
threads may call both functions at the same time, on the same field.

Only roots get a new parent, and only a lower root, so the root of a set is its least element. An element that is no
longer a root never becomes a root again. All former parents of an element belong to the same set, so an outdated parent
does no harm.

Jaiganesh, Burtscher, A High-Performance Connected Components Implementation for GPUs (HPDC 2018): halving of paths.
"""

from __future__ import annotations

from typing import Any

from minigr.jit.atomics import atomic_cas
from minigr.jit.intrinsic import Provided


@Provided
def find(parent: Any, v: Any) -> Any:
    """Return the root of the set of `v`, which is the least element of the set.

    Each element on the path to the root gets its grandparent as its parent, so that the next search is shorter. Takes
    O(log n) time, amortized. Store the root in a field other than `parent`: in `parent`, another thread's search may
    replace the root by an element between `v` and the root.

    Parameters
    ----------
    parent : field of int32 or int64
        The parent of each element, not greater than the element. At the start, ``parent[v] = v``.
    v : int

    Returns
    -------
    int
        The root. While other threads join sets, the result is an element that was the root a moment ago.

    Examples
    --------
    >>> import numpy as np
    >>> parent = np.array([0, 0, 1, 3], np.int32)
    >>> int(find(parent, 2)), parent.tolist()
    (0, [0, 0, 0, 3])
    """
    before, current = v, parent[v]
    while parent[current] < current:
        parent[before] = parent[current]  # may undo another thread's store, but the parent stays in the set of `before`
        before, current = current, parent[current]
    return current


@Provided
def join(parent: Any, u: Any, v: Any) -> Any:
    """Join the sets of `u` and `v`: the lesser of their roots becomes the parent of the greater root.

    If several threads join the same two sets at the same time, exactly one of the threads gets the former root as its
    result. Takes O(log n) time, amortized, and an atomic operation.

    Parameters
    ----------
    parent : field of int32 or int64
        The parent of each element, as for `find`.
    u, v : int

    Returns
    -------
    int
        The element that is no longer a root; -1 if the two elements were already in one set.

    Examples
    --------
    Connected components:

    >>> import numpy as np
    >>> import minigr as mg
    >>> class Sets(mg.Problem):
    ...     parent = mg.vertex_field(np.int32)
    ...     root = mg.vertex_field(np.int32)
    >>> class Join(mg.Functor):
    ...     def apply_advance(src, dst, parent):
    ...         mg.join(parent, src, dst)
    ...
    ...     def apply(vertex, parent, root):
    ...         root[vertex] = mg.find(parent, vertex)
    >>> sets = Sets(mg.Graph.from_edges([4, 1, 2], [1, 3, 5], device="cpu"))
    >>> sets.parent = np.arange(6)
    >>> mg.operators.advance(sets, mg.Frontier.all_vertices(), Join, output=None)
    >>> mg.operators.compute(sets, mg.Frontier.all_vertices(), Join)
    >>> sets.root
    array([0, 1, 2, 1, 1, 2], dtype=int32)
    """
    u, v = find(parent, u), find(parent, v)
    while u != v:
        high, low = max(u, v), min(u, v)
        above = atomic_cas(parent, high, high, low)
        if above == high:
            return high
        # The result of an atomic is up to date, so the greater of `u` and `v` decreases each time and the loop ends.
        u, v = low, find(parent, above)
    return -1


def tell_root(parent: Any, told: Any, place: Any, vertex: Any) -> None:
    """``told[place] = find(parent, vertex)``, for code that is not Python."""
    told[place] = find(parent, vertex)


def hear_root(parent: Any, vertex: Any, root: Any) -> None:
    """``join(parent, vertex, root)``, for code that is not Python."""
    join(parent, vertex, root)
