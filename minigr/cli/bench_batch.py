"""``minigr bench batch``: many small graphs at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minigr.cli.bench_options import (
    check_names,
    common_options,
    examples,
    limit_option,
    reported,
    resolve,
    split,
    whole_numbers,
    write,
)
from minigr.cli.bench_tables import show_batch
from minigr.cli.console import progress, say
from minigr.cli.loading import check_names_differ
from minigr.errors import GraphError

if TYPE_CHECKING:
    from minigr.bench.measure import Tell
    from minigr.device import Device


@click.command(
    epilog=examples(
        "batch synthetic --peers none",
        "batch NCI1.npz PROTEINS/ --calls hops,betweenness --device cuda --json batch.json",
        "batch synthetic --peers none --by-size --loops one --files 16 --workers 1,2",
    )
)
@click.argument("names", nargs=-1, required=True, metavar="SET...")
@click.option(
    "--calls",
    metavar="A,B,...",
    help="The calls: hops, harmonic, betweenness; by weight distances, weighted-harmonic, weighted-betweenness.  "
    "[default: the calls by hops]",
)
@click.option(
    "--peers",
    metavar="A,B,...",
    help="The libraries to compare with: networkx, igraph (CPU); or none.  [default: installed]",
)
@click.option("--by-size", is_flag=True, help="Also time the graphs of each size separately: 32 to 63 vertices, ...")
@click.option(
    "--loops",
    metavar="A,B,...",
    help="Also time loops of minigr's own calls: one (batches of one graph), single (the calls for one graph).",
)
@click.option(
    "--files", type=click.IntRange(min=1), metavar="N", help="Also time N files: as a stream, and one after the other."
)
@click.option(
    "--workers",
    metavar="N,M,...",
    help="With --files: also time a stream over a Dask cluster of N workers, one for each GPU; of M; ...",
)
@limit_option
@common_options(default_repeat=5)
def batch(
    names: tuple[str, ...],
    calls: str | None,
    peers: str | None,
    by_size: bool,
    loops: str | None,
    files: int | None,
    workers: str | None,
    limit: float,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time calls of minigr.batch over SETs of graphs, and loops of other libraries over the graphs.

    A SET is a file that minigr.batch.read takes, or "synthetic": 1000 graphs of 32 to 1024 vertices, half R-MAT, half
    uniform. hops: all pairs of each graph. harmonic: harmonic closeness. betweenness: of all vertices. distances,
    weighted-harmonic and weighted-betweenness are the same by weight; the weights of the synthetic set are whole
    numbers. After an error or Ctrl-C, the earlier measurements are kept.
    """
    from minigr.bench import batch as measuring
    from minigr.bench import streams
    from minigr.bench.machine import installed

    chosen = split(calls, measuring.CASES, "--calls") or measuring.BY_HOPS
    wanted = [] if peers == "none" else split(peers, measuring.PEERS, "--peers")
    beside = split(loops, measuring.LOOPS, "--loops") or []
    clusters = [] if workers is None else whole_numbers(workers, "--workers")
    if clusters and files is None:
        raise click.UsageError("--workers is for streams from files: give --files too")
    where = resolve(device)
    for name in names:
        if name != measuring.SYNTHETIC and not Path(name).exists():
            check_names([name], [measuring.SYNTHETIC, "the files there are"], "SET")
    shorts = [Path(name).name.split(".")[0] or name for name in names]
    check_names_differ(shorts, names)
    found, absent = measuring.choose(wanted, where)
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []

    def report() -> None:
        show_batch(rows, repeat)
        for name, why in absent.items():
            say(f"{name}: {why}")
        versions = {name: installed(name) for name in found}
        write(json_file, "batch", where, {"repeat": repeat, "limit": limit}, facts, rows, versions)

    with reported(rows, report):
        for name, short in zip(names, shorts, strict=True):
            with progress(short) as tell:
                options: dict[str, Any] = {"limit": limit, "tell": tell}
                for some, graphs in _forms(name, chosen, where, tell):
                    if facts[-1:] != [own := measuring.facts(short, graphs)]:  # the same with weights
                        facts.append(own)
                    parts: list[tuple[dict[str, str], Any]] = [({}, graphs)]
                    if by_size:
                        parts += [({"vertices": vertices}, group) for vertices, group in measuring.by_size(graphs)]
                    for key, part in parts:
                        rows += measuring.measure_batch(
                            short, part, some, found, repeat, loops=beside, key=key, **options
                        )
                    if files is not None:
                        rows += streams.measure_streams(short, graphs, some, files, repeat, workers=clusters, **options)


def _forms(name: str, calls: Sequence[str], where: Device, tell: Tell) -> Iterator[tuple[list[str], Any]]:
    """The set without weights and with weights, each with the calls that use it."""
    from minigr.bench.batch import CASES, load

    for weights in (False, True):
        some = [call for call in calls if CASES[call].weighted is weights]
        if not some:
            continue
        tell("reading")
        graphs = load(name, where, weights=weights)
        if weights and not graphs.weighted:
            raise GraphError(f"{name} has no weights, but {', '.join(some)} need weights: leave these out of --calls")
        yield some, graphs
