"""``minigr stream``: a window over timed edges, and answers that follow it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minigr.cli.console import print_table, say, status, stderr_is_terminal
from minigr.cli.help import examples
from minigr.cli.loading import device_option
from minigr.cli.names import NameList
from minigr.cli.results import Results, flat, keep_apart, result_options
from minigr.cli.stream_answers import ANSWERS
from minigr.errors import GraphError

if TYPE_CHECKING:
    from minigr.apps.dynamic import Step
    from minigr.graphs.dynamic.graph import DynamicGraph
    from minigr.io import TimedEdges

MOST_ROWS = 24
"""The number of batches that are shown; JSON and CSV have all batches."""
_FROM_A_SOURCE = {"bfs", "sssp"}
_PARTS, _WIDE = 24, 6  # defaults: the number of batches in a stream, and the batches in a window


class _Number(click.ParamType):
    """A number above 0. It is an integer if it is written as one, as times often are."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        try:
            number = int(value) if str(value).lstrip("+-").isdecimal() else float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        if not 0 < number < float("inf"):
            self.fail(f"{value} must be above 0 and finite", param, ctx)
        return number


def _epilog() -> str:
    lines = "\n".join(f"  {name:12} {answer.summary}" for name, answer in ANSWERS.items())
    shown = examples(
        "stream CollegeMsg.txt.gz --answers triangles,components",
        "stream mail.txt --window 86400 --batch 3600 --answers bfs --source 9 --csv bfs.csv",
        "stream mail.npz --directed --answers pagerank --json | jq '.batches[-1]'",
    )
    return f"\b\nAnswers:\n{lines}\n\n{shown}"


@click.command(epilog=_epilog())
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--answers", type=NameList(list(ANSWERS)), metavar="A,B,...", default=[], help="The answers to follow; see below."
)
@click.option("--window", type=_Number(), metavar="T", help="How long an edge stays.  [default: 6 batches]")
@click.option(
    "--batch", type=_Number(), metavar="T", help="The length of a batch in time.  [default: the stream in 24 batches]"
)
@click.option("--source", type=int, help="Source of bfs and sssp.  [default: the source of the first edge]")
@click.option("--directed", is_flag=True, help="Read each edge as one arc.")
@click.option("--no-weights", is_flag=True, help="Ignore the weights of the file.")
@click.option(
    "--columns", metavar="A,B,...", help="The content of each column, e.g. src,dst,time or src,dst,weight,time."
)
@click.option("--relabel", is_flag=True, help="Take any whole numbers as ids and number the vertices by rank.")
@click.option("--format", metavar="NAME", help="The file's format, if its ending doesn't name it: edges, npz, parquet.")
@device_option
@result_options("batch")
def stream(
    file: Path,
    answers: list[str],
    window: float | None,
    batch: float | None,
    source: int | None,
    directed: bool,
    no_weights: bool,
    columns: str | None,
    relabel: bool,
    format: str | None,
    device: str | None,
    results: Results,
) -> None:
    """Feed the timed edges of FILE through a graph, batch by batch.

    An edge stays in the graph until --window has passed since it was last seen. After each batch answers are repaired,
    or computed again if computing is less work. FILE is an edge list, also gzipped, with source, target and time in
    each line, and the weight, if there is one, before the time; or .npz or .parquet.
    """
    import minigr as mg
    from minigr.apps.dynamic import Step

    keep_apart([file], {"--json": results.json, "--csv": results.csv})
    if source is not None and _FROM_A_SOURCE.isdisjoint(answers):
        raise click.UsageError(f"--source is for {' and '.join(sorted(_FROM_A_SOURCE))}: name one in --answers")
    with status(f"reading {file}"):
        names = None if columns is None else columns.split(",")
        edges = mg.io.read_timed(file, format=format, weights=not no_weights, columns=names, relabel=relabel)
    if not len(edges):
        raise GraphError(f"{file} has no edges, so there is nothing to follow")
    for name in answers:
        if ANSWERS[name].needs_weights and edges.weights is None:
            raise GraphError(
                f"{name} needs edge weights, but the stream was read without weights: use bfs to count hops"
            )
    batch = _share_of(edges) if batch is None else batch
    window = _WIDE * batch if window is None else window
    dtype = False if edges.weights is None else edges.weights.dtype
    options: dict[str, Any] = {"directed": directed, "weighted": dtype, "device": device, "in_edges": directed}
    graph = mg.DynamicGraph(edges.num_vertices, **options)
    start = int(edges.src[0]) if source is None else source
    with status(f"preparing {', '.join(answers) or 'the graph'}"):
        followed = {name: ANSWERS[name].make(graph, start) for name in answers}
    rows: list[dict[str, Any]] = []

    with results.csv_rows(list(flat(_row(Step(0, 0, 0, 0, 0.0), graph, followed)))) as write_row:

        def note(step: Any) -> None:
            rows.append(_row(step, graph, followed))
            write_row(flat(rows[-1]))

        timed = edges.src, edges.dst, edges.time, edges.weights
        options = {"window": window, "batch": batch, "answers": list(followed.values())}
        mg.stream(graph, *timed, **options, callback=note, progress=stderr_is_terminal())

    facts = {"name": str(file), "vertices": edges.num_vertices, "edges": len(edges), "directed": directed}
    facts |= {"weighted": edges.weights is not None, "device": graph.device}
    settings = {"window": window, "batch": batch, "source": start}
    if not results.on_stdout:
        _report(facts, settings, rows, answers)
    results.write_json({"stream": facts, **settings, "batches": rows})


def _share_of(edges: TimedEdges) -> Any:
    """The batch size that cuts the stream into `_PARTS` batches; an integer if times are integers."""
    first, last = edges.time[0].item(), edges.time[-1].item()
    if isinstance(first, int):
        return -(-(last + 1 - first) // _PARTS)
    return last / _PARTS - first / _PARTS or 1.0  # the difference of the times may be infinite


def _row(step: Step, graph: DynamicGraph, followed: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a batch; the figures of each answer are a nested mapping."""
    row = {"batch": step.number, "end": step.end, "inserted": step.inserted, "deleted": step.deleted}
    row |= {"edges": graph.num_edges, "ms": step.seconds * 1e3}
    for name, answer in followed.items():
        row[name] = {**ANSWERS[name].figures(answer), "update": answer.last_update.kind}
    return row


def _report(
    facts: Mapping[str, Any], settings: Mapping[str, Any], rows: list[dict[str, Any]], answers: list[str]
) -> None:
    """Print the stream, the batches, and how often each answer was repaired."""
    kind = ("directed" if facts["directed"] else "undirected") + (", weighted" if facts["weighted"] else "")
    say(f"{facts['name']}: {facts['edges']:,} timed edges, {facts['vertices']:,} vertices, {kind}")
    start = f"; source: vertex {settings['source']}" if _FROM_A_SOURCE & set(answers) else ""
    say(f"batches of {settings['batch']}, window {settings['window']}; device: {facts['device']}{start}")
    shown = rows[-MOST_ROWS:]
    if len(shown) < len(rows):
        say(f"the last {len(shown)} of {len(rows):,} batches")
    lines = [{_title(name): value for name, value in flat(row).items()} for row in shown]
    header = [name for name in lines[0] if not name.endswith(" update")]
    print_table(header, [[line[name] for name in header] for line in lines])
    for name in answers:
        repaired = sum(row[name]["update"] == "repair" for row in rows)
        say(f"{name}: repaired in {repaired:,} of {len(rows):,} batches, computed again in the others")


def _title(name: str) -> str:
    return name.removesuffix("_count").replace("_", " ")
