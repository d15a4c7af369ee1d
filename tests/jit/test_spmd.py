"""Teams of threads: whatever ends a run, no thread of it is left behind, and the next run is whole."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

import minigr as mg
from minigr.errors import DeviceError, FunctorError
from minigr.jit import pool, spmd
from minigr.jit.native import entry
from tests.alarms import alarms
from tests.jit.helpers import own_entry

ROOT = Path(__file__).resolve().parents[2]
unix = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Python has timers with signals on Unix only")


@own_entry
def count(rank, size, sync, rounds, counts):
    """Each thread adds to its own word and meets the others, `rounds` times."""
    for _ in range(rounds):
        counts[rank] += 1
        spmd.barrier(sync, size)


@own_entry
def one_divides(rank, size, sync, step, counts):
    """The last thread raises if `step` is zero, the others wait for it."""
    for i in range(0, 8, step if rank == size - 1 else 1):
        counts[rank] += i
    spmd.barrier(sync, size)


class Interrupted(ValueError):
    """What a signal handler raises here: of a kind that compiled code raises, too."""


@pytest.fixture
def interrupts():
    """Call it with seconds to have a signal soon whose handler raises, and with 0 to have none."""
    with alarms(Interrupted) as start:
        yield start


def test_teams_of_all_sizes_follow_each_other_at_once_and_after_a_rest():
    draw = random.Random(7)
    for _ in range(300):
        size = draw.choice((1, 2, 3, 4, 5, 8, 16))
        counts = np.zeros(size, np.int64)
        spmd.run_team(count, size, 3, counts)
        assert (counts == 3).all()
        if draw.random() < 0.1:
            time.sleep(0.01)  # long enough for all threads to fall asleep


@unix
@pytest.mark.parametrize("size", [2, 5])
def test_no_thread_is_left_when_a_signal_handler_raises(size, interrupts):
    draw = random.Random(size)
    spmd.run_team(count, size, 1, np.zeros(size, np.int64))
    begun = time.perf_counter()
    spmd.run_team(count, size, 50, np.zeros(size, np.int64))
    took, times = time.perf_counter() - begun, 0
    for _ in range(600):
        counts = np.zeros(size, np.int64)
        try:
            try:
                interrupts(max(1e-6, draw.random() * 1.5 * took))
                spmd.run_team(count, size, 50, counts)
            finally:
                interrupts(0)
        except Interrupted:  # as it was raised, not as an error of a functor
            times += 1
            left = counts.copy()
            time.sleep(0.0002)
            assert (counts == left).all()  # nobody is at it still
        whole = np.zeros(size, np.int64)
        spmd.run_team(count, size, 3, whole)
        assert (whole == 3).all()
    assert times


@unix
def test_a_second_interrupt_does_not_leave_threads_behind_either():
    """A storm of signals: one comes while the threads of the interrupted team are waited for."""
    code = """
import signal
import numpy as np
from tests.jit.test_spmd import count
from minigr.jit.spmd import run_team
run_team(count, 3, 1, np.zeros(3, np.int64))
class Stop(Exception):
    pass
times = stops = 0
def handler(number, frame):
    global times
    times += 1
    while frame is not None and frame.f_code is not run_team.__code__:
        frame = frame.f_back
    start_timer()
    if frame is not None:
        raise Stop
def start_timer():  # once, by each handler: an interval timer outruns handlers of a slow machine, and they nest
    signal.setitimer(signal.ITIMER_REAL, 1e-4)
signal.signal(signal.SIGALRM, handler)
start_timer()
while times < 3000:
    try:
        run_team(count, 3, 20, np.zeros(3, np.int64))
    except Stop:
        stops += 1
signal.signal(signal.SIGALRM, signal.SIG_IGN)
whole = np.zeros(3, np.int64)
run_team(count, 3, 7, whole)
print(whole.tolist(), stops > 500)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, timeout=120, capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n")[0] == "[7, 7, 7] True", done.stderr


def test_an_error_in_one_thread_ends_all_and_is_what_the_user_gets():
    for size in (1, 2, 4):
        for _ in range(3):
            with pytest.raises(FunctorError, match="raised ValueError: range"):
                spmd.run_team(one_divides, size, 0, np.zeros(size, np.int64))
            counts = np.zeros(size, np.int64)
            spmd.run_team(one_divides, size, 4, counts)
            assert counts[-1] == 4


