"""The meaning of the operators: each of them in plain Python, for one item after the other.

Arguments are those of minigr: a graph of either layout, a `minigr.Frontier`, a functor class and options. Results are
lists of ids. ``fields`` maps each field of the Problem to an array that is changed in place; a scalar field is an array
without dimensions; see `fields_of`. Nothing here is fast, and it shares only names with the code that it specifies.
"""

import operator
from functools import cache, cached_property
from types import FunctionType

import numpy as np

from minigr.device import CPU
from minigr.jit import atomics
from tests.layouts import arcs_of


def _atomic(combine):
    def change(array, index, *values):
        old = array[index]
        array[index] = combine(old, *values)
        return old

    return change


_PLAIN = {  # the effect of each atomic if no other thread runs
    atomics.atomic_min: _atomic(lambda old, new: new if new < old else old),
    atomics.atomic_max: _atomic(lambda old, new: new if new > old else old),
    atomics.atomic_add: _atomic(operator.add),
    atomics.atomic_or: _atomic(operator.or_),
    atomics.atomic_exch: _atomic(lambda old, new: new),
    atomics.atomic_cas: _atomic(lambda old, expected, new: new if old == expected else old),
}


def fields_of(problem):
    """Copies of a problem's fields on the host."""
    copies = {name: np.array(CPU.asarray(getattr(problem, name))) for name in problem._fields}
    return {
        name: a if problem._fields[name].kind in ("vertex", "edge", "array") else a.reshape(())
        for name, a in copies.items()
    }


def _arg(sign):
    """Choose the pair (value, id) with least ``sign * value``, then least id; negative ids and NaN come last."""

    def place(pair):
        value, number = (np.asarray(each).item() for each in pair)
        is_nan = value != value
        return is_nan, 0 if is_nan else sign * value, number < 0, number

    return lambda a, b: min(a, b, key=place)


REDUCTIONS = {"add": operator.add, "min": min, "max": max, "or": operator.or_, "argmin": _arg(1), "argmax": _arg(-1)}


def _plain(function):
    """`function` with plain functions in place of the atomics that it calls."""
    called = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    plain = {name: _PLAIN[value] for name, value in called.items() if isinstance(value, type(atomics.atomic_min))}
    return FunctionType(
        function.__code__, {**function.__globals__, **plain}, function.__name__, None, function.__closure__
    )


class Functor:
    """The functions of a functor class, which get the arguments that they name."""

    def __init__(self, functor, fields):
        self.fields, self.functions = fields, {}
        for name, function in functor.functions().items() if functor else ():
            self.functions[name] = _plain(function), function.__code__.co_varnames[: function.__code__.co_argcount]

    def __call__(self, name, default=None, **supplied):
        if name not in self.functions:
            return default
        function, asked = self.functions[name]
        return function(*(supplied[n] if n in supplied else self.field(n) for n in asked))

    def field(self, name):
        value = self.fields[name]
        return value if not isinstance(value, np.ndarray) or value.ndim else value[()]


class Arcs:
    """The arcs of a graph on the host: (src, dst, weight) by id, and the ids of each vertex's out-arcs and in-arcs."""

    def __init__(self, graph, since=False):
        self.graph = graph
        ids, src, dst, weight = arcs_of(graph, since)
        self.ids, self.src, self.dst = ids.tolist(), src.tolist(), dst.tolist()
        self.weight = [None] * len(dst) if weight is None else weight
        self.out, self.into = ([[] for _ in range(graph.num_vertices)] for _ in range(2))
        for edge in self.ids:
            self.out[self.src[edge]].append(edge)
            self.into[self.dst[edge]].append(edge)

    def edge(self, edge, rank, idx, seg, iteration):
        ends = {"src": self.src[edge], "dst": self.dst[edge], "edge": edge, "weight": self.weight[edge]}
        return {**ends, "rank": rank, "idx": idx, "seg": seg, "iteration": iteration}

    def items(self, frontier):
        """The items of a frontier, each with its position; for all arcs, the position is the id. Pairs are tuples."""
        if frontier.kind == "pairs":
            return list(enumerate(frontier))
        if not frontier.everything:
            return list(enumerate(CPU.asarray(frontier.ids).tolist()))
        if frontier.kind == "edges":
            return [(edge, edge) for edge in self.ids]
        deleted = self.graph.num_live_vertices < self.graph.num_vertices
        return list(enumerate(CPU.asarray(self.graph.live_vertices()).tolist() if deleted else range(len(self.out))))


