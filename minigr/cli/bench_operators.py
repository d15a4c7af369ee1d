"""``minigr bench operators``: the operators inside searches, and alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from minigr.cli.bench_operator_tables import show_operators
from minigr.cli.bench_options import (
    common_options,
    draw,
    examples,
    plot_option,
    reported,
    resolve,
    source_option,
    split,
    write,
)
from minigr.cli.console import progress, say
from minigr.cli.loading import Reading, load_with_source, readings_options


@click.command(
    epilog=examples(
        "operators roads",
        "operators GRAPH.npz --plot steps.svg --json steps.json",
        "operators GRAPH.npz --operators advance,filter --input all,list,edges --balance each --dynamic",
        "operators GRAPH.npz --searches --direction push --balance each --duplicates cull",
    )
)
@readings_options
@source_option
@plot_option("the steps")
@click.option(
    "--operators",
    "names",
    metavar="A,B,...",
    help="The operators to time alone: advance, neighbor_reduce, filter, compute, intersect, near_far.  "
    "[default: the first four]",
)
@click.option(
    "--input",
    "inputs",
    default="all",
    show_default=True,
    metavar="A,B,...",
    help="The input frontiers: all, list (of all vertices), edges (a list).",
)
@click.option(
    "--direction",
    "directions",
    metavar="A,B,...",
    help="The directions of advances and BFS: push, pull, auto.  "
    "[default: push and pull alone, auto in steps, push and auto in searches]",
)
@click.option(
    "--balance",
    "balances",
    default="auto",
    show_default=True,
    metavar="A,B,...",
    help='How edges are assigned to threads: auto, thread, tile, warp, block, merge; or "each" for all of these.',
)
@click.option(
    "--duplicates",
    metavar="A,B,...",
    help="How vertices that are found twice are treated: remove, cull, keep.  [default: that of the operator]",
)
@click.option("--dynamic", is_flag=True, help="Also time the operators on a dynamic graph of the same edges.")
@click.option("--searches", is_flag=True, help="Also time whole searches in each of these ways.")
@common_options()
def operators(
    readings: Sequence[Reading],
    source: int | None,
    names: str | None,
    inputs: str,
    directions: str | None,
    balances: str,
    duplicates: str | None,
    dynamic: bool,
    searches: bool,
    plot: Path | None,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time the steps of BFS and SSSP on GRAPHs, and each operator alone over a whole graph.

    The time of a step is measured in a traced run, with one launch per step. MTEPS are millions of edges looked at per
    second. The share is the share of all arcs of the graph. After an error or Ctrl-C, the earlier measurements are
    kept.
    """
    from minigr.bench import single_operator_cases as known
    from minigr.bench.document import graph_facts
    from minigr.bench.operators import measure_steps
    from minigr.bench.searches import measure_searches
    from minigr.bench.single_operators import Ways, measure_single_operators
    from minigr.operators.options import BALANCES

    towards: Any = split(directions, known.DIRECTIONS, "--direction")
    ways = Ways(
        split(names, known.OPERATORS, "--operators") or known.USUAL,
        split(inputs, known.INPUTS, "--input") or (),
        towards or ("push", "pull"),
        BALANCES if balances == "each" else split(balances, BALANCES, "--balance") or (),
        split(duplicates, known.DUPLICATES, "--duplicates") or (),
    )
    settings = {
        "repeat": repeat,
        "balance": ",".join(ways.balances),
        "operators": ",".join(ways.operators),
        "input": ",".join(ways.inputs),
        "direction": directions,
        "duplicates": duplicates,
        "dynamic": dynamic,
    }
    where = resolve(device)
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    left_out: dict[str, str] = {}

    def report() -> None:
        show_operators(rows)
        for label, why in left_out.items():
            say(f"{label}: left out: {why}")
        write(json_file, "operators", where, settings, facts, rows)
        draw(plot, "operators", [found for found in rows if "step" in found["key"]])

    with reported(rows, report):
        for reading in readings:
            name = reading.short_name
            with progress(name) as tell:
                graph, start = load_with_source(reading, device, source, tell)
                facts.append({**graph_facts(name, graph), "source": start})
                rows += measure_steps(name, graph, start, repeat, tell, directions=towards or ("auto",))
                alone = measure_single_operators(name, graph, repeat, tell, ways, dynamic=dynamic)
                if not alone:
                    left_out[f"each operator alone on {name}"] = "no operator takes this --input and --direction"
                rows += alone
                if searches:
                    how = replace(ways, directions=towards or ("push", "auto"))
                    found, absent = measure_searches(name, graph, start, repeat, how, tell, dynamic=dynamic)
                    rows += found
                    left_out |= absent
