"""Valid files of every format, and unusual files of the binary formats, for `files` to mutate."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import minigr as mg
from tests.attack import plain_parsers
from tests.attack.mutations import Seed

_TEXT: dict[str, tuple[Any, list[str]]] = {
    "a.txt": (
        plain_parsers.edge_list,
        [
            "0 1\n1 2\n3 1\n",
            "# c\n0\t1\t5\n1\t2\t-6\n4\t2\t7\n",
            "0 1 0.5\n1 2 1e3\n% c\n3 3 -.25\n",
            "# minigr: 5 vertices, directed, float64 weights\n0 1 0.5\n1 2 1.5\n",
            "# minigr: 4 vertices, undirected, int32 weights\n0 1 5\n1 2 6\n",
            "# minigr: 3 vertices, directed, unweighted\n0 1\n1 2\n",
        ],
    ),
    "a.csv": (
        plain_parsers.edge_list,
        ["src,dst,weight\n0,1,5\n1,2,6\n3,1,7\n", "Target,Source,year\n0,1,1999\n2,1,2000\n", "0,1\n2, 1\n"],
    ),
    "a.mtx": (
        plain_parsers.matrix_market,
        [
            "%%MatrixMarket matrix coordinate real general\n% c\n3 3 3\n1 2 5\n3 2 -.5\n2 2 1e2\n",
            "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 1 4\n3 2 6\n",
            "%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n4 4\n",
            "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 3\n3 1 0.5\n",
            "%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2\n0\n",
            "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n0\n0\n3\n0\n",
        ],
    ),
    "a.gr": (
        plain_parsers.dimacs,
        ["c x\np sp 4 3\na 1 2 5\nc y\na 3 2 6\na 4 4 0.5\n", "a 0 2 5\na 1 2 6\n", "p sp 3 0\n"],
    ),
    "pace.gr": (
        None,
        ["SECTION Graph\nNodes 4\nEdges 3\nE 1 2 5\nE 3 2 6\nE 4 4 7\nEND\n\nSECTION Terminals\nT 1\nEND\n\nEOF\n"],
    ),
    "a.graph": (
        plain_parsers.metis,
        [
            "% c\n4 2\n2\n1 3\n2\n\n",
            "3 3 0\n3 2\n% c\n1 3\n2 1\n",
            "3 2 1\n2 7\n1 7 3 8\n2 8\n",
            "3 2 10 2\n9 9 2\n9 9 1 3\n9 9 2\n",
            "2 1 111\n5 9 2 7\n5 9 1 7\n",
        ],
    ),
    "a.graphml": (
        None,
        [
            '<?xml version="1.0"?>\n<graphml>\n<key id="d" for="edge" attr.name="weight" attr.type="double"/>\n'
            '<graph edgedefault="directed">\n<node id="a"/>\n<node id="b"><data key="x">7</data></node>\n'
            '<edge source="a" target="b"><data key="d">2.5</data></edge>\n</graph>\n</graphml>\n',
            '<graphml><graph edgedefault="undirected"><node id="0"/><edge source="0" target="0"/></graph></graphml>',
        ],
    ),
    "a.gml": (
        None,
        [
            'Creator "x"\ngraph [\n  directed 1\n  node [ id 1 label "a" ]\n  node [ id 5 label "b&#38;" ]\n'
            "  edge [ source 5 target 1 value 2.5 ]\n]\n",
            "graph [ node [ id 0 x [ y 1 ] ] # c\n edge [ source 0 target 0 weight 5 ] ]",
        ],
    ),
    "kept.csv": (
        None,
        [
            'src,dst,weight,by,km\n0,1,5,train,1.5\n1,2,6,"a, ""b""",\n3,1,7,# x,nan\n',
            "# c\nby,from,to\nx,0,1\n,1,2\n12,2,3\n",
        ],
    ),
    "timed.txt": (
        plain_parsers.timed,
        ["0 1 30\n1 2 10\n3 1 20\n", "0 1 0.5 30\n1 2 1.5 10.5\n", "src,dst,time\n0,1,5\n1,2,3\n"],
    ),
}
_TU = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "0\n1\n2\n3\n4\n",
    "edge_attributes": "0.5\n0.5\n1\n1\n2\n2\n",
}


