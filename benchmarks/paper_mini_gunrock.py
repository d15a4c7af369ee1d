"""The page about Mini-Gunrock."""

from __future__ import annotations

from collections.abc import Sequence

from page_parts import PEERS, document, found, link, short, source, table
from paper_page import UP, Claim, Feature, Page, between, paragraph, said

NAME = "mini-gunrock"
APPS = "2026-11-22-h200-apps.json"
MORE = "2026-11-21-h200-apps-more.json"
OPERATORS = "2026-11-21-h200-operators-kron21.json"
FILES = {"bfs": APPS, "sssp": APPS, "pagerank-step": APPS, "coloring": MORE}
"""For each algorithm of the authors' code that was measured, the file with minigr's times."""
ALGORITHMS = {
    "bfs": "BFS",
    "sssp": "SSSP",
    "pagerank-step": "PageRank, one iteration",
    "coloring": "coloring",
}
THEIRS, BEFORE = "Mini-Gunrock", "Gunrock"

FEATURES = (
    Feature(
        "Graphs as CSR, CSC and a list of edges",
        "`Graph`, `Graph.in_edges`; `DynamicGraph`",
        "In-edges are made when they are first needed. The same programs run over a `DynamicGraph`.",
    ),
    Feature(
        "A frontier: an array of vertices or edges",
        "`Frontier`: a list, a bitmap or all there are, of vertices or edges; lists of pairs of vertices",
        "All vertices or edges take no list and no scan.",
    ),
    Feature(
        "Problem, functor, enactor: data, functions for edges and vertices, a loop",
        "`Problem`, `Functor`, `Enactor`",
        "Functors are Python, and the loop runs on the device. Theirs are C++, and the host runs the loop.",
    ),
    Feature(
        "Advance by a scan over degrees and a search that balances load",
        '`advance` with `balance="merge"`',
        "The other balances take no scan. Options choose what goes out: vertices, edges or nothing.",
    ),
    Feature(
        "Dynamic grouping: rows for threads, warps and blocks by their lengths",
        '`balance="thread"`, `"tile"`, `"warp"`, `"block"`',
        "In each of them the longest rows are shared by all.",
    ),
    Feature("Push and pull", '`direction="push"`, `"pull"`, `"auto"`', "Beamer's rule decides, on the device."),
    Feature(
        "Filter by compaction, with a filter that drops some repeats",
        '`filter`, with `duplicates="keep"`, `"cull"` or `"remove"`',
        '`"remove"` is exact.',
    ),
    Feature(
        "Idempotence: a vertex may be found several times in a step",
        '`advance(duplicates="keep")`, and `"cull"` after it',
        "`mg.bfs` claims vertices by an atomic. An idempotent BFS is a program of a few lines, see "
        "[without atomics](../operators.md#without-atomics).",
    ),
    Feature(
        "Neighborhood reduction by a segmented reduction, from a frontier",
        "`neighbor_reduce`, along out- or in-edges; `reduce_by_key`",
        "Values may be tuples, and results may choose a new frontier.",
    ),
    Feature(
        "Primitives that call a function for each item: transform, scan, lbs, segreduce, compact",
        "`minigr.primitives`, see [primitives](../primitives.md)",
        "Theirs are moderngpu's.",
    ),
    Feature("To be added: an operator that only computes", "`compute`"),
    Feature("To be added: a batch of intersections", "`intersect`, of edges or pairs"),
    Feature(
        "BFS, SSSP, PageRank, coloring, core numbers",
        "`mg.bfs`, `mg.sssp`, `mg.pagerank`, `mg.coloring`, `mg.core_number`",
        "`mg.sssp` works on near vertices first, by `near_far`.",
    ),
    Feature("`lspar`", "not there"),
)


def own(app: str, graph: str) -> float:
    """minigr's milliseconds."""
    return found(FILES[app], graph=graph, app=app, by="minigr")


def graphs(app: str) -> list[str]:
    """The graphs on which the authors' code was measured."""
    keys = [row["key"] for row in document(PEERS)["rows"]]
    return [key["graph"] for key in keys if key.get("app") == app and key["by"] == THEIRS]


def milliseconds(times: Sequence[float]) -> str:
    """One time, or the least and the greatest time."""
    return f"{between(times) if len(times) > 1 else short(times[0])} ms"


def times(found_ratios: Sequence[float]) -> str:
    """One ratio, or the least and the greatest ratio."""
    return f"{between(found_ratios) if len(found_ratios) > 1 else short(found_ratios[0])} times"


def ratios(apps: Sequence[str], over: str) -> list[float]:
    """How many times as long the authors' code takes, for all measurements that `over` has, too."""
    found_ratios = []
    for app in apps:
        for graph in graphs(app):
            theirs = found(PEERS, graph=graph, app=app, by=THEIRS)
            other = own(app, graph) if over == "minigr" else found(PEERS, graph=graph, app=app, by=over)
            found_ratios += [theirs / other] if other else []
    return found_ratios


