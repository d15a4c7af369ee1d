"""Each set of graphs, as a list of NetworkX graphs."""

from functools import cache

import pytest

from tests.batch.sets import SETS


@cache
def _made(name):
    make, directed = SETS[name]
    return make(directed)


@pytest.fixture(params=list(SETS))
def graphs(request):
    return _made(request.param)
