"""Streams of graphs: what comes of them is what comes of one batch, and faults are told and left out."""

import threading
from functools import partial

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.batch import loader
from minigr.batch.threads import ending
from minigr.device import CPU, resolve
from minigr.errors import FormatError, GraphError
from tests.batch.sets import SETS, batch_of, weighted


def gathered(stream):
    """Position of each graph to its scores."""
    found = {}
    for part in stream:
        assert len(part.positions) == len(part.batch) == len(part.result)
        assert isinstance(part.result.score, resolve(part.batch.device).xp.ndarray)
        for position, score in zip(part.positions.tolist(), part.result, strict=True):
            assert position not in found
            found[position] = CPU.asarray(score).tolist()
    return found


def expected_of(graphs, device):
    return dict(enumerate(CPU.asarray(score).tolist() for score in mg.batch.closeness(batch_of(graphs, device))))


@pytest.mark.parametrize("limits", [{}, {"max_vertices": 100}, {"max_pairs": 5000}, {"max_vertices": 1}])
def test_a_stream_of_anything(device, tmp_path, limits):
    graphs = SETS["sizes_around_words-undirected"][0]()
    whole = batch_of(graphs, device)
    for i, format in enumerate(("npz", "parquet")):
        mg.batch.write(whole[5 * i + 3 : 5 * i + 8], tmp_path / f"part.{format}")
    elements = (*graphs[:3], tmp_path / "part.npz", str(tmp_path / "part.parquet"), whole[13:15], *graphs[15:])
    stream = mg.batch.map(iter(elements), mg.batch.closeness, device=device, **limits)
    assert gathered(stream) == expected_of(graphs, device)
    assert (stream.faults, stream.done) == ([], len(graphs))


def test_one_file_and_one_batch(device, tmp_path):
    graphs = SETS["shapes-undirected"][0]()
    batch = batch_of(graphs, device)
    mg.batch.write(batch, tmp_path / "set.npz")
    for source in (tmp_path / "set.npz", str(tmp_path / "set.npz"), batch):
        assert gathered(mg.batch.map(source, mg.batch.closeness, device=device)) == expected_of(graphs, device)


def test_limits_hold():
    graphs = [nx.path_graph(n) for n in (5, 5, 30, 3, 3, 3, 3)]
    for source in (graphs, batch_of(graphs, "cpu")):
        parts = list(mg.batch.map(source, mg.batch.closeness, max_vertices=10, device="cpu"))
        assert [part.batch.sizes.tolist() for part in parts] == [[5, 5], [30], [3, 3, 3], [3]]
        parts = list(mg.batch.map(source, mg.batch.closeness, max_pairs=27, device="cpu"))
        assert [part.batch.sizes.tolist() for part in parts] == [[5], [5], [30], [3, 3, 3], [3]]


def test_malformed_graphs_are_told_and_left_out(device):
    good = nx.path_graph(4)
    elements = [good, [(0, -1)], good, "no file.npz", 7, good, nx.DiGraph([(0, 1)]), ([0], [1], [2.0])]
    stream = mg.batch.map(elements, mg.batch.closeness, device=device)
    found = gathered(stream)
    assert list(found) == [0, 2, 4]
    assert len({tuple(score) for score in found.values()}) == 1
    told = [(fault.position, None if fault.path is None else fault.path.name) for fault in stream.faults]
    assert told == [(1, None), (None, "no file.npz"), (3, None), (5, None), (6, None)]
    kinds = [type(fault.error) for fault in stream.faults]
    assert kinds == [GraphError, FileNotFoundError, GraphError, GraphError, GraphError]
    assert stream.done == 7


def test_a_faulty_row_of_a_table(tmp_path, device):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    rows = {"src": [[0], [0], [1], [0]], "dst": [[1], [5], [0], [-1]], "num_vertices": [2, 2, 3, 2]}
    pq.write_table(pa.table(rows), tmp_path / "set.parquet", row_group_size=2)
    good = [nx.path_graph(2)]
    stream = mg.batch.map([*good, tmp_path / "set.parquet", *good], mg.batch.closeness, device=device)
    assert list(gathered(stream)) == [0, 1, 3, 5]
    assert [fault.position for fault in stream.faults] == [2, 4]
    assert "row 1: dst holds 5, but the graph has 2 vertices" in str(stream.faults[0].error)
    assert isinstance(stream.faults[1].error, FormatError)
    assert stream.faults[1].path == tmp_path / "set.parquet"


