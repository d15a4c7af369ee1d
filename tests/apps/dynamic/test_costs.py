"""What is chosen by what repairs and recomputations took."""

import pytest

import minigr as mg
from minigr.apps.dynamic.costs import Costs


def told(first=1.0, repairs=(), recomputations=(), deleted=False):
    costs = Costs()
    costs.note_recomputation(first)
    for seconds in repairs:
        costs.note_repair(seconds, 100, deleted)
    for seconds in recomputations:
        costs.note_recomputation(seconds)
    return costs


def test_nothing_is_known_of_what_compiles():
    costs = told(repairs=[9.0])
    assert costs.expected_repair(100, False) is None
    assert costs.expected_recomputation() is None
    assert costs.why_recompute(100, False) is None


def test_repairs_that_take_a_share_of_the_first_computation_have_one_tried():
    costs = told(repairs=[9.0, 0.06])
    assert costs.why_recompute(100, False) is None
    costs.note_repair(0.06, 100, False)
    assert costs.why_recompute(100, False) == "to find out what that takes"
    assert costs.why_recompute(100, True) is None  # of which nothing is known
    costs.note_recomputation(0.5)
    assert costs.why_recompute(100, False) is None


def test_whichever_takes_less():
    costs = told(repairs=[9.0, 0.2], recomputations=[0.1])
    assert costs.why_recompute(100, False) == "a repair takes about 2e+02 ms, and this 1e+02 ms"
    costs = told(repairs=[9.0, 0.05], recomputations=[0.1])
    assert costs.why_recompute(1, False) is None
    assert costs.expected_repair(1, False) == 0.05
    assert costs.expected_repair(400, False) == pytest.approx(0.2)
    assert costs.why_recompute(400, False) is not None


def test_a_repair_is_tried_again_and_less_often_where_it_stays_slower():
    costs, tries = told(repairs=[9.0, 0.2], recomputations=[0.1]), []
    for batch in range(60):
        if costs.why_recompute(100, False) is None:
            tries.append(batch)
            costs.note_repair(0.2, 100, False)
    assert tries == [16, 49]
    for _ in range(9):
        costs.note_repair(0.01, 100, False)
    assert costs.why_recompute(100, False) is None


def test_an_answer_chooses_by_them(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(100, device=device))
    answer = mg.dynamic.ConnectedComponents(graph)
    assert (answer.last_update.repair_seconds, answer.last_update.recomputation_seconds) == (None, None)
    answer._costs = told(repairs=[9.0, 5.0], recomputations=[1e-9])
    answer.insert_edges([0], [50])
    assert answer.last_update.kind == "recomputation"
    assert answer.last_update.reason.startswith("a repair takes about 5e+03 ms, and this")
    assert answer.last_update.repair_seconds > 5 / 100  # of one edge rather than a hundred it is no less
    assert answer.last_update.recomputation_seconds > 1e-9
    assert answer.num_components == 1
    never = mg.dynamic.ConnectedComponents(graph, recompute="never")
    never._costs = told(repairs=[9.0, 5.0], recomputations=[1e-9])
    never.insert_edges([0], [70])
    assert never.last_update.kind == "repair"
    assert answer.num_components == 1  # for the graph as the other answer left it
    answer._costs = told(repairs=[9.0, 5.0], recomputations=[1e-9], deleted=True)
    answer.delete_edges([20], [21])
    assert answer.last_update.reason.startswith("a repair takes about")
