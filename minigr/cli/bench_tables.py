"""What ``minigr bench`` shows of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minigr.cli.console import print_table, readable, say

if TYPE_CHECKING:
    from minigr.bench.compare import Comparison
    from minigr.bench.document import Row

MOST_STEPS = 20
"""Steps of a search that are shown; the JSON has all."""
_MEBI = 1 << 20


def show_primitives(rows: Sequence[Row]) -> None:
    """A table for each primitive, a line for each size: minigr, the array library, and the copy."""
    for name, found in _grouped(rows, "primitive").items():
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
                    _short(sizes["minigr"]["device_ms"] or sizes["minigr"]["median"]),
                    _short(sizes["minigr"]["items_per_s"] / 1e9),
                    *(_short(sizes[by]["gb_per_s"]) for by in ("minigr", library, "copy")),
                    f"{sizes['minigr']['gb_per_s'] / sizes['copy']['gb_per_s']:.0%}",
                ]
                for items, sizes in by_size.items()
            ],
        )


def show_steps(rows: Sequence[Row]) -> None:
    """The busiest steps of each search, and the sum of all."""
    for (graph, app), steps in _grouped(rows, "graph", "app").items():
        busiest = sorted(steps, key=lambda step: -step["edges"])[:MOST_STEPS]
        left_out = f", the {MOST_STEPS} with most edges" if len(busiest) < len(steps) else ""
        say(f"{app} on {graph}: {len(steps):,} steps{left_out}")
        lines = [
            [
                str(step["key"]["step"]),
                step["direction"],
                step["frontier"],
                step["edges"],
                f"{step['share']:.2%}",
                _short(step["median"]),
                _short(step["mteps"]),
            ]
            for step in sorted(busiest, key=lambda step: step["key"]["step"])
        ]
        edges, milliseconds = sum(step["edges"] for step in steps), sum(step["median"] for step in steps)
        share, speed = sum(step["share"] for step in steps), edges / max(milliseconds, 1e-6) / 1e3
        lines.append(["all", "", None, edges, f"{share:.2%}", _short(milliseconds), _short(speed)])
        print_table(["step", "direction", "frontier", "edges", "of all", "ms", "MTEPS"], lines)


def show_alone(rows: Sequence[Row]) -> None:
    """Each operator over the whole graph."""
    for graph, found in _grouped(rows, "graph").items():
        say(f"each operator alone on {graph}")
        lines = [
            [each["key"]["operator"], *_spread(each), f"{readable(_short(each['per_s'] / 1e9))} G {each['counted']}/s"]
            for each in found
        ]
        print_table(["operator", "ms", "least", "most", "speed"], lines)


def show_apps(rows: Sequence[Row], repeat: int) -> None:
    """Each app and what stands beside it; then what the peers' calls are, and the floors where there are any."""
    for graph, found in _grouped(rows, "graph").items():
        say(f"{graph}: medians of {repeat}")
        lines = []
        for each in found:
            fewer = "" if len(each["samples"]) == repeat else f" (of {len(each['samples'])})"
            lines.append([each["key"]["app"], each["key"]["by"] + fewer, *_spread(each), _short(each["ratio"])])
        print_table(["app", "by", "ms", "least", "most", "over minigr"], lines)
        floors = [each for each in found if "floor" in each]
        if floors:
            say(f"{graph}: the floor and its terms, ms")
            terms = ("bytes", "gathers", "atomics", "barriers")
            lines = [
                [
                    each["key"]["app"],
                    _short(each["floor"]["ms"]),
                    _short(each["over_floor"]),
                    *(_short(each["floor"][f"{term}_ms"]) for term in terms),
                ]
                for each in floors
            ]
            print_table(["app", "floor", "over it", *terms], lines)
    for by, app, what in dict.fromkeys((r["key"]["by"], r["key"]["app"], r["what"]) for r in rows if "what" in r):
        say(f"{by}, {app}: {what}")


