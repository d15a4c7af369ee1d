"""Common fields, functors and comparisons of operator tests."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_cas, atomic_max
from minigr.device import CPU
from tests import specification
from tests.layouts import arcs_of


class Visits(mg.Problem):
    """`key` is given; the other fields record what was visited, and which arguments each visit got."""

    key = mg.vertex_field(np.int32)
    depth = mg.vertex_field(np.int32, fill=-1)
    hits = mg.vertex_field(np.int64)
    edge_hits = mg.edge_field(np.int32)
    its_src = mg.edge_field(np.int32, fill=-1)
    its_dst = mg.edge_field(np.int32, fill=-1)
    its_weight = mg.edge_field(np.float32, fill=-1)
    its_rank = mg.edge_field(np.int64, fill=-1)
    its_seg = mg.edge_field(np.int64, fill=-1)
    its_idx = mg.edge_field(np.int64, fill=-1)
    its_iteration = mg.edge_field(np.int32, fill=-1)


class Some(mg.Functor):
    """Keeps some edges, chosen by their ends, and records all its arguments for each except `idx`."""

    def cond_advance(src, dst, key):
        return (key[src] + 2 * key[dst]) % 3 != 0

    def apply_advance(
        src, dst, edge, weight, rank, seg, iteration, hits, edge_hits, its_src, its_dst, its_weight, its_rank, its_seg,
        its_iteration,
    ):  # fmt: skip
        atomic_add(hits, dst, 1)
        atomic_add(edge_hits, edge, 1)
        its_src[edge] = src
        its_dst[edge] = dst
        its_weight[edge] = weight
        its_rank[edge] = rank
        atomic_max(its_seg, edge, seg)  # because an edge may be visited for several items
        its_iteration[edge] = iteration


class Unranked(mg.Functor):
    """The same without the rank, which edges of slabs don't have."""

    cond_advance = Some.cond_advance

    def apply_advance(
        src, dst, edge, weight, seg, iteration, hits, edge_hits, its_src, its_dst, its_weight, its_seg, its_iteration
    ):
        atomic_add(hits, dst, 1)
        atomic_add(edge_hits, edge, 1)
        its_src[edge] = src
        its_dst[edge] = dst
        its_weight[edge] = weight
        atomic_max(its_seg, edge, seg)
        its_iteration[edge] = iteration


def some(graph):
    """`Some`, or for slabs `Unranked`."""
    return Some if graph.layout == "csr" else Unranked


def needs_order(graph):
    """Skip tests of the order of rows if the rows of the layout have no order."""
    if graph.layout != "csr":
        pytest.skip("rows of a dynamic graph have no order; that asking for it is refused is a test of its own")


class Position(mg.Functor):
    """Records the position of an edge among all edges that are visited."""

    def cond_target(dst, key):
        return key[dst] % 2 == 0

    def apply_advance(edge, idx, rank, edge_hits, its_idx, its_rank):
        atomic_add(edge_hits, edge, 1)
        atomic_max(its_idx, edge, idx)  # because an edge may be visited for several items
        its_rank[edge] = rank


class Claim(mg.Functor):
    """Is true once for each vertex, as duplicates='impossible' requires."""

    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth):
        return atomic_cas(depth, dst, -1, iteration) == -1

    def apply_advance(dst, hits):
        atomic_add(hits, dst, 1)


def problem_on(graph):
    """A `Visits` with keys that look random."""
    problem = Visits(graph)
    problem.key = np.arange(graph.num_vertices, dtype=np.int64) * 7919 % 101
    return problem


def frontiers(graph):
    """A frontier of each kind and form, by its name."""
    vertices, arcs = np.arange(graph.num_vertices), arcs_of(graph)[0]
    return {
        "vertices": mg.Frontier.of(vertices[vertices % 3 != 1][::-1]),
        "bitmap": mg.Frontier.from_mask(vertices % 4 == 0),
        "none": mg.Frontier.of(vertices[:0]),
        "edges": mg.Frontier.of_edges(arcs[np.arange(len(arcs)) % 3 != 1][::-1]),
        "all": mg.Frontier.all_vertices(),
        "all_edges": mg.Frontier.all_edges(),
    }


def run_both(operator, problem, frontier, functor, specified=None, **options):
    """Run an operator and its specification, compare output and all fields, and return the sorted output ids.

    The ids of pairs are tuples.
    """
    fields = specification.fields_of(problem)
    asked = {**fields, "graph": specification.Graph(problem.graph)}
    expected = getattr(specification, operator)(problem.graph, frontier, functor, asked, **options, **(specified or {}))
    found = getattr(mg.operators, operator)(problem, frontier, functor, **options)
    assert (found is None) == (expected is None)
    ids = None
    if found is not None and found.kind == "pairs":
        ids = sorted(found)
        assert ids == sorted(expected)
    elif found is not None:
        ids = np.sort(CPU.asarray(found.ids))
        assert ids.dtype == (np.int32 if found.kind == "vertices" else np.int64)
        np.testing.assert_array_equal(ids, np.sort(np.array(expected, ids.dtype)))
    compare_fields(problem, fields)
    return ids


def skip_repetition(graph, repeats):
    """On a CPU, skip slabs where only the rows' code differs, because compiling programs takes long there."""
    if repeats and graph.layout == "slabs" and not graph._device.is_cuda:
        pytest.skip("as other tests on the CPU")


def skip_alike(graph, balance):
    """On a CPU, skip balances that run the same code as the others, because every other test runs that code."""
    if not graph._device.is_cuda and balance in ("thread", "tile", "warp", "block"):
        pytest.skip("as other tests on the CPU")


def compare_fields(problem, fields, rtol=0.0):
    """Check that all fields of `problem` are those of the specification."""
    for name, values in specification.fields_of(problem).items():
        np.testing.assert_allclose(values, fields[name], rtol=rtol, atol=0, err_msg=name)


def rows_of_all_lengths(device):
    """A graph with rows from empty to much longer than a block takes at once, close together and over all ids."""
    rng = np.random.default_rng(5)
    n, hubs = 200_000, 40
    lengths = np.unique(np.geomspace(1, 2000, hubs).astype(int))
    tops = np.arange(len(lengths))
    src, dst = [np.repeat(tops, len(tops))], [np.tile(tops, len(tops))]
    for top, length in zip(tops, lengths, strict=True):
        near, far = rng.integers(0, 5000, length), rng.integers(0, n, length // 4)
        shared = np.arange(n - 1, n - 1 - length // 2, -1)
        dst += [near, far, shared]
        src += [np.full(len(near) + len(far) + len(shared), top)]
    src, dst = np.concatenate(src), np.concatenate(dst)
    src, dst = np.append(src, [700, 700, 701]), np.append(dst, [701, 702, 702])
    return mg.Graph.from_edges(src, dst, num_vertices=n, directed=True, device=device)
