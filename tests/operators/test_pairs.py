"""Frontiers of pairs of vertices: intersect compared with its specification, and other operators that take pairs."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr import atomic_add, atomic_max
from minigr.device import CPU
from minigr.errors import FunctorError, ProblemError
from tests.layouts import arcs_of, slabs_of
from tests.operators.common import rows_of_all_lengths, run_both


class Links(mg.Problem):
    """`key` is given; the other fields record what was found, and which arguments each visit got."""

    key = mg.vertex_field(np.int32)
    found = mg.vertex_field(np.int64)
    near = mg.edge_field(np.int64)
    far = mg.edge_field(np.int64)
    told = mg.array_field(np.int64)
    counts = mg.array_field(np.int64)
    total = mg.scalar_field(np.int64, fill=-7)


class Everything(mg.Functor):
    """Records all its arguments."""

    def cond_intersect(src, dst, idx, iteration, key):
        return (key[src] + 2 * key[dst]) % 3 != 0 and idx >= 0 and iteration == 1

    def apply_intersect(src, dst, common, src_edge, dst_edge, idx, iteration, key, found, near, far, told):
        atomic_add(found, common, 1 + key[src])
        atomic_add(near, src_edge, 1 + key[dst])
        atomic_add(far, dst_edge, 1 + key[common])
        atomic_add(told, idx, iteration * (1 + key[common] + src_edge * 3 + dst_edge * 5 + src))

    def apply_count(src, dst, idx, count, iteration, counts):
        counts[idx] = 1 + count * iteration + 1000 * dst
        return count + src


class Numbers(mg.Functor):
    """Counts common neighbors, without asking which they are, and the pairs that have any."""

    def cond_count(count):
        return count > 0

    def apply_count(idx, count, counts):
        counts[idx] = count
        return count

    def cond_filter(src, dst, idx, iteration, key):
        return (key[src] + key[dst] + idx + iteration) % 3 != 0

    def apply_filter(src, dst, idx, found, counts):
        atomic_add(found, dst, 1 + src)
        counts[idx] += 1

    def apply(src, dst, idx, key, found, counts):
        counts[idx] = key[src] - key[dst]
        atomic_max(found, src, dst)
        return dst


def links_on(graph, frontier):
    told, counts = (graph._device.full(len(frontier), 0, np.int64) for _ in range(2))
    problem = Links(graph, told=told, counts=counts)
    problem.key = np.arange(graph.num_vertices, dtype=np.int64) * 7919 % 101
    return problem


def pairs_on(graph, number=80):
    """Random pairs, pairs of a vertex and itself, pairs in both orders, edges, and some of all these repeated."""
    n = graph.num_vertices
    if n == 0:
        return mg.Frontier.of_pairs([], [])
    rng = np.random.default_rng(n)
    some = rng.integers(0, n, (number, 2))
    ids, src, dst, _ = arcs_of(graph)
    arcs = rng.permutation(ids)[:number]
    edges = np.stack([src[arcs], dst[arcs]], 1)
    loops = np.repeat(rng.integers(0, n, (9, 1)), 2, 1)
    return mg.Frontier.of_pairs(np.concatenate([some, some[::3, ::-1], loops, edges, edges[::5], some[:4]]))


def neighbors(graph):
    """The set of each vertex's neighbors."""
    found = [set() for _ in range(graph.num_vertices)]
    ids, src, dst, _ = arcs_of(graph)
    for edge in ids:
        found[src[edge]].add(int(dst[edge]))
    return found


def test_all_it_is_told(graph):
    frontier = pairs_on(graph)
    run_both("intersect", links_on(graph, frontier), frontier, Everything, into="total")


def check_numbers(graph, frontier):
    """Check counts by position, their sum, and the number of pairs that have any common neighbor."""
    near = neighbors(graph)
    counts = [len(near[u] & near[v]) for u, v in frontier]
    problem = links_on(graph, frontier)
    output = mg.operators.intersect(problem, frontier, Numbers, into="total", output="pairs")
    assert CPU.asarray(problem.counts).tolist() == counts
    assert int(problem.total[0]) == sum(counts)
    assert sorted(output) == sorted(pair for pair, count in zip(frontier, counts, strict=True) if count)
    assert output.kind == "pairs"
    return counts


def test_numbers_and_pairs_that_are_put_out(graph):
    check_numbers(graph, pairs_on(graph))


