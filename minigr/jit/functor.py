"""Functors: plain Python functions in a class, with parameters that are bound by name.

A functor class holds no state. The name of each function is one of `METHODS`. The names of a function's parameters
select its arguments: values that the operator supplies, the graph, and the Problem's fields.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import FunctionType
from typing import Any, ClassVar

from minigr.errors import FunctorError

EDGE_NAMES = ("src", "dst", "edge", "weight", "rank", "idx", "seg", "iteration")
PAIR_NAMES = ("src", "dst", "edge", "idx", "iteration")
ITEM_NAMES = ("vertex", "edge", "src", "dst", "weight", "idx", "iteration")
GRAPH = "graph"
"""The parameter through which a function sees the graph; see `minigr.jit.graph_parameter`."""


@dataclass(frozen=True)
class Method:
    """The arguments that an operator passes to a functor's function, and the value that it takes back.

    Attributes
    ----------
    supplied : tuple of str
        Parameter names that the operator supplies; any other name is a field of the Problem.
    returns : str
        ``"bool"``, ``"number"``, ``"none"``, or ``"any"`` (nothing, or a number that the operator reduces).
    positional : bool
        True if the parameters are the two operands themselves (``reduce``), with any names.
    """

    supplied: tuple[str, ...]
    returns: str
    positional: bool = False


METHODS: Mapping[str, Method] = {
    "cond_advance": Method(EDGE_NAMES, "bool"),
    "apply_advance": Method(EDGE_NAMES, "none"),
    "cond_target": Method(("dst", "iteration"), "bool"),
    "cond_filter": Method(ITEM_NAMES, "bool"),
    "apply_filter": Method(ITEM_NAMES, "none"),
    "cond_intersect": Method(PAIR_NAMES, "bool"),
    "apply_intersect": Method((*PAIR_NAMES, "common", "src_edge", "dst_edge"), "none"),
    "cond_count": Method((*PAIR_NAMES, "count"), "bool"),
    "apply_count": Method((*PAIR_NAMES, "count"), "any"),
    "map": Method(EDGE_NAMES, "number"),
    "reduce": Method(("a", "b"), "number", positional=True),
    "cond_reduce": Method(("vertex", "value", "idx", "iteration"), "bool"),
    "apply_reduce": Method(("vertex", "value", "idx", "iteration"), "any"),
    "key": Method(EDGE_NAMES, "number"),
    "apply_group": Method(("vertex", "key", "value", "idx", "iteration"), "any"),
    "apply_best": Method(("vertex", "key", "value", "score", "idx", "iteration"), "none"),
    "apply": Method(ITEM_NAMES, "any"),
    "priority": Method(("vertex", "iteration"), "number"),
    "until": Method(("iteration",), "bool"),
}


_MORE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def parameters(function: FunctionType) -> tuple[str, ...]:
    """The names of a function's positional parameters."""
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def where(function: FunctionType) -> str:
    """``file:line`` of a function, for messages."""
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"


class FunctorType(type):
    """The type of functor classes. Their functions can't be replaced, because compiled code would keep the old ones."""

    def __setattr__(cls, name: str, value: Any) -> None:
        if name in METHODS or isinstance(value, FunctionType):
            raise FunctorError(
                f"functor {cls.__name__}.{name} can't be set after the class statement: make a subclass that has "
                f"its own {name}"
            )
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        if name in METHODS:
            raise FunctorError(
                f"functor {cls.__name__}.{name} can't be deleted: make a functor that doesn't have this function"
            )
        super().__delattr__(name)