def test_threads_that_can_not_be_started_are_told_of_and_hang_nobody(monkeypatch):
    size = spmd._pool._threads + 3

    def refuse(*arguments):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(pool._thread, "start_new_thread", refuse)
        with pytest.raises(DeviceError, match=rf"team of {size} threads can't run.*MINIGR_NUM_THREADS"):
            spmd.run_team(count, size, 3, np.zeros(size, np.int64))
    counts = np.zeros(size, np.int64)
    spmd.run_team(count, size, 3, counts)
    assert (counts == 3).all()


def test_a_team_larger_than_any_is_refused():
    with pytest.raises(DeviceError, match=r"team of 10000000 threads can't run.*MINIGR_NUM_THREADS"):
        spmd.run_team(count, 10_000_000, 3, np.zeros(1, np.int64))


def run_python(code, timeout=60):
    environment = {**os.environ, "MINIGR_NUM_THREADS": "2", "PYTHONPATH": str(ROOT)}
    begin = "import os, sys, threading, time\nimport minigr as mg\ngraph = mg.generate.rmat(12, device='cpu')\n"
    return subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", begin + code],
        env=environment, timeout=timeout, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("daemon", [True, False])
def test_the_interpreter_ends_while_another_thread_runs_teams(daemon):
    code = f"""
mg.bfs(graph, 0)
def run():
    for _ in range(200):
        mg.bfs(graph, 0)
    print("done")
threading.Thread(target=run, daemon={daemon}).start()
time.sleep(0.005)
"""
    done = run_python(code)
    assert (done.returncode, done.stderr) == (0, "")
    assert daemon or done.stdout == "done\n"


FORKS = """
expected = mg.bfs(graph, 0).depth
E = graph.to_edges()[:2]
stop = threading.Event()
def busy():
    while not stop.is_set():
        mg.Graph.from_edges(*E, directed=True, device="cpu").in_edges()
        mg.bfs(graph, 0)
others = [threading.Thread(target=busy) for _ in range(3)]
for other in others:
    other.start()
children = []
for _ in range(20):
    time.sleep(0.01)
    child = os.fork()
    if child == 0:
        again = mg.Graph.from_edges(*E, directed=True, device="cpu")
        again.in_edges(), again.num_self_loops
        os._exit(0 if (mg.bfs(graph, 0).depth == expected).all() else 3)
    children.append(child)
stop.set()
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
for other in others:
    other.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Python has os.fork on Unix only")
def test_children_forked_while_other_threads_build_graphs_and_run():
    assert run_python(FORKS).stdout == f"{[0] * 20}\n"


def has_numba_compile(i):
    return round(i / 4, 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Python has os.fork on Unix only")
@pytest.mark.parametrize("lock", [entry._compiling, global_compiler_lock], ids=["minigr's", "Numba's"])
def test_a_child_forked_while_another_thread_compiles_can_compile(lock, tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path))
    held, go_on = threading.Event(), threading.Event()

    def compile_slowly():
        with lock:
            held.set()
            go_on.wait()

    compiling = threading.Thread(target=compile_slowly)
    compiling.start()
    held.wait()
    threading.Timer(0.1, go_on.set).start()
    child = os.fork()  # waits until the other thread is done
    if child == 0:
        signal.alarm(30)
        found = mg.primitives.transform(has_numba_compile, count=3, device="cpu")
        os._exit(0 if found.tolist() == [0, 0.2, 0.5] else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    compiling.join()


FORKS_AND_COMPILES = """
def run(count):
    for number in range(count):  # functions that nothing else compiles, and that Numba has to
        function = eval(f"lambda i: round(i / 4, 1) + {number}")
        assert mg.primitives.transform(function, count=3, device="cpu").tolist() == [number, number + 0.2, number + 0.5]
compiling = threading.Thread(target=run, args=(8,))
compiling.start()
found = []
while compiling.is_alive():
    child = os.fork()
    if child == 0:
        os._exit(0)
    found.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    time.sleep(0.005)
print(len(found) > 10, set(found))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Python has os.fork on Unix only")
def test_forks_while_another_thread_compiles_hang_nobody(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path))
    assert run_python(FORKS_AND_COMPILES).stdout == "True {0}\n"


def test_the_command_line_tells_a_wrong_number_of_threads_in_a_line():
    environment = {**os.environ, "MINIGR_NUM_THREADS": "abc", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "minigr", "run", "bfs", "wordnet"],
        env=environment, timeout=60, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["Error: MINIGR_NUM_THREADS='abc': give a whole number of at least 1"]
    assert mg.__version__
