"""Make docs/performance.md from the files in benchmarks/results/, so that no number on the page is typed.

    python benchmarks/performance_page.py

writes the page. tests/docs/test_performance_page.py fails if the page differs from the output of this script.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from page_parts import PEERS, ROOT, document, found, short, size_of, source, table

PAGE = ROOT / "docs" / "performance.md"

H200_APPS = "2026-11-22-h200-apps.json"
H200_MORE = "2026-11-21-h200-apps-more.json"
H200_PRIMITIVES = "2026-11-22-h200-primitives.json"
H200_OWN = "2026-11-21-h200-own-program.json"
H200_FUNCTOR = "2026-11-21-h200-functor-overhead.json"
H200_DYNAMIC = "2026-11-22-h200-dynamic.json"
H200_MAINTAINED = {g: f"2026-11-22-h200-maintained-{g}.json" for g in ("kron21", "urand22", "road24m")}
H200_BATCH = "2026-11-21-h200-batch.json"
H200_MILLION = "2026-11-21-h200-million.json"
CPU_SCIPY = "2026-11-21-cpu-apps-xeon.json"
CPU_PEERS = "2026-11-21-cpu-apps.json"
CPU_NO_REST = "2026-11-21-cpu-apps-no-rest.json"
CPU_MORE = "2026-11-21-cpu-cores-components-triangles.json"
NETWORKX = "2026-11-21-cpu-networkx.json"
UNIFORM = "uniform-20-16"
CONVERSION = "conversion of 1M edges"  # the name of a key in `NETWORKX`

APPS = {
    "bfs": "BFS with parents",
    "sssp": "SSSP with parents",
    "pagerank-step": "PageRank, one iteration",
    "components": "connected components",
    "triangles": "triangles",
    "core-number": "core numbers",
    "betweenness": "betweenness, one source",
    "harmonic": "harmonic centrality, one vertex",
    "hits": "HITS, until it converged",
    "truss": "8-truss",
    "coloring": "coloring",
    "independent-set": "maximal independent set",
    "label-propagation": "label propagation",
    "spanning-forest": "minimum spanning forest",
}
GPU_PEERS = ("cuGraph", "Gunrock", "Mini-Gunrock")
CALLS = {"hops": "all-pairs hops", "harmonic": "harmonic closeness", "betweenness": "betweenness"}
ANSWERS = {
    "triangles": "triangles",
    "components": "connected components",
    "bfs": "BFS",
    "sssp": "SSSP",
    "pagerank": "PageRank",
    "pagerank-1e-10": "PageRank to 1e-10",
    "core-number": "core numbers",
    "coloring": "coloring",
}


def app_rows() -> list[tuple[str, str, float, float | None, dict[str, float | None]]]:
    """For each app and graph on the GPU: the time of minigr, the floor, and the times of peers."""
    rows = []
    for app in APPS:
        name = H200_APPS if any(row["key"]["app"] == app for row in document(H200_APPS)["rows"]) else H200_MORE
        for graph in ("kron21", "rgg22", "road24m", "urand22", "kron16"):
            time = found(name, graph=graph, app=app, by="minigr")
            if time is None:
                continue
            floor = found(name, "floor", graph=graph, app=app, by="minigr")
            peers = {peer: found(PEERS, graph=graph, app=app, by=peer) for peer in GPU_PEERS}
            rows.append((app, graph, time, None if floor is None else floor["ms"], peers))
    return rows


def gpu_apps() -> str:
    """The table of apps on the GPU."""
    return table(
        ["", "graph", "minigr", "floor", *GPU_PEERS],
        [
            [APPS[app], graph, short(time), short(floor), *(short(peers[peer]) for peer in GPU_PEERS)]
            for app, graph, time, floor, peers in app_rows()
        ],
    )


def own_programs() -> str:
    """Programs outside the package compared with built-in ones, and functors in Python compared with C++."""
    lines = []
    for pattern in ("hops", "budget, near-far"):
        for graph in ("kron21", "rgg22"):
            key = {"graph": graph, "pattern": pattern, "by": "minigr"}
            own, ours = (found(H200_OWN, **key, program=program) for program in ("own", "built-in"))
            lines.append([pattern, graph, short(own), short(ours), f"{own / ours:.2f}"])
    return table(["program", "graph", "own", "built-in", "ratio"], lines)


def functor_ratios() -> tuple[str, str]:
    """The least and greatest ratio of a functor in Python to the same kernel with a functor in C++."""
    ratios = [row["ratio"] for row in document(H200_FUNCTOR)["rows"]]
    return f"{min(ratios):.3f}", f"{max(ratios):.3f}"


def uniform_batches() -> list[dict[str, Any]]:
    """The rows of batches of other systems on the uniform graph."""
    return [row for row in document(PEERS)["rows"] if "batch" in row["key"] and row["key"]["graph"] == UNIFORM]


def updates() -> str:
    """Rates of batches of a dynamic graph, in minigr and in other systems."""
    systems = list(dict.fromkeys(row["key"]["by"] for row in uniform_batches()))
    lines = []
    for measure in ("insert", "delete", "query"):
        for batch in (1 << 16, 1 << 20, 1 << 22):
            key = {"graph": UNIFORM, "measure": measure, "batch": batch}
            own = found(H200_DYNAMIC, "medges_per_s", **key, part="updates", by="minigr")
            others = [short(found(PEERS, **key, by=system)) for system in systems]
            lines.append([measure, f"2^{batch.bit_length() - 1}", short(own), *others])
    return table(["", "batch", "minigr", *systems], lines)


def maintained() -> str:
    """How many times as fast following an answer is as computing it again, on each graph."""
    kinds = (("edges", "delete"), ("edges", "insert"), ("pairs", "insert"), ("pairs", "delete"))
    tables = []
    for graph, name in H200_MAINTAINED.items():
        lines = []
        for answer, title in ANSWERS.items():
            key = {"graph": graph, "answer": answer, "by": "minigr"}
            speedups = [found(name, "speedup", **key, batches=kind, change=change) for kind, change in kinds]
            if any(speedups):
                lines.append([title, *map(short, speedups)])
        tables.append(table([graph, "edges deleted", "edges inserted", "pairs inserted", "pairs deleted"], lines))
        tables.append(source(name, f"minigr bench maintained {graph}.npz --device cuda"))
    return "\n\n".join(tables)


def batches() -> str:
    """Many small graphs at once, compared with SwarmGraph."""
    sets = document(H200_BATCH)["graphs"]
    lines = []
    for call, title in CALLS.items():
        for by, name in (("minigr", H200_BATCH), ("SwarmGraph", PEERS)):
            lines.append([title, by, *(short(found(name, set=one["name"], call=call, by=by)) for one in sets)])
    return table(["", "", *(f"{one['name']} ({one['graphs']:,})" for one in sets)], lines)


MILLION = {
    "in one process": "one process, one GPU",
    "cluster, 1x1": "Dask: one GPU, one worker",
    "cluster, 1x2": "Dask: one GPU, two workers",
    "cluster, 2x1": "Dask: two GPUs, a worker each",
    "cluster, 2x2": "Dask: two GPUs, two workers each",
}


def million() -> str:
    """A million small graphs, from files to files of results."""
    graphs = document(H200_MILLION)["graphs"][0]["graphs"]
    lines = []
    for run, title in MILLION.items():
        seconds = found(H200_MILLION, run=run) / 1e3
        lines.append([title, short(seconds), f"{graphs / seconds:,.0f}"])
    return table(["", "seconds", "graphs a second"], lines)


def primitives() -> str:
    """Primitives compared with CuPy and with a copy."""
    lines = []
    for name in ("transform", "scan", "lbs", "segreduce", "compact"):
        for items in (1 << 20, 1 << 28):
            times = [found(H200_PRIMITIVES, primitive=name, items=items, by=by) for by in ("minigr", "cupy", "copy")]
            lines.append([name, f"2^{items.bit_length() - 1}", *map(short, times)])
    return table(["", "items", "minigr", "CuPy", "copy"], lines)


def cpu_ratios(name: str, apps: Sequence[str], peers: Sequence[str]) -> str:
    """The times of peers over minigr's on the CPU, a column for each graph."""
    graphs = [graph["name"] for graph in document(name)["graphs"]]
    lines = []
    for app in apps:
        for peer in peers:
            pairs = [[found(name, graph=graph, app=app, by=by) for by in (peer, "minigr")] for graph in graphs]
            if any(time is not None for time, _ in pairs):
                ratios = [short(None if time is None else time / own) for time, own in pairs]
                lines.append([APPS[app], peer, *ratios])
    return table(["", "beside", *(size_of(graph) for graph in document(name)["graphs"])], lines)


