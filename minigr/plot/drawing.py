"""A small graph drawn as points and lines, with a result as the color of its vertices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError, MissingExtraError
from minigr.graphs import Graph
from minigr.graphs.given import require_graph
from minigr.plot.figures import COLORS, GRAY, OUTSIDE, literal, live_vertices, look, new_figure

if TYPE_CHECKING:
    from minigr.graphs.dynamic.graph import DynamicGraph

MAX_VERTICES = 2_000
MAX_EDGES = 20_000
MAX_CATEGORIES = 28
"""The number of pairs of a color and a marker; further categories look the same."""
_LOOP = 0.3  # the diameter of a self-loop, if an edge is about 1 long
_TIP, _LENGTH, _WIDTH = 0.66, 0.12, 0.04  # of an arrowhead: its place on the edge, and its size, as shares of the edge


def graph(
    graph: Graph | DynamicGraph,
    values: Any = None,
    *,
    categorical: bool | None = None,
    title: str = "",
    label: str = "",
    labels: bool | Sequence[Any] = False,
    arrows: bool | None = None,
    positions: Any = None,
) -> Any:
    """Draw a small graph, with a result as the color of the vertices.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        A graph of at most 2,000 vertices and 20,000 edges. Parallel edges are drawn as one edge. Vertices that were
        deleted from a DynamicGraph are not drawn.
    values : array or sequence [n], optional
        The value that gives each vertex its color: an array of NumPy, CuPy, pandas or Arrow, or a sequence. A vertex
        whose value is missing, NaN, infinite, or masked by ``numpy.ma`` is a gray cross.
    categorical : bool, optional
        Whether values are names of groups, such as colors, components or communities. Each group then has its own color
        and marker, and the legend gives the number of vertices of each group. Otherwise, the values are quantities with
        a color bar. By default, booleans and text are groups. If there are more than 28 groups, the smallest groups
        share a gray marker.
    title : str
    label : str
        A description of the values, shown beside the color bar or above the legend.
    labels : bool or sequence [n]
        Whether to write the id of each vertex beside the vertex, or the texts to write instead.
    arrows : bool, optional
        Whether edges have arrowheads, slightly past the middle of the edge. By default, only for directed graphs.
    positions : array [n, 2] or mapping of vertices to pairs, optional
        The positions of the vertices, such as a layout of NetworkX. By default, distances in the drawing resemble
        distances in the graph without its directions and weights, and connected components are side by side.

    Returns
    -------
    matplotlib.figure.Figure
        A figure whose axes have these collections: the edges, the arrowheads (if any), the self-loops (if any), and the
        vertices of each group.

    Raises
    ------
    GraphError
        If `graph` is no graph of minigr, or is too large or empty. If the length of an array differs from the number of
        vertices, or if text should be quantities.
    MissingExtraError
        If matplotlib is not installed, or if SciPy is not installed and `positions` is not given.

    Notes
    -----
    The layout takes O(n**3 + 100 n**2) work and O(n**2) memory, and uses no random numbers.

    Examples
    --------
    >>> import minigr as mg
    >>> town = mg.generate.lattice(4, 3, device="cpu")
    >>> figure = mg.plot.graph(town, mg.coloring(town).color, categorical=True, label="color")
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['0: 6', '1: 6']
    """
    require_graph(graph, "plot.graph")
    n = graph.num_vertices
    check_size(graph)
    given = {"values": values, "labels": None if isinstance(labels, bool) else labels, "positions": positions}
    for name, array in given.items():
        if array is not None and (not hasattr(array, "__len__") or getattr(array, "ndim", 1) == 0):
            raise GraphError(f"graph: {name} is of type {type(array).__name__}: give a sequence or an array")
        if array is not None and len(array) != n:
            raise GraphError(f"graph: {name} has length {len(array)}, but there are {n} vertices: give one for each")
    find_places = _layout() if positions is None else None
    static = graph if isinstance(graph, Graph) else graph.to_graph()
    place = np.full((n, 2), np.nan)
    drawn = live_vertices(graph)
    if find_places is not None:
        place[drawn] = find_places(static.to_scipy()[drawn][:, drawn])
    else:
        place[drawn] = _given_places(positions, n)[drawn]

    figure = new_figure(8, 6.5)
    axes = figure.subplots()
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(title)
    _draw_edges(axes, static, place, static.directed if arrows is None else arrows)
    size = float(np.clip(9_000 / n, 8, 160))  # in square points
    if values is None:
        axes.scatter(*place[drawn].T, s=size, color=COLORS[0], zorder=2)
    else:
        held = _on_host(values)
        if held.shape != (n,):
            raise GraphError(f"graph: values has shape {held.shape}: give one number or name for each vertex")
        _draw_values(axes, place[drawn], held[drawn], categorical, size, label)
    if labels is not False and labels is not None:
        for vertex, text in enumerate(range(n) if labels is True else labels):
            if np.isfinite(place[vertex]).all():
                above = {"xytext": (0, 0.5 * size**0.5 + 1), "textcoords": "offset points", "ha": "center"}
                axes.annotate(literal(text), place[vertex], fontsize="x-small", **above)
    return figure


def _on_host(values: Any) -> Any:
    """Values as an array of NumPy, or of ``numpy.ma`` if some are missing; objects that are not numbers are text."""
    if isinstance(values, np.ma.MaskedArray):
        return values
    if hasattr(values, "to_pylist"):  # Arrow
        values = np.fromiter(values.to_pylist(), object, len(values))
    try:
        held = CPU.asarray(values)
    except ValueError as error:  # rows of several lengths
        raise GraphError(
            f"graph: values can't be read as an array: {error}: give one number or name for each vertex"
        ) from error
    if held.dtype.kind != "O" or held.ndim != 1:
        return held
    gone = np.array([_is_missing(value) for value in held], np.bool_)
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in held[~gone]):
        return np.ma.masked_array(np.where(gone, 0, held).tolist(), gone)
    return np.ma.masked_array([str(value) for value in held], gone)


def _is_missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _given_places(positions: Any, n: int) -> Any:
    if isinstance(positions, Mapping):
        missing = next((vertex for vertex in range(n) if vertex not in positions), None)
        if missing is not None:
            raise GraphError(f"graph: positions has no vertex {missing}: its keys are the vertices, from 0 to {n - 1}")
        positions = [positions[vertex] for vertex in range(n)]
    try:
        found = CPU.asarray(positions, np.float64)
    except (TypeError, ValueError) as error:  # text, or rows of several lengths
        raise GraphError(f"graph: positions can't be read as numbers: {error}: give two for each vertex") from error
    if found.shape != (n, 2):
        raise GraphError(f"graph: positions has shape {found.shape}: give two numbers for each vertex")
    return found


def _layout() -> Callable[[Any], Any]:
    try:
        from minigr.plot.layout import layout
    except ImportError as error:
        raise MissingExtraError("placing vertices needs SciPy: pip install 'minigr[plot]'") from error
    return layout


def check_size(graph: Graph | DynamicGraph) -> None:
    """Raise `GraphError` if the graph is too large to draw, or has no vertices."""
    n = graph.num_vertices
    if n == 0:
        raise GraphError("graph: there are no vertices to draw")
    if n > MAX_VERTICES or graph.num_edges > MAX_EDGES:
        raise GraphError(
            f"graph: {n:,} vertices and {graph.num_edges:,} edges are too many to tell apart; a drawing has at most "
            f"{MAX_VERTICES:,} and {MAX_EDGES:,}: draw a part of the graph, or its degrees"
        )


def _draw_edges(axes: Any, graph: Graph, place: Any, arrows: bool) -> None:
    from matplotlib.collections import EllipseCollection, LineCollection, PolyCollection

    src, dst = (CPU.asarray(ends) for ends in graph.to_edges()[:2])
    proper = src != dst
    begin, end = place[src[proper]], place[dst[proper]]
    axes.add_collection(LineCollection(list(np.stack([begin, end], axis=1)), colors=GRAY, linewidths=0.8, zorder=1))
    if arrows:
        axes.add_collection(PolyCollection(_heads(begin, end), facecolors=GRAY, edgecolors="none", zorder=1))
    loops = np.unique(src[~proper])
    if len(loops):
        above = place[loops] + [0.0, _LOOP / 2]
        size: dict[str, Any] = {"units": "xy", "offsets": above, "offset_transform": axes.transData}
        style: dict[str, Any] = {"facecolors": "none", "edgecolors": GRAY, "linewidths": 0.8, "zorder": 1}
        axes.add_collection(EllipseCollection([_LOOP], [_LOOP], [0.0], **size, **style))
        axes.update_datalim(np.concatenate([above - _LOOP / 2, above + _LOOP / 2]))


def _heads(begin: Any, end: Any) -> Any:
    """A triangle on each edge."""
    along = end - begin
    across = along[:, ::-1] * [-1.0, 1.0]
    tip, back = begin + _TIP * along, begin + (_TIP - _LENGTH) * along
    return np.stack([tip, back + _WIDTH * across, back - _WIDTH * across], axis=1)


def _draw_values(axes: Any, place: Any, values: Any, categorical: bool | None, size: float, label: str) -> None:
    known = ~np.ma.getmaskarray(values)
    values = np.ma.getdata(values)
    if values.dtype.kind == "f":
        known &= np.isfinite(values)
    if categorical or (categorical is None and values.dtype.kind in "bU"):
        _draw_groups(axes, place, values, known, size)
    elif values.dtype.kind == "U":
        raise GraphError("graph: the values are text, which are groups: leave out categorical=False")
    elif known.any():
        points = axes.scatter(*place[known].T, s=size, c=values[known], cmap="viridis", zorder=2)
        axes.figure.colorbar(points, ax=axes, label=label, shrink=0.8)
    if not known.all():
        text = f"no value: {(~known).sum():,}"
        axes.scatter(*place[~known].T, s=size, color=GRAY, marker="x", linewidths=1, label=text, zorder=2)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(title=label, **OUTSIDE)


def _draw_groups(axes: Any, place: Any, values: Any, known: Any, size: float) -> None:
    groups, counts = np.unique(values[known], return_counts=True)
    largest = np.sort(np.argsort(-counts, kind="stable")[:MAX_CATEGORIES])
    for number, group in enumerate(largest):
        chosen = known & (values == groups[group])
        text = literal(f"{groups[group]}: {counts[group]:,}")
        axes.scatter(*place[chosen].T, s=size, **look(number), label=text, zorder=2)
    rest = known & ~np.isin(values, groups[largest])
    if rest.any():
        text = f"{len(groups) - len(largest):,} smaller ones: {rest.sum():,}"
        axes.scatter(*place[rest].T, s=size, color=GRAY, label=text, zorder=2)
