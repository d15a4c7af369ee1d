"""The function that records each operator, by the operator's name."""

from __future__ import annotations

from collections.abc import Callable

from minigr.operators.advance import record as record_advance
from minigr.operators.compute import record as record_compute
from minigr.operators.filter import record as record_filter
from minigr.operators.intersect import record as record_intersect
from minigr.operators.near_far import record as record_near_far
from minigr.operators.neighbor_reduce import record as record_neighbor_reduce
from minigr.operators.reduce_by_key import record as record_reduce_by_key
from minigr.program.operator import Operator

RECORDERS: dict[str, Callable[..., Operator]] = {
    "advance": record_advance,
    "compute": record_compute,
    "filter": record_filter,
    "intersect": record_intersect,
    "near_far": record_near_far,
    "neighbor_reduce": record_neighbor_reduce,
    "reduce_by_key": record_reduce_by_key,
}
