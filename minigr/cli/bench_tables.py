"""The tables of ``minigr bench``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minigr.cli.bench_operator_tables import show_operators
from minigr.cli.bench_rows import MEBI, TIMES, Column, grouped, of, of_key, print_rows, short
from minigr.cli.console import print_table, readable, say

if TYPE_CHECKING:
    from minigr.bench.compare import Comparison
    from minigr.bench.document import Row


def show_primitives(rows: Sequence[Row]) -> None:
    """Show a table for each primitive with a line for each size: minigr, the array library, and the copy."""
    for name, found in grouped(rows, "primitive").items():
        by_size: dict[int, dict[str, Row]] = {}
        for each in found:
            by_size.setdefault(each["key"]["items"], {})[each["key"]["by"]] = each
        library, theirs = next((by, each) for by, each in by_size[found[0]["key"]["items"]].items() if each["call"])
        say(f"{name}, beside {library}'s {theirs['call']}")
        print_table(
            ["items", "ms", "G items/s", "GB/s", f"{library}, GB/s", "copy, GB/s", "of the copy"],
            [
                [
                    f"2^{items.bit_length() - 1}",
                    short(sizes["minigr"]["device_ms"] or sizes["minigr"]["median"]),
                    short(sizes["minigr"]["items_per_s"] / 1e9),
                    *(short(sizes[by]["gb_per_s"]) for by in ("minigr", library, "copy")),
                    f"{sizes['minigr']['gb_per_s'] / sizes['copy']['gb_per_s']:.0%}",
                ]
                for items, sizes in by_size.items()
            ],
        )


def show_apps(rows: Sequence[Row], repeat: int) -> None:
    """Show each app beside other libraries, then any modularity and floors, then the calls of the libraries."""
    terms = {term: of("floor", f"{term}_ms") for term in ("bytes", "gathers", "atomics", "barriers")}
    for graph, found in grouped(rows, "graph").items():
        say(f"{graph}: medians of {repeat}")
        print_rows(found, {"app": of_key("app"), "by": _counted("by", repeat), **TIMES, "over minigr": of("ratio")})
        communities = [each for each in found if "modularity" in each]
        if communities:
            say(f"{graph}: the modularity of what was found")
            print_rows(communities, {"app": of_key("app"), "by": of_key("by"), "modularity": of("modularity")})
        floors = [each for each in found if "floor" in each]
        if floors:
            say(f"{graph}: the floor and its terms, ms")
            print_rows(floors, {"app": of_key("app"), "floor": of("floor", "ms"), "over it": of("over_floor"), **terms})
    _say_calls(rows, "app")


def _counted(name: str, repeat: int) -> Column:
    """A column with a part of the key, and the number of samples if it differs from `repeat`."""

    def column(found: Row) -> str:
        count = len(found["samples"])
        return str(found["key"][name]) + ("" if count == repeat else f" (of {count})")

    return column


def _say_calls(rows: Sequence[Row], name: str) -> None:
    """Print the calls of other libraries for each value of this part of the keys."""
    there = [each for each in rows if "what" in each]
    for by, thing, what in dict.fromkeys((each["key"]["by"], each["key"][name], each["what"]) for each in there):
        say(f"{by}, {thing}: {what}")


def show_batch(rows: Sequence[Row], repeat: int) -> None:
    """Show calls over sets of graphs and over graphs of one size, beside loops; streams from files; then the calls."""
    for name, found in grouped(rows, "set").items():
        for title, part in (
            (name, [each for each in found if "files" not in each["key"]]),
            (f"{name} in files", [each for each in found if "files" in each["key"]]),
        ):
            if not part:
                continue
            say(f"{title}: medians of {repeat}")
            there = ["call", *(each for each in ("vertices", "files") if any(each in row["key"] for row in part))]
            over = "over the stream" if "files" in there else "over minigr"
            columns = {name: _text_of_key(name) for name in there}
            print_rows(part, {**columns, "by": _counted("by", repeat), **TIMES, over: of("ratio")})
    _say_calls(rows, "call")


def _text_of_key(name: str) -> Column:
    return lambda found: str(found["key"].get(name, ""))


def show_memory(rows: Sequence[Row]) -> None:
    """Show the memory that each app takes in addition to the graph."""
    columns = {"app": of_key("app"), "graph, MiB": of("graph_bytes", over=MEBI), "app, MiB": of("median", over=MEBI)}
    for graph, found in grouped(rows, "graph").items():
        say(f"peak memory on {graph}")
        print_rows(found, {**columns, "both over the graph": of("over_graph")})


def show_build(rows: Sequence[Row]) -> None:
    """Show the time and the memory of each way to build rows."""
    speed = {"G arcs/s": of("arcs_per_s", over=1e9)}
    memory = {"rows, MiB": of("result_bytes", over=MEBI), "peak over the rows": of("over_result")}
    for graph, found in grouped(rows, "graph").items():
        say(f"building rows of {graph}: medians of {len(found[0]['samples'])}")
        print_rows(found, {"build": of_key("build"), "by": of_key("by"), **TIMES, **speed, **memory})


def show_graph500(rows: Sequence[Row]) -> None:
    """Show the times of the kernels, and for searches the edges per second."""
    columns = {"kernel": of_key("kernel"), **TIMES}
    rates = {f"{name}, GTEPS": _rate(name) for name in ("min", "mean", "max")}
    for graph, found in grouped(rows, "graph").items():
        count = max(len(each["samples"]) for each in found)
        say(f"{graph}: medians of {count} searches, and the harmonic mean of their rates")
        print_rows(found, {**columns, **rates})


def _rate(name: str) -> Column:
    return lambda found: short(found["of_teps"][name] / 1e9) if "of_teps" in found else ""


def show_scaling(rows: Sequence[Row], repeat: int) -> None:
    """Show each call by number of threads, its speedup, and its rate for the bytes that it must move."""
    rates = {"GB/s": _if_known("gb_per_s", short), "of a copy": _if_known("of_copy", "{:.0%}".format)}
    call = {"call": _counted("call", repeat), "threads": of_key("threads")}
    columns = {**call, **TIMES, "speedup": of("speedup"), **rates}
    for graph, found in grouped(rows, "graph").items():
        say(f"{graph}: medians of {repeat}")
        print_rows(found, columns)


def _if_known(name: str, shown: Callable[[float], Any]) -> Column:
    return lambda found: shown(found[name]) if name in found else ""


def show_start(rows: Sequence[Row]) -> None:
    """Show first calls with empty and with full caches, with the time of imports in a column, then whole processes."""
    for group, found in grouped(rows, "group").items():
        parts = _PROCESS_PARTS if "read_ms" in found[0] else _CALL_PARTS
        say(f"{group}: medians of {_counts(found)} processes")
        print_rows(found, {"call": of_key("call"), "start": of_key("start"), **TIMES, **parts})


_CALL_PARTS = {"CPU": of("cpu_ms"), "imports": of("imports_ms"), "imports before": of("imports_before_ms")}
_PROCESS_PARTS = {"CPU": of("cpu_ms"), "reading": of("read_ms"), "first call": of("first_ms")}
"""The columns beside the times in the tables of start-up: for calls alone, and for whole processes."""


def _counts(found: Sequence[Row]) -> str:
    """The numbers of samples with empty caches and with full caches."""
    counts = {each["key"]["start"]: len(each["samples"]) for each in found}
    return " and ".join(f"{count} {start}" for start, count in counts.items())


def show_dynamic(rows: Sequence[Row]) -> None:
    """Show for each graph its updates, builds, vertices, ways through its edges, and load factors."""
    for (graph, part), found in grouped(rows, "graph", "part").items():
        memory = [each for each in found if each["key"]["measure"] == "memory"]
        timed = [each for each in found if each["key"]["measure"] != "memory"]
        if part == "load":
            say(f"{graph} by load factor: million edges a second, lanes that hold an edge, slabs of a chain")
            _show_load(timed, memory)
            continue
        say(f"{graph}: {part}, medians of {len(timed[0]['samples'])}")
        names, columns = _DYNAMIC_COLUMNS[part]
        header = [name for name in names if any(name in each["key"] for each in timed)]
        print_rows(timed, {**{name: _size_of_key(name) for name in header}, **TIMES, **columns})
        if memory:
            say(f"{graph}: memory")
            print_rows(memory, {"build": of_key("build"), "MiB": of("median", over=MEBI), **_FILL})
    _say_calls(rows, "measure")


def show_maintained(rows: Sequence[Row]) -> None:
    """Show for each graph its answers: a batch followed, beside a new computation; then the steps of loops."""
    by_key = {tuple(each["key"].values()): each for each in rows}
    for graph, found in grouped(rows, "graph").items():
        followed = [each for each in found if "speedup" in each]
        say(f"{graph}: a batch, medians of {len(followed[0]['samples'])}; speedups of all batches together")
        several = [name for name in ("batch",) if name in followed[0]["key"]]
        lines, steps = [], []
        for each in followed:
            key = {**each["key"], "by": "minigr, anew"}
            repairs, again = each["updates"].get("repair", 0), by_key[tuple(key.values())]
            what = [key["answer"], *(key[name] for name in several), f"{key['change']} {key['batches']}"]
            times = [short(value) for value in (each["median"], again["median"])]
            speedups = [short(each[name]) for name in ("speedup", "speedup_with_graph")]
            lines.append([*what, *times, *speedups, f"{repairs}/{sum(each['updates'].values())}"])
            if "iterations" in each:  # older files don't have it
                steps.append([*what, *(short(one["iterations"] / len(one["samples"])) for one in (each, again))])
        header = ["answer", *several, "batches"]
        print_table([*header, "ms", "again, ms", "speedup", "with graph", "repaired"], lines)
        if steps:
            say(f"{graph}: steps of loops for a batch, in the mean")
            print_table([*header, "followed", "again"], steps)


def show_schemes(rows: Sequence[Row]) -> None:
    """Show for each graph the schemes of joining components, over batch sizes."""
    for graph, found in grouped(rows, "graph").items():
        say(f"{graph}: schemes of joining components, a batch")
        print_rows(
            found, {"batch": of_key("batch"), "scheme": of_key("scheme"), **TIMES, "speedup over static": of("speedup")}
        )


def _whole(name: str) -> Column:
    return lambda found: found[name]


def _size_of_key(name: str) -> Column:
    """A column with a part of the key, if it exists. Batch sizes that are powers of two are shown as such."""

    def column(found: Row) -> str:
        value = found["key"].get(name, "")
        exact = name == "batch" and value and value & (value - 1) == 0
        return f"2^{value.bit_length() - 1}" if exact else readable(value)

    return column


_RATE = {"M edges/s": of("medges_per_s")}
_DYNAMIC_COLUMNS: dict[str, tuple[tuple[str, ...], dict[str, Column]]] = {
    "updates": (("batch", "weights", "measure", "by"), _RATE),
    "builds": (("measure", "weights", "batch"), _RATE),
    "vertices": (
        ("measure", "batch"),
        {"vertices": _whole("vertices"), "their edges": _whole("edges"), "M/s": of("mvertices_per_s")},
    ),
    "iteration": (("measure",), _RATE),
    "lookups": (("batch", "weights", "edges", "measure"), _RATE),
    "triangles": (("measure",), {**_RATE, "triangles": _whole("triangles")}),
}
"""For each part of a dynamic graph's rows, the columns for the key and the columns beside the times."""
_FILL = {
    "bytes/edge": of("bytes_per_edge"),
    "bytes/arc": of("bytes_per_arc"),
    "lanes used": of("utilization"),
    "load": of("load"),
    "chain": of("mean_chain"),
}