def test_a_damaged_file_is_told_and_left_out(tmp_path):
    (tmp_path / "bad.npz").write_bytes(b"no archive")
    stream = mg.batch.map([tmp_path / "bad.npz", [(0, 1)]], mg.batch.closeness, device="cpu")
    assert list(gathered(stream)) == [0]
    assert [(fault.position, fault.path) for fault in stream.faults] == [(None, tmp_path / "bad.npz")]


def test_graphs_that_the_algorithm_refuses(device):
    graphs = weighted([nx.path_graph(n) for n in range(2, 40)])
    for bad in (3, 4, 37):
        graphs[bad].edges[0, 1]["weight"] = -1.0
    stream = mg.batch.map(graphs, partial(mg.batch.closeness, weighted=True), weight="weight", device=device)
    assert sorted(gathered(stream)) == sorted(set(range(38)) - {3, 4, 37})
    assert [fault.position for fault in stream.faults] == [3, 4, 37]
    assert all("of at least 0" in str(fault.error) for fault in stream.faults)


def test_a_graph_too_large_for_memory():
    def picky(batch):
        if batch.sizes.max() > 9:
            raise MemoryError("no room")
        return mg.batch.closeness(batch)

    stream = mg.batch.map([nx.path_graph(n) for n in (4, 5, 60, 6)], picky, device="cpu")
    assert list(gathered(stream)) == [0, 1, 3]
    assert [(fault.position, str(fault.error)) for fault in stream.faults] == [(2, "no room")]


def test_files_too_large_for_memory(tmp_path, monkeypatch):
    real = loader.batch_of

    def picky(contents, device):
        if contents.vertex_offsets[-1] > 9:
            raise MemoryError("no room")
        return real(contents, device)

    for format in ("npz", "parquet"):
        mg.batch.write(batch_of([nx.path_graph(n) for n in (4, 60, 5)], "cpu"), tmp_path / f"set.{format}")
    monkeypatch.setattr(loader, "batch_of", picky)
    files = [tmp_path / "set.npz", tmp_path / "set.parquet"]
    stream = mg.batch.map(files, mg.batch.closeness, device="cpu")
    assert list(gathered(stream)) == [0, 2]
    told = [(fault.position, fault.path.name, str(fault.error)) for fault in stream.faults]
    assert told == [(None, "set.npz", "no room"), (1, "set.parquet", "no room")]


def test_loading_goes_on_while_a_batch_is_computed():
    second_was_asked_for = threading.Event()

    def graphs():
        yield [(0, 1)]
        second_was_asked_for.set()
        yield [(0, 1)]

    def algorithm(batch):
        assert second_was_asked_for.wait(20)
        return mg.batch.closeness(batch)

    assert len(gathered(mg.batch.map(graphs(), algorithm, max_vertices=2, device="cpu"))) == 2


def test_no_more_is_loaded_than_a_few_batches():
    asked = []

    def graphs():
        for i in range(50):
            asked.append(i)
            yield [(0, 1)]

    parts = iter(mg.batch.map(graphs(), mg.batch.closeness, max_vertices=2, readers=2, device="cpu"))
    next(parts)
    parts.close()
    assert len(asked) < 9


def test_errors_of_the_stream_itself_and_of_programs_end_it():
    def graphs():
        yield from [[(0, 1)]] * 6
        raise OSError("the network is gone")

    parts = iter(mg.batch.map(graphs(), mg.batch.closeness, max_vertices=1, device="cpu"))
    assert [next(parts).positions.tolist() for _ in range(5)] == [[i] for i in range(5)]
    with pytest.raises(OSError, match="network is gone"):
        next(parts)
    with pytest.raises(ZeroDivisionError):
        list(mg.batch.map([[(0, 1)]], lambda batch: 1 / 0, device="cpu"))
    with pytest.raises(GraphError, match="max_pairs=0"):
        mg.batch.map([], mg.batch.closeness, max_pairs=0)


