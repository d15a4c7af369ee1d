"""`read_named`: a graph and the names of its vertices."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from minigr.device import CPU, Device, resolve
from minigr.errors import FormatError, GraphError
from minigr.graphs.checks import check_arcs
from minigr.io.contents import Edges, Options, as_weight_dtype, graph_of
from minigr.io.registry import NAMED, as_kept, file_of, format_of, is_named, read_contents
from minigr.labels import Labels
from minigr.memory import out_of_memory

if TYPE_CHECKING:
    from minigr.graphs import Graph


@out_of_memory
def read_named(
    path: str | os.PathLike,
    *,
    format: str | None = None,
    directed: bool | None = None,
    weights: bool | str = True,
    weight_dtype: Any = None,
    relabel: bool = False,
    label: str | None = None,
    attributes: bool | Sequence[str] = False,
    device: str | Device | None = None,
    progress: bool | None = None,
    arcs: Literal["device", "host"] = "device",
) -> tuple[Graph, Labels]:
    """Read a graph and the names of its vertices from a GraphML or GML file.

    The graph is the same as from `minigr.read`. Vertices are numbered in the order in which the file first names them.

    Parameters
    ----------
    path : path-like
        A file; ``.gz`` may follow the extension.
    format : {'graphml', 'gml'}, optional
        By default, the format of the extension.
    directed, weights, weight_dtype, device, progress, arcs
        As for `minigr.read`.
    relabel : bool
        If True, vertices without edges are left out, together with their names.
    label : str, optional
        The attribute that holds the names of vertices, or ``"id"``. By default, the id in GraphML, and in GML the
        attribute ``label`` or, if no vertex has a label, the id.
    attributes : bool or sequence of str
        Whether to keep other attributes, or the names of the attributes to keep, as `Graph.vertex_columns` and
        `Graph.edge_columns`. An attribute becomes an array of numbers or bools if all vertices or edges have a number
        or bool; NaN replaces missing real numbers. Other attributes become arrays of objects, with None for missing
        values. By default, other attributes are ignored.

    Returns
    -------
    graph : Graph
    labels : Labels
        The names: text, except ids and numbers in GML, which are whole numbers.

    Raises
    ------
    FormatError
        As for `minigr.read`. Also if the file has another format, if a vertex has no name, or if two vertices have the
        same name.
    OutOfMemoryError, GraphError, DeviceError, OSError
        As for `minigr.read`.

    Notes
    -----
    O(n + m). The names are Python objects of some 100 bytes each.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import minigr as mg
    >>> labels, ends = mg.Labels.number(["ann", "bob"], ["bob", "cleo"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mg.write(mg.Graph.from_edges(*ends, device="cpu"), pathlib.Path(folder, "a.gml"), labels=labels)
    ...     mg.read_named(pathlib.Path(folder, "a.gml"), device="cpu")
    (Graph(3 vertices, 2 edges, undirected, unweighted, cpu), Labels(3: 'ann', 'bob', 'cleo'))
    """
    check_arcs(arcs)
    file, where = file_of(path), resolve(device)
    if not is_named(file, format):
        kind, known = format_of(file, format), " and ".join(NAMED)
        raise FormatError(file, f"vertices have no names in the format {kind}, only in {known}: use mg.read")
    dtype = as_weight_dtype(weight_dtype)
    further: dict[str, Any] = {"keep": as_kept(attributes), "attributes": bool(attributes)}
    options = Options.of(None, weights, relabel=relabel, progress=progress, named=True, label=label, **further)
    contents = read_contents(file, format, options)
    assert isinstance(contents, Edges)  # as the formats with names return them
    try:
        labels = Labels(contents.names)
    except GraphError as error:
        raise FormatError(file, f"{error}; pass label='id' for the names that edges use") from error
    if relabel:
        labels = Labels(labels[contents.ends()])
    asked: dict[str, Any] = {"directed": directed, "weight_dtype": dtype}
    graph = graph_of(contents, file, options=options, **asked, device=CPU if arcs == "host" else where)
    return graph.to(where, arcs=arcs), labels
