"""PartitionedDynamicGraph: batches over parts do the same as on one `DynamicGraph`, as a whole or not at all."""

import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import minigr as mg
from minigr.apps.common import orientation_in_parts
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.graphs.partitioned.dynamic_rows import DynamicRows
from tests.battery import BATTERY
from tests.graphs.dynamic.oracle import Oracle, arcs_of, check_slabs, rows_of
from tests.graphs.dynamic.trials import check_whole_without_room, interrupted

EXAMPLES = int(os.environ.get("MINIGR_TEST_EXAMPLES", 25))
CASES = [(1, "auto"), (2, "ranges"), (3, "hash"), (4, "auto")]
host = CPU.asarray


def check_parts(graph):
    """Check invariants of the parts: rows are only at their owners, and both ends know their ghosts."""
    for part in graph.parts:
        with part.device.as_current():
            check_part(graph, part)


def check_part(graph, part):
    """Check invariants of one part, whose device is the current one."""
    check_slabs(part.graph)
    owned = set(host(part.owned).tolist())
    for one in part.graph._directions:
        buckets = host(one.slabs.buckets())
        assert set(np.flatnonzero(buckets).tolist()) == owned
        ends = {v for _, v in arcs_of(rows_of(one.slabs))}
        known = host(part.xp.concatenate(part.ghosts)).tolist() if part.ghosts else []
        assert ends - owned <= set(known)
    for other, ghosts in enumerate(part.ghosts):
        ids = host(ghosts)
        assert (np.diff(ids) > 0).all()
        assert (graph.deal.owners(ids) == other).all()
        if len(graph.parts) == graph.num_parts:
            assert ids.tolist() == host(graph.parts[other].mirrors[part.index]).tolist()


def state(graph):
    """Everything that can be asked of a graph, in a form that can be compared."""
    check_parts(graph)
    rows = graph.gather()
    found = [graph.num_edges, graph.num_arcs, graph.num_self_loops, graph.degree().gather().tolist()]
    found += [graph.num_vertices, graph.num_live_vertices, graph.live_vertices().tolist(), since_mark(graph)]
    return [*found, sorted(arcs_of(rows.out_edges).items())]


def since_mark(graph):
    """The arcs since the mark, sorted; None if there is no mark."""
    if not graph.has_mark:
        return None
    src, dst, weights = (None if each is None else host(each).tolist() for each in graph.added_since_mark())
    return sorted(zip(src, dst, src if weights is None else weights, strict=True))


