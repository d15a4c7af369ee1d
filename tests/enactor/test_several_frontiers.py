"""Steps that take several frontiers and return as many: searches from both ends, and frontiers that stay."""

from functools import cache

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_cas
from minigr.device import CPU
from minigr.errors import ProblemError
from minigr.program import cpu, cuda, executor
from minigr.program.control import Stop, Word
from tests.layouts import arcs_of, slabs_of

pytestmark = pytest.mark.usefixtures("team")


@cache
def graphs(device):
    rmat = mg.generate.rmat(8, 6, seed=3, directed=True, device=device)
    return {
        "path": mg.generate.path(30, directed=True, device=device),
        "lattice": mg.generate.lattice(6, 5, device=device),
        "star": mg.generate.star(20_000 if device == "cpu" else 2000, device=device),  # with a hub that is shared
        "rmat": rmat,
        "slabs": slabs_of(rmat, deleted=3),
        "two parts": mg.Graph.from_edges([0, 1, 3, 4], [1, 2, 4, 5], num_vertices=6, directed=True, device=device),
        "alone": mg.Graph.from_edges([], [], num_vertices=1, directed=True, device=device),
    }


class Ends(mg.Problem):
    ahead = mg.vertex_field(np.int32, fill=-1)
    back = mg.vertex_field(np.int32, fill=-1)
    visits = mg.vertex_field(np.int64)
    told = mg.edge_field(np.int64)
    met = mg.scalar_field(np.int64)
    most = mg.parameter(np.int32, default=1 << 30)


class Ahead(mg.Functor):
    def cond_target(dst, ahead):
        return ahead[dst] < 0

    def cond_advance(dst, iteration, ahead):
        return atomic_cas(ahead, dst, -1, iteration) == -1

    def apply(vertex, ahead, back):
        return ahead[vertex] >= 0 and back[vertex] >= 0

    def until(met):
        return met > 0


class Back(mg.Functor):
    def cond_target(dst, back):
        return back[dst] < 0

    def cond_advance(dst, iteration, back):
        return atomic_cas(back, dst, -1, iteration) == -1


class Search(mg.Enactor, problem=Ends):
    """From both ends, until both searches have come to an end."""

    options = ({"duplicates": "impossible"}, {"reverse": True})

    def start(self, source, target):
        self.problem.ahead[source], self.problem.back[target] = 0, 0
        return mg.Frontier.of(source), mg.Frontier.of(target)

    def step(self, forward, backward):
        for_forward, for_backward = self.options
        return self.advance(forward, Ahead, **for_forward), self.advance(backward, Back, **for_backward)


class SearchByPulls(Search):
    """The first decides in each step; the second is pushed."""

    options = ({"duplicates": "impossible", "direction": "auto"}, {"reverse": True, "duplicates": "impossible"})


class SearchPulling(Search):
    """The first is always pulled, after its end too."""

    options = ({"duplicates": "impossible", "direction": "pull"}, {"reverse": True, "duplicates": "impossible"})


class Meet(mg.Enactor, problem=Ends, functor=Ahead):
    """Until they meet."""

    def start(self, source, target):
        self.problem.ahead[source], self.problem.back[target] = 0, 0
        return mg.Frontier.of(source), mg.Frontier.of(target)

    def step(self, forward, backward):
        forward, backward = self.advance(forward), self.advance(backward, Back, reverse=True)
        self.compute(forward | backward, into="met")
        return forward, backward


@cache
def levels_of(device, name, source, reverse, limit=1 << 30):
    """Depths by a loop over the arcs of a graph, -1 where a search of so many steps does not come to."""
    graph = graphs(device)[name]
    ids, src, dst, _ = arcs_of(graph)
    if reverse:
        src, dst = dst, src
    rows = [[] for _ in range(graph.num_vertices)]
    for edge in ids:
        rows[src[edge]].append(int(dst[edge]))
    depth, frontier, levels = [-1] * graph.num_vertices, [source], [[source]]
    depth[source] = 0
    while frontier and len(levels) <= limit:
        frontier = sorted({d for v in frontier for d in rows[v] if depth[d] < 0})
        for v in frontier:
            depth[v] = len(levels)
        levels.append(frontier)
    return depth, levels


