"""``minigr bench build``: the costs of building graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from minigr.cli.bench_options import check_names, common_options, examples, reported, resolve, write
from minigr.cli.bench_tables import show_build
from minigr.cli.console import progress


@click.command(epilog=examples("build", "build edges --scale 20", "build generators --scale 26 --repeat 2"))
@click.argument("names", nargs=-1, metavar="[PART]...")
@click.option(
    "--scale",
    type=click.IntRange(1, 30),
    metavar="E",
    help="The graphs have 2^E vertices.  [default: 24 on a GPU, 18 on a CPU]",
)
@click.option("--edge-factor", type=click.IntRange(min=1), default=16, show_default=True, help="Edges for each vertex.")
@common_options(default_repeat=5)
def build(
    names: Sequence[str],
    scale: int | None,
    edge_factor: int,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time the building of graphs, and find the peak memory: PART by PART, by default all.

    edges: `from_edges` of random edges, undirected, directed and with weights; on a CPU beside SciPy. copies: the
    in-edges of this graph, the graph by degree, both ways, and oriented. generators: an R-MAT graph. files: text,
    Parquet and a folder are read; text beside Arrow.

    The peak is the memory that a call takes beyond its arguments, divided by the bytes of the rows that it builds.
    After an error or Ctrl-C, the earlier measurements are kept.
    """
    from minigr.bench.build import PARTS, default_scale, measure_build

    check_names(names, PARTS, "PART")
    where = resolve(device)
    size = default_scale(where) if scale is None else scale
    rows: list[dict[str, Any]] = []

    def report() -> None:
        show_build(rows)
        write(json_file, "build", where, {"repeat": repeat, "scale": size, "edge_factor": edge_factor}, [], rows)

    with reported(rows, report), progress("build") as tell:
        for measured in measure_build(list(dict.fromkeys(names or PARTS)), size, edge_factor, where, repeat, tell):
            rows.append(measured)
