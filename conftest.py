"""What pytest leaves out where an optional library is missing."""

from importlib.util import find_spec

# Imported while doctests are collected, and of no use without CuPy.
collect_ignore = [] if find_spec("cupy") else ["minigr/generate/kernels_cuda.py"]