@pytest.mark.parametrize("layout", ["csr", "slabs"])
def test_rows_of_all_lengths(device, layout):
    """Pairs of hubs, whose rows a GPU cuts into slices, and pairs of any vertices."""
    graph = rows_of_all_lengths(device)
    if layout == "slabs":
        graph = slabs_of(graph)
    hubs = np.arange(40)
    between_hubs = np.stack([np.repeat(hubs, 40), np.tile(hubs, 40)], 1)
    rng = np.random.default_rng(7)
    others = rng.integers(0, graph.num_vertices, (500, 2))
    others[::2, 0] %= 40
    pairs = rng.permutation(np.concatenate([between_hubs, others]))
    assert max(check_numbers(graph, mg.Frontier.of_pairs(pairs, device=device))) > 300
    few = mg.Frontier.of_pairs(between_hubs[-7:])
    run_both("intersect", links_on(graph, few), few, Everything, into="total")


@settings(derandomize=True, max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_graphs_and_pairs(device, data):
    n = data.draw(st.integers(1, 12))
    ends = st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=40)
    edges, pairs, directed = data.draw(ends), data.draw(ends), data.draw(st.booleans())
    edges = np.array(edges, np.int64).reshape(-1, 2)
    graph = mg.Graph.from_edges(*edges.T, num_vertices=n, directed=directed, device=device)
    check_numbers(graph, mg.Frontier.of_pairs(pairs))


def test_one_common_neighbor_of_vertices_with_one_neighbor_each(device):
    """In a simple graph a vertex with one neighbor shares none with that neighbor, but it may share it with others."""
    graph = mg.generate.star(5, device=device)
    assert graph.is_simple
    assert check_numbers(graph, mg.Frontier.of_pairs([1, 3, 0, 1], [2, 3, 1, 0])) == [1, 1, 0, 0]


@pytest.mark.parametrize("operator", ["filter", "compute"])
def test_items(graph, operator):
    frontier = pairs_on(graph)
    options = {"into": "total"} if operator == "compute" else {}
    if operator == "compute":  # any of several equal vertices may come last
        frontier = frontier | frontier
    run_both(operator, links_on(graph, frontier), frontier, Numbers, **options)


def test_repeated_pairs_are_culled(device):
    graph = mg.generate.path(5, device=device)
    frontier = mg.Frontier.of_pairs([[0, 2], [1, 3]] * 500)
    problem = links_on(graph, frontier)
    output = mg.operators.filter(problem, frontier, Always, duplicates="cull")
    assert set(output) == {(0, 2), (1, 3)}
    assert len(output) < 100
    assert list(frontier | frontier) == [(0, 2), (1, 3)]


class Always(mg.Functor):
    def cond_filter(src):
        return True


class Wanes(mg.Functor):
    """A pair stays for as many steps as its ends have common neighbors."""

    def cond_filter(src, dst, graph):
        return src < dst and not graph.has_edge(src, dst)

    def cond_count(count, iteration):
        return count > iteration

    def apply_count(count, iteration):
        return count * iteration

    def apply(src, dst, key):
        return 1


class Loop(mg.Enactor, problem=Links, functor=Wanes, steady=True):
    def step(self, frontier):
        some = self.filter(frontier)
        kept = self.intersect(some, into="total", accumulate=True, output="pairs")
        self.compute(kept)
        return kept


@pytest.mark.parametrize("driver", ["auto", "fused", "host"])
def test_a_loop_over_pairs(device, driver):
    """An enactor takes a longer list after a shorter one."""
    graph = mg.generate.rmat(6, 6, seed=3, device=device)
    near = neighbors(graph)
    loop = Loop(graph, driver=driver, told=[0], counts=[0])
    for number in (50, 700):
        pairs = np.random.default_rng(number).integers(0, 64, (number, 2)).tolist()
        counts = {(u, v): len(near[u] & near[v]) for u, v in pairs if u < v and v not in near[u]}
        left = [[pair for pair in map(tuple, pairs) if pair in counts]]
        while left[-1]:
            left.append([pair for pair in left[-1] if counts[pair] > len(left)])
        frontier = mg.Frontier.of_pairs(pairs)
        loop.run(frontier)
        assert (loop.iterations, loop.stopped) == (len(left) - 1, mg.Stop.EMPTY)
        assert int(loop.problem.total[0]) == sum(k * counts[pair] for k, some in enumerate(left, 1) for pair in some)
        output = Loop(graph, driver=driver, max_iterations=2, told=[0], counts=[0]).run_for_output(frontier)
        assert sorted(output) == sorted(left[2])
        assert left[2]