@dataclass(frozen=True)
class Kind:
    """Files of one format.

    Attributes
    ----------
    name : str
    folder : Path
        The path that an error must name.
    path : Path
        The path where a file is written.
    seeds : list of Seed
    read : callable
    parse : callable or None
        The plain parser.
    long : float
        The share of files that are read in the way of long files.
    """

    name: str
    folder: Path
    path: Path
    seeds: list[Seed]
    read: Callable[..., Any]
    parse: Callable[[bytes], Any] | None = None
    long: float = 0.0

    def options(self, random: Random) -> dict[str, Any]:
        """Options for a call; in most cases none."""
        if self.read is not _graph or random.random() < 0.85:
            return {}
        return random.choice(({"relabel": True}, {"weights": False}, {"directed": True}, {"num_vertices": 50}))


def kinds(folder: Path) -> list[Kind]:
    """Files of all formats; formats that are read quickly occur several times."""
    text = []
    for name, (parse, texts) in _TEXT.items():
        seeds = [Seed(content.encode()) for content in texts]
        read = {"timed.txt": _timed, "kept.csv": _kept}.get(name, _graph)
        text.append(Kind(name, folder, folder / name, seeds, read, parse, 0.1))
    zipped = [Seed(gzip.compress(content.encode(), mtime=0), text=False) for content in _TEXT["a.txt"][1]]
    binary = [Kind("a.txt.gz", folder, folder / "a.txt.gz", zipped, _graph)]
    binary += _archives(folder) + _tables(folder) + _tu(folder)
    return [*text * 6, *binary]


def _graph(path: Path, **options: Any) -> mg.Graph:
    directed = options.pop("directed", None)
    graph = mg.read(path, device="cpu", progress=False, **options)
    if directed is not None:
        mg.read(path, device="cpu", progress=False, directed=directed)
    return graph


def _kept(path: Path) -> mg.Graph:
    return mg.read(path, device="cpu", progress=False, keep=True)


def _timed(path: Path) -> mg.io.TimedEdges:
    return mg.io.read_timed(path, progress=False)


def _dynamic(path: Path) -> mg.DynamicGraph:
    return mg.DynamicGraph.load(path, device="cpu")


def _batch(path: Path) -> mg.GraphBatch:
    return mg.batch.read(path, device="cpu")


def _archives(folder: Path) -> list[Kind]:
    import scipy.sparse

    graph = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 0.5], directed=True, device="cpu")
    rows = {"indptr": graph.offsets, "indices": graph.indices, "weights": graph.weights, "directed": np.array(True)}
    edges = {"src": np.array([0, 1, 3]), "dst": np.array([1, 2, 4], np.int32), "weight": np.array([1.0, 2, 3])}
    edges["n"] = np.array(5)
    matrices = []
    for kind in ("csr", "csc", "coo", "dia", "bsr"):
        handle = io.BytesIO()
        matrix = getattr(scipy.sparse, f"{kind}_array")(np.diag([1.0, 2, 3]))
        scipy.sparse.save_npz(handle, matrix, compressed=False)
        matrices.append(dict(np.load(io.BytesIO(handle.getvalue()))))
    batch = {"src": np.array([0, 1, 3]), "dst": np.array([1, 2, 4]), "graph_ptr": np.array([0, 3, 5])}
    batch |= {"graph_label": np.array([1, 2]), "weight": np.array([1, 2, 3])}
    together = {"src": np.array([0, 1, 0], np.uint8), "dst": np.array([1, 2, 1], np.uint8), "directed": np.array(False)}
    together |= {"graph_ptr": np.array([0, 3, 5]), "edge_ptr": np.array([0, 2, 3])}
    by_rows = {"indptr": np.array([0, 1, 2, 2]), "indices": np.array([1, 0]), "graph_ptr": np.array([0, 2, 3])}
    saved = folder / "saved.npz"
    mg.DynamicGraph.from_edges([0, 1], [1, 2], [1, 2], num_vertices=6, device="cpu").save(saved)
    mg.write(graph.with_columns(*_COLUMNS), saved.with_stem("columns"))
    times = {"src": np.array([0, 1]), "dst": np.array([1, 2]), "time": np.array([2.0, 1.0])}
    return [
        _archive("a.npz", folder, [rows, edges, *matrices], _graph),
        _archive("batch.npz", folder, [batch, together, by_rows], _batch),
        _archive("dynamic.npz", folder, [dict(np.load(saved))], _dynamic),
        _archive("timed.npz", folder, [times], _timed),
        _archive("columns.npz", folder, [dict(np.load(saved.with_stem("columns")))], _graph),
    ]


def _archive(name: str, folder: Path, right: list[dict[str, Any]], read: Callable[..., Any]) -> Kind:
    """Archives of these arrays, and archives in which one array has another dtype, shape or value."""
    random, seeds = Random(name), [_stored(arrays) for arrays in right]
    for _ in range(150):
        arrays = dict(random.choice(right))
        key = random.choice([key for key, array in arrays.items() if array.dtype.kind in "biuf"])
        arrays[key] = random.choice(_ODD)(arrays[key])
        seeds.append(_stored(arrays, right=False))
    return Kind(name, folder, folder / name, seeds, read)


