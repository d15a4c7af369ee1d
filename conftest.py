"""What pytest leaves out."""

from pathlib import Path

# While doctests are collected, modules are imported. These modules have no doctests, and most of them import CuPy or
# numba-cuda, which may be missing.
collect_ignore = [str(path) for path in (Path(__file__).parent / "minigr").rglob("*_cuda.py")]
