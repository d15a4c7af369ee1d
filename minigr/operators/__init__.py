"""The operators: advance, filter, neighbor_reduce, reduce_by_key, compute, intersect, near_far.

Called from here they run at once, on a Problem and a Frontier. Called as methods of an Enactor, inside ``step``, they
are recorded, and run in the enactor's loop. Both take the options that are described here; the method `near_far`, which
is a queue, has more of them.
"""

from minigr.operators.calls import advance, compute, filter, intersect, near_far, neighbor_reduce, reduce_by_key
from minigr.program.frontier import Frontier

__all__ = ["Frontier", "advance", "compute", "filter", "intersect", "near_far", "neighbor_reduce", "reduce_by_key"]
