"""``minigr generate``: a synthetic graph, or a batch of graphs, written to files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from minigr.cli.console import say, status
from minigr.cli.help import examples
from minigr.cli.loading import device_option
from minigr.cli.results import check_ending, check_file
from minigr.dtypes import REAL

if TYPE_CHECKING:
    from minigr.graphs import Graph

Command = TypeVar("Command", bound=Callable[..., Any])

_COUNT = click.IntRange(min=0)


def _check_out(ctx: click.Context, parameter: click.Parameter, path: Path) -> Path | None:
    """Click callback: refuse a file that can't be written; a .minigr folder may exist."""
    return path if path.suffix.lower() == ".minigr" else check_file(ctx, parameter, path)


_OUT = click.argument("out", type=click.Path(path_type=Path), callback=_check_out)


@click.group(
    epilog=examples(
        "generate rmat 18 kron.npz", "generate lattice 300 200 town.mtx --weights 1 9", "generate path 9 p.txt"
    )
)
def generate() -> None:
    """Make a synthetic graph, or a batch of them, and write it to OUT.

    The ending of OUT names the format: .npz, .mtx, or .txt, .el, .csv, ... (edge list). The same options give the same
    graph.
    """


_DIRECTED = click.option("--directed", is_flag=True, help="Make each edge one arc instead of an arc both ways.")
_SIMPLE = click.option(
    "--simple/--multi", default=True, help="Drop or keep self-loops and repeated edges.  [default: drop]"
)


def _common_options(command: Command) -> Command:
    """Add the common options of generators: ``--seed``, ``--weights``, ``--weight-dtype`` and ``--device``."""
    for decorate in (
        device_option,
        click.option(
            "--weight-dtype",
            type=click.Choice(REAL),
            help="The type of the weights that --weights draws.  [default: float32]",
        ),
        click.option(
            "--weights",
            type=(int, int),
            metavar="LOW HIGH",
            help="Give each edge a random whole number from LOW to HIGH.  [default: no weights]",
        ),
        click.option(
            "--seed",
            type=int,
            default=0,
            show_default=True,
            help="Seed of the random numbers; another seed gives another graph.",
        ),
    ):
        command = decorate(command)
    return command


@generate.command(
    epilog=examples(
        "generate rmat 18 kron.npz", "generate rmat 10 small.txt --edge-factor 4 --directed --weights 1 100"
    )
)
@click.argument("scale", type=_COUNT)
@_OUT
@click.option("--edge-factor", type=_COUNT, default=16, show_default=True, help="Edges drawn for each vertex.")
@click.option("--a", type=float, default=0.57, show_default=True, help="Probability of the upper left quarter.")
@click.option("--b", type=float, default=0.19, show_default=True, help="Probability of the upper right quarter.")
@click.option("--c", type=float, default=0.19, show_default=True, help="Probability of the lower left quarter.")
@_SIMPLE
@_DIRECTED
@_common_options
def rmat(scale: int, out: Path, **options: Any) -> None:
    """R-MAT: 2**SCALE vertices, few of them with very many edges."""
    _write("rmat", out, scale, **options)


@generate.command(
    epilog=examples("generate uniform 1000 5000 random.mtx", "generate uniform 1000 5000 multi.el --multi --seed 7")
)
@click.argument("num_vertices", type=_COUNT)
@click.argument("num_edges", type=_COUNT)
@_OUT
@_SIMPLE
@_DIRECTED
@_common_options
def uniform(num_vertices: int, num_edges: int, out: Path, **options: Any) -> None:
    """NUM_EDGES edges between vertices drawn uniformly at random."""
    _write("uniform", out, num_vertices, num_edges, **options)


@generate.command("random-geometric", epilog=examples("generate random-geometric 100000 points.npz --mean-degree 8"))
@click.argument("num_vertices", type=_COUNT)
@_OUT
@click.option(
    "--mean-degree", type=float, default=16, show_default=True, help="The mean number of neighbors of a vertex."
)
@_common_options
def random_geometric(num_vertices: int, out: Path, **options: Any) -> None:
    """Points in the unit square, joined if they are close."""
    _write("random_geometric", out, num_vertices, **options)


