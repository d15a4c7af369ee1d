"""The battery, built once for each device."""

from functools import cache

import pytest

from tests.battery import TO_COMPILE_FOR

_FACTORIES = dict(TO_COMPILE_FOR)


@cache
def _graph(name, device):
    return _FACTORIES[name](device)


@pytest.fixture(params=list(_FACTORIES))
def graph(request, device):
    """Each graph of the battery."""
    return _graph(request.param, device)
