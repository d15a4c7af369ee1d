"""Plots of graphs and results, as matplotlib figures: ``pip install 'minigr[plot]'``.

The colors are those of Okabe and Ito and of viridis, which people with any color vision can distinguish. Series also
differ in their markers. The same input produces the same file.
"""

from minigr.plot.degree import degrees
from minigr.plot.drawing import graph
from minigr.plot.figures import save
from minigr.plot.iterations import trace
from minigr.plot.measured import bench

__all__ = ["bench", "degrees", "graph", "save", "trace"]
