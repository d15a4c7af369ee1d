"""What the commands print for programs, as JSON and CSV, and tables that fit the terminal."""

from __future__ import annotations

import csv
import io
import json

import pytest

from minigr.cli.console import print_table
from minigr.cli.results import flat


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_json_goes_to_a_file_or_to_standard_output(call, unweighted, tmp_path):
    path = tmp_path / "out.json"
    shown = call("run", "bfs", unweighted, "--json", path)
    assert "reached: 5" in shown.stdout
    assert f"wrote {path}" in shown.stdout.replace("\n", "")
    written = json.loads(path.read_text())
    for arguments in (["run", "bfs", unweighted, "--json", "-"], ["run", "--json", "--source", 3, "bfs", unweighted]):
        printed = call(*arguments)
        assert printed.stderr == ""
        assert json.loads(printed.stdout)["results"][0]["summary"] == written["results"][0]["summary"]


def test_a_row_for_each_algorithm(call, weighted):
    rows = rows_of(call("run", "bfs", "pagerank", weighted, "--repeat", 1, "--csv").stdout)
    assert [row["algorithm"] for row in rows] == ["bfs", "pagerank"]
    assert (rows[0]["reached"], rows[1]["reached"]) == ("5", "")
    assert float(rows[0]["first_ms"]) > 0
    assert float(rows[0]["run_ms"]) > 0
    assert rows[1]["top"].split()[0].startswith("3:0.")
    assert rows[1]["converged"] == "True"


def test_a_row_for_each_property(call, weighted, tmp_path):
    path = tmp_path / "info.csv"
    result = call("info", weighted, "--csv", path, "--json")
    rows = {row["property"]: row["value"] for row in rows_of(path.read_text())}
    assert (rows["vertices"], rows["degree_max"], rows["weight_min"]) == ("6", "3", "0.5")
    assert json.loads(result.stdout)["vertices"] == 6
    assert result.stderr.replace("\n", "") == f"wrote {path}"


def test_bench_prints_its_document(call):
    arguments = ("bench", "primitives", "scan", "--from", 10, "--to", 10, "--repeat", 1)
    result = call(*arguments, "--json", "-")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["bench"] == "primitives"
    assert "scan, beside numpy's cumsum" in result.stderr
    assert "2^10" in result.stderr


def test_bench_compare_prints_its_document(call, tmp_path):
    path = tmp_path / "one.json"
    assert call("bench", "primitives", "scan", "--from", 10, "--to", 10, "--repeat", 1, "--json", path).exit_code == 0
    result = call("bench", "compare", path, path, "--json")
    assert len(json.loads(result.stdout)["comparisons"]) == 3
    assert "after/before" in result.stderr


def test_the_rows_of_a_bench(call, tmp_path):
    path = tmp_path / "one.json"
    call("bench", "primitives", "scan", "--from", 10, "--to", 10, "--repeat", 2, "--json", path)
    result = call("bench", "show", path, "--csv")
    rows = rows_of(result.stdout)
    assert [row["by"] for row in rows] == ["minigr", "numpy", "copy"]
    assert {row["items"] for row in rows} == {"1024"}
    medians = [row["median"] for row in json.loads(path.read_text())["rows"]]
    assert [float(row["median"]) for row in rows] == medians
    assert "samples" not in rows[0]
    assert result.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "bfs", "GRAPH", "--json", "--csv"),
        ("run", "bfs", "--json", "GRAPH"),
        ("info", "GRAPH", "--csv", "out.json"),
        ("info", "GRAPH", "--json", "nowhere/out.json"),
    ],
)
def test_a_place_that_cannot_be_is_refused(call, unweighted, arguments):
    result = call(*(unweighted if argument == "GRAPH" else argument for argument in arguments))
    assert result.exit_code == 2
    assert result.stdout == ""


def test_flat():
    assert flat({"a": 1, "b": {"c": [(1, 0.5), (2, 0.25)], "d": None}}) == {"a": 1, "b_c": "1:0.5 2:0.25", "b_d": None}


# --- tables -----------------------------------------------------------------------------------------------------------

NUMBERS = ["12,345,678", "0.0012346", "9,876,543"]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_tables_fit_and_keep_their_numbers(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    header = ["what is measured", "by", "in all, ms", "for each edge, ms", "edges looked at"]
    print_table(header, [["pagerank-step-single-precision", "minigr, dynamic", 12345678, 0.00123456, 9876543]])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    assert [number for number in NUMBERS if number not in shown] == []
    assert "…" not in shown


def test_a_table_that_is_too_wide_becomes_blocks(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    print_table(["name", "first", "second", "third"], [["a", 1111111, 2222222, 3333333], ["b", 4, None, 6]])
    blocks = capsys.readouterr().out
    assert blocks == (
        "name: a\nfirst: 1,111,111\nsecond: 2,222,222\nthird: 3,333,333\n\nname: b\nfirst: 4\nsecond: -\nthird: 6\n\n"
    )


def test_text_is_folded_not_cut(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    print_table(["property", "value"], [["name", "/a/" + "long/" * 12 + "path.mtx"]])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 40
    folded = "".join(line.split("│")[2].strip() for line in shown.splitlines() if line.startswith("│"))
    assert folded == "/a/" + "long/" * 12 + "path.mtx"


@pytest.mark.parametrize("columns", [60, 100])
def test_the_commands_keep_to_the_width(call, weighted, tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = tmp_path / "mail.txt"
    stream.write_text("0 1 10\n1 2 20\n0 2 30\n")
    bench = tmp_path / "bench.json"
    call("bench", "primitives", "scan", "--from", 10, "--to", 10, "--repeat", 1, "--json", bench)
    for arguments in (
        ("info", weighted),
        ("run", "bfs", "pagerank", weighted, "--repeat", 1, "--trace"),
        ("bench", "show", bench),
        ("stream", stream, "--answers", "triangles,components,bfs"),
    ):
        shown = call(*arguments).stdout.replace(str(tmp_path), "")
        tables = [line for line in shown.splitlines() if line[:1] in "┏┃┡│└"]
        assert all(len(line) <= columns for line in tables)
        assert tables or ": " in shown