def networkx_graphs() -> list[str]:
    """The graphs that are large enough that NetworkX asks minigr about them."""
    names = [graph["name"] for graph in document(NETWORKX)["graphs"]]
    return [name for name in names if not name.startswith(("tiny", "between"))]


def networkx() -> str:
    """The times of NetworkX over those of minigr's backend, with the conversion and without it."""
    graphs = networkx_graphs()
    keys = [row["key"] for row in document(NETWORKX)["rows"]]
    functions = dict.fromkeys(key["function"] for key in keys if key.get("graph") in graphs)
    lines = []
    for function in functions:
        cells = []
        for graph in graphs:
            key = {"graph": graph, "function": function}
            theirs = found(NETWORKX, **key, by="networkx", conversion="none")
            ours = [found(NETWORKX, **key, by="minigr", conversion=kind) for kind in ("included", "cached")]
            cells.append(" / ".join(short(theirs / time) for time in ours) if theirs else "-")
        lines.append([f"`{function}`" if function.isidentifier() else "**the first six, as one program**", *cells])
    return table(["", *graphs], lines)


def networkx_generators() -> str:
    """The times in which NetworkX and minigr's backend generate the same graphs."""
    keys = [row["key"] for row in document(NETWORKX)["rows"]]
    lines = []
    for function in dict.fromkeys(key["function"] for key in keys if "function" in key and "graph" not in key):
        theirs, ours = (found(NETWORKX, function=function, by=by) for by in ("networkx", "minigr"))
        lines.append([f"`{function}`", short(theirs), short(ours)])
    return table(["", "NetworkX", "minigr"], lines)


