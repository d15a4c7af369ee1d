"""advance compared with its specification, over the battery."""

import importlib

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add
from minigr.device import CPU
from minigr.errors import CapacityError, FunctorError, GraphError, ProblemError
from minigr.schedules.choice import BALANCES
from tests import specification
from tests.layouts import arcs_of, slabs_of
from tests.operators.common import (
    Claim,
    Position,
    Some,
    Unranked,
    Visits,
    frontiers,
    needs_order,
    problem_on,
    run_both,
    skip_alike,
    skip_repetition,
    some,
)

ADVANCE = importlib.import_module("minigr.operators.advance")  # because the package has a function of that name

PUSH = [
    ("vertices", {}),
    ("bitmap", {}),
    ("none", {}),
    ("vertices", {"duplicates": "keep"}),
    ("vertices", {"output": "edges"}),
    ("all", {}),
    ("edges", {"duplicates": "keep"}),
    ("edges", {"output": None}),
]
PULL = [
    ("vertices", {}),
    ("bitmap", {}),
    ("vertices", {"duplicates": "keep"}),
    ("all", {"output": None}),
]
CASES = [
    (start, {"direction": d, **options}) for d, cases in (("push", PUSH), ("pull", PULL)) for start, options in cases
]
FEW = ("vertices-push", "bitmap-push", "none-push", "all-push", "edges-push-None", "vertices-pull-keep")
BALANCED = [
    (start, {"balance": balance, "output": output})
    for start, output in (("vertices", "vertices"), ("all", "edges"), ("edges", None))
    for balance in BALANCES[1:]
] + [("none", {"balance": "merge"}), ("bitmap", {"balance": "merge"})]


LAYOUTS = {"csr": lambda graph: graph, "slabs": slabs_of}


def name_of(case):
    start, options = case
    return "-".join([start, *map(str, options.values())])


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_agrees_with_the_specification(graph, case):
    start, options = case
    skip_repetition(graph, name_of(case) not in FEW)
    problem, frontier = problem_on(graph), frontiers(graph)[start]
    if start == "edges" and options.get("duplicates") == "keep":
        visited = specification.advance(graph, frontier, some(graph), specification.fields_of(problem), **options)
        if len(visited) > graph.num_arcs:  # edges with a common destination visit its edges more than once
            with pytest.raises(CapacityError, match="remove"):
                mg.operators.advance(problem, frontier, some(graph), **options)
            return
    run_both("advance", problem, frontier, some(graph), **options)


@pytest.mark.parametrize("direction", ["push", "pull"])
def test_all_vertices_visit_every_edge_once(graph, direction):
    needs_order(graph)
    problem = problem_on(graph)
    problem.key = 0  # every target is accepted
    run_both("advance", problem, mg.Frontier.all_vertices(), Position, direction=direction, output=None)
    assert (CPU.asarray(problem.edge_hits) == 1).all()
    positions = CPU.asarray(problem.its_idx)
    assert sorted(positions.tolist()) == list(range(graph.num_arcs))


def test_a_list_of_all_vertices_visits_every_edge_once(graph):
    problem = problem_on(graph)
    mg.operators.advance(problem, mg.Frontier.of(range(graph.num_vertices)), Everything, output=None)
    assert (CPU.asarray(problem.edge_hits)[arcs_of(graph)[0]] == 1).all()
    assert CPU.asarray(problem.edge_hits).sum() == graph.num_arcs


class Everything(mg.Functor):
    def apply_advance(edge, edge_hits):
        mg.atomic_add(edge_hits, edge, 1)


@pytest.mark.parametrize(("start", "direction"), [("vertices", "push"), ("vertices", "pull"), ("vertices", "auto")])
def test_a_claim_makes_duplicates_impossible(graph, start, direction):
    skip_repetition(graph, direction != "auto")
    problem = problem_on(graph)
    ids = run_both("advance", problem, frontiers(graph)[start], Claim, direction=direction, duplicates="impossible")
    assert len(np.unique(ids)) == len(ids)


