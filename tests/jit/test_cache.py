"""Compiled programs from process to process: found again, told apart, never stale, and never torn or damaged."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from llvmlite import binding
from numba.core import config

from minigr.errors import CacheWarning
from minigr.jit import cache, facts
from minigr.jit.kernel import entry
from minigr.jit.native import machine
from minigr.primitives import cpu, transform
from tests.conftest import ROOT

PROGRAM = """
import sys
import numpy as np
import minigr as mg
from llvmlite.binding import TargetMachine

SCALE = {scale}

class Values(mg.Problem):
    y = mg.vertex_field(np.int64)

class Scaled(mg.Functor):
    def apply(vertex, y):
        y[vertex] = vertex * SCALE

made, emit = [], TargetMachine.emit_object
TargetMachine.emit_object = lambda machine, module: made.append(emit(machine, module)) or made[-1]
problem = Values(mg.generate.path(4, device="cpu"))
mg.operators.compute(problem, mg.Frontier.all_vertices(), Scaled)
print(int(problem.y.sum()), len(made), "numba" in sys.modules)
"""


def start(script, folder, seed="0", arguments=(), package=ROOT):
    environment = {**os.environ, "MINIGR_CACHE_DIR": str(folder), "PYTHONHASHSEED": seed, "PYTHONPATH": str(package)}
    environment.pop("MINIGR_NUM_THREADS", None)
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        env=environment, cwd=folder.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
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
    assert result(start(script, tmp_path / "cache", "3")) == ["12", "0", "False"]  # loads; compiles nothing
    script.write_text(PROGRAM.format(scale=5))
    assert result(start(script, tmp_path / "cache")) == ["30", "1", "False"]  # the program, and no kernels
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


EDITED = """
import minigr as mg
graph = mg.generate.rmat(4, device="cpu")
print(mg.__file__, hash(tuple(graph.out_edges.indices.tolist())))
"""


def test_no_kernel_stands_in_a_folder_whose_edits_are_not_seen():
    """What the cache takes for granted: compiled functions are marked, or are a functor's, whose text is in the key."""
    for folder in cache._NOT_COMPILED:
        files = list((ROOT / "minigr" / folder).rglob("*.py"))
        assert files
        assert not [path for path in files if re.search(r"^\s*@(kernel|entry|inlined)\b", path.read_text(), re.M)]
        assert not list((ROOT / "minigr" / folder).rglob("*.cuh"))


def test_an_edit_of_any_file_with_compiled_code_is_seen(tmp_path):
    """Of one that has nothing but what others call: no `entry` stands in it."""
    script, package = tmp_path / "program.py", tmp_path / "copy"
    script.write_text(EDITED)
    shutil.copytree(ROOT / "minigr", package / "minigr", ignore=shutil.ignore_patterns("__pycache__"))
    file, before = result(start(script, tmp_path / "cache", package=package))
    assert Path(file).is_relative_to(package)
    callee = package / "minigr" / "primitives" / "random_cpu.py"
    text = callee.read_text()
    assert "0x9E3779B97F4A7C15" in text
    callee.write_text(text.replace("0x9E3779B97F4A7C15", "0x9E3779B97F4A7C17"))
    _, after = result(start(script, tmp_path / "cache", package=package))
    assert after != before
    callee.write_text(text)
    assert result(start(script, tmp_path / "cache", package=package)) == [file, before]


# --- in a process -----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of the test's own, of whose faults nothing was said yet."""
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", False)
    return tmp_path / "cache"


def double(x):
    return 2 * x


def run_double():
    """Compile it, or load it from the cache."""
    assert entry(double)(3) == 6


def entries(folder):
    return sorted((folder / "cpu").iterdir())