def conversions() -> str:
    """Times of conversions to a graph of minigr."""
    rows = [row for row in document(NETWORKX)["rows"] if CONVERSION in row["key"]]
    return table(["", "ms"], [[row["key"][CONVERSION], short(row["median"])] for row in rows])


def slower() -> str:
    """All measurements in which something else is faster than minigr."""
    return "\n".join([*slower_apps(), *slower_updates(), *slower_primitives(), *slower_backend()])


def slower_apps() -> list[str]:
    """Apps on both devices, compared with other libraries."""
    lines = [
        f"- {APPS[app]} on {graph}, H200: {peer} {short(theirs)} ms, minigr {short(time)} ms."
        for app, graph, time, _, peers in app_rows()
        for peer, theirs in peers.items()
        if theirs is not None and theirs < time
    ]
    for name in (CPU_SCIPY, CPU_PEERS, CPU_NO_REST, CPU_MORE):
        for row in document(name)["rows"]:
            key, theirs = row["key"], row["median"]
            own = found(name, graph=key["graph"], app=key["app"], by="minigr")
            if key["by"] != "minigr" and key["app"] in APPS and theirs < own:
                what = f"{APPS[key['app']]} on {key['graph']}, CPU"
                lines.append(f"- {what}: {key['by']} {short(theirs)} ms, minigr {short(own)} ms.")
    return lines


