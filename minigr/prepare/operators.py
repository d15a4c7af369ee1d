"""The programs of the operators, in the form in which a user's functors and loops need them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.operators.priorities import record as record_priorities
from minigr.operators.recorders import RECORDERS
from minigr.operators.single import SingleOperator
from minigr.prepare.examples import dynamic_graphs, graph_on_host, graphs, messy_graph, parts
from minigr.prepare.program import Program, of_plan
from minigr.program.frontier import Frontier

_BALANCES = ("thread", "tile", "warp", "merge")  # all others are compiled with "block"


def operator_options() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(operator, input, options): all combinations that the operators accept."""
    from_, outputs = ("vertices", "edges", "all vertices"), ("vertices", "edges", None)
    for source, output, direction, duplicates in product(
        from_, outputs, ("push", "pull", "auto"), ("remove", "impossible", "keep")
    ):
        if (source == "edges" and direction != "push") or (output is None and duplicates != "keep"):
            continue
        if direction == "auto" and (source != "vertices" or output != "vertices"):
            continue
        yield "advance", source, {"output": output, "direction": direction, "duplicates": duplicates}
    for source, balance in product(from_, _BALANCES):
        yield "advance", source, {"balance": balance}
    yield "advance", "vertices", {"direction": "auto", "balance": "merge"}
    yield "advance", "vertices", {"direction": "auto", "again": True}
    for source, duplicates in product((*from_, "all edges"), ("keep", "remove")):
        yield "filter", source, {"duplicates": duplicates}
    for source, into in product((*from_, "all edges"), (None, "total", "bits")):
        yield "compute", source, {} if into is None else {"into": into, "reduce": "or" if into == "bits" else "add"}
    for source in ("edges", "pairs"):
        yield "intersect", source, {"output": source}
    yield "intersect", "all edges", {"hubs": 64}
    yield "filter", "pairs", {"duplicates": "cull"}
    yield "compute", "pairs", {"into": "total"}
    for source, into in product(("edges", "all edges"), (None, "total", "bits")):
        yield "intersect", source, {} if into is None else {"into": into, "reduce": "or" if into == "bits" else "add"}
    for source, direction, reduce in product(("vertices", "all vertices"), ("out", "in"), ("add", "min", "max", None)):
        start = {"reduce": reduce, "initial": None if reduce else 0.0, "direction": direction}
        places = ({"into": "b"}, {"into": "b", "by": "position"}, {"scalar": "total", "scalar_reduce": "max"})
        for rest in places[: 3 if reduce in ("add", None) else 1]:
            yield "neighbor_reduce", source, {**start, **rest}
        if reduce == "add":
            yield "neighbor_reduce", source, {**start, "reduce": "or", "into": "a"}
    for source, balance, reduce in product(("vertices", "all vertices"), _BALANCES, ("add", None)):
        start = {"balance": balance, "reduce": reduce, "initial": None if reduce else 0.0}
        yield "neighbor_reduce", source, {**start, **({"into": "b"} if reduce else {"scalar": "total"})}
    for falling in (False, True):
        yield "near_far", "vertices", {"width": 1.0, "falling": falling}
    yield "near_far", "vertices", {"width": 1.0, "bins": 32}


