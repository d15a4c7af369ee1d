"""Samples of neighbors, over the battery, against samples in plain Python, and by what is drawn how often."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

import minigr as mg
from minigr.apps.neighbor_sampling import numbering
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.generate.keys import stream_key
from tests.layouts import slabs_of
from tests.verifiers import check_neighbor_sample

_MASK = 2**64 - 1
WAYS = [(False, False), (True, False), (False, True), (True, True)]  # replace, weighted


def bits_of(key, vertex, number):
    z = (key + ((vertex << 32) + number) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def even(key, vertex, number, count):
    return (bits_of(key, vertex, number) >> 32) * count >> 32


def part(key, vertex, number):
    return (bits_of(key, vertex, number) >> 11) * 2.0**-53


def edges_of(key, vertex, weights, fanout, replace, weighted):
    """Which of its edges a vertex draws, by shuffling a list and sorting all keys."""
    there = [place for place, weight in enumerate(weights) if weight > 0] if weighted else list(range(len(weights)))
    if not there or (fanout < 0 and not weighted):
        return there
    if replace and fanout > 0:
        if not weighted:
            return [even(key, vertex, rank, len(weights)) for rank in range(fanout)]
        sums = np.cumsum(np.array(weights, np.float64))
        return [int(np.searchsorted(sums, part(key, vertex, r) * sums[-1], side="right")) for r in range(fanout)]
    if weighted:
        number = {place: -np.log(1 - part(key, vertex, place)) / weights[place] for place in there}
        return sorted(there, key=number.__getitem__)[: fanout if fanout > 0 else None]
    if len(there) > fanout:
        for rank in range(fanout):
            other = rank + even(key, vertex, rank, len(there) - rank)
            there[rank], there[other] = there[other], there[rank]
    return there[:fanout]


def sample_of(graph, seeds, fanouts, replace, weighted, seed):
    """Which edges each layer draws, as a set or a sorted list with repeats."""
    rows = graph.in_edges()
    offsets, indices = CPU.asarray(rows.offsets).tolist(), CPU.asarray(rows.indices).tolist()
    ids = list(range(len(indices))) if rows.edge_ids is None else CPU.asarray(rows.edge_ids).tolist()
    weights = CPU.asarray(rows.weights).tolist() if weighted else [1] * len(indices)
    known, frontier, layers = set(seeds), list(seeds), []
    for layer, fanout in enumerate(fanouts):
        key, drawn, met = stream_key(seed, layer), [], []
        for vertex in frontier:
            begin, end = offsets[vertex], offsets[vertex + 1]
            places = edges_of(key, vertex, weights[begin:end], fanout, replace, weighted)
            drawn += [ids[begin + place] for place in places]
            met += [indices[begin + place] for place in places]
        frontier = [vertex for vertex in dict.fromkeys(met) if vertex not in known]
        known |= set(frontier)
        layers.append(sorted(drawn))
    return layers


def layers_of(sample):
    ends = np.cumsum(sample.num_sampled_edges)[:-1]
    return [np.sort(part).tolist() for part in np.split(CPU.asarray(sample.edge), ends)]


def check(graph, seeds, fanouts, replace=False, weighted=False, seed=0):
    sample = mg.sample_neighbors(graph, seeds, fanouts, replace=replace, weighted=weighted, seed=seed)
    check_neighbor_sample(graph, seeds, fanouts, sample, replace, weighted)
    assert layers_of(sample) == sample_of(graph, seeds, fanouts, replace, weighted, seed)
    return sample


def seeds_on(graph, count=9):
    return np.random.default_rng(5).permutation(graph.num_vertices)[:count].tolist()


def test_battery(graph):
    for replace, weighted in WAYS[: 2 + 2 * graph.weighted]:
        sample = check(graph, seeds_on(graph), [3, 2, -1], replace, weighted, seed=3)
        assert isinstance(sample.edge, resolve(graph.device).xp.ndarray)


@pytest.mark.parametrize("threads", ["1", "5"])
@pytest.mark.parametrize(("replace", "weighted"), WAYS)
def test_many_edges(device, replace, weighted, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.rmat(11, 16, seed=2, weights=(0, 5), directed=True, device=device)
    sample = check(graph, seeds_on(graph, 1500), [12, 20], replace, weighted)  # enough for a team
    assert min(sample.num_sampled_edges) > (2 if replace else 1) * 1500


def test_along_directions(device):
    graph = mg.generate.rmat(9, 8, seed=4, directed=True, device=device)
    seeds = seeds_on(graph)
    sample = mg.sample_neighbors(graph, seeds, [4, 4], inward=False)
    check_neighbor_sample(graph, seeds, [4, 4], sample, inward=False)
    other = mg.sample_neighbors(graph.reverse(), seeds, [4, 4])
    for name in ("node", "row", "col"):
        np.testing.assert_array_equal(*(CPU.asarray(getattr(each, name)) for each in (sample, other)))


@pytest.mark.parametrize(("replace", "weighted"), WAYS)
def test_over_slabs(device, replace, weighted):
    rows = mg.generate.rmat(8, 8, seed=1, directed=True, weights=(0, 9), device=device)
    seeds = seeds_on(rows, 30)
    options = {"replace": replace, "weighted": weighted}
    found = [mg.sample_neighbors(graph, seeds, [3, 3], **options) for graph in (rows, slabs_of(rows))]
    for name in ("node", "row", "col", "edge"):
        np.testing.assert_array_equal(*(CPU.asarray(getattr(each, name)) for each in found))


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.cycle(9, device=device))
    graph.delete_vertices([4])
    sample = mg.sample_neighbors(graph, [3], [2] * 9)
    assert sorted(CPU.asarray(sample.node).tolist()) == [0, 1, 2, 3, 5, 6, 7, 8]
    with pytest.raises(GraphError, match=r"seeds\[1\] is 4, which was deleted"):
        mg.sample_neighbors(graph, [5, 4], 2)


def test_seeds_of_random_numbers(device):
    graph = mg.generate.complete(60, device=device)
    found = [layers_of(mg.sample_neighbors(graph, range(9), [3, 3], seed=seed)) for seed in (0, 0, 1, -1)]
    assert found[0] == found[1] != found[2] != found[3]
    # A vertex draws the same in a layer, whichever others do.
    alone = mg.sample_neighbors(graph, [7], 3)
    assert set(CPU.asarray(alone.edge).tolist()) < set(found[0][0])
    with pytest.raises(GraphError, match="seed must be a whole number, got 'a'"):
        mg.sample_neighbors(graph, [0], 1, seed="a")


# --- how often each edge is drawn ------------------------------------------------------------------------------------

DRAWS, LIKELY = 24_000, 0.001
WEIGHTS = np.array([1, 2, 3, 4, 0, 5.5])


def draws_of(device, degree, fanout, weights=None, **options):
    """What vertices draw that all have the same edges, with the same weights: a row for each."""
    centers = np.repeat(np.arange(DRAWS), degree)
    targets = DRAWS + np.tile(np.arange(degree), DRAWS)
    given = None if weights is None else np.tile(weights, DRAWS)
    graph = mg.Graph.from_edges(centers, targets, given, directed=True, device=device)
    sample = mg.sample_neighbors(graph, np.arange(DRAWS), fanout, inward=False, seed=11, **options)
    return CPU.asarray(sample.edge).reshape(DRAWS, fanout) % degree


def chance_of(rows, cells):
    """How likely rows are that far from falling into cells with these chances, if they do."""
    kinds = {cell: number for number, cell in enumerate(cells)}
    seen = np.bincount([kinds[tuple(row)] for row in rows.tolist()], minlength=len(cells))
    return stats.chisquare(seen, DRAWS * np.array(list(cells.values()))).pvalue


def successive(weights, places):
    """The chance to draw these, in this order, one after the other of those that are left."""
    left, chance = weights.sum(), 1.0
    for place in places:
        chance, left = chance * weights[place] / left, left - weights[place]
    return chance


def test_all_orders_of_a_draw_are_alike(device):
    orders = list(permutations(range(6), 3))
    rows = draws_of(device, 6, 3)
    assert chance_of(rows, dict.fromkeys(orders, 1 / len(orders))) > LIKELY
    tilted = rows.copy()
    tilted[: DRAWS // 20] = np.sort(tilted[: DRAWS // 20])  # one in twenty is in order
    assert chance_of(tilted, dict.fromkeys(orders, 1 / len(orders))) < 1e-9


def test_draws_with_replacement_are_independent(device):
    pairs = {(first, second): 1 / 49 for first in range(7) for second in range(7)}
    assert chance_of(draws_of(device, 7, 2, replace=True), pairs) > LIKELY


def test_draws_by_weight_with_replacement(device):
    rows = draws_of(device, 6, 2, WEIGHTS, weighted=True, replace=True)
    chances = WEIGHTS / WEIGHTS.sum()
    there = np.flatnonzero(chances)
    assert chance_of(rows, {(u, v): chances[u] * chances[v] for u in there for v in there}) > LIKELY


@pytest.mark.parametrize("fanout", [1, 2, 3])
def test_draws_by_weight_without_replacement(device, fanout):
    rows = np.sort(draws_of(device, 6, fanout, WEIGHTS, weighted=True))
    sets = dict.fromkeys(combinations(np.flatnonzero(WEIGHTS).tolist(), fanout), 0.0)
    for places in sets:
        sets[places] = sum(successive(WEIGHTS, order) for order in permutations(places))
    assert chance_of(rows, sets) > LIKELY
    even = dict.fromkeys(sets, 1 / len(sets))
    assert chance_of(rows, even) < 1e-9


def test_vertices_and_layers_are_independent(device):
    graph = mg.generate.complete(9, device=device)
    graph = mg.Graph.from_edges(*graph.to_edges(both_ways=True)[:2], directed=True, device=device)
    pairs, apart = np.zeros((9, 9)), np.zeros((9, 9))
    for seed in range(1500):
        sample = mg.sample_neighbors(graph, [0], [1, 1], seed=seed)
        first, second = CPU.asarray(sample.node)[CPU.asarray(sample.row)].tolist()
        pairs[first, second] += 1
        both = mg.sample_neighbors(graph, [0, 1], 1, seed=seed)
        apart[tuple(CPU.asarray(both.node)[CPU.asarray(both.row)].tolist())] += 1
    seen = pairs[1:][np.arange(9) != np.arange(1, 9)[:, None]]  # any first one, and any second one but that
    assert stats.chisquare(seen).pvalue > LIKELY
    assert stats.chisquare(np.delete(np.delete(apart, 0, 0), 1, 1).ravel()).pvalue > LIKELY


# --- bounds ----------------------------------------------------------------------------------------------------------


def test_weights_near_the_ends_of_their_range(device):
    src, dst = np.zeros(5, int), np.arange(1, 6)
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    for replace in (False, True):
        found = [
            layers_of(
                mg.sample_neighbors(
                    mg.Graph.from_edges(src, dst, weights * scale, directed=True, device=device),
                    [0], [3], weighted=True, replace=replace, inward=False, seed=seed,
                )
            )
            for seed in range(5)
            for scale in (1.0, 2.0**1000, 2.0**-1000)
        ]  # fmt: skip
        assert found[::3] == found[1::3] == found[2::3]
    far = mg.Graph.from_edges([0] * 4, [1, 2, 3, 4], [1e-300, 1e300, 1.0, 0.0], directed=True, device=device)
    sample = mg.sample_neighbors(far, [0], [2], weighted=True, inward=False)
    assert layers_of(sample) == [[1, 2]]
    assert layers_of(mg.sample_neighbors(far, [0], [-1], weighted=True, inward=False)) == [[0, 1, 2]]


def test_nothing_to_draw(device):
    graph = mg.Graph.from_edges([0], [1], num_vertices=4, directed=True, device=device)
    for seeds, sizes in (([], (0, 0, 0)), ([0, 3], (2, 0, 0)), ([1], (1, 1, 0))):
        sample = mg.sample_neighbors(graph, seeds, [2, 2])
        check_neighbor_sample(graph, seeds, [2, 2], sample)
        assert sample.num_sampled_nodes == sizes
    sample = mg.sample_neighbors(graph, 1, [])
    assert (CPU.asarray(sample.node).tolist(), sample.num_sampled_nodes, sample.num_sampled_edges) == ([1], (1,), ())
    assert mg.sample_neighbors(mg.Graph.from_edges([], [], device=device), [], 3).node.size == 0


def test_stamps_are_kept_for_small_samples(device):
    graph = mg.generate.cycle(5000, device=device)
    seeds = np.arange(0, 5000, 500)
    expected = layers_of(mg.sample_neighbors(graph, seeds, [2, 1, 1]))
    kept = {} if resolve(device).is_cuda else {"stamps": 20_000}
    assert graph.kept == kept
    with pytest.raises(ProblemError, match="given twice"):
        mg.sample_neighbors(graph, [3, 3], 1)  # what it had is not kept
    for _ in range(3):
        assert layers_of(check(graph, seeds, [2, 1, 1])) == expected
        assert graph.kept == kept
        check(graph, range(1, 1000), [2])  # more than is worth clearing
    slabs = mg.DynamicGraph.from_graph(graph)
    for number in range(3):  # in each of them another graph
        slabs.insert_edges([number], [2500])
        mg.sample_neighbors(slabs, seeds, [2, 1])
        again = mg.DynamicGraph.from_graph(slabs.to_graph())
        assert layers_of(mg.sample_neighbors(slabs, seeds, [2, 1])) == layers_of(
            mg.sample_neighbors(again, seeds, [2, 1])
        )

    def run(_):
        return [layers_of(mg.sample_neighbors(graph, seeds, [2, 1, 1])) for _ in range(20)]

    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for some in pool.map(run, range(4)) for found in some)


def test_more_edges_than_stamps(device, monkeypatch):
    monkeypatch.setattr(numbering, "UNSEEN", 20)
    graph = mg.generate.complete(8, device=device)
    assert sum(mg.sample_neighbors(graph, [0, 1], -1).num_sampled_edges) == 14
    with pytest.raises(ProblemError, match="a layer has 21 edges, but 17 are the most"):
        mg.sample_neighbors(graph, [0, 1, 2], -1)


@pytest.mark.parametrize(
    ("seeds", "fanouts", "options", "error", "complaint"),
    [
        ([0, 4], 2, {}, GraphError, r"seeds\[1\] is 4"),
        ([-1], 2, {}, GraphError, "must not be negative"),
        ([0.0], 2, {}, GraphError, "seeds must hold integer vertex ids"),
        ([0, 2, 1, 2], 2, {}, ProblemError, r"seeds\[3\] is 2, which is given twice"),
        ([0], 0, {}, ProblemError, r"fanouts\[0\] is 0: give a whole number of at least 1"),
        ([0], [3, -2], {}, ProblemError, r"fanouts\[1\] is -2"),
        ([0], [3, 2.0], {}, ProblemError, r"fanouts\[1\] is 2.0"),
        ([0], 2**62, {}, ProblemError, r"fanouts\[0\] is 4611686018427387904"),
        ([0], 2, {"weighted": True}, GraphError, "sample_neighbors needs weights"),
    ],
)
def test_bad_arguments(device, seeds, fanouts, options, error, complaint):
    with pytest.raises(error, match=complaint):
        mg.sample_neighbors(mg.generate.path(4, device=device), seeds, fanouts, **options)