def slower_updates() -> list[str]:
    """Batches of a dynamic graph, and answers that follow the graph."""
    lines = []
    for row in uniform_batches():
        key, theirs = row["key"], row["median"]
        ours = {**key, "part": "updates", "by": "minigr"}
        own = found(H200_DYNAMIC, "medges_per_s", **ours)
        if theirs > own:
            what = f"{key['measure']} of 2^{key['batch'].bit_length() - 1} edges"
            lines.append(f"- {what}, H200: {key['by']} {short(theirs)} million a second, minigr {short(own)}.")
    for row in (row for name in H200_MAINTAINED.values() for row in document(name)["rows"]):
        key, speedup = row["key"], row.get("speedup", 1)
        if speedup < 1:
            what = f"{key['batches']} {'deleted' if key['change'] == 'delete' else 'inserted'}"
            followed = f"following {key['graph']}, {ANSWERS[key['answer']]}"
            lines.append(f"- {followed}, {what}: {short(speedup)} times as fast as a recomputation.")
    return lines


def slower_primitives() -> list[str]:
    """Primitives, compared with CuPy."""
    lines = []
    for row in document(H200_PRIMITIVES)["rows"]:
        key, theirs = row["key"], row["median"]
        if key["by"] == "cupy" and key["items"] in (1 << 20, 1 << 28):
            own = found(H200_PRIMITIVES, primitive=key["primitive"], items=key["items"], by="minigr")
            if theirs < own:
                size = f"2^{key['items'].bit_length() - 1}"
                lines.append(
                    f"- `{key['primitive']}` of {size} items, H200: CuPy {short(theirs)} ms, minigr {short(own)} ms."
                )
    return lines


def slower_backend() -> list[str]:
    """Calls of NetworkX that minigr answers, including the conversion."""
    lines = []
    for row in document(NETWORKX)["rows"]:
        key, own = row["key"], row["median"]
        if key.get("conversion") == "included" and key.get("graph") in networkx_graphs():
            theirs = found(NETWORKX, graph=key["graph"], function=key["function"], by="networkx", conversion="none")
            if theirs < own:
                lines.append(
                    f"- `{key['function']}` on {key['graph']}, conversion included: NetworkX {short(theirs)} ms, "
                    f"minigr {short(own)} ms."
                )
    return lines


