"""``minigr bench``: the costs of each layer of minigr, compared with other libraries and with earlier runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from minigr.cli import bench_tables
from minigr.cli.bench_batch import batch
from minigr.cli.bench_build import build
from minigr.cli.bench_dynamic import dynamic
from minigr.cli.bench_graph500 import graph500
from minigr.cli.bench_maintained import maintained
from minigr.cli.bench_operators import operators
from minigr.cli.bench_options import (
    check_names,
    common_options,
    examples,
    exponent_options,
    exponents,
    json_option,
    left_out_lines,
    limit_option,
    reported,
    require_rows,
    resolve,
    source_option,
    split,
    write,
    write_document,
)
from minigr.cli.bench_paper import paper
from minigr.cli.bench_scaling import scaling
from minigr.cli.bench_start import start
from minigr.cli.console import markdown_tables, progress, say
from minigr.cli.loading import (
    Reading,
    devices_option,
    load_with_source,
    names_of_devices,
    reading_options,
    readings_options,
)
from minigr.cli.results import Results, csv_option, flat, keep_apart
from minigr.cli.settings import driver_option
from minigr.errors import FormatError

_apps_option = click.option(
    "--apps",
    "names",
    metavar="A,B,...",
    help="The apps: bfs, multi-source-bfs, all-pairs-of-256, sssp, shortest-path, shortest-path-by-weight, "
    "k-shortest-paths, earliest-arrival, pagerank, pagerank-step, pagerank-step-single, "
    "personalized-pagerank, hits, eigenvector, katz, degree, components, strong-components, betweenness, "
    "edge-betweenness, harmonic, approximate-betweenness, approximate-closeness, approximate-harmonic, core-number, "
    "label-propagation, louvain, leiden, triangles, cliques, truss, similarity, random-walks, node2vec-walks, "
    "sample-neighbors, negative-samples, coloring, independent-set, maximal-matching, bipartite-matching, "
    "maximum-flow, biconnected, assortativity, rich-club, eccentricity, diameter, topological-levels, longest-path, "
    "transitive-reduction, spanning-forest.  [default: all apps for which the graph has weights and directions]",
)


@click.group(
    epilog=examples(
        "primitives", "apps roads --json apps.json", "compare before.json after.json", "show apps.json --csv"
    )
)
def bench() -> None:
    """Measure what minigr costs, layer by layer.

    Times are medians in milliseconds, by the host's clock around the call and a synchronize of the device, with the
    graph resident and programs compiled. Calls that are compared alternate in one run, so the ratios also hold on a
    noisy machine.
    """


@bench.command(epilog=examples("primitives", "primitives scan compact --from 20 --to 28 --json scan.json"))
@click.argument("names", nargs=-1, metavar="[PRIMITIVE]...")
@exponent_options(
    4, "The least size, 2^E items.  [default: 10]", "The greatest size.  [default: 28 on a GPU, 22 on a CPU]"
)
@common_options()
def primitives(
    names: tuple[str, ...],
    low: int | None,
    high: int | None,
    step: int,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time primitives over sizes: transform, scan, lbs, segreduce, compact; by default all.

    GB/s count the bytes that must be read and written once. Beside each primitive are the array library's own call for
    the same result (NumPy or CuPy) and a copy of as many items, which is the ceiling. On a GPU, GB/s and ms are
    measured by CUDA events. After an error or Ctrl-C, the earlier measurements are kept.
    """
    from minigr.bench.primitives import CASES, default_exponents, measure_primitives

    check_names(names, CASES, "PRIMITIVE")
    where = resolve(device)
    sizes = exponents(low, high, step, default_exponents(where))
    settings = {"repeat": repeat, "from": sizes.start, "to": sizes.stop - 1, "step": step}
    rows: list[dict[str, Any]] = []

    def report() -> None:
        bench_tables.show_primitives(rows)
        write(json_file, "primitives", where, settings, [], rows)

    with reported(rows, report), progress("primitives") as tell:
        for each in measure_primitives(list(dict.fromkeys(names or CASES)), sizes, where, repeat, tell):
            rows.append(each)


