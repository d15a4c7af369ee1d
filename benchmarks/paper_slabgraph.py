"""The page about SlabGraph."""

from __future__ import annotations

from collections.abc import Sequence

from page_parts import PEERS, document, found, link, short, source, table
from paper_page import CLAIMS, UP, Claim, Feature, Page, between, card, said

NAME = "slabgraph"
DYNAMIC = "2026-11-22-h200-dynamic.json"
COMMAND = "minigr bench dynamic --device cuda --repeat 9"
GRAPHS = {"uniform-20-16": "uniform", "rmat-20-16": "R-MAT"}
BATCHES = (1 << 16, 1 << 20, 1 << 22)
MAP, SET = "SlabGraph, map", "SlabGraph, set"
BEFORE = ("faimGraph, with host copies", "ouroGraph, with host copies")
"""The systems that were compared with both SlabGraph and minigr on the same GPU."""
OWN_BATCHES = {"insert": (1 << 16, 1 << 19, 1 << 22), "delete": (1 << 16,)}
"""The batches of the paper's tables whose rates could be read."""
OWN_TABLES = {"insert": "Table II: mean edge insertion", "delete": "Table III: mean edge deletion"}

FEATURES = (
    Feature(
        "A hash table for each vertex, of chains of slabs of 128 bytes",
        "`DynamicGraph`",
        "A slab here has as many keys in a map as in a set, and knows the vertex that it belongs to.",
    ),
    Feature(
        "The number of buckets is chosen when the graph is made, from degrees that the user gives",
        "the same, with `expected_degrees=` and `capacity=`; neither is needed",
        "Here a vertex gets more buckets when its chains become long, so a graph may be built from nothing.",
    ),
    Feature("A load factor; hashing off", "`load_factor=`, `rehash(load_factor)`; `load_factor=math.inf`"),
    Feature(
        "Sets of edges, and maps from edges to values",
        "graphs without weights, and with weights of four dtypes",
        "Weights lie in a pool of their own, and are written after the keys.",
    ),
    Feature("Batched edge insertion, where an edge that is there gets the new value", "`insert_edges`"),
    Feature("Batched edge deletion", "`delete_edges`, which may return which edges it deleted"),
    Feature("Edge queries", "`has_edges`; `graph.has_edge(u, v)` in functors"),
    Feature(
        "Vertex insertion and deletion",
        "`insert_vertices`, with edges if wanted; `delete_vertices`",
        "The ids of deleted vertices are given again.",
    ),
    Feature("Bulk build, and incremental build", "`DynamicGraph.from_edges`, `insert_edges` into an empty graph"),
    Feature("Undirected graphs by both arcs", "`directed=False`; directed graphs may keep in-edges, `in_edges=True`"),
    Feature(
        "Iterators over the edges of a vertex",
        "every operator, and `for v in graph.neighbors(u)` in functors",
        "The same program runs over a `Graph` and a `DynamicGraph`, on a CPU and a GPU.",
    ),
    Feature(
        "Triangle counting by edge queries",
        "`intersect` over a `DynamicGraph`, or a functor with `graph.has_edge`; `mg.triangle_count`",
        "`mg.triangle_count` sorts the rows of a `DynamicGraph` first, and keeps them until the graph changes.",
    ),
)


AGAINST = {
    "insert": (
        "inserted",
        "Groups of eight lanes look into slabs here, eight slabs on their way at once, so the latency of a slab is "
        "paid once for eight edges. In the smallest batch a call of minigr is mostly Python and a launch.",
    ),
    "delete": ("deleted", "As for insertion."),
    "query": ("found", "As for insertion."),
}
"""For each measure the verb, and why the rates of minigr differ from those of the authors' code."""


def rates(measure: str, by: str) -> list[float]:
    """The known rates over sizes of batches of the uniform graph."""
    return [found for batch in BATCHES if (found := rate(measure, batch, by)) is not None]


def rate(measure: str, batch: int, by: str, graph: str = "uniform-20-16") -> float | None:
    """Million edges per second of a batch."""
    key = {"graph": graph, "measure": measure, "batch": batch, "by": by}
    return found(DYNAMIC, "medges_per_s", part="updates", **key) if by == "minigr" else found(PEERS, **key)


def ratios(measure: str, by: str, over: Sequence[str]) -> list[float]:
    """How many times as fast `by` is as each other system, over sizes of batches of the uniform graph."""
    return [
        own / theirs
        for batch in BATCHES
        for other in over
        if (own := rate(measure, batch, by)) and (theirs := rate(measure, batch, other))
    ]


