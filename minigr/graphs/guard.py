"""The guard of a graph that can change. It allows many readers at a time, or one batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Any, TypeVar, cast

from minigr.errors import GraphError
from minigr.memory import as_out_of_memory, is_lack_of_memory

_Function = TypeVar("_Function", bound=Callable[..., Any])
_REMEDY = "let only one thread at a time use the graph, e.g. with a threading.Lock, or give each thread a copy()"


class Guard:
    """The readers of a graph, and the batch that changes it, if there is one.

    Signals and other threads can interrupt a thread between Python bytecodes, but not within a bytecode that neither
    calls nor jumps back. So assignments make and delete entries, and each side makes its entry before it checks for
    entries of the other side.

    Attributes
    ----------
    readers : dict of int
        The thread of each call that is reading the graph.
    batch : object or None
        The batch. Its ``thread`` is the thread that works on it.
    """

    __slots__ = ("batch", "readers")

    def __init__(self) -> None:
        self.readers: dict[object, int] = {}
        self.batch: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Guard, ()  # a graph that was just unpickled has no other users

    def refuse_batch(self) -> None:
        """Raise the `GraphError` for a batch that begins during another batch."""
        where = "on another thread" if self.batch.thread != get_ident() else "on this thread"
        raise GraphError(f"the graph is in the middle of another batch {where}: {_REMEDY}")

    def check_readers(self) -> None:
        """Raise `GraphError` if a batch begins while the graph is being read."""
        if self.readers:
            own = get_ident() in self.readers.values()
            where = "on this thread: change it when the run is over" if own else f"on another thread: {_REMEDY}"
            raise GraphError(f"the graph can't be changed while it is in use {where}")


def read(graph: Any, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function that reads `graph`.

    Raises
    ------
    GraphError
        If another thread is in the middle of a batch on the graph. The graph may be of any kind.
    """
    guard = getattr(graph, "_guard", None)
    if guard is None:
        return function(*arguments, **options)
    readers, entry = guard.readers, object()
    readers[entry] = get_ident()
    try:
        batch = guard.batch
        if batch is not None and batch.thread != readers[entry]:
            raise GraphError(f"the graph is in the middle of a batch on another thread: {_REMEDY}")
        return function(*arguments, **options)
    finally:
        del readers[entry]


def reading(method: _Function) -> _Function:
    """Make a method of a dynamic graph register as a reader and raise `OutOfMemoryError` if memory is short."""
    called = method.__qualname__

    @wraps(method)
    def call(graph: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return read(graph, method, graph, *arguments, **options)
        except Exception as error:  # caught here, as in `minigr.signatures.names_options`
            if not is_lack_of_memory(error):
                raise
            raise as_out_of_memory(error, called) from None

    return cast(_Function, call)
