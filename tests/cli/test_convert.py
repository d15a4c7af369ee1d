"""``minigr convert``: a graph from one file to another."""

from __future__ import annotations

import pytest

import minigr as mg


def test_from_text_to_a_folder_to_a_matrix(call, weighted, tmp_path):
    folder, matrix = tmp_path / "a.minigr", tmp_path / "a.mtx"
    for arguments in ((weighted, folder, "--at-once", "100000"), (folder, matrix, "--mmap")):
        result = call("convert", *arguments)
        assert result.exit_code == 0, result.output
        assert f"wrote {arguments[1]}" in "".join(result.output.splitlines())
    want = mg.read(weighted, device="cpu")
    for path in (folder, matrix):
        found = mg.read(path, device="cpu")
        assert found.indices.tolist() == want.indices.tolist()
        assert found.weights.tolist() == want.weights.tolist()


def test_with_options_for_reading(call, weighted, tmp_path):
    for out in ("a.minigr", "a.npz"):
        assert call("convert", weighted, tmp_path / out, "--directed", "--no-weights", "--relabel").exit_code == 0
        graph = mg.read(tmp_path / out, device="cpu")
        assert graph.directed
        assert not graph.weighted


def test_changes(call, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("0 1 2.0\n1 0 3.0\n0 1 1.0\n2 2 9.0\n3 4 4.0\n4 5 1.0\n")
    for options, edges in (
        (["--to-undirected", "min"], [(0, 1, 1.0), (2, 2, 9.0), (3, 4, 4.0), (4, 5, 1.0)]),
        (["--simplify", "max"], [(0, 1, 2.0), (1, 0, 3.0), (3, 4, 4.0), (4, 5, 1.0)]),
        (["--to-undirected", "each", "--simplify", "sum"], [(0, 1, 6.0), (3, 4, 4.0), (4, 5, 1.0)]),
        (["--largest-component"], [(0, 1, 4.0), (1, 2, 1.0)]),
    ):
        for out in ("a.npz", "a.minigr"):
            result = call("convert", source, tmp_path / out, "--directed", *options)
            assert result.exit_code == 0, result.output
            found = [column.tolist() for column in mg.read(tmp_path / out, device="cpu").to_edges()]
            assert list(zip(*found, strict=True)) == edges


def test_names_go_along(call, tmp_path):
    source, out = tmp_path / "a.gml", tmp_path / "a.graphml.gz"
    nodes = "".join(f'node [ id {v} label "{name}" city "{name * 2}" ]\n' for v, name in enumerate("abcd"))
    source.write_text(f"graph [ {nodes} edge [ source 1 target 3 miles 2.5 weight 1 ] ]")
    for options, names, weight in (
        ([], "abcd", 1),
        (["--attribute", "miles", "--label", "city"], ["aa", "bb", "cc", "dd"], 2.5),
        (["--largest-component", "--weights"], "bd", 1),
        (["--relabel"], "bd", 1),
    ):
        result = call("convert", source, out, *options)
        assert result.exit_code == 0, result.output
        graph, labels = mg.read_named(out, device="cpu")
        assert list(labels) == list(names)
        assert graph.weights.tolist() == [weight, weight]
    assert call("convert", source, tmp_path / "a.mtx", "--attribute", "miles").exit_code == 0
    assert mg.read(tmp_path / "a.mtx", device="cpu").weights.tolist() == [2.5, 2.5]


def test_columns_go_along(call, tmp_path):
    table, tables = tmp_path / "a.csv", ("a.npz", "a.minigr", "a.graphml", "a.gml")
    table.write_text("src,dst,km,by\n2,0,1.5,train\n1,2,2.5,\n")
    for out in tables:
        for options, found in ((["--keep", "all"], ["km", "by"]), (["--keep", "by"], ["by"]), ([], [])):
            result = call("convert", table, tmp_path / out, *options)
            assert result.exit_code == 0, result.output
            graph = mg.read(tmp_path / out, keep=True, device="cpu")
            assert list(graph.edge_columns) == found
    graph = mg.read(table, keep=True, device="cpu").with_columns({"town": ["Ayr", None, "Bude"]})
    for start in tables:
        mg.write(graph, tmp_path / start)
        for end in ("b.npz", "b.minigr", "b.graphml", "b.gml"):
            result = call("convert", tmp_path / start, tmp_path / end, "--largest-component")
            assert result.exit_code == 0, result.output
            assert "columns town, km, by" in " ".join(result.output.split())
            again = mg.read(tmp_path / end, keep=True, device="cpu")
            assert again.vertex_columns["town"].tolist() == ["Ayr", None, "Bude"]
            assert again.edge_columns["km"].tolist() == [1.5, 2.5]
        assert call("convert", tmp_path / start, tmp_path / "b.npz", "--keep", "none").exit_code == 0
        assert not mg.read(tmp_path / "b.npz", device="cpu").vertex_columns
        assert call("convert", tmp_path / start, tmp_path / "b.mtx").exit_code == 0
    assert "all from and to GraphML, GML, .npz and .minigr" in " ".join(call("convert", "--help").output.split())


def test_weights_that_are_not_wanted_do_not_become_attributes(call, tmp_path):
    for name in ("a.graphml", "a.gml"):
        mg.write(mg.Graph.from_edges([0], [1], [2.5], device="cpu"), tmp_path / name)
        assert call("convert", tmp_path / name, tmp_path / f"b{name}", "--no-weights").exit_code == 0
        assert not mg.read(tmp_path / f"b{name}", device="cpu").weighted


@pytest.mark.parametrize(
    ("out", "options", "message"),
    [
        ("a.mtx", ("--keep", "all"), "--keep needs OUT in one of the formats graphml, gml, npz, minigr"),
        ("a.npz", ("--keep", "km"), "--keep names 'km', but the further columns are none"),
        ("a.graph", (), "there is no writer for this format"),
        ("a.xyz", (), "a.xyz ends in '.xyz': use one of .txt, .el"),
        ("a.mtx", ("--at-once", "100000"), "--at-once needs an OUT that ends in .minigr"),
        ("a.minigr", ("--at-once", "100000", "--simplify", "sum"), "or changes of the graph"),
        ("a.gml", ("--label", "city"), "--label needs both files in GraphML or GML"),
        ("a.minigr", ("--label", "city"), "--label needs both files in GraphML or GML"),
        ("a.npz", ("--attribute", "miles"), "has no attributes of edges, such as 'miles'"),
        ("a.npz", ("--attribute", "miles", "--no-weights"), "give one of them"),
        ("a.npz", ("--simplify", "mean"), "'mean' is not one of 'sum', 'min'"),
        ("missing/a.minigr", (), "missing"),
    ],
)
def test_bad_input_is_one_clear_line(call, weighted, tmp_path, out, options, message):
    result = call("convert", weighted, tmp_path / out, *options)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_the_file_to_be_read_is_not_replaced(call, weighted):
    result = call("convert", weighted, weighted)
    assert result.exit_code == 2
    assert f"OUT {weighted} is the file to be read" in " ".join(result.stderr.split())


def test_a_folder_to_be_read_is_not_changed(call, weighted, tmp_path):
    stored, parts = tmp_path / "a.minigr", tmp_path / "parts"
    assert call("convert", weighted, stored).exit_code == 0
    parts.mkdir()
    (parts / "0.csv").write_text("0,1\n")
    before = {file: file.read_bytes() for folder in (stored, parts) for file in folder.iterdir()}
    for arguments in (
        ("convert", stored, stored, "--simplify", "sum"),
        ("convert", parts, parts / "0.csv"),
        ("convert", parts, parts / "1.csv"),
        ("run", "bfs", parts, "--output", parts / "0.csv"),
        ("info", stored, "--json", stored / "head.json"),
    ):
        result = call(*arguments)
        assert result.exit_code == 2
        assert "would replace or join the files to be read in the folder" in " ".join(result.stderr.split())
    assert before == {file: file.read_bytes() for folder in (stored, parts) for file in folder.iterdir()}