def last(graph):
    return int(CPU.asarray(graph.live_vertices())[-1]) if graph.layout == "slabs" else graph.num_vertices - 1


def check(name, enactor, target, limit=1 << 30):
    """That both searches went as far as they should, in as many steps."""
    device = enactor.graph.device
    (ahead, to), (back, fro) = levels_of(device, name, 0, False, limit), levels_of(device, name, target, True, limit)
    assert CPU.asarray(enactor.problem.ahead).tolist() == ahead, name
    assert CPU.asarray(enactor.problem.back).tolist() == back, name
    assert (name, enactor.iterations) == (name, min(limit, max(len(to), len(fro)) - 1))
    ended = not to[-1] and not fro[-1]
    assert enactor.stopped is (Stop.EMPTY if ended else Stop.BUDGET)


@pytest.mark.parametrize("kind", [Search, SearchByPulls, SearchPulling])
def test_two_searches(where, kind):
    device, driver = where
    for name, graph in graphs(device).items():
        enactor = kind(graph, driver=driver)
        enactor.run(0, last(graph))
        check(name, enactor, last(graph))


@pytest.mark.parametrize("kind", [Search, SearchByPulls, SearchPulling])
def test_one_search_ends_long_before_the_other(where, kind):
    device, driver = where
    graph = mg.Graph.from_edges([*range(40), 41, 41, 42], [*range(1, 41), 42, 43, 44], directed=True, device=device)
    for source, target in ((41, 40), (0, 44)):
        enactor = kind(graph, driver=driver)
        enactor.run(source, target)
        ahead, back = (CPU.asarray(getattr(enactor.problem, field)).tolist() for field in ("ahead", "back"))
        chain, star = [*range(41)], [0, 1, 1, 2]
        assert ahead == ([-1] * 41 + star if source == 41 else [*chain, -1, -1, -1, -1])
        assert back == ([*chain[::-1], -1, -1, -1, -1] if target == 40 else [-1] * 41 + [2, 1, -1, 0])
        assert (enactor.iterations, enactor.stopped) == (41, Stop.EMPTY)


def test_the_first_search_pulls():
    """Otherwise that comparison would compare little."""
    enactor = SearchByPulls(graphs("cpu")["rmat"])
    run = enactor._execute(enactor._started((0, 5), {}))
    assert run.control[Word.PULLS] > 0


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_what_comes_back(where, limit):
    device, driver = where
    for name, graph in graphs(device).items():
        enactor = Search(graph, driver=driver, max_iterations=limit)
        assert enactor.memory((mg.Frontier.of(0), mg.Frontier.of(0))) > 0
        found = enactor.run_for_output(0, last(graph))
        assert isinstance(found, tuple)
        check(name, enactor, last(graph), limit)
        for frontier, (_, levels) in zip(
            found,
            (levels_of(device, name, 0, False, limit), levels_of(device, name, last(graph), True, limit)),
            strict=True,
        ):
            expected = levels[limit] if limit < len(levels) else []
            assert sorted(CPU.asarray(frontier.ids).tolist()) == expected
            assert frontier.distinct


@pytest.mark.parametrize(("first", "solo", "wide"), [(1, 0, 1), (2, 4, 16), (5, 1 << 62, 1 << 62)])
def test_changing_over(where, first, solo, wide, monkeypatch):
    """In the middle of a loop from one launch to the next, and from one kernel to another."""
    monkeypatch.setattr(executor, "_FIRST_BUDGET", first)
    monkeypatch.setattr(executor, "_SECONDS", 1e-9)
    monkeypatch.setattr(cuda, "_SOLO", solo)
    monkeypatch.setattr(cuda, "_WIDE", wide)
    monkeypatch.setattr(cpu, "FIRST_SOLO", min(solo, 1 << 40))
    device, driver = where
    for name, graph in graphs(device).items():
        enactor = Search(graph, driver=driver)
        enactor.run(0, last(graph))
        check(name, enactor, last(graph))