@pytest.mark.parametrize("direction", ["push", "pull"])
def test_targets_are_asked_in_both_directions(graph, direction):
    needs_order(graph)
    run_both("advance", problem_on(graph), mg.Frontier.all_vertices(), Position, direction=direction, output=None)


def test_edges_of_a_pull_are_arcs_from_source_to_destination(graph):
    problem = problem_on(graph)
    mg.operators.advance(problem, mg.Frontier.all_vertices(), some(graph), direction="pull", output=None)
    _, src, dst, _ = arcs_of(graph)
    noted = CPU.asarray(problem.edge_hits) > 0
    np.testing.assert_array_equal(CPU.asarray(problem.its_src)[noted], src[noted])
    np.testing.assert_array_equal(CPU.asarray(problem.its_dst)[noted], dst[noted])


class First(mg.Functor):
    """Searches for one of the edges that `Some` keeps."""

    cond_advance = Some.cond_advance

    def cond_target(dst, hits):
        return hits[dst] == 0

    def apply_advance(dst, edge, hits, edge_hits):
        atomic_add(hits, dst, 1)
        atomic_add(edge_hits, edge, 1)


def test_a_pull_from_all_vertices_ends_at_an_edge_that_will_do(graph):
    problem = problem_on(graph)
    mg.operators.advance(problem, mg.Frontier.all_vertices(), First, direction="pull", output=None)
    edge, src, dst, _ = arcs_of(graph)
    src, dst, key = src[edge], dst[edge], CPU.asarray(problem.key)
    will_do = (key[src] + 2 * key[dst]) % 3 != 0
    found, taken = CPU.asarray(problem.hits), CPU.asarray(problem.edge_hits)[edge]
    np.testing.assert_array_equal(found > 0, np.bincount(dst[will_do], minlength=graph.num_vertices) > 0)
    np.testing.assert_array_equal(found, np.bincount(dst, weights=taken, minlength=graph.num_vertices))
    assert not taken[~will_do].any()
    if graph.device == "cpu":  # one thread searches for a vertex there, edge after edge
        assert found.max(initial=0) <= 1


class Both(mg.Problem):
    given = mg.vertex_field("int32")
    taken = mg.vertex_field("int32")


class AtBothEnds(mg.Functor):
    def apply_advance(src, dst, given, taken):
        atomic_add(given, src, 1)
        atomic_add(taken, dst, 1)


class AtDestinations(mg.Functor):
    def apply_advance(dst, taken):
        atomic_add(taken, dst, 1)


@pytest.mark.parametrize("functor", [AtBothEnds, AtDestinations])
def test_no_change_is_lost_in_a_pull(device, team, functor):
    """All threads change values of the sources. On a CPU one thread works on each destination."""
    vertices, hubs = 20_000, 4
    src, dst = np.divmod(np.arange(hubs * vertices), vertices)
    graph = mg.Graph.from_edges(src, dst, num_vertices=vertices, directed=True, device=device)
    problem = Both(graph)
    mg.operators.advance(problem, mg.Frontier.all_vertices(), functor, direction="pull", output=None)
    _, src, dst, _ = arcs_of(graph)
    taken, given = CPU.asarray(problem.taken), CPU.asarray(problem.given)
    assert (taken == np.bincount(dst, minlength=vertices)).all()
    assert (given == (np.bincount(src, minlength=vertices) if functor is AtBothEnds else 0)).all()


class Always(mg.Functor):
    """Accepts every edge, so duplicates='impossible' is a wrong promise."""

    def cond_advance(dst):
        return True


class Two(mg.Enactor, problem=mg.Problem):
    """A wrong promise, and an operator that would then read past the end of the output."""

    def step(self, frontier):
        return self.advance(self.advance(frontier, Always, duplicates="impossible"), Always)


@pytest.mark.parametrize("everything", [False, True])
def test_an_overflow_is_an_error(device, everything):
    graph = mg.generate.complete(60, device=device)
    problem = problem_on(graph)
    frontier = mg.Frontier.all_vertices() if everything else mg.Frontier.of(range(60))
    with pytest.raises(CapacityError, match=r"advance put out more items than the 60 .* duplicates='remove'"):
        mg.operators.advance(problem, frontier, Always, duplicates="impossible")


