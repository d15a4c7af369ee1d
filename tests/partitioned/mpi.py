"""Scripts that MPI runs in several processes."""

import importlib.util
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAUNCHER = shutil.which("mpiexec", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))

needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or LAUNCHER is None, reason="needs mpi4py and mpiexec, minigr[mpi]"
)

BEGIN = """
    import numpy as np
    import minigr as mg
    from mpi4py import MPI

    rank, size = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
"""


def started(text, *, launcher=(), python=("-m", "mpi4py")):
    """What became of a script in four processes."""
    script = textwrap.dedent(BEGIN) + textwrap.dedent(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MINIGR_NUM_THREADS": "1"}
    return subprocess.run(
        [LAUNCHER, "-n", "4", *launcher, sys.executable, *python, "-c", script],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def run(text):
    """The lines that a script prints in four processes, in order."""
    done = started(text)
    done.check_returncode()
    return sorted(line for line in done.stdout.split("\n") if line)