def page() -> str:
    """The whole page."""
    least, greatest = functor_ratios()
    peers = document(PEERS)
    versions = "\n".join(f"- {name}: {version}" for name, version in peers["versions"].items())
    graphs = "; ".join(size_of(graph) for graph in document(H200_APPS)["graphs"])
    return f"""# Performance

`benchmarks/performance_page.py` takes every number on this page from a file in `benchmarks/results`. A test fails if
the page and the files differ. Each file has all samples and names the machine. [Benchmarks](bench.md) explains how to
measure on your own machine. The README of `benchmarks/results` has more tables.

Times are in milliseconds and are medians. The clock of the host measures the public Python call and a synchronize of
the device. The graph is resident, and programs are compiled before. The first call of a program compiles the program.

## On a GPU, beside other libraries

Graphs, vertices / arcs: {graphs}. kron are R-MAT, with hubs; rgg are random geometric, with long paths; road24m is a
lattice with edges left out, with very long paths; urand22 is uniform.

{gpu_apps()}

{source(H200_APPS, "minigr bench apps GRAPH.npz... --device cuda --source 0 --floor")}

{source(H200_MORE, "minigr bench apps GRAPH.npz... --device cuda --source 0 --floor --apps components,triangles,...")}

The *floor* is the least time of the card for the bytes, gathers and atomics of the run, if all of them overlap: see
[floors](bench.md#floors). The floor does not count that a step waits for the step before. So searches with thousands of
short steps are far above the floor. The floor takes all gathers as random. So PageRank is below the floor on graphs
whose neighbors are close together. An iteration of PageRank is a call of twenty iterations in double precision, divided
by twenty.

Other scripts timed the other libraries, on the same model of card with the same graphs:
[`{PEERS}`](../benchmarks/results/{PEERS}). {peers["what"]} For a range, the table shows the least.

{versions}

## Programs of your own

Two programs that are not in the package, beside the enactors of the built-in apps of the same pattern:

{own_programs()}

{source(H200_OWN, "python benchmarks/own_program.py kron21.npz rgg22.npz --device cuda --source 0")}

The same kernels on the GPU, with a functor in Python and with a functor in C++: the ratio of their times is between
{least} and {greatest} ([`{H200_FUNCTOR}`](../benchmarks/results/{H200_FUNCTOR})).

## Graphs that change

Random batches with repeats are inserted, deleted and queried in a graph of 1,048,576 vertices, for which 16.8 million
directed edges were drawn uniformly. The table has millions of edges a second. Arrays are on the device, and minigr is
measured by its public calls:

{updates()}

{source(H200_DYNAMIC, "minigr bench dynamic --device cuda --repeat 9")}

Answers follow batches of 10,000 edges. The tables have the speedup over recomputing an answer after each batch. A
speedup of about 1 mostly means that the answer found that following is not worth it, and recomputed.

{maintained()}

## Many small graphs

The whole set, resident, in milliseconds:

{batches()}

{source(H200_BATCH, "minigr bench batch SET... --device cuda --peers none --repeat 9")}

Closeness of a million random graphs of 32 to 1024 vertices, from a thousand files to a thousand files. The input files
are in the page cache, because they were just written. The results are written to the page cache, too:

{million()}

{source(H200_MILLION, "python benchmarks/million.py FOLDER --clusters 1x1,2x1,2x2,1x2 --readers 3")}

## Primitives

{primitives()}

{source(H200_PRIMITIVES, "minigr bench primitives --device cuda")}

At 2^20 items a call of minigr is mostly Python.

## On a CPU, beside other libraries

The other library's time over minigr's, two threads for each: more than 1 means that minigr took less. SciPy and
igraph use one thread for these.

{cpu_ratios(CPU_SCIPY, ("bfs", "sssp", "pagerank-step"), ("scipy",))}

{source(CPU_SCIPY, "minigr bench apps GRAPH.npz... --device cpu --peers scipy --repeat 15")}

{cpu_ratios(CPU_PEERS, ("bfs", "sssp", "pagerank-step"), ("igraph", "networkit"))}

{source(CPU_PEERS, "minigr bench apps GRAPH.npz... --device cpu --peers scipy,igraph,networkit")}

{cpu_ratios(CPU_MORE, ("core-number", "components", "triangles"), ("igraph", "networkit"))}

{source(CPU_MORE, "minigr bench apps GRAPH.npz... --no-weights --apps core-number,components,triangles")}

In the next table, calls follow each other without a rest, and other programs use the second core of the machine. A
search with thousands of small steps is slower then:

{cpu_ratios(CPU_NO_REST, ("bfs", "sssp"), ("scipy", "igraph"))}

{source(CPU_NO_REST, "minigr bench apps GRAPH.npz... --device cpu --peers scipy,igraph --repeat 15")}

All tables except the first were measured on a machine that other programs used: trust their ratios to one digit.

## As NetworkX's backend, on a CPU

The cells are NetworkX's time over minigr's, with the conversion of the graph in the call / with the conversion kept
from an earlier call. A program converts its graph once:

{networkx()}

NetworkX and minigr generate the same graph, edge for edge. The graphs have a million edges or half a million nodes. In
ms:

{networkx_generators()}

Conversion of a million edges to a graph of minigr, in ms:

{conversions()}

{source(NETWORKX, "python benchmarks/networkx_backend.py --device cpu --repeat 5 --limit 3")}

## Where minigr is slower

All rows of the tables above and of their files in which another library took less time, or in which following took
longer than recomputing:

{slower()}
"""


if __name__ == "__main__":
    PAGE.write_text(page())
