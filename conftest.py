"""What pytest leaves out where an optional library is missing."""

from importlib.util import find_spec
from pathlib import Path

_PACKAGE = Path(__file__).parent / "minigr"

# They are imported while doctests are collected, but they have none, and most of them import CuPy.
_FOR_GPUS = [str(path) for path in _PACKAGE.rglob("*_cuda.py")]
collect_ignore = [] if find_spec("cupy") else _FOR_GPUS