def machine(devices):
    """The class of state machines for one kind of devices."""

    class Machine(RuleBasedStateMachine):
        @initialize(
            n=st.integers(1, 9),
            parts=st.integers(1, 4),
            deal=st.sampled_from(("auto", "ranges", "hash")),
            directed=st.booleans(),
            weighted=st.sampled_from((False, "int32", "float64")),
            in_edges=st.booleans(),
            loops=st.booleans(),
            load_factor=st.sampled_from((0.3, 0.7, 3.5)),
        )
        def start(self, n, parts, deal, directed, weighted, in_edges, loops, load_factor):
            self.graph = mg.PartitionedDynamicGraph(
                n, devices=devices(parts), deal=deal, directed=directed, weighted=weighted, in_edges=in_edges,
                allow_self_loops=loops, load_factor=load_factor,
            )  # fmt: skip
            self.oracle = Oracle(n, directed, bool(weighted), loops)

        def pairs(self, seed, count):
            """Ends of edges, drawn among all vertices or, in most cases, among those that were not deleted."""
            rng, there = np.random.default_rng(seed), np.arange(self.oracle.n)
            live = np.setdiff1d(there, sorted(self.oracle.dead))
            there = live if seed % 8 and len(live) else there
            src, dst = there[rng.integers(0, len(there), (2, count))]
            src[rng.random(count) < 0.4] = there[0]
            return src, dst

        @rule(seed=st.integers(0, 2**20), count=st.sampled_from((0, 1, 3, 40, 300)), first=st.integers(0, 9))
        def insert(self, seed, count, first):
            src, dst = self.pairs(seed, count)
            if self.oracle.dead & {*src.tolist(), *dst.tolist()}:
                values = np.ones(count, self.graph.weight_dtype) if self.oracle.weighted else None
                with pytest.raises(GraphError, match=r"\] is \d+, a vertex that was deleted"):
                    self.graph.insert_edges(src, dst, values)
                return
            weights = [first + i for i in range(count)] if self.oracle.weighted else None
            want = self.oracle.insert(src.tolist(), dst.tolist(), weights)
            values = None if weights is None else np.array(weights, self.graph.weight_dtype)
            if seed % 2:
                got, mask = self.graph.insert_edges(src, dst, values, return_mask=True)
                assert mask.tolist() == want
            else:
                got = self.graph.insert_edges(src, dst, values)
            assert got == sum(want)

        @rule(seed=st.integers(0, 2**20), count=st.sampled_from((0, 1, 40, 300)))
        def delete(self, seed, count):
            src, dst = self.pairs(seed, count)
            want = self.oracle.delete(src.tolist(), dst.tolist())
            got, mask = self.graph.delete_edges(src, dst, return_mask=True)
            assert (got, mask.tolist()) == (sum(want), want)

        @rule(seed=st.integers(0, 2**20))
        def query(self, seed):
            src, dst = self.pairs(seed, 60)
            arcs = self.oracle.arcs()
            pairs = list(zip(src.tolist(), dst.tolist(), strict=True))
            assert self.graph.has_edges(src, dst).tolist() == [pair in arcs for pair in pairs]
            if self.oracle.weighted:
                found = self.graph.edge_weights(src, dst, default=-1)
                assert found.tolist() == [arcs.get(pair, -1) for pair in pairs]

        @rule(k=st.sampled_from((0, 1, 30)))
        def insert_vertices(self, k):
            if self.oracle.n < 100:
                assert self.graph.insert_vertices(k).tolist() == self.oracle.insert_vertices(k)

        @rule(k=st.sampled_from((1, 5)), seed=st.integers(0, 2**20), count=st.sampled_from((0, 3, 100)))
        def insert_vertices_with_edges(self, k, seed, count):
            if len(self.oracle.dead) < self.oracle.n < 100:
                src, dst = self.pairs(seed | 1, count)
                new = ~np.random.default_rng(seed).integers(0, k, count)
                ends = (new, dst) if seed % 2 else (src, new)
                weights = list(range(count)) if self.oracle.weighted else None
                values = None if weights is None else np.array(weights, self.graph.weight_dtype)
                ids = self.oracle.insert_vertices(k)
                assert self.graph.insert_vertices(k, *ends, values).tolist() == ids
                named = [np.where(each < 0, np.array(ids)[~np.minimum(each, -1)], each).tolist() for each in ends]
                self.oracle.insert(*named, weights)

        @rule(seed=st.integers(0, 2**20), count=st.sampled_from((0, 1, 4)))
        def delete_vertices(self, seed, count):
            ids = np.random.default_rng(seed).integers(0, self.oracle.n, count)
            assert self.graph.delete_vertices(ids) == self.oracle.delete_vertices(ids.tolist())

        @rule()
        def mark(self):
            self.graph.mark()

        @rule(load_factor=st.sampled_from((None, 0.2, 2.0)))
        def rehash(self, load_factor):
            self.graph.rehash(load_factor)

        @rule()
        def flush(self):
            self.graph.flush()
            assert not any(one.slabs.num_tombstones for part in self.graph.parts for one in part.graph._directions)

        @rule()
        def copy(self):
            self.graph = self.graph.copy()

        @invariant()
        def agrees(self):
            want, n = self.oracle.arcs(), self.oracle.n
            assert self.graph.num_vertices == n
            degrees = np.bincount([u for u, _ in want] or [], minlength=n).tolist()
            loops = sum(u == v for u, v in want)
            live = sorted(set(range(n)) - self.oracle.dead)
            counts = [len(self.oracle.edges), len(want), loops, degrees, n, len(live), live]
            assert state(self.graph) == [*counts, since_mark(self.graph), sorted(want.items())]
            assert self.graph.max_degree() == max(degrees, default=0)
            if self.graph.weighted:
                least, _, greatest = self.graph.weight_summary()
                assert (least, greatest) == (min(want.values(), default=0), max(want.values(), default=0))
            for part in self.graph.parts:
                if part.graph._in is not None:
                    owned = set(host(part.owned).tolist())
                    with part.device.as_current():
                        turned = {(v, u): w for (u, v), w in arcs_of(rows_of(part.graph._in)).items()}
                    assert turned == {(u, v): w for (u, v), w in want.items() if v in owned}

    return Machine