class Graph:
    """The `graph` that a function sees; it is among the fields."""

    def __init__(self, graph):
        self._graph, self.num_vertices = graph, graph.num_vertices

    @cached_property
    def _arcs(self):
        return Arcs(self._graph)

    def degree(self, v):
        return len(self._arcs.out[v])

    def has_edge(self, u, v):
        return v in list(self.neighbors(u))

    def neighbors(self, v):
        return (neighbor for neighbor, _ in self.edges(v))

    def edges(self, v):
        return ((self._arcs.dst[edge], edge) for edge in self._arcs.out[v])

    def weighted_edges(self, v):
        return ((neighbor, edge, self._arcs.weight[edge]) for neighbor, edge in self.edges(v))


def advance(
    graph, frontier, functor, fields, *, output="vertices", direction="push", duplicates="remove", balance="auto",
    since=None, iteration=1
):  # fmt: skip
    """The destinations or edges for which ``cond_target`` and ``cond_advance`` are true; None with ``output=None``.

    ``idx`` is the position of an edge in the rows of the frontier's items, in the order of the frontier; in a pull it
    is the position in the rows of all vertices. `balance` changes nothing.
    """
    arcs, call, out = Arcs(graph, since == "mark"), Functor(functor, fields), []
    items = [item for _, item in arcs.items(frontier)]
    members = set(items)
    if direction != "pull":
        tails = [arcs.dst[edge] for edge in items] if frontier.kind == "edges" else items
        rows = [(seg, arcs.out[v]) for seg, v in enumerate(tails)]
    else:
        rows = list(enumerate(arcs.into))
    idx = -1
    for seg, row in rows:
        for rank, edge in enumerate(row):
            idx += 1
            if direction == "pull" and arcs.src[edge] not in members:
                continue
            names = arcs.edge(edge, rank, idx, seg, iteration)
            if call("cond_target", True, **names) and call("cond_advance", True, **names):
                call("apply_advance", **names)
                out.append(edge if output == "edges" else arcs.dst[edge])
    if output is None:
        return None
    return sorted(set(out)) if output == "vertices" and duplicates == "remove" else out


def _item(arcs, kind, item, idx, iteration):
    if kind == "vertices":
        return {"vertex": item, "idx": idx, "iteration": iteration}
    if kind == "pairs":
        return {"src": item[0], "dst": item[1], "idx": idx, "iteration": iteration}
    return arcs.edge(item, None, idx, None, iteration)


def filter(graph, frontier, functor, fields, *, duplicates="keep", iteration=1):
    """The items for which ``cond_filter`` is true."""
    arcs, call, out = Arcs(graph), Functor(functor, fields), []
    for idx, item in arcs.items(frontier):
        names = _item(arcs, frontier.kind, item, idx, iteration)
        if call("cond_filter", True, **names) and not (duplicates == "remove" and item in out):
            call("apply_filter", **names)
            out.append(item)
    return out


def compute(graph, frontier, functor, fields, *, into=None, reduce="add", initial=0, iteration=1):
    """Call ``apply`` for each item; reduce the returned values into the scalar field `into`, from `initial`."""
    arcs, call, total = Arcs(graph), Functor(functor, fields), initial
    for idx, item in arcs.items(frontier):
        value = call("apply", **_item(arcs, frontier.kind, item, idx, iteration))
        total = REDUCTIONS[reduce](total, value) if into else None
    if into:
        fields[into][()] = total


def neighbor_reduce(
    graph, frontier, functor, fields, *, direction="out", reduce=None, initial=0, into=None, by="vertex",
    scalar=None, scalar_reduce="add", scalar_initial=0, balance="auto", since=None, iteration=1
):  # fmt: skip
    """For each vertex reduce ``map`` over its edges, in their order from `initial`; then call ``apply_reduce``.

    In ``map``, ``idx`` is the position of an edge in the rows of the frontier's vertices, in the order of the frontier.
    `balance` changes nothing.
    """
    arcs, call, whole, idx = Arcs(graph, since == "mark"), Functor(functor, fields), scalar_initial, -1
    combine = REDUCTIONS[reduce] if reduce else lambda a, b: call("reduce", a=a, b=b)
    for seg, vertex in arcs.items(frontier):
        total = initial
        for rank, edge in enumerate((arcs.out if direction == "out" else arcs.into)[vertex]):
            idx += 1
            total = combine(total, call("map", **arcs.edge(edge, rank, idx, seg, iteration)))
        place = vertex if by == "vertex" else seg
        if isinstance(into, tuple):
            for name, number in zip(into, total, strict=True):
                fields[name][place] = number
        elif into:
            fields[into][place] = total
        value = call("apply_reduce", vertex=vertex, value=total, idx=seg, iteration=iteration)
        whole = REDUCTIONS[scalar_reduce](whole, value) if scalar else None
    if scalar:
        fields[scalar][()] = whole


