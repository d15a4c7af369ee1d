"""``minigr batch``: one algorithm on each of many small graphs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minigr.cli.algorithms import host
from minigr.cli.batch_calls import CALLS, Call, computed
from minigr.cli.console import print_table, progress, say
from minigr.cli.help import examples
from minigr.cli.loading import device_option
from minigr.cli.output import check_output, columns_file
from minigr.cli.results import Results, keep_apart, result_options
from minigr.cli.workers import connected, worker_options
from minigr.errors import GraphError

if TYPE_CHECKING:
    from minigr.batch.stream import Fault, Part

MOST_FAULTS = 20
"""The number of faults that are printed; JSON has all faults."""


def _epilog() -> str:
    lines = "\n".join(f"  {name:15} {call.summary}" for name, call in CALLS.items())
    shown = examples(
        "batch triangles ENZYMES/ --csv triangles.csv",
        "batch closeness molecules.parquet more.npz --output closeness.parquet --device cuda",
        "batch shortest-paths graphs.npz --by-weight --json",
        "batch closeness sets/*.npz --workers 2 --output closeness.parquet",
    )
    return f"\b\nAlgorithms:\n{lines}\n\n{shown}"


@click.command(epilog=_epilog())
@click.argument("algorithm", type=click.Choice(list(CALLS)), metavar="ALGORITHM")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--by-weight", is_flag=True, help="The length of a path is the sum of its weights, not the number of its edges."
)
@click.option(
    "--directed/--undirected", default=None, help="Read each edge as one arc, or both ways.  [default: as in the file]"
)
@click.option("--no-weights", is_flag=True, help="Ignore the weights of the files.")
@click.option(
    "--max-vertices",
    type=click.IntRange(min=1),
    metavar="N",
    help="The number of vertices computed at a time.  [default: 2^20]",
)
@device_option
@worker_options
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=check_output,
    metavar="FILE",
    help="Write one row per vertex, or for shortest-paths one per pair, to .npz, .csv or .parquet.",
)
@result_options("graph")
def batch(
    algorithm: str,
    files: tuple[Path, ...],
    by_weight: bool,
    directed: bool | None,
    no_weights: bool,
    max_vertices: int | None,
    device: str | None,
    workers: int | None,
    cluster: str | None,
    output: Path | None,
    results: Results,
) -> None:
    """Run ALGORITHM on each graph of FILES: .npz, .parquet, or folders of the TU Dortmund data sets.

    The next graphs are read while others are computed, so files may be larger than memory. A graph or a file that can't
    be read or computed is left out and reported, a graph by its position in the whole input. The exit code is then 1.

    With --workers or --cluster, which need Dask, other processes read and compute. These processes must see the files
    under the same names.
    """
    import minigr as mg
    from minigr.batch.threads import ending

    keep_apart(files, {"--output": output, "--json": results.json, "--csv": results.csv})
    call = CALLS[algorithm]
    if by_weight and not call.by_weight:
        able = ", ".join(name for name, other in CALLS.items() if other.by_weight)
        raise click.UsageError(f"--by-weight is for {able}")
    limits: dict[str, Any] = {} if max_vertices is None else {"max_vertices": max_vertices}
    header = ("graph", "vertices", call.figure)
    found: list[tuple[Any, Any, Any]] = []  # the columns of each part
    started = time.perf_counter()
    with (
        progress(algorithm) as tell,
        connected(workers, cluster) as client,
        columns_file(output) as write,
        results.csv_rows(header) as write_row,
    ):
        stream = mg.batch.map(
            [file if client is None else file.absolute() for file in files],
            partial(computed, algorithm, by_weight),
            directed=directed,
            weights=not no_weights,
            device=device,
            client=client,
            progress=lambda done: tell(f"{done:,} graphs done"),
            **limits,
        )
        with ending(iter(stream)) as parts:
            for part in parts:
                if output is not None:
                    write(_columns(part, call))
                found.append((part.positions, part.batch.sizes, call.of_graph(part.result)))
                if results.csv is not None:
                    for row in _rows(header, found[-1]):
                        write_row(row)
        if not found:
            raise GraphError(f"{_all_faulty(stream.faults)}, so there is nothing to compute")
    milliseconds = (time.perf_counter() - started) * 1e3
    if not results.on_stdout:
        _report(algorithm, header, found, milliseconds)
        if output is not None:
            say(f"wrote {output}")
    if results.json is not None:
        rows = [row for columns in found for row in _rows(header, columns)]
        document = {"algorithm": algorithm, "ms": milliseconds, "graphs": rows}
        document |= {"faults": [_fault(fault) for fault in stream.faults]}
        results.write_json({**document, "output": None if output is None else str(output)})
    if stream.faults:
        _tell(stream.faults)
        raise click.ClickException(f"{len(stream.faults):,} graphs or files were left out")


def _rows(header: Sequence[str], columns: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """A row for each graph of a part."""
    for values in zip(*(column.tolist() for column in columns), strict=True):
        yield dict(zip(header, values, strict=True))


def _columns(part: Part, call: Call) -> dict[str, Any]:
    """A part of the result as columns."""
    import numpy as np

    sizes = part.batch.sizes
    counts = sizes**2 if call.pairs else sizes
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    found = {call.field: host(getattr(part.result, call.field))}
    graph = {"graph": np.repeat(part.positions, counts)}
    if not call.pairs:
        return {**graph, "vertex": place.astype(np.int32), **found}
    width = np.repeat(sizes, counts)
    return {**graph, "src": (place // width).astype(np.int32), "dst": (place % width).astype(np.int32), **found}


def _report(algorithm: str, header: Sequence[str], found: Sequence[Any], milliseconds: float) -> None:
    """Print the number of graphs, and the least, mean and greatest value of each column."""
    import numpy as np

    columns = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    say(f"{algorithm}: {len(columns[0]):,} graphs in {milliseconds:,.1f} ms, reading and compiling included")
    lines = [
        [name.replace("_", " "), values.min(), values.mean(), values.max()]
        for name, values in zip(header[1:], columns[1:], strict=True)
    ]
    print_table(["of each graph", "least", "mean", "greatest"], lines)


def _fault(fault: Fault) -> dict[str, Any]:
    return {
        "graph": fault.position,
        "file": None if fault.path is None else str(fault.path),
        "error": str(fault.error),
    }


def _tell(faults: Sequence[Fault]) -> None:
    for fault in faults[:MOST_FAULTS]:
        which = "a file" if fault.position is None else f"graph {fault.position:,}"
        say(f"{which} was left out: {fault.error}", err=True)
    if len(faults) > MOST_FAULTS:
        say(f"and {len(faults) - MOST_FAULTS:,} more", err=True)


def _all_faulty(faults: Sequence[Fault]) -> str:
    """The message if nothing could be computed."""
    if not faults:
        return "there is no graph in the files"
    more = f", and {len(faults) - 1:,} more like it" if len(faults) > 1 else ""
    return f"no graph could be computed: {faults[0].error}{more}"
