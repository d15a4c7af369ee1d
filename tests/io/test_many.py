"""Several files that are one graph: a folder, or a list."""

import gzip

import numpy as np
import pytest

import minigr as mg
from minigr.errors import FormatError, GraphError
from minigr.io import build, reading
from tests.io.test_folder import same


def text(rows):
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


ROWS = [(3, 1, 5), (0, 1, 2), (1, 0, 7), (0, 1, 1), (4, 4, 9), (2, 3, 6)]


@pytest.fixture
def folder(tmp_path):
    """Parts of `ROWS` in the order of their names, which is not that in which they were made."""
    place = tmp_path / "parts"
    place.mkdir()
    (place / "b.txt.gz").write_bytes(gzip.compress(text(ROWS[2:4]).encode()))
    (place / "a.txt").write_text("# the first\n" + text(ROWS[:2]))
    (place / "c.csv").write_text("dst,src,weight\n" + "".join(f"{v},{u},{w}\n" for u, v, w in ROWS[4:]))
    (place / "_SUCCESS").touch()
    (place / ".hidden").write_text("x")
    return place


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("options", [{}, {"directed": True}, {"weights": False}, {"weight_dtype": "float32"}])
def test_a_folder_is_the_graph_of_all_rows(folder, tmp_path, options, whole, monkeypatch):
    def refuse(*_):
        raise build.Unusual

    (tmp_path / "all.txt").write_text(text(ROWS))
    want = mg.read(tmp_path / "all.txt", device="cpu", **options)
    if whole:
        monkeypatch.setattr(reading, "graph_of_parts", refuse)
    same(mg.read(folder, device="cpu", **options), want)
    same(mg.read(sorted(folder.glob("[a-c].*")), device="cpu", **options), want)
    same(mg.read(str(folder), device="cpu", **options), want)


def test_a_list_has_its_own_order(folder):
    files = [folder / "c.csv", folder / "b.txt.gz"]
    found = mg.read(files, directed=True, device="cpu")
    assert found.weights[found.offsets[0] :].tolist() == [1, 7, 6, 9]
    twice = mg.read([folder / "a.txt"] * 2, directed=True, device="cpu")
    assert twice.to_edges()[2].tolist() == [2, 2, 5, 5]


def test_ids_are_numbered_over_all_files(folder):
    (folder / "a.txt").write_text("1000000000000 5 1\n")
    graph = mg.read(folder, relabel=True, device="cpu")
    assert graph.num_vertices == 7
    assert graph.has_edges([5], [6])[0]


def test_a_folder_becomes_a_mapped_graph(folder, tmp_path):
    mg.convert(folder, tmp_path / "graph.minigr")
    same(mg.read(tmp_path / "graph.minigr", mmap=True), mg.read(folder, device="cpu"))
    with pytest.raises(FormatError, match=r"make a \.minigr folder of them by mg\.convert"):
        mg.read(folder, mmap=True)


@pytest.mark.parametrize("suffix", ["txt", "mtx", "npz"])
def test_what_files_say_of_themselves(tmp_path, suffix):
    draw = np.random.default_rng(1)
    graphs = []
    for number, n in enumerate((30, 50, 40)):
        src, dst = draw.integers(0, n, (2, 60))
        graphs.append(mg.Graph.from_edges(src, dst, np.arange(60.0), num_vertices=n, directed=True, device="cpu"))
        if suffix == "npz":
            ends = graphs[-1].to_edges()
            columns = dict(zip(("src", "dst", "weight"), ends, strict=True))
            np.savez(tmp_path / f"{number}.npz", **columns, n=n, directed=True)
        else:
            mg.write(graphs[-1], tmp_path / f"{number}.{suffix}")
    columns = [np.concatenate(part) for part in zip(*(graph.to_edges() for graph in graphs), strict=True)]
    same(
        mg.read(tmp_path, device="cpu"),
        mg.Graph.from_edges(*columns, num_vertices=50, directed=True, device="cpu"),
    )


def test_the_dtype_that_files_say(tmp_path):
    graph = mg.generate.path(5, device="cpu")
    src, dst, _ = graph.to_edges()
    for number in range(2):
        weights = np.full(len(src), 0.5, np.float32)
        mg.write(mg.Graph.from_edges(src, dst, weights, device="cpu"), tmp_path / f"{number}.mtx")
    assert mg.read(tmp_path, device="cpu").weight_dtype == np.float32


def test_parquet_parts(tmp_path):
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    for number, rows in enumerate((ROWS[:3], ROWS[3:], [])):
        frame = pandas.DataFrame(rows, columns=["src", "dst", "weight"]).astype("int64")
        frame.to_parquet(tmp_path / f"part-{number}.parquet", row_group_size=2)
    found = mg.read(tmp_path, device="cpu")
    same(found, mg.Graph.from_edges(*np.array(ROWS).T, device="cpu"))
    frame.loc[0] = [1, -7, 3]
    frame.to_parquet(tmp_path / "part-2.parquet")
    with pytest.raises(FormatError, match=r"part-2\.parquet: dst of edge 0 is -7"):
        mg.read(tmp_path, device="cpu")


WRONG = {  # name of a file: (text, line, what the message says)
    "d.txt": ("0 1 5\n1 x 5\n", 2, "'x' is not a vertex id"),
    "e.txt": ("0 1\n", None, r"has no weights, unlike a\.txt"),
    "f.txt": ("# minigr: 9 vertices, directed, int32 weights\n0 1 5\n", None, "says that edges are directed, unlike"),
    "g.graph": ("2 1\n2\n1\n", None, "holds a whole graph"),
    "h.gr": ("p sp 3 1\na 1 2 5\n", None, "says that edges are directed"),
    "i.xyz": ("0 1\n", None, "extension '.xyz' is unknown"),
    "j.txt": ("", None, "the file is empty"),
    "k.txt": ("0 1 nan\n", 1, "NaN"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_names_the_file(folder, name):
    content, line, says = WRONG[name]
    (folder / name).write_text(content)
    with pytest.raises(FormatError, match=says) as raised:
        mg.read(folder, device="cpu")
    assert raised.value.line == line
    assert raised.value.path == str(folder / name)


def test_what_is_no_list_of_files(tmp_path, folder):
    for wrong in ([], 5, [folder, 5], {"a"}):
        with pytest.raises((GraphError, FormatError)):
            mg.read(wrong, device="cpu")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="holds no files"):
        mg.read(tmp_path / "empty", device="cpu")
    (folder / "more").mkdir()
    with pytest.raises(FormatError, match="holds the folder 'more'"):
        mg.read(folder, device="cpu")
    with pytest.raises(FileNotFoundError):
        mg.read([tmp_path / "nothing.txt"], device="cpu")


def test_a_bar(folder, capsys):
    assert mg.read(folder, progress=True, device="cpu").num_edges == len(ROWS)
    assert capsys.readouterr().out == ""
