"""Tests of tests/versions.py: the versions that it chooses, and what it does if a Python is missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests import versions

ROOT = Path(__file__).resolve().parent.parent
HERE = sys.version_info.minor
OTHER = 10 if HERE != 10 else 11


@pytest.fixture
def no_other_python(tmp_path, monkeypatch):
    """A machine whose only Python is the one that runs; return the folder that is its whole path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    return tmp_path


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_the_running_python_is_always_there(no_other_python):
    assert versions.found_pythons() == {HERE: sys.executable}


@pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
def test_a_python_that_does_not_run_is_none(no_other_python):
    program(no_other_python / f"python3.{OTHER}", "exit 127")
    assert OTHER not in versions.found_pythons()
    chosen = no_other_python / "versions" / f"3.{OTHER}.1" / "bin" / "python"
    program(chosen, "exit 0")
    assert versions.found_pythons()[OTHER] == str(chosen)


def test_another_version_under_the_name_is_none(no_other_python):
    assert not versions.works(Path(sys.executable), OTHER)
    assert versions.works(Path(sys.executable), HERE)


def test_the_oldest_versions_go_with_the_oldest_python():
    oldest, newest = versions.cases({10: "a", 12: "b", 13: "c"}, (ROOT / "pyproject.toml").read_text())
    assert (oldest.name, oldest.python, newest.name, newest.python) == ("oldest-3.10", "a", "newest-3.13", "c")
    assert {"numpy", "numba", "pandas", "click", "rich"} == set(oldest.versions)
    assert newest.versions == {}
    both = versions.cases({13: "c"}, (ROOT / "pyproject.toml").read_text())
    assert [case.python for case in both] == ["c", "c"]
    assert both[0].versions["numpy"] == "2.1"  # the first for Python 3.13


def test_tests_that_are_listed_are_there():
    for name in versions.TESTS:
        path, _, function = name.partition("::")
        assert f"def {function.partition('[')[0]}" in (ROOT / path).read_text()


@pytest.mark.parametrize("fails", ["venv", "pip", "pytest", None])
def test_a_command_that_fails_ends_it(fails, monkeypatch, capsys, tmp_path):
    ran = []

    def run(command, **_options):
        ran.append(command[2] if command[1] == "-m" else command[1])
        return CompletedProcess(command, int(ran[-1] == fails), "said\n", "")

    monkeypatch.setattr(versions, "found_pythons", lambda: {HERE: sys.executable})
    monkeypatch.setattr(versions.subprocess, "run", run)
    monkeypatch.setattr(versions, "ENVIRONMENTS", tmp_path)
    if fails:
        with pytest.raises(SystemExit) as failed:
            versions.main()
        assert failed.value.code == 1
    else:
        versions.main()
    commands = ["venv", "pip", "-c", "pytest"]
    assert sorted(ran) == sorted(commands[: commands.index(fails or "pytest") + 1] * 2)
    missing = ", ".join(f"3.{minor}" for minor in versions.SUPPORTED if minor != HERE)
    assert f"not found, and so not tested: Python {missing}\n" in capsys.readouterr().out
