"""Estimates of the memory that reading a file takes. They read only enough to know the graph's size; see `look`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from minigr.archive import Archive, opened
from minigr.device import Device
from minigr.errors import EstimateError
from minigr.graphs import Graph
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import builder
from minigr.graphs.build_outline import room_to_sort
from minigr.held import with_arrays
from minigr.io import folder, metis, npz
from minigr.io.build import KEPT
from minigr.io.contents import REMEDY, Edges, Options, Rows, graph_of, redirected
from minigr.io.look import Look, largest_id, look_at
from minigr.io.many import Files
from minigr.io.ranks import ALWAYS, SPREAD
from minigr.io.registry import format_of
from minigr.io.sizes import refuse_sparse
from minigr.io.source import BLOCK, largest_content, open_source
from minigr.io.stored import Record, columns_of
from minigr.outline import Ends, Outline

_A_TEXT, _AN_OBJECT, _A_PLACE = 56, 32, 8  # bytes: of a text plus its characters, of a number, of a pointer
_PARSED = 6  # bytes per byte of text rows: the text, and about as much for the columns as short rows take


def read(
    files: Files,
    format: str | None,
    options: Options,
    directed: bool | None,
    weight_dtype: Any,
    device: Device,
    arcs: Literal["device", "host"],
) -> Graph:
    """An outline of the graph in one file or several files, made as `minigr.read` makes the graph.

    Raises
    ------
    EstimateError
        If only reading gives the size of the graph.
    """
    host = device.host
    home = host if arcs == "host" else device
    kinds = [format_of(path, format) for path in files.paths]
    if not files.several and kinds[0] in ("minigr", "npz"):
        contents = (_rows if kinds[0] == "minigr" else _archived)(files.name, options, host)
        named = {"options": options, "directed": directed, "weight_dtype": weight_dtype}
        columns = {} if options.mmap else _columns(files.name, kinds[0], options, host)
        graph = graph_of(contents, files.name, **named, device=home).to(device, arcs=arcs)
        if any(columns.values()) and (
            options.relabel or (isinstance(contents, Rows) and graph.directed != contents.directed)
        ):
            what = "there is no estimate of columns of edges that are turned or of vertices that are numbered by rank"
            raise EstimateError(f"{files.name}: {what}: pass keep=False")
        return graph
    if not files.several and kinds[0] == "graph":
        if options.relabel:
            raise EstimateError("there is no estimate of a METIS file with relabel=True")
        return redirected(_of_lines(files.name, options, weight_dtype, home), directed).to(device, arcs=arcs)
    if options.keep:
        raise EstimateError(f"{files.name}: there is no estimate of the further columns that keep= asks for")
    for path, kind in zip(files.paths, kinds, strict=True):
        if kind in ("minigr", "graph"):
            raise EstimateError(f"{path}: there is no estimate of several files if some of them hold rows")
    seen = _together([look_at(path, kind, options) for path, kind in zip(files.paths, kinds, strict=True)])
    locked = device.is_cuda and arcs == "host"
    graph = _in_parts(seen, files.name, options, directed, weight_dtype, host, locked=locked)
    return redirected(graph, directed).to(device, arcs=arcs)


def _together(looks: list[Look]) -> Look:
    """The joint estimate for several files, which are read one after the other."""
    first, counts = looks[0], [each.vertices for each in looks if each.vertices is not None]
    dtypes = [each.weight_dtype for each in looks if each.weight_dtype is not None]
    return replace(
        first,
        edges=sum(each.edges for each in looks),
        largest=max(each.largest for each in looks),
        vertices=max(counts) if counts else None,
        weight_dtype=np.result_type(*dtypes) if dtypes else None,
        reading=max(each.reading for each in looks),
    )


def _rows(path: Path, options: Options, host: Device) -> Rows:
    """The rows in a folder, which are mapped so that their ends are known."""
    rows = folder.read(path, replace(options, mmap=True, keep=options.mmap and options.keep))
    if options.mmap:
        return rows

    def read_into_memory(array: Any) -> Any:
        return Outline(host, array.shape, array.dtype, values=array)

    return with_arrays(replace(rows, mapped=False), read_into_memory)


def _columns(path: Path, kind: str, options: Options, host: Device) -> dict[str, Any]:
    """Outlines of the columns in a folder or an archive, which hold the memory that reading the columns takes."""
    if kind == "minigr":
        records, arrays = folder.columns_told(path)
        return columns_of(records, lambda name: host.empty(*arrays[name]), path, options, _stored)
    with opened(path) as archive:
        outlines: Any = _Outlines(archive, host)  # used like an archive
        return columns_of(npz.records_of(archive, path), outlines.__getitem__, path, options, _stored)


def _stored(record: Record, parts: dict[str, Outline], _: Path) -> Outline:
    """The outline of a column that is stored in some arrays."""
    if record["kind"] != "objects":
        return parts["values" if record["kind"] == "array" else "stream"]
    host, count = parts["kinds"].device, len(parts["kinds"])
    texts, characters = (len(parts[part]) if part in parts else 0 for part in ("ends", "text"))
    others = sum(len(array) for part, array in parts.items() if part not in ("kinds", "text", "ends"))
    made = host.empty(texts * _A_TEXT + characters + others * _AN_OBJECT + count * _A_PLACE, np.uint8)
    lists = host.empty(characters + texts * (_AN_OBJECT + _A_PLACE) + (texts + others) * _A_PLACE, np.uint8)
    del lists
    return made


def _archived(path: Path, options: Options, host: Device) -> Edges | Rows:
    """The contents of an archive, as `npz` reads it."""
    with opened(path) as archive:
        files = set(archive.files)
        if {"format", "shape", "data"} <= files:
            return _matrix(archive, path, options, host)
        outlines: Any = _Outlines(archive, host)  # used like an archive
        contents = npz.contents(outlines, path, replace(options, keep=False))
        if isinstance(contents, Rows) or contents.num_vertices is not None or options.relabel:
            return contents
        count = options.num_vertices
        return replace(contents, num_vertices=largest_id(archive) + 1 if count is None else count)


def _matrix(archive: Archive, path: Path, options: Options, host: Device) -> Rows:
    """The rows of a matrix that SciPy wrote. Canonical rows take no additional memory."""
    kind = archive.scalar("format")
    if kind not in ("csr", b"csr"):
        raise EstimateError(
            f"{path}: there is no estimate of a SciPy matrix in a format other than CSR: save its tocsr()"
        )
    held = _Outlines(archive, host)
    weights, offsets, indices = held["data"], held["indptr"], held["indices"]
    return Rows(offsets, indices, weights if options.weights else None, directed=True)


class _Outlines:
    """An archive whose arrays are outlines. They are allocated as by `Archive`."""

    def __init__(self, archive: Archive, host: Device) -> None:
        self._archive, self._host = archive, host
        self.files, self.flag, self.scalar = archive.files, archive.flag, archive.scalar

    def __getitem__(self, name: str) -> Outline:
        shape, dtype = self._archive.head(name)
        ends = Ends(0, math.prod(self._archive.head("indices")[0])) if name == "indptr" else None
        data = self._host.empty(math.prod(shape) * dtype.itemsize, np.uint8)
        array = Outline(self._host, shape, dtype, values=ends)
        del data
        return array


def _of_lines(path: Path, options: Options, weight_dtype: Any, device: Any) -> Graph:
    """The graph of a METIS file, with the sizes in its first line."""
    with open_source(path, False) as handle:
        head, _ = metis.head_of(handle, path)
    host, weights = device.host, None
    offsets, ends = host.empty(head.vertices + 1, np.int64), host.empty(2 * head.edges, np.int32)
    if metis.has_weights(head, options):
        weights = host.empty(2 * head.edges, np.int32)
    block = host.empty(_PARSED * min(BLOCK, largest_content(path)), np.uint8)
    del block
    if weights is not None and weight_dtype is not None:
        weights = weights.astype(weight_dtype)
    rows = Adjacency(
        device.asarray(offsets), device.asarray(ends), None if weights is None else device.asarray(weights)
    )
    builder(device).first_unmatched(rows.offsets, rows.indices, rows.weights)
    return Graph(rows, False, device)


def _in_parts(
    seen: Look, path: Path, options: Options, directed: bool | None, weight_dtype: Any, host: Any, *, locked: bool
) -> Graph:
    """The graph as `minigr.io.build` builds it from edges that are read twice; `locked`: with page-locked arcs."""
    reading = [host.empty(seen.reading, np.uint8)]
    count, ranks = options.num_vertices if seen.vertices is None else seen.vertices, None
    if options.relabel:
        ids = _ids(seen, host)
        count, ranks = len(ids), _table_of_ranks(seen, ids)
    elif count is None:
        count = seen.largest + 1
    if options.num_vertices is None:
        refuse_sparse(path, count, seen.edges, REMEDY.format(count))
    if seen.edges * seen.ids.itemsize <= KEPT:  # the parts are kept for the second pass
        reading.append(host.empty(seen.edges * seen.an_edge, np.uint8))
    offsets, is_directed = host.empty(count + 1, np.int64), bool(directed) if seen.directed is None else seen.directed
    arcs = seen.edges * (1 if is_directed else 2)
    indices, weights = Outline(host, arcs, np.int32, locked=locked), None
    if seen.weight_dtype is not None:
        weights = Outline(host, arcs, weight_dtype or seen.weight_dtype, locked=locked)
    reading.clear()
    room_to_sort(count, indices, weights)
    del ranks
    return Graph(Adjacency(offsets, indices, weights), is_directed, host)


def _ids(seen: Look, host: Any) -> Any:
    """The ids as `minigr.io.ranks` finds them. Their number is that of distinct ids drawn evenly up to the largest."""
    most, drawn = seen.largest + 1, 2 * seen.edges
    count = round(-most * math.expm1(-drawn / most)) if most else 0
    empty: Callable[..., Any] = host.empty
    if seen.largest < max(ALWAYS, SPREAD * seen.edges):
        noted = empty(most, np.bool_)
        ids = empty(count, np.int64)
        del noted
        return ids
    each, together = empty(count, np.int64), empty(count, np.int64)
    in_order, differs = together.like(), together.like(np.bool_)
    ids = empty(count, np.int64)
    del each, together, in_order, differs
    return ids


def _table_of_ranks(seen: Look, ids: Any) -> tuple[Any, ...]:
    """The arrays that give the rank of an id."""
    if seen.largest >= SPREAD * len(ids):
        return (ids,)
    table, numbers = ids.like(np.int32, seen.largest + 1), ids.like(np.int32)
    del numbers
    return ids, table
