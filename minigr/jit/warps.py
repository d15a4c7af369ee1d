"""Warp functions: operations that the threads of a GPU's warp do together, in functors.

On a CPU each thread is alone, and the functions have the same meaning. Which threads of a warp run a line of a functor
at the same time depends on the schedule and on the data. So each function works on its *group*: the threads that make
this call together. A group has at least the caller and at most a warp, and any such group is correct. On a CPU, and if
plain Python calls a function, the group is the caller alone. The groups of two calls may differ, even for two calls in
one line. No thread waits for a thread that does not make the call, so a function may be called under any condition and
in any loop.

`warp_add`, `warp_min`, `warp_max` and `warp_or` have the effects of the atomics of these names. The field holds the
same values afterwards (a sum of floats may be rounded differently), and each caller gets a value that the atomic could
have returned. If several threads of a group change one element, their values are first combined in registers, and one
of the threads changes the element. This technique is known as warp-aggregated atomics.

`warp_any`, `warp_all` and `warp_elect` are votes. The result of a vote depends on the group. A vote should therefore
decide how a result is found, and not which result is found.
"""

from __future__ import annotations

from typing import Any

from minigr.jit.intrinsic import Intrinsic
from minigr.jit.native import memory
from minigr.jit.native.calls import numbers, translates
from minigr.jit.native.code import Value
from minigr.jit.native.elements import Elements
from minigr.jit.native.types import BOOL
from minigr.jit.plain_atomics import Atomic


@Atomic
def warp_add(array: Any, index: Any, value: Any) -> Any:
    """Add `value` to ``array[index]``, with one atomic for all threads of the group that add to this element.

    This function pays if many edges or items update few elements, such as a count for each of some classes. If nearly
    every thread has an element of its own, `atomic_add` costs less, because `warp_add` must first find the threads that
    share an element.

    Parameters
    ----------
    array : field of int32, int64, float32 or float64
    index : int, or a pair of them
        Index of the element; a pair for a field with columns.
    value : number

    Returns
    -------
    number
        The old value, as if the threads had added one after the other. So ``warp_add(count, 0, 1)`` gives each caller a
        separate position.

    Examples
    --------
    >>> import numpy as np
    >>> count = np.array([7, 3])
    >>> int(warp_add(count, 1, 2)), count
    (3, array([7, 5]))
    """


@Atomic
def warp_min(array: Any, index: Any, value: Any) -> Any:
    """Lower ``array[index]`` to `value` if `value` is less, with one atomic for a group; see `warp_add`.

    Examples
    --------
    >>> import numpy as np
    >>> nearest = np.array([7, 3])
    >>> int(warp_min(nearest, 0, 5)), nearest
    (7, array([5, 3]))
    """


@Atomic
def warp_max(array: Any, index: Any, value: Any) -> Any:
    """Raise ``array[index]`` to `value` if `value` is greater, with one atomic for a group; see `warp_add`.

    Examples
    --------
    >>> import numpy as np
    >>> farthest = np.array([7, 3])
    >>> int(warp_max(farthest, 1, 5)), farthest
    (3, array([7, 5]))
    """


@Atomic
def warp_or(array: Any, index: Any, value: Any) -> Any:
    """Set the bits of `value` in ``array[index]``, with one atomic for a group; see `warp_add`.

    The dtype of the field is int32 or int64.

    Examples
    --------
    >>> import numpy as np
    >>> seen = np.array([1, 4])
    >>> int(warp_or(seen, 1, 1)), seen
    (4, array([1, 5]))
    """


@Intrinsic
def warp_any(condition: Any) -> bool:
    """Return whether `condition` holds for some thread of the group.

    Parameters
    ----------
    condition : bool or number

    Returns
    -------
    bool
        True if the caller's condition holds, and possibly otherwise.

    Examples
    --------
    >>> warp_any(True), warp_any(False)
    (True, False)
    """
    return bool(condition)


@Intrinsic
def warp_all(condition: Any) -> bool:
    """Return whether `condition` holds for each thread of the group.

    Parameters
    ----------
    condition : bool or number

    Returns
    -------
    bool
        False if the caller's condition does not hold, and possibly otherwise.

    Examples
    --------
    >>> warp_all(True), warp_all(False)
    (True, False)
    """
    return bool(condition)


@Intrinsic
def warp_elect(condition: Any) -> bool:
    """Return whether the caller is elected among the threads of the group for which `condition` holds.

    If the condition holds for several threads, the elected thread can do the work that only one thread needs to do,
    such as storing that something changed.

    Parameters
    ----------
    condition : bool or number

    Returns
    -------
    bool
        True for exactly one of these threads.

    Examples
    --------
    >>> warp_elect(True), warp_elect(False)
    (True, False)
    """
    return bool(condition)


VOTES: tuple[Any, ...] = (warp_any, warp_all, warp_elect)
AGGREGATED: dict[Any, Any] = {
    warp_add: memory.add,
    warp_or: memory.add,
    warp_min: memory.extremum,
    warp_max: memory.extremum,
}

WARPS = frozenset([*AGGREGATED, *VOTES])
"""All warp functions."""

for _atomic, _emit in AGGREGATED.items():
    memory.translate_atomic(_atomic, _emit)


@translates(*VOTES)
def _vote(code: Elements, arguments: list[Any]) -> Value:
    # A vote counts as a write. An additional call of the vote would join the group.
    code.writes = True
    (condition,) = numbers("a vote", arguments, 1)
    return code.cast(condition, BOOL)
