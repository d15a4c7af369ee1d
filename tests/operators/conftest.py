"""The graphs that operators are tested on, and teams of more threads than a small graph would get."""

from functools import cache

import pytest

from tests.battery import BATTERY
from tests.layouts import slabs_of

# One weight dtype, so that each functor with its options is compiled once. Only tests of apps have the larger graphs,
# because the specification is slow.
_GRAPHS = {name: (make, make("cpu")) for name, make in BATTERY}
_FACTORIES = {
    name: make
    for name, (make, g) in _GRAPHS.items()
    if g.weighted and g.weights.dtype == "float32" and g.num_arcs < 1100
}


_AS_SLABS = [f"{name}-float32" for name in ("empty-directed", "no_edges-undirected", "self_loops-undirected")]
_AS_SLABS += [f"{name}-float32" for name in ("two_hubs-undirected", "star_inwards-directed", "complete-directed")]


@cache
def _graph(name, device):
    name, _, layout = name.partition("+")
    graph = _FACTORIES[name](device)
    return slabs_of(graph, deleted=3 * ("deleted" in layout)) if layout else graph


@pytest.fixture(params=[*_FACTORIES, *(f"{name}+slabs" for name in _AS_SLABS), f"{_AS_SLABS[3]}+slabs with deleted"])
def graph(request, device):
    """Each graph of the battery with float32 weights; some of them also as dynamic graphs with a mark."""
    return _graph(request.param, device)


@pytest.fixture(autouse=True)
def _team(team):
    """Threads that disturb each other, for all tests in this folder."""
