# What type checkers see of the intrinsic, which takes a Numba typing context that a caller never passes.
from typing import Any

def prefetch(array: Any, index: Any) -> None: ...
