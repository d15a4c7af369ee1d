"""What pytest leaves out where an optional library is missing."""

from importlib.util import find_spec
from pathlib import Path

_PACKAGE = Path(__file__).parent / "minigr"

# Imported while doctests are collected, and of no use without CuPy.
_WITH_CUPY = [*(_PACKAGE / folder / "kernels_cuda.py" for folder in ("batch", "generate"))]
_WITH_CUPY += [*(_PACKAGE / "graphs" / "dynamic").glob("*_cuda.py")]
collect_ignore = [] if find_spec("cupy") else [str(path) for path in _WITH_CUPY]
