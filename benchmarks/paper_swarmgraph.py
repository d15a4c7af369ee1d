"""The page about SwarmGraph."""

from __future__ import annotations

from collections.abc import Sequence

from page_parts import PEERS, document, found, link, short, source, table
from paper_page import UP, Claim, Feature, Page, between, paragraph, said

NAME = "swarmgraph"
BATCH = "2026-11-21-h200-batch.json"
CPU = "2026-11-21-cpu-batch.json"
MILLION = "2026-11-21-h200-million.json"
CALLS = {"hops": "all-pairs hops", "harmonic": "harmonic closeness", "betweenness": "betweenness"}
THEIRS = "SwarmGraph"
STAGES = ("read", "copy and build", "compute again", "copy to host", "write")
"""The stages of `MILLION` that a stream does for each file of graphs; one thread does them one after the other."""
RUNS = {
    "in one process": "one process, one GPU",
    "cluster, 1x1": "one GPU, one worker",
    "cluster, 1x2": "one GPU, two workers",
    "cluster, 2x1": "two GPUs, a worker each",
    "cluster, 2x2": "two GPUs, two workers each",
}

FEATURES = (
    Feature(
        "Many graphs, each small enough for the memory of a GPU",
        "`GraphBatch`",
        "Graphs lie side by side, and a call is for all of them. Theirs are computed one after another.",
    ),
    Feature(
        "Fewer kernel invocations for each graph",
        "a few launches for the whole set",
    ),
    Feature(
        "Memory-aware placement of data, in the fast memories of a GPU",
        "shared memory; global memory for graphs that are too large for it, by the same code",
    ),
    Feature(
        "Pipelining: a thread loads graphs into a queue while another computes",
        "`mg.batch.map`: `readers=` threads read, check and copy while a batch is computed, others write results",
        "Malformed graphs are left out and named.",
    ),
    Feature(
        "Several GPUs: each has two threads and an equal share of the list of graphs",
        "`mg.batch.map(client=)` over a Dask cluster with a worker for each GPU, `mg.batch.local_cluster`",
        "Workers take what is next when they are free. A call within one process has one GPU.",
    ),
    Feature(
        "All-pairs shortest paths, closeness, betweenness",
        "`mg.batch.shortest_paths`, `closeness`, `betweenness`, by hops or by weight",
    ),
    Feature(
        "A file of CSR for each graph",
        "`mg.batch.read`: `.npz`, Parquet, the text format of the TU data sets; `mg.batch.write`",
        "Many graphs to a file.",
    ),
    Feature("not there", "`mg.batch.components`, `triangles`, `coloring`, `pagerank`; programs over `batch.graph`"),
)


def sets() -> list[tuple[str, str]]:
    """The sets that both systems were measured on, and their names in tables."""
    there = [row["key"]["set"] for row in document(PEERS)["rows"] if row["key"]["by"] == THEIRS]
    counts = {each["name"]: each["graphs"] for each in document(BATCH)["graphs"]}
    return [(name, f"{name} ({counts[name]:,})") for name in dict.fromkeys(there)]


def time(call: str, name: str, by: str) -> float:
    """Milliseconds for a whole set."""
    return found(BATCH if by == "minigr" else PEERS, set=name, call=call, by=by)


def beside(peer: str) -> list[float]:
    """How many times as long as minigr the loops of a library take on a CPU."""
    return [row["ratio"] for row in document(CPU)["rows"] if row["key"]["by"] == peer]


def run(name: str) -> float:
    """Seconds for a million graphs."""
    return found(MILLION, run=name) / 1e3


def stages(names: Sequence[str] = STAGES) -> float:
    """Seconds of one thread for these stages of all files, one after the other."""
    facts = document(MILLION)["graphs"][0]
    return sum(found(MILLION, stage=name) for name in names) * facts["files"] / 1e3


def over_minigr(call: str) -> list[float]:
    """How many times as long as minigr the authors' kernels take, for each set."""
    return [time(call, name, THEIRS) / time(call, name, "minigr") for name, _ in sets()]


