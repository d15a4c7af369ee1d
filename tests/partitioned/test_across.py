"""Loops that the GPUs of all parts run together, without the host between two steps."""

import numpy as np
import pytest

import minigr as mg
from minigr.errors import PartError, ProblemError
from minigr.operators.partitioned import across, across_room, across_run
from minigr.operators.partitioned.across_text import PAGE
from minigr.program import cuda_program

GRAPH = mg.generate.rmat(9, 16, seed=1, weights=(1, 9), device="cpu")
HUB = int(GRAPH.degree().argmax())
LARGER = mg.generate.rmat(12, 8, seed=2, weights=(1, 9), device="cpu")
ON_GPUS = pytest.mark.parametrize("device", [pytest.param("cuda", marks=pytest.mark.gpu)], indirect=True)


STATIC, DYNAMIC = mg.PartitionedGraph, mg.PartitionedDynamicGraph
KINDS = [(STATIC, 2, "ranges"), (STATIC, 3, "hash"), (STATIC, 4, "ranges"), (DYNAMIC, 3, "hash")]


@pytest.fixture(params=KINDS, ids=["2-ranges", "3-hash", "4-ranges", "3-hash-slabs"])
def parts(request, devices):
    kind, count, deal = request.param
    return kind.from_graph(GRAPH, devices=devices(count), deal=deal)


@ON_GPUS
def test_answers_of_gpus_together(parts):
    check_answers(parts, "fused")


@ON_GPUS
@pytest.mark.parametrize("names", [(), ("LONG",), ("LONG", "VERY_LONG")], ids=["short", "long", "very-long"])
@pytest.mark.parametrize(("kind", "count", "deal"), KINDS)
def test_answers_by_lists_of_ghosts(kind, count, deal, names, devices, monkeypatch):
    """The hubs of the graph are in one part if a hash does not deal out the vertices."""
    for name in names:
        monkeypatch.setattr(across if name == "LONG" else across_room, name, 0)
    graph = LARGER.subgraph(np.arange(7 * PAGE + 5))  # the last page has only these five
    check_answers(kind.from_graph(graph, devices=devices(count), deal=deal), "fused", graph)


class Reached(mg.Problem):
    depth = mg.vertex_field("int32", fill=-1)
    neighbors = mg.vertex_field("int32")
    unseen = mg.parameter("int32", default=-1)


class Visit(mg.Functor):
    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth):
        return mg.atomic_cas(depth, dst, -1, iteration) == -1


class VisitUnseen(mg.Functor):
    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth, unseen):
        return mg.atomic_cas(depth, dst, unseen, iteration) == unseen


class CountReached(mg.Functor):
    def apply_advance(src, dst, depth, neighbors):
        if depth[dst] >= 0:
            mg.atomic_add(neighbors, src, 1)


class Search(mg.Enactor, problem=Reached, looks_at=("visit",)):
    visit = Visit

    def start(self, source):
        self.problem.depth[source] = 0
        return mg.Frontier.of([source])

    def step(self, frontier):
        return self.advance(frontier, self.visit, direction="auto")


@ON_GPUS
@pytest.mark.parametrize("names", [("LONG",), ("LONG", "VERY_LONG")], ids=["long", "very-long"])
@pytest.mark.parametrize("steps", [1, 2, 3])
@pytest.mark.parametrize("functor", [Visit, VisitUnseen])
def test_what_others_own_is_known_after_a_search_that_ends_between_pulls(functor, steps, names, devices, monkeypatch):
    """Copies for `Visit` stay as they are during a search; for the other functor it is not known what it expects."""
    for name in names:
        monkeypatch.setattr(across if name == "LONG" else across_room, name, 0)
    source = int(LARGER.degree().argmax())
    found = mg.bfs(LARGER, source, trace=True)
    assert "pull" in [row.direction for row in found.trace]
    search = Search(mg.PartitionedGraph.from_graph(LARGER, devices=devices(3)), driver="fused", max_iterations=steps)
    search.visit = functor
    search.run(source)
    mg.operators.advance(search.problem, mg.Frontier.all_vertices(), CountReached, output=None)
    reached = (found.depth >= 0) & (found.depth <= steps)
    assert (search.problem.depth.gather() == np.where(reached, found.depth, -1)).all()
    assert (search.problem.neighbors.gather() == LARGER.to_scipy().astype(bool) @ reached.astype(np.int32)).all()


