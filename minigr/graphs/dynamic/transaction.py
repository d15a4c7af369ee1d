"""Batches that are applied completely or not at all, whatever is raised during a batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Any, TypeVar, cast

from minigr.device import Device
from minigr.graphs.backend import scope
from minigr.memory import as_out_of_memory, is_lack_of_memory
from minigr.signals import deferred

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Transaction:
    """The current batch, and the steps that undo its changes.

    Parameters
    ----------
    device : Device
        The device on which the undo steps run.

    Attributes
    ----------
    thread : int
        The thread that works on the batch.
    """

    __slots__ = ("_device", "_steps", "thread")

    def __init__(self, device: Device) -> None:
        self.thread = get_ident()
        self._device = device
        self._steps: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []

    def on_undo(self, step: Callable[..., Any], *arguments: Any) -> None:
        """Call `step` with these arguments if the batch is undone. The last step is called first. It must not fail."""
        self._steps.append((step, arguments))

    def keep(self) -> None:
        """Keep the changes, whatever is raised afterwards."""
        self._steps.clear()

    def undo(self) -> None:
        """Undo the changes. A second call has no effect."""
        if self._steps:
            with deferred(), scope(self._device):
                while self._steps:
                    step, arguments = self._steps.pop()
                    step(*arguments)


def whole(batch: _Function) -> _Function:
    """Make a function of a dynamic graph, its first argument, a batch: if it raises, the graph does not change.

    `batch` registers how to undo each of its steps with ``graph._guard.batch``, a `Transaction`. Code that changes the
    graph must run in `deferred`, because no signal may come between a step and its registration. All other code may be
    interrupted. This is the outermost call: after the point at which the batch can't be undone any more, only the
    return follows, which no signal interrupts.

    Raises
    ------
    GraphError
        If the graph is in use, on this thread or on another one.
    OutOfMemoryError
        Instead of any other memory error.
    """

    @wraps(batch)
    def run(graph: Any, *arguments: Any, **options: Any) -> Any:
        guard, transaction = graph._guard, Transaction(graph._device)
        if guard.batch is not None:
            guard.refuse_batch()
        guard.batch = transaction
        try:
            guard.check_readers()
            return batch(graph, *arguments, **options)
        except BaseException as error:
            try:
                transaction.undo()
            finally:
                transaction.undo()  # if a second signal came before the first call had deferred signals
            if is_lack_of_memory(error):
                called = f"{type(graph).__name__}.{batch.__name__}"  # a base class has the batch
                raise as_out_of_memory(error, called) from None
            raise
        finally:
            guard.batch = None

    return cast(_Function, run)