def test_a_batch_of_graphs_without_edges_has_weights_if_the_stream_has(device):
    weighted, plain = ([0], [1], [2.0]), mg.generate.path(1, device="cpu")
    graphs = [weighted, plain, plain, np.zeros((0, 2), int), weighted]
    stream = mg.batch.map(graphs, partial(mg.batch.closeness, weighted=True), max_vertices=2, device=device)
    assert [part.positions.tolist() for part in stream] == [[0], [1, 2, 3], [4]]
    assert stream.faults == []


def test_what_is_no_stream_and_no_algorithm_is_refused():
    graph = mg.generate.path(3, device="cpu")
    for source in (5, None, graph, graph.to_networkx()):
        with pytest.raises(GraphError, match=r"map: source is a .*: give files or graphs, a single graph in a list"):
            mg.batch.map(source, mg.batch.closeness, device="cpu")
    with pytest.raises(GraphError, match="map: algorithm=5 can't be called"):
        mg.batch.map([graph], 5, device="cpu")


def test_results_in_files(device, tmp_path):
    graphs = SETS["sizes_around_words-undirected"][0]()
    whole, expected = batch_of(graphs, "cpu"), expected_of(graphs, device)
    mg.batch.write(whole[:7], tmp_path / "a.npz")
    mg.batch.write(whole[7:9], tmp_path / "b.parquet")
    mg.batch.write(whole[9:], tmp_path / "c.npz")
    (tmp_path / "bad.npz").write_bytes(b"no archive")
    files = [tmp_path / name for name in ("a.npz", "b.parquet", "bad.npz", "c.npz")]
    output, found = tmp_path / "new" / "found", {}
    stream = mg.batch.map(files, mg.batch.closeness, output=output, max_vertices=200, device=device)
    for part in stream:
        assert len(part.positions)
        with np.load(part.path) as arrays:
            first = {"a": 0, "b": 7, "c": 9}[part.source.stem]
            assert (arrays["graphs"] + first).tolist() == part.positions.tolist()
            assert part.path == output / f"{part.source.stem}-{arrays['graphs'][0]}.npz"
            starts = arrays["vertex_offsets"]
            for i, position in enumerate(part.positions.tolist()):
                found[position] = arrays["score"][starts[i] : starts[i + 1]].tolist()
    assert found == expected
    assert [fault.path.name for fault in stream.faults] == ["bad.npz"]
    assert {path.suffix for path in output.iterdir()} == {".npz"}


def test_results_in_files_leave_out_what_is_refused(tmp_path):
    graphs = weighted([nx.path_graph(n) for n in (3, 4, 5)])
    graphs[0].edges[0, 1]["weight"] = -1.0
    mg.batch.write(batch_of(graphs, "cpu", "weight"), tmp_path / "set.npz")
    algorithm = partial(mg.batch.closeness, weighted=True)
    stream = mg.batch.map(tmp_path / "set.npz", algorithm, output=tmp_path, device="cpu")
    assert [(part.positions.tolist(), part.path.name) for part in stream] == [([1, 2], "set-1.npz")]
    assert [(fault.position, fault.path.name) for fault in stream.faults] == [(0, "set.npz")]


def test_results_in_files_leave_out_a_faulty_row(tmp_path):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    rows = {"src": [[0]] * 4, "dst": [[1], [5], [1], [1]], "num_vertices": [2] * 4}
    pq.write_table(pa.table(rows), tmp_path / "set.parquet")
    stream = mg.batch.map(
        tmp_path / "set.parquet", mg.batch.closeness, max_vertices=2, output=tmp_path / "found", device="cpu"
    )
    found = [(part.positions.tolist(), np.load(part.path)["graphs"].tolist(), part.path.name) for part in stream]
    assert found == [([i], [i], f"set-{i}.npz") for i in (0, 2, 3)]
    assert [fault.position for fault in stream.faults] == [1]