def slab_options() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(operator, input, options) for slabs: each way to walk slabs, but not with every output."""
    pushes: list[dict[str, Any]] = [{"balance": balance} for balance in ("thread", "tile", "warp", "merge")]
    pushes += [{}, {"since": "mark"}, {"direction": "auto", "duplicates": "impossible"}]
    for options in pushes:
        yield "advance", "vertices", options
    yield "advance", "edges", {"output": "edges"}
    yield "advance", "all vertices", {"output": None}
    yield "advance", "all vertices", {"since": "mark"}
    yield "advance", "vertices", {"direction": "pull", "output": "edges"}
    yield "advance", "all vertices", {"direction": "pull", "since": "mark"}
    for options in ({}, {"balance": "tile"}, {"balance": "warp"}, {"balance": "merge"}, {"since": "mark"}):
        yield "neighbor_reduce", "vertices", {"reduce": "add", "into": "b", **options}
    yield "neighbor_reduce", "all vertices", {"reduce": "add", "into": "b", "direction": "in"}
    yield "neighbor_reduce", "all vertices", {"initial": 0.0, "into": "b"}
    for source in ("edges", "all edges"):
        yield "filter", source, {"duplicates": "remove"}
        yield "compute", source, {"into": "total"}
        yield "intersect", source, {"into": "total"}
    yield "intersect", "pairs", {"output": "pairs"}


def keyed_options() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """(functor, graph, input, options) of reduce_by_key: each reduction with each dtype, and each input."""
    for source, direction in product(("vertices", "all vertices"), ("out", "in")):
        yield "keyed", "path", source, {"direction": direction}
    reals, wholes = ("add", "min", "max"), ("add", "min", "max", "or")
    for functor, reduce, dtype in (
        *product(("keyed",), reals, ("float32", "float64")),
        *product(("key counts", "key bits"), wholes, ("int32", "int64")),
    ):
        yield functor, "star", "vertices", {"reduce": reduce, "dtype": dtype}
    for options in ({}, {"since": "mark"}, {"direction": "in"}):
        yield "keyed", "slabs", "vertices", options
        yield "key counts", "slabs", "all vertices", options
    for dtype in WEIGHT_DTYPES:
        yield "weighted", f"star {dtype}", "all vertices", {"dtype": "float64"}
        yield "weighted", f"slabs {dtype}", "all vertices", {"dtype": "float64"}


def pair_options() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(graph, input, options) of neighbor_reduce of pairs: each schedule, and each place for the results."""
    ways: list[dict[str, Any]] = [{"reduce": "argmin"}, {"reduce": "argmax", "into": ("b", "a"), "by": "position"}]
    ways += [{"initial": (0.0, 0), "scalar": "total"}, {"reduce": "argmin", "into": ("b", "a"), "output": "vertices"}]
    for graph, source, options in product(("star", "slabs"), ("vertices", "all vertices"), ways):
        yield graph, source, options
    for graph, balance in product(("star", "slabs"), _BALANCES):
        yield graph, "vertices", {**ways[0], "balance": balance}


def operator_programs() -> Iterator[tuple[str, Program]]:
    """Every operator with all combinations of options, and weights of each dtype if an operator reads weights."""

    problem_class, functors = parts()
    frontiers = {
        "vertices": Frontier.of([0], "cpu"),
        "edges": Frontier.of_edges([0], "cpu"),
        "pairs": Frontier.of_pairs([0], [1], "cpu"),
        "all vertices": Frontier.all_vertices(),
        "all edges": Frontier.all_edges(),
    }

    def compiled(graph: str, functor: str, operator: str, source: str, options: dict[str, Any]) -> tuple[str, Program]:
        others = {"messy": messy_graph(), "host": graph_on_host()}
        problem = problem_class((graphs() | dynamic_graphs() | others)[graph], limit=1.0)
        plan = SingleOperator(problem, RECORDERS[operator], functors[functor], options).record(frontiers[source])
        shown = " ".join(f"{name}={value}" for name, value in options.items())
        return f"{operator} from {source} {shown} ({graph}, {functor})", partial(of_plan, plan)

    for operator, source, options in operator_options():
        if "balance" in options:
            yield compiled("star", "plain", operator, source, options)
            continue
        has_hubs = operator in ("advance", "neighbor_reduce", "intersect")
        # The code for hubs is added to the code for other vertices, so the latter is compiled alone for few options
        # only.
        few = options.get("duplicates") == "remove" or options.get("reduce") == "add"
        alone = few or operator not in ("advance", "neighbor_reduce")
        for graph in ("star",) * has_hubs + ("path",) * alone:
            of_edges = operator in ("filter", "compute", "intersect") and source.endswith("edges")
            of_bits = operator == "neighbor_reduce" and options["reduce"] == "or"
            functor = "of edges" if of_edges else "of pairs" if source == "pairs" else "bits" if of_bits else "plain"
            yield compiled(graph, functor, operator, source, options)
    for source in ("vertices", "all vertices"):
        priorities = SingleOperator(
            problem_class(graphs()["path"], limit=1.0), record_priorities, functors["plain"], {}
        )
        yield f"near_far at once from {source}", partial(of_plan, priorities.record(frontiers[source]))
    for source in ("vertices", "edges"):
        yield compiled("star", "positions", "advance", source, {})
    yield compiled("star", "positions", "neighbor_reduce", "vertices", {"reduce": "add", "into": "b"})
    for functor, graph, source, options in keyed_options():
        yield compiled(graph, functor, "reduce_by_key", source, options)
    for graph, source, options in pair_options():
        yield compiled(graph, "pairs", "neighbor_reduce", source, options)
    for operator, source, options in slab_options():
        of_edges = operator in ("filter", "compute", "intersect")
        functor = "of pairs" if source == "pairs" else "of edges" if of_edges else "unordered"
        yield compiled("slabs", functor, operator, source, options)
    for graph, source in product(("star", "messy", "slabs"), ("edges", "all edges")):
        yield compiled(graph, "count", "intersect", source, {"into": "total"})
    yield compiled("star", "count", "intersect", "all edges", {"into": "total", "hubs": 64})
    for graph in ("star float32", "slabs float32"):
        yield compiled(graph, "sees graph", "advance", "vertices", {})
        yield compiled(graph, "sees graph", "neighbor_reduce", "all vertices", {"reduce": "add", "into": "b"})
        yield compiled(graph, "sees graph", "compute", "all vertices", {})
    for source in ("edges", "all edges"):
        yield compiled("messy", "of edges", "intersect", source, {"into": "total"})
    yield compiled("host", "plain", "advance", "vertices", {"direction": "auto"})
    yield compiled("host", "of edges", "intersect", "all edges", {"into": "total"})
    yield compiled("host", "keyed", "reduce_by_key", "vertices", {})
    for source, balance in product(("vertices", "all vertices"), ("block", *_BALANCES)):
        options = {"reduce": "add", "into": "b", "balance": balance}
        yield compiled("host", "plain", "neighbor_reduce", source, options)
        yield compiled("host", "plain", "advance", source, {"balance": balance})
    for dtype in WEIGHT_DTYPES:
        yield compiled(f"slabs {dtype}", "weighted", "advance", "vertices", {})
        yield compiled(f"slabs {dtype}", "weighted", "neighbor_reduce", "all vertices", {"reduce": "add", "into": "b"})
        yield compiled(f"star {dtype}", "weighted", "advance", "vertices", {"direction": "push"})
        yield compiled(f"path {dtype}", "weighted", "advance", "vertices", {"direction": "auto"})
        yield compiled(f"star {dtype}", "weighted", "neighbor_reduce", "all vertices", {"reduce": "add", "into": "b"})
        yield compiled(f"path {dtype}", "weighted", "compute", "all edges", {"into": "total"})
        yield compiled(f"path {dtype}", "weighted", "filter", "all edges", {})