def test_an_overflow_reaches_no_other_operator(device):
    enactor = Two(mg.generate.complete(600, device=device))
    with pytest.raises(CapacityError, match="held twice"):
        enactor.run(mg.Frontier.of(range(600)))


def test_duplicates_are_kept_removed_or_impossible(device):
    graph = mg.Graph.from_edges([0, 0, 1, 2], [3, 3, 3, 3], num_vertices=4, directed=True, device=device)
    problem, three = mg.Problem(graph), mg.Frontier.of([0, 1, 2])
    assert CPU.asarray(mg.operators.advance(problem, three, Always).ids).tolist() == [3]
    for direction in ("push", "pull"):
        assert len(mg.operators.advance(problem, three, Always, duplicates="keep", direction=direction)) == 4
    assert len(mg.operators.advance(problem, three, Always, output="edges", direction="pull")) == 4


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unweighted_graphs(device, layout):
    graph = LAYOUTS[layout](mg.generate.rmat(7, 8, seed=5, directed=True, device=device))
    for direction in ("push", "pull"):
        ids = run_both(
            "advance",
            problem_on(graph),
            frontiers(graph)["vertices"],
            Claim,
            direction=direction,
            duplicates="impossible",
        )
        assert len(ids)


@pytest.mark.parametrize(
    ("layout", "direction", "dtype"),
    [
        ("csr", "push", "int32"), ("csr", "pull", "int64"), ("csr", "push", "float32"), ("csr", "pull", "float64"),
        ("slabs", "push", "int32"), ("slabs", "push", "int64"), ("slabs", "push", "float64"),
    ],
)  # fmt: skip
def test_weights_of_each_dtype(device, layout, direction, dtype):
    values = np.array([3, -2, 7, 2**24 + 1], dtype)
    graph = LAYOUTS[layout](mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], values, directed=True, device=device))
    problem = Weights(graph)
    mg.operators.advance(problem, mg.Frontier.all_vertices(), NoteWeight, direction=direction, output=None)
    noted = CPU.asarray(problem.noted)
    assert noted.dtype == dtype
    ids, _, _, weights = arcs_of(graph)
    np.testing.assert_array_equal(noted[ids], weights[ids])


class Weights(mg.Problem):
    noted = mg.edge_field(lambda graph: graph.weight_dtype)


class NoteWeight(mg.Functor):
    def apply_advance(edge, weight, noted):
        noted[edge] = weight


@pytest.mark.parametrize(
    ("frontier", "options", "complaint"),
    [
        (mg.Frontier.all_edges(), {}, "to visit every edge once, advance from all vertices"),
        (mg.Frontier.of_edges([0]), {"direction": "pull"}, "direction='push'"),
        (mg.Frontier.of([0]), {"direction": "auto"}, "cond_target"),
        (mg.Frontier.of([0]), {"direction": "sideways"}, "'push', 'pull', 'auto'"),
        (mg.Frontier.of([0]), {"output": "triangles"}, "'vertices', 'edges', None"),
        (mg.Frontier.of([0]), {"duplicates": True}, "'remove', 'impossible', 'keep'"),
        (mg.Frontier.of([0]), {"balance": "block-level"}, "'auto', 'thread', 'tile', 'warp', 'block', 'merge'"),
        (mg.Frontier.of([4]), {}, "id 4, but there are 4 vertices"),
        (mg.Frontier.of_edges([9]), {}, "id 9, but there are 6 edges"),
    ],
)
def test_bad_input(device, frontier, options, complaint):
    problem = mg.Problem(mg.generate.path(4, device=device))
    with pytest.raises((ProblemError, FunctorError), match=complaint):
        mg.operators.advance(problem, frontier, Always, **options)


