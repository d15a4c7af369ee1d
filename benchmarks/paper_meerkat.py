"""The page about Meerkat."""

from __future__ import annotations

from collections.abc import Mapping

from page_parts import PEERS, document, found, link, short, source, table
from paper_page import NOT_MEASURED, UP, Claim, Feature, Page, between, exhibited, said
from paper_slabgraph import BATCHES, DYNAMIC, rate, ratios

NAME = "meerkat"
MAINTAINED = {g: f"2026-11-22-h200-maintained-{g}.json" for g in ("kron21", "urand22", "road24m")}
COMMAND = "minigr bench maintained {}.npz --device cuda"
SMALL = "rmat18, symmetric (262k / 7.6M)"
OWN_SMALL = "kron18"
"""The same graph in the files of ``minigr bench paper``."""
MEASURES = {"query": "Queries", "insert": "Insertion", "delete": "Deletion"}
APPS = {"bfs": "BFS", "sssp": "SSSP", "pagerank": "PageRank", "components": "connected components"}
ANSWERS = {
    "bfs": "BFS",
    "sssp": "SSSP",
    "pagerank": "PageRank",
    "pagerank-1e-10": "PageRank to 1e-10",
    "triangles": "triangles",
    "components": "connected components",
}
WAYS = ("slabs, has_edge", "slabs, intersect", "slabs, sorted first", "sorted rows")
"""The methods of counting triangles that the page shows."""
CHANGES = (("edges", "insert"), ("edges", "delete"), ("pairs", "insert"), ("pairs", "delete"))

HALVES = "A triangle counts a half or a third where two or three of its edges are new, so no second graph is needed."

FEATURES = (
    Feature("SlabGraph's hash tables", "`DynamicGraph`", "See [the page about SlabGraph](slabgraph.md)."),
    Feature(
        "Iterators over all slabs of a vertex, and over one bucket",
        "every operator; `graph.neighbors(v)`, `graph.edges(v)`, `graph.weighted_edges(v)` in functors",
        "Chains, buckets and lanes are not seen: a functor gets neighbors.",
    ),
    Feature("A search for an edge in a kernel", "`graph.has_edge(u, v)` in functors"),
    Feature(
        "An iterator over what was inserted since the last update",
        '`graph.mark()`, `graph.added_since_mark()`, `since="mark"` of the operators',
        "What was inserted and deleted again is not among it.",
    ),
    Feature("Frontiers that kernels fill", "`Frontier`, and what operators return", "Duplicates may be left out."),
    Feature(
        "Work of a warp shared among its lanes",
        '`balance=`: "thread", "tile", "warp", "block", "merge" or "auto"',
        "Hubs are shared by more than one warp.",
    ),
    Feature("Static BFS, SSSP, PageRank, triangles, components", "`mg.bfs`, `mg.sssp`, ... over a `DynamicGraph`"),
    Feature(
        "Incremental and decremental BFS and SSSP, with a tree",
        "`mg.dynamic.BFS`, `mg.dynamic.SSSP`",
        "Insertions and deletions in any order. BFS moves vertices to greater depths, level by level, before it cuts "
        "any off.",
    ),
    Feature(
        'The same without a tree, called "vanilla"',
        "`minigr bench maintained GRAPH --answers bfs,bfs-vanilla,sssp,sssp-vanilla`",
        "Only a bench, because a tree is what deletions are repaired by. In BFS a depth and a parent are one word, so "
        "that the tree costs no second write.",
    ),
    Feature(
        "Incremental and decremental PageRank",
        "`mg.dynamic.PageRank`",
        "A bound on what batches have moved decides when iterations are due.",
    ),
    Feature(
        "Triangles of batches, by inclusion and exclusion",
        "`mg.dynamic.TriangleCount`",
        "A triangle counts a half or a third where two or three of its edges are new, so no second graph is needed.",
    ),
    Feature(
        "Incremental components, by union-find",
        "`mg.dynamic.ConnectedComponents`; `mg.find` and `mg.join` in functors",
        "Deletions, too, which the paper has not. The paper's schemes are in `minigr.bench.component_schemes`.",
    ),
    Feature(
        "Batches that are followed or not, as the user chooses",
        '`recompute="auto"`',
        "An answer finds out by counted work that computing it again is less.",
    ),
)


def update_claims() -> list[Claim]:
    """The claims about the graph."""
    claims = []
    for measure, title in MEASURES.items():
        times = said(NAME, measure=measure, over="Hornet", bound="mean")
        own = [rate(measure, batch, "minigr") for batch in BATCHES]
        theirs = [rate(measure, batch, "Meerkat") for batch in BATCHES]
        claims.append(
            Claim(
                f"{title} {times} times as fast as Hornet. The authors' code on an H200: {between(theirs)} million "
                "edges a second",
                f"{between(own)} million, {between(ratios(measure, 'minigr', ['Meerkat']))} times theirs "
                f"({link(DYNAMIC, UP)}, {link(PEERS, UP)})",
                "Hornet's updates crash on this card, so nothing is said about it.",
            )
        )
    return claims