def loop_programs() -> Iterator[tuple[str, Program]]:
    """Loops with an ``until`` that asks for all values it may, with set operations, several frontiers, and bins."""

    fields, functors = parts()
    plain: Any = functors["plain"]

    class Limited(plain):
        def until(iteration, a, total, limit):
            return iteration + a[0] > limit + total

    class LimitedEnactor(Enactor, problem=fields, functor=Limited):
        def step(self, frontier: Any) -> Any:
            return self.advance(frontier)

    class QueueEnactor(Enactor, problem=fields, functor=plain):
        def step(self, frontier: Any) -> Any:
            return self.near_far(self.advance(frontier), width=1.0, bins=32)

    for name in ("path", "star"):
        queue = QueueEnactor(graphs()[name], limit=1.0)
        yield f"loop with bins ({name})", partial(of_plan, queue.record(Frontier.of([0], "cpu")))
        loop = LimitedEnactor(graphs()[name], limit=1.0)
        yield f"loop with until ({name})", partial(of_plan, loop.record(Frontier.of([0], "cpu")))
        checked = LimitedEnactor(graphs()[name], limit=1.0, debug=True)
        yield f"loop in debug mode ({name})", partial(of_plan, checked.record(Frontier.of([0], "cpu")))

    class SetsEnactor(Enactor, problem=fields, functor=plain):
        def step(self, frontier: Any) -> Any:
            listed, every = Frontier(frontier.kind, ids=np.zeros(1, int)), Frontier(frontier.kind)
            return (frontier | listed) - (every - frontier) & every

    for name, graph in (("path", graphs()["path"]), ("slabs", dynamic_graphs()["slabs"])):
        for first in (Frontier.of([0], "cpu"), Frontier.of_edges([0], "cpu")):
            yield f"sets of {first.kind} ({name})", partial(of_plan, SetsEnactor(graph, limit=1.0).record(first))

    class BothEnactor(Enactor, problem=fields, functor=plain):
        def step(self, vertices: Any, edges: Any, kept: Any, everyone: Any) -> Any:
            self.compute(everyone)
            found = self.advance(vertices, direction="auto")
            return found, edges | self.advance(kept, output="edges"), None, None

    several = Frontier.of([0], "cpu"), Frontier.of_edges([0], "cpu"), Frontier.of([0], "cpu"), Frontier.all_vertices()
    for name in ("path", "star"):
        both = BothEnactor(graphs()[name], limit=1.0)
        yield f"loop with several frontiers ({name})", partial(of_plan, both.record(several))
