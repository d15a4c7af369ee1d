"""What pytest leaves out where an optional library is missing."""

from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).parent

# Imported while doctests are collected, and of no use without CuPy.
_WITH_CUPY = [str(path) for path in _ROOT.glob("minigr/**/*_cuda.py") if "\nimport cupy" in path.read_text()]
collect_ignore = [] if find_spec("cupy") else _WITH_CUPY
