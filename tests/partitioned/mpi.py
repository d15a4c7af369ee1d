"""Scripts that MPI runs in several processes."""

import importlib.util
import os
import re
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

PATIENCE = 300  # the most seconds that a script may take
BEGIN = f"""
    import faulthandler

    faulthandler.dump_traceback_later({PATIENCE - 60}, exit=True)  # a script that hangs says where

    import numpy as np
    import minigr as mg
    from mpi4py import MPI

    rank, size = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
"""

ANSWERS = """
graph = mg.generate.rmat(8, 8, seed=1, weights=(1, 255), device="cpu")
src, dst, weights = graph.to_edges()
own = slice(rank, None, size)
parts = mg.PartitionedGraph.from_edges(
    src[own], dst[own], weights[own], num_vertices=graph.num_vertices, devices=where
)
assert len(parts.parts) == 1 and parts.num_parts == size
assert (parts.gather().indices == graph.indices).all()
assert (mg.bfs(parts, 0).depth.gather() == mg.bfs(graph, 0).depth).all()
assert (mg.sssp(parts, 0).distance.gather() == mg.sssp(graph, 0).distance).all()
assert np.allclose(mg.pagerank(parts).rank.gather(), mg.pagerank(graph).rank, rtol=1e-6)
found = mg.connected_components(parts)
assert found.to_pandas().equals(mg.connected_components(graph).to_pandas())
assert (mg.bfs(parts, 0).to_pandas().depth == mg.bfs(graph, 0).depth).all()
assert (found.label.gather() == mg.connected_components(graph).label).all()
assert found.num_components == mg.connected_components(graph).num_components
triangles = mg.triangle_count(graph, clustering=True)
assert mg.triangle_count(parts, clustering=True).to_pandas().equals(triangles.to_pandas())
assert mg.triangle_count(parts).total == triangles.total
rows = mg.bfs(parts, 0, trace=True).trace
for row, alone in zip(rows, mg.bfs(graph, 0, trace=True).trace, strict=True):
    same = ["frontier", "output", "direction"]
    if where == "mpi" or row.direction == "push":  # how far a pull looks depends on the kind of device
        same += ["edges"]
    assert [getattr(row, name) for name in same] == [getattr(alone, name) for name in same]
    assert MPI.COMM_WORLD.allgather(row.sent) == size * [row.sent]
assert rows.rows[0].sent > 0
assert "pull" in [row.direction for row in rows]
print(f"done by {rank}\\n", flush=True, end="")
"""  # for parts on the devices `where`


def started(text, *, processes=4, launcher=(), python=("-m", "mpi4py")):
    """Run a script in several processes; return the completed launcher."""
    script = textwrap.dedent(BEGIN) + textwrap.dedent(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MINIGR_NUM_THREADS": "1"}
    return subprocess.run(
        [LAUNCHER, "-n", str(processes), *launcher, sys.executable, *python, "-c", script],
        env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


def run(text, processes=4):
    """The lines that a script prints in several processes, sorted."""
    done = started(text, processes=processes)
    assert done.returncode == 0, done.stderr
    told = re.sub(r"\x1b\[\d*m", "", done.stdout)  # Open MPI writes codes for the terminal's colors
    return sorted(line for line in told.split("\n") if line)