def _show_load(timed: Sequence[Row], memory: Sequence[Row]) -> None:
    measures = list(dict.fromkeys(found["key"]["measure"] for found in timed))
    reports = {found["key"]["load_factor"]: found for found in memory}
    print_table(
        ["load", *measures, "used", "chain", "bytes"],
        [
            [
                factor,
                *(short(found["medges_per_s"]) for found in rows),
                f"{reports[factor]['utilization']:.0%}",
                short(reports[factor]["mean_chain"]),
                short(reports[factor]["bytes_per_edge"]),
            ]
            for factor, rows in grouped(timed, "load_factor").items()
        ],
    )


TABLES: dict[str, Callable[[Sequence[Row], Mapping[str, Any]], None]] = {
    "primitives": lambda rows, _: show_primitives(rows),
    "operators": lambda rows, _: show_operators(rows),
    "apps": lambda rows, settings: show_apps(rows, settings["repeat"]),
    "batch": lambda rows, settings: show_batch(rows, settings["repeat"]),
    "memory": lambda rows, _: show_memory(rows),
    "build": lambda rows, _: show_build(rows),
    "graph500": lambda rows, _: show_graph500(rows),
    "scaling": lambda rows, settings: show_scaling(rows, settings["repeat"]),
    "start": lambda rows, _: show_start(rows),
    "dynamic": lambda rows, _: show_dynamic(rows),
    "maintained": lambda rows, _: show_maintained(rows),
    "component-schemes": lambda rows, _: show_schemes(rows),
    "paper": lambda rows, settings: show_paper(rows, settings),
}
"""The tables of each benchmark, from the rows and settings of its document."""