def show_batch(rows: Sequence[Row], repeat: int) -> None:
    """Each call over a set of graphs, and loops of peers; then what their calls are."""
    for name, found in _grouped(rows, "set").items():
        say(f"{name}: medians of {repeat}")
        lines = []
        for each in found:
            fewer = "" if len(each["samples"]) == repeat else f" (of {len(each['samples'])})"
            lines.append([each["key"]["call"], each["key"]["by"] + fewer, *_spread(each), _short(each["ratio"])])
        print_table(["call", "by", "ms", "least", "most", "over minigr"], lines)
    for by, call, what in dict.fromkeys((r["key"]["by"], r["key"]["call"], r["what"]) for r in rows if "what" in r):
        say(f"{by}, {call}: {what}")


def show_memory(rows: Sequence[Row]) -> None:
    """What each app takes beyond the graph."""
    for graph, found in _grouped(rows, "graph").items():
        say(f"peak memory on {graph}")
        lines = [
            [
                each["key"]["app"],
                _short(each["graph_bytes"] / _MEBI),
                _short(each["median"] / _MEBI),
                _short(each["over_graph"]),
            ]
            for each in found
        ]
        print_table(["app", "graph, MiB", "app, MiB", "both over the graph"], lines)


def show_start(rows: Sequence[Row]) -> None:
    """First calls with empty caches and with full ones, the time of imports apart; then whole processes."""
    for group, found in _grouped(rows, "group").items():
        parts = _PROCESS_PARTS if "read_ms" in found[0] else _CALL_PARTS
        say(f"{group}: medians of {_counts(found)} processes")
        lines = [
            [
                each["key"]["call"],
                each["key"]["start"],
                *_spread(each),
                *(_short(each[part]) for part in parts.values()),
            ]
            for each in found
        ]
        print_table(["call", "start", "ms", "least", "most", *parts], lines)


_CALL_PARTS = {"CPU": "cpu_ms", "imports": "imports_ms", "imports before": "imports_before_ms"}
_PROCESS_PARTS = {"CPU": "cpu_ms", "reading": "read_ms", "first call": "first_ms"}
"""Of the rows of start-up, what is shown beside the times: of calls alone, and of whole processes."""


def _counts(found: Sequence[Row]) -> str:
    """How many samples there are with empty caches and with full ones."""
    counts = {each["key"]["start"]: len(each["samples"]) for each in found}
    return " and ".join(f"{count} {start}" for start, count in counts.items())


def show_dynamic(rows: Sequence[Row]) -> None:
    """For each graph its updates, builds, vertices, ways through its edges, and load factors."""
    for (graph, part), found in _grouped(rows, "graph", "part").items():
        memory = [each for each in found if each["key"]["measure"] == "memory"]
        timed = [each for each in found if each["key"]["measure"] != "memory"]
        if part == "load":
            say(f"{graph} by load factor: million edges a second, lanes that hold an edge, slabs of a chain")
            _show_load(timed, memory)
            continue
        say(f"{graph}: {part}, medians of {len(timed[0]['samples'])}")
        header, columns = _DYNAMIC_COLUMNS[part]
        print_table(
            [*header, "ms", "least", "most", *columns],
            [
                [_named(each["key"], name) for name in header]
                + _spread(each)
                + [each[field] if isinstance(each[field], int) else _short(each[field]) for field in columns.values()]
                for each in timed
            ],
        )
        if memory:
            say(f"{graph}: memory")
            print_table(
                ["build", "MiB", "bytes/edge", "bytes/arc", "lanes used", "load", "chain"],
                [[each["key"]["build"], _short(each["median"] / _MEBI), *_fill(each)] for each in memory],
            )
    for by, measure, what in dict.fromkeys(
        (found["key"]["by"], found["key"]["measure"], found["what"]) for found in rows if "what" in found
    ):
        say(f"{by}, {measure}: {what}")


def show_maintained(rows: Sequence[Row]) -> None:
    """For each graph its answers: a batch followed, beside computing anew."""
    by_key = {tuple(each["key"].values()): each for each in rows}
    for graph, found in _grouped(rows, "graph").items():
        followed = [each for each in found if "speedup" in each]
        say(f"{graph}: a batch, medians of {len(followed[0]['samples'])}; speedups of all batches together")
        lines = []
        for each in followed:
            key = {**each["key"], "by": "minigr, anew"}
            repairs = each["updates"].get("repair", 0)
            lines.append(
                [
                    key["answer"],
                    f"{key['change']} {key['batches']}",
                    _short(each["median"]),
                    _short(by_key[tuple(key.values())]["median"]),
                    _short(each["speedup"]),
                    _short(each["speedup_with_graph"]),
                    f"{repairs}/{sum(each['updates'].values())}",
                ]
            )
        print_table(["answer", "batches", "ms", "anew, ms", "speedup", "with graph", "repaired"], lines)


