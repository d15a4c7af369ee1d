"""The ``minigr`` command itself: version, help, both ways in, and what start-up imports."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_version(call):
    result = call("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("minigr, version ")


@pytest.mark.parametrize("command", [[], ["run"], ["info"], ["generate"], ["generate", "rmat"]])
def test_help(call, command):
    result = call(*command, "--help")
    assert result.exit_code == 0
    assert "Usage:" in result.stdout


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


def test_the_command_line_starts_without_the_heavy_libraries():
    heavy = {"numba", "cupy", "pandas", "scipy", "rich"}
    code = f"import sys, minigr.cli; print(sorted({heavy!r} & set(sys.modules)))"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"
