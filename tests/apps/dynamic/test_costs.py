"""What ``recompute="measured"`` chooses by what repairs and recomputations took."""

import pytest

import minigr as mg
from minigr.apps.dynamic.common.costs import Costs


def told(first=1.0, repairs=(), recomputations=(), deleted=False):
    costs = Costs()
    costs.note_recomputation(first)
    for kind in (False, True):
        costs.note_repair(99.0, 100, kind)  # compiles programs
    for seconds in repairs:
        costs.note_repair(seconds, 100, deleted)
    for seconds in recomputations:
        costs.note_recomputation(seconds)
    return costs


def test_the_first_of_each_kind_says_nothing():
    costs = told()
    for deleted in (False, True):
        assert costs.expected_repair(100, deleted) is None
        assert costs.why_recompute(100, deleted) is None
    assert costs.expected_recomputation() is None
    assert told(first=30.0).expected_recomputation() == 30.0  # so long nothing takes to compile


def test_a_recomputation_is_tried_when_repairs_have_taken_long_or_were_many():
    costs = told(repairs=[0.06])
    assert costs.why_recompute(100, False) is None
    costs.note_repair(0.06, 100, False)
    assert costs.why_recompute(100, False) == "to find out what that takes"
    assert costs.why_recompute(100, True) is None  # of which nothing is known
    costs.note_recomputation(0.5)
    assert costs.why_recompute(100, False) is None
    assert told(repairs=[0.001] * 7).why_recompute(100, False) is None
    assert told(repairs=[0.001] * 8).why_recompute(100, False) == "to find out what that takes"


def test_whichever_takes_less():
    costs = told(repairs=[0.2], recomputations=[0.1])
    assert costs.why_recompute(100, False) == "a repair takes about 2e+02 ms, and this 1e+02 ms"
    costs = told(repairs=[0.05], recomputations=[0.1])
    assert costs.why_recompute(1, False) is None
    assert costs.expected_repair(400, False) == pytest.approx(0.2)
    assert costs.why_recompute(400, False) is not None


def test_what_repairs_take_goes_by_their_size():
    costs = told(repairs=[0.2], recomputations=[0.1])  # of 100
    assert costs.expected_repair(10, False) == pytest.approx(0.02)  # it may be: it is tried,
    assert costs.why_recompute(10, False) is None
    costs.note_repair(0.2, 10, False)  # and was not
    assert costs.expected_repair(10, False) == pytest.approx(0.2)
    assert costs.why_recompute(10, False) is not None
    for _ in range(50):
        for size in (100, 10):
            costs.note_repair(0.05 + 0.001 * size, size, False)
    for size in (1, 10, 50, 100, 1000):
        assert costs.expected_repair(size, False) == pytest.approx(0.05 + 0.001 * size, rel=1e-3)
    for _ in range(20):  # which is not forgotten while other sizes come
        costs.note_repair(0.06, 10, False)
    assert costs.expected_repair(100, False) == pytest.approx(0.15, rel=1e-3)
    assert told(repairs=[0.2]).expected_repair(0, False) == 0


def test_larger_batches_that_took_less_do_not_make_still_larger_ones_free():
    costs = told(repairs=[0.2])
    costs.note_repair(0.1, 200, False)
    assert costs.expected_repair(10_000, False) == costs.expected_repair(1, False) == pytest.approx(0.175)


def test_a_repair_is_tried_again_and_less_often_where_it_stays_slower():
    costs, tries = told(repairs=[0.2], recomputations=[0.1]), []
    for batch in range(60):
        if costs.why_recompute(100, False) is None:
            tries.append(batch)
            costs.note_repair(0.2, 100, False)
    assert tries == [16, 49]
    for _ in range(9):
        costs.note_repair(0.01, 100, False)
    assert costs.why_recompute(100, False) is None


def test_what_is_tried_again_counts_for_itself():
    costs = told(repairs=[9.0], recomputations=[0.1])
    for _ in range(17):
        why = costs.why_recompute(100, False)
    assert why is None
    costs.note_repair(0.02, 100, False)
    assert costs.expected_repair(100, False) == 0.02
    assert costs.why_recompute(100, False) is None


def test_a_recomputation_that_takes_far_less_than_before_counts_for_itself():
    """As where edges were inserted that make all paths short: otherwise repairs in vain would go on seeming quick."""
    costs = told(recomputations=[0.9, 0.8, 0.14])
    assert costs.expected_recomputation() == 0.14
    costs.note_recomputation(0.1)
    assert costs.expected_recomputation() == pytest.approx(0.13)


def test_a_recomputation_that_is_hardly_slower_is_tried_again():
    costs = told(repairs=[0.08], recomputations=[0.1])
    why = [costs.why_recompute(100, False) for _ in range(16)]
    assert why == [None] * 15 + ["to find out whether that still takes longer"]
    costs.note_recomputation(0.01)
    assert costs.why_recompute(100, False).startswith("a repair takes")
    far = told(repairs=[0.01], recomputations=[0.1])
    assert {far.why_recompute(100, False) for _ in range(40)} == {None}


def test_an_answer_chooses_by_them(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(100, device=device))
    answer = mg.dynamic.ConnectedComponents(graph, recompute="measured")
    answer._decision.costs = told(repairs=[5.0], recomputations=[1e-9])
    answer.insert_edges([0], [50])
    assert answer.last_update.kind == "recomputation"
    assert answer.last_update.reason.startswith("a repair takes about 50 ms, and this")  # 5 s for a hundred edges
    assert answer.num_components == 1
    for never_by_time in ("auto", "never"):
        other = mg.dynamic.ConnectedComponents(graph, recompute=never_by_time)
        other._decision.costs = told(repairs=[5.0], recomputations=[1e-9])
        other.insert_edges([0], [70])
        assert other.last_update.kind == "repair"
    assert answer.num_components == 1  # for the graph as the other answers left it
    answer._decision.costs = told(repairs=[5.0], recomputations=[1e-9], deleted=True)
    answer.delete_edges([20], [21])
    assert answer.last_update.reason.startswith("a repair takes about")


def test_what_insertions_left_to_do_counts_for_the_deletion_that_does_it(device):
    spokes, others = list(range(1, 1000)), list(range(1000, 1100))
    graph = mg.DynamicGraph.from_edges([0] * 999, spokes, num_vertices=1100, directed=False, device=device)
    answer = mg.dynamic.ConnectedComponents(graph, recompute="measured")
    answer.delete_edges([0], [1])  # from here on there are heights
    answer.insert_edges([0] * 100, others)
    answer._decision.costs = told(repairs=[0.01], recomputations=[0.015], deleted=True)  # of 100
    answer.delete_edges([0] * 100, others)
    assert answer.last_update.reason.startswith("a repair takes about 20 ms")
    assert (answer.last_update.kind, answer.num_components) == ("recomputation", 102)
    answer.delete_edges([0], [2])
    assert (answer.last_update.kind, answer.num_components) == ("repair", 103)
