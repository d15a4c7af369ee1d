"""``minigr prepare``; tests/prepare has what it makes."""

import pytest

from minigr.jit import cache
from minigr.prepare import machine
from minigr.prepare.machine import Task


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
