"""benchmarks/measure.py: what it lists, and what becomes of commands that end well, fail or take too long."""

import importlib
import sys
from pathlib import Path

import pytest

from minigr.bench import document
from tests.docs.test_commands import check

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.delitem(sys.modules, "measure", raising=False)
    return importlib.import_module("measure")


def test_every_command_is_one_that_there_is(script):
    files = {graph: f"{graph}.npz" for graph in script.GRAPHS} | {script.SPACE: "folder"}
    for wanted in script.MEASUREMENTS.values():
        assert set(wanted.graphs) <= set(script.GRAPHS)
        program, *words = wanted.command.format(**files).split()
        if program == "minigr":
            check([*words, "--json", "out.json"])
        else:
            assert (ROOT / words[0]).is_file()
    for recipe in script.GRAPHS.values():
        check(["generate", *recipe.command.format(out="out.npz").split()])


def test_the_list_has_every_file(script):
    told = script.listed()
    assert all(f"\n{name}: " in f"\n{told}" for name in [*script.MEASUREMENTS, *script.GRAPHS])


def test_what_fails_or_takes_too_long_stops_nothing(script, monkeypatch, tmp_path):
    recipe = script.Recipe("rmat 5 {out} --weights 1 9", 1)
    monkeypatch.setattr(script, "GRAPHS", {"tiny": recipe, "wrong": script.Recipe("rmat {out}", 1)})
    options = "--apps bfs --peers none --repeat 1"
    wanted = {
        "bad": script.Measurement(f"minigr bench apps {{wrong}} {options}", 1),
        "long": script.Measurement(f"minigr bench apps {{tiny}} {options}", 10**6),
        "good": script.Measurement(f"minigr bench apps {{tiny}} {options}", 1),
    }
    monkeypatch.setattr(script, "MEASUREMENTS", wanted)
    (tmp_path / "2030-01-02-box-bad.json").write_text("an older one")
    machine = script.Machine(tmp_path / "graphs", "cpu", 1000)
    became = script.measure_all(list(wanted), machine, tmp_path, "2030-01-02-box")
    assert became.keys() == {"bad", "long"}
    assert became["bad"].startswith("failed with exit code 2: ")
    assert "rmat" in became["bad"]
    assert became["long"].startswith("left out: about 1000001 s, and ")
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["2030-01-02-box-good.json"]
    rows = document.read(tmp_path / "2030-01-02-box-good.json")["rows"]
    assert [row["key"]["graph"] for row in rows] == ["tiny"]
    assert machine.missing(["tiny", "wrong"]) == ["wrong"]


def test_the_end_of_the_budget_interrupts_what_runs(script, tmp_path):
    text = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    time.sleep(600)
except KeyboardInterrupt:
    open(sys.argv[1], "w").close()
"""
    machine, kept = script.Machine(tmp_path, "cpu", 3), tmp_path / "kept"
    with pytest.raises(script.Interrupted):
        machine.run([sys.executable, "-S", "-c", text, str(kept)])
    assert kept.exists()


def test_names_that_there_are_not(script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["measure.py", "apps", "apsp"])
    with pytest.raises(SystemExit):
        script.main()
    assert "apsp is not among what can be measured: see --list" in capsys.readouterr().err
