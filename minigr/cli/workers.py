"""The workers of a Dask cluster, for commands that can use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import click

from minigr.errors import DeviceError, MissingExtraError

Command = TypeVar("Command", bound=Callable[..., Any])

_SECONDS = 10  # time in which a scheduler must answer


def worker_options(command: Command) -> Command:
    """Add ``--workers`` and ``--cluster``."""
    for decorate in (
        click.option(
            "--cluster",
            metavar="ADDRESS",
            help="Read and compute with the workers of a Dask cluster whose scheduler is at tcp://HOST:PORT.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1),
            metavar="N",
            help="Read and compute with N processes of this machine, which share its GPUs.",
        ),
    ):
        command = decorate(command)
    return command


@contextmanager
def connected(workers: int | None, cluster: str | None) -> Iterator[Any]:
    """A client of `workers` processes, which end with the block, or of the cluster at an address; otherwise None.

    Raises
    ------
    click.UsageError
        If both are given.
    MissingExtraError
        If Dask is not installed.
    DeviceError
        If no scheduler answers.
    """
    if workers is not None and cluster is not None:
        raise click.UsageError("--workers starts a cluster and --cluster names one: give one of them")
    if workers is None and cluster is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("--workers and --cluster need Dask: pip install 'minigr[dask]'") from error
    import minigr as mg

    with ExitStack() as stack:
        there = cluster if workers is None else stack.enter_context(mg.batch.local_cluster(workers))
        try:
            client = stack.enter_context(Client(there, timeout=_SECONDS))
        except (OSError, ValueError) as error:
            raise DeviceError(f"--cluster {cluster}: no scheduler of Dask answers there ({error})") from error
        yield client
