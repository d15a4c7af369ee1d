"""The script that times functors in Python beside functors in C++: both are the same program."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "functor_overhead.py"


@pytest.mark.gpu
def test_both_come_to_the_same():
    import cupy

    loaded = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    script = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(script)
    graph = mg.generate.rmat(7, 8, seed=1, weights=(1, 9), device="cuda")
    results = {"bfs": "depth", "relax all edges": "distance", "pagerank": "share"}
    for name, (enactor, first) in script.programs(graph).items():
        found = []
        for program in script.variants(enactor.record(first()), name, cupy.cuda.Device()).values():
            assert script.run_time(enactor, first, program) >= 0
            found.append(CPU.asarray(getattr(enactor.problem, results[name])))
        np.testing.assert_allclose(*found, rtol=1e-12)  # compilers fuse other products and sums
        assert len(np.unique(found[0])) > 2
