"""``minigr bench paper``: the tables and figures of the papers that minigr carries on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from minigr.cli.bench_options import check_names, common_options, examples, resolve, write
from minigr.cli.bench_tables import show_paper
from minigr.cli.console import print_table, progress, say
from minigr.cli.loading import Reading, graph_options


@click.command(
    epilog=examples(
        "paper slabgraph --list",
        "paper slabgraph table-2 figure-2 --scale 18",
        "paper mini-gunrock --graph kron21.npz --graph roads --device cuda",
        "paper swarmgraph table-2 --graph NCI1.npz",
        "paper meerkat --graph A.npz --graph B.npz --device cuda --json meerkat.json",
    )
)
@click.argument("name", metavar="PAPER")
@click.argument("exhibits", nargs=-1, metavar="[EXHIBIT]...")
@click.option("--list", "listed", is_flag=True, help="Print the exhibits of PAPER and what answers them, and stop.")
@click.option(
    "--scale",
    type=click.IntRange(1, 28),
    metavar="E",
    help="Without --graph: synthetic graphs of 2^E vertices.  [default: 20 on a GPU, 14 on a CPU]",
)
@graph_options
@common_options(default_repeat=5)
def paper(
    name: str,
    exhibits: tuple[str, ...],
    listed: bool,
    readings: Sequence[Reading],
    scale: int | None,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Measure what the tables and figures of PAPER measure: mini-gunrock, slabgraph, swarmgraph, meerkat.

    An EXHIBIT is a table or a figure, as in table-2 or figure-3; by default all that the graphs have weights for. It
    calls the other benches with the parameters of the paper, and its rows and tables are theirs.
    """
    from minigr.bench.papers.exhibit import Case, Given, default_scale, described, measure_paper
    from minigr.bench.papers.registry import PAPERS

    check_names([name], PAPERS, "PAPER")
    chosen = PAPERS[name]
    check_names(exhibits, [exhibit.name for exhibit in chosen.exhibits], "EXHIBIT")
    if listed:
        say(chosen.title)
        print_table(
            ["exhibit", "title", "answered by"], [[each.name, each.title, each.answer] for each in chosen.exhibits]
        )
        return
    if readings and scale is not None:
        raise click.UsageError("--scale is for synthetic graphs: leave it or --graph out")
    where = resolve(device)
    given = [Given(each.short_name, each.graph, partial(each.load, device)) for each in readings]
    case = Case(where, repeat, default_scale(where) if scale is None else scale, given)
    with progress(name) as case.tell:
        rows, left_out = measure_paper(chosen, exhibits, case)
    settings = {"paper": name, "repeat": repeat, "exhibits": described(chosen.chosen(exhibits))}
    if not readings:
        settings["scale"] = case.scale
    show_paper(rows, settings)
    for exhibit, why in left_out.items():
        say(f"{exhibit}: {why}")
    write(json_file, "paper", where, settings, list(case.facts.values()), rows)