def show_paper(rows: Sequence[Row], settings: Mapping[str, Any]) -> None:
    """Show each exhibit in the tables of the benchmark that measured it."""
    for name, found in grouped(rows, "exhibit").items():
        exhibit = settings["exhibits"][name]
        say(f"{exhibit['title']}; here {exhibit['answer']}")
        keys = [{part: value for part, value in each["key"].items() if part != "exhibit"} for each in found]
        TABLES[exhibit["bench"]]([{**each, "key": key} for each, key in zip(found, keys, strict=True)], settings)


def show_comparisons(
    found: Sequence[Comparison], only: Sequence[Sequence[Mapping[str, Any]]], names: Sequence[str]
) -> None:
    """Show the rows that both files have, and the number of rows that only one file has."""
    print_table(
        ["what", "unit", "before", "after", "after/before", "verdict"],
        [
            [
                described(pair.key),
                pair.unit,
                short(pair.before),
                short(pair.after),
                readable(short(pair.ratio)),
                pair.verdict,
            ]
            for pair in found
        ],
    )
    for keys, name in zip(only, names, strict=True):
        if keys:
            say(f"only in {name}: {'; '.join(map(described, keys))}")


def described(key: Mapping[str, Any]) -> str:
    """The key of a row in readable form.

    Examples
    --------
    >>> described({"graph": "kron16", "app": "bfs", "by": "scipy"})
    'kron16 bfs scipy'
    """
    return " ".join(str(value) for value in key.values())
