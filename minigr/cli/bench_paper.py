"""``minigr bench paper``: the tables and figures of the papers that minigr is based on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from minigr.cli.bench_options import check_names, common_options, examples, reported, resolve, write
from minigr.cli.bench_tables import show_paper
from minigr.cli.console import print_table, progress, say
from minigr.cli.loading import Reading, graph_options


@click.command(
    epilog=examples(
        "paper slabgraph --list",
        "paper slabgraph table-2 figures-2-3 --scale 18",
        "paper mini-gunrock --graph kron21.npz --graph roads --device cuda",
        "paper swarmgraph table-2 --graph NCI1.npz",
        "paper meerkat --graph A.npz --graph B.npz --device cuda --json meerkat.json",
    )
)
@click.argument("name", metavar="PAPER")
@click.argument("exhibits", nargs=-1, metavar="[EXHIBIT]...")
@click.option(
    "--list", "listed", is_flag=True, help="Print the exhibits of PAPER and the measurements for them, and stop."
)
@click.option(
    "--scale",
    type=click.IntRange(1, 28),
    metavar="E",
    help="Synthetic graphs of 2^E vertices, in addition to those of --graph, if any.  [default: none with --graph, "
    "else 20 on a GPU, 14 on a CPU]",
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
    """Repeat the measurements in the tables and figures of PAPER: mini-gunrock, slabgraph, swarmgraph, meerkat.

    An EXHIBIT is a table or a figure, as in table-2 or figure-3; by default all for which the graphs have weights.
    The command calls the other benches with the parameters of the paper, and has the same rows and tables. After an
    error or Ctrl-C, the exhibits that were measured before are shown and written.
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
    where = resolve(device)
    given = [Given(each.short_name, each.graph, partial(each.load, device)) for each in readings]
    case = Case(where, repeat, default_scale(where) if scale is None and not readings else scale, given)
    settings = {"paper": name, "repeat": repeat, "exhibits": described(chosen.chosen(exhibits))}
    if case.scale is not None:
        settings["scale"] = case.scale
    rows: list[dict[str, Any]] = []

    def report() -> None:
        show_paper(rows, settings)
        write(json_file, "paper", where, settings, list(case.facts.values()), rows)

    with reported(rows, report), progress(name) as case.tell:
        left_out = measure_paper(chosen, exhibits, case, rows)
    for exhibit, why in left_out.items():
        say(f"{exhibit}: {why}")
