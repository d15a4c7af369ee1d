"""How often repairs are tried that may be in vain."""

import numpy as np

import minigr as mg
from minigr.apps.dynamic.common import decision
from minigr.apps.dynamic.common.patience import Patience
from minigr.device import CPU


def test_a_repair_in_vain_is_paid_for_by_computations():
    patience, tried = Patience(), []
    for batch in range(100):
        if patience.is_tried(10):
            tried.append(batch)
            patience.note(10, None)
    assert tried == [0, 33, 66, 99]


def test_a_batch_that_is_half_as_large_as_all_that_reached_far_is_tried():
    patience = Patience()
    patience.note(10, None)
    assert not patience.is_tried(6)
    assert patience.is_tried(5)
    patience.note(5, 0.1)  # it succeeded, which says nothing of larger ones
    assert not patience.is_tried(10)
    patience.note(5, 0.1)
    assert patience.is_tried(10)  # what the small ones saved pays for it
    patience.note(10, 0.9)  # and now nothing is known to reach far
    patience.note(30, None)
    assert patience.is_tried(15)


def test_what_reached_far_stays_known():
    patience = Patience()
    patience.note(10, None)
    for _ in range(2):
        patience.note(1, 0.5)
    patience.note(20, None)
    assert not patience.is_tried(10)
    patience.note(5, None)  # there was nothing left that this could cost
    assert [batch for batch in range(34) if patience.is_tried(10)] == [32, 33]


def test_a_repair_that_looks_at_more_than_half_pays_for_none():
    patience = Patience()
    for _ in range(9):
        patience.note(10, 0.51)
    patience.note(10, None)
    assert not patience.is_tried(10)
    for _ in range(2):
        patience.note(1, 0.5)
    assert patience.is_tried(10)


def test_repairs_that_save_much_pay_for_few_in_vain():
    patience = Patience()
    for _ in range(1000):
        patience.note(10, 0.01)
    tried = 0
    while patience.is_tried(10):
        patience.note(10, None)
        tried += 1
    assert tried == 4


def test_no_stream_takes_much_longer_than_computations():
    """In computations' worth: a repair that is given up takes one more, and any other the share that it looked at."""
    rng = np.random.default_rng(1)
    for chance in (0.0, 0.1, 0.5, 0.9, 1.0):
        patience, spent, batches = Patience(), 0.0, 5000
        for _ in range(batches):
            if not patience.is_tried(10):
                spent += 1.0
            elif rng.random() < chance:
                share = float(rng.random())
                patience.note(10, share)
                spent += share
            else:
                patience.note(10, None)
                spent += 2.0
        assert spent <= batches * (1 + 1 / 32) + 1


def test_an_answer_tries_few_batches_that_reach_far(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(400, device=device))
    search, why = mg.dynamic.BFS(graph, 0), []
    for _ in range(40):
        search.delete_edges([100, 100], [101, 101])
        why.append(search.last_update.reason)
        search.insert_edges([100, 100], [101, 101])
    assert [batch for batch, reason in enumerate(why) if reason == "the batch reaches far"] == [0, 33]
    assert set(why) == {"the batch reaches far", "batches like this one reached far"}
    search.delete_edges([395], [396])
    assert search.last_update.kind == "repair"  # half as large as those
    search.delete_edges([394, 394], [395, 395])
    assert search.last_update.kind == "recomputation"


def test_ranks_are_computed_again_where_that_takes_fewer_iterations(device):
    """Ranks begin alike, and what a batch moves may be slower to settle than that."""
    graph = mg.DynamicGraph.from_graph(mg.generate.rmat(12, 16, seed=1, device=device))
    answer, rng, why = mg.dynamic.PageRank(graph, tol=1e-10), np.random.default_rng(2), []
    for _ in range(4):
        usual = mg.pagerank(graph, tol=1e-10).iterations
        answer.insert_edges(*rng.integers(0, graph.num_vertices, (2, 100)))
        why.append(answer.last_update.reason)
        assert answer.converged
        assert answer.iterations <= max(usual, mg.pagerank(graph, tol=1e-10).iterations)
    assert why[0] == "the batch reaches far"
    assert "batches like this one reached far" in why
    src, dst, _ = graph.to_graph().to_edges()
    answer.insert_edges(src[:500], dst[:500])  # all of which are there, so nothing is due
    assert (answer.last_update.kind, answer.iterations) == ("repair", 0)
    expected = mg.pagerank(graph, tol=1e-12, max_iter=500).rank
    assert float(abs(answer.rank - expected).sum()) <= 10 * 1e-10 * graph.num_vertices


def test_an_insertion_that_brings_most_vertices_nearer_is_given_up(device):
    n = 400
    graph = mg.DynamicGraph.from_edges(
        np.arange(n - 1), np.arange(1, n), np.ones(n - 1, np.float32), directed=False, device=device
    )
    for first, reason in ((300, "the batch touches few vertices"), (100, "the batch reaches far")):
        paths = mg.dynamic.SSSP(graph.copy(), 0)  # of 400 vertices 249 come nearer, or 349
        for far, why in ((first, reason), (60, None), (61, None)):  # later answers are right, whatever was left behind
            paths.insert_edges([0], [far], [0.5])
            assert why is None or paths.last_update.reason == why
            found, expected = paths.distance, mg.sssp(paths.graph, 0).distance
            np.testing.assert_array_equal(CPU.asarray(found), CPU.asarray(expected))


def test_what_starts_and_steps_of_loops_take_counts_on_a_small_graph(device, monkeypatch):
    def reasons():
        src, dst = (ends + 5 * np.arange(80)[:, None] for ends in np.triu_indices(5, 1))  # 80 cliques
        graph = mg.DynamicGraph.from_edges(src.ravel(), dst.ravel(), directed=False, device=device)
        cores, found = mg.dynamic.CoreNumber(graph), []
        for change, edge in ((cores.insert_edges, ([0], [7])), (cores.delete_edges, ([0], [7]))):
            change(*edge)
            found.append(cores.last_update.reason)
            np.testing.assert_array_equal(CPU.asarray(cores.core), CPU.asarray(mg.core_number(graph).core))
        return found

    assert reasons() == ["the graph is small", "the batch touches few vertices"]
    monkeypatch.setattr(decision, "_ARCS_PER_START", {"cpu": 8, "cuda": 8})
    monkeypatch.setattr(decision, "_ARCS_PER_STEP", {"cpu": 2000, "cuda": 2000})
    assert reasons() == ["the batch reaches far", "the batch touches few vertices"]
    monkeypatch.setattr(decision, "_ARCS_PER_STEP", {"cpu": 8, "cuda": 8})
    assert reasons() == ["the batch touches few vertices"] * 2
