"""The exhibits of Mini-Gunrock: Wang, Baxter, Owens, a lightweight graph analytics framework on the GPU, GABB 2017."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from minigr.bench.apps import measure_apps
from minigr.bench.document import Row
from minigr.bench.papers.exhibit import Case, Exhibit, Paper
from minigr.bench.searches import measure_searches
from minigr.bench.single_operator_cases import DIRECTIONS, DUPLICATES, INPUTS, OPERATORS
from minigr.bench.single_operators import Ways, measure_single_operators
from minigr.operators.options import BALANCES

APPS = ("bfs", "sssp", "pagerank-step", "core-number", "coloring")
"""The measured apps that the authors' code has, too."""
_LIMIT = 10.0  # seconds for each call, because some options take a hundred times as long as others
_CPU_BALANCES = ("auto", "merge")  # on a CPU the other balances do the same as these


def _balances(case: Case) -> Sequence[str]:
    return BALANCES if case.device.is_cuda else _CPU_BALANCES


def _starts(case: Case) -> Iterator[tuple[str, Any, int]]:
    """Each graph, with its vertex of highest degree, where searches start."""
    for name, graph in case.graphs():
        source = int(graph.degree().argmax()) if graph.num_vertices else 0
        case.facts[name]["source"] = source
        yield name, graph, source


def _algorithms(case: Case) -> list[Row]:
    rows: list[Row] = []
    for name, graph, source in _starts(case):
        rows += measure_apps(name, graph, source, APPS, [], case.repeat, tell=case.tell)
    return rows


def _searches(case: Case) -> list[Row]:
    ways = Ways(directions=("push", "auto"), balances=_balances(case), duplicates=("remove", "cull"))
    rows = []
    for name, graph, source in _starts(case):
        found, left_out = measure_searches(
            name, graph, source, case.repeat, ways, case.tell, dynamic=True, limit=_LIMIT
        )
        rows += found
        case.facts[name]["left_out"] = left_out
    return rows


def _operators(case: Case) -> list[Row]:
    by_balance = Ways(("advance", "neighbor_reduce"), INPUTS, ("push",), _balances(case))
    by_input = Ways(OPERATORS, INPUTS, DIRECTIONS, ("auto",), DUPLICATES)
    rows = []
    for name, graph in case.graphs():
        for ways in (by_balance, by_input):
            rows += measure_single_operators(name, graph, case.repeat, case.tell, ways, dynamic=True, limit=_LIMIT)
    return rows


PAPER = Paper(
    "mini-gunrock",
    "Wang, Baxter, Owens, Mini-Gunrock: A Lightweight Graph Analytics Framework on the GPU, GABB 2017",
    (
        Exhibit(
            "table-2",
            "Table II: whole algorithms",
            "mg.bfs, mg.sssp, an iteration of mg.pagerank, mg.core_number and mg.coloring",
            "apps",
            _algorithms,
        ),
        Exhibit(
            "figure-6",
            "Figure 6: searches by direction, idempotence and balance",
            "mg.bfs and mg.sssp, and searches that find vertices twice, over CSR and slabs",
            "operators",
            _searches,
        ),
        Exhibit(
            "figure-7",
            "Figure 7: operators by input, balance and duplicates",
            "each function of mg.operators alone, over CSR and slabs",
            "operators",
            _operators,
        ),
    ),
)