_RATE = {"M edges/s": "medges_per_s"}
_DYNAMIC_COLUMNS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "updates": (("batch", "measure", "by"), _RATE),
    "builds": (("measure", "weights", "batch"), _RATE),
    "vertices": (("measure", "batch"), {"vertices": "vertices", "their edges": "edges", "M/s": "mvertices_per_s"}),
    "iteration": (("measure",), _RATE),
}
"""Of each part of a dynamic graph's rows, what is shown of the key, and beside the times."""


def _named(key: Mapping[str, Any], name: str) -> str:
    value = key.get(name, "")
    exact = name == "batch" and value and value & (value - 1) == 0
    return f"2^{value.bit_length() - 1}" if exact else readable(value)


def _fill(found: Row) -> list[float]:
    return [_short(found[name]) for name in ("bytes_per_edge", "bytes_per_arc", "utilization", "load", "mean_chain")]


def _show_load(timed: Sequence[Row], memory: Sequence[Row]) -> None:
    measures = list(dict.fromkeys(found["key"]["measure"] for found in timed))
    reports = {found["key"]["load_factor"]: found for found in memory}
    print_table(
        ["load", *measures, "used", "chain", "bytes"],
        [
            [
                factor,
                *(_short(found["medges_per_s"]) for found in rows),
                f"{reports[factor]['utilization']:.0%}",
                _short(reports[factor]["mean_chain"]),
                _short(reports[factor]["bytes_per_edge"]),
            ]
            for factor, rows in _grouped(timed, "load_factor").items()
        ],
    )


def _show_operators(rows: Sequence[Row]) -> None:
    show_steps([found for found in rows if "step" in found["key"]])
    show_alone([found for found in rows if "operator" in found["key"]])


TABLES: dict[str, Callable[[Sequence[Row], Mapping[str, Any]], None]] = {
    "primitives": lambda rows, _: show_primitives(rows),
    "operators": lambda rows, _: _show_operators(rows),
    "apps": lambda rows, settings: show_apps(rows, settings["repeat"]),
    "batch": lambda rows, settings: show_batch(rows, settings["repeat"]),
    "memory": lambda rows, _: show_memory(rows),
    "start": lambda rows, _: show_start(rows),
    "dynamic": lambda rows, _: show_dynamic(rows),
    "maintained": lambda rows, _: show_maintained(rows),
}
"""The tables of each bench, from the rows and settings of its document."""


def show_comparisons(
    found: Sequence[Comparison], only: Sequence[Sequence[Mapping[str, Any]]], names: Sequence[str]
) -> None:
    """What both files have, and how many rows only one of them has."""
    print_table(
        ["what", "unit", "before", "after", "after/before", "verdict"],
        [
            [
                described(pair.key),
                pair.unit,
                _short(pair.before),
                _short(pair.after),
                readable(_short(pair.ratio)),
                pair.verdict,
            ]
            for pair in found
        ],
    )
    for keys, name in zip(only, names, strict=True):
        if keys:
            say(f"only in {name}: {'; '.join(map(described, keys))}")


def described(key: Mapping[str, Any]) -> str:
    """A row's key as a person reads it.

    Examples
    --------
    >>> described({"graph": "kron16", "app": "bfs", "by": "scipy"})
    'kron16 bfs scipy'
    """
    return " ".join(str(value) for value in key.values())


def _grouped(rows: Sequence[Row], *names: str) -> dict[Any, list[Row]]:
    """The rows by the parts of their keys, in the order in which they come."""
    groups: dict[Any, list[Row]] = {}
    for found in rows:
        values = tuple(found["key"][name] for name in names)
        groups.setdefault(values if len(names) > 1 else values[0], []).append(found)
    return groups


def _spread(found: Row) -> list[float]:
    return [_short(found[name]) for name in ("median", "least", "most")]


def _short(value: float) -> float:
    """To four digits, so that tables stay narrow."""
    return float(f"{value:.4g}")
