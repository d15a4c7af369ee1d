"""The exhibits of SwarmGraph: Ji, Liu, Huang, Analyzing Large-Scale In-Memory Graphs on GPUs, HPCC 2020."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import minigr as mg
from minigr.bench import batch, streams
from minigr.bench.document import Row
from minigr.bench.papers.exhibit import Case, Exhibit, Paper

FILES = 16
"""The number of files that a streamed set is in."""
_MEAN = 394  # vertices of a synthetic graph on average
_LEAST = 16  # the least number of synthetic graphs
_LIMIT = 60.0  # seconds for each call
_CALLS = batch.BY_HOPS


def _sets(case: Case) -> Iterator[tuple[str, Any]]:
    """Each set of graphs with its name: the given sets, and a synthetic set of about ``2**scale`` vertices."""
    found = [(each.name, partial(batch.load, each.path, case.device)) for each in case.given]
    if case.scale is not None:
        count = max((1 << case.scale) // _MEAN, _LEAST)
        found.append((f"{batch.SYNTHETIC}-{count}", partial(mg.generate.batch, count, device=case.device)))
    for name, make in found:
        case.tell(f"{name}: making the set")
        graphs = make()
        case.facts.setdefault(name, batch.facts(name, graphs))
        yield name, graphs


def _options(case: Case) -> dict[str, Any]:
    return {"limit": _LIMIT, "tell": case.tell}


def _whole(case: Case) -> list[Row]:
    rows: list[Row] = []
    for name, graphs in _sets(case):
        rows += batch.measure_batch(name, graphs, _CALLS, [], case.repeat, **_options(case))
    return rows


def _by_size(case: Case, loops: Sequence[str] = ()) -> list[Row]:
    rows: list[Row] = []
    for name, graphs in _sets(case):
        for vertices, group in batch.by_size(graphs):
            how = {"loops": loops, "key": {"vertices": vertices}, **_options(case)}
            rows += batch.measure_batch(name, group, _CALLS, [], case.repeat, **how)
    return rows


def _streams(case: Case, workers: Sequence[int] = ()) -> list[Row]:
    rows = []
    for name, graphs in _sets(case):
        rows += streams.measure_streams(name, graphs, _CALLS, FILES, case.repeat, workers=workers, **_options(case))
    return rows


PAPER = Paper(
    "swarmgraph",
    "Ji, Liu, Huang, SwarmGraph: Analyzing Large-Scale In-Memory Graphs on GPUs, HPCC 2020",
    (
        Exhibit(
            "table-2",
            "Table 2: sets of graphs by size",
            "mg.batch.shortest_paths, closeness and betweenness of the graphs of each size",
            "batch",
            _by_size,
        ),
        Exhibit(
            "table-3",
            "Table 3: whole sets of graphs",
            "the same calls for each whole set",
            "batch",
            _whole,
        ),
        Exhibit(
            "figure-6",
            "Figure 6: one graph at a time against all at once, by size",
            "the same calls for batches of one graph, and for all graphs of a size",
            "batch",
            partial(_by_size, loops=("one",)),
        ),
        Exhibit(
            "figure-7",
            "Figure 7: loading and computing by turns against both at once",
            "mg.batch.map over files, and a loop that reads a file and then computes it",
            "batch",
            _streams,
        ),
        Exhibit(
            "figure-8",
            "Figure 8: one GPU and two",
            "mg.batch.map over Dask clusters of one worker and of two, one for each GPU",
            "batch",
            partial(_streams, workers=(1, 2)),
        ),
    ),
)
