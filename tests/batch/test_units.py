"""Units: each vertex of each graph is searched from once, and the GPU's launches take each unit once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.batch.units import WORDS, Widths, units_of


def batch_with(sizes):
    return mg.GraphBatch.from_edges([], [], np.cumsum([0, *sizes]), device="cpu")


WIDTHS = (WORDS, Widths(0, 8, 8), Widths(352, 32, 8), Widths(100, 3, 7))


@settings(max_examples=100, deadline=None)
@given(sizes=st.lists(st.integers(0, 500), max_size=12), widths=st.sampled_from(WIDTHS))
def test_units_take_every_vertex_once(sizes, widths):
    units = units_of(batch_with(sizes), widths)
    assert (np.diff(units.sizes) <= 0).all()
    taken, parts = [], []
    for graph, first, size in zip(units.graph.tolist(), units.first.tolist(), units.sizes.tolist(), strict=True):
        assert size == sizes[graph]
        width = widths.small if size <= widths.bound else widths.large
        taken += [(graph, v) for v in range(first, min(first + width, size))]
        begin = units.part_offsets[graph] + first // width * size
        parts += range(begin, begin + size)
    assert sorted(taken) == [(graph, v) for graph, size in enumerate(sizes) for v in range(size)]
    assert sorted(parts) == list(range(units.num_parts))


@settings(max_examples=100, deadline=None)
@given(sizes=st.lists(st.integers(0, 4000), max_size=12), wide=st.sampled_from(("words", "one by one", "together")))
def test_launches_take_every_unit_once(sizes, wide):
    pytest.importorskip("cupy")
    from minigr.batch import kernels_cuda as cuda

    widths = {"words": WORDS, "one by one": cuda._ONE_BY_ONE, "together": cuda._TOGETHER}[wide]
    batch = batch_with(sizes)
    units, at = units_of(batch, widths), 0
    for launch in cuda._launches(batch, widths):
        assert launch.begin == at < launch.end
        at = launch.end
        part = units.sizes[launch.begin : launch.end]
        assert launch.size == part.max()
        assert ((part <= widths.bound) == launch.together).all()
    assert at == len(units.sizes)