def test_machine(devices):
    limits = settings(max_examples=EXAMPLES, stateful_step_count=12, deadline=None)
    run_state_machine_as_test(machine(devices), settings=limits)


def same(found, wanted):
    """Whether two graphs have the same rows and weights."""
    arrays = [(one.offsets, one.indices, one.weights) for one in (found, wanted.to("cpu"))]
    return all((a is b is None) or (a.dtype == b.dtype and (a == b).all()) for a, b in zip(*arrays, strict=True))


@pytest.mark.parametrize(("name", "make"), BATTERY, ids=[name for name, _ in BATTERY])
def test_battery(devices, name, make):
    """A graph made from a graph, from edges or from parts, and then changed, is equal to one dynamic graph."""
    graph, rng = make("cpu"), np.random.default_rng(4)
    n, options = graph.num_vertices, {"in_edges": True, "allow_self_loops": True}
    whole = mg.DynamicGraph.from_graph(graph, device="cpu", **options)
    many = [mg.PartitionedDynamicGraph.from_graph(graph, devices=devices(k), deal=deal, **options) for k, deal in CASES]
    static = mg.PartitionedGraph.from_graph(graph, devices=devices(2))
    many.append(mg.PartitionedDynamicGraph.from_graph(static, **options))
    for parts in many:
        assert same(parts.gather(), whole.to_graph())
        check_parts(parts)
    if n == 0:
        assert [parts.insert_edges([], [], None if not graph.weighted else []) for parts in many] == [0] * 5
        return
    src, dst = rng.integers(0, n, (2, 2 * n))
    weights = rng.integers(0, 9, 2 * n).astype(graph.weight_dtype) if graph.weighted else None
    gone = rng.integers(0, n, (2, n))
    inserted, deleted = whole.insert_edges(src, dst, weights), whole.delete_edges(*gone)
    for parts in many:
        assert (parts.insert_edges(src, dst, weights), parts.delete_edges(*gone)) == (inserted, deleted)
        assert same(parts.gather(), whole.to_graph())
        assert same(parts.to_graph().gather(), whole.to_graph())
        assert parts.max_degree() == whole.max_degree()
        assert parts.max_degree(inward=True) == whole.max_degree(inward=True)
        check_parts(parts)
    gone, ends = rng.integers(0, n, n // 3 + 1), (~rng.integers(0, 3, 9), ~rng.integers(0, 3, 9))
    own = None if weights is None else np.arange(9).astype(graph.weight_dtype)
    deleted, ids = whole.delete_vertices(gone), whole.insert_vertices(3, *ends, own).tolist()
    for parts in many:
        assert (parts.delete_vertices(gone), parts.insert_vertices(3, *ends, own).tolist()) == (deleted, ids)
        assert same(parts.gather(), whole.to_graph())
        assert (parts.live_vertices() == whole.live_vertices()).all()
        check_parts(parts)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_programs_run_over_each_state(devices, directed):
    """Ready algorithms over the slabs, after each batch, have the same answers as over one dynamic graph."""
    graph = mg.generate.rmat(7, 6, seed=2, directed=directed, weights=(1, 9), device="cpu")
    n, rng = graph.num_vertices, np.random.default_rng(1)
    whole = mg.DynamicGraph.from_graph(graph, in_edges=True, device="cpu")
    many = [
        mg.PartitionedDynamicGraph.from_graph(graph, devices=devices(k), deal=deal, in_edges=True) for k, deal in CASES
    ]
    for turn in range(3):
        depth, distance = mg.bfs(whole, 0).depth, mg.sssp(whole, 0).distance
        rank, hub = mg.pagerank(whole).rank, mg.hits(whole).hub
        for parts in many:
            found = mg.bfs(parts, 0)
            assert (found.depth.gather() == depth).all()
            for vertex in np.flatnonzero(depth > 0):
                parent = int(found.parent[vertex])
                assert depth[parent] + 1 == depth[vertex]
                assert whole.has_edges([parent], [vertex])[0]
            assert (mg.sssp(parts, 0).distance.gather() == distance).all()
            assert np.allclose(mg.pagerank(parts).rank.gather(), rank, rtol=1e-6)
            assert np.allclose(mg.hits(parts).hub.gather(), hub)
            assert (mg.connected_components(parts).label.gather() == mg.connected_components(whole).label).all()
            if not directed:
                assert mg.triangle_count(parts).total == mg.triangle_count(whole).total
        live = whole.live_vertices()
        src, dst = live[rng.integers(0, len(live), (2, 40 << 3 * turn))]
        gone = rng.permutation(graph.num_edges)[: 100 << turn]
        ends = graph.to_edges()[0][gone], graph.to_edges()[1][gone]
        left, new = rng.integers(1, n, 9), ~rng.integers(0, 4, 40)  # fewer vertices are inserted than deleted
        for each in (whole, *many):
            each.delete_edges(*ends)
            each.insert_edges(src, dst, np.arange(len(src)) % 7 + 1)
            each.delete_vertices(left)
            each.insert_vertices(4, new, np.zeros(40, np.int32), np.arange(40) % 7 + 1)


class Sum(mg.Problem):
    sum = mg.vertex_field(np.float64)
    own = mg.vertex_field(np.float64)


class Weigh(mg.Functor):
    def map(dst, weight, own):
        return weight * own[dst]


class Heavy(mg.Enactor, problem=Sum, functor=Weigh):
    def start(self):
        return mg.Frontier.all_vertices()

    def step(self, frontier):
        self.neighbor_reduce(frontier, reduce="add", into="sum")


def test_a_problem_lives_on_after_a_batch(devices):
    parts = mg.PartitionedDynamicGraph(50, devices=devices(3), weighted="float64")
    enactor, edges = Heavy(parts, own=np.arange(50.0), max_iterations=1), {}
    for turn in range(3):
        src, dst = (turn + np.arange(40)) % 50, (7 * np.arange(40) + turn) % 50
        keep = src != dst
        parts.insert_edges(src[keep], dst[keep], (src + 1.0)[keep])
        edges |= dict(zip(zip(src[keep].tolist(), dst[keep].tolist(), strict=True), (src + 1.0)[keep], strict=True))
        enactor.run()
        wanted = np.zeros(50)
        for (u, v), weight in edges.items():
            wanted[u] += weight * v
        assert np.allclose(enactor.problem.sum.gather(), wanted)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_a_batch_may_be_where_the_parts_are(devices, directed):
    """The batch is then dealt out there; answers are still NumPy's arrays."""
    where = resolve(devices(1)[0])
    graph = mg.PartitionedDynamicGraph(9, devices=devices(3), weighted="int64", directed=directed)
    src, dst, weights = (where.asarray(np.array(each)) for each in ([0, 1, 0, 8, 2], [1, 0, 1, 3, 2], [5, 6, 7, 8, 9]))
    count, mask = graph.insert_edges(src.astype(np.int32), dst.astype(np.int32), weights, return_mask=True)
    assert (count, mask.tolist()) == (
        (3, [True, True, False, True, False]) if directed else (2, [True, False, False, True, False])
    )
    assert isinstance(mask, np.ndarray)
    found = graph.edge_weights(src, dst, default=-1)
    assert isinstance(found, np.ndarray)
    assert found.tolist() == ([7, 6, 7, 8, -1] if directed else [7, 7, 7, 8, -1])
    assert graph.has_edges(dst, src).tolist() == (
        [True, True, True, False, False] if directed else [True, True, True, True, False]
    )
    assert graph.delete_edges(src[3:], dst[3:], return_mask=True)[1].tolist() == [True, False]


@pytest.mark.parametrize("deal", ["ranges", "hash"])
def test_vertices_come(devices, deal):
    """Results that were computed before stay as they were; a Problem must be made again."""
    graph = mg.PartitionedDynamicGraph(9, devices=devices(3), deal=deal, weighted="float64", directed=False)
    graph.insert_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 3.0])
    before, enactor = mg.bfs(graph, 0), Heavy(graph, own=np.arange(9.0), max_iterations=1)
    enactor.run()
    assert graph.insert_vertices(20).tolist() == list(range(9, 29))
    graph.insert_edges([3, 28, 8], [28, 14, 20], [1.0, 1.0, 1.0])
    check_parts(graph)
    assert before.depth.gather().tolist() == [0, 1, 2, 3, -1, -1, -1, -1, -1]
    assert (before.depth.max(), before.depth.argmax()) == (3, 3)
    found = mg.bfs(graph, 0).depth.gather()
    assert [found[28], found[14], found[20], (found >= 0).sum()] == [4, 5, -1, 6]
    with pytest.raises(ProblemError, match="has 9 elements, but the graph has 29 vertices now"):
        enactor.run()
    enactor.problem.reset()
    enactor.problem.own = np.arange(29.0)
    enactor.run()
    assert enactor.problem.sum.gather()[[3, 14]].tolist() == [3.0 * 2 + 28, 28.0]
    assert graph.report().vertices == (
        (3, 3, 23) if deal == "ranges" else tuple(len(part.owned) for part in graph.parts)
    )
    with pytest.raises(GraphError, match="k must be between 0 and"):
        graph.insert_vertices(-1)
    with pytest.raises(GraphError, match="a graph has at most"):
        graph.insert_vertices(2**31 - 20)


