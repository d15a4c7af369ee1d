"""Compiled programs from process to process: found again, told apart, and not torn by two writers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minigr.jit import cache, capture
from tests.conftest import ROOT
from tests.jit import helpers

PROGRAM = """
import sys
import numpy as np
import minigr as mg
from numba.core import event

SCALE = {scale}

class Values(mg.Problem):
    y = mg.vertex_field(np.int64)

class Scaled(mg.Functor):
    def apply(vertex, y):
        y[vertex] = vertex * SCALE

compiled = []

class Listener(event.Listener):
    def on_start(self, e):
        compiled.append(e.data["dispatcher"].py_func.__name__)

    def on_end(self, e):
        pass

event.register("numba:compile", Listener())
problem = Values(mg.generate.path(4, device="cpu"))
mg.operators.compute(problem, mg.Frontier.all_vertices(), Scaled)
print(int(problem.y.sum()), "run" in compiled, len(compiled))
"""


def start(script, folder, seed="0", arguments=()):
    environment = {**os.environ, "MINIGR_CACHE_DIR": str(folder), "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    environment.pop("MINIGR_NUM_THREADS", None)
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def result(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.split()


def test_from_process_to_process(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(scale=2))
    both = [start(script, tmp_path / "cache", seed) for seed in "12"]  # two that compile the same at once
    for process in both:
        total, _, _ = result(process)
        assert total == "12"
    assert result(start(script, tmp_path / "cache", "3")) == ["12", "False", "0"]  # loads; compiles nothing
    script.write_text(PROGRAM.format(scale=5))
    total, compiled, _ = result(start(script, tmp_path / "cache"))
    assert (total, compiled) == ("30", "True")
    assert not list((tmp_path / "cache").rglob("*.tmp"))


WITHOUT_A_MODULE = """
import sys
import numpy as np
import minigr as mg

text = '''
class Values(mg.Problem):
    y = mg.vertex_field(np.int64)

class Raised(mg.Functor):
    def cond_advance(dst, y):
        for i in range(dst):
            if y[dst] % (i + 3) == 1:
                mg.atomic_add(y, dst, STEP)
        mg.atomic_add(y, dst, STEP)
        return False
'''
for step in map(int, sys.argv[1:]):
    namespace = {"np": np, "mg": mg, "STEP": step, "__name__": "is_no_module"}
    exec(text, namespace)
    problem = namespace["Values"](mg.generate.path(4, directed=True, device="cpu"))
    mg.operators.advance(problem, mg.Frontier.all_vertices(), namespace["Raised"])
    print(*problem.y)
"""


def test_functors_whose_module_is_not_to_be_found(tmp_path):
    script, folder = tmp_path / "program.py", tmp_path / "cache"
    script.write_text(WITHOUT_A_MODULE)
    expected = {step: ["0", *3 * [str(step)]] for step in (2, 3)}
    for steps in ((2,), (3,), (2, 3), (3, 2)):  # compiled by two processes, loaded by one, as one and another function
        found = result(start(script, folder, arguments=map(str, steps)))
        assert found == [value for step in steps for value in expected[step]]
    assert len(list((folder / "cpu").glob("*.py"))) == 2


helpers_outer = helpers.outer

DIGEST = """
from minigr.jit import capture
from tests.jit import test_cache
print(capture.digest(test_cache.of_names))
"""


def of_names(x):
    return helpers_outer(x) in {"alpha", "beta", "gamma", "delta"}


def test_digests_do_not_depend_on_the_process(tmp_path):
    script = tmp_path / "digest.py"
    script.write_text(DIGEST)
    digests = {result(start(script, tmp_path / "cache", seed))[0] for seed in "12"}
    assert len(digests) == 1


def test_digests_depend_on_all_that_is_read(monkeypatch):
    seen = {capture.digest(of_names)}
    for name, value in (("SCALE", 4), ("SCALE", 4.0), ("SCALE", True), ("PAIR", (2, 6)), ("PAIR", (2, 6.0))):
        monkeypatch.setattr(helpers, name, value)
        seen.add(capture.digest(of_names))
    monkeypatch.setattr(helpers, "inner", lambda x: x)
    seen.add(capture.digest(of_names))
    assert len(seen) == 7


def test_identities_depend_on_all_that_is_read(monkeypatch):
    first = capture.identity(of_names)
    assert capture.identity(of_names) == first
    for name, value in (("SCALE", 3.0), ("SCALE", -0.0), ("SCALE", 0.0), ("PAIR", (2, 5.0)), ("inner", abs)):
        before = capture.identity(of_names)
        monkeypatch.setattr(helpers, name, value)
        assert capture.identity(of_names) != before
        hash(capture.identity(of_names))


def test_identities_see_code_closures_and_new_globals(monkeypatch):
    limit = 3

    def of_closure(x):
        return min(x, limit)

    seen = [capture.identity(of_closure)]
    limit = 4
    seen.append(capture.identity(of_closure))
    monkeypatch.setitem(globals(), "min", max)  # a built-in until then
    seen.append(capture.identity(of_closure))
    of_closure.__code__ = (lambda x: x + limit).__code__
    seen.append(capture.identity(of_closure))
    assert len(set(seen)) == 4
    limit = 4.0
    assert capture.identity(of_closure) != seen[3]


def test_identities_of_functions_that_are_gone_are_dropped(monkeypatch):
    monkeypatch.setattr(capture, "_MOST_KNOWN", 50)
    for _ in range(120):
        capture.identity(lambda x: x)
    assert 0 < len(capture._known) <= 50


def test_entries_are_whole_or_absent(tmp_path, monkeypatch):
    def fails(*_):
        raise OSError("disk full")

    path = tmp_path / "entry.py"
    cache.write(path, b"first")
    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="disk full"):
        cache.write(path, b"second")
    assert path.read_bytes() == b"first"


def test_keys_depend_on_parts_and_sources(monkeypatch):
    keys = {cache.key("a", "b", packages=("numpy",)), cache.key("ab", packages=("numpy",))}
    keys.add(cache.key("a", "b", packages=("numpy", "numba")))
    monkeypatch.setattr(cache, "_own_sources", lambda: "other")
    keys.add(cache.key("a", "b", packages=("numpy",)))
    assert len(keys) == 4


def test_the_folder_is_the_one_named(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path / "here"))
    assert Path(cache.directory("cpu")) == tmp_path / "here" / "cpu"
    assert (tmp_path / "here" / "cpu").is_dir()
