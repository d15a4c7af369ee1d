"""Pictures of graphs and results, as figures of matplotlib: ``pip install 'minigr[plot]'``.

Colors are those of Okabe and Ito and of viridis, which people with any color vision can tell apart; series differ in
their markers too. The same input gives the same file.
"""

from minigr.plot.degree import degrees
from minigr.plot.drawing import graph
from minigr.plot.figures import save
from minigr.plot.iterations import trace
from minigr.plot.measured import bench

__all__ = ["bench", "degrees", "graph", "save", "trace"]
