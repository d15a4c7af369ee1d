"""The ``minigr`` command itself: version, help, both ways in, and what start-up imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest


def test_version(call):
    result = call("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("minigr, version ")


def test_help_of_run_lists_every_algorithm(call):
    from minigr.cli.algorithms import ALGORITHMS

    shown = " ".join(call("run", "--help").stdout.split())
    for algorithm in ALGORITHMS.values():
        assert f"{algorithm.name} {algorithm.summary}" in shown


def test_python_dash_m_reports_errors_through_its_exit_code():
    command = [sys.executable, "-m", "minigr", "info", "missing.mtx"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 1
    assert finished.stderr.startswith("Error: ")
    assert "missing.mtx" in finished.stderr


def test_exit_codes(call, unweighted, monkeypatch):
    """Those of the docs: done, a request that can't be served, a wrong command line, an interruption."""
    assert call("info", unweighted).exit_code == 0
    assert call("info", "missing.mtx").exit_code == 1
    assert call("info", unweighted, "--jason").exit_code == 2
    monkeypatch.setattr("minigr.cli.loading.Reading.load", interrupt)
    stopped = call("info", unweighted)
    assert stopped.exit_code == 130
    assert (stopped.stdout, stopped.stderr) == ("", "interrupted\n")


def interrupt(*_, **__):
    raise KeyboardInterrupt


def test_an_extra_that_is_missing_is_one_line(call, monkeypatch, tmp_path):
    table = tmp_path / "edges.parquet"
    table.touch()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = call("info", table)
    assert result.exit_code == 1
    assert result.stderr == "Error: reading Parquet needs pyarrow: pip install 'minigr[parquet]'\n"


def test_the_command_line_starts_without_the_heavy_libraries():
    heavy = {"numba", "cupy", "pandas", "scipy", "rich"}
    code = f"import sys, minigr.cli; print(sorted({heavy!r} & set(sys.modules)))"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"


# The command, with a line that says that an interruption is now told in a line and no longer ends the imports.
TOLD = """
import signal
from minigr.__main__ import program
signal.signal(signal.SIGINT, signal.default_int_handler)
print("begun", flush=True)
program()
"""

# The command, with Ctrl-C while a class that an import makes names its attributes.
WHILE_A_CLASS_IS_MADE = """
import minigr.cli
from minigr.__main__ import program

class Name:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

def main(prog_name):
    class Named:
        name = Name()

minigr.cli.main = main
program()
"""


def test_an_interruption_while_a_class_is_made():
    command = [sys.executable, "-c", WHILE_A_CLASS_IS_MADE]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stderr) == (130, "interrupted\n")


def until_interrupted(arguments, ready, seconds=60):
    """Exit code, the last line on standard error, and how long a process takes to end once Ctrl-C comes.

    `ready` waits for the moment, given the process.
    """
    command = [sys.executable, "-c", TOLD, *map(str, arguments)]
    environment = {**os.environ, "MINIGR_DEVICE": "cpu"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            ready(process)
            begun = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=seconds)
        finally:
            process.kill()
    return process.returncode, told.splitlines()[-1:], time.monotonic() - begun


def lines(count):
    """A moment: when a process has printed so many lines."""
    return lambda process: [process.stdout.readline() for _ in range(count)]


def test_an_interrupted_stream_ends(tmp_path):
    path = tmp_path / "mail.txt"
    path.write_text("".join(f"{i % 7} {i % 5} {i}\n" for i in range(100_000)))
    arguments = ["stream", path, "--batch", 1, "--window", 9, "--answers", "components", "--csv", "-"]
    code, last, seconds = until_interrupted(arguments, lines(50))
    assert (code, last) == (130, ["interrupted"])
    assert seconds < 10


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_reading_that_waits_is_interrupted(tmp_path):
    """Nobody writes into the pipe, so that opening it never ends, as on a disk that hangs."""
    os.mkfifo(tmp_path / "pipe.txt")
    code, last, seconds = until_interrupted(["info", tmp_path / "pipe.txt"], lambda process: time.sleep(1))
    assert (code, last) == (130, ["interrupted"])
    assert seconds < 10


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_an_interrupted_batch_does_not_wait_for_its_readers(tmp_path):
    """The second file never ends, as on a disk that hangs."""
    import networkx as nx

    import minigr as mg

    mg.batch.write(mg.GraphBatch.from_graphs([nx.path_graph(4)], device="cpu"), tmp_path / "one.npz")
    os.mkfifo(tmp_path / "two.npz")
    output = tmp_path / "out.csv"
    arguments = ["batch", "components", tmp_path / "one.npz", tmp_path / "two.npz", "-o", output, "--csv", "-"]
    code, last, seconds = until_interrupted(arguments, lines(2))
    assert (code, last) == (130, ["interrupted"])
    assert seconds < 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.npz", "two.npz"]


@pytest.mark.parametrize("arguments", [["run", "bfs", "roads", "--repeat", "100000000"]])
@pytest.mark.parametrize("moment", [0.2, 1, 3])
def test_an_interrupted_run_ends(arguments, moment):
    code, last, seconds = until_interrupted(arguments, lambda process: time.sleep(moment))
    assert (code, last) == (130, ["interrupted"])
    assert seconds < 20  # compiling hears it when a function is done