def test_slabs_are_shared_out(devices):
    """A vertex has a slab in the part that owns it, and twelve bytes in each other part."""
    n = 6000
    whole = mg.DynamicGraph(n, device=devices(1)[0]).memory()
    parts = mg.PartitionedDynamicGraph(n, devices=devices(4)).parts
    found = [part.graph.memory() for part in parts]
    assert sum(each.base_slabs for each in found) == whole.base_slabs
    assert all(each.vertices == whole.vertices == 12 * n for each in found)
    assert all(each.spare_slabs <= whole.spare_slabs for each in found)


class Reached(mg.Problem):
    reached = mg.vertex_field(np.bool_)


class Reach(mg.Functor):
    def apply_advance(src, dst, reached):
        reached[dst] = True


class ReachNew(mg.Enactor, problem=Reached, functor=Reach):
    """Goes along the edges that were inserted since the mark."""

    def start(self):
        return mg.Frontier.all_vertices()

    def step(self, frontier):
        return self.advance(frontier, since="mark")


def test_edges_since_a_mark(devices):
    """They are those of one dynamic graph, in the order of batches; operators go along them."""
    rng, n = np.random.default_rng(8), 60
    whole = mg.DynamicGraph(n, weighted="float64", device="cpu")
    many = [mg.PartitionedDynamicGraph(n, devices=devices(k), deal=deal, weighted="float64") for k, deal in CASES]
    for turn in range(4):
        batch, gone = rng.integers(0, n, (2, 200)), rng.integers(0, n, (2, 90))
        for each in (whole, *many):
            version = each.version
            each.mark()
            assert each.version == version
            assert since_mark(each) == []
            each.insert_edges(*batch, np.arange(200.0))
            each.delete_edges(*gone)
            if turn == 1:
                each.rehash()
            if turn == 2:
                each.delete_vertices([3, 4])
                each.insert_vertices(3, [~0, ~2], [7, 8], [1.0, 2.0])
        own = np.arange(float(whole.num_vertices))
        wanted = Sum(whole, own=own)
        how = {"reduce": "add", "into": "sum", "since": "mark"}
        mg.operators.neighbor_reduce(wanted, mg.Frontier.all_vertices(), Weigh, **how)
        new = ReachNew(whole, max_iterations=1)
        new.run()
        for parts in many:
            assert since_mark(parts) == since_mark(whole)
            assert since_mark(parts.copy()) == since_mark(whole)
            found = Sum(parts, own=own)
            mg.operators.neighbor_reduce(found, mg.Frontier.all_vertices(), Weigh, **how)
            assert np.allclose(found.sum.gather(), wanted.sum)
            there = ReachNew(parts, max_iterations=1)
            there.run()
            assert (there.problem.reached.gather() == new.problem.reached).all()


