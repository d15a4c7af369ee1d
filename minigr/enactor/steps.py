"""The operators as methods of an enactor, which record them in its step.

A method's docstring says its options in short, because an editor shows the text that stands at a definition. The
function of the same name in `minigr.operators` tells them at length. ``tests/operators/test_options.py`` holds both,
and the operator's ``record``, to the same options, order, defaults and values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from minigr.jit.functor import Functor
from minigr.operators.options import (
    Balance,
    Direction,
    Duplicates,
    EdgeReduction,
    Listed,
    Output,
    Place,
    Reduction,
    Repeated,
    Since,
    Vertices,
    Way,
)
from minigr.program.frontier import Frontier, Handle
from minigr.signatures import names_options


class Steps(ABC):
    """What a step may call: a method for each function of `minigr.operators`, with the same options.

    Each method also takes ``overlap=True``: the operator may run at the same time as the one before it, because neither
    needs what the other does. On a GPU that saves a barrier, if neither of the two has edges of hubs to put off.
    """

    @abstractmethod
    def _record(
        self, name: str, frontier: Handle, functor: type[Functor] | None, overlap: bool, **options: Any
    ) -> Any: ...

    @names_options
    def advance(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        output: Output | None = "vertices",
        direction: Direction = "push",
        duplicates: Duplicates = "remove",
        balance: Balance = "auto",
        since: Since | None = None,
        again: bool = False,
        reverse: bool = False,
        overlap: bool = False,
    ) -> Handle:
        """Go from a frontier along its edges to a new frontier, as `minigr.operators.advance` does.

        Parameters
        ----------
        frontier : Handle
            Vertices or edges: what the step was given, or what an operator returned.
        functor : type of Functor, optional
            With ``cond_advance`` or ``apply_advance``, and ``cond_target`` for pulls. By default the enactor's.
        output : {"vertices", "edges", None}
            What the new frontier holds: destinations, edges, or nothing.
        direction : {"push", "pull", "auto"}
            Along the edges that leave the frontier; along those that come into the vertices that ``cond_target`` lets
            through; or whichever costs less in each step (needs ``cond_target``).
        duplicates : {"remove", "impossible", "keep"}
            Of several edges to one vertex: let the vertex out once; trust that ``cond_advance`` claims it by an atomic;
            or let it out for each.
        balance : {"auto", "thread", "tile", "warp", "block", "merge"}
            How a push deals out edges. It changes the speed, and the order of the output.
        since : {"mark"}, optional
            Only edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        again : bool
            Whether a vertex may be in the output of several steps, which ``direction="auto"`` can't know.
        reverse : bool
            Whether a push goes along the edges that come into the frontier, as if all edges were reversed.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the new frontier; None with ``output=None``.
        """
        return self._record(
            "advance", frontier, functor, overlap, output=output, direction=direction, duplicates=duplicates,
            balance=balance, since=since, again=again, reverse=reverse,
        )  # fmt: skip

    @names_options
    def filter(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        duplicates: Repeated = "keep",
        overlap: bool = False,
    ) -> Handle:
        """Keep the items of a frontier for which a condition holds, as `minigr.operators.filter` does.

        Parameters
        ----------
        frontier : Handle
            Vertices, edges or pairs: what the step was given, or what an operator returned.
        functor : type of Functor, optional
            With ``cond_filter`` or ``apply_filter``. By default the enactor's.
        duplicates : {"keep", "remove", "cull"}
            ``"remove"``: of several equal ids one is kept. ``"cull"``: most of those that repeat are dropped, cheaply.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the items that are kept.
        """
        return self._record("filter", frontier, functor, overlap, duplicates=duplicates)

    @names_options
    def compute(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        into: str | None = None,
        reduce: Reduction = "add",
        initial: Any = None,
        accumulate: bool = False,
        overlap: bool = False,
    ) -> None:
        """Do something for each item of a frontier, as `minigr.operators.compute` does.

        Parameters
        ----------
        frontier : Handle
            Vertices, edges or pairs: what the step was given, or what an operator returned.
        functor : type of Functor, optional
            With ``apply``. By default the enactor's.
        into : str, optional
            Name of a scalar field that gets what ``apply`` returns, reduced over all items.
        reduce : {"add", "min", "max", "or"}
            How it is reduced.
        initial : scalar, optional
            Where the reduction starts. By default the value that changes nothing.
        accumulate : bool
            Whether the reduction goes on over the steps of a loop.
        overlap : bool
            Whether the operator may run at the same time as the one before it.
        """
        self._record(
            "compute", frontier, functor, overlap, into=into, reduce=reduce, initial=initial, accumulate=accumulate
        )  # fmt: skip

    @names_options
    def neighbor_reduce(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        direction: Way = "out",
        reduce: EdgeReduction | None = None,
        initial: Any = None,
        into: str | Sequence[str] | None = None,
        by: Place = "vertex",
        dtype: Any = None,
        scalar: str | Sequence[str] | None = None,
        scalar_reduce: Reduction | Sequence[Reduction] = "add",
        scalar_initial: Any = None,
        scalar_accumulate: bool = False,
        output: Vertices | None = None,
        balance: Balance = "auto",
        since: Since | None = None,
        overlap: bool = False,
    ) -> Handle | None:
        """Reduce the values of the edges of each vertex to one, as `minigr.operators.neighbor_reduce` does.

        Parameters
        ----------
        frontier : Handle
            Vertices: what the step was given, or what an operator returned.
        functor : type of Functor, optional
            With ``map``, and with ``reduce`` and ``apply_reduce`` where they are needed. By default the enactor's.
        direction : {"out", "in"}
            Over the edges that leave each vertex, or over those that come in.
        reduce : {"add", "min", "max", "or", "argmin", "argmax"}, optional
            Instead of the functor's ``reduce``. The last two keep one of the pairs (value, id) that ``map`` returns.
        initial : scalar or tuple of them, optional
            Where each vertex's reduction starts. By default the value that changes nothing.
        into : str or sequence of str, optional
            Name of a vertex field that gets the results; of tuples, a field for each number.
        by : {"vertex", "position"}
            Whether results stand in `into` by vertex, or by position in the frontier.
        dtype : dtype or sequence of them, optional
            The dtype that values are reduced in. By default that of `into`, or what ``map`` returns.
        scalar : str or sequence of str, optional
            Name of a scalar field that gets what ``apply_reduce`` returns, reduced over all vertices; or of several.
        scalar_reduce : {"add", "min", "max", "or"} or a sequence of them, one for each field
            How that is reduced.
        scalar_initial : scalar or a sequence of them, one for each field, optional
            Where that reduction starts. By default the value that changes nothing.
        scalar_accumulate : bool
            Whether that reduction goes on over the steps of a loop.
        output : {"vertices"}, optional
            What the new frontier holds: the vertices for which ``cond_reduce`` holds, or nothing.
        balance : {"auto", "thread", "tile", "warp", "block", "merge"}
            How edges are dealt out. It changes the speed, and the rounding of floats.
        since : {"mark"}, optional
            Only edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the new frontier; None with ``output=None``.
        """
        return self._record(
            "neighbor_reduce", frontier, functor, overlap, direction=direction, reduce=reduce, initial=initial,
            into=into, by=by, dtype=dtype, scalar=scalar, scalar_reduce=scalar_reduce, scalar_initial=scalar_initial,
            scalar_accumulate=scalar_accumulate, output=output, balance=balance, since=since,
        )  # fmt: skip

    @names_options
    def intersect(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        into: str | None = None,
        reduce: Reduction = "add",
        initial: Any = None,
        accumulate: bool = False,
        output: Listed | None = None,
        since: Since | None = None,
        overlap: bool = False,
    ) -> Handle | None:
        """Find the common neighbors of the ends of each edge or pair, as `minigr.operators.intersect` does.

        Parameters
        ----------
        frontier : Handle
            Edges, or pairs of vertices: what the step was given, or what an operator returned.
        functor : type of Functor, optional
            With ``cond_intersect``, ``apply_intersect`` and ``apply_count``, as far as they are needed. By default the
            enactor's.
        into : str, optional
            Name of a scalar field that gets what ``apply_count`` returns, reduced over the edges or pairs.
        reduce : {"add", "min", "max", "or"}
            How it is reduced.
        initial : scalar, optional
            Where the reduction starts. By default the value that changes nothing.
        accumulate : bool
            Whether the reduction goes on over the steps of a loop.
        output : {"edges", "pairs"}, optional
            What the new frontier holds: those of the edges, or pairs, for which ``cond_count`` holds, or nothing.
        since : {"mark"}, optional
            Over all edges: those alone that came into a `DynamicGraph` after its last ``mark()``.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the new frontier; None with ``output=None``.
        """
        return self._record(
            "intersect", frontier, functor, overlap, into=into, reduce=reduce, initial=initial, accumulate=accumulate,
            output=output, since=since,
        )  # fmt: skip

    @names_options
    def near_far(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        width: float,
        waiting: Frontier | None = None,
        falling: bool = False,
        overlap: bool = False,
    ) -> Handle:
        """Split a frontier into vertices that are due, and others, which wait, as `minigr.operators.near_far` tells.

        Parameters
        ----------
        frontier : Handle
            Distinct vertices: what the step was given, or what an operator returned.
        functor : type of Functor, optional
            With ``priority``. By default the enactor's.
        width : float
            How far the threshold rises each time; more than 0.
        waiting : Frontier, optional
            Distinct vertices, or all, that wait from the start.
        falling : bool
            Whether the priority of a waiting vertex may fall without the vertex being in `frontier`.
        overlap : bool
            Whether the operator may run at the same time as the one before it.

        Returns
        -------
        Handle
            A symbol for the vertices that are due.
        """
        return self._record("near_far", frontier, functor, overlap, width=width, waiting=waiting, falling=falling)

    @names_options
    def reduce_by_key(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        direction: Way = "out",
        reduce: Reduction = "add",
        dtype: Any = None,
        since: Since | None = None,
        overlap: bool = False,
    ) -> None:
        """Group the edges of each vertex by a key and reduce the groups, as `minigr.operators.reduce_by_key` does.

        Parameters
        ----------
        frontier : Handle
            Vertices: what the step was given, or what an operator returned.
        functor : type of Functor, optional
            With ``key``, with ``map`` where edges are not just counted, and with ``apply_group`` or ``apply_best``. By
            default the enactor's.
        direction : {"out", "in"}
            Over the edges that leave each vertex, or over those that come in.
        reduce : {"add", "min", "max", "or"}
            How the values of a group are reduced.
        dtype : dtype, optional
            The dtype that values are reduced in. By default that of what ``map`` returns.
        since : {"mark"}, optional
            Only edges of a `DynamicGraph` that were inserted after its last ``mark()``.
        overlap : bool
            Whether the operator may run at the same time as the one before it.
        """
        self._record(
            "reduce_by_key", frontier, functor, overlap, direction=direction, reduce=reduce, dtype=dtype, since=since
        )
