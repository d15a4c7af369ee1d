"""First calls of fresh processes: which there are, which caches each gets, and what a process tells of itself."""

import builtins
import json
from pathlib import Path

import pytest

import minigr as mg
from minigr.bench import start, start_cases, start_programs
from minigr.bench.first_call import Imports
from minigr.cli.algorithms import ALGORITHMS
from minigr.errors import MeasurementError
from minigr.jit.capture import digest


def test_every_algorithm_of_the_command_line_has_a_first_call():
    assert [name for name in start.GROUPS["apps"] if name in ALGORITHMS] == list(ALGORITHMS)


def test_names_and_groups_choose_each_case_once():
    assert start.choose(["process", "rmat", "graphs"])[0][:3] == ["run-bfs", "rmat", "from-edges"]
    everything, left_out = start.choose([])
    assert sorted([*everything, *left_out]) == sorted([*start.CASES, "run-bfs"])


def test_a_case_whose_package_is_missing_is_left_out_with_the_reason(monkeypatch):
    monkeypatch.setattr(start, "installed", lambda package: None if package == "networkx" else "1")
    chosen, left_out = start.choose(["from-scipy", "from-networkx"])
    assert chosen == ["from-scipy"]
    assert left_out == {"from-networkx": "networkx is not installed"}


def test_cold_processes_start_with_empty_caches_and_warm_ones_with_what_the_last_cold_one_left(monkeypatch):
    seen = []

    def process(command, caches):
        case = json.loads(command[-1])["case"]
        seen.append((case, {file.name for folder in caches.values() for file in Path(folder).iterdir()}))
        for folder in caches.values():
            Path(folder, f"{case} {len(seen)}").touch()
        figures = {"ms": float(len(seen)), "cpu_ms": 1.0, "imports_ms": 0.5}
        return {"before": {"ms": 7.0, "imports_ms": 6.0}, "calls": {"first": figures, "second": figures}}, {}

    monkeypatch.setattr(start, "_process", process)
    told, rows = [], []
    start.measure_start(["bfs", "rmat"], "wordnet", "cpu", 2, 2, rows, told.append)
    kept, made = {"bfs 3"}, {"rmat 4"}
    assert seen == [
        *[("bfs", set()), ("rmat", set())] * 2,
        *[("bfs", kept), ("rmat", made)],
        *[("bfs", kept | {"bfs 5"}), ("rmat", made | {"rmat 6"})],
    ]
    assert [(row["key"]["group"], *list(row["key"].values())[1:3], row["samples"]) for row in rows] == [
        ("apps", "first", "cold", [1, 3]),
        ("apps", "first", "warm", [5, 7]),
        ("apps", "second", "cold", [1, 3]),
        ("apps", "second", "warm", [5, 7]),
        ("graphs", "first", "cold", [2, 4]),
        ("graphs", "first", "warm", [6, 8]),
        ("graphs", "second", "cold", [2, 4]),
        ("graphs", "second", "warm", [6, 8]),
    ]
    assert (rows[0]["before_ms"], rows[0]["imports_before_ms"], rows[0]["imports_ms"]) == (7, 6, 0.5)
    assert told[-1] == "rmat, warm start, process 4 of 4"


def test_a_process_that_fails_says_why():
    with pytest.raises(MeasurementError, match="KeyError: 'nothing'"):
        start._calls({"case": "nothing", "device": "cpu", "folder": "."}, {})


def test_imports_are_counted_once_with_all_that_they_import_and_nothing_else_is(tmp_path, monkeypatch):
    (tmp_path / "outer_of_imports.py").write_text("import time\nimport inner_of_imports\ntime.sleep(0.02)\n")
    (tmp_path / "inner_of_imports.py").write_text("import time\ntime.sleep(0.02)\n")
    monkeypatch.syspath_prepend(tmp_path)
    imports, original = Imports(), builtins.__import__
    with imports.counted():
        start.time.sleep(0.05)
        builtins.__import__("outer_of_imports")  # as the statement does

        first = imports.ms
        builtins.__import__("inner_of_imports")
    assert first >= 40
    assert imports.ms - first < 10
    assert builtins.__import__ is original


@pytest.mark.parametrize("name", [name for name, case in start.CASES.items() if case.group == start.GRAPHS])
def test_graphs_that_are_made_are_those_that_were_meant(name, device, tmp_path):
    case = start.CASES[name]
    if case.package:
        pytest.importorskip(case.package)
    start_cases.write_files(tmp_path)
    found = case.calls[name](case.prepare(device, tmp_path))
    expected = start_cases.graph(device, weighted=True)
    if name == "rmat":
        assert found.num_vertices == expected.num_vertices
    elif name == "to-scipy":
        assert found.nnz == expected.num_arcs
    elif name == "to-networkx":
        assert found.number_of_edges() == expected.num_edges
    else:
        assert (found.num_vertices, found.weighted) == (expected.num_vertices, True)
        assert found.num_arcs == (expected.num_edges if name == "from-scipy" else expected.num_arcs)


@pytest.mark.parametrize(
    ("make", "operators"),
    [(start_programs.one_operator, 1), (start_programs.three_operators, 3), (start_programs.six_operators, 6)],
)
def test_programs_have_so_many_operators_and_an_edit_is_of_one_functor(make, operators):
    graph = start_cases.graph("cpu", weighted=True)
    whole, edited = (make(edited)(graph).record(mg.Frontier.of(0)) for edited in (False, True))
    assert len(whole.nodes) == len(edited.nodes) == operators

    def functions(plan):
        return [{name: digest(bound.function) for name, bound in node.functions.items()} for node in plan.nodes]

    before, after = functions(whole), functions(edited)
    assert [list(each) for each in before] == [list(each) for each in after]
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


def test_a_program_finds_the_hops(device):
    graph = start_cases.graph(device)
    for edited in (False, True):
        program = start_programs.one_operator(edited)(graph)
        program.run(0)
        assert (program.problem.hops == mg.bfs(graph, 0).depth).all()
