"""``minigr bench dynamic``: the costs of updates of a dynamic graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minigr.cli.bench_options import (
    check_names,
    common_options,
    draw,
    examples,
    exponent_options,
    exponents,
    plot_option,
    reported,
    resolve,
    split,
    write,
)
from minigr.cli.bench_tables import show_dynamic
from minigr.cli.console import progress, say
from minigr.cli.loading import Reading, check_names_differ, is_graph, words_options

if TYPE_CHECKING:
    from minigr.bench.recipes import Source

DRAWN = ("updates", "load")
"""The parts that are drawn in a plot."""


@click.command(
    epilog=examples(
        "dynamic",
        "dynamic updates --scale 18 --kind rmat --undirected",
        "dynamic updates lookups roads A.npz --values none,int32 --json rates.json",
        "dynamic updates load --device cuda --plot rates.svg --json rates.json",
    )
)
@words_options("[PART]... [GRAPH]...")
@click.option(
    "--kind", "kinds", metavar="A,B", help="Synthetic graphs: uniform, rmat.  [default: both, or none with a GRAPH]"
)
@click.option(
    "--scale",
    type=click.IntRange(1, 28),
    metavar="E",
    help="A synthetic graph has 2^E vertices.  [default: 20 on a GPU, 16 on a CPU]",
)
@click.option(
    "--edge-factor",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    help="Edges for each vertex of a synthetic graph.",
)
@click.option("--in-edges", is_flag=True, help="Directed graphs also store their in-edges.")
@exponent_options(
    0, "The smallest batch, 2^E edges.  [default: 16]", "The largest batch.  [default: 22 on a GPU, 20 on a CPU]"
)
@click.option(
    "--values",
    metavar="A,B,...",
    help="Weights in updates and lookups: none (a set of edges), int32, int64, float32, float64.  [default: none]",
)
@click.option(
    "--peers",
    metavar="A,B,...",
    help="The libraries to compare with: networkx (CPU); or none.  [default: if installed]",
)
@plot_option("rates over batches and load factors")
@common_options(default_repeat=5)
def dynamic(
    words: Sequence[str],
    reading: Reading,
    kinds: str | None,
    scale: int | None,
    edge_factor: int,
    in_edges: bool,
    low: int | None,
    high: int | None,
    step: int,
    values: str | None,
    peers: str | None,
    plot: Path | None,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time a dynamic graph, PART by PART, by default all, on GRAPHs, by default a uniform one and an R-MAT one.

    updates: inserting, finding and deleting batches of edges. builds: in one call, for each dtype of weights, and from
    an empty graph in batches of 2^20; and their memory. vertices: inserting and deleting vertices. load: rates, memory
    and chains over load factors; synthetic graphs then have a sixteenth of the vertices and as many edges. iteration:
    ways to iterate over all edges. lookups: finding and deleting edges that the graph has, and edges that it does not
    have. triangles: counting triangles in slabs and in sorted rows.

    Batches are random, with repeats, on the device. Before each sample the graph is restored, except for a few edges
    that warm up updates and queries. Synthetic graphs are directed by default. After an error or Ctrl-C, the earlier
    measurements are kept.
    """
    from minigr.bench import dynamic as measuring
    from minigr.bench import dynamic_peers
    from minigr.bench.dynamic_calls import UNWEIGHTED, Plan
    from minigr.bench.machine import installed
    from minigr.bench.recipes import KINDS, Recipe
    from minigr.graphs.checks import WEIGHT_DTYPES

    chosen = list(dict.fromkeys(word for word in words if word in measuring.PARTS)) or list(measuring.PARTS)
    graphs = [replace(reading, graph=word) for word in words if word not in measuring.PARTS]
    for graph in graphs:
        if not is_graph(graph.graph):
            check_names([graph.graph], [*measuring.PARTS, "the graphs there are"], "PART or GRAPH")
    check_names_differ([graph.short_name for graph in graphs], [graph.graph for graph in graphs])
    directed = reading.directed is not False
    if in_edges and not directed:
        raise click.UsageError("--in-edges is for directed graphs: leave out --in-edges or --undirected")
    if plot is not None and not set(chosen) & set(DRAWN):
        raise click.UsageError(f"--plot draws only {' and '.join(DRAWN)}: measure one of these")
    synthetic = split(kinds, KINDS, "--kind") or ([] if graphs else KINDS)
    if scale is not None and not synthetic:
        raise click.UsageError("--scale is for synthetic graphs: give --kind too, or leave out --scale")
    dtypes = split(values, [UNWEIGHTED, *WEIGHT_DTYPES], "--values") or [UNWEIGHTED]
    wanted = split(peers, dynamic_peers.PEERS, "--peers") if peers != "none" and "updates" in chosen else []
    where = resolve(device)
    sizes = exponents(low, high, step, measuring.default_exponents(where))
    batches = [1 << exponent for exponent in sizes]
    scale = measuring.default_scale(where) if scale is None else scale
    sources: list[Callable[[], Source]] = [
        partial(Recipe, kind, scale, edge_factor, directed, in_edges) for kind in dict.fromkeys(synthetic)
    ]
    sources += [partial(_given, each, device, in_edges) for each in graphs]
    settings: dict[str, Any] = {"repeat": repeat, "parts": chosen, "from": sizes.start, "to": sizes.stop - 1}
    settings |= {"step": step, "values": dtypes}
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    left_out: dict[str, str] = {}

    def report() -> None:
        show_dynamic(rows)
        for name, why in left_out.items():
            say(f"{name}: {why}")
        used = {found["key"]["by"] for found in rows}
        versions = {name: installed(peer.package) for name, peer in dynamic_peers.PEERS.items() if name in used}
        write(json_file, "dynamic", where, settings, facts, rows, versions)
        draw(plot, "dynamic", rows)

    with reported(rows, report):
        for make in sources:
            source = make()
            found, absent = dynamic_peers.choose(wanted, source, batches, where)
            left_out |= absent
            facts.append(source.facts())
            with progress(source.name) as tell:
                plan = Plan(source, where, batches, repeat, found, tell, dtypes)
                for part in chosen:
                    rows += measuring.measure_dynamic([part], plan)


def _given(reading: Reading, device: str | None, in_edges: bool) -> Source:
    from minigr.bench.recipes import GivenGraph

    return GivenGraph(reading.short_name, reading.load(device), in_edges)
