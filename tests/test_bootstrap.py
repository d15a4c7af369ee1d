"""Tests of bootstrap.py that make no environment."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, with its environment in a temporary folder."""
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ENVIRONMENT", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "stamp.json")
    return module


@pytest.fixture
def commands(bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of the script, which are recorded instead of run; each of them succeeds."""
    recorded: list[list[str]] = []

    def record(command: list[str], **_options: object) -> CompletedProcess[str]:
        recorded.append(command)
        bootstrap.ENVIRONMENT.mkdir(exist_ok=True)
        return CompletedProcess(command, 0)

    monkeypatch.setattr(bootstrap.subprocess, "run", record)
    return recorded


def fail_with(code: int) -> Callable[..., CompletedProcess[str]]:
    """A replacement for `subprocess.run` whose commands all fail."""
    return lambda command, **_options: CompletedProcess(command, code)


@pytest.mark.parametrize("version", [(3, 10, 0), (3, 14, 1), (4, 0, 0)])
def test_versions_that_minigr_runs_on(bootstrap, version):
    bootstrap.check_version(version)


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 9, 20)])
def test_an_older_python_is_refused_by_name(bootstrap, version):
    with pytest.raises(SystemExit, match=r"needs Python 3\.10 or newer and this is {}\.{}\.{}".format(*version)):
        bootstrap.check_version(version)


def test_arguments_after_test_go_to_pytest(bootstrap):
    assert bootstrap.parse(["test", "-k", "bfs", "--durations=3"]) == ("test", ["-k", "bfs", "--durations=3"])
    assert bootstrap.parse(["demo"]) == ("demo", [])


@pytest.mark.parametrize("arguments", [[], ["deploy"], ["demo", "--fast"]])
def test_a_wrong_command_line_is_refused(bootstrap, arguments, capsys):
    with pytest.raises(SystemExit) as refused:
        bootstrap.parse(arguments)
    assert refused.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_every_task_has_commands_and_an_extra(bootstrap):
    assert set(bootstrap.COMMANDS) == set(bootstrap.EXTRAS)


def test_the_environment_is_made_once_and_extras_add_up(bootstrap, commands):
    bootstrap.install("dev")
    assert commands[0][:3] == [sys.executable, "-m", "venv"]
    assert commands[1][-1] == f"{ROOT}[dev]"
    bootstrap.install("dev")
    assert len(commands) == 2
    bootstrap.install("docs")
    assert commands[2][-1] == f"{ROOT}[dev,docs]"
    assert len(commands) == 3


def test_several_extras_are_installed_at_once(bootstrap, commands):
    bootstrap.install("dev", "cuda13")
    assert commands[1][-1] == f"{ROOT}[cuda13,dev]"
    bootstrap.install("cuda13")
    assert len(commands) == 2


def test_a_changed_project_is_installed_again(bootstrap, commands, monkeypatch, tmp_path):
    bootstrap.install("dev")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]")
    bootstrap.install("")
    assert commands[2:] == [[*commands[1][:-1], str(tmp_path)]]


def test_another_python_gets_a_new_environment(bootstrap, commands, monkeypatch):
    bootstrap.install("dev")
    monkeypatch.setattr(sys, "version", "3.99.0")
    bootstrap.install("")
    assert commands[2] == commands[0]
    assert commands[3][-1] == str(ROOT)


def test_an_environment_of_another_maker_is_left_alone(bootstrap, commands):
    bootstrap.ENVIRONMENT.mkdir()
    with pytest.raises(SystemExit, match="did not make it"):
        bootstrap.install("")
    assert commands == []


def test_a_failed_environment_names_the_remedy_and_leaves_nothing(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap.subprocess, "run", fail_with(1))
    with pytest.raises(SystemExit, match="python3-venv"):
        bootstrap.install("dev")
    assert not bootstrap.ENVIRONMENT.exists()
    assert not bootstrap.STAMP.exists()


def test_a_failed_install_is_tried_again(bootstrap, commands, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(bootstrap, "run_module", lambda *_command: sys.exit(1))
        with pytest.raises(SystemExit):
            bootstrap.install("dev")
    assert len(commands) == 1
    bootstrap.install("dev")
    assert commands[1][-1] == f"{ROOT}[dev]"


def test_a_failing_command_passes_its_exit_code_on(bootstrap, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap.subprocess, "run", fail_with(7))
    with pytest.raises(SystemExit) as failed:
        bootstrap.run_module("pytest")
    assert failed.value.code == 7
    assert "python -m pytest" in capsys.readouterr().err
