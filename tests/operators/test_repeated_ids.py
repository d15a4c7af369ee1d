"""Frontiers that have an id many times, as a search without duplicates='remove' may produce."""

import re
from functools import cache

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add
from minigr.device import CPU
from minigr.errors import CapacityError, ProblemError
from minigr.schedules.choice import BALANCES
from tests.layouts import arcs_of, slabs_of
from tests.operators.common import skip_alike

LAYOUTS = ["csr", "slabs"]
SHARING = {"advance": {"output": None}, "neighbor_reduce": {"reduce": "add"}}
TIMES = [1, 2, 5, 40, 1], [1, 400, 1]  # for each hub; the last ones show that an error has no later effect


class Hits(mg.Problem):
    hits = mg.vertex_field(np.int64)


class Counts(mg.Functor):
    """Counts edges at the vertices that they come from."""

    def apply_advance(src, hits):
        atomic_add(hits, src, 1)

    def map(dst):
        return 1

    def apply_reduce(vertex, value, hits):
        atomic_add(hits, vertex, value)

    def key(dst):
        return dst

    def apply_group(vertex, value, hits):
        atomic_add(hits, vertex, value)

    def apply_count(src, count, hits):
        atomic_add(hits, src, count)


@cache
def hubs(layout, device):
    """Vertex 0 has a row that all threads share, also on a CPU; a block of a GPU may take the row of vertex 1."""
    ends = [0] * 17_000 + [1] * 900, [*range(1, 17_001), *range(2, 902)]
    graph = mg.Graph.from_edges(*ends, directed=True, device=device)
    return graph if layout == "csr" else slabs_of(graph)


def check(operator, graph, frontier, vertex, expected, **options):
    """Check that the operator counts all edges or neighbors, or raises because it has no room for them."""
    problem, refused = Hits(graph), None
    try:
        getattr(mg.operators, operator)(problem, frontier, Counts, **options)
    except CapacityError as error:
        refused = str(error)
    if refused is None:
        assert CPU.asarray(problem.hits)[vertex] == expected
    else:
        assert re.match(rf"{operator} .* holds an id more than once.* duplicates='remove'", refused)
        assert graph._device.is_cuda, refused
        assert len(frontier) > 1, refused
        assert options.get("balance") != "merge", refused


def check_hubs(operator, graph, **options):
    for vertex, degree in enumerate((17_000, 900)):
        for times in TIMES[vertex]:
            check(operator, graph, mg.Frontier.of([vertex] * times), vertex, times * degree, **options)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("balance", BALANCES[1:])
@pytest.mark.parametrize("operator", SHARING)
def test_strategies_share_hubs_that_come_often(device, operator, balance, layout):
    graph = hubs(layout, device)
    skip_alike(graph, balance != "block" and balance)
    check_hubs(operator, graph, balance=balance, **SHARING[operator])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_groups_of_hubs_that_come_often(device, layout):
    check_hubs("reduce_by_key", hubs(layout, device))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_edge_that_comes_often(device, layout):
    graph = hubs(layout, device)
    ids, src, dst, _ = arcs_of(graph)
    between = ids[(src[ids] == 0) & (dst[ids] == 1)]
    for times in TIMES[0]:
        check("intersect", graph, mg.Frontier.of_edges(np.repeat(between, times)), 0, times * 900)


def test_edges_that_lead_to_a_hub(device):
    graph = mg.generate.star(600, device=device)
    ids, _, dst, _ = arcs_of(graph)
    check("advance", graph, mg.Frontier.of_edges(ids[dst == 0]), 0, 599 * 599, output=None)


class Keeps(mg.Functor):
    def cond_filter():
        return True


class Idempotent(mg.Enactor, problem=Hits):
    def step(self, frontier):
        return self.filter(self.advance(frontier, Counts, duplicates="keep"), Keeps)


@pytest.mark.parametrize("driver", ["fused", "host"])
def test_a_search_that_comes_to_a_hub_from_all_sides(device, driver):
    search = Idempotent(mg.generate.star(600, device=device), driver=driver)
    for _ in range(2):
        with pytest.raises(CapacityError, match=r"advance .* holds an id more than once.* duplicates='remove'"):
            search.run(mg.Frontier.of(0))


class Grows(mg.Enactor, problem=Hits):
    """Begins its second step with a list that is longer than the graph."""

    def step(self, frontier):
        self.advance(self.filter(frontier, Keeps), Counts, output=None, balance="merge")
        return self.filter(mg.Frontier.of([0] * 500), Keeps)


def test_a_step_may_return_a_longer_list_than_the_graph(device):
    grows = Grows(mg.generate.star(9, directed=True, device=device), max_iterations=3)
    grows.run(mg.Frontier.of(0))
    assert int(grows.problem.hits[0]) == 8 * (1 + 500 + 500)


class ToFirst(mg.Functor):
    """Accepts edges to vertex 0. With more than one of them ``duplicates="impossible"`` is a wrong promise."""

    def cond_advance(dst):
        return dst == 0


def test_a_lie_about_duplicates_reaches_no_smaller_graph(device):
    large, small = (mg.generate.complete(n, device=device) for n in (60, 3))
    lie = mg.operators.advance(Hits(large), mg.Frontier.of(range(1, 60)), ToFirst, duplicates="impossible")
    with pytest.raises(ProblemError, match=r"frontier holds 59 ids, but there are 3 vertices.*'impossible'"):
        mg.operators.neighbor_reduce(Hits(small), lie, Counts, reduce="add", by="position", into="hits")
