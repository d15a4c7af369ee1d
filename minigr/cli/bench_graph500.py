"""``minigr bench graph500``: the kernels of Graph500, and its validation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from minigr.cli.bench_options import examples, json_option, reported, resolve, write
from minigr.cli.bench_tables import show_graph500
from minigr.cli.console import progress
from minigr.cli.loading import device_option, devices_option, names_of_devices


@click.command(epilog=examples("graph500 14", "graph500 26 --devices 0,1 --json graph500.json"))
@click.argument("scale", type=click.IntRange(1, 30))
@click.option("--edge-factor", type=click.IntRange(min=1), default=16, show_default=True, help="Edges for each vertex.")
@click.option(
    "--searches",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="N",
    help="The number of keys to search from.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Seed of the random numbers; another seed gives other edges and keys.",
)
@device_option
@devices_option("Divide the graph into parts")
@json_option
def graph500(
    scale: int,
    edge_factor: int,
    searches: int,
    seed: int,
    device: str | None,
    devices: str | None,
    json_file: Path | None,
) -> None:
    """Build a graph of 2^SCALE vertices, search it from many keys, and check each search.

    Kernel 1 builds the graph from Kronecker edges, kernel 2 is BFS, kernel 3 SSSP with weights from 0 to 1. TEPS are
    the input edges, repeats included, whose ends a search reached, divided by the time of the search; the mean is the
    harmonic mean. A search that breaks a rule of the specification ends the run with an error.
    """
    from minigr.bench.graph500 import measure_graph500

    if device is not None and devices is not None:
        raise click.UsageError("--devices does not go with --device")
    places = [resolve(name) for name in names_of_devices(devices)] if devices is not None else [resolve(device)]
    settings: dict[str, Any] = {"scale": scale, "edge_factor": edge_factor, "searches": searches, "seed": seed}
    settings["devices"] = [str(place) for place in places]
    rows: list[dict[str, Any]] = []

    def report() -> None:
        show_graph500(rows)
        write(json_file, "graph500", places[0], settings, [], rows)

    with reported(rows, report), progress("graph500") as tell:
        for measured in measure_graph500(scale, edge_factor, places, searches, seed, tell):
            rows.append(measured)