class Functor(metaclass=FunctorType):
    """Base of all functors: a namespace of plain functions, never instantiated.

    Functions take no ``self``. Their names are those of `METHODS`; the class statement refuses a misspelled name. A
    functor has the functions that Python finds in the class and its bases, among which may be classes that are no
    functors. A function can't be set or deleted after the class statement: make a subclass.

    ================  ==================================================  ==========================================
    function          operator                                            returns
    ================  ==================================================  ==========================================
    cond_advance      advance: keep this edge?                            bool (default: every edge is kept)
    apply_advance     advance: for each edge that is kept                 nothing
    cond_target       advance: can this vertex still be reached?          bool (default: always)
    cond_filter       filter: keep this item?                             bool
    apply_filter      filter: for each item that is kept                  nothing
    cond_intersect    intersect: look for common neighbors of its ends?   bool (default: for every edge)
    apply_intersect   intersect: for each common neighbor                 nothing
    cond_count        intersect: output this edge, given the count?       bool
    apply_count       intersect: for each edge and its count              nothing, or a number that is reduced
    map               neighbor_reduce, reduce_by_key: an edge's value     a number (reduce_by_key, default: 1); in
                                                                          neighbor_reduce also a tuple of numbers
    reduce            neighbor_reduce: two values into one; associative   a value
    cond_reduce       neighbor_reduce: output this vertex?                bool
    apply_reduce      neighbor_reduce: a vertex and its reduced value     nothing, or a number that is reduced again
    key               reduce_by_key: the group that an edge belongs to    an integer
    apply_group       reduce_by_key: a vertex, a key and its value        nothing, or a number: the group's score
    apply_best        reduce_by_key: a vertex and its best group          nothing
    apply             compute: for each item                              nothing, or a number that is reduced
    priority          near_far: the priority of a vertex; least first     a number
    until             enactor: after each step: stop now?                 bool
    ================  ==================================================  ==========================================

    Every function except `reduce` may ask for `graph`, which has the methods of `minigr.GraphView`.

    Examples
    --------
    >>> class Visit(Functor):
    ...     def cond_advance(dst, depth):
    ...         return depth[dst] < 0
    >>> Visit.functions()["cond_advance"].__name__
    'cond_advance'
    """

    _functions: ClassVar[dict[str, FunctionType]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        there = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
        found = {}
        for name, value in there.items():
            function = value.__func__ if isinstance(value, staticmethod) else value
            if name.startswith("__"):
                continue
            if not isinstance(function, FunctionType):
                if name in METHODS:
                    raise FunctorError(
                        f"functor {cls.__name__}.{name} is a {type(value).__name__}: write it as a plain function, "
                        "whose parameters can be bound by name"
                    )
                continue
            _check_definition(cls, name, function)
            found[name] = function
        for name in found.keys() & vars(cls).keys():
            type.__setattr__(cls, name, staticmethod(found[name]))
        cls._functions = found

    def __init__(self) -> None:
        raise FunctorError(f"{type(self).__name__} is a functor: pass the class itself, not an instance of it")

    @classmethod
    def functions(cls) -> dict[str, FunctionType]:
        """Return the functions of this functor by name."""
        return dict(cls._functions)


def _check_definition(cls: type, name: str, function: FunctionType) -> None:
    label = f"functor {cls.__name__}.{name} ({where(function)})"
    if name not in METHODS:
        close = difflib.get_close_matches(name, METHODS, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(METHODS)}"
        raise FunctorError(f"{label}: no operator calls a function of this name; {hint} (helpers go outside the class)")
    check_parameters(label, function, METHODS[name])


def check_parameters(label: str, function: FunctionType, method: Method) -> None:
    """Refuse parameters that can't be bound by name; `label` names the function in the message."""
    code, names = function.__code__, parameters(function)
    # The code object is checked first, because a signature takes longer to make than a small kernel runs.
    others = code.co_posonlyargcount or code.co_kwonlyargcount or code.co_flags & _MORE or function.__defaults__
    for parameter in inspect.signature(function).parameters.values() if others else ():
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD or parameter.default is not parameter.empty:
            raise FunctorError(
                f"{label}: parameter {parameter} must be a plain name (no default, no *args, no keyword-only), "
                "because parameters are bound by name to what the operator supplies and to fields"
            )
    if "self" in names:
        raise FunctorError(f"{label}: functors hold no state; remove 'self' and ask for fields by their names")
    if method.positional and len(names) != 2:
        raise FunctorError(f"{label}: must have exactly two parameters, the two values to combine, got {len(names)}")


@dataclass(frozen=True)
class Bound:
    """A functor's function with each parameter resolved.

    Attributes
    ----------
    functor, name : str
        For messages.
    function : FunctionType
    method : Method
        The arguments that the function gets and the value that it must return.
    arguments : tuple of (str, str)
        For each parameter ``("supplied", name)`` or ``("field", name)``. If the function asks for `graph` and was
        rewritten, ``("graph", name)`` for each part of the graph.
    operand : str or tuple of str
        The dtype of the reduced values (``value``, ``a`` and ``b``), or the dtypes of a tuple of numbers; empty if
        nothing is reduced.
    reduced : str
        The dtype in which the returned number is reduced; empty if no number is reduced or if several are returned.
    results : tuple of str
        The dtypes of the numbers in a returned tuple; empty if no tuple is returned.
    scalars : tuple of str
        The scalar fields among the fields that the function asks for. The function gets their values.
    kinds : tuple of (str, str)
        The names whose dtype is chosen by the operator that supplies them, with these dtypes.
    """

    functor: str
    name: str
    function: FunctionType
    method: Method
    arguments: tuple[tuple[str, str], ...]
    operand: str | tuple[str, ...] = ""
    reduced: str = ""
    results: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        return f"functor {self.functor}.{self.name} ({where(self.function)})"

    def uses(self, supplied: str) -> bool:
        return ("supplied", supplied) in self.arguments

    def sees(self, part: str) -> bool:
        """Whether the function gets a part of the graph. A function that asks for `graph` gets all of its arrays."""
        return (GRAPH, part) in self.arguments


def bind(functor: type[Functor], name: str, fields: Mapping[str, Any]) -> Bound | None:
    """Resolve the parameters of one function of `functor`; None if the functor doesn't have it.

    Raises
    ------
    FunctorError
        If a parameter is neither supplied by the operator nor a field of the Problem.
    """
    function = functor._functions.get(name)
    if function is None:
        return None
    bound = bind_function(function, functor.__name__, name, METHODS[name], fields, more=(GRAPH,))
    scalars = [name for kind, name in bound.arguments if kind == "field" and fields[name].kind == "scalar"]
    return replace(bound, scalars=tuple(scalars)) if scalars else bound


def bind_function(
    function: FunctionType,
    functor: str,
    name: str,
    method: Method,
    fields: Iterable[str],
    owner: str = "the problem",
    more: tuple[str, ...] = (),
) -> Bound:
    """Resolve the parameters of `function`, which may also ask for the names in `more`.

    Messages use `functor` and `name` as the name of the function, and `owner` as the owner of the fields.

    Raises
    ------
    FunctorError
        If a parameter is neither supplied by the operator nor a field.
    """
    if method.positional:
        return Bound(functor, name, function, method, tuple(("supplied", n) for n in method.supplied))
    fields, supplied = tuple(fields), method.supplied + more
    arguments = _resolved(parameters(function), supplied, fields)
    for kind, parameter in arguments:
        if kind == "both":
            raise FunctorError(
                f"functor {functor}.{name} ({where(function)}): parameter {parameter!r} is both supplied by the "
                f"operator and a field of {owner}: rename the field"
            )
        if kind == "neither":
            close = difflib.get_close_matches(parameter, [*supplied, *fields], 1)
            missing = "" if fields or owner != "the problem" else "; pass a Problem that declares a field of this name"
            hint = f"; did you mean {close[0]!r}?" if close else missing
            raise FunctorError(
                f"functor {functor}.{name} ({where(function)}): parameter {parameter!r} is neither supplied "
                f"by the operator ({', '.join(supplied)}) nor a field of {owner} "
                f"({', '.join(fields) or 'which has none'}){hint}"
            )
    return Bound(functor, name, function, method, arguments)


@lru_cache(maxsize=1024)  # the same in every run of a program
def _resolved(
    names: tuple[str, ...], supplied: tuple[str, ...], fields: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """The source of each parameter: ``"supplied"``, ``"field"``, ``"both"`` or ``"neither"``."""
    kinds = {(True, False): "supplied", (False, True): "field", (True, True): "both", (False, False): "neither"}
    return tuple((kinds[name in supplied, name in fields], name) for name in names)


def require(functor: type[Functor] | None, names: tuple[str, ...], operator: str) -> None:
    """Raise unless `functor` is a Functor class that has at least one of the functions in `names`, if there are any."""
    if not (isinstance(functor, type) and issubclass(functor, Functor)):
        if functor is None:
            raise FunctorError(
                f"{operator} needs a functor, a subclass of minigr.Functor: give it to {operator}, or name it in the "
                "class statement of the enactor, functor=..."
            )
        raise FunctorError(f"{operator} needs a functor, a subclass of minigr.Functor; got {functor!r}")
    if names and not any(name in functor._functions for name in names):
        raise FunctorError(f"{operator} needs functor {functor.__name__} to have {' or '.join(names)}")
