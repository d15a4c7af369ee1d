"""``minigr generate``: each kind is written, readable and what was asked for."""

from __future__ import annotations

import pytest

import minigr as mg
from tests.batch.sets import same_batch


@pytest.mark.parametrize(
    ("arguments", "vertices", "edges"),
    [
        (["path", 5], 5, 4),
        (["star", 5], 5, 4),
        (["complete", 5], 5, 10),
        (["cycle", 5], 5, 5),
        (["path", 1], 1, 0),
        (["lattice", 4, 3], 12, 17),
        (["delaunay", 3], 3, 3),
    ],
)
@pytest.mark.parametrize("ending", ["npz", "mtx"])
def test_fixed_shapes(call, call_json, tmp_path, arguments, vertices, edges, ending):
    path = tmp_path / f"graph.{ending}"
    result = call("generate", *arguments, path)
    assert result.exit_code == 0, result.output
    assert f"{vertices:,} vertices, {edges:,} edges" in result.stdout
    document = call_json("info", path)
    assert (document["vertices"], document["edges"], document["directed"]) == (vertices, edges, False)


@pytest.mark.parametrize(
    ("arguments", "vertices"),
    [
        (["rmat", 6, "--edge-factor", 4, "--a", 0.5, "--b", 0.2, "--c", 0.2], 64),
        (["uniform", 50, 200], 50),
        (["random-geometric", 100, "--mean-degree", 6], 100),
        (["lattice", 10, 10, "--keep", 0.5], 100),
        (["delaunay", 100], 100),
    ],
)
def test_random_kinds_take_weights_and_repeat_by_seed(call, call_json, tmp_path, arguments, vertices):
    def generate(name, seed):
        path = tmp_path / name
        result = call("generate", *arguments, path, "--weights", 2, 30, "--weight-dtype", "int32", "--seed", seed)
        assert result.exit_code == 0, result.output
        return path

    first, again, other = generate("first.npz", 1), generate("again.npz", 1), generate("other.npz", 2)
    document = call_json("info", first)
    assert document["vertices"] == vertices
    assert document["edges"] > 0
    assert document["simple"] is True
    assert document["weight"]["dtype"] == "int32"
    assert 2 <= document["weight"]["min"] <= document["weight"]["max"] <= 30
    matrices = [mg.read(path, device="cpu").to_scipy() for path in (first, again, other)]
    assert (matrices[0] != matrices[1]).nnz == 0
    assert (matrices[0] != matrices[2]).nnz > 0


@pytest.mark.parametrize("format", ["npz", "parquet"])
def test_a_batch_in_one_file(call, tmp_path, format):
    path = tmp_path / f"set.{format}"
    result = call("generate", "batch", 7, path, "--seed", 3, "--first", 2)
    assert result.exit_code == 0, result.output
    expected = mg.generate.batch(7, first=2, seed=3, device="cpu")
    assert f"7 graphs, {expected.num_vertices:,} vertices, {expected.num_edges:,} edges" in result.stdout
    same_batch(mg.batch.read(path, device="cpu"), expected)


def test_a_batch_in_many_files(call, tmp_path):
    result = call("generate", "batch", 7, tmp_path / "set", "--per-file", 4)
    assert result.exit_code == 0, result.output
    assert "2 files, 7 graphs" in result.stdout
    assert sorted(path.name for path in (tmp_path / "set").iterdir()) == ["0.npz", "4.npz"]
    assert call("generate", "batch", 7, tmp_path / "set", "--per-file", 4).exit_code == 0
    assert "ends in ''" in call("generate", "batch", 7, tmp_path / "set").stderr


def test_directed_and_multi(call, call_json, tmp_path):
    path = tmp_path / "graph.npz"
    assert call("generate", "uniform", 20, 600, path, "--directed", "--multi").exit_code == 0
    document = call_json("info", path)
    assert document["directed"] is True
    assert document["simple"] is False
    assert document["edges"] == 600


def test_a_folder_is_replaced_if_it_holds_a_graph(call, tmp_path):
    for vertices in (5, 7):
        assert call("generate", "path", vertices, tmp_path / "graph.minigr").exit_code == 0
        assert mg.read(tmp_path / "graph.minigr", device="cpu").num_vertices == vertices
    for name in ("other.minigr", "other.npz"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kept").touch()
        result = call("generate", "path", 5, tmp_path / name)
        assert result.exit_code in (1, 2)
        assert "this folder holds something else" in result.stderr or "this is a folder" in result.stderr
        assert [file.name for file in (tmp_path / name).iterdir()] == ["kept"]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["path", -1, "OUT"], 2, "-1"),
        (["path", "five", "OUT"], 2, "five"),
        (["rmat", 6], 2, "OUT"),
        (["rmat", 6, "OUT", "--a", "0.9"], 1, "1"),
        (["lattice", 4, 3, "OUT", "--keep", "1.5"], 2, "1.5"),
        (["uniform", 10, 20, "OUT", "--weights", "1"], 2, "--weights"),
        (["uniform", 10, 20, "OUT", "--weights", "5", "1"], 1, "weight"),
        (["path", 5, "OUT", "--weight-dtype", "int64"], 2, "also give --weights"),
        (["uniform", 10, 20, "graph.xlsx"], 2, "graph.xlsx"),
        (["uniform", 10, 20, "graph.gr"], 1, "graph.gr"),
        (["uniform", 0, 5, "OUT"], 1, "num_edges"),
        (["batch", 3, "graphs.mtx"], 2, "graphs.mtx"),
        (["batch", 3, "OUT", "--per-file", 0], 2, "--per-file"),
        (["cube", 3, "OUT"], 2, "cube"),
    ],
)
def test_bad_input_is_one_clear_line(call, tmp_path, arguments, exit_code, message):
    path = tmp_path / "graph.npz"
    result = call("generate", *(path if argument == "OUT" else argument for argument in arguments))
    assert result.exit_code == exit_code, result.output
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert not path.exists()
