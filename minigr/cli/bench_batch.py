"""``minigr bench batch``: many small graphs at once."""

from __future__ import annotations

from pathlib import Path

import click

from minigr.cli.bench_options import check_names, common_options, examples, resolve, split, write
from minigr.cli.bench_tables import show_batch
from minigr.cli.console import progress, say


@click.command(
    epilog=examples(
        "batch synthetic --peers none",
        "batch NCI1.npz PROTEINS/ --calls hops,betweenness --device cuda --json batch.json",
    )
)
@click.argument("names", nargs=-1, required=True, metavar="SET...")
@click.option("--calls", metavar="A,B,...", help="Which: hops, harmonic, betweenness.  [default: all]")
@click.option("--peers", metavar="A,B,...", help="Beside which: networkx, igraph (CPU); or none.  [default: installed]")
@click.option(
    "--limit", type=float, default=60.0, show_default=True, metavar="S", help="Seconds of samples for each call."
)
@common_options(default_repeat=5)
def batch(
    names: tuple[str, ...],
    calls: str | None,
    peers: str | None,
    limit: float,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time calls of minigr.batch over SETs of graphs, and loops of other libraries over the graphs.

    A SET is a file that minigr.batch.read takes, whose weights are left out, or "synthetic": 1000 graphs of 32 to 1024
    vertices, half R-MAT, half uniform. hops: all pairs of each graph. harmonic: harmonic closeness. betweenness: of all
    vertices.
    """
    from minigr.bench import batch as measuring
    from minigr.bench.machine import installed

    chosen = split(calls, measuring.CASES, "--calls") or list(measuring.CASES)
    wanted = [] if peers == "none" else split(peers, measuring.PEERS, "--peers")
    where = resolve(device)
    for name in names:
        if name != measuring.SYNTHETIC and not Path(name).exists():
            check_names([name], [measuring.SYNTHETIC, "the files there are"], "SET")
    found, absent = measuring.choose(wanted, where)
    rows, facts = [], []
    for name in names:
        short = Path(name).name.split(".")[0] or name
        with progress(short) as tell:
            tell("reading")
            graphs = measuring.load(name, where)
            facts.append(measuring.facts(short, graphs))
            rows += measuring.measure_batch(short, graphs, chosen, found, repeat, limit=limit, tell=tell)
    show_batch(rows, repeat)
    for name, why in absent.items():
        say(f"{name}: {why}")
    versions = {name: installed(name) for name in found}
    write(json_file, "batch", where, {"repeat": repeat, "limit": limit}, facts, rows, versions)
