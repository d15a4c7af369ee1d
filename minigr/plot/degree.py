"""The degrees of graphs, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs.given import require_graph
from minigr.plot.figures import literal, live_vertices, look, named, new_figure

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.graphs.dynamic.graph import DynamicGraph

BINS_PER_DECADE = 10
_COUNTED = {"out": "degree", "in": "in-degree"}


def degrees(
    graphs: Graph | DynamicGraph | Mapping[str, Graph | DynamicGraph], *, inward: bool = False, ccdf: bool = False
) -> Any:
    """Draw the distribution of degrees on two logarithmic axes.

    Parameters
    ----------
    graphs : Graph, DynamicGraph, or mapping of names to these
        Several graphs share the axes.
    inward : bool
        If True, count the incoming edges of a directed graph instead of the outgoing edges.
    ccdf : bool
        If True, draw for each degree the share of the vertices with this or a greater degree, without bins. Otherwise,
        draw the share of the vertices with exactly this degree, averaged over bins that grow by a factor of 10**0.1;
        degrees up to 3 have bins of their own.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with a line for each graph. Vertices without edges have no place on the axis, but count in the total.
        The legend gives their number.

    Raises
    ------
    GraphError
        If there is no graph, or a graph has no edge or is no graph of minigr.
    MissingExtraError
        If matplotlib is not installed.

    Notes
    -----
    O(n log n). A straight line on such axes alone does not show a power law: see Clauset, Shalizi, Newman, Power-Law
    Distributions in Empirical Data (SIAM Review 2009), who recommend the CCDF.

    Examples
    --------
    >>> import minigr as mg
    >>> figure = mg.plot.degrees(mg.generate.star(5, device="cpu"), ccdf=True)
    >>> figure.axes[0].lines[0].get_xydata().tolist()
    [[1.0, 1.0], [4.0, 0.2]]
    """
    by_name = named(graphs)
    if not by_name:
        raise GraphError("degrees: there is no graph: give at least one")
    for graph in by_name.values():
        require_graph(graph, "plot.degrees")
    figure = new_figure(6.4, 4.4)
    axes = figure.subplots()
    for number, (name, graph) in enumerate(by_name.items()):
        degree = CPU.asarray(graph.in_degree() if inward else graph.out_degree())[live_vertices(graph)]
        none = int((degree == 0).sum())
        if none == len(degree):
            raise GraphError(f"degrees: {name or 'the graph'} has no edges, so there is nothing to draw")
        x, y = _survival(degree) if ccdf else _binned(degree)
        axes.plot(
            x,
            y,
            **look(number),
            markersize=4,
            linestyle="none" if not ccdf else "-",
            drawstyle="steps-pre" if ccdf else "default",
            linewidth=1,
            label=", ".join(
                part for part in (literal(name), f"{none:,} vertices without edges" if none else "") if part
            )
            or "_",
        )
    what = _COUNTED["in" if inward else "out"]
    share = f"share of vertices with this {what} or more" if ccdf else f"share of vertices with this {what}"
    axes.set(xscale="log", yscale="log", xlabel=f"{what}, edges", ylabel=share)
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    return figure


def _survival(degree: Any) -> tuple[Any, Any]:
    values, counts = np.unique(degree, return_counts=True)
    share = counts[::-1].cumsum()[::-1] / len(degree)
    return values[values > 0], share[values > 0]


def _binned(degree: Any) -> tuple[Any, Any]:
    """The middle of each bin that is not empty, and the share of vertices for each degree in the bin."""
    decades = int(np.ceil(np.log10(degree.max() + 1))) + 1
    bounds = np.unique(np.ceil(10 ** (np.arange(decades * BINS_PER_DECADE) / BINS_PER_DECADE) - 1e-9).astype(np.int64))
    counts, _ = np.histogram(degree, bounds)
    first, last = bounds[:-1], bounds[1:] - 1
    held = counts > 0
    share = counts / (np.diff(bounds) * len(degree))
    return np.sqrt(first * last)[held], share[held]