def test_what_results_in_files_are(tmp_path):
    mg.batch.write(batch_of([nx.path_graph(3)], "cpu"), tmp_path / "set.npz")
    run = partial(mg.batch.map, tmp_path / "set.npz", output=tmp_path / "found", device="cpu")
    assert len(list(run(lambda batch: batch.graph.degree()))) == 1
    with np.load(tmp_path / "found" / "set-0.npz") as arrays:
        assert {name: arrays[name].tolist() for name in arrays} == {"graphs": [0], "result": [1, 2, 1]}
    with pytest.raises(GraphError, match="result is a list: have the algorithm return"):
        list(run(lambda batch: [1, 2]))
    with pytest.raises(GraphError, match="holds numbers or texts, but result holds objects: have the algorithm"):
        list(run(lambda batch: np.array(["a", None], object)))
    with pytest.raises(GraphError, match="has a list: leave output= out"):
        list(mg.batch.map([[(0, 1)]], mg.batch.closeness, output=tmp_path, device="cpu"))


def test_a_result_that_could_not_be_written_leaves_nothing(tmp_path, monkeypatch):
    def fails(handle, **arrays):
        handle.write(b"half")
        raise OSError("the disk is full")

    mg.batch.write(batch_of([nx.path_graph(3)], "cpu"), tmp_path / "set.npz")
    monkeypatch.setattr(np, "savez", fails)
    with pytest.raises(OSError, match="disk is full"):
        list(mg.batch.map(tmp_path / "set.npz", mg.batch.closeness, output=tmp_path / "found", device="cpu"))
    assert list((tmp_path / "found").iterdir()) == []


def test_a_file_without_graphs(device, tmp_path):
    mg.batch.write(batch_of([], "cpu"), tmp_path / "none.npz")
    parts = list(mg.batch.map(tmp_path / "none.npz", mg.batch.closeness, output=tmp_path, device=device))
    assert [(len(part.positions), part.path.name) for part in parts] == [(0, "none-0.npz")]


def test_files_are_read_side_by_side(tmp_path, monkeypatch):
    both = threading.Barrier(2, timeout=20)
    real = loader.read_contents

    def read(path, **options):
        both.wait()
        return real(path, **options)

    monkeypatch.setattr(loader, "read_contents", read)
    for i in range(4):
        mg.batch.write(batch_of([nx.path_graph(i + 2)], "cpu"), tmp_path / f"{i}.npz")
    files = [tmp_path / f"{i}.npz" for i in range(4)]
    assert list(gathered(mg.batch.map(files, mg.batch.closeness, readers=2, device="cpu"))) == [0, 1, 2, 3]


def test_progress_and_a_second_time_through():
    graphs, told = [nx.path_graph(4)] * 5, []
    stream = mg.batch.map(graphs, mg.batch.closeness, max_vertices=8, device="cpu", progress=told.append)
    for _ in range(2):
        told.clear()
        assert len(gathered(stream)) == 5
        assert told == [2, 4, 5]


def test_nothing(device):
    assert list(mg.batch.map([], mg.batch.closeness, device=device)) == []
    found = gathered(
        mg.batch.map([mg.GraphBatch.from_graphs([], device=device), []], mg.batch.closeness, device=device)
    )
    assert found == {0: []}


def test_labels_stay_with_their_graphs(device, tmp_path):
    arrays = {"src": np.array([0, 2]), "dst": np.array([1, 3]), "graph_ptr": [0, 2, 4, 5], "graph_label": [7, 8, 9]}
    np.savez(tmp_path / "set.npz", **arrays)
    parts = mg.batch.map(tmp_path / "set.npz", mg.batch.closeness, max_vertices=2, device=device)
    assert [part.batch.graph_labels.tolist() for part in parts] == [[7], [8], [9]]


