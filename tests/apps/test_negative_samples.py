"""Pairs without an edge, over the battery, against draws in plain Python, and by what is drawn how often."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

import minigr as mg
from minigr.apps.negative_samples import draw
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.generate.keys import stream_key
from tests.layouts import slabs_of
from tests.verifiers import check_negative_samples

_MASK = 2**64 - 1
LIKELY = 0.001


def bits_of(seed, item, number):
    z = (stream_key(seed, 0) + ((item << 32) + number) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def neighbors_of(graph):
    offsets, indices = CPU.asarray(graph.offsets), CPU.asarray(graph.indices)
    return [set(part.tolist()) for part in np.split(indices, offsets[1:-1])] if len(offsets) > 1 else []


def even_pairs(graph, count, seed, sources=None):
    """The same pairs, drawn evenly; None where one of them isn't found."""
    near, n, pairs = neighbors_of(graph), graph.num_vertices, []
    for item in range(count if sources is None else count * len(sources)):

        def vertex(number, item=item):
            return (bits_of(seed, item, number) >> 32) * n >> 32

        u = None if sources is None else sources[item // count]
        for attempt in range(1024 if sources is None else 64):
            u = vertex(2 * attempt) if sources is None else u
            v = vertex(2 * attempt + 1)
            if u != v and v not in near[u]:
                break
        else:
            others = [w for w in range(n) if sources is not None and w != u and w not in near[u]]
            if not others:
                return None
            v = others[int((bits_of(seed, item, 128) >> 11) * 2.0**-53 * len(others))]
        pairs.append((u, v))
    return pairs


def pairs_of(result):
    return list(zip(CPU.asarray(result.src).tolist(), CPU.asarray(result.dst).tolist(), strict=True))


def test_battery(graph):
    if graph.num_vertices == 0:
        with pytest.raises(GraphError, match="no vertices to draw from"):
            mg.negative_samples(graph, 1)
        assert mg.negative_samples(graph, 0).src.size == 0
        return
    sources = np.random.default_rng(3).integers(0, graph.num_vertices, 5).tolist()
    for given in (None, sources):
        expected = even_pairs(graph, 4, 9, given)
        if expected is None:
            with pytest.raises(GraphError, match="so nearly all pairs do" if given is None else "source out"):
                mg.negative_samples(graph, 4, sources=given, seed=9)
            continue
        result = mg.negative_samples(graph, 4, sources=given, seed=9)
        assert isinstance(result.dst, resolve(graph.device).xp.ndarray)
        check_negative_samples(graph, result.src, result.dst)
        assert pairs_of(result) == expected


@pytest.mark.parametrize("threads", ["1", "5"])
def test_many_pairs(device, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.rmat(8, 20, seed=3, directed=True, device=device)
    result = mg.negative_samples(graph, 20_000, seed=1)  # enough for a team
    check_negative_samples(graph, result.src, result.dst)
    assert pairs_of(result)[:900] == even_pairs(graph, 900, 1) == pairs_of(mg.negative_samples(graph, 900, seed=1))
    popular = mg.negative_samples(graph, 20_000, power=0.75)
    check_negative_samples(graph, popular.src, popular.dst)
    assert (CPU.asarray(graph.in_degree())[CPU.asarray(popular.dst)] > 0).all()
    assert (CPU.asarray(graph.degree())[CPU.asarray(popular.src)] > 0).all()


@pytest.mark.parametrize("power", [0, 0.75])
def test_over_slabs(device, power):
    rows = mg.generate.rmat(8, 8, seed=1, directed=True, device=device)
    for sources in (None, np.arange(200)):
        found = [mg.negative_samples(graph, 3, sources=sources, power=power) for graph in (rows, slabs_of(rows))]
        assert pairs_of(found[0]) == pairs_of(found[1])


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.cycle(6, device=device))
    graph.delete_vertices([4])
    for power in (0, 1):
        drawn = {vertex for pair in pairs_of(mg.negative_samples(graph, 300, power=power)) for vertex in pair}
        assert drawn == {0, 1, 2, 3, 5}
    with pytest.raises(GraphError, match=r"sources\[1\] is 4, which was deleted"):
        mg.negative_samples(graph, 1, sources=[5, 4])


# --- how often each pair is drawn ------------------------------------------------------------------------------------


def small(device, directed=True):
    src, dst = [0, 0, 0, 1, 2, 2, 3, 3, 4], [1, 1, 2, 2, 0, 2, 4, 0, 3]  # one twice, and a self-loop
    return mg.Graph.from_edges(src, dst, num_vertices=7, directed=directed, device=device)


def check_chances(found, chances):
    """Whether pairs came as often as they should, by their chances, which need not add up to 1."""
    seen = np.array([found.count(pair) for pair in chances])
    wanted = np.array(list(chances.values()), np.float64)
    assert seen.sum() == len(found)
    assert stats.chisquare(seen, len(found) * wanted / wanted.sum()).pvalue > LIKELY


@pytest.mark.parametrize("power", [0.0, 0.75, 1.0])
@pytest.mark.parametrize("directed", [False, True])
def test_each_pair_as_often_as_it_should(device, power, directed):
    graph = small(device, directed)
    near = neighbors_of(graph)
    tails = CPU.asarray(graph.degree()).astype(float) ** power
    heads = CPU.asarray(graph.in_degree()).astype(float) ** power
    chances = {
        (u, v): tails[u] * heads[v]
        for u, v in product(range(7), repeat=2)
        if u != v and v not in near[u] and tails[u] * heads[v] > 0
    }
    check_chances(pairs_of(mg.negative_samples(graph, 40_000, power=power, seed=5)), chances)
    for source in (1, 4):
        of_source = {pair: heads[pair[1]] for pair in chances if pair[0] == source}
        found = mg.negative_samples(graph, 20_000, sources=[source], power=power, seed=6)
        check_chances(pairs_of(found), of_source)


@pytest.mark.parametrize("power", [0.0, 0.75])
def test_a_source_with_edges_to_nearly_all(device, power, monkeypatch):
    src, dst = [0] * 60 + [61, 62, 62, 62], [*range(1, 61), 1, 1, 2, 3]
    graph = mg.Graph.from_edges(src, dst, device=device)
    chances = {(0, 61): 1.0, (0, 62): 3.0**power}
    for draws in (64, 1):  # of few draws in a row; nearly always from among all
        monkeypatch.setattr(draw, "HEADS", draws)
        check_chances(pairs_of(mg.negative_samples(graph, 20_000, sources=0, power=power)), chances)


# --- bounds ----------------------------------------------------------------------------------------------------------


def test_no_pair_at_all(device):
    graph = mg.generate.complete(5, device=device)
    with pytest.raises(GraphError, match=r"1024 drawn pairs in a row have an edge.*: pass sources= to"):
        mg.negative_samples(graph, 3)
    star = mg.generate.star(5, device=device)
    assert len(pairs_of(mg.negative_samples(star, 50))) == 50  # of leaves
    with pytest.raises(GraphError, match="source 0 has an edge to each vertex"):
        mg.negative_samples(star, 2, sources=[3, 0])


def test_shapes(device):
    graph = mg.generate.path(6, device=device)
    found = mg.negative_samples(graph, 2, sources=[5, 0, 5])
    assert CPU.asarray(found.src).tolist() == [5, 5, 0, 0, 5, 5]
    for sources in (None, [], [3]):
        assert mg.negative_samples(graph, 0, sources=sources).dst.shape == (0,)
    assert mg.negative_samples(graph, 4, sources=[]).dst.shape == (0,)


def test_seeds(device):
    graph = mg.generate.cycle(50, device=device)
    found = [pairs_of(mg.negative_samples(graph, 50, seed=seed)) for seed in (0, 0, 1, -1)]
    assert found[0] == found[1] != found[2] != found[3]


@pytest.mark.parametrize(
    ("count", "options", "error", "complaint"),
    [
        (-1, {}, GraphError, "count must be between 0 and"),
        (2.0, {}, GraphError, "count must be a whole number"),
        (2, {"sources": [4]}, GraphError, r"sources\[0\] is 4"),
        (2, {"power": 1.5}, ProblemError, "power=1.5 must be a number from 0 to 1"),
        (2, {"power": "high"}, ProblemError, "power='high' must be a number"),
        (2, {"power": float("nan")}, ProblemError, "power=nan must be a number"),
        (2, {"seed": "a"}, GraphError, "seed must be a whole number"),
    ],
)
def test_bad_arguments(device, count, options, error, complaint):
    with pytest.raises(error, match=complaint):
        mg.negative_samples(mg.generate.path(4, device=device), count, **options)


@pytest.mark.parametrize("power", [np.float32(0.5), np.int64(1)])
def test_a_power_of_any_type_of_number(device, power):
    graph = mg.generate.lattice(5, 5, device=device)
    pairs, expected = (mg.negative_samples(graph, 20, power=each) for each in (power, float(power)))
    assert pairs.dst.tolist() == expected.dst.tolist()


def test_by_degree_without_edges(device):
    graph = mg.Graph.from_edges([], [], num_vertices=3, device=device)
    with pytest.raises(GraphError, match="the graph has no edges"):
        mg.negative_samples(graph, 2, power=0.5)