@bench.command(epilog=examples("apps roads", "apps A.npz B.npz --peers scipy,igraph --apps bfs", "apps A.npz --floor"))
@readings_options
@source_option
@_apps_option
@click.option(
    "--peers",
    metavar="A,B,...",
    help="The libraries to compare with: scipy, networkx, igraph, networkit, graphblas, pyg (CPU), cugraph (GPU); "
    "or none.  [default: those that are installed, networkx only on graphs up to a million arcs]",
)
@driver_option
@limit_option
@click.option("--dynamic", is_flag=True, help="Also time the apps on a dynamic graph of the same edges.")
@devices_option("Also time the apps that can run on a graph in parts")
@click.option("--floor", is_flag=True, help="Show the least time that each app can take on this GPU.")
@click.option(
    "--ceilings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --floor: the ceilings of the device, as JSON; needed for all GPUs except an H200.",
)
@common_options()
def apps(
    readings: Sequence[Reading],
    source: int | None,
    names: str | None,
    peers: str | None,
    driver: str,
    limit: float,
    dynamic: bool,
    devices: str | None,
    floor: bool,
    ceilings: Path | None,
    device: str | None,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time the built-in apps on GRAPHs by their public calls, beside other libraries.

    pagerank runs until it converges by each library's own rule, pagerank-step is one iteration of twenty; both
    ignore weights. A library that is not installed is named and left out. After an error or Ctrl-C, the earlier
    measurements are kept.
    """
    from minigr.bench.apps import APPS, measure_apps
    from minigr.bench.apps import choose as choose_apps
    from minigr.bench.document import graph_facts
    from minigr.bench.floor import ceilings_of
    from minigr.bench.peers import PEERS, choose

    chosen = split(names, APPS, "--apps") or list(APPS)
    wanted = [] if peers == "none" else split(peers, PEERS, "--peers")
    where = resolve(device)
    limits = ceilings_of(where, ceilings) if floor else None
    if ceilings is not None and not floor:
        raise click.UsageError("--ceilings is for --floor: give both")
    options: dict[str, Any] = {"driver": driver, "limit": limit, "dynamic": dynamic}
    options["parts"] = [] if devices is None else names_of_devices(devices)
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    left_out: dict[str, str] = {}
    unfit: list[str] = []

    def report() -> None:
        bench_tables.show_apps(rows, repeat)
        for name, why in left_out.items():
            say(f"{name}: {why}")
        for line in unfit:
            say(line)
        write(json_file, "apps", where, {"repeat": repeat, **options}, facts, rows, _peer_versions(rows))

    with reported(rows, report):
        for reading in readings:
            name = reading.short_name
            with progress(name) as tell:
                graph, start = load_with_source(reading, device, source, tell)
                found, absent = choose(wanted, graph)
                left_out |= absent
                reasons = choose_apps(chosen, graph)[1]
                unfit += left_out_lines(name, reasons)
                facts.append(
                    {
                        **graph_facts(name, graph),
                        "source": start,
                        "peers_left_out": absent,
                        "apps_left_out": reasons,
                    }
                )
                measured = measure_apps(
                    name, graph, start, chosen, found, repeat, **options, ceilings=limits, tell=tell
                )
                for each in measured:
                    rows.append(each)
    require_rows(rows, unfit)


@bench.command(epilog=examples("memory roads", "memory GRAPH.npz --repeat 1 --device cuda"))
@reading_options
@source_option
@_apps_option
@common_options(default_repeat=3)
def memory(
    reading: Reading, source: int | None, names: str | None, device: str | None, repeat: int, json_file: Path | None
) -> None:
    """Find the peak memory of each app on GRAPH, and its ratio to the graph's own size.

    Each run is a separate process. The memory of an app is the memory that it takes after the graph is read and the
    program is loaded: the high-water mark of the resident set on the host, or of the pool on a GPU. After an error or
    Ctrl-C, the earlier measurements are kept.
    """
    from minigr.bench.apps import APPS, choose
    from minigr.bench.document import graph_facts
    from minigr.bench.memory import measure_memory

    where = resolve(device)
    name = reading.short_name
    wanted = split(names, APPS, "--apps") or list(APPS)
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    unfit: list[str] = []

    def report() -> None:
        bench_tables.show_memory(rows)
        for line in unfit:
            say(line)
        write(json_file, "memory", where, {"repeat": repeat}, facts, rows)

    with reported(rows, report), progress(name) as tell:
        graph, start = load_with_source(reading, "cpu", source, tell)
        fit, reasons = choose(wanted, graph)
        unfit += left_out_lines(name, reasons)
        facts.append({**graph_facts(name, graph), "source": start, "apps_left_out": reasons})
        chosen = [app.name for app in fit]
        for each in measure_memory(name, reading.arguments(), str(where), start, chosen, repeat, tell):
            rows.append(each)
    require_rows(rows, unfit)


@bench.command(
    epilog=examples(
        "compare before.json after.json --fail-on-slower",
        "compare before-1.json after-1.json before-2.json after-2.json",
    )
)
@click.argument(
    "files",
    metavar="BEFORE AFTER [BEFORE AFTER]...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--threshold",
    type=click.FloatRange(0),
    default=5,
    show_default=True,
    metavar="PERCENT",
    help="Changes of the median up to this percentage count as no difference.",
)
@click.option("--fail-on-slower", is_flag=True, help="Exit with 1 if a row of minigr became slower or larger.")
@json_option
def compare(files: tuple[Path, ...], threshold: float, fail_on_slower: bool, json_file: Path | None) -> None:
    """Compare two files that --json wrote, row by row.

    For runs that alternate, give all pairs of files: the samples of a row are compared together, so a drift of the
    machine affects both sides.

    A row is faster or slower if the medians differ by more than the threshold and a rank test over the samples (Mann
    and Whitney, level 1 %) finds that the samples hardly overlap. The rows of other libraries show whether the machine
    changed.
    """
    from dataclasses import asdict

    from minigr.bench import compare as comparing
    from minigr.bench import document

    if len(files) % 2:
        raise click.UsageError(f"got {len(files)} files: a file of after must follow each file of before")
    keep_apart(files, {"--json": json_file})
    documents = [document.read(file) for file in files]
    for file, content in zip(files, documents, strict=True):
        if "rows" not in content:
            raise FormatError(file, "is of bench 'compare' itself: give the files that were compared")
    contents = comparing.pooled(documents[0::2]), comparing.pooled(documents[1::2])
    names = [", ".join(map(str, side)) for side in (files[0::2], files[1::2])]
    found, *only = comparing.compare(*contents, threshold / 100)
    bench_tables.show_comparisons(found, only, names)
    mean = comparing.mean_ratio(found)
    if not math.isnan(mean):
        say(f"geometric mean of minigr's ratios: {mean:.3f}")
    for difference in comparing.machine_differences(*contents):
        say(f"the machines differ in {difference}")
    if json_file is not None:
        rows = [asdict(pair) for pair in found]
        facts = {"schema": document.SCHEMA, "bench": "compare", "before": names[0], "after": names[1]}
        machine = {"device": contents[1].get("device"), "machine": contents[1].get("machine")}
        write_document(
            json_file, {**facts, **machine, "mean_ratio": None if math.isnan(mean) else mean, "comparisons": rows}
        )
    slower = [pair for pair in found if pair.verdict == comparing.SLOWER and pair.is_minigr]
    if slower and fail_on_slower:
        raise click.ClickException(f"slower: {'; '.join(bench_tables.described(pair.key) for pair in slower)}")


@bench.command(epilog=examples("show apps.json", "show benchmarks/results/2026-11-21-cpu-dynamic.json --markdown"))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@csv_option("the rows without their samples")
def show(file: Path, markdown: bool, csv_file: Path | None) -> None:
    """Print the tables of FILE, which --json wrote."""
    from minigr.bench import document

    content = document.read(file)
    name = content.get("bench")
    if name not in bench_tables.TABLES:
        known = ", ".join(bench_tables.TABLES)
        raise FormatError(file, f"is of bench {name!r}, which has no tables here: give a file of one of {known}")
    results = Results(csv=csv_file)
    results.write({}, [flat(_without_samples(found)) for found in content["rows"]])
    if results.on_stdout:
        return
    machine = content["machine"]
    say(f"minigr bench {name}, {content['device']}, {machine.get('gpu') or machine.get('processor')}")
    try:
        with markdown_tables() if markdown else nullcontext():
            bench_tables.TABLES[name](content["rows"], content["settings"])
    except KeyError as error:
        raise FormatError(file, f"has no {error}, which the tables show: show it with the minigr it is of") from error


bench.add_command(batch)
bench.add_command(build)
bench.add_command(dynamic)
bench.add_command(graph500)
bench.add_command(maintained)
bench.add_command(operators)
bench.add_command(paper)
bench.add_command(scaling)
bench.add_command(start)


def _without_samples(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**found["key"], **{name: value for name, value in found.items() if name not in ("key", "samples")}}


def _peer_versions(rows: Sequence[Mapping[str, Any]]) -> dict[str, str | None]:
    from minigr.bench.machine import installed
    from minigr.bench.peers import PEERS

    used = {row["key"]["by"] for row in rows}
    return {name: installed(peer.package) for name, peer in PEERS.items() if name in used}