@pytest.mark.parametrize("name", ["max_vertices", "max_pairs", "readers"])
@pytest.mark.parametrize("value", [float("nan"), 2.5, "4", None, 0, -1])
def test_counts_are_whole_numbers(name, value):
    with pytest.raises(GraphError, match=f"map: {name}.* must be"):
        mg.batch.map([], mg.batch.closeness, device="cpu", **{name: value})


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (["a/x.npz", "b/x.npz"], r"a/x.npz and .*b/x.npz would have the same name"),
        (["a/x.npz", "a/x.parquet"], r"a/x.npz and .*a/x.parquet would have the same name"),
        (["a/x.npz", "a/x.npz"], r"would have the same name"),
        (["found/y.npz", "found/y-0.npz"], r"results of .*found/y.npz may replace .*y-0.npz, which is in the stream"),
        (["found/../found/y-0.npz", "b/y.npz"], r"results of .*b/y.npz may replace .*y-0.npz, which is in the stream"),
    ],
)
def test_results_that_would_replace_each_other_or_a_source(tmp_path, names, complaint):
    paths = [tmp_path / name for name in names]
    for folder in ("a", "b", "found"):
        (tmp_path / folder).mkdir()
    for path in paths:
        mg.batch.write(batch_of([nx.path_graph(3)], "cpu"), path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    for files in (paths, tuple(paths), dict.fromkeys(map(str, paths))):
        if len(files) > 1:
            with pytest.raises(GraphError, match=complaint):
                mg.batch.map(files, mg.batch.closeness, output=tmp_path / "found", device="cpu")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before
    with pytest.raises(GraphError, match=complaint):  # which names an iterator has is known when they come
        list(mg.batch.map(iter(paths), mg.batch.closeness, output=tmp_path / "found", device="cpu"))


def test_names_that_look_alike(tmp_path):
    paths = [tmp_path / name for name in ("y.npz", "y-0.npz", "y-0-0.npz", "y-.npz")]
    for path in paths:
        mg.batch.write(batch_of([nx.path_graph(3)], "cpu"), path)
    parts = list(mg.batch.map(paths, mg.batch.closeness, output=tmp_path / "found", device="cpu"))
    assert len({part.path for part in parts}) == len(list((tmp_path / "found").iterdir())) == 4


def test_a_folder_for_results_that_is_a_file(tmp_path):
    path = tmp_path / "set.npz"
    mg.batch.write(batch_of([nx.path_graph(3)], "cpu"), path)
    before = path.read_bytes()
    for output in (path, path / "found"):
        with pytest.raises(
            GraphError, match=r"output='.*' is a file or leads through a file: give the name of a folder"
        ):
            mg.batch.map(path, mg.batch.closeness, output=output, device="cpu")
    assert path.read_bytes() == before


def threads_of_streams():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("minigr-")]


@pytest.mark.parametrize("where", ["algorithm", "body"])
def test_an_interruption_does_not_wait_for_readers(tmp_path, monkeypatch, where):
    """Ctrl-C while a batch is computed, or what came of it is used, and the next file takes long to read."""
    reading, go_on = threading.Event(), threading.Event()
    real = loader.read_contents

    def read(path, **options):
        if path.name == "slow.npz":
            reading.set()
            assert go_on.wait(60)
        return real(path, **options)

    monkeypatch.setattr(loader, "read_contents", read)
    for name in ("first", "slow"):
        mg.batch.write(batch_of([nx.path_graph(3)], "cpu"), tmp_path / f"{name}.npz")

    def interrupted(*_):
        assert reading.wait(60)
        raise KeyboardInterrupt

    stream = mg.batch.map(
        [tmp_path / "first.npz", tmp_path / "slow.npz"],
        interrupted if where == "algorithm" else mg.batch.closeness,
        device="cpu",
    )

    def use():
        with ending(iter(stream)) as parts:
            for part in parts:
                interrupted(part)

    try:
        with pytest.raises(KeyboardInterrupt):
            use()
        assert threads_of_streams() != []  # nobody waited
    finally:
        go_on.set()
    for thread in threading.enumerate():
        if thread.name.startswith("minigr-"):
            thread.join(60)
    assert threads_of_streams() == []


def test_leaving_early_ends_the_threads(tmp_path):
    for i in range(6):
        mg.batch.write(batch_of([nx.path_graph(i + 2)], "cpu"), tmp_path / f"{i}.npz")
    files = sorted(tmp_path.iterdir())
    for output in (None, tmp_path / "found"):
        for _ in mg.batch.map(files * (1 if output else 5), mg.batch.closeness, output=output, device="cpu"):
            break
        assert threads_of_streams() == []
