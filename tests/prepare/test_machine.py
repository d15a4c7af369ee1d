"""Programs that are made beforehand are those that calls ask for."""

import json
import os
import subprocess
import sys
import warnings

import pytest

import minigr as mg
from minigr import calls
from minigr.cli.algorithms import ALGORITHMS as RUN
from minigr.jit import cache
from minigr.jit.told import listening
from minigr.prepare import machine
from minigr.prepare.machine import Target, do, tasks
from minigr.prepare.recorded import Recorded

CPU, GPU = Target(True, ()), Target(False, (90,))


def test_every_ready_algorithm_is_prepared():
    assert RUN.keys() <= calls.APPS.keys()
    answers = [name for name in mg.dynamic.__all__ if hasattr(getattr(mg.dynamic, name), "insert_edges")]
    followed = {name.partition(" by ")[0] for name in calls.FOLLOWED}
    assert len(followed) == len(answers) - 1  # Maintained is the base of the others
    assert len({task.name for task in tasks(CPU)}) == len(calls.ALGORITHMS)


CALLS = """
import json, sys
import numpy as np
import minigr as mg
from minigr.jit.told import listening

graphs = [mg.generate.lattice(40, 50), mg.generate.rmat(11, 16, directed=True), mg.generate.star(40_000)]
graphs.append(mg.DynamicGraph.from_graph(graphs[1]))
made = []
with listening(lambda what, of: made.append(of) if what == "made" else None):
    for graph in graphs:
        mg.bfs(graph, 3)
        mg.random_walks(graph, np.arange(9), 5)
    if "coloring" in sys.argv:
        mg.coloring(graphs[0])
print(json.dumps([key for kind, key in made if kind == "cpu"]))
"""


def test_a_fresh_process_compiles_nothing_that_was_prepared(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path))
    told = []
    first = machine.prepare(CPU, 2, told.append, ["bfs", "random-walks"])
    assert first.made
    assert told[-1] == f"{len(told)} of {len(told)} tasks"
    again = machine.prepare(CPU, 2, names=["bfs", "random-walks"])
    assert (again.made, again.asked) == (set(), first.asked)
    assert sum(again.sizes().values()) > 0
    assert fresh_process() == []
    assert fresh_process("coloring") != []  # which was not prepared


def fresh_process(*arguments):
    environment = {**os.environ, "MINIGR_DEVICE": "cpu"}
    done = subprocess.run([sys.executable, "-c", CALLS, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_programs_that_a_gpu_needs_are_prepared(monkeypatch):
    pytest.importorskip("cuda.core")
    prepared = set()

    def note(program, architectures):
        prepared.update(program(architecture)[0].key for architecture in architectures)

    monkeypatch.setattr(machine, "_link", note)
    for task in tasks(GPU, ["sssp", "pagerank", "triangles"]):
        if task.layout == "csr" and task.dtype == ("" if task.name == "triangles" else "float32"):
            do(task, GPU)
    recorded = Recorded()
    with listening(recorded.note):
        graph = mg.generate.rmat(12, 16, seed=1, weights=(1, 9), weight_dtype="float32", device="cpu")
        assert graph.max_degree() > 512  # whose edges threads of a GPU share
        mg.sssp(graph, 0)
        mg.pagerank(graph)
        mg.pagerank(graph, tol=1e-9)
        mg.triangle_count(graph)
    asked = {program(90)[0].key for program in recorded.programs.values()}
    assert len(asked) >= 4  # each call asks for one
    assert asked <= prepared


def test_a_cache_that_cant_be_used_is_an_error(tmp_path, monkeypatch):
    tmp_path.chmod(0o777)
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mg.errors.CacheWarning)  # which comes once in a process
        with pytest.raises(mg.errors.SettingError, match="no cache"):
            machine.prepare(CPU, 1)


def test_gpus_must_be_named_where_there_are_none(monkeypatch):
    monkeypatch.setattr(machine, "architectures_here", lambda: ())
    with pytest.raises(mg.errors.DeviceError, match="--architecture 90"):
        machine.resolve("cuda", ())
    assert machine.resolve("all", ()) == CPU
    assert machine.resolve("cuda", (90,)) == GPU
    assert machine.resolve("all", (80, 90)) == Target(True, (80, 90))
