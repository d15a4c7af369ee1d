"""Programs of users over parts: results are those on one device, or the program is refused with line and reason."""

from itertools import permutations

import numpy as np
import pytest

import minigr as mg
from minigr.errors import CapacityError, FieldIndexError, FunctorError, GraphError, ProblemError
from minigr.graphs.partitioned.exchange import InProcess
from minigr.operators import advance, compute, filter, near_far, neighbor_reduce, reduce_by_key

ALL = mg.Frontier.all_vertices()
DIRECTED = mg.generate.rmat(7, 6, seed=5, directed=True, weights=(1, 9), device="cpu")
SOURCE = int(DIRECTED.degree().argmax())
UNDIRECTED = mg.generate.rmat(7, 4, seed=6, weights=(1, 9), device="cpu")


@pytest.fixture(params=[(1, "auto"), (2, "ranges"), (3, "hash"), (4, "ranges")], ids=str)
def split(request, devices):
    count, deal = request.param
    return lambda graph: mg.PartitionedGraph.from_graph(graph, devices=devices(count), deal=deal)


def host(value):
    return np.asarray(value)


class Values(mg.Problem):
    x = mg.vertex_field("int32", fill=7)
    y = mg.vertex_field("int64")
    z = mg.vertex_field("float64")
    flag = mg.vertex_field("bool")
    byte = mg.vertex_field("uint8")
    row = mg.vertex_field("int32", columns=3)
    table = mg.array_field("int64")
    factor = mg.parameter("int64", default=3)
    total = mg.scalar_field("int64", fill=5)
    least = mg.scalar_field("float64")


def values(graph):
    return Values(graph, table=[5, 3, 1])


class Visit(mg.Functor):
    def cond_advance(src, dst, y):
        return mg.atomic_exch(y, dst, 1) == 0

    def apply_advance(src, dst, iteration, x, flag):
        x[dst] = iteration
        flag[dst] = True


class Reach(mg.Enactor, problem=Values, functor=Visit):
    def start(self, source):
        self.problem.y[source] = 1
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier)


def test_a_claim_lets_each_vertex_through_once(split):
    one, parts = (Reach(graph, table=[0]) for graph in (DIRECTED, split(DIRECTED)))
    for source in (SOURCE, 3):  # the second run starts with the fields that the first one left
        for enactor in (one, parts):
            enactor.run(source)
        assert (one.iterations, one.stopped) == (parts.iterations, parts.stopped)
        for name in ("x", "y", "flag"):
            assert (getattr(one.problem, name) == host(getattr(parts.problem, name))).all()


class VisitAgain(mg.Functor):
    def cond_advance(dst, iteration, x):
        return mg.atomic_max(x, dst, iteration) < iteration

    def apply_advance(dst, iteration, y, z, row):
        z[dst] = iteration
        if iteration % 3 == 1:
            y[dst] = iteration
        row[dst, iteration % 3] = iteration


class Again(mg.Enactor, problem=Values, functor=VisitAgain):
    def start(self, source):
        self.problem.x = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier)


@pytest.mark.parametrize("driver", ["auto", "host"])
def test_a_winner_stores_only_sometimes(split, driver):
    """A vertex is claimed again in later steps, by other parts."""
    graph = mg.generate.uniform(60, 150, seed=1, directed=True, device="cpu")
    one, parts = (Again(each, table=[0], max_iterations=9, driver=driver) for each in (graph, split(graph)))
    for enactor in (one, parts):
        enactor.run(0)
    for name in ("x", "y", "z", "row"):
        assert (getattr(one.problem, name) == host(getattr(parts.problem, name))).all(), name


class VisitAndLook(Visit):
    def map(dst, x):
        return x[dst] + 0.5


class Looking(mg.Enactor, problem=Values, functor=VisitAndLook):
    """Stores a field with a claim, and then reads the field at the neighbors."""

    def start(self, source):
        self.problem.y[source] = 1
        return mg.Frontier.of(source)

    def step(self, frontier):
        found = self.advance(frontier)
        self.neighbor_reduce(found, reduce="add", into="z")
        return found


def test_a_later_operator_reads_what_was_stored_with_a_claim(split):
    enactors = [Looking(graph, table=[0]) for graph in (UNDIRECTED, split(UNDIRECTED))]
    for enactor in enactors:
        enactor.run(0)
    one, parts = enactors
    for name in ("x", "z"):
        assert (getattr(one.problem, name) == host(getattr(parts.problem, name))).all()


class Carry(mg.Functor):
    def apply(vertex, iteration, y):
        y[vertex] = 10 * iteration

    def cond_target(dst, x):
        return x[dst] < 0

    def cond_advance(src, dst, x, y):
        return mg.atomic_cas(x, dst, -1, y[src]) == -1