@generate.command(epilog=examples("generate delaunay 100000 mesh.npz"))
@click.argument("num_vertices", type=_COUNT)
@_OUT
@_common_options
def delaunay(num_vertices: int, out: Path, **options: Any) -> None:
    """The Delaunay triangulation of points in the unit square; needs SciPy."""
    _write("delaunay", out, num_vertices, **options)


@generate.command(epilog=examples("generate lattice 300 200 town.mtx --keep 0.9 --weights 1 9"))
@click.argument("width", type=_COUNT)
@click.argument("height", type=_COUNT)
@_OUT
@click.option(
    "--keep", type=click.FloatRange(0, 1), default=1.0, show_default=True, help="The share of the edges to keep."
)
@_common_options
def lattice(width: int, height: int, out: Path, **options: Any) -> None:
    """A WIDTH by HEIGHT grid with some edges dropped, like the streets of a town."""
    _write("lattice", out, width, height, **options)


@generate.command(
    epilog=examples("generate batch 1000 set.npz", "generate batch 1000000 graphs/ --per-file 1000 --seed 7")
)
@click.argument("count", type=_COUNT)
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--per-file", type=click.IntRange(min=1), metavar="N", help="Make OUT a folder of files with N graphs.")
@click.option("--first", type=_COUNT, default=0, show_default=True, help="The number of the first graph.")
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Seed of the random numbers; another seed gives other graphs.",
)
@device_option
def batch(count: int, out: Path, per_file: int | None, first: int, seed: int, device: str | None) -> None:
    """COUNT graphs of 32 to 1024 vertices, alternately R-MAT and uniform, in one .npz or .parquet file or in many.

    The graphs are input for `minigr.batch`, which computes a result for each of many small graphs.
    """
    import minigr as mg
    from minigr.io.batches import writer
    from minigr.replace import check_writable

    if per_file is not None:
        with status(f"writing files to {out}"):
            files = mg.generate.batch_files(out, count, per_file=per_file, first=first, seed=seed, device=device)
        say(f"wrote {out}: {len(files):,} files, {count:,} graphs")
        return
    check_ending(out, (".npz", ".parquet"))
    writer(out)  # before the work of generating, in case the graphs can't be written
    check_writable(out)
    with status(f"generating {count:,} graphs"):
        graphs = mg.generate.batch(count, first=first, seed=seed, device=device)
    with status(f"writing {out}"):
        mg.batch.write(graphs, out)
    say(f"wrote {out}: {count:,} graphs, {graphs.num_vertices:,} vertices, {graphs.num_edges:,} edges")


def _add_shape(kind: str, description: str) -> None:
    """Add a generator whose only argument is the number of vertices."""

    @generate.command(kind, help=description, epilog=examples(f"generate {kind} 100 {kind}.txt"))
    @click.argument("num_vertices", type=_COUNT)
    @_OUT
    @_DIRECTED
    @_common_options
    def shape(num_vertices: int, out: Path, **options: Any) -> None:
        _write(kind, out, num_vertices, **options)


_add_shape("path", "A path: each vertex joined to the next.")
_add_shape("cycle", "A cycle: a path whose ends are joined.")
_add_shape("star", "A star: vertex 0 joined to every other.")
_add_shape("complete", "Every vertex joined to every other.")


def _write(kind: str, out: Path, *arguments: Any, **options: Any) -> None:
    """Call ``mg.generate.<kind>`` and write its result."""
    import minigr as mg
    from minigr.io.registry import EXTENSIONS, writer

    if options["weight_dtype"] is None:
        del options["weight_dtype"]
    elif options["weights"] is None:
        raise click.UsageError("--weight-dtype is the type of random weights: also give --weights LOW HIGH")
    check_ending(out, EXTENSIONS)
    writer(out)  # before the work of generating, in case the graph can't be written
    with status(f"generating {kind}"):
        graph: Graph = getattr(mg.generate, kind)(*arguments, **options)
    with status(f"writing {out}"):
        mg.io.write(graph, out)
    say(f"wrote {out}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges")
