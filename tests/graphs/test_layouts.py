"""The table of layouts, and how programs find kernels that are not part of minigr."""

import pytest

from minigr.errors import GraphError
from minigr.graphs import layouts
from minigr.jit.kernel import kernel
from minigr.program import cuda_views


def rows_with(number):
    @kernel
    def entry(parts, position):
        return position + number

    return False, entry


def test_kernels_of_ones_own_are_in_the_key(monkeypatch):
    monkeypatch.setitem(layouts.KERNELS, "own", lambda: None)
    assert layouts.digest_of("own", rows_with(1)) == layouts.digest_of("own", rows_with(1))
    assert layouts.digest_of("own", rows_with(1)) != layouts.digest_of("own", rows_with(2))
    for name in ("csr", "slabs"):
        rows = layouts.kernels_of(name).rows(inward=False, ids=False, since=False)
        assert layouts.digest_of(name, rows) == ""


def test_a_layout_without_a_view():
    class Graph:
        layout = "own"

    with pytest.raises(GraphError, match="layout 'own' have no view for a GPU: add one to VIEWS"):
        cuda_views.view_of(Graph())


def test_both_targets_have_the_same_layouts():
    assert layouts.KERNELS.keys() == cuda_views.VIEWS.keys()