DAMAGES = {
    "empty": lambda entry: b"",
    "cut short": lambda entry: entry[: len(entry) // 2],
    "within its head": lambda entry: entry[:20],
    "too long": lambda entry: entry + b"x",
    "garbage": lambda entry: b"\x00garbage\xff" * 20,
    "a bit in the middle": lambda entry: flipped(entry, len(entry) // 2),
    "a bit in its head": lambda entry: flipped(entry, 20),
    "without its head": lambda entry: entry[len(cache._MARK) + cache._CHECKSUM :],
}


def flipped(entry, position):
    return entry[:position] + bytes([entry[position] ^ 1]) + entry[position + 1 :]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_counts_as_missing_and_is_replaced(folder, damage):
    run_double()
    (path,) = entries(folder)
    whole = path.read_bytes()
    path.write_bytes(DAMAGES[damage](whole))
    assert path.read_bytes() != whole
    assert cache.read("cpu", path.name) is None
    run_double()
    assert entries(folder) == [path]
    assert cache.read("cpu", path.name) is not None
    run_double()


def test_an_entry_under_the_name_of_another_counts_as_missing(folder):
    cache.write("cpu", "a", b"of a")
    shutil.copy(folder / "cpu" / "a", folder / "cpu" / "b")
    assert (cache.read("cpu", "a"), cache.read("cpu", "b"), cache.read("cuda", "a")) == (b"of a", None, None)


def test_programs_do_without_damaged_entries(tmp_path):
    script, cached = tmp_path / "program.py", tmp_path / "cache"
    script.write_text(PROGRAM.format(scale=2))
    result(start(script, cached))
    for path in cached.rglob("*"):
        if path.is_file():
            path.write_bytes(flipped(path.read_bytes(), path.stat().st_size // 2))
    total, made, _ = result(start(script, cached))
    assert (total, int(made) > 0) == ("12", True)
    assert result(start(script, cached)) == ["12", "0", "False"]


def file_in_its_place(folder):
    folder.write_text("")


def file_above_it(folder):
    folder.symlink_to("/dev/null/cache")


def writable_by_a_group(folder):
    folder.mkdir()
    folder.chmod(0o770)


def writable_by_a_group_within(folder):
    (folder / "cpu").mkdir(parents=True)
    (folder / "cpu").chmod(0o775)


def of_another_user(folder):
    folder.mkdir()
    if os.geteuid() == 0:
        os.chown(folder, 12345, -1)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (file_in_its_place, "can't be used .*exists"),
        (file_above_it, "can't be used"),
        (writable_by_a_group, "other users may write to .*cache, .*chmod go-w"),
        (writable_by_a_group_within, "other users may write to .*cpu, .*chmod go-w"),
        (of_another_user, "user [0-9]+ owns"),
    ],
)
def test_a_folder_that_can_not_be_used_is_told_of_once(folder, monkeypatch, spoil, why):
    spoil(folder)
    if spoil is of_another_user and os.geteuid() != 0:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.warns(CacheWarning, match=f"{folder} .*{why}.*MINIGR_CACHE_DIR") as told:
        run_double()
    assert len(told) == 1
    run_double()  # where a second warning would be an error
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_a_full_disk_is_told_of_and_leaves_no_part_of_an_entry(folder):
    cache.write("cpu", "small", b"x")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.warns(CacheWarning, match=r"can't be written \(.*File too large"):
            run_double()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in entries(folder)] == ["small"]
    run_double()
    assert len(entries(folder)) == 2  # there is room again


def test_a_write_that_fails_leaves_the_entry_that_was_there(folder, monkeypatch):
    def fails(*_):
        raise OSError("disk full")

    cache.write("cpu", "a", b"first")
    monkeypatch.setattr(os, "replace", fails)
    with pytest.warns(CacheWarning, match="disk full"):
        cache.write("cpu", "a", b"second")
    assert cache.read("cpu", "a") == b"first"
    assert [path.name for path in entries(folder)] == ["a"]


def test_the_folder_is_made_for_its_user_alone(folder):
    run_double()
    assert {path.stat().st_mode & 0o777 for path in (folder, folder / "cpu")} == {0o700}


def test_entries_that_were_not_used_for_longest_make_room(folder, monkeypatch):
    for age, name in enumerate("abcd"):
        cache.write("cpu", name, bytes(1000))
        passed = time.time() - (10 - age) * 86400
        os.utime(folder / "cpu" / name, (passed, passed))
    assert cache.read("cpu", "a") is not None  # used today
    monkeypatch.setattr(cache, "MOST_BYTES", 3500)
    cache.write("cpu", "e", bytes(1000))
    assert [path.name for path in entries(folder)] == ["a", "d", "e"]


def test_many_entries_stay_within_the_limit_and_are_seldom_gone_through(folder, monkeypatch):
    looked, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looked.append(path) or scandir(path))
    for number in range(50):
        cache.write("cpu", f"small-{number}", b"x")
    assert not looked
    monkeypatch.setattr(cache, "MOST_BYTES", 8 << 20)
    most = 0
    for number in range(200):
        cache.write("cpu", f"large-{number}", bytes(100_000))
        most = max(most, sum(cache.sizes("cpu").values()))
    assert 8 << 20 < most < 9 << 20
    assert 10 < len(looked) < 100
    assert cache.read("cpu", "large-199") is not None


