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


@pytest.mark.parametrize(
    ("out", "options", "message"),
    [
        ("a.parquet", (), "there is no writer for this format"),
        ("a.xyz", (), "the extension '.xyz' is unknown"),
        ("a.mtx", ("--at-once", "100000"), "--at-once is for a .minigr folder"),
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
    assert "is the file to be read" in " ".join(result.stderr.split())