def powers(batches: Sequence[int]) -> str:
    """Sizes of batches in words."""
    return " / ".join(f"2^{batch.bit_length() - 1}" for batch in batches)


def listed(values: Sequence[float | None]) -> str:
    """Rates of several batches in one string."""
    return " / ".join(map(short, values))


def table_claim(measure: str, title: str) -> Claim:
    """A claim from a table of the paper, compared with minigr's rates on an H200."""
    batches = OWN_BATCHES[measure]
    there = [batch for batch in batches if rate(measure, batch, "minigr")]
    systems = {by: [own_rate(measure, batch, by) for batch in batches] for by in ("SlabGraph", "faimGraph", "Hornet")}
    theirs = ", ".join(f"{by} {listed(values)}" for by, values in systems.items())
    minigr, code = (listed([rate(measure, batch, by) for batch in there]) for by in ("minigr", SET))
    return Claim(
        f"{title} on a {card(NAME)}, batches of {powers(batches)}: {theirs} million edges a second",
        f"on an H200, batches of {powers(there)}: minigr {minigr}, SlabGraph's own code {code} million edges a second "
        f"({link(DYNAMIC, UP)}, {link(PEERS, UP)})",
        "Another card. The paper's rates are means over its data sets, those here are of a uniform graph.",
    )


def own_rate(measure: str, batch: int, by: str) -> float | None:
    """Million edges per second according to the paper."""
    return found(CLAIMS, paper=NAME, measure=measure, batch=batch, by=by)


def bounds(over: str) -> str:
    """The paper's range of how many times as fast as `over` SlabGraph inserts."""
    return " to ".join(said(NAME, measure="insert", over=over, bound=bound) for bound in ("least", "most"))


def claims() -> list[Claim]:
    """The claims of the abstract, and those of the tables as far as they could be read."""
    most = said(NAME, measure="delete", over="the state of the art", bound="most")
    theirs = {
        "insert": f"Insertion {bounds('the state of the art')} times as fast as the state of the art: "
        f"{bounds('Hornet')} times as fast as Hornet, {bounds('faimGraph')} times as fast as faimGraph",
        "delete": f"Deletion up to {most} times as fast",
    }
    why = (
        "The paper compares with systems of 2020 on data sets. Here the graph is a uniform one, and the rates of "
        "faimGraph and ouroGraph count copies from and to the host. Hornet's updates crash on this card."
    )
    beside_others = [
        Claim(
            text,
            f"minigr {between(ratios(measure, 'minigr', BEFORE))} times, SlabGraph's own code "
            f"{between(ratios(measure, SET, BEFORE))} times as fast as faimGraph and ouroGraph on an H200 "
            f"({link(DYNAMIC, UP)}, {link(PEERS, UP)})",
            why,
        )
        for measure, text in theirs.items()
    ]
    beside_theirs = [
        Claim(
            f"The authors' code on an H200, sets: {between(rates(measure, SET))} million edges a second, {verb}",
            f"{between(rates(measure, 'minigr'))} million, {between(ratios(measure, 'minigr', [SET]))} times theirs "
            f"({link(DYNAMIC, UP)}, {link(PEERS, UP)})",
            why_not_theirs,
        )
        for measure, (verb, why_not_theirs) in AGAINST.items()
    ]
    tables = [table_claim(measure, title) for measure, title in OWN_TABLES.items()]
    return [*beside_others, *beside_theirs, *tables]


def updates() -> str:
    """Rates of batches compared with those of the authors' code."""
    lines = []
    for graph, title in GRAPHS.items():
        for measure in ("insert", "delete", "query"):
            for batch in BATCHES:
                rates = [rate(measure, batch, by, graph) for by in ("minigr", MAP, SET)]
                lines.append([title, measure, f"2^{batch.bit_length() - 1}", *map(short, rates)])
    return table(["graph", "", "batch", "minigr, set", MAP, SET], lines)