def test_a_stream_of_edges(devices):
    """Steps are those of one dynamic graph; queries between steps are answered by a run over the parts."""
    rng, count = np.random.default_rng(6), 300
    edges = rng.integers(0, 40, count), rng.integers(0, 40, count), np.sort(rng.integers(0, 99, count))

    def stream(graph):
        found = []
        graph.delete_vertices([40])
        steps = mg.stream(
            graph, *edges, [1.0] * count, window=20, batch=9,
            callback=lambda step: found.append((graph.num_edges, np.asarray(mg.bfs(graph, 0).depth).tolist())),
        )  # fmt: skip
        with pytest.raises(GraphError, match=r"dst\[1\] is 40, a vertex that was deleted"):
            mg.stream(graph, [1, 2], [2, 40], [0, 1], [1.0, 1.0], window=1, batch=1)
        return [(step.end, step.inserted, step.deleted) for step in steps], found

    wanted = stream(mg.DynamicGraph(41, weighted=True, directed=False, device="cpu"))
    assert stream(mg.PartitionedDynamicGraph(41, weighted=True, directed=False, devices=devices(3))) == wanted


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_hints(devices, directed):
    """Vertices have the same buckets as in one dynamic graph, until a rehash; parts divide the capacity."""
    n, rng = 500, np.random.default_rng(1)
    hints = {"expected_degrees": rng.integers(0, 900, n), "expected_in_degrees": 70 if directed else None}
    options = {"directed": directed, "in_edges": True}
    edges = np.array(np.triu_indices(n, 1))[:, rng.permutation(n * (n - 1) // 2)[:20_000]]

    def base_slabs(parts):
        return sum(part.graph.memory().base_slabs for part in parts.parts)

    whole = mg.DynamicGraph.from_edges(*edges, num_vertices=n, device=devices(1)[0], **hints, **options)
    for k, deal in CASES:
        where = {"devices": devices(k), "deal": deal}
        parts = mg.PartitionedDynamicGraph.from_edges(*edges, num_vertices=n, **where, **hints, **options)
        assert base_slabs(parts) == whole.memory().base_slabs
        assert same(parts.gather(), whole.to_graph())
        check_parts(parts)
        parts.rehash()
        assert base_slabs(parts) == base_slabs(
            mg.PartitionedDynamicGraph.from_edges(*edges, num_vertices=n, **where, **options)
        )
        roomy = mg.PartitionedDynamicGraph(n, capacity=20_000, **where, **options)
        pools = [one.slabs.capacity for part in roomy.parts for one in part.graph._directions]
        one = [each.slabs.capacity for each in mg.DynamicGraph(n, capacity=20_000, **options)._directions]
        assert sum(one) <= sum(pools) <= 1.2 * sum(one)
    made = {"capacity": -1}, {"expected_degrees": [1, 2]}, {"expected_in_degrees": 3, "in_edges": False}
    for wrong, message in zip(made, ("capacity must be", "one for each of the 500", "give in_edges=True"), strict=True):
        with pytest.raises(GraphError, match=message):
            mg.PartitionedDynamicGraph(n, devices=devices(2), **(options | wrong))


def test_ghosts_that_no_edge_leads_to_are_forgotten_by_a_rehash(devices):
    parts = mg.PartitionedDynamicGraph(40, devices=devices(2), deal="ranges")
    parts.insert_edges(np.arange(20), np.arange(20, 40))
    parts.delete_edges(np.arange(15), np.arange(20, 35))
    assert parts.report().ghosts == (20, 0)
    parts.rehash()
    assert parts.report().ghosts == (5, 0)
    check_parts(parts)


def test_a_pickled_graph_is_the_same(devices):
    parts = mg.PartitionedDynamicGraph.from_graph(
        mg.generate.rmat(6, 4, seed=1, weights=(1, 9), device="cpu"), devices=devices(3)
    )
    again = pickle.loads(pickle.dumps(parts))
    assert state(again) == state(parts)
    again.insert_edges([0], [1], [2.0])
    assert again.edge_weights([0], [1]) == [2.0]
    assert (mg.bfs(again, 0).depth.gather() == mg.bfs(again.to_graph(), 0).depth.gather()).all()


# --- what is refused -------------------------------------------------------------------------------------------------


def test_what_is_refused_changes_nothing(devices):
    graph = mg.PartitionedDynamicGraph(9, devices=devices(3), weighted=True, directed=True)
    graph.insert_edges([0, 1], [1, 2], [1.0, 2.0])
    before, version = state(graph), graph.version
    refused = [
        (lambda: graph.insert_edges([0], [9], [1.0]), r"dst\[0\] is 9, but num_vertices is 9"),
        (lambda: graph.insert_edges([3, -1], [4, 4], [1.0, 1.0]), r"src\[1\] is -1: vertex ids must not be negative"),
        (lambda: graph.insert_edges([0, 1], [1], [1.0]), "src has length 2, but dst has length 1"),
        (lambda: graph.insert_edges([5, 0], [6, 1], [1.0, np.nan]), r"weights\[1\] is NaN"),
        (lambda: graph.insert_edges([0], [1]), "the graph has float32 weights: give one weight to each edge"),
        (lambda: graph.delete_edges([0], [9]), r"dst\[0\] is 9, but num_vertices is 9"),
        (lambda: graph.has_edges([9], [0]), r"src\[0\] is 9, but num_vertices is 9"),
        (lambda: graph.edge_weights([0.5], [0]), "src must hold integer vertex ids"),
        (lambda: graph.rehash(0), "load_factor must be a number"),
        (lambda: mg.hits(graph), "make it with in_edges=True"),
        (lambda: mg.dynamic.BFS(graph, 0), r"from_graph\(graph\.gather\(\)\), or run the algorithm over the parts"),
        (lambda: mg.core_number(graph), r"does not run over a PartitionedDynamicGraph: .* graph\.gather\(\)"),
    ]
    for call, message in refused:
        with pytest.raises(GraphError, match=message):
            call()
    assert state(graph) == before
    for each, message in ((graph, "the graph has no mark yet"), (graph.to_graph(), "a static graph has no marks")):
        with pytest.raises(ProblemError, match=message):
            mg.operators.neighbor_reduce(
                Sum(each), mg.Frontier.all_vertices(), Weigh, reduce="add", into="sum", since="mark"
            )
    with pytest.raises(GraphError, match="the graph has no mark yet"):
        graph.added_since_mark()
    assert version < graph.version
    made = [
        (lambda: mg.PartitionedDynamicGraph(3, devices=["cpu"], deal="best"), "deal='best': use one of"),
        (lambda: mg.PartitionedDynamicGraph(3, devices=[]), "give a list with the device of each part"),
        (lambda: mg.PartitionedDynamicGraph(3, devices=["cpu"], load_factor=-1), "load_factor must be a number"),
        (lambda: mg.PartitionedDynamicGraph.from_graph(graph.gather()), "devices= is missing"),
        (lambda: mg.PartitionedDynamicGraph.from_graph(graph.to_graph(), deal="hash"), "leave out devices= and deal="),
        (lambda: mg.PartitionedDynamicGraph.from_graph(3, devices=["cpu"]), "takes a minigr.Graph"),
        (lambda: mg.PartitionedDynamicGraph.from_graph(graph), r"use graph\.copy\(\) or graph\.to_graph\(\)"),
    ]
    for call, message in made:
        with pytest.raises(GraphError, match=message):
            call()


def test_a_run_is_not_changed_under(devices):
    graph, told = mg.PartitionedDynamicGraph(9, devices=devices(2), weighted="float64"), []

    def progress(done, most):
        with pytest.raises(GraphError) as caught:
            graph.insert_edges([0], [1], [1.0])
        told.append(str(caught.value))

    Heavy(graph, max_iterations=1, progress=progress, driver="host").run()
    assert told == ["the graph can't be changed while it is in use on this thread: change it when the run is over"]
    assert graph.insert_edges([0], [1], [1.0]) == 1


# --- batches that fail -----------------------------------------------------------------------------------------------

N = 60


@pytest.fixture(
    params=[{}, {"directed": False, "allow_self_loops": True}, {"in_edges": True}],
    ids=["directed", "undirected", "in-edges"],
)
def graph(request, devices):
    rng = np.random.default_rng(3)
    options = {"weighted": "float32", "capacity": 90_000}  # large, so that even the array of a mark is not small
    graph = mg.PartitionedDynamicGraph(N, devices=devices(3), **options, **request.param)
    graph.insert_edges(*rng.integers(0, N, (2, 500)), np.arange(500))
    graph.mark()
    graph.delete_edges(*rng.integers(0, N, (2, 400)))
    graph.insert_edges(*rng.integers(0, N, (2, 50)), np.arange(50))
    return graph


def batches():
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, N, (2, 3000))
    new, gone = ~(src % 90), np.arange(7, 35)
    hub, ids, weights = np.zeros(6 * N, np.int64), np.tile(np.arange(N), 6), np.arange(3000)
    return {
        "insert": lambda graph: graph.insert_edges(src, dst, weights),
        "insert-mask": lambda graph: graph.insert_edges(hub, ids, weights[: 6 * N], return_mask=True),
        "delete": lambda graph: graph.delete_edges(src, dst),
        "delete-mask": lambda graph: graph.delete_edges(src[:900], dst[:900], return_mask=True),
        "mark": lambda graph: graph.mark(),
        "rehash": lambda graph: graph.rehash(0.2),
        "vertices": lambda graph: graph.insert_vertices(700),
        "vertices-edges": lambda graph: graph.insert_vertices(90, new, dst, weights),
        "delete-vertices": lambda graph: graph.delete_vertices(gone),
    }


BATCHES = batches()
each_batch = pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)


