"""How every CPU kernel is compiled.

Without the GIL, so that a team's threads run at the same time; with NumPy's rules for division, because a kernel can't
raise; and without Numba's reference counts: kernels allocate nothing, and counting the references of every array that
an inner function is handed takes more time than the function (breadth-first and shortest-path searches ran at half
speed). A functor that allocates is refused for that reason, as it is on a GPU.
"""

from typing import Any

from numba import njit

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

#: decorator of a CPU kernel
kernel = njit(**OPTIONS)
