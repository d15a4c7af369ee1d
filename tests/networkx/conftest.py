"""The backend as NetworkX finds it, which it does where minigr is installed."""

from importlib.metadata import PackageNotFoundError, distribution

import networkx as nx
import pytest

SINCE = {"leiden_communities": (3, 5), "leiden_partitions": (3, 5)}
"""The first versions of NetworkX with functions that the oldest supported one lacks."""
VERSION = tuple(map(int, nx.__version__.split(".")[:2]))


def is_there(name):
    """Whether this version of NetworkX has the function."""
    return SINCE.get(name, VERSION) <= VERSION


def function_of(name):
    """NetworkX's function of this name."""
    return next(filter(None, (getattr(module, name, None) for module in (nx, nx.community, nx.bipartite))))


@pytest.fixture(scope="session")
def installed():
    """Skip where NetworkX can't know of the backend, because minigr is on the path but not installed."""
    try:
        distribution("minigr")
    except PackageNotFoundError:
        pytest.skip("minigr is not installed: pip install -e . tells NetworkX of it")


@pytest.fixture
def backend(installed, device, monkeypatch):
    """A function that calls one of NetworkX's by name, by the backend, on each device."""
    monkeypatch.setenv("MINIGR_DEVICE", device)
    monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"})

    def call(name, *args, **kwargs):
        return function_of(name)(*args, **kwargs, backend="minigr")

    return call
