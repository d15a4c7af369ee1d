"""``minigr bench dynamic``: what a dynamic graph's updates cost."""

from __future__ import annotations

from pathlib import Path

import click

from minigr.cli.bench_options import (
    check_names,
    common_options,
    draw,
    examples,
    exponent_options,
    exponents,
    plot_option,
    resolve,
    split,
    write,
)
from minigr.cli.bench_tables import show_dynamic
from minigr.cli.console import progress, say

DRAWN = ("updates", "load")
"""The parts that a plot shows."""


@click.command(
    epilog=examples(
        "dynamic",
        "dynamic updates --scale 18 --kind rmat --undirected",
        "dynamic updates load --device cuda --plot rates.svg --json rates.json",
    )
)
@click.argument("parts", nargs=-1, metavar="[PART]...")
@click.option("--kind", "kinds", metavar="A,B", help="Which graphs: uniform, rmat.  [default: both]")
@click.option(
    "--scale",
    type=click.IntRange(1, 28),
    metavar="E",
    help="2^E vertices.  [default: 20 on a GPU, 16 on a CPU]",
)
@click.option("--edge-factor", type=click.IntRange(min=1), default=16, show_default=True, help="Edges for each vertex.")
@click.option("--directed/--undirected", default=True, help="Which graphs.  [default: directed]")
@click.option("--in-edges", is_flag=True, help="Let directed graphs keep their in-edges.")
@exponent_options(
    0, "The least batch, 2^E edges.  [default: 16]", "The greatest batch.  [default: 22 on a GPU, 20 on a CPU]"
)
@click.option("--peers", metavar="A,B,...", help="Beside which: networkx (CPU); or none.  [default: if installed]")
@plot_option("rates over batches and load factors")
@common_options(default_repeat=5)
def dynamic(
    parts: tuple[str, ...],
    kinds: str | None,
    scale: int | None,
    edge_factor: int,
    directed: bool,
    in_edges: bool,
    low: int | None,
    high: int | None,
    step: int,
    peers: str | None,
    plot: Path | None,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time a dynamic graph, PART by PART: updates, builds, vertices, load, iteration; by default all.

    updates: inserting, finding and deleting batches of edges. builds: in one go, for each dtype of weights, from
    nothing in batches of 2^20, and their memory. vertices: inserting and deleting them. load: rates, memory and chains
    over load factors, on a sixteenth of the vertices with as many edges. iteration: ways through all edges.

    Batches are random, with repeats, on the device. The graph is as it was before each sample, except for a few edges
    by which updates and queries are rehearsed.
    """
    from minigr.bench import dynamic as measuring
    from minigr.bench import dynamic_peers
    from minigr.bench.dynamic_calls import Plan
    from minigr.bench.machine import installed
    from minigr.bench.recipes import KINDS, Recipe

    check_names(parts, measuring.PARTS, "PART")
    chosen = list(dict.fromkeys(parts)) or list(measuring.PARTS)
    if in_edges and not directed:
        raise click.UsageError("--in-edges is for directed graphs: leave it or --undirected out")
    if plot is not None and not set(chosen) & set(DRAWN):
        raise click.UsageError(f"--plot draws {' and '.join(DRAWN)}: have one of these measured")
    wanted = split(peers, dynamic_peers.PEERS, "--peers") if peers != "none" and "updates" in chosen else []
    where = resolve(device)
    sizes = exponents(low, high, step, measuring.default_exponents(where))
    batches = [1 << exponent for exponent in sizes]
    scale = measuring.default_scale(where) if scale is None else scale
    rows, facts = [], []
    left_out: dict[str, str] = {}
    for kind in dict.fromkeys(split(kinds, KINDS, "--kind") or KINDS):
        recipe = Recipe(kind, scale, edge_factor, directed, in_edges)
        found, absent = dynamic_peers.choose(wanted, recipe, batches, where)
        left_out |= absent
        facts.append(measuring.facts(recipe))
        with progress(recipe.name) as tell:
            rows += measuring.measure_dynamic(chosen, Plan(recipe, where, batches, repeat, found, tell))
    show_dynamic(rows)
    for name, why in left_out.items():
        say(f"{name}: {why}")
    draw(plot, "dynamic", rows)
    settings = {"repeat": repeat, "parts": chosen, "from": sizes.start, "to": sizes.stop - 1, "step": step}
    used = {found["key"]["by"] for found in rows}
    versions = {name: installed(peer.package) for name, peer in dynamic_peers.PEERS.items() if name in used}
    write(json_file, "dynamic", where, settings, facts, rows, versions)