def after(batch, graph):
    done = graph.copy()
    batch(done)
    return state(done)


@each_batch
def test_each_array_that_finds_no_room(graph, devices, batch):
    """If an array in any part finds no room, no part has the batch."""
    assert check_whole_without_room(graph, batch, devices(1)[0], range(0, 2000, 3), state, after(batch, graph))


@each_batch
def test_signals_at_many_moments(graph, batch):
    before, wanted = state(graph), after(batch, graph)
    raised = 0
    for moment in range(31):
        trial = graph.copy()
        if interrupted(lambda trial=trial: batch(trial), 1e-5 * 1.4**moment):
            raised += 1
            assert state(trial) == before
        else:
            assert state(trial) == wanted
    assert raised


@each_batch
@pytest.mark.parametrize("fails", [0, 1, 2])
def test_a_part_that_fails(graph, monkeypatch, batch, fails):
    """Other parts may have finished by then; all parts are as they were, and the next batch works."""
    before, wanted, rows = state(graph), after(batch, graph), graph.parts[fails].graph
    for name in ("change", "append", "mark", "rehash"):
        done = getattr(DynamicRows, name)

        def fail(self, *arguments, done=done):
            found = done(self, *arguments)
            if self is rows:
                raise OSError("the part's")
            return found

        monkeypatch.setattr(DynamicRows, name, fail)
    with pytest.raises(OSError, match="the part's"):
        batch(graph)
    monkeypatch.undo()
    assert state(graph) == before
    batch(graph)
    assert state(graph) == wanted


