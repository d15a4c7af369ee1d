"""Files that are read as one graph in parts: the graph is that on one device, whichever process reads which rows."""

import gzip
from functools import partial

import numpy as np
import pytest

import minigr as mg
from minigr.errors import EstimateError, FormatError, GraphError, PartError
from minigr.io import contents, in_parts
from minigr.io.many import files_of
from minigr.io.shares import portions_of
from minigr.memory import estimate
from tests.partitioned.test_graph import same
from tests.partitioned.threads import in_processes

GRAPHS = {
    "undirected": mg.generate.rmat(8, 6, seed=2, weights=(1, 99), device="cpu"),
    "directed": mg.generate.rmat(8, 6, seed=3, directed=True, device="cpu"),
}
OPTIONS = [{}, {"directed": True}, {"directed": False}, {"weights": False}, {"relabel": True}]


def text_of(graph, separator=" "):
    columns = [array.tolist() for array in graph.to_edges() if array is not None]
    return "".join(separator.join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


def read_by(count, path, **options):
    """The graph that processes read, as each of them sees it; or the errors that they raise."""
    return in_processes(count, lambda exchange: gathered(path, exchange, options))


def gathered(path, exchange, options):
    graph = mg.read(path, devices=exchange, **options)
    with exchange.together():
        return graph.gather()


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(in_parts, "AT_ONCE", 300)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("suffix", [".txt", ".csv", ".txt.gz", ".mtx", ".npz", ".minigr"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_file(tmp_path, devices, name, suffix, options):
    path = tmp_path / f"graph{suffix}"
    mg.write(GRAPHS[name], path)
    wanted = mg.read(path, device="cpu", **options)
    for count in (1, 3):
        assert same(mg.read(path, devices=devices(count), deal="hash", **options).gather(), wanted)
    for found in read_by(3, path, **options):
        assert same(found, wanted)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_processes_share_the_lines_of_a_text(tmp_path, count, ends):
    rows = text_of(GRAPHS["undirected"]).replace("\n", f" # {'.' * 30}\n", 50).rstrip("\n")
    path = tmp_path / "graph.txt"
    path.write_bytes(f"# a comment\n\n{rows}".replace("\n", ends).encode())
    wanted = mg.read(path, device="cpu")
    for found in read_by(count, path):
        assert same(found, wanted)


def test_each_row_is_read_by_one_process(tmp_path):
    path = tmp_path / "few.txt"
    for text in ("0 1", "0 1\n1 2\n", "# x\n0 1\n1 2\n2 3\n30000 4\n"):
        path.write_text(text)
        for count in range(1, len(text) + 3):
            portions = [each for process in range(count) for each in portions_of(files_of(path), None, process, count)]
            rows = []
            for portion in portions:
                read = in_parts.edges_of(path, None, contents.Options(span=portion.span)).read()
                rows += [pair for edges in read for pair in zip(edges.src.tolist(), edges.dst.tolist(), strict=True)]
            assert rows == [tuple(map(int, row.split())) for row in text.splitlines() if row[0] != "#"]


@pytest.mark.parametrize("directed", [False, True])
def test_parallel_edges_stay_in_the_order_of_the_file(tmp_path, monkeypatch, directed):
    monkeypatch.setattr(in_parts, "AT_ONCE", 1)
    for number in range(4):  # each file is a piece
        rows = [f"{each % 3} {each % 2} {number}{each}\n" for each in range(50)]
        (tmp_path / f"{number}.txt").write_text("".join(rows))
    wanted = mg.read(tmp_path, directed=directed, device="cpu")
    for found in read_by(2, tmp_path, directed=directed):
        assert same(found, wanted)


def test_a_folder_of_files(tmp_path, devices):
    rows = text_of(GRAPHS["undirected"]).splitlines(keepends=True)
    (tmp_path / "a.txt").write_text("".join(rows[:700]))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress("".join(rows[700:710]).encode()))
    (tmp_path / "c.csv").write_text("src,dst,weight\n" + "".join(rows[710:]).replace(" ", ","))
    (tmp_path / "d.csv").write_text("src,dst,weight\n")
    wanted = mg.read(tmp_path, device="cpu")
    for count in (1, 2, 3, 4):
        assert same(mg.read(tmp_path, devices=devices(count)).gather(), wanted)
    for count in (2, 3, 5):
        for found in read_by(count, tmp_path):
            assert same(found, wanted)
    for found in read_by(2, [tmp_path / "c.csv", tmp_path / "a.txt"], weight_dtype="float64", num_vertices=500):
        assert found.weight_dtype == np.float64
        assert found.num_vertices == 500


def test_parquet_by_groups_of_rows(tmp_path):
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    src, dst, weights = GRAPHS["directed"].to_edges()[0], GRAPHS["directed"].to_edges()[1], np.arange(1000, dtype="i2")
    frame = pandas.DataFrame({"src": src, "dst": dst, "weight": np.resize(weights, len(src))})
    frame[:500].to_parquet(tmp_path / "a.parquet", row_group_size=70)
    frame[500:].to_parquet(tmp_path / "b.parquet", row_group_size=1000)
    wanted = mg.read(tmp_path, directed=True, device="cpu")
    for count in (1, 2, 5):
        for found in read_by(count, tmp_path, directed=True):
            assert same(found, wanted)
    shares = [portions_of(files_of(tmp_path / "a.parquet"), None, process, 3) for process in range(3)]
    lengths = [
        sum(len(edges.src) for edges in in_parts.edges_of(each.path, None, contents.Options(span=each.span)).read())
        for (each,) in shares
    ]
    assert sum(lengths) == 500
    assert max(lengths) <= 210


def test_a_folder_that_is_mapped(tmp_path, devices):
    path = tmp_path / "graph.minigr"
    mg.write(GRAPHS["undirected"], path)
    assert same(mg.read(path, devices=devices(2), mmap=True).gather(), GRAPHS["undirected"])
    for found in read_by(2, path, mmap=True):
        assert same(found, GRAPHS["undirected"])


@pytest.mark.parametrize("weights", [[7, 2**40], [7, 8.5], [2**31, -1], [1, 2]], ids=str)
def test_weights_get_the_dtype_that_all_of_them_need(tmp_path, weights):
    rows = [f"{v} {v + 1} {weights[v > 90]}\n" for v in range(100)]
    (tmp_path / "a.txt").write_text("".join(rows))
    wanted = mg.read(tmp_path / "a.txt", device="cpu")
    for found in read_by(3, tmp_path / "a.txt"):
        assert same(found, wanted)


def test_ids_that_are_too_large_at_first(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "ALWAYS_ALLOWED", 10)
    rows = "0 900\n" + "".join(f"{v} {v + 1}\n" for v in range(100))
    (tmp_path / "a.txt").write_text(rows)
    wanted = mg.read(tmp_path / "a.txt", device="cpu")
    assert all(same(found, wanted) for found in read_by(3, tmp_path / "a.txt"))
    (tmp_path / "a.txt").write_text(rows.replace("900", "90000000"))
    for found in read_by(2, tmp_path / "a.txt"):
        assert isinstance(found, FormatError)
        assert "a.txt: 90,000,001 vertices are too many for 101 edges" in str(found)


WRONG = {  # name of a file: (text, class of the error, message)
    "c.txt": ("0 1\n" * 99 + "1 x\n" + "0 1\n" * 99, FormatError, r"c\.txt:100: .*'x' is not a vertex id"),
    "d.txt": ("0 1 5\n", FormatError, r"d\.txt: has weights, unlike a\.txt"),
    "e.txt": ("", FormatError, r"e\.txt: the file is empty"),
    "f.graph": ("2 1\n2\n1\n", FormatError, r"f\.graph: holds a whole graph"),
    "g.xyz": ("0 1\n", FormatError, r"extension '\.xyz' is unknown"),
    "h.txt": ("0 1\n" * 50 + "0 99\n", FormatError, r"h\.txt: dst of edge \d+ is 99, but ids are between 0 and 8"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("count", [1, 3])
def test_an_error_names_the_file(tmp_path, name, count):
    text, kind, says = WRONG[name]
    (tmp_path / "a.txt").write_text("0 1\n" * 20)
    (tmp_path / name).write_text(text)
    found = read_by(count, tmp_path, num_vertices=9)
    assert all(isinstance(each, (kind, PartError)) for each in found)
    own = [each for each in found if isinstance(each, kind)]
    assert own
    with pytest.raises(kind, match=says):
        raise own[0]
    for each in found:
        if isinstance(each, PartError):
            with pytest.raises(PartError, match=r"part \d of 3 failed: .*" + says):
                raise each


def test_an_edge_that_is_counted_from_within_a_file(tmp_path):
    (tmp_path / "a.txt").write_text("0 1 1\n" * 99 + "0 1 1.5\n")
    found = read_by(2, tmp_path / "a.txt", weight_dtype="int32")
    with pytest.raises(
        FormatError, match=r"a\.txt: the weight 1\.5 of edge 48 can't be stored as int32.*counted from byte 301 on"
    ):
        raise found[1]


def test_files_that_are_not_the_same_everywhere(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "x.txt").write_text("0 1\n")
    (tmp_path / "b" / "x.txt").write_text("0 1\n1 2\n")
    places = [tmp_path / "a", tmp_path / "a", tmp_path / "b"]
    for found in in_processes(3, lambda exchange: gathered(places[exchange.local[0]], exchange, {})):
        assert "process 2 sees x.txt of 8 bytes, and process 0 x.txt of 4 bytes: give all of them" in str(found)
    places[1] = tmp_path / "nowhere"
    found = in_processes(3, lambda exchange: gathered(places[exchange.local[0]], exchange, {}))
    assert [type(each) for each in found] == [PartError, FileNotFoundError, PartError]


@pytest.mark.parametrize("rows", [1, 500, 2_000_000])  # the last number needs several blocks
def test_a_file_that_changes_meanwhile(tmp_path, devices, monkeypatch, rows):
    (tmp_path / "a.txt").write_text("0 1\n" * 50)
    looked_through = in_parts._looked_through

    def change(*arguments):
        found = looked_through(*arguments)
        (tmp_path / "a.txt").write_text("0 1\n" * rows)
        return found

    monkeypatch.setattr(in_parts, "_looked_through", change)
    with pytest.raises(FormatError, match=r"a\.txt: the file changed while it was read"):
        mg.read(tmp_path / "a.txt", devices=devices(2))


def test_a_bar_is_shown_by_the_first_process(tmp_path, capfd):
    (tmp_path / "a.txt").write_text("0 1\n" * 500)
    (tmp_path / "b.txt").write_text("0 1\n" * 500)
    for count, path in ((1, tmp_path), (1, tmp_path / "a.txt"), (2, tmp_path)):
        read_by(count, path, progress=True)
        assert capfd.readouterr().err == "\n\n"  # without a terminal, a bar leaves one newline for each pass
    read_by(2, tmp_path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"devices": ["cpu"], "device": "cpu"}, GraphError, "leave out device= and arcs="),
        ({"devices": ["cpu"], "arcs": "host"}, GraphError, "leave out device= and arcs="),
        ({"devices": "cpu"}, GraphError, "devices='cpu': give a list"),
        ({"devices": ["cpu"], "deal": "even"}, GraphError, "deal='even'"),
        ({"devices": ["cpu"], "mmap": True}, FormatError, "the format edges can't be mapped"),
        ({"devices": ["cpu"], "weight_dtype": "int8"}, GraphError, "weights can't be int8"),
        ({"devices": ["cpu"], "relabel": True, "num_vertices": 7}, GraphError, "has no meaning"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path, options, error, message):
    (tmp_path / "a.txt").write_text("0 1 4\n")
    with pytest.raises(error, match=message):
        mg.read(tmp_path / "a.txt", **options)


def test_there_is_no_estimate(tmp_path):
    (tmp_path / "a.txt").write_text("0 1\n")
    with pytest.raises(EstimateError, match="no estimate of making a graph in parts"):
        estimate(partial(mg.read, devices=["cpu"]), tmp_path / "a.txt")