def test_keys_depend_on_parts_packages_and_settings(monkeypatch):
    def key(*parts, packages=("numpy",)):
        return cache.key(*parts, packages=packages)

    numba = ("numpy", "numba")
    keys = [key("a", "b"), key("ab"), key("a\0b"), key("a", "b", packages=numba)]
    for setting, value in (("BOUNDSCHECK", 1), ("OPT", 1), ("CPU_NAME", "generic"), ("DEBUGINFO_DEFAULT", 1)):
        with monkeypatch.context() as patched:
            patched.setattr(config, setting, value)
            keys.append(key("a", "b", packages=numba))
            assert key("a", "b") == keys[0]  # where Numba made no part, its settings change nothing
    assert len(set(keys)) == 8
    assert key("a", "b", packages=numba) == keys[3]
    monkeypatch.setattr(config, "NUMBA_NUM_THREADS", 1)
    assert key("a", "b", packages=numba) == keys[3]


def test_code_for_another_processor_is_another_entry(folder, monkeypatch):
    run_double()
    with monkeypatch.context() as patched:
        patched.setattr(binding, "get_host_cpu_name", lambda: "another")
        machine.processor.cache_clear()
        run_double()
    machine.processor.cache_clear()
    assert len(entries(folder)) == 2
    run_double()
    assert len(entries(folder)) == 2


def rounded(i):
    return round(i / 4, 1)  # which only Numba compiles


def plain(i):
    return i / 4


@pytest.mark.parametrize(("function", "by_numba"), [(plain, False), (rounded, True)])
def test_settings_of_numba_are_asked_for_where_numba_compiles_a_part(folder, monkeypatch, function, by_numba):
    def run_again():
        cpu._programs.clear()  # as another process
        cpu._returned.clear()
        facts._known.clear()
        assert transform(function, count=2, device="cpu").tolist() == [0, function(1)]
        return set(entries(folder))

    run_again()  # the second call of any function makes what reads arguments, too
    first = run_again()
    assert run_again() == first
    monkeypatch.setattr(config, "OPT", 1)
    other = run_again()
    assert (other > first) == by_numba
    assert (other == first) != by_numba
    monkeypatch.undo()
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(folder))
    assert run_again() == other


def half(i):
    return i // 2


def test_cubins_are_kept_and_damaged_ones_are_replaced(folder):
    pytest.importorskip("cuda.core")
    from minigr.primitives import cuda, programs

    program = programs.transform(half, {}, np.dtype("int32"))
    cubin = cuda.code_of(program, 90).cubin().read_bytes()
    (path,) = (folder / "cuda").iterdir()
    assert cache.read("cuda", path.name) == cubin
    path.write_bytes(flipped(path.read_bytes(), 500))
    whole = cuda.code_of(program, 90).cubin().read_bytes()
    assert whole[:4] == b"\x7fELF"
    assert cache.read("cuda", path.name) == whole
