"""The graphs that operators are tried on, and teams of more threads than such small graphs would get."""

from functools import cache

import pytest

from minigr.enactor import cpu
from tests.battery import BATTERY

# One weight dtype, so that each functor and set of options is compiled once. The larger graphs are left to the apps:
# the specification takes its time.
_GRAPHS = {name: (make, make("cpu")) for name, make in BATTERY}
_FACTORIES = {
    name: make
    for name, (make, g) in _GRAPHS.items()
    if g.weighted and g.weights.dtype == "float32" and g.num_arcs < 1100
}


@cache
def _graph(name, device):
    return _FACTORIES[name](device)


@pytest.fixture(params=list(_FACTORIES))
def graph(request, device):
    """Each graph of the battery that has float32 weights."""
    return _graph(request.param, device)


@pytest.fixture(autouse=True)
def team(monkeypatch):
    """Three threads, however little there is to do: more than there may be cores, so that they disturb each other."""
    monkeypatch.setenv("MINIGR_NUM_THREADS", "3")
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)
