"""What pytest leaves out where an optional library is missing."""

from importlib.util import find_spec

# Imported while doctests are collected, and of no use without CuPy.
_WITH_CUPY = ["minigr/generate/kernels_cuda.py", "minigr/graphs/dynamic/kernels_cuda.py"]
collect_ignore = [] if find_spec("cupy") else _WITH_CUPY