class Beside(mg.Enactor, problem=Links, functor=Wanes):
    """A frontier of pairs that stay, one of pairs that are dropped, and a frontier of vertices."""

    def start(self, pairs, stays):
        self.stays = stays
        return mg.Frontier.of(0), pairs

    def step(self, vertices, pairs):
        self.intersect(self.stays, into="total", accumulate=True)
        return None, self.intersect(pairs, output="pairs")


@pytest.mark.parametrize("driver", ["auto", "fused", "host"])
def test_pairs_beside_other_frontiers(device, driver):
    graph = mg.generate.rmat(6, 6, seed=3, device=device)
    near = neighbors(graph)
    pairs = np.random.default_rng(7).integers(0, 64, (300, 2)).tolist()
    counts = [len(near[u] & near[v]) for u, v in pairs]
    loop = Beside(graph, driver=driver, told=[0], counts=[0])
    loop.run(mg.Frontier.of_pairs(pairs), mg.Frontier.of_pairs(pairs[:90]))
    assert (loop.iterations, loop.stopped) == (max(counts), mg.Stop.EMPTY)
    assert int(loop.problem.total[0]) == sum(counts[:90]) * sum(range(1, max(counts) + 1))


class PutTogether(mg.Enactor, problem=Links, functor=Wanes):
    def step(self, frontier):
        return self.filter(frontier) | frontier


def test_pairs_are_put_together_before_a_loop(device):
    loop = PutTogether(mg.generate.path(4, device=device), told=[0], counts=[0])
    with pytest.raises(ProblemError, match=r"put frontiers of pairs together before the loop, or keep some"):
        loop.run(SOME)


class AsksForTheEdge(mg.Functor):
    def apply_count(edge, count):
        pass

    def cond_filter(weight):
        return weight > 0

    def apply(vertex):
        pass


class Silent(mg.Functor):
    def apply_count(count):
        pass

    def cond_advance(src):
        return True

    def map(src):
        return 1


SOME = mg.Frontier.of_pairs([0, 3], [2, 1])


@pytest.mark.parametrize(
    ("operator", "frontier", "functor", "options", "complaint"),
    [
        ("intersect", SOME, AsksForTheEdge, {}, "asks for 'edge', which a frontier of pairs doesn't have"),
        ("filter", SOME, AsksForTheEdge, {}, "asks for 'weight', which a frontier of pairs doesn't have"),
        ("compute", SOME, AsksForTheEdge, {}, "asks for 'vertex', which a frontier of pairs doesn't have"),
        ("intersect", SOME, Numbers, {"output": "edges"}, "output='edges', .* one of pairs: use output='pairs'"),
        ("intersect", mg.Frontier.of_edges(0), Silent, {"output": "pairs"}, "one of edges: use output='edges'"),
        ("intersect", SOME, Silent, {"output": "pairs"}, "output='pairs' needs functor Silent to have cond_count"),
        ("filter", SOME, Numbers, {"duplicates": "remove"}, r"frontier \| frontier, which holds each pair once"),
        ("advance", SOME, Silent, {}, "advance takes a frontier of vertices or edges, got one of pairs"),
        ("neighbor_reduce", SOME, Silent, {}, "neighbor_reduce takes a frontier of vertices, got one of pairs"),
        (
            "intersect",
            mg.Frontier.of_pairs([0, 1, 9], [3, 4, 0]),
            Numbers,
            {},
            r"the pair \(1, 4\) at position 1, but there are 4 vertices",
        ),
        ("compute", mg.Frontier.of_pairs(np.array([[0, 1], [2, -1]], np.int32)), Numbers, {}, r"pair \(2, -1\)"),
    ],
)
def test_bad_input(device, operator, frontier, functor, options, complaint):
    graph = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 1.0, 1.0], device=device)
    with pytest.raises((FunctorError, ProblemError), match=complaint):
        getattr(mg.operators, operator)(links_on(graph, SOME), frontier, functor, **options)


def test_pairs_are_not_since_a_mark(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(4, device=device))
    graph.mark()
    with pytest.raises(ProblemError, match=r"since='mark'.*list"):
        mg.operators.intersect(links_on(graph, SOME), SOME, Numbers, since="mark")