def builds() -> list[tuple[str, str, float, float]]:
    """Builds in one call, and in batches from an empty graph: graph, kind of build, minigr's rate, SlabGraph's rate."""
    found_rates = []
    for graph, title in GRAPHS.items():
        own = {"graph": graph, "part": "builds", "by": "minigr"}
        for weights, by in (("int32", MAP), ("none", SET)):
            ours = found(DYNAMIC, "medges_per_s", measure="bulk", weights=weights, **own)
            theirs = found(PEERS, graph=graph, measure="bulk", by=by)
            found_rates.append((title, f"bulk, {by.split()[-1]}", ours, theirs))
        ours = found(DYNAMIC, "medges_per_s", measure="incremental", batch=1 << 20, **own)
        theirs = found(PEERS, graph=graph, measure="incremental", by=SET)
        found_rates.append((title, "from nothing, set", ours, theirs))
    return found_rates


def slower() -> list[str]:
    """Measurements in which the authors' code is faster; sets are compared with sets, and maps with maps."""
    lines = []
    for graph, title in GRAPHS.items():
        for measure in AGAINST:
            for batch in BATCHES:
                own, theirs = (rate(measure, batch, by, graph) for by in ("minigr", SET))
                if theirs is not None and theirs > own:
                    what = f"{title}, {measure} of 2^{batch.bit_length() - 1} edges, set"
                    lines.append(f"{what}: SlabGraph {short(theirs)} million edges a second, minigr {short(own)}.")
    lines += [
        f"{title}, {what}: SlabGraph {short(theirs)} million edges a second, minigr {short(own)}."
        for title, what, own, theirs in builds()
        if theirs > own
    ]
    return lines


def vertices() -> str:
    """Rates of vertices inserted, and deleted with their edges."""
    rows = [row for row in document(DYNAMIC)["rows"] if row["key"]["part"] == "vertices"]
    return table(
        ["graph", "", "vertices", "their edges", "million vertices a second"],
        [
            [
                GRAPHS[row["key"]["graph"]],
                row["key"]["measure"],
                f"{row['vertices']:,}",
                f"{row['edges']:,}",
                short(row["mvertices_per_s"]),
            ]
            for row in rows
        ],
    )


def load() -> str:
    """Rates, memory and chains for each load factor."""
    graphs = {"uniform-16-256": "uniform", "rmat-16-256": "R-MAT"}
    lines = []
    for graph, title in graphs.items():
        rows = [row for row in document(DYNAMIC)["rows"] if row["key"]["graph"] == graph]
        for factor in dict.fromkeys(row["key"]["load_factor"] for row in rows):
            own = {row["key"]["measure"]: row for row in rows if row["key"]["load_factor"] == factor}
            memory = own["memory"]
            rates = [short(own[measure]["medges_per_s"]) for measure in ("insert", "delete", "query")]
            fill = [f"{memory['utilization']:.0%}", short(memory["mean_chain"]), short(memory["bytes_per_edge"])]
            lines.append([title, f"{factor:g}", *fill, *rates])
    return table(["graph", "load factor", "lanes used", "chain", "bytes an edge", "insert", "delete", "query"], lines)


def came_out() -> str:
    """The tables of the existing files."""
    measured = source(DYNAMIC, COMMAND, UP)
    built = table(["graph", "", "minigr", "SlabGraph"], [[*row[:2], *map(short, row[2:])] for row in builds()])
    return f"""Batches of random edges with repeats, on a graph of 1,048,576 vertices for which 16.8 million directed
edges were drawn; million edges a second. SlabGraph is the authors' code on the same model of card
({link(PEERS, UP)}).

{updates()}

{measured}

Builds, million edges a second. `from nothing` is a graph without a hint of degrees that is given batches of 2^20
edges. SlabGraph's chains then never get more buckets, which is slow where degrees differ much:

{built}

{measured}

Vertices. The authors' code was not measured on this card:

{vertices()}

{measured}

Load factors, on a sixteenth of the vertices with as many edges; million edges a second. `lanes used` are lanes that
hold an edge over all lanes in use, `chain` is slabs over buckets. This file is older than
the load factors above 1, which let chains become long, and than hashing off.

{load()}

{measured}"""


def page() -> Page:
    """The page about SlabGraph."""
    return Page(
        NAME,
        "SlabGraph",
        """Awad, Ashkiani, Porumbescu and Owens, Dynamic Graphs on the GPU (IPDPS 2020), keep a hash table for each
vertex. `DynamicGraph` is made in that way, see [graphs that change](../dynamic_graphs.md).""",
        FEATURES,
        claims(),
        came_out(),
        slower(),
        {
            "table-2": [DYNAMIC],
            "table-4": [DYNAMIC],
            "tables-5-6": [DYNAMIC],
            "figures-2-3": [DYNAMIC],
        },
    )