def app_claims() -> list[Claim]:
    """The claims about static algorithms."""
    claims = []
    for app, title in APPS.items():
        times = said(NAME, app=app, over="Hornet", bound="mean")
        row = "pagerank-step" if app == "pagerank" else app
        meerkat, hornet = (found(PEERS, graph=SMALL, app=row, by=by) for by in ("Meerkat", "Hornet"))
        slabs = {"over slabs": {"app": row, "by": "minigr, dynamic"}}
        what = f"{title}, one iteration" if app == "pagerank" else title
        if meerkat is None:
            here = f"{what}: Hornet {short(hornet)} ms; Meerkat's own was not measured"
        else:
            speed = f"Meerkat is {short(hornet / meerkat)} times as fast"
            here = f"{what}: Meerkat {short(meerkat)} ms, Hornet {short(hornet)} ms, so {speed}"
        claims.append(
            Claim(
                f"{title[0].upper()}{title[1:]} {times} times as fast as Hornet's",
                f"the authors' codes on an H200, {SMALL}: {here} ({link(PEERS, UP)}); minigr on it: "
                f"{own_on_small('abstract', {'over CSR': {'app': row, 'by': 'minigr'}, **slabs})}",
                "Another card and other graphs: the paper's number is a mean over data sets.",
            )
        )
    return claims


def own_on_small(exhibit: str, rows: Mapping[str, Mapping[str, str]]) -> str:
    """minigr's times on the graph that the authors' code was measured on, by their titles."""
    times = {title: exhibited(NAME, exhibit, graph=OWN_SMALL, **key) for title, key in rows.items()}
    known = {title: time for title, time in times.items() if time}
    if not known:
        return f"{NOT_MEASURED}, `minigr bench paper {NAME} {exhibit} --graph {OWN_SMALL}.npz --device cuda`"
    files = {link(file, UP) for _, file in known.values()}
    return f"{', '.join(f'{title} {short(time)} ms' for title, (time, _) in known.items())} ({', '.join(files)})"


def triangles_claim() -> Claim:
    """The claim about the static count of triangles, which was measured on another graph."""
    theirs = found(PEERS, graph=SMALL, app="triangles", by="Meerkat")
    mean, most = (said(NAME, app="triangles", by="Hornet", over="Meerkat", bound=bound) for bound in ("mean", "most"))
    return Claim(
        f"Hornet counts triangles {mean} times as fast as Meerkat, up to {most} times. The authors' code on an H200, "
        f"{SMALL}: triangles in {short(theirs)} ms, by searches in slabs",
        own_on_small("figure-11a", {way: {"part": "triangles", "measure": way, "by": "minigr"} for way in WAYS}),
        "`mg.triangle_count` sorts rows first; that exhibit has both ways.",
    )


def followed() -> str:
    """How many times as fast following is as computing again, on each graph."""
    tables = []
    for graph, name in MAINTAINED.items():
        lines = []
        for answer, title in ANSWERS.items():
            key = {"graph": graph, "answer": answer}
            cells = []
            for kind, change in CHANGES:
                own = {**key, "batches": kind, "change": change}
                times = [found(name, **own, by=by) for by in ("minigr, anew", "minigr")]
                cells.append(f"{' / '.join(map(short, times))}, {short(found(name, 'speedup', **own, by='minigr'))}")
            lines.append([title, *cells])
        size = document(name)["settings"]["batch"]
        header = [f"{graph}, batches of {size:,}", *(f"{kind}, {change}" for kind, change in CHANGES)]
        tables += [table(header, lines), source(name, COMMAND.format(graph), UP)]
    return "\n\n".join(tables)


def came_out() -> str:
    """The tables of the existing files."""
    return f"""The measure is the paper's: the time of the static algorithm after each of ten batches over the time of
following the batches, without the graph's own update. Medians of a batch in milliseconds, computed again / followed,
and the ratio of all ten together. `edges` are edges of the graph, deleted and inserted again; `pairs` are random pairs
of vertices, inserted and deleted again.

{followed()}

These ratios are over minigr's own static algorithms, so they are not the paper's speedups: the quicker the static
algorithm is, the less following gains. Starting loops from Python is most of what following BFS and components takes
on the first two graphs. On roads a batch moves most vertices, so the answers are computed again. These files are older
than the count of steps of loops."""


def slower() -> list[str]:
    """Updates in which the authors' code is faster, and batches that took longer to follow than to compute again."""
    lines = []
    for measure in MEASURES:
        for batch in BATCHES:
            own, theirs = (rate(measure, batch, by) for by in ("minigr", "Meerkat"))
            if theirs > own:
                what = f"uniform, {measure} of 2^{batch.bit_length() - 1} edges"
                lines.append(f"{what}: Meerkat {short(theirs)} million edges a second, minigr {short(own)}.")
    for graph, name in MAINTAINED.items():
        for row in document(name)["rows"]:
            key = row["key"]
            if row.get("speedup", 1) < 1 and key["answer"] in ANSWERS:
                what = f"{graph}, {ANSWERS[key['answer']]}, {key['batches']}, {key['change']}"
                lines.append(f"{what}: followed {short(row['speedup'])} times as fast as computed again.")
    return lines


def page() -> Page:
    """The page about Meerkat."""
    kron, *others = MAINTAINED.values()
    files = [kron, *others]
    return Page(
        NAME,
        "Meerkat",
        """Concessao, Cheramangalath, Dev and Nasre, Meerkat: A Framework for Dynamic Graph Algorithms on GPUs (arXiv
2305.17813, 2023; International Journal of Parallel Programming 52, 2024), keep the answers of algorithms up to date on
SlabGraph's hash tables. `mg.dynamic` does so, see [answers that follow](../dynamic_graphs.md#answers-that-follow).""",
        FEATURES,
        [*update_claims(), *app_claims(), triangles_claim()],
        came_out(),
        slower(),
        {"figures-3-5": [DYNAMIC], "figures-6-10": files, "figure-11b": files, "figure-12b": files},
    )
