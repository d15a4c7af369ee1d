"""The functions that the workers of a cluster run on the parts that they hold."""

from __future__ import annotations

import dataclasses
import os
import socket
from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.distributed.mail import HANDLER, MAIL, ByWorkers, deliver
from minigr.errors import PartError
from minigr.graphs.partitioned.array import PartitionedArray
from minigr.graphs.partitioned.dynamic import PartitionedDynamicGraph
from minigr.graphs.partitioned.exchange import Exchange
from minigr.graphs.partitioned.graph import PartitionedGraph
from minigr.graphs.partitioned.on_gpus import OnGpus
from minigr.io import read


class Pinned(tuple[Any, Any]):
    """The part of a dynamic graph that a worker holds.

    Dask may move data of a worker to disk and back, or copy it to other workers. Such a copy would lack the batches
    that came in between.
    """

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "a dynamic graph stays in the memory of its worker, because batches change it: give it more memory"
        )


@dataclasses.dataclass(frozen=True)
class OfTables:
    """How to make a graph from tables."""

    columns: tuple[str, ...]
    options: dict[str, Any]

    def graph(self, frames: list[Any], exchange: Exchange) -> PartitionedGraph:
        """Make a graph from the share of the edges that each worker has."""
        arrays = [
            np.concatenate([frame[name].to_numpy() for frame in frames]) if frames else np.empty(0, np.int64)
            for name in self.columns
        ]
        return PartitionedGraph.from_edges(*arrays, **self.options, devices=exchange)


@dataclasses.dataclass(frozen=True)
class OfFiles:
    """How to read a graph from files."""

    path: Any
    options: dict[str, Any]

    def graph(self, _: None, exchange: Exchange) -> PartitionedGraph:
        """Make a graph from files. Each worker reads a share of the files."""
        return read(self.path, **self.options, progress=False, devices=exchange)


@dataclasses.dataclass(frozen=True)
class Call:
    """A call that all workers make."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: dict[str, Any]


def prepare(dask_worker: Any) -> tuple[str, int]:
    """Make a worker receive letters of other workers; return the host and the process of the worker."""
    dask_worker.handlers[HANDLER] = deliver
    return socket.gethostname(), os.getpid()


def give_up(run: str, why: str) -> None:
    MAIL.give_up(run, why)


def shown_of(held: tuple[Any, Any]) -> Any:
    """The description that a worker gives of the data that it holds."""
    return held[1]


def begin(run: str, build: OfTables | OfFiles, own: tuple[Exchange, Any]) -> tuple[PartitionedGraph, str]:
    """Make a worker's part of a graph."""
    exchange, share = own
    graph = _together(run, exchange, lambda: build.graph(share, exchange))
    return graph, repr(graph)


def begin_dynamic(run: str, options: dict[str, Any], held: tuple[PartitionedGraph, str]) -> Pinned:
    """Make a worker's part of a dynamic graph."""
    exchange = _exchange_of(held)
    graph = _together(run, exchange, lambda: PartitionedDynamicGraph.from_graph(held[0], **options))
    return Pinned((graph, repr(graph)))


def change(run: str, name: str, options: dict[str, Any], own: tuple[Any, dict[str, Any]]) -> tuple[None, Any]:
    """Call a method of a dynamic graph with this worker's share, and return the result for all workers."""
    held, columns = own
    graph, exchange = held[0], _exchange_of(held)
    found = _together(run, exchange, lambda: _of_all(getattr(graph, name)(**columns, **options), exchange))
    return None, (repr(graph), found)


def _of_all(found: Any, exchange: Exchange) -> Any:
    """A result with the arrays of all workers concatenated."""
    if isinstance(found, tuple):
        return tuple([_of_all(each, exchange) for each in found])
    return np.concatenate(exchange.all_gather([found])) if isinstance(found, np.ndarray) else found


def _exchange_of(held: tuple[Any, Any]) -> Exchange:
    exchange: Exchange = held[0]._exchange
    return exchange


def make_call(run: str, call: Call, held: tuple[Any, str]) -> tuple[None, Any]:
    """Call a function over a worker's part."""
    graph, exchange = held[0], _exchange_of(held)
    found = _together(run, exchange, lambda: _gathered(call.function(graph, *call.arguments, **call.options)))
    return None, (repr(graph), found if exchange.local[0] == 0 else None)


def _together(run: str, exchange: Exchange, work: Callable[[], Any]) -> Any:
    """Do work that all parts do in one run. If any part raises an error, the other parts are told."""
    way = exchange.way if isinstance(exchange, OnGpus) else exchange
    assert isinstance(way, ByWorkers)
    way.begin(run)
    try:
        return work()
    except PartError:
        raise
    except Exception as error:
        exchange.tell(error)
        raise
    finally:
        way.end()


def _gathered(value: Any) -> Any:
    """A result with NumPy arrays in place of arrays in parts."""
    if isinstance(value, PartitionedArray):
        return value.gather()
    if isinstance(value, dict):
        return {name: _gathered(each) for name, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple takes its elements one by one
        return type(value)(*map(_gathered, value))
    if isinstance(value, (tuple, list)):
        return type(value)(map(_gathered, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: _gathered(each) for name, each in fields.items()})
    return value
