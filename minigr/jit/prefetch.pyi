# What the intrinsic looks like to a type checker; see prefetch.py.
from typing import Any

def prefetch(array: Any, index: int) -> None: ...