@pytest.mark.parametrize(
    ("start", "options"),
    [
        ("vertices", {"balance": "auto"}),
        ("vertices", {"balance": "merge", "duplicates": "keep"}),
        ("bitmap", {"balance": "auto"}),
        ("none", {"balance": "auto"}),
        ("all", {"balance": "merge"}),
        ("edges", {"balance": "auto", "output": None}),
        ("vertices", {"direction": "pull"}),
    ],
    ids=str,
)
def test_idx_counts_through_the_rows_of_the_frontier(graph, start, options):
    needs_order(graph)
    run_both("advance", problem_on(graph), frontiers(graph)[start], Position, **options)


@pytest.mark.parametrize("case", BALANCED, ids=name_of)
def test_strategies_agree_with_the_specification(graph, case):
    start, options = case
    skip_alike(graph, options["balance"])
    skip_repetition(graph, start in ("edges", "all"))
    run_both("advance", problem_on(graph), frontiers(graph)[start], some(graph), **options)


@pytest.mark.parametrize("balance", ["tile", "merge"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_strategies_in_a_search_that_may_pull(device, balance, layout):
    graph = mg.generate.rmat(9, 8, seed=5, device=device)
    search = Search(LAYOUTS[layout](graph), balance)
    skip_alike(search.graph, balance)
    search.run()
    np.testing.assert_array_equal(CPU.asarray(search.problem.depth), CPU.asarray(mg.bfs(graph, 0).depth))


class Search(mg.Enactor, problem=Visits):
    def __init__(self, graph, balance):
        super().__init__(graph)
        self.balance = balance

    def start(self):
        self.problem.depth[0] = 0
        return mg.Frontier.of(0)

    def step(self, frontier):
        options = {"duplicates": "impossible", "direction": "auto", "balance": self.balance}
        return self.advance(frontier, Claim, **options)


@pytest.mark.parametrize("balance", BALANCES[1:])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_strategies_share_a_hub(device, balance, layout):
    leaves = np.arange(2, 5002)
    ends = np.concatenate([np.zeros_like(leaves), np.ones_like(leaves)]), np.concatenate([leaves, leaves])
    graph = LAYOUTS[layout](
        mg.Graph.from_edges(*ends, directed=True, num_vertices=9000, device=device)  # has isolated vertices, too
    )
    skip_repetition(graph, balance != "merge")
    for frontier in (mg.Frontier.all_vertices(), mg.Frontier.of([1, 8000, 0]), mg.Frontier.of(range(8999, -1, -1))):
        problem = problem_on(graph)
        ids = mg.operators.advance(problem, frontier, Everything, balance=balance).ids
        np.testing.assert_array_equal(np.sort(CPU.asarray(ids)), leaves)
        assert (CPU.asarray(problem.edge_hits)[arcs_of(graph)[0]] == 1).all()
        assert CPU.asarray(problem.edge_hits).sum() == graph.num_arcs


def test_idx_and_strategies_that_do_not_know_it(device):
    problem = problem_on(mg.generate.path(4, device=device))
    one = mg.Frontier.of([0])
    with pytest.raises(FunctorError, match=r"Position asks advance for 'idx'.*balance='tile' doesn't.*'merge'"):
        mg.operators.advance(problem, one, Position, output=None, balance="tile")
    with pytest.raises(FunctorError, match=r"'idx'.* use direction='push' or 'pull'"):
        mg.operators.advance(problem, one, Position, direction="auto")
    with pytest.raises(ProblemError, match=r"balance='merge'.* direction is 'pull'"):
        mg.operators.advance(problem, one, Everything, direction="pull", balance="merge")


def test_operators_want_problems_frontiers_and_functors(device):
    problem = mg.Problem(mg.generate.path(4, device=device))
    with pytest.raises(ProblemError, match="got Graph"):
        mg.operators.advance(problem.graph, mg.Frontier.of([0]), Always)
    with pytest.raises(ProblemError, match=r"Frontier\.of"):
        mg.operators.advance(problem, [0], Always)
    for wrong in (None, Always.cond_advance, "Always", object):
        with pytest.raises(FunctorError, match=r"subclass of minigr\.Functor"):
            mg.operators.advance(problem, mg.Frontier.of([0]), wrong)


@pytest.mark.parametrize("case", [case for case in CASES if case[1]["direction"] == "push"], ids=name_of)
def test_hubs_are_shared(graph, case, monkeypatch):
    """The bound for hubs is so low that most vertices are hubs."""
    monkeypatch.setattr(ADVANCE, "HUB", 2)
    start, options = case
    if start == "edges" and options.get("duplicates") == "keep":
        pytest.skip("overflows on some graphs, with and without hubs")
    skip_repetition(graph, start not in ("vertices", "bitmap", "none") or options != {"direction": "push"})
    run_both("advance", problem_on(graph), frontiers(graph)[start], some(graph), **options)


def test_searches_through_hubs(monkeypatch):
    """Two hubs have the same leaves. Three threads share each hub in several steps."""
    monkeypatch.setattr(ADVANCE, "HUB", 100)
    leaves = np.arange(2, 5002)
    ends = np.concatenate([np.zeros_like(leaves), np.ones_like(leaves)]), np.concatenate([leaves, leaves])
    graph = mg.Graph.from_edges(*ends, np.ones(10000, np.float32), device="cpu")
    depth = np.concatenate([[0, 2], np.ones(5000)])
    np.testing.assert_array_equal(mg.bfs(graph, 0).depth, depth)
    np.testing.assert_array_equal(mg.sssp(graph, 0).distance, depth)


@pytest.mark.parametrize(
    ("start", "options"),
    [("vertices", {}), ("all", {"output": "edges"}), ("bitmap", {"direction": "pull", "output": None})],
    ids=str,
)
def test_only_what_came_since_the_mark(graph, start, options):
    if graph.layout == "csr":
        with pytest.raises(ProblemError, match=r"since='mark' takes a DynamicGraph"):
            mg.operators.advance(problem_on(graph), frontiers(graph)[start], Some, since="mark", **options)
        return
    run_both("advance", problem_on(graph), frontiers(graph)[start], Unranked, since="mark", **options)


def test_a_mark_is_needed(device):
    problem = mg.Problem(mg.DynamicGraph(3, device=device))
    with pytest.raises(ProblemError, match=r"no mark yet: call graph\.mark\(\)"):
        mg.operators.advance(problem, mg.Frontier.of(0), Always, since="mark")
    with pytest.raises(ProblemError, match=r"since='yesterday': use one of None, 'mark'"):
        mg.operators.advance(problem, mg.Frontier.of(0), Always, since="yesterday")


def test_what_slabs_do_not_know(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], [1.0, 2.0], device=device)
    problem = problem_on(graph)
    with pytest.raises(FunctorError, match=r"Some\.apply_advance .* asks advance for 'rank'.*use 'edge'.*to_graph"):
        mg.operators.advance(problem, mg.Frontier.of(0), Some)
    with pytest.raises(GraphError, match=r"advance with direction='pull' needs in-edges.*in_edges=True"):
        mg.operators.advance(problem, mg.Frontier.of(0), Unranked, direction="pull")
    with pytest.raises(ProblemError, match="edge id 30, which no edge has"):
        mg.operators.advance(problem, mg.Frontier.of_edges(30), Unranked)
    ids = mg.operators.advance(problem, mg.Frontier.of(0), Claim, direction="auto").ids  # must be a push
    assert CPU.asarray(ids).tolist() == [1]


def test_slabs_of_every_kind(device):
    """Graphs that stand for dynamic graphs have chains, tombstones, and vertices that moved."""
    graph = slabs_of(mg.generate.rmat(7, 8, seed=5, device=device), deleted=2)
    pool = CPU.asarray(graph.out_edges.pool).reshape(-1, 32)
    assert (pool[:, 31] >= 0).any()
    assert (pool[:, :30] == -2).any()
    assert (pool[:, 30] == -1).any()
    assert graph.longest_row() > 2 * 32
    assert graph.num_live_vertices == graph.num_vertices - 2