def test_until_they_meet(where):
    device, driver = where
    for name in ("path", "lattice", "rmat", "two parts"):
        graph = graphs(device)[name]
        for target in range(1, graph.num_vertices, 1 + graph.num_vertices // 9):
            enactor = Meet(graph, driver=driver)
            enactor.run(0, target)
            distance = levels_of(device, name, 0, False)[0][target]
            ahead, back = (CPU.asarray(getattr(enactor.problem, field)) for field in ("ahead", "back"))
            both = (ahead >= 0) & (back >= 0)
            assert both.any() == (distance >= 0)
            assert enactor.stopped is (Stop.UNTIL if distance >= 0 else Stop.EMPTY)
            if distance >= 0:
                assert (ahead + back)[both].min() == distance
                assert enactor.iterations == (distance + 1) // 2


def test_trace(device):
    graph = graphs(device)["path"]
    enactor = Search(graph, trace=True)
    enactor.run(27, 2)
    rows = list(enactor.trace)
    assert [(row.frontier, row.output) for row in rows] == [(2, 2), (2, 2), (2, 0)]
    assert [row.edges for row in rows] == [2, 2, 0]


class AgainAndAgain(Search, steady=True):
    def start(self, source, target):
        self.problem.reset()
        return super().start(source, target)


def test_steadily(device):
    graph = graphs(device)["rmat"]
    enactor = AgainAndAgain(graph)
    for target in (5, 9, 200):
        enactor.run(0, target)
        check("rmat", enactor, target)


# --- frontiers of other kinds ----------------------------------------------------------------------------------------


class Count(mg.Functor):
    def apply(vertex, visits):
        atomic_add(visits, vertex, 1)

    def cond_filter(vertex, iteration, visits):
        return iteration < 3 + vertex % 2


class CountEdges(mg.Functor):
    def apply(edge, told):
        atomic_add(told, edge, 1)

    def cond_filter(edge, iteration):
        return iteration < 1 + edge % 4


class Mixed(mg.Enactor, problem=Ends, functor=Count):
    """Vertices that stay, edges that become fewer, all vertices, and all vertices at first."""

    def start(self, kept, edges):
        return mg.Frontier.of(kept), mg.Frontier.of_edges(edges), mg.Frontier.all_vertices(), mg.Frontier.all_vertices()

    def step(self, kept, edges, everyone, fewer):
        self.compute(kept)
        self.compute(edges, CountEdges)
        self.compute(everyone)
        self.compute(fewer)
        return None, self.filter(edges, CountEdges), everyone, self.filter(fewer)


@pytest.mark.parametrize("name", ["lattice", "slabs"])
def test_frontiers_of_all_kinds(where, name):
    device, driver = where
    graph = graphs(device)[name]
    ids = arcs_of(graph)[0]
    edges = ids[: len(ids) // 2]
    alive = np.arange(graph.num_vertices) if name == "lattice" else CPU.asarray(graph.live_vertices())
    enactor = Mixed(graph, driver=driver)
    found = enactor.run_for_output(alive[::3], edges)
    visits, told = np.zeros(graph.num_vertices, int), np.zeros(graph.num_edge_ids, int)
    visits[alive] = 4 + 3 + alive % 2
    visits[alive[::3]] += 4
    told[edges] = 1 + edges % 4
    assert CPU.asarray(enactor.problem.visits).tolist() == visits.tolist()
    assert CPU.asarray(enactor.problem.told).tolist() == told.tolist()
    assert (enactor.iterations, enactor.stopped) == (4, Stop.EMPTY)  # whatever is kept
    assert found[0] is None
    assert found[2] is None
    assert [(len(frontier), frontier.kind) for frontier in (found[1], found[3])] == [(0, "edges"), (0, "vertices")]


class Kept(Mixed):
    def step(self, kept, edges, everyone, fewer):
        self.compute(everyone)


def test_all_are_kept(device):
    enactor = Kept(graphs(device)["lattice"], max_iterations=3)
    assert enactor.run_for_output([1], [0]) == (None,) * 4
    assert CPU.asarray(enactor.problem.visits).tolist() == [3] * 30
    with pytest.raises(ProblemError, match="would never stop"):
        Kept(graphs(device)["lattice"]).run([1], [0])


class Repeat(mg.Enactor, problem=Ends, functor=Count):
    """The first frontier takes over what may repeat ids from the second."""

    def start(self):
        return mg.Frontier.of([0]), mg.Frontier.of([0])

    def step(self, copied, repeated):
        self.compute(copied)
        return self.filter(repeated), self.advance(repeated, Anyone, duplicates="keep")


class Anyone(mg.Functor):
    def cond_advance(dst):
        return True


def test_ids_that_repeat(device):
    enactor = Repeat(mg.generate.complete(5, device=device), max_iterations=2)
    copied, repeated = enactor.run_for_output()
    assert (len(copied), len(repeated)) == (4, 16)
    assert CPU.asarray(enactor.problem.visits).tolist() == [2, 0, 0, 0, 0]
    plan = enactor.record(enactor.start())
    assert [(own.input.distinct, own.input.capacity) for own in plan.frontiers] == [(False, 20), (False, 20)]


class CountInTurn(Count):
    def priority(vertex, visits):
        return visits[vertex]


class CountPairs(mg.Functor):
    def apply(src, dst, back):
        mg.atomic_add(back, src, dst)

    def cond_filter(src, dst, iteration):
        return iteration < src + dst


class OfAllKinds(mg.Enactor, problem=Ends, functor=CountInTurn):
    """Items of every kind and size are put out by one step, culled and with a far pile beside them."""

    def start(self, pairs):
        return mg.Frontier.of([0]), mg.Frontier.all_edges(), mg.Frontier.of_pairs(*pairs), mg.Frontier.of([1, 2])

    def step(self, near, edges, pairs, culled):
        self.compute(near)
        self.compute(edges, CountEdges)
        self.compute(pairs, CountPairs)
        self.compute(culled)
        return (
            self.near_far(self.filter(near), width=1.0),
            self.filter(edges, CountEdges),
            self.filter(pairs, CountPairs, duplicates="cull"),
            self.filter(culled, duplicates="cull"),
        )


def test_items_of_all_sizes(where):
    device, driver = where
    graph = graphs(device)["lattice"]
    enactor = OfAllKinds(graph, driver=driver)
    enactor.problem.back = [0] * 30
    enactor.run([[0, 1, 1, 3, 3], [1, 2, 3, 4, 1]])
    assert CPU.asarray(enactor.problem.told).tolist() == [1 + edge % 4 for edge in range(graph.num_edge_ids)]
    assert CPU.asarray(enactor.problem.back)[:5].tolist() == [1, 2 * 3 + 3 * 4, 0, 4 * 7 + 1 * 4, 0]
    assert CPU.asarray(enactor.problem.visits)[:4].tolist() == [3, 4, 3, 0]
    assert enactor.stopped == Stop.EMPTY


# --- with a far pile ------------------------------------------------------------------------------------------------


class Lengths(mg.Problem):
    length = mg.vertex_field(np.float64, fill=np.inf)
    back = mg.vertex_field(np.int32, fill=-1)


class Relax(mg.Functor):
    def cond_advance(src, dst, length):
        new = length[src] + 1 + (src + dst) % 5
        return mg.atomic_min(length, dst, new) > new

    def priority(vertex, length):
        return length[vertex]


class Nearest(mg.Enactor, problem=Lengths, functor=Relax):
    def start(self, source, target):
        self.problem.length[source], self.problem.back[target] = 0, 0
        return mg.Frontier.of(source), mg.Frontier.of(target)

    def step(self, near, backward):
        found = self.advance(near)
        return self.near_far(found, width=2.0), self.advance(backward, Back, reverse=True)


def test_a_far_pile(where):
    device, driver = where
    for name in ("path", "lattice", "rmat", "two parts"):
        graph = graphs(device)[name]
        enactor = Nearest(graph, driver=driver)
        enactor.run(0, last(graph))
        ids, src, dst, _ = arcs_of(graphs("cpu")[name])
        length = np.full(graph.num_vertices, np.inf)
        length[0] = 0
        for _ in range(graph.num_vertices):
            before = length.copy()
            np.minimum.at(length, dst[ids], length[src[ids]] + 1 + (src[ids].astype(int) + dst[ids]) % 5)
            if (before == length).all():
                break
        assert CPU.asarray(enactor.problem.length).tolist() == length.tolist()
        assert CPU.asarray(enactor.problem.back).tolist() == levels_of(device, name, last(graph), True)[0]


# --- what is refused ------------------------------------------------------------------------------------------------


class Returns(mg.Enactor, problem=Ends, functor=Count):
    def start(self, make, first=None):
        self.make = make
        return (mg.Frontier.of([0]), mg.Frontier.of([1])) if first is None else first

    def step(self, one, other):
        self.compute(one)
        return self.make(self, one, other)


class Keeps(Search, keeps_levels=True):
    pass


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda e, a, b: e.filter(a), "given 2 frontiers and must return a tuple of 2"),
        (lambda e, a, b: (a, b, a), "given 2 frontiers and must return a tuple of 2"),
        (lambda e, a, b: (e.filter(a), [1]), "must return what an operator returned, or None"),
        (lambda e, a, b: (b, a), "in the place of another"),
        (lambda e, a, b: (e.filter(a),) * 2, "one frontier in two places"),
        (lambda e, a, b: (e.filter(a), e.advance(b, Anyone, output="edges")), "returns one of edges"),
        (lambda e, a, b: (None, None), "would never stop"),
        (lambda e, a, b: None, "would never stop"),
        (
            lambda e, a, b: tuple(e.advance(x, f, direction="auto") for x, f in ((a, Ahead), (b, Back))),
            "more than one advance that pulls",
        ),
    ],
)
def test_steps_that_are_none(device, make, complaint):
    with pytest.raises(ProblemError, match=complaint):
        Returns(graphs(device)["lattice"]).run(make)


