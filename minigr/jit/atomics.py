"""Atomics that a functor can use on both targets.

Each atomic takes an array (a Problem's field), an index and a value. The atomic changes one element atomically and
returns the old value of the element. Element types: int32, int64, float32, float64 (`atomic_or`: the two integers).
Values are converted to the element type. Ordering is relaxed: a thread may see changes of other elements in another
order. Operators put a barrier between their phases.

In the steps of a loop that a single thread runs, all atomics are plain loads and stores.

Plain Python can also call the atomics, on NumPy and CuPy arrays (`minigr.jit.plain_atomics`):

>>> import numpy as np
>>> least = np.array([5, 7], np.int32)
>>> int(atomic_min(least, 1, 3)), least.tolist()
(7, [5, 3])
"""

from __future__ import annotations

from typing import Any

from minigr.jit.native import memory
from minigr.jit.plain_atomics import Atomic


@Atomic
def atomic_min(array: Any, index: Any, value: Any) -> Any:
    """Lower ``array[index]`` to `value` if `value` is less, and return the old value.

    Examples
    --------
    >>> import numpy as np
    >>> nearest = np.array([7, 3])
    >>> int(atomic_min(nearest, 0, 5)), nearest
    (7, array([5, 3]))
    """


@Atomic
def atomic_max(array: Any, index: Any, value: Any) -> Any:
    """Raise ``array[index]`` to `value` if `value` is greater, and return the old value.

    Examples
    --------
    >>> import numpy as np
    >>> farthest = np.array([7, 3])
    >>> int(atomic_max(farthest, 1, 5)), farthest
    (3, array([7, 5]))
    """


@Atomic
def atomic_add(array: Any, index: Any, value: Any) -> Any:
    """Add `value` to ``array[index]``, and return the old value.

    Examples
    --------
    >>> import numpy as np
    >>> count = np.array([7, 3])
    >>> int(atomic_add(count, 1, 2)), count
    (3, array([7, 5]))
    """


@Atomic
def atomic_or(array: Any, index: Any, value: Any) -> Any:
    """Set the bits of `value` in ``array[index]``, and return the old value.

    Examples
    --------
    >>> import numpy as np
    >>> seen = np.array([1, 4])
    >>> int(atomic_or(seen, 1, 1)), seen
    (4, array([1, 5]))
    """


@Atomic
def atomic_exch(array: Any, index: Any, value: Any) -> Any:
    """Store `value` in ``array[index]``, and return the old value.

    Examples
    --------
    >>> import numpy as np
    >>> last = np.array([7, 3])
    >>> int(atomic_exch(last, 0, 1)), last
    (7, array([1, 3]))
    """


@Atomic
def atomic_cas(array: Any, index: Any, expected: Any, value: Any) -> Any:
    """Store `value` in ``array[index]`` if the old value equals `expected`, and return the old value.

    Examples
    --------
    >>> import numpy as np
    >>> owner = np.array([-1, 3])
    >>> int(atomic_cas(owner, 0, -1, 8)), int(atomic_cas(owner, 1, -1, 8)), owner
    (-1, 3, array([8, 3]))
    """


_TRANSLATED = {
    atomic_min: memory.extremum,
    atomic_max: memory.extremum,
    atomic_add: memory.add,
    atomic_or: memory.add,
    atomic_exch: memory.exchange,
    atomic_cas: memory.compare_and_swap,
}


for _atomic, _emit in _TRANSLATED.items():
    memory.translate_atomic(_atomic, _emit)
