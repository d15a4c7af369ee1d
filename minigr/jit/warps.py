"""What threads of a GPU's warp do together, in functors; on a CPU each thread is by itself, with the same meaning.

Which threads of a warp run a line of a functor at the same time depends on the schedule and on the data. So each
function is for its *group*: those threads that make this call together. They are at least the caller and at most a
warp, and any such set is right. On a CPU, and where plain Python calls a function, the group is the caller alone. The
groups of two calls need not be the same, not even those of two calls in one line. No thread waits for one that does not
make the call, so a function may be called behind any condition and in any loop.

`warp_add`, `warp_min`, `warp_max` and `warp_or` do what the atomics of these names do: the field holds the same
afterwards (a sum of floats may be rounded otherwise), and each caller gets what it could have got from the atomic. But
where several threads of a group change one element, their values are first combined in registers, and one of them
changes the element. This is known as warp-aggregated atomics.

`warp_any`, `warp_all` and `warp_elect` are votes. What they return depends on the group, so it should decide how a
result is found, and not which.
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

    Worth its while where many edges or items meet at few elements, such as a count for each of some classes. Where
    nearly every thread has an element of its own, `atomic_add` costs less: the threads that share one have to be found
    first.

    Parameters
    ----------
    array : field of int32, int64, float32 or float64
    index : int, or a pair of them
        A pair for a field with columns.
    value : number

    Returns
    -------
    number
        What was there before, as if the threads had added one after the other. So ``warp_add(count, 0, 1)`` gives each
        caller a place of its own.

    Examples
    --------
    >>> import numpy as np
    >>> count = np.array([7, 3])
    >>> int(warp_add(count, 1, 2)), count
    (3, array([7, 5]))
    """


@Atomic
def warp_min(array: Any, index: Any, value: Any) -> Any:
    """Lower ``array[index]`` to `value` if that is less, with one atomic for a group; see `warp_add`.

    Examples
    --------
    >>> import numpy as np
    >>> nearest = np.array([7, 3])
    >>> int(warp_min(nearest, 0, 5)), nearest
    (7, array([5, 3]))
    """


@Atomic
def warp_max(array: Any, index: Any, value: Any) -> Any:
    """Raise ``array[index]`` to `value` if that is more, with one atomic for a group; see `warp_add`.

    Examples
    --------
    >>> import numpy as np
    >>> farthest = np.array([7, 3])
    >>> int(warp_max(farthest, 1, 5)), farthest
    (3, array([7, 5]))
    """


@Atomic
def warp_or(array: Any, index: Any, value: Any) -> Any:
    """Set in ``array[index]`` the bits of `value`, with one atomic for a group; see `warp_add`.

    The field is one of int32 or int64.

    Examples
    --------
    >>> import numpy as np
    >>> seen = np.array([1, 4])
    >>> int(warp_or(seen, 1, 1)), seen
    (4, array([1, 5]))
    """


@Intrinsic
def warp_any(condition: Any) -> bool:
    """Whether `condition` holds for some thread of the group.

    Parameters
    ----------
    condition : bool or number

    Returns
    -------
    bool
        True if the caller's condition holds, and maybe otherwise.

    Examples
    --------
    >>> warp_any(True), warp_any(False)
    (True, False)
    """
    return bool(condition)


@Intrinsic
def warp_all(condition: Any) -> bool:
    """Whether `condition` holds for each thread of the group.

    Parameters
    ----------
    condition : bool or number

    Returns
    -------
    bool
        False if the caller's condition does not hold, and maybe otherwise.

    Examples
    --------
    >>> warp_all(True), warp_all(False)
    (True, False)
    """
    return bool(condition)


@Intrinsic
def warp_elect(condition: Any) -> bool:
    """Whether the caller is the one that was chosen among those threads of the group for which `condition` holds.

    So if it holds for several, one of them does what need not be done by each, such as storing that something changed.

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
"""All of them."""

for _atomic, _emit in AGGREGATED.items():
    memory.translate_atomic(_atomic, _emit)


@translates(*VOTES)
def _vote(code: Elements, arguments: list[Any]) -> Value:
    # A call that the user's program does not make would join the group, so a vote counts as writing.
    code.writes = True
    (condition,) = numbers("a vote", arguments, 1)
    return code.cast(condition, BOOL)
