"""The operators: advance, filter, neighbor_reduce, reduce_by_key, compute, intersect, near_far.

The functions of this module run at once, on a Problem and a Frontier. An Enactor has methods of the same names. Inside
``step``, the methods record the operators, and the enactor's loop runs them. Functions and methods take the options
that are described here. The method `near_far` is a queue and has more options.
"""

from minigr.operators.calls import advance, compute, filter, intersect, near_far, neighbor_reduce, reduce_by_key
from minigr.program.frontier import Frontier

__all__ = ["Frontier", "advance", "compute", "filter", "intersect", "near_far", "neighbor_reduce", "reduce_by_key"]
