"""Batches that are done whole or not at all, whatever is raised in the middle of them."""

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
    """A batch that is under way, and how what it has changed so far is undone.

    Parameters
    ----------
    device : Device
        Where the steps that undo it run.

    Attributes
    ----------
    thread : int
        The thread that works on it.
    """

    __slots__ = ("_device", "_steps", "thread")

    def __init__(self, device: Device) -> None:
        self.thread = get_ident()
        self._device = device
        self._steps: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []

    def on_undo(self, step: Callable[..., Any], *arguments: Any) -> None:
        """Have `step` called with these arguments if the batch is undone; the last step first. It must not fail."""
        self._steps.append((step, arguments))

    def keep(self) -> None:
        """Have what is done stay, whatever is raised from here on."""
        self._steps.clear()

    def undo(self) -> None:
        """Undo what is done; a second time there is nothing to do."""
        if self._steps:
            with deferred(), scope(self._device):
                while self._steps:
                    step, arguments = self._steps.pop()
                    step(*arguments)


def whole(batch: _Function) -> _Function:
    """Make a function of a dynamic graph, its first argument, a batch: if it raises, the graph is as it was.

    `batch` notes in ``graph._guard.batch``, a `Transaction`, how each of its steps is undone. What changes the graph is
    to run in `deferred`, since a step and its note must not be torn apart. All else may be interrupted. This is the
    outermost call: once the batch can't be undone any more, nothing comes but the return, which no signal interrupts.

    Raises
    ------
    GraphError
        If the graph is in use, on this thread or another.
    OutOfMemoryError
        In place of any memory failure.
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
                transaction.undo()  # if a second signal came before the first line had put signals off
            if is_lack_of_memory(error):
                called = f"{type(graph).__name__}.{batch.__name__}"  # a base has the batch
                raise as_out_of_memory(error, called) from None
            raise
        finally:
            guard.batch = None

    return cast(_Function, run)
