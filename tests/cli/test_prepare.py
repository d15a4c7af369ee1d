"""``minigr prepare``; tests/prepare has what it makes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minigr.jit import cache
from minigr.prepare import machine
from minigr.prepare.machine import Task

# As ``python -m minigr``. A shell has what it runs in the background ignore Ctrl-C, and so would all that this starts.
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("minigr", run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def few(monkeypatch, tmp_path):
    """An empty cache, and one task instead of all."""
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path))
    monkeypatch.setattr(machine, "tasks", lambda target, names: [Task("batch components", "batch")])
    return tmp_path


def test_it_says_what_was_made_and_where(call, few):
    result = call("prepare", "--device", "cpu", "--jobs", 1)
    assert result.exit_code == 0, result.output
    first, second = result.stdout.splitlines()
    assert first.startswith("the CPU: ")
    assert " programs made, 0 were there, in " in first
    assert second.endswith(f" MB in {few}")
    assert " 0 programs made, " in call("prepare", "--device", "cpu").stdout


def test_what_it_cant_do_is_an_error(call, monkeypatch):
    assert call("prepare", "--device", "cpu", "--architecture", 90).exit_code == 2
    monkeypatch.setattr(machine, "architectures_here", lambda: ())
    result = call("prepare", "--device", "cuda")
    assert result.exit_code == 1
    assert "--architecture 90" in result.stderr


def children(process):
    return Path(f"/proc/{process.pid}/task/{process.pid}/children")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not list the children of a process")
def test_ctrl_c_in_a_terminal(tmp_path):
    """All processes get the signal, also the processes that begin. None of them prints a traceback."""
    command = [sys.executable, "-c", INTERRUPTIBLE, "prepare", "--device", "cpu", "--jobs", "2"]
    environment = {**os.environ, cache.DIRECTORY_VARIABLE: str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            while process.poll() is None and len(children(process).read_text().split()) < 3:
                time.sleep(0.01)  # until there are two processes that compile, and one of Python's own
            time.sleep(0.5)  # until they import modules
            os.killpg(process.pid, signal.SIGINT)
            shown, told = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, shown, told) == (130, "", "interrupted\n")
