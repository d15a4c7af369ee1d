"""The ``minigr`` command itself: version, help, both ways in, and what start-up imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

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


def interrupt(*_):
    raise KeyboardInterrupt


# As ``python -m minigr``. A shell has what it runs in the background ignore Ctrl-C, and so would all that this starts.
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("minigr", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="this system has no named pipes, by which a process is made to wait"
)
def test_a_signal_interrupts_a_process(tmp_path):
    """Ctrl-C while a graph is read."""
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", INTERRUPTIBLE, "info", pipe]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
        pipe.open("w"),  # opens when the process does, which then waits for a line
    ):
        process.send_signal(signal.SIGINT)
        shown, told = process.communicate(timeout=60)
    assert (process.returncode, shown, told) == (130, "", "interrupted\n")


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
