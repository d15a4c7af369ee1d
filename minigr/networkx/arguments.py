"""Arguments that can't be answered, or that NetworkX answers faster: functions that return the reason, or None.

Each function gets the arguments of a call by name. Like `functions`, which uses these functions, this module is
imported whenever NetworkX is imported.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

Arguments = Mapping[str, Any]
Reason = Callable[[Arguments], str | None]

_FEW = 10  # searches
_FEW_PAIRS, _NODES_PER_PAIR = 1000, 8  # for many nodes, the conversion takes as long as some pairs per node
# The generator of Python's own functions, which NetworkX uses without a seed. It has no public name.
_BOUND: Any = random.seed
_STATE: random.Random = _BOUND.__self__


def when(name: str, reason: str) -> Reason:
    """The reason, if an argument is not None."""
    return lambda given: None if given[name] is None else reason


def added(name: str, reason: str) -> Reason:
    """As `when`, for a parameter that only newer versions of NetworkX have."""
    return lambda given: None if given.get(name) is None else reason


def by_function(name: str) -> Reason:
    reason = "the weight is a function, and only attributes are converted"
    return lambda given: reason if callable(given[name]) else None


def directed(given: Arguments) -> str | None:
    return "the graph is directed" if given["G"].is_directed() else None


def multigraph(given: Arguments) -> str | None:
    return "the graph is a multigraph" if given["G"].is_multigraph() else None


def pagerank(given: Arguments) -> str | None:
    if not (0 <= given["alpha"] < 1 and given["tol"] > 0 and given["max_iter"] >= 1):
        return "alpha must be at least 0 and less than 1, tol above 0 and max_iter at least 1"
    return None


def hits(given: Arguments) -> str | None:
    if given.get("method", "power_iteration") != "power_iteration":  # a parameter since NetworkX 3.7
        return "only the method power_iteration is supported"
    if not given["normalized"]:
        return "only normalized=True is supported: NetworkX scales other vectors differently from version to version"
    return None if given["tol"] > 0 else "tol must be above 0"


def iterated(given: Arguments) -> str | None:
    right = given["tol"] > 0 and given["max_iter"] >= 1
    return None if right else "tol must be above 0 and max_iter at least 1"


def katz(given: Arguments) -> str | None:
    return None if 0 <= given["alpha"] < math.inf else "alpha must be at least 0 and finite"


def in_edges(given: Arguments) -> str | None:
    if given["G"].is_directed():
        return "the order of a node's predecessors, which decides the order of the result, is not converted"
    return None


def in_edges_if_reverse(given: Arguments) -> str | None:
    return in_edges(given) if given["reverse"] else None


def in_edges_if_target_alone(given: Arguments) -> str | None:
    return in_edges(given) if given["source"] is None and given["target"] is not None else None


def one_path(given: Arguments) -> str | None:
    if given["source"] is None and given["target"] is None:
        return "for paths of all pairs use all_pairs_shortest_path or all_pairs_dijkstra_path"
    by_queue = given["weight"] is not None and given["method"] == "bellman-ford"
    if given["source"] is not None and given["target"] is not None and not by_queue:
        return "NetworkX's bidirectional search decides which of several shortest paths it returns"
    return None


def shortest_path_method(given: Arguments) -> str | None:
    return None if given["method"] in ("dijkstra", "bellman-ford") else f"there is no method {given['method']!r}"


def average_method(given: Arguments) -> str | None:
    return None if given["method"] in (None, "unweighted", "dijkstra") else "only the method dijkstra is supported"


def flow(given: Arguments) -> str | None:
    if given["flowG"].is_multigraph():
        return "the graph is a multigraph"
    if given["flow_func"] is not None:
        return "flow_func is not supported"
    return "capacity must name an attribute" if given["capacity"] is None else None


def bounded(given: Arguments) -> str | None:
    if given["usebounds"] and given["weight"] is not None:
        return "usebounds is supported only without weights: with bounds, sums of floats are rounded differently"
    return None


def degrees(given: Arguments) -> str | None:
    ends = {given["x"], given["y"]}
    return None if ends <= {"in", "out"} else "x and y must be 'in' or 'out'"


def degrees_of_neighbors(given: Arguments) -> str | None:
    if given["source"] != "out" or given["target"] not in ("in", "out"):
        return "source must be 'out', and target 'in' or 'out'"
    if given["target"] == "in" and not given["G"].is_directed():
        return "target='in' is only for directed graphs"
    return None


def normalized(given: Arguments) -> str | None:
    return "only normalized=False is supported: random graphs differ" if given["normalized"] else None


def coloring(given: Arguments) -> str | None:
    if given["interchange"] or given["strategy"] not in ("largest_first", "random_sequential"):
        return "only the strategies largest_first and random_sequential are supported, without interchange"
    return None


def kruskal(given: Arguments) -> str | None:
    return (
        None if given["algorithm"] == "kruskal" else "other algorithms choose differently among edges of equal weight"
    )


def directed_cores(given: Arguments) -> str | None:
    return directed(given) if given["core_number"] is None else None


def not_improved(given: Arguments) -> str | None:
    return None if given["wf_improved"] else "only wf_improved=True is supported"


def few(name: str) -> Reason:
    """For functions that search from each given node."""

    def leave(given: Arguments) -> str | None:
        nodes = given[name]
        some = nodes is not None and (nodes in given["G"] or not hasattr(nodes, "__len__") or len(nodes) < _FEW)
        return "NetworkX is fast for a few nodes" if some else None

    return leave


def few_pairs(given: Arguments) -> str | None:
    """For functions of pairs of nodes. Without given pairs, these are all pairs that are not edges."""
    pairs, least = given["ebunch"], max(_FEW_PAIRS, len(given["G"]) // _NODES_PER_PAIR)
    some = pairs is not None and (not hasattr(pairs, "__len__") or len(pairs) < least)
    return "NetworkX is fast for a few pairs" if some else None


def seeded(given: Arguments) -> str | None:
    if given["seed"] is None or given["seed"] is _STATE:
        return None
    return "a seed would give another result than in NetworkX"


def leiden(given: Arguments) -> str | None:
    """Since version 3.7, NetworkX has Leiden's method itself, with another default measure of communities."""
    if "metric" not in given:
        return None
    if given["metric"] != "modularity":
        return "only the metric modularity is supported"
    return "theta is not supported" if given["theta"] != 0.01 else seeded(given)


def seeded_by_numpy(given: Arguments) -> str | None:
    if given["seed"] is None or isinstance(given["seed"], int) or type(given["seed"]) is random.Random:
        return None  # a subclass, such as NetworkX's around a generator of NumPy, draws from something else
    return "only generators of Python's module random are supported"


def drawn(given: Arguments) -> str | None:
    if given["k"] is None:
        return None
    return "k must be at least 1" if given["k"] < 1 else seeded_by_numpy(given)


def sizes(*names: str) -> Reason:
    """Numbers of nodes or edges, which must be nonnegative ints."""

    def refuse(given: Arguments) -> str | None:
        wrong = next((name for name in names if type(given[name]) is not int or given[name] < 0), None)
        return None if wrong is None else f"{wrong} must be an int of at least 0"

    return refuse


def ring(given: Arguments) -> str | None:
    return None if given["n"] >= 3 else "a cycle of less than three nodes has parallel edges or a loop"


def flat(given: Arguments) -> str | None:
    return "only grids that aren't periodic are supported" if given["periodic"] else None


def probability(given: Arguments) -> str | None:
    return None if 0 < given["p"] < 1 else "p must be above 0 and below 1"