def slower() -> list[str]:
    """Measurements in which the authors' code is faster."""
    return [
        f"{ALGORITHMS[app]} on {graph}: {THEIRS} {short(theirs)} ms, minigr {short(ours)} ms."
        for app in ALGORITHMS
        for graph in graphs(app)
        if (ours := own(app, graph)) > (theirs := found(PEERS, graph=graph, app=app, by=THEIRS))
    ]


def claims() -> list[Claim]:
    """The claims of the abstract, and properties of the authors' code."""
    operators = said(NAME, measure="operators", over=BEFORE, bound="mean")
    code = said(NAME, measure="code", over=BEFORE, bound="mean")
    rates = [row["per_s"] / 1e9 for row in document(OPERATORS)["rows"] if row.get("counted") == "edges"]
    searches = ("bfs", "sssp", "pagerank-step")
    return [
        Claim(
            f"Operators {operators} times as fast as Gunrock's, on average over graphs with hubs",
            f"operators along edges of an R-MAT graph: {between(rates)} G edges a second on an H200 "
            f"({link(OPERATORS, UP)})",
            "Operators of the other systems were not measured alone on this card. The rates include the Python of the "
            "call, and an output that is allocated in each.",
        ),
        Claim(
            f"Code {code} times smaller than Gunrock's",
            "`python benchmarks/code_lines.py` counts minigr's lines",
            "minigr's operators have a kernel for a CPU as well, two layouts of graphs and more options.",
        ),
        Claim(
            "Overall performance comparable to Gunrock's",
            f"the authors' codes on an H200: BFS, SSSP and PageRank take {between(ratios(searches, BEFORE))} "
            f"times as long as Gunrock's ({link(PEERS, UP)})",
            "The code is that of 2020. Its steps wait for the host, so it loses most on graphs with long paths.",
        ),
        *(
            Claim(
                f"The authors' code on an H200: {ALGORITHMS[app]} in "
                f"{milliseconds([found(PEERS, graph=graph, app=app, by=THEIRS) for graph in graphs(app)])}",
                f"{milliseconds([own(app, graph) for graph in graphs(app)])}; theirs takes "
                f"{times(ratios([app], 'minigr'))} as long ({link(FILES[app], UP)})",
                why,
            )
            for app, why in {
                "bfs": "The loop runs on the card, so that a step costs microseconds. `mg.bfs` also finds parents.",
                "sssp": "The same. `mg.sssp` relaxes near vertices first, and also finds parents.",
                "pagerank-step": "minigr's iteration is in double precision.",
                "coloring": "Each finds other colors.",
            }.items()
        ),
    ]


def algorithms() -> str:
    """Milliseconds of whole algorithms, by each system."""
    lines = []
    for app, title in ALGORITHMS.items():
        for graph in graphs(app):
            taken = [own(app, graph), *(found(PEERS, graph=graph, app=app, by=by) for by in (THEIRS, BEFORE))]
            lines.append([title, graph, *map(short, taken)])
    return table(["", "graph", "minigr", THEIRS, BEFORE], lines)


def operators() -> str:
    """Operators by themselves over all vertices."""
    rows = [row for row in document(OPERATORS)["rows"] if "operator" in row["key"]]
    lines = [
        [row["key"]["operator"], short(row["median"]), f"{short(row['per_s'] / 1e9)} G {row['counted']}"]
        for row in rows
    ]
    return table(["operator", "ms", "a second"], lines)


def came_out() -> str:
    """The tables of the existing files."""
    apps = "minigr bench apps GRAPH.npz... --device cuda --source 0 --floor"
    more = "minigr bench apps GRAPH.npz... --device cuda --source 0 --floor --apps components,triangles,..."
    alone = "minigr bench operators kron21.npz --device cuda"
    parts = (
        paragraph(
            "Whole algorithms on an H200, in milliseconds. Mini-Gunrock is the authors' code, and Gunrock the best of "
            f"its options ({link(PEERS, UP)}). [The page on performance](../performance.md) says what the graphs are:"
        ),
        algorithms(),
        source(APPS, apps, UP),
        source(MORE, more, UP),
        "minigr's operators alone, over all vertices of kron21:",
        operators(),
        source(OPERATORS, alone, UP),
    )
    return "\n\n".join(parts)


def page() -> Page:
    """The whole page."""
    return Page(
        NAME,
        "Mini-Gunrock",
        """Wang, Baxter and Owens, Mini-Gunrock: A Lightweight Graph Analytics Framework on the GPU (GABB 2017), make
the operators of graph programs of a few data-parallel primitives that call the user's functions. minigr's
[operators](../operators.md) and [programs](../programs.md) have the same shape.""",
        FEATURES,
        claims(),
        came_out(),
        slower(),
        {"table-2": (APPS, MORE, PEERS), "figure-7": (OPERATORS,)},
    )