def test_labels_and_triangles_without_the_vertices_that_were_deleted(devices):
    graph = mg.generate.rmat(9, 12, seed=3, device="cpu")
    whole = mg.DynamicGraph.from_graph(graph)
    parts = mg.PartitionedDynamicGraph.from_graph(graph, devices=devices(3))
    for each in (whole, parts):
        each.delete_vertices(np.arange(0, 512, 5))
    labels, found = mg.connected_components(whole), mg.connected_components(parts)
    assert (found.label.gather() == labels.label).all()
    assert found.num_components == labels.num_components
    triangles, counted = mg.triangle_count(whole, clustering=True), mg.triangle_count(parts, clustering=True)
    assert counted.total == triangles.total
    assert (counted.per_vertex.gather() == triangles.per_vertex).all()
    assert np.allclose(counted.clustering.gather(), triangles.clustering)


def test_triangles_are_not_counted_during_a_batch_of_another_thread(devices, monkeypatch):
    graph = mg.PartitionedDynamicGraph.from_edges([0, 1, 2], [1, 2, 0], directed=False, devices=devices(2))
    rows_down, refused = orientation_in_parts.rows_down, []

    def insert():
        with pytest.raises(GraphError, match="can't be changed while it is in use on another thread"):
            graph.insert_edges([0], [2])
        refused.append(True)

    def look(*arguments):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(insert).result()
        return rows_down(*arguments)

    monkeypatch.setattr(orientation_in_parts, "rows_down", look)
    assert mg.triangle_count(graph).total == 1
    assert refused