def claims() -> list[Claim]:
    """The claims of the abstract, and properties of the authors' code."""
    million = said(NAME, measure="control flow graphs")
    graphs = document(MILLION)["graphs"][0]["graphs"]
    return [
        Claim(
            "Orders of magnitude faster than frameworks for CPUs and for one graph on a GPU",
            f"on a CPU, loops over the graphs by igraph take {between(beside('igraph'))} times, by NetworkX "
            f"{between(beside('networkx'))} times as long ({link(CPU, UP)})",
            "The paper compares with other frameworks, and its numbers could not be read. minigr uses two threads "
            "here, igraph and NetworkX one.",
        ),
        *(
            Claim(
                f"The authors' kernels on an H200: {title} in "
                f"{between([time(call, name, THEIRS) for name, _ in sets()])} ms for a set",
                f"{between([time(call, name, 'minigr') for name, _ in sets()])} ms; theirs take "
                f"{between(over_minigr(call))} times as long ({link(BATCH, UP)}, {link(PEERS, UP)})",
                why,
            )
            for (call, title), why in zip(
                CALLS.items(),
                (
                    "A set is one call here, so that all graphs fill the card together. Searches from 64 vertices go "
                    "together, a bit for each.",
                    "The same, and no matrix of distances is kept.",
                    "The reasons are the same, except for the bits: each source counts its own paths.",
                ),
                strict=True,
            )
        ),
        Claim(
            "Loading and computing at the same time",
            f"{graphs:,} graphs from files to files in {short(run('in one process'))} s; one thread takes "
            f"{short(stages())} s for the stages one after the other, and computing is "
            f"{short(stages(['compute again']))} s of that ({link(MILLION, UP)})",
            "The sum is of medians over some files. `minigr bench paper swarmgraph figure-7` measures both ways.",
        ),
        Claim(
            "Several GPUs",
            f"two GPUs {short(run('cluster, 1x1') / run('cluster, 2x1'))} times as fast as one with a worker each, "
            f"{short(run('cluster, 1x2') / run('cluster, 2x2'))} times with two ({link(MILLION, UP)})",
            "Python and files are as much of the time as the card, so two workers on a GPU gain too.",
        ),
        Claim(
            f"{million} million control flow graphs, as an example of such a set",
            f"{graphs:,} synthetic graphs on one GPU at {short(graphs / run('in one process'))} graphs a second "
            f"({link(MILLION, UP)})",
            "Other graphs: the synthetic ones have 32 to 1024 vertices.",
        ),
    ]


def slower() -> list[str]:
    """Measurements in which the authors' kernels are faster."""
    return [
        f"{title} of {name}: {THEIRS} {short(theirs)} ms, minigr {short(ours)} ms."
        for call, title in CALLS.items()
        for name, _ in sets()
        if (ours := time(call, name, "minigr")) > (theirs := time(call, name, THEIRS))
    ]


def whole() -> str:
    """Milliseconds for whole sets."""
    lines = [
        [title, by, *(short(time(call, name, by)) for name, _ in sets())]
        for call, title in CALLS.items()
        for by in ("minigr", THEIRS)
    ]
    return table(["", "", *(title for _, title in sets())], lines)


def million() -> str:
    """A million graphs, from files to files of results."""
    graphs = document(MILLION)["graphs"][0]["graphs"]
    lines = [[title, short(run(name)), f"{graphs / run(name):,.0f}"] for name, title in RUNS.items()]
    return table(["", "seconds", "graphs a second"], lines)


def came_out() -> str:
    """The tables of the existing files."""
    parts = (
        paragraph(
            "Whole sets of graphs, resident, in milliseconds on an H200. SwarmGraph is its kernels alone, one graph "
            f"after the other ({link(PEERS, UP)}); its own calls, with allocations and copies for each graph, take "
            "longer. Its synthetic graphs are other ones of the same recipe:"
        ),
        whole(),
        source(BATCH, "minigr bench batch SET... --device cuda --peers none --repeat 9", UP),
        "Harmonic closeness of a million synthetic graphs, from a thousand files to a thousand files:",
        million(),
        source(MILLION, "python benchmarks/million.py FOLDER --clusters 1x1,2x1,2x2,1x2 --readers 3", UP),
    )
    return "\n\n".join(parts)


def page() -> Page:
    """The whole page."""
    return Page(
        NAME,
        "SwarmGraph",
        """Ji, Liu and Huang, SwarmGraph: Analyzing Large-Scale In-Memory Graphs on GPUs (HPCC 2020), compute many small
graphs instead of one large graph. minigr does so with `mg.batch`, see [many small graphs](../batches.md).""",
        FEATURES,
        claims(),
        came_out(),
        slower(),
        {"table-3": (BATCH, PEERS), "figure-7": (MILLION,), "figure-8": (MILLION,)},
    )