class Carrying(mg.Enactor, problem=Values, functor=Carry):
    def start(self, source):
        self.problem.x = -1
        self.problem.x[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        self.compute(frontier)
        return self.advance(frontier, direction="auto")


def test_what_is_read_at_sources_is_up_to_date(split):
    """A part has no copies of a field that is read only at sources, so it can't pull."""
    graph = mg.generate.rmat(8, 16, seed=1, device="cpu")
    source = int(graph.degree().argmax())
    enactors = [Carrying(each, table=[0]) for each in (graph, split(graph))]
    for enactor in enactors:
        enactor.run(source)
    one, parts = enactors
    assert (one.problem.x == host(parts.problem.x)).all()


class Spread(mg.Functor):
    def apply_advance(src, dst, weight, x, y, z, row, byte, factor, table):
        mg.atomic_add(y, dst, factor * (src + table[src % 3]))
        mg.atomic_add(z, dst, weight)
        mg.atomic_min(x, dst, src - 50)
        mg.atomic_max(row, (dst, src % 3), src)
        byte[dst] = 9


class Halve(mg.Functor):
    def cond_advance(src, dst):
        return src % 2 == 0

    def apply_advance(src, dst, row, x):
        mg.atomic_max(row, (dst, 2), x[dst])


class Bits(mg.Functor):
    def cond_advance(src, dst, x):
        bit = 1 << (src % 3)
        before = mg.atomic_or(x, dst, bit)
        return before | bit != before


@pytest.mark.usefixtures("team")
def test_threads_share_the_work_of_a_part():
    graph = mg.generate.rmat(9, 8, seed=2, weights=(1, 99), device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=["cpu"] * 2, deal="hash")
    assert (host(mg.bfs(parts, 0).depth) == mg.bfs(graph, 0).depth).all()
    assert (host(mg.sssp(parts, 0).distance) == mg.sssp(graph, 0).distance).all()
    assert (host(mg.label_propagation(parts).label) == mg.label_propagation(graph).label).all()


@pytest.mark.parametrize("frontier", [ALL, mg.Frontier.of([0, 5, 9]), mg.Frontier.of([4, 4, 9])], ids=str)
def test_each_way_to_change_destinations(split, frontier):
    one, parts = values(DIRECTED), values(split(DIRECTED))
    for problem in (one, parts):
        problem.y = np.arange(128)
        for _ in range(2):
            found = advance(problem, frontier, Spread, duplicates="keep")
        advance(problem, frontier, Halve, output=None)
    for name in ("x", "y", "z", "row", "byte"):
        assert (getattr(one, name) == host(getattr(parts, name))).all()
    assert (np.sort(found.ids) == np.sort(advance(one, frontier, Spread, duplicates="keep").ids)).all()


def test_who_brings_a_new_bit_comes_through(split):
    found = []
    for graph in (DIRECTED, split(DIRECTED)):
        problem = values(graph)
        problem.x = np.arange(128) % 4
        put_out = [sorted(advance(problem, mg.Frontier.of([0, 1, 3]), Bits)), sorted(advance(problem, ALL, Bits))]
        found.append((put_out, host(problem.x).tolist()))
    assert found[0] == found[1]


class Look(mg.Functor):
    def cond_target(dst, y):
        return y[dst] < 90

    def apply_advance(src, dst, x, y, z):
        mg.atomic_max(y, dst, x[src] + 1)
        mg.atomic_add(z, dst, 1)

    def apply(vertex, x, y, total):
        x[vertex] = y[vertex]
        return y[vertex]


class Pulls(mg.Enactor, problem=Values, functor=Look):
    def step(self, frontier):
        self.advance(frontier, output=None, direction="pull")
        self.compute(frontier, into="total")


@pytest.mark.parametrize("driver", ["auto", "host"])
@pytest.mark.parametrize("graph", [DIRECTED, UNDIRECTED], ids=["directed", "undirected"])
def test_pulls_for_all_vertices(split, graph, driver):
    """Each part pulls for its own vertices, which see values of others from the step before."""
    one, parts = (Pulls(each, table=[0], max_iterations=4, driver=driver) for each in (graph, split(graph)))
    for enactor in (one, parts):
        enactor.problem.x = np.arange(128) * 5 % 77
        enactor.run()
    for name in ("x", "y", "z", "total"):
        assert (getattr(one.problem, name) == host(getattr(parts.problem, name))).all()


class Near(mg.Functor):
    def map(src, dst, weight, y):
        return weight + y[dst] - y[src]

    def apply_reduce(vertex, value, z):
        z[vertex] = value
        return int(value)

    def cond_reduce(vertex, value):
        return value > 40

    def apply(vertex, y, factor, total):
        y[vertex] = y[vertex] * factor + vertex + total
        return y[vertex] % 50

    def cond_filter(vertex, y):
        return y[vertex] % 3 != 0

    def key(src, dst, y):
        return y[dst] % 4

    def apply_group(vertex, key, value, row):
        if key < 3:
            row[vertex, key] = value


@pytest.mark.parametrize("direction", ["out", "in"])
@pytest.mark.parametrize("frontier", [ALL, mg.Frontier.of([0, 5, 9, 77])], ids=str)
def test_operators_over_vertices(split, direction, frontier):
    found = []
    for graph in (DIRECTED, split(DIRECTED)):
        problem = values(graph)
        problem.y = np.arange(128) * 7 % 30
        put_out = [neighbor_reduce(problem, frontier, Near, reduce="max", direction=direction, output="vertices")]
        neighbor_reduce(problem, frontier, Near, reduce="add", direction=direction, scalar="total", scalar_initial=1000)
        totals = [int(problem.total[0])]
        compute(problem, frontier, Near, into="total", reduce="max", initial=4)
        totals.append(int(problem.total[0]))
        put_out.append(filter(problem, frontier, Near))
        reduce_by_key(problem, frontier, Near, direction=direction)
        compute(problem, mg.Frontier.of([]), Near, into="total", initial=11)
        totals.append(int(problem.total[0]))
        ids = [sorted(each) for each in put_out]
        found.append((ids, totals, *[host(getattr(problem, name)).tolist() for name in ("y", "z", "row")]))
    assert found[0] == found[1]


class Grow(mg.Functor):
    def cond_advance(src, dst, x):
        return x[src] + 1 < x[dst] and x[src] + 1 < mg.atomic_min(x, dst, x[src] + 1)

    def apply(vertex, x):
        return 1

    def cond_filter(vertex, x):
        return x[vertex] < 4

    def until(total, iteration):
        return total > 70 or iteration == 9


class Both(mg.Enactor, problem=Values, functor=Grow):
    """Two frontiers, set operations, a filter, and scalars that accumulate over the steps."""

    def start(self, one, other):
        self.problem.x = 100
        self.problem.x[[one, other]] = 0
        return mg.Frontier.of(one), mg.Frontier.of(other)

    def step(self, one, other):
        both = one | other
        self.compute(both, into="total", accumulate=True, initial=2)
        after = self.advance(both)
        small = self.filter(after)
        return small & after, after - small


def test_several_frontiers_sets_and_until(split):
    enactors = [Both(graph, table=[0]) for graph in (UNDIRECTED, split(UNDIRECTED))]
    for enactor in enactors:
        enactor.out = enactor.run_for_output(1, 60)
    one, parts = enactors
    assert (one.iterations, one.stopped) == (parts.iterations, parts.stopped)
    assert one.problem.total == parts.problem.total
    assert (one.problem.x == host(parts.problem.x)).all()
    assert [sorted(each) for each in one.out] == [sorted(each) for each in parts.out]
    assert one.stopped is mg.Stop.UNTIL


def test_limits_and_progress(split):
    told = []
    enactor = Reach(split(DIRECTED), table=[0], max_iterations=2, progress=lambda done, of: told.append((done, of)))
    enactor.run(SOURCE)
    assert (enactor.iterations, enactor.stopped, told) == (2, mg.Stop.BUDGET, [(1, 2), (2, 2)])
    enactor = Reach(split(DIRECTED), table=[0], max_iterations=0)
    enactor.run(SOURCE)
    assert (enactor.iterations, enactor.stopped) == (0, mg.Stop.BUDGET)
    enactor.run([])
    assert enactor.stopped is mg.Stop.EMPTY


class Offer(mg.Functor):
    def apply_advance(src, dst, x):
        mg.atomic_max(x, dst, src)


class ReadAlong(mg.Functor):
    def apply_advance(dst, x, z):
        mg.atomic_add(z, dst, x[dst])


class PullAlong(mg.Functor):
    def map(src, x):
        return x[src]


def test_vertices_that_became_ghosts_are_read_from_their_owners(split):
    """In-edges bring new ghosts. Copies that were up to date before are not up to date for these."""
    for graph in (DIRECTED, split(DIRECTED)):
        problem = values(graph)
        advance(problem, ALL, Offer, output=None)
        advance(problem, ALL, ReadAlong, output=None)
        neighbor_reduce(problem, ALL, PullAlong, direction="in", reduce="add", into="y")
        if graph is DIRECTED:
            wanted = problem.y
    assert (host(problem.y) == wanted).all()


class Step(mg.Functor):
    def apply(vertex, x):
        x[vertex] += vertex

    def map(dst, x):
        return x[dst]


class StepAndLook(mg.Enactor, problem=Values, functor=Step):
    def step(self, frontier):
        self.compute(frontier)
        self.neighbor_reduce(frontier, reduce="add", into="y")


def test_copies_are_outdated_after_an_interrupt(monkeypatch):
    parts = mg.PartitionedGraph.from_graph(UNDIRECTED, devices=["cpu"] * 3, deal="hash")
    enactor = StepAndLook(parts, table=[0], max_iterations=1)
    enactor.run()

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(InProcess, "_deliver", interrupt)  # after the first operator, and before its news arrive
        with pytest.raises(KeyboardInterrupt):
            enactor.run()
    whole = Values(UNDIRECTED, table=[0], x=enactor.problem.x.gather())
    for problem in (whole, enactor.problem):
        neighbor_reduce(problem, ALL, Step, reduce="add", into="y")
    assert (host(enactor.problem.y) == whole.y).all()


def test_reset_sets_fields_to_their_fills_again(split):
    whole, parts = Reach(DIRECTED, table=[5, 3, 1]), Reach(split(DIRECTED), table=[5, 3, 1])
    for enactor in (whole, parts):
        enactor.run(SOURCE)
        enactor.problem.row = np.arange(3)[None, :] + np.zeros((DIRECTED.num_vertices, 1), int)
        enactor.problem.total = 9
        enactor.problem.reset()
        assert (host(enactor.problem.x) == 7).all()
        assert not host(enactor.problem.y).any()
        assert not host(enactor.problem.row).any()
        assert enactor.problem.total[0] == 5
        enactor.run(SOURCE)
    assert (host(parts.problem.x) == host(whole.problem.x)).all()


def test_what_is_left_by_an_exception(split):
    enactor = Reach(split(DIRECTED), table=[0], max_iterations=9, progress=lambda done, of: 1 / (2 - done))
    with pytest.raises(ZeroDivisionError):
        enactor.run(SOURCE)
    assert (enactor.iterations, enactor.stopped) == (2, None)


class Degrees(mg.Problem):
    left = mg.vertex_field("int64")
    turn = mg.vertex_field("int64", fill=-1)
    lost = mg.vertex_field("int64")


class Peel(mg.Functor):
    def priority(vertex, left):
        return left[vertex]

    def apply(vertex, iteration, turn):
        turn[vertex] = iteration

    def cond_advance(dst, turn):
        return turn[dst] < 0

    def apply_advance(src, dst, lost):
        mg.atomic_add(lost, dst, 1)

    def cond_filter(vertex, left, lost):
        left[vertex], lost[vertex] = left[vertex] - lost[vertex], 0
        return True


class Shells(mg.Enactor, problem=Degrees, functor=Peel):
    """Vertices come out by the fewest neighbors left; a waiting vertex that loses neighbors may come out earlier."""

    def start(self, falling):
        self.falling = falling
        return mg.Frontier.of([])

    def step(self, frontier):
        self.compute(frontier)
        fewer = self.filter(self.advance(frontier))
        return self.near_far(fewer, width=1, waiting=mg.Frontier.all_vertices(), falling=self.falling)


@pytest.mark.parametrize("falling", [False, True])
def test_what_waits_comes_by_its_priority(split, falling):
    graph = mg.generate.lattice(12, 9, 0.8, seed=2, device="cpu")
    enactors = [Shells(each) for each in (graph, split(graph))]
    for enactor in enactors:
        enactor.problem.left = graph.degree()
        enactor.run(falling)
    one, parts = enactors
    assert (one.problem.turn == host(parts.problem.turn)).all()
    assert one.problem.turn.min() > 0
    assert (one.iterations, one.stopped) == (parts.iterations, parts.stopped)


class Level(mg.Functor):
    def priority(vertex, z):
        return z[vertex]

    def cond_advance(src, dst, weight, z):
        return z[src] + weight < mg.atomic_min(z, dst, z[src] + weight)

    def apply(vertex, iteration, x):
        x[vertex] = iteration


class Paths(mg.Enactor, problem=Values, functor=Level):
    def start(self, source):
        self.problem.z, self.problem.x = np.inf, -1
        self.problem.z[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        self.compute(frontier)
        return self.near_far(self.advance(frontier), width=3)


def test_bands_are_those_of_one_device(split):
    enactors = [Paths(graph, table=[0]) for graph in (UNDIRECTED, split(UNDIRECTED))]
    for enactor in enactors:
        enactor.run(0)
    one, parts = enactors
    assert (one.problem.z == host(parts.problem.z)).all()
    assert one.iterations == parts.iterations
    assert (one.problem.x == host(parts.problem.x)).all()  # the step in which each vertex was visited last


class Waits(mg.Problem):
    priority_of = mg.vertex_field("float64")
    later = mg.vertex_field("float64")
    out = mg.vertex_field("int32")


class Lower(mg.Functor):
    def cond_filter(vertex, iteration):
        return iteration == 1  # each vertex joins once

    def priority(vertex, priority_of):
        return priority_of[vertex]

    def apply(vertex, iteration, out):
        out[vertex] = iteration

    def apply_advance(dst, later, priority_of):
        priority_of[dst] = later[dst]


class Bands(mg.Enactor, problem=Waits, functor=Lower):
    waiting, falling, lowers = None, False, False

    def step(self, frontier):
        near = self.near_far(self.filter(frontier), width=2.0, waiting=self.waiting, falling=self.falling)
        self.compute(near)
        if self.lowers:
            self.advance(near, output=None)
        return near


def bands(graph, priorities, come, **options):
    """The step in which each vertex came out, and the number of steps."""
    enactor = Bands(graph, priority_of=priorities, later=3.0 * np.arange(len(priorities)))
    vars(enactor).update(options)
    enactor.run(mg.Frontier.of(come))
    return host(enactor.problem.out).tolist(), enactor.iterations


def test_bands_begin_at_the_least_priority_that_waits(split):
    """Over gaps, beyond the rounding of floats, and where some vertices can't be reached or wait from the start."""
    rest = [0.5, -3.0, np.inf, np.nan, 1e6, 1e6 + 1.5, 1e6 + 2.5, 3.5, 1e17, 1e17 + 32, 1e18, -1e9]
    graph = mg.Graph.from_edges([], [], num_vertices=len(rest), directed=True, device="cpu")
    ids = np.arange(len(rest))
    for come, waiting in ((ids, None), (ids[1::2], ids[::3]), ([], ids), ([0], mg.Frontier.all_vertices())):
        options = {"waiting": mg.Frontier.of(waiting) if isinstance(waiting, np.ndarray) else waiting}
        assert bands(split(graph), rest, come, **options) == bands(graph, rest, come, **options)


def test_priorities_fall_unseen(split):
    """Each vertex lowers the priority of the next, which waits; with `falling` vertices come out in the new order."""
    path = mg.generate.path(60, directed=True, device="cpu")
    priorities = np.where(np.arange(60) == 0, 0.0, 1000.0 + np.arange(60))
    options = {"waiting": mg.Frontier.all_vertices(), "falling": True, "lowers": True}
    assert bands(split(path), priorities, [], **options) == bands(path, priorities, [], **options)
    assert bands(split(path), priorities, [], **options)[0] == list(range(1, 61))


class Winner(mg.Problem):
    best = mg.vertex_field("int64", fill=1 << 40)
    by = mg.vertex_field("int64", fill=-1)
    claimed = mg.vertex_field("int32", fill=-1)
    twice = mg.vertex_field("int32", fill=-1)
    odd = mg.vertex_field("int32")
    even = mg.vertex_field("int32")


class Take(mg.Functor):
    def cond_advance(src, dst, claimed):
        return mg.atomic_cas(claimed, dst, -1, src) == -1

    def apply_advance(src, dst, twice):
        twice[dst] = 2 * src


class Improve(mg.Functor):
    def cond_advance(src, dst, best):
        offer = (src * 37) % 101
        before = mg.atomic_min(best, dst, offer)
        return offer < before

    def apply_advance(src, dst, by):
        by[dst] = src


class Marks(mg.Functor):
    def apply_advance(src, dst, odd, even):
        if src % 2:
            odd[dst] = 1
        else:
            even[dst] = 1


def test_stores_are_the_winners(split):
    one, parts = Winner(DIRECTED), Winner(split(DIRECTED))
    for problem in (one, parts):
        assert len(advance(problem, ALL, Take, duplicates="impossible")) == (host(problem.claimed) >= 0).sum()
        advance(problem, ALL, Improve)
        advance(problem, ALL, Marks, output=None)
        claimed = host(problem.claimed)
        assert (host(problem.twice) == np.where(claimed >= 0, 2 * claimed, -1)).all()
    for name in ("best", "odd", "even"):
        assert (getattr(one, name) == host(getattr(parts, name))).all()
    by, best = host(parts.by), host(parts.best)
    offers = np.where(by >= 0, by * 37 % 101, 1 << 40)
    if parts.graph.parts[0].device.is_cuda:  # a thread that improved it later may store first
        assert ((offers >= best) & ((by >= 0) == (best < 1 << 40))).all()
    else:
        assert (offers == best).all()  # a CPU goes through the edges one after the other


class Offers(mg.Problem):
    best = mg.vertex_field("int64", fill=1 << 40)
    offer = mg.vertex_field("int64")
    given = mg.vertex_field("int32")
    got = mg.vertex_field("int32", fill=7)
    row = mg.vertex_field("int32", columns=2, fill=7)


class TakeBest(mg.Functor):
    def apply_advance(src, dst, best, offer, got, row, given):
        if offer[src] < mg.atomic_min(best, dst, offer[src]):
            got[dst] = given[src]
            row[dst, 0] = given[src]
            row[dst, 1] = given[src] + 1


class TakeBestFirst(mg.Functor):
    def cond_advance(src, dst, best, offer):
        return offer[src] < mg.atomic_min(best, dst, offer[src])

    def apply_advance(src, dst, got, row, given):
        got[dst] = given[src] if got[dst] >= 0 else -1
        row[dst, 0] = given[src]
        row[dst, 1] = given[src] + 1


class Best(mg.Enactor, problem=Offers, functor=TakeBest):
    def step(self, frontier):
        self.advance(frontier, output=None)


class BestFirst(Best, functor=TakeBestFirst):
    pass


@pytest.mark.parametrize("driver", ["auto", "host"])
@pytest.mark.parametrize("enactor", [Best, BestFirst])
def test_the_best_stores_what_was_there_before(devices, enactor, driver):
    """A store that changes nothing counts as much as others: stores of parts that lost don't stay."""
    graph = mg.Graph.from_edges([1, 2, 4], [0, 0, 0], num_vertices=6, directed=True, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(3), deal="ranges")  # each part has one of the edges
    for offers in permutations([3, 5, 9]):
        offer, given = np.zeros(6, np.int64), np.ones(6, np.int32)
        offer[[1, 2, 4]] = offers
        given[offer == 3] = 7
        made = enactor(parts, offer=offer, given=given, max_iterations=1, driver=driver)
        made.run()
        assert int(made.problem.best[0]) == 3
        assert [int(made.problem.got[0]), *host(made.problem.row)[0].tolist()] == [7, 7, 8]


class TakeRow(mg.Functor):
    def cond_advance(src, dst, y):
        return mg.atomic_cas(y, dst, 0, 1) == 0

    def apply_advance(src, dst, row):
        row[dst, 0] = src
        row[dst, 2] = src + 1


def test_a_row_is_stored_where_a_claim_holds(split):
    for frontier in (mg.Frontier.of([SOURCE, 3]), ALL):
        one, parts = values(DIRECTED), values(split(DIRECTED))
        for problem in (one, parts):
            problem.row = np.tile(np.int32([-1, 5, 0]), (DIRECTED.num_vertices, 1))
            advance(problem, frontier, TakeRow, duplicates="impossible")
        row, claimed = host(parts.row), host(one.y) == 1
        assert (host(parts.y) == one.y).all()
        assert ((row[:, 0] >= 0) == claimed).all()
        assert (row[:, 1] == 5).all()
        assert (row[:, 2] == row[:, 0] + 1).all()  # both values are from one part, or neither is


class Refused(mg.Problem):
    x = mg.vertex_field("int32")
    y = mg.vertex_field("int32")
    z = mg.vertex_field("float32")
    many = mg.vertex_field("int32", columns=2)
    table = mg.array_field("int64")
    total = mg.scalar_field("int64")


def functor(**functions):
    return type("F", (mg.Functor,), functions)


def jumps(vertex, x):
    x[vertex] = x[x[vertex]]


def above(x, vertex):
    return x[x[vertex]]


def jumps_by_helper(vertex, x):
    x[vertex] = above(x, vertex)


def counts(dst, x):
    return mg.atomic_add(x, dst, 1) == 3


def negates(dst, x):
    return not (dst > 3 and mg.atomic_cas(x, dst, 0, 1) == 0)


def returns_less(src, dst, x):
    return src > mg.atomic_min(x, dst, src)


def leaves(dst, x):
    if mg.atomic_cas(x, dst, 0, 1) == 0:
        return False
    return dst > 3


def asks_later(src, dst, x):
    return mg.atomic_cas(x, dst, 0, 1) == 0 and src > 3


def asks_within(src, dst, x):
    if mg.atomic_cas(x, dst, 0, 1) == 0:
        if src > 3:
            return True
        src = 2
    return False


def claims_twice(dst, x, y):
    return mg.atomic_cas(x, dst, 0, 1) == 0 and mg.atomic_cas(y, dst, 0, 1) == 0


def claims_either(dst, x, y):
    return mg.atomic_cas(x, dst, 0, 1) == 0 or mg.atomic_cas(y, dst, 0, 1) == 0


def claims_and_adds(src, dst, x, y):
    if mg.atomic_cas(x, dst, 0, 1) == 0:
        mg.atomic_add(y, dst, 1)
        return True
    return False


def claims_and_tells(src, dst, x, y):
    if mg.atomic_cas(x, dst, 0, 1) == 0:
        y[src] = dst
        return True
    return False


def stores_and_claims(src, dst, x, y):
    if src % 2:
        y[dst] = 1
    return mg.atomic_cas(x, dst, 0, 1) == 0


def stores_or_claims(src, dst, x, y):
    before = mg.atomic_min(x, dst, src - 9)
    if src > 3 or src - 9 < before:
        y[dst] = 1


def claims_a_row(dst, many):
    return mg.atomic_cas(many, (dst, 1), 0, 1) == 0


def increments(dst, x):
    x[dst] += 1


def adds_and_reads(dst, x, y):
    mg.atomic_add(x, dst, 1)
    y[dst] = x[dst]


def mixes(dst, x):
    mg.atomic_min(x, dst, 4)
    x[dst] = 3


def fills(src, table):
    table[0] = 1


def sees(src, graph):
    return graph.degree(src) > 1


def knows_edges(edge):
    return edge > 3


def knows_places(idx):
    return idx > 3


def maps_and_writes(src, x):
    x[src] = 1
    return 2


def looks(x):
    return x[0] > 3


def renamed(dst, x):
    other = dst
    x[other] = 1


def pulls_and_writes(src, x):
    x[src] = 1


HERE = r"test_programs\.py:\d+\) "


@pytest.mark.parametrize(
    ("name", "function", "message"),
    [
        ("apply", jumps, HERE + "uses 'x' at another index than src, dst or vertex"),
        ("apply", jumps_by_helper, r"F\.apply: above \(.*" + HERE + "uses 'x' at another index"),
        ("cond_advance", counts, HERE + "uses what atomic_add returns"),
        ("cond_advance", negates, HERE + "uses what atomic_cas returns"),
        ("cond_advance", returns_less, HERE + "uses what atomic_min returns"),
        ("cond_advance", leaves, HERE + "uses what atomic_cas returns"),
        ("cond_advance", asks_later, HERE + "uses what atomic_cas returns"),
        ("cond_advance", asks_within, HERE + "uses what atomic_cas returns"),
        ("cond_advance", claims_twice, HERE + "uses what atomic_cas returns"),
        ("cond_advance", claims_either, HERE + "changes 'y' besides a claim of 'x'|claims by 'y' besides 'x'"),
        ("cond_advance", claims_and_adds, HERE + "changes 'y' besides a claim of 'x'"),
        ("cond_advance", claims_and_tells, HERE + "changes 'y' besides a claim of 'x'"),
        ("cond_advance", stores_and_claims, HERE + "stores to 'y' also where the claim of 'x' does not hold"),
        ("apply_advance", stores_or_claims, HERE + "stores to 'y' also where the claim of 'x' does not"),
        ("cond_advance", claims_a_row, HERE + "claims a row's element of 'many'"),
        ("apply_advance", increments, HERE + "changes 'x' from its old value, .* use atomic_add"),
        ("apply_advance", adds_and_reads, HERE + "reads 'x' at a destination, to which others add"),
        ("apply_advance", mixes, HERE + "changes 'x' by store, and another line by atomic_min"),
        ("apply_advance", fills, HERE + "changes 'table', an array field"),
        ("apply_advance", renamed, HERE + "uses 'x' at another index"),
        ("cond_advance", sees, r"F\.cond_advance .* asks for 'graph'"),
        ("cond_advance", knows_edges, "asks for 'edge', but edges have no ids"),
        ("cond_advance", knows_places, "asks for 'idx', but positions"),
        ("map", maps_and_writes, HERE + "changes 'x' at an edge's end"),
        ("pull", pulls_and_writes, HERE + "changes 'x' at an edge's end, .* change it at dst"),
        ("until", looks, HERE + "looks at 'x', of which each part has other elements"),
    ],
)
def test_what_can_not_be_shared_out_is_refused(devices, name, function, message):
    graph = mg.PartitionedGraph.from_graph(DIRECTED, devices=devices(2))
    problem = Refused(graph, table=[1])
    method = "apply_advance" if name == "pull" else name
    made = functor(**{method: function}, **({"apply": lambda vertex: None} if name == "until" else {}))

    class Step(mg.Enactor, problem=Refused, functor=made):
        def step(self, frontier):
            if name.endswith("advance"):
                return self.advance(frontier)
            if name == "pull":
                return self.advance(frontier, output=None, direction="pull")
            if name == "map":
                return self.neighbor_reduce(frontier, reduce="add", into="x")
            return self.compute(frontier)

    with pytest.raises(FunctorError, match=message):
        Step(graph, problem=problem, max_iterations=2).run()
    assert not host(problem.x).any()


class PassOne(mg.Functor):
    def cond_advance(src, dst, x):
        return src == 0 or mg.atomic_cas(x, dst, 0, 1) == 0

    def apply_advance(src, dst, y):
        y[dst] = src


class PassOther(PassOne):
    def cond_advance(src, dst, x):
        if mg.atomic_cas(x, dst, 0, 1) == 0:
            return True
        return src == 0


@pytest.mark.parametrize("functor", [PassOne, PassOther])
def test_stores_of_edges_that_come_through_without_a_claim_are_refused(devices, functor):
    problem = Refused(mg.PartitionedGraph.from_graph(DIRECTED, devices=devices(2)), table=[1])
    with pytest.raises(FunctorError, match=HERE + "stores to 'y' also where the claim of 'x' does not hold"):
        advance(problem, ALL, functor)


class Every(mg.Functor):
    def cond_advance(dst):
        return True

    def apply_count(count):
        pass

    def apply(src):
        pass

    def priority(vertex):
        return 1

    def map(src):
        return 1


class Looks(mg.Functor):
    def apply(vertex, table):
        return table[vertex - 100] if vertex > 100 else 0


class ClaimEvery(mg.Functor):
    def cond_advance(dst, x):
        return mg.atomic_cas(x, dst, 0, 1) == 0


def test_options_that_parts_do_not_have_are_refused(devices):
    graph = mg.PartitionedGraph.from_graph(UNDIRECTED, devices=devices(2))
    problem, some = Refused(graph, table=[1]), mg.Frontier.of([1])
    refused = [
        (lambda: advance(problem, some, Every, output="edges"), "output='edges'"),
        (lambda: advance(problem, some, Every, direction="pull"), "use direction='push'"),
        (lambda: advance(problem, some, Every, reverse=True), "use direction='push'"),
        (lambda: advance(problem, some, ClaimEvery, duplicates="keep"), "duplicates='keep' with a claim of 'x'"),
        (lambda: compute(problem, mg.Frontier.all_edges(), Every), "takes vertices, got edges"),
        (lambda: mg.operators.intersect(problem, mg.Frontier.all_edges(), Every), "intersect is not done over"),
        (lambda: near_far(problem, some, Every, width=1.0), "only in the step of an Enactor"),
        (
            lambda: neighbor_reduce(problem, some, Every, reduce="add", into="x", by="position"),
            "by='position'",
        ),
        (lambda: compute(problem, mg.Frontier.of([900]), Looks), "900"),
    ]
    for call, message in refused:
        with pytest.raises(ProblemError, match=message):
            call()

    class Supports(mg.Problem):
        support = mg.edge_field("int32")

    with pytest.raises(GraphError, match=r"Supports\.support has an element for each edge"):
        Supports(graph)

    class Kept(Reach, keeps_levels=True):
        pass

    with pytest.raises(ProblemError, match="levels are not kept"):
        Kept(graph, table=[0]).run(0)
    with pytest.raises(ProblemError, match="depends on what parts send"):
        Reach(graph, table=[0]).memory(some)


def test_an_error_names_the_part(devices):
    graph = mg.PartitionedGraph.from_graph(UNDIRECTED, devices=devices(2), deal="ranges")

    problem = Refused(graph, table=[1])
    with pytest.raises(FieldIndexError, match=r"part 1 \((cpu|cuda:\d)\): .*Looks.*'table'"):
        compute(problem, ALL, Looks, into="total", debug=True)

    class Trusted(mg.Functor):
        def cond_advance(src):
            return True

    def trusting():
        return advance(Refused(graph, table=[1]), ALL, Trusted, duplicates="impossible")

    if graph.parts[0].device.is_cuda:  # GPUs that run a loop together stamp the items of their output
        assert len(trusting()) == (UNDIRECTED.degree() > 0).sum()
    else:
        with pytest.raises(CapacityError, match=r"part \d \(cpu\): advance put out more"):
            trusting()