_COLUMNS: tuple[dict[str, Any], ...] = (
    {"town": ["a", None, "ü", "d"], "age": [1, 2.5, True, None], "since": np.array(["2020"] * 4, "M8[D]")},
    {"kind": pd.Categorical(["x", None, "y"]), "lanes": pd.array([1, None, 3], dtype="Int64")},
)
_ODD: tuple[Callable[[Any], Any], ...] = (
    lambda array: array.astype(np.float32),
    lambda array: array.astype(np.uint64),
    lambda array: array.astype(np.int8),
    lambda array: array.astype(bool),
    lambda array: array.astype("U5"),
    lambda array: array.astype(complex),
    lambda array: np.atleast_1d(array).astype("int64").view("M8[s]"),
    lambda array: np.zeros(array.shape, [("a", "i4"), ("b", "f8")]),
    lambda array: np.array(array.sum()),
    lambda array: array.reshape(-1, 1),
    lambda array: array.ravel()[:-1],
    lambda array: np.append(array, array.ravel()[-1:]),
    lambda array: np.full(array.shape, 2**31 - 1),
    lambda array: np.full(array.shape, 2**63, np.uint64),
    lambda array: np.full(array.shape, -1),
    lambda array: np.full(array.shape, np.nan),
    lambda array: np.full(array.shape, np.inf),
    lambda array: np.array(3.5),
    lambda array: array[..., ::-1].copy() if array.ndim else array,
)


def _stored(arrays: dict[str, Any], right: bool = True) -> Seed:
    """An uncompressed archive with the places of each array's checksum."""
    handle = io.BytesIO()
    np.savez(handle, **arrays)
    content = handle.getvalue()
    members = []
    with zipfile.ZipFile(handle) as archive:
        place = archive.start_dir
        for info in archive.infolist():
            at = info.header_offset
            names = struct.unpack_from("<HH", content, at + 26)
            begin = at + 30 + sum(names)
            members.append(((at + 14, place + 16), begin, begin + info.file_size))
            place += 46 + sum(struct.unpack_from("<HHH", content, place + 28))
    return Seed(content, text=False, right=right, members=tuple(members))


def _tables(folder: Path) -> list[Kind]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def seeds(right: list[dict[str, Any]], odd: list[Any]) -> list[Seed]:
        tables = [dict(columns) for columns in right]
        tables += [{**right[0], name: pa.array(values)} for values in odd for name in right[0]]
        found = []
        for number, columns in enumerate(tables):
            handle = io.BytesIO()
            pq.write_table(pa.table(columns), handle)
            found.append(Seed(handle.getvalue(), text=False, right=number < len(right)))
        return found

    edges = [{"src": [0, 1, 3], "dst": [1, 2, 4], "weight": [1.0, 2.0, 3.0]}, {"source": [0, 1], "target": [1, 2]}]
    batch = [{"src": [[0], [0, 1]], "dst": [[1], [1, 2]], "num_vertices": [2, 4]}, {"src": [[0], []], "dst": [[1], []]}]
    flat = [["a", "b", "c"], [0.5, 1.5, 2.5], [[1], [2], [3]], [0, None, 1], [-1, 0, 2**40], [float("nan")] * 3]
    flat += [np.array([1, 2, 3], "M8[s]"), [True, False, True], np.array([2**63] * 3, np.uint64), [b"x", b"y", b"z"]]
    lists = [["a", "b"], [["a"], ["b", "c"]], [[0.5], [1.5, 2.5]], [[1], None], [[None], [1, 2]], [[2**40], [1, 2]]]
    lists += [[[-1], [0, 1]], [1, 2], [[[1]], [[2]]], [2**40, -1], [0.5, None], [[400000000], [0, 0]]]
    return [
        Kind("a.parquet", folder, folder / "a.parquet", seeds(edges, flat), _graph),
        Kind("batch.parquet", folder, folder / "batch.parquet", seeds(batch, lists), _batch),
    ]


def _tu(folder: Path) -> list[Kind]:
    found = []
    for part, content in _TU.items():
        within = folder / f"TU-{part}"
        within.mkdir()
        for name, text in _TU.items():
            (within / f"SET_{name}.txt").write_text(text)

        def read(path: Path, within: Path = within) -> mg.GraphBatch:
            return _batch(within)

        found.append(Kind(f"TU {part}", within, within / f"SET_{part}.txt", [Seed(content.encode())], read, None, 0.1))
    return found