def test_what_else_is_refused(device):
    graph = graphs(device)["lattice"]
    with pytest.raises(ProblemError, match="a loop that keeps levels, or goes through levels, takes one frontier"):
        Keeps(graph).run(0, 1)
    levels = mg.Frontier.of_levels(kept_levels(graph))
    for first in ((levels, mg.Frontier.of(0)), (mg.Frontier.of(0), levels)):
        with pytest.raises(ProblemError, match="a loop that keeps levels, or goes through levels, takes one frontier"):
            Returns(graph).run(lambda e, a, b: None, first)
    with pytest.raises(ProblemError, match=r"must return a minigr.Frontier, got int"):
        Returns(graph).run(None, (mg.Frontier.of(0), 3))
    with pytest.raises(ProblemError, match=r"must return a minigr.Frontier, got tuple"):
        Returns(graph).run(None, ())
    with pytest.raises(ProblemError, match="id 99, but there are 30 vertices"):
        Returns(graph).run(lambda e, a, b: (e.filter(a), None), (mg.Frontier.of(0), mg.Frontier.of(99)))


class Walk(mg.Enactor, problem=Ends, functor=Ahead, keeps_levels=True):
    def step(self, frontier):
        return self.advance(frontier, duplicates="impossible")


def kept_levels(graph):
    walk = Walk(graph, max_iterations=3)
    walk.problem.ahead[0] = 0
    walk.run(mg.Frontier.of(0))
    return walk.levels


class One(mg.Enactor, problem=Ends, functor=Count):
    def start(self):
        return (mg.Frontier.of([0, 1]),)

    def step(self, frontier):
        self.compute(frontier)
        return (self.filter(frontier),)


def test_a_tuple_of_one(device):
    (found,) = One(graphs(device)["lattice"], max_iterations=3).run_for_output()
    assert CPU.asarray(found.ids).tolist() == [1]
