"""The common parts of all plots: an empty figure, colors, and equal files for equal figures."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import FormatError, GraphError, MissingExtraError
from minigr.paths import as_path
from minigr.replace import replacing

PICTURES = (".png", ".svg", ".pdf")
"""The extensions of files that `save` writes."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe, Ito, Color Universal Design (2008), without the yellow, which is pale on white."""
GRAY = "#999999"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OUTSIDE = {"fontsize": "small", "loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
"""Options of a legend that covers nothing, because it is to the right of the axes."""
LINES = ("-", "--", ":", "-.")

_NO_DATES: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def new_figure(width: float, height: float) -> Any:
    """An empty figure with a size in inches. It belongs to no window and need not be closed.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a plot needs matplotlib: pip install 'minigr[plot]'") from error
    return Figure(figsize=(width, height), layout="constrained")


def look(number: int) -> dict[str, str]:
    """The color and the marker of a series; the first 49 differ.

    Examples
    --------
    >>> look(0), look(7)
    ({'color': '#0072B2', 'marker': 'o'}, {'color': '#0072B2', 'marker': 's'})
    """
    colors, markers = len(COLORS), len(MARKERS)
    return {"color": COLORS[number % colors], "marker": MARKERS[(number + number // colors) % markers]}


def check_picture(path: str | os.PathLike) -> Path:
    """`path`, if its extension is that of a picture.

    Raises
    ------
    FormatError
    """
    file = as_path(path)
    if file.suffix.lower() not in PICTURES:
        raise FormatError(file, f"a picture can't end in {file.suffix!r}: use one of {', '.join(PICTURES)}")
    return file


def save(figure: Any, path: str | os.PathLike) -> None:
    """Write a figure to a ``.png``, ``.svg`` or ``.pdf`` file, completely or not at all.

    The file contains no date and no random names, so equal figures produce equal files.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : path-like

    Raises
    ------
    GraphError
        If `figure` is no figure.
    FormatError
        If the file name has another extension.

    Examples
    --------
    >>> import minigr as mg, pathlib, tempfile
    >>> figure = mg.plot.degrees(mg.generate.star(9, device="cpu"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mg.plot.save(figure, pathlib.Path(folder, "star.svg"))
    ...     print(pathlib.Path(folder, "star.svg").read_text()[:5])
    <?xml
    """
    if not hasattr(figure, "savefig"):
        what = f"save: expected a figure of matplotlib, got {type(figure).__name__}"
        raise GraphError(f"{what}: draw one with mg.plot.graph or another function of mg.plot")
    import matplotlib as mpl

    file = check_picture(path)
    ending = file.suffix.lower()
    with replacing(file) as handle, mpl.rc_context({"svg.hashsalt": "minigr"}):
        figure.savefig(handle, format=ending[1:], dpi=120, metadata=_NO_DATES.get(ending))


def live_vertices(graph: Any) -> Any:
    """The ids of the existing vertices, on the host; vertices of a DynamicGraph may have been deleted."""
    if graph.num_live_vertices == graph.num_vertices:
        return np.arange(graph.num_vertices)
    return CPU.asarray(graph.live_vertices())


def literal(text: Any) -> str:
    r"""`text` as matplotlib must get it to write it as it is: a part between two dollar signs would be a formula.

    Examples
    --------
    >>> literal("US$ and A$")
    'US\\$ and A\\$'
    """
    return str(text).replace("$", r"\$")


def named(given: Any) -> dict[str, Any]:
    """A mapping with its names, or a single object under an empty name.

    Examples
    --------
    >>> named({"a": 1, "b": 2}), named(7)
    ({'a': 1, 'b': 2}, {'': 7})
    """
    return dict(given) if isinstance(given, Mapping) else {"": given}
