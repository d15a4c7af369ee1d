"""A Dask cluster whose workers hold the parts of a graph."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, Literal

from minigr.distributed.held import GraphOnWorkers
from minigr.distributed.mail import ByWorkers
from minigr.distributed.work import OfFiles, OfTables, begin, give_up, prepare, shown_of
from minigr.errors import DeviceError, GraphError, MissingExtraError, PartError
from minigr.graphs.checks import as_vertex_count
from minigr.graphs.partitioned.deal import Rule
from minigr.graphs.partitioned.graph import check_deal
from minigr.graphs.partitioned.on_gpus import OnGpus, check_device
from minigr.signatures import names_options

_LOOK_AFTER = 1.0  # seconds between two checks that all workers are there


@names_options
def start(client: Any, *, device: Literal["cpu", "cuda"] = "cpu", time_limit: float = 600.0) -> Cluster:
    """Set up the workers of a Dask cluster to hold the parts of graphs, one part per worker.

    Parameters
    ----------
    client : distributed.Client
        The client of a cluster. Each worker must be a separate process with minigr. Workers that join later are not
        used.
    device : {"cpu", "cuda"}
        Where the parts are stored, as for `minigr.distributed.Mpi`.
    time_limit : float
        Seconds that a part waits for another part before the call fails.

    Raises
    ------
    MissingExtraError
        If Dask is not installed.
    DeviceError
        If `client` is not a client, if the cluster has no workers, if several workers are in one process, or if
        `device` has another value.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> cluster = mg.distributed.start(Client(n_workers=4))  # doctest: +SKIP
    >>> graph = cluster.read("edges/")  # doctest: +SKIP
    >>> graph.run(mg.bfs, 0).depth  # doctest: +SKIP
    array([0, 1, 1, 2], dtype=int32)
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("a cluster needs Dask: pip install 'minigr[dask]'") from error
    if not isinstance(client, Client):
        raise DeviceError(f"a distributed.Client is needed, got a {type(client).__name__}: make one, e.g. Client()")
    check_device(device)
    addresses = sorted(client.nthreads())
    if not addresses:
        raise DeviceError("the cluster has no workers: start some, e.g. by Client(n_workers=4)")
    homes = client.run(prepare, workers=addresses)
    if len(set(homes.values())) < len(addresses):
        raise DeviceError(
            "several workers of the cluster are in one process, but each part needs its own process: use processes=True"
        )
    return Cluster(client, addresses, device, float(time_limit))


class Cluster:
    """Workers that hold parts of graphs; `start` makes one.

    Attributes
    ----------
    client : distributed.Client
    workers : tuple of str
        The address of the worker of each part.
    device : str
        ``"cpu"`` or ``"cuda"``.
    time_limit : float
        Seconds that a part waits for another part.
    """

    def __init__(self, client: Any, addresses: Sequence[str], device: str, time_limit: float) -> None:
        self.client, self.workers, self.device, self.time_limit = client, tuple(addresses), device, time_limit

    def from_dask(
        self,
        edges: Any,
        src: str = "src",
        dst: str = "dst",
        weights: str | None = None,
        *,
        num_vertices: int | None = None,
        directed: bool = False,
        deal: Rule = "auto",
    ) -> GraphOnWorkers:
        """Make a graph of the edges in a Dask DataFrame; each arc goes to the worker that owns its source.

        The partitions go to the workers in turn, and the workers deal the edges out to each other. The client holds no
        edges.

        Parameters
        ----------
        edges : dask.dataframe.DataFrame
        src, dst : str
            The columns of the ends: vertex ids from 0.
        weights : str, optional
            The column of weights.
        num_vertices, directed, deal
            As for `PartitionedGraph.from_edges`.

        Raises
        ------
        GraphError
            If a column does not exist, and as for `PartitionedGraph.from_edges`. Positions in a message count within
            a worker's share.
        PartError
            If a worker is lost, or does not answer within the time limit.
        """
        columns = [src, dst] if weights is None else [src, dst, weights]
        for name in columns:
            if name not in edges.columns:
                raise GraphError(
                    f"the table has no column {name!r}: its columns are {', '.join(map(str, edges.columns))}"
                )
        check_deal(deal)
        count = None if num_vertices is None else as_vertex_count(num_vertices)
        frames = self.client.compute(edges[columns].to_delayed())
        build = OfTables(tuple(columns), {"num_vertices": count, "directed": directed, "deal": deal})
        return self._graph(build, [frames[part :: len(self.workers)] for part in range(len(self.workers))])

    def read(self, path: Any, **options: Any) -> GraphOnWorkers:
        """Read the graph in one file or in several files; each worker reads a share of the bytes.

        Parameters
        ----------
        path : path-like, or sequence of these
            All workers must see the files.
        **options
            As for `minigr.read`, without `device`, `devices`, `arcs` and `progress`.

        Raises
        ------
        GraphError
            If one of these options is given.
        FormatError, GraphError, OSError, TypeError
            If `minigr.read` raises the exception in a worker.
        PartError
            If a worker is lost, or does not answer within the time limit.
        """
        for name in ("device", "devices", "arcs", "progress"):
            if name in options:
                raise GraphError(f"{name}= has no meaning for workers, which each hold a part: leave it out")
        return self._graph(OfFiles(path, options), [None] * len(self.workers))

    def _graph(self, build: OfTables | OfFiles, shares: Sequence[Any]) -> GraphOnWorkers:
        """Make a graph from the share of each worker."""
        ways = [ByWorkers(list(self.workers), part, self.time_limit) for part in range(len(self.workers))]
        exchanges = [OnGpus(way) for way in ways] if self.device == "cuda" else ways
        futures, shown = self._on_all(begin, build, [*zip(exchanges, shares, strict=True)])
        return GraphOnWorkers(self, futures, shown)

    def _on_all(self, function: Any, *arguments: Any) -> tuple[list[Any], Any]:
        """Call a function in all workers at the same time; results stay there. Return what the first worker shows.

        The last argument has one item for each worker.
        """
        *common, own = arguments
        run, client = uuid.uuid4().hex, self.client
        futures = [
            client.submit(function, run, *common, each, workers=[address], allow_other_workers=False, pure=False)
            for address, each in zip(self.workers, own, strict=True)
        ]
        said = [
            client.submit(shown_of, future, workers=[address], allow_other_workers=False, pure=False)
            for address, future in zip(self.workers, futures, strict=True)
        ]
        try:
            self._wait_for(said, run)
            return futures, said[0].result()
        except BaseException:
            client.cancel([*futures, *said])
            raise

    def _wait_for(self, futures: list[Any], run: str) -> None:
        """Wait until all futures are done. If one failed or was lost, tell the other workers and raise its error."""
        from distributed import wait

        pending = set(futures)
        while pending:
            try:
                pending = wait(pending, timeout=_LOOK_AFTER, return_when="FIRST_COMPLETED").not_done
            except TimeoutError:
                there = self.client.nthreads()
                lost = [part for part, address in enumerate(self.workers) if address not in there]
                if lost:
                    part = lost[0]
                    why = f"part {part} of {len(futures)} at {self.workers[part]} was lost"
                    self.client.run(give_up, run, why, workers=[each for each in self.workers if each in there])
                    raise PartError(f"{why}: make the graph again, on the workers that are left") from None
        errors = [future.exception() for future in futures]
        failed = [error for error in errors if error is not None]
        if failed:
            raise next((error for error in failed if not isinstance(error, PartError)), failed[0])