class Ill(mg.Problem):
    state = mg.vertex_field("int32")
    times = mg.vertex_field("int32")


class Infect(mg.Functor):
    def cond_advance(dst, iteration, state):
        return mg.atomic_cas(state, dst, 0, iteration) == 0


class Recover(mg.Functor):
    def apply(vertex, state, times):
        state[vertex] = 0
        times[vertex] += 1


class Spread(mg.Enactor, problem=Ill, functor=Infect):
    def start(self, source):
        self.problem.state[source] = -1
        return mg.Frontier.of([source])

    def step(self, frontier):
        ill = self.advance(frontier)
        self.compute(frontier, Recover)
        return ill


@ON_GPUS
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_an_element_of_others_that_is_improved_more_often_than_mail_has_room(dtype, devices):
    """All middle vertices lead to the only ghost of their part, each by a shorter path than the one before."""
    middle, end = np.arange(1, 65), 65
    chain = np.arange(end, end + 64)  # the same amount of work for the other part
    src = np.concatenate([np.zeros_like(middle), middle, chain])
    dst = np.concatenate([middle, np.full_like(middle, end), chain + 1])
    weights = np.concatenate([np.ones_like(middle), 1000 - middle, np.ones_like(chain)]).astype(dtype)
    graph = mg.Graph.from_edges(src, dst, weights, directed=False, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(2), deal="ranges")
    assert [part.num_ghosts for part in parts.parts] == [1, len(middle)]
    found = mg.sssp(parts, 0, delta=1e6, driver="fused")
    assert (found.distance.gather() == mg.sssp(graph, 0).distance).all()
    assert found.distance.gather()[end] == 1 + 1000 - middle[-1]


class Again(mg.Functor):
    def cond_advance(dst, state):
        return mg.atomic_cas(state, dst, 0, 0) == 0


@ON_GPUS
def test_ghosts_are_claimed_more_often_than_mail_has_room(devices):
    """A claim that stores the value that it expects is true for each edge."""
    middle, ends = np.arange(64), np.arange(64, 66)
    chain = np.arange(65, 160)  # the same amount of work for the other part
    src = np.concatenate([np.repeat(middle, 2), chain])
    dst = np.concatenate([np.tile(ends, len(middle)), chain + 1])
    parts = mg.PartitionedGraph.from_edges(src, dst, directed=True, devices=devices(2), deal="ranges")
    assert parts.parts[0].num_ghosts == 2
    found = mg.operators.advance(Ill(parts), mg.Frontier.of(middle), Again)
    assert sorted(found.ids) == ends.tolist()


@ON_GPUS
@pytest.mark.parametrize("count", [2, 3])
def test_mail_of_hubs_goes_behind_that_of_other_vertices(count, devices):
    """A push does hubs in a later phase. Each leaf has one parent, so a leaf is not found if its mail is lost."""
    middle = np.arange(1, 17)
    leaves = np.where(middle % 2, 600, 20)  # in all parts there are hubs, and others
    src = np.concatenate([np.zeros_like(middle), np.repeat(middle, leaves)])
    dst = np.concatenate([middle, len(middle) + 1 + np.arange(leaves.sum())])
    graph = mg.Graph.from_edges(src, dst, directed=False, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(count), deal="hash")
    found = mg.bfs(parts, 0, direction="push", driver="fused")
    expected = mg.bfs(graph, 0)
    assert (found.depth.gather() == expected.depth).all()
    assert (found.parent.gather() == expected.parent).all()


@ON_GPUS
def test_a_vertex_that_was_claimed_can_be_claimed_again_after_its_owner_has_set_it_free(parts):
    """A part must learn of it: its copy may no longer say that the vertex is claimed."""

    def spread(graph, **options):
        enactor = Spread(graph, max_iterations=6, **options)
        enactor.run(HUB)
        return enactor.problem

    one, found = spread(GRAPH), spread(parts, driver="fused")
    assert one.times.max() > 1
    assert (found.times.gather() == one.times).all()
    assert (found.state.gather() == one.state).all()


@ON_GPUS
def test_answers_by_the_host(parts):
    check_answers(parts, "host")


class Labels(mg.Problem):
    label = mg.vertex_field("int32")


