"""What pytest leaves out where an optional library is missing."""

from importlib.util import find_spec
from pathlib import Path

_PACKAGE = Path(__file__).parent / "minigr"

# Imported while doctests are collected, and of no use without CuPy.
_WITH_CUPY = [path for path in _PACKAGE.rglob("*_cuda.py") if "\nimport cupy\n" in path.read_text(encoding="utf-8")]
collect_ignore = [] if find_spec("cupy") else [str(path) for path in _WITH_CUPY]
