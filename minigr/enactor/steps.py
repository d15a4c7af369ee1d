"""The operators as methods of an enactor, which record them in its step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

from minigr.jit.functor import Functor
from minigr.operators.options import Balance, Direction, Output, Reduction
from minigr.program.frontier import Frontier, Handle
from minigr.signatures import names_options


class Steps(ABC):
    """What a step may call. The options of each method are those of the function of its name in `minigr.operators`.

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
        duplicates: Literal["remove", "impossible", "keep"] = "remove",
        balance: Balance = "auto",
        since: Literal["mark"] | None = None,
        again: bool = False,
        overlap: bool = False,
    ) -> Handle:
        """Record an advance along the edges of a frontier; the options are those of `minigr.operators.advance`."""
        return self._record(
            "advance", frontier, functor, overlap, output=output, direction=direction, duplicates=duplicates,
            balance=balance, since=since, again=again,
        )  # fmt: skip

    @names_options
    def filter(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        duplicates: Literal["keep", "remove"] = "keep",
        overlap: bool = False,
    ) -> Handle:
        """Record a filter of the items of a frontier; the options are those of `minigr.operators.filter`."""
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
        overlap: bool = False,
    ) -> None:
        """Record a compute for each item of a frontier; the options are those of `minigr.operators.compute`."""
        self._record("compute", frontier, functor, overlap, into=into, reduce=reduce, initial=initial)

    @names_options
    def neighbor_reduce(
        self,
        frontier: Handle,
        functor: type[Functor] | None = None,
        *,
        direction: Literal["out", "in"] = "out",
        reduce: Reduction | None = None,
        initial: Any = None,
        into: str | None = None,
        by: Literal["vertex", "position"] = "vertex",
        dtype: Any = None,
        scalar: str | Sequence[str] | None = None,
        scalar_reduce: Reduction | Sequence[Reduction] = "add",
        scalar_initial: Any = None,
        balance: Balance = "auto",
        since: Literal["mark"] | None = None,
        overlap: bool = False,
    ) -> None:
        """Record a reduction over the edges of each vertex of a frontier.

        The options are those of `minigr.operators.neighbor_reduce`.
        """
        self._record(
            "neighbor_reduce", frontier, functor, overlap, direction=direction, reduce=reduce, initial=initial,
            into=into, by=by, dtype=dtype, scalar=scalar, scalar_reduce=scalar_reduce, scalar_initial=scalar_initial,
            balance=balance, since=since,
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
        overlap: bool = False,
    ) -> None:
        """Record a search for common neighbors of the ends of edges; the options are those of
        `minigr.operators.intersect`.
        """
        self._record("intersect", frontier, functor, overlap, into=into, reduce=reduce, initial=initial)

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
        """Record a split into vertices that are due and others, which wait; the options are those of
        `minigr.operators.near_far`.
        """
        return self._record("near_far", frontier, functor, overlap, width=width, waiting=waiting, falling=falling)