def intersect(graph, frontier, functor, fields, *, into=None, reduce="add", initial=0, iteration=1, hubs=None):
    """Call ``apply_intersect`` for each common neighbor of the ends of an edge or pair, with the first arcs to it; then
    call ``apply_count``, and reduce the returned values into the scalar field `into` from `initial`. `hubs` changes
    nothing.
    """
    arcs, call, total = Arcs(graph), Functor(functor, fields), initial
    first = cache(lambda vertex: {arcs.dst[e]: e for e in reversed(arcs.out[vertex])})
    for idx, item in arcs.items(frontier):
        names = _item(arcs, frontier.kind, item, idx, iteration)
        if not call("cond_intersect", True, **names):
            continue
        near, far = first(names["src"]), first(names["dst"])
        both = near.keys() & far.keys()
        for common in both:
            call("apply_intersect", common=common, src_edge=near[common], dst_edge=far[common], **names)
        value = call("apply_count", count=len(both), **names)
        total = REDUCTIONS[reduce](total, value) if into else None
    if into:
        fields[into][()] = total


class NearFar:
    """The vertices that wait in a near-far split, and the ends of bands; called with the frontier of each step."""

    def __init__(self, functor, fields, width, falling=False, bins=2):
        self.call, self.width, self.threshold, self.before = Functor(functor, fields), width, width, -np.inf
        self.far, self.falling, self.bins = set(), falling, bins
        self._begin_bins()

    def _begin_bins(self):
        self.ends = [self.threshold + (number + 1) * self.width for number in range(self.bins - 2)]

    def __call__(self, vertices, iteration=1):
        priority = {v: self.call("priority", vertex=v, iteration=iteration) for v in {*vertices, *self.far}}
        near = [v for v in vertices if priority[v] < self.threshold]
        self.far |= {v for v in vertices if self.threshold <= priority[v] < np.inf}
        least_is_known = not self.falling
        while not near and self.far:
            self.before = self.threshold
            held = [end for end in self.ends if any(self.before <= priority[v] < end for v in self.far)]
            if held:
                self.threshold = held[0]
            else:
                start = max(self.before, min(priority[v] for v in self.far)) if least_is_known else self.before
                least_is_known = True
                self.threshold = max(start + self.width, np.nextafter(start, np.inf))  # if rounding loses the width
                self._begin_bins()
            near = [v for v in self.far if self.before <= priority[v] < self.threshold]
            self.far = {v for v in self.far if self.threshold <= priority[v]}
        return near


def reduce_by_key(
    graph, frontier, functor, fields, *, direction="out", reduce="add", dtype=None, since=None, iteration=1
):
    """For each vertex reduce ``map`` over its edges by ``key``; call ``apply_group`` for keys, then ``apply_best``.

    The best group has the greatest score, and of equal scores the least key. NaN is less than all other scores.
    """
    arcs, call = Arcs(graph, since == "mark"), Functor(functor, fields)
    as_value = np.dtype(dtype).type if dtype else lambda x: x
    for seg, vertex in arcs.items(frontier):
        groups = {}
        for rank, edge in enumerate((arcs.out if direction == "out" else arcs.into)[vertex]):
            names = arcs.edge(edge, rank, None, seg, iteration)
            key, value = int(call("key", **names)), as_value(call("map", 1, **names))
            groups[key] = REDUCTIONS[reduce](groups[key], value) if key in groups else value
        best, names = None, {"vertex": vertex, "idx": seg, "iteration": iteration}
        for key, value in groups.items():
            score = call("apply_group", key=key, value=value, **names)
            score = value if score is None else score
            is_nan = score != score
            candidate = ((not is_nan, 0 if is_nan else score, -key), key, value, score)
            best = candidate if best is None or candidate[0] > best[0] else best
        if best is not None:
            call("apply_best", key=best[1], value=best[2], score=best[3], **names)
