"""Tests that the chosen tests exist, and that each operator has some."""

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.battery import BATTERY
from tests.emulator.choice import CHOICE
from tests.emulator.requirements import missing

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_KERNELS = {"tests/operators/test_frontier.py", "tests/operators/test_options.py"}


@pytest.mark.parametrize("path", CHOICE)
def test_what_is_chosen_exists(path):
    place = ROOT / path
    text = "".join(each.read_text() for each in ([place] if place.is_file() else place.glob("test_*.py")))
    graphs = [name for name, _ in BATTERY]
    for word in set(re.findall(r"[\w+-]+", CHOICE[path])) - {"and", "or", "not"}:
        name = re.sub(r"(\+slabs)?-cuda$", "", word)
        assert any(name in graph for graph in graphs) or re.search(
            rf"def test_?\w*{word.removeprefix('test_')}", text
        ), word


def test_each_operator_is_chosen():
    tests = {str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "operators").glob("test_*.py")}
    assert tests - WITHOUT_KERNELS <= set(CHOICE)


@pytest.mark.parametrize(
    ("module", "name", "found", "message"),
    [
        (platform, "machine", "aarch64", "x86-64 Linux only, and this is .* on aarch64"),
        (shutil, "which", None, "install gcc"),
    ],
)
def test_what_the_machine_lacks(monkeypatch, module, name, found, message):
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(module, name, lambda *_: found)
    assert re.search(message, missing())


def test_without_gcc_tests_are_refused_and_the_choice_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MINIGR_EMULATE", "1")
    run = [sys.executable, "-m", "pytest", "-q", "tests/primitives"]
    refused = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "MINIGR_EMULATE: the emulator " in refused.stdout + refused.stderr
    done = subprocess.run(
        [sys.executable, "-m", "tests.emulator"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("passed over: the emulator ")
