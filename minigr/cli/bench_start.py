"""``minigr bench start``: the first calls of new processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from minigr.cli.bench_options import check_names, common_options, examples, reported, resolve, write
from minigr.cli.bench_tables import show_start
from minigr.cli.console import progress, say
from minigr.cli.loading import complete_graph


@click.command(
    epilog=examples(
        "start bfs sssp --cold 3 --repeat 3",
        "start programs process --json start.json",
        "start process --graph roads --device cuda",
    )
)
@click.argument("names", nargs=-1, metavar="[CALL]...")
@click.option(
    "--graph",
    default="wordnet",
    show_default=True,
    shell_complete=complete_graph,
    help="The graph of run-bfs: a file, or a graph that comes with minigr.",
)
@click.option(
    "--cold",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="The number of processes with empty caches.",
)
@common_options(default_repeat=5)
def start(
    names: tuple[str, ...], graph: str, cold: int, device: str | None, repeat: int, json_file: Path | None
) -> None:
    """Time the first CALLs of fresh processes, with empty caches (--cold) and with filled caches (--repeat).

    \b
    apps       each algorithm of minigr run, by its name, on a graph
               that is made before the clock starts
    programs   one-operator, three-operators, six-operators: programs
               of your own, and again after an edit of one functor
    graphs     from-edges, rmat, read-edges, read-npz, from-scipy,
               to-scipy, from-networkx, to-networkx
    process    run-bfs: minigr run bfs GRAPH, from start to end

    The --repeat processes use the caches that the last --cold process left. By default all calls are measured, which
    takes some minutes. After an error or Ctrl-C, the earlier measurements are kept.
    """
    import minigr as mg
    from minigr.bench.document import graph_facts
    from minigr.bench.start import CASES, GROUPS, RUN_BFS, choose, measure_start

    check_names(names, [*GROUPS, *CASES, RUN_BFS], "CALL")
    where = resolve(device)
    chosen, left_out = choose(names)
    facts = []
    if RUN_BFS in chosen:
        facts.append(graph_facts(Path(graph).name, mg.read(graph, device="cpu")))
    rows: list[dict[str, Any]] = []

    def report() -> None:
        show_start(rows)
        for name, why in left_out.items():
            say(f"{name}: {why}")
        write(json_file, "start", where, {"cold": cold, "repeat": repeat, "left_out": left_out}, facts, rows)

    with reported(rows, report), progress("first calls") as tell:
        measure_start(chosen, graph, str(where), cold, repeat, rows, tell)