class Lower(mg.Functor):
    def cond_advance(src, dst, label):
        return label[src] < mg.atomic_min(label, dst, label[src])


class JoinEnds(mg.Functor):
    def apply_advance(src, dst, label):
        mg.join(label, src, dst)


class LeastLabel(mg.Enactor, problem=Labels, functor=Lower):
    def start(self):
        self.problem.label = np.arange(self.graph.num_vertices)
        return mg.Frontier.all_vertices()

    def step(self, frontier):
        return self.advance(frontier)


def check_answers(parts, driver, graph=GRAPH):
    source = int(graph.degree().argmax())
    one = mg.bfs(graph, source)
    found = mg.bfs(parts, source, driver=driver)
    assert found.iterations == one.iterations
    assert (found.depth.gather() == one.depth).all()
    parent = found.parent.gather()
    for vertex in np.flatnonzero(one.depth > 0):
        assert one.depth[parent[vertex]] == one.depth[vertex] - 1
        assert parent[vertex] in graph.neighbors(vertex)
    assert (mg.sssp(parts, source, driver=driver).distance.gather() == mg.sssp(graph, source).distance).all()
    for method in ("pull", "push"):
        ranks = mg.pagerank(parts, method=method, driver=driver)
        assert np.allclose(ranks.rank.gather(), mg.pagerank(graph).rank, rtol=1e-6)
    labels = LeastLabel(parts, driver=driver)
    labels.run()
    components = mg.connected_components(graph)
    assert (labels.problem.label.gather() == components.label).all()
    for direction in ("push", "pull"):
        in_parts = mg.connected_components(parts, direction=direction, driver=driver)
        assert (in_parts.label.gather() == components.label).all()
        assert in_parts.num_components == components.num_components


class Columns(mg.Problem):
    row = mg.vertex_field("int32", columns=2)


class Count(mg.Functor):
    def apply_advance(dst, row):
        mg.atomic_add(row, (dst, 1), 1)


class Rows(mg.Enactor, problem=Columns, functor=Count):
    def start(self):
        return mg.Frontier.all_vertices()

    def step(self, frontier):
        return self.advance(frontier, output=None)


def test_a_loop_that_gpus_cannot_run_together_is_refused_with_the_reason(device, parts):
    reason = "the parts are on the CPU" if device == "cpu" else "'row' has elements of another size"
    with pytest.raises(ProblemError, match=f"driver='fused' runs the loop on the parts' GPUs together, but {reason}"):
        Rows(parts, driver="fused", max_iterations=2).run()


@ON_GPUS
def test_a_part_that_does_not_come_is_named_and_the_next_call_works(parts, monkeypatch):
    launch = cuda_program.launch_together
    monkeypatch.setattr(across_run, "PATIENCE", 0.25)
    monkeypatch.setattr(cuda_program, "launch_together", lambda launches, *size: launch(launches[:-1], *size))
    last = parts.num_parts - 1
    with pytest.raises(
        PartError, match=rf"part {last} \(cuda:\d\) did not finish .* within 0.25 seconds of the other parts"
    ):
        mg.bfs(parts, HUB)
    monkeypatch.undo()
    assert (mg.bfs(parts, HUB).depth.gather() == mg.bfs(GRAPH, HUB).depth).all()


class Begin(mg.Functor):
    def apply(vertex, label):
        label[vertex] = vertex


class Sets(mg.Enactor, problem=Labels):
    def step(self, frontier):
        self.compute(frontier, Begin)
        self.advance(frontier, JoinEnds, output=None)


def test_parents_that_a_step_stores_go_to_all_parts_by_the_host(device, parts):
    reason = "the parts are on the CPU" if device == "cpu" else "an operator also uses the parents of a union-find"
    with pytest.raises(ProblemError, match=reason):
        Sets(parts, driver="fused", max_iterations=1).run(mg.Frontier.all_vertices())


@ON_GPUS
@pytest.mark.parametrize("deal", ["ranges", "hash"])
def test_roots_reach_parts_that_share_no_vertex_with_the_roots_owner(devices, deal):
    graph = mg.PartitionedGraph.from_graph(mg.generate.path(97, device="cpu"), devices=devices(4), deal=deal)
    found = mg.connected_components(graph, driver="fused")
    assert not found.label.gather().any()
    assert found.num_components == 1
