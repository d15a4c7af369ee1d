"""bootstrap.py: what can be checked without making an environment."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, whose environment would be in a temporary folder."""
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ENVIRONMENT", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / "stamp.json")
    return module


@pytest.fixture
def commands(bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that the script runs, recorded instead of run; each of them succeeds."""
    recorded: list[list[str]] = []

    def record(command: list[str], **_options: object) -> object:
        recorded.append(command)
        return type("Finished", (), {"returncode": 0})()

    monkeypatch.setattr(bootstrap.subprocess, "run", record)
    return recorded


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


def test_a_changed_project_is_installed_again(bootstrap, commands, monkeypatch):
    bootstrap.install("dev")
    monkeypatch.setattr(bootstrap, "fingerprint", lambda: "another")
    bootstrap.install("")
    assert commands[-1][-1] == str(ROOT)


def test_a_failed_environment_names_the_remedy(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap.subprocess, "run", lambda *_arguments, **_options: type("", (), {"returncode": 1})())
    with pytest.raises(SystemExit, match="install python3-venv"):
        bootstrap.install("dev")
    assert not bootstrap.STAMP.exists()


def test_a_failing_command_passes_its_exit_code_on(bootstrap, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap.subprocess, "run", lambda *_arguments, **_options: type("", (), {"returncode": 7})())
    with pytest.raises(SystemExit) as failed:
        bootstrap.run_module("pytest")
    assert failed.value.code == 7
    assert "python -m pytest" in capsys.readouterr().err
