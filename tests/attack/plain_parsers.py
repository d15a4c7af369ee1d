"""Short parsers of the text formats that share no code with minigr, for comparisons in `files`.

Each returns the form of `normal` for a graph, or None for an invalid file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import minigr as mg

_ID = re.compile(r"[+-]?[0-9]+\Z")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
Normal = tuple[int, bool, list[tuple[int, int, float | None]]]


class _WrongError(Exception):
    pass


def normal(found: Any) -> Normal:
    """Number of vertices, whether directed, and the sorted edges; undirected edges begin at the smaller end."""
    if isinstance(found, mg.io.TimedEdges):
        columns = [found.src.tolist(), found.dst.tolist(), found.time.astype(float).tolist()]
        return found.num_vertices, True, sorted(zip(*columns, strict=True))
    src, dst, weights = found.to_edges()
    values = [None] * len(src) if weights is None else [float(weight) for weight in weights.tolist()]
    return _normal(found.num_vertices, found.directed, list(zip(src.tolist(), dst.tolist(), values, strict=True)))


def _normal(n: int, directed: bool, edges: list[tuple[int, int, float | None]]) -> Normal:
    if not directed:
        edges = [(min(u, v), max(u, v), w) for u, v, w in edges]
    return n, directed, sorted(edges, key=lambda edge: (edge[0], edge[1], edge[2] or 0.0))


def _guarded(parse: Callable[[str], Normal]) -> Callable[[bytes], Normal | None]:
    def guarded(content: bytes) -> Normal | None:
        try:
            return parse(content.removeprefix(b"\xef\xbb\xbf").decode("latin-1"))
        except _WrongError:
            return None

    return guarded


def _id(token: str, lowest: int, highest: int) -> int:
    digits = token.lstrip("+-").lstrip("0")
    if not _ID.match(token) or len(digits) > 20:
        raise _WrongError
    value = int(digits or "0") * (-1 if token[0] == "-" else 1)
    if not lowest <= value <= highest:
        raise _WrongError
    return value


def _number(token: str) -> float:
    if _ID.match(token):
        return float(_id(token, -(2**63), 2**63 - 1))
    if token.lower().lstrip("+-") in ("inf", "infinity") and len(token) - len(token.lstrip("+-")) <= 1:
        return float(token)
    if not _REAL.match(token) or float(token) in (float("inf"), float("-inf")):
        raise _WrongError
    return float(token)


def _lines(text: str, comment: str) -> Iterator[str]:
    for line in text.split("\n"):
        kept = re.split(f"[{comment}]", line, maxsplit=1)[0].strip(" \t\r") if comment else line.strip(" \t\r")
        if kept:
            yield kept


def _fields(line: str, comma: bool) -> list[str]:
    return [field.strip(" \t") for field in line.split(",")] if comma else re.split("[ \t]+", line)


@_guarded
def edge_list(text: str) -> Normal:
    """Two or three columns, by a header or in this order; minigr's comment may precede them."""
    edges, note = _rows(text, ("src", "dst", "weight"))
    n = 1 + max((max(u, v) for u, v, *_ in edges), default=-1)
    if note is None:
        return _normal(n, False, [(u, v, w) for u, v, w, _ in edges])
    count, directed = int(note[1]), note[2] is None
    if n > count or any((w is None) != (note[3] == "un") for _, _, w, _ in edges):
        raise _WrongError
    kind = note[3].strip()
    if kind.startswith("int") and any(w != int(w) or abs(w) > 2 ** (int(kind[3:]) - 1) for _, _, w, _ in edges):
        raise _WrongError
    return _normal(count, directed, [(u, v, w) for u, v, w, _ in edges])


@_guarded
def timed(text: str) -> Normal:
    """Three or four columns; the last is the time."""
    edges, note = _rows(text, ("src", "dst", "time"))
    if note is not None:
        raise _WrongError
    n = 1 + max((max(u, v) for u, v, *_ in edges), default=-1)
    return n, True, sorted((u, v, t) for u, v, _, t in edges)


def _rows(text: str, usual: tuple[str, ...]) -> tuple[list[Any], Any]:
    note = _NOTE.match(text)
    if not text:
        raise _WrongError
    lines = list(_lines(text, "#%"))
    if not lines:
        return [], note
    comma, names = "," in lines[0], usual
    first = _fields(lines[0], comma)
    if not any(re.match(r"[+-]?[0-9]", field) for field in first[:2]):
        names = tuple(
            _SPELLINGS.get(field.encode("latin-1").decode(errors="replace").strip().strip("\"'").lower(), "")
            for field in first
        )
        names = tuple(name if name in usual and name not in names[:i] else "" for i, name in enumerate(names))
        if not {"src", "dst"} <= set(names) or ("time" in usual and "time" not in names):
            raise _WrongError
        lines = lines[1:]
        comma = "," in lines[0] if lines else comma
    elif usual[-1] == "time":
        names = ("src", "dst", "time") if len(first) == 3 else ("src", "dst", "weight", "time")
        if len(first) not in (3, 4):
            raise _WrongError
    else:
        names = usual[: len(first)]
        if len(first) not in (2, 3):
            raise _WrongError
    edges = []
    for line in lines:
        fields = _fields(line, comma)
        if len(fields) != len(names):
            raise _WrongError
        row = dict(zip(names, fields, strict=True))
        u, v = (_id(row[name], 0, 2**31 - 2) for name in ("src", "dst"))
        time = _number(row["time"]) if "time" in row else None
        if time is not None and abs(time) == float("inf"):
            raise _WrongError
        edges.append((u, v, _number(row["weight"]) if "weight" in row else None, time))
    return edges, note


def _name(field: str) -> str:
    return field.encode("latin-1").decode(errors="replace").strip().strip("\"'").lower()


_NOTE = re.compile(
    r"[ \t]*[#%] minigr: ([0-9]{1,18}) vertices, (un)?directed, "
    r"(un|int32 |int64 |float32 |float64 )weight(ed|s)[ \t\r]*(\n|\Z)"
)
_SPELLINGS = {
    **dict.fromkeys(("src", "source", "from", "fromnodeid", "u", "node1", "node_1", "id_1", "tail"), "src"),
    **dict.fromkeys(
        ("dst", "target", "to", "tonodeid", "v", "node2", "node_2", "id_2", "head", "destination", "dest"), "dst"
    ),
    **dict.fromkeys(("weight", "w", "wgt", "value"), "weight"),
    **dict.fromkeys(("time", "timestamp", "unixts", "date"), "time"),
}


@_guarded
def matrix_market(text: str) -> Normal:
    """Coordinate and array matrices with a banner, and coordinate matrices without one."""
    head, *rest = text.split("\n")
    words = head.lower().split()
    if not head.startswith("%%"):
        rest = [head, *rest]
        first = [line.split() for line in _lines("\n".join(rest), "%")][1:2]
        kind = "pattern" if first and len(first[0]) == 2 else "real"
        words = ["%%matrixmarket", "matrix", "coordinate", kind, "general"]
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise _WrongError
    layout, field, symmetry = words[2], words[3], words[4]
    field = {"double": "real", "unsigned-integer": "integer"}.get(field, field)
    lines = list(_lines("\n".join(rest), "%"))
    size = [_id(token, 0, 10**19) for token in lines[0].split()] if lines else []
    if layout not in ("array", "coordinate") or field not in ("real", "integer", "pattern"):
        raise _WrongError
    if symmetry not in ("general", "symmetric", "skew-symmetric") or len(size) != (2 if layout == "array" else 3):
        raise _WrongError
    n = size[0]
    if size[1] != n:
        raise _WrongError
    values = [_fields(line, False) for line in lines[1:]]
    width = (0 if layout == "array" else 2) + (field != "pattern")
    if any(len(row) != width for row in values):
        raise _WrongError
    numbers = [None if field == "pattern" else _number(row[-1]) for row in values]
    if field == "integer" and not all(_ID.match(row[-1]) for row in values):
        raise _WrongError
    if layout == "array":
        skip = {"general": None, "symmetric": 0, "skew-symmetric": 1}[symmetry]
        if n > 5000:
            raise _WrongError
        places = [(i, j) for j in range(n) for i in range(0 if skip is None else j + skip, n)]
        if len(places) != len(numbers):
            raise _WrongError
        edges = [(i, j, w) for (i, j), w in zip(places, numbers, strict=True) if w != 0]
    else:
        if len(values) != size[2]:
            raise _WrongError
        edges = [(_id(a, 1, n) - 1, _id(b, 1, n) - 1, w) for (a, b, *_), w in zip(values, numbers, strict=True)]
    if symmetry == "skew-symmetric":
        edges += [(v, u, -w) for u, v, w in edges if w is not None and u != v]
    return _normal(n, symmetry != "symmetric", edges)


@_guarded
def dimacs(text: str) -> Normal:
    """The p line and the arcs, or only arcs."""
    lines = [line for line in _lines(text, "") if not line.startswith("c")]
    n = None
    if lines and (promise := re.fullmatch(r"p\s+sp\s+([0-9]+)\s+([0-9]+)", lines[0])):
        n, arcs = _id(promise[1], 0, 2**31 - 1), _id(promise[2], 0, 10**20)
        lines = lines[1:]
        if len(lines) != arcs:
            raise _WrongError
    elif not lines:
        raise _WrongError
    edges = []
    for line in lines:
        fields = _fields(line, False)
        if len(fields) != 4 or fields[0] != "a":
            raise _WrongError
        _, u, v, w = fields
        ends = [_id(end, 0, 2**31 - 2) if n is None else _id(end, 1, n) - 1 for end in (u, v)]
        edges.append((*ends, _number(w)))
    return _normal(1 + max(max(u, v) for u, v, _ in edges) if n is None else n, True, edges)


@_guarded
def metis(text: str) -> Normal:
    """The neighbors of each vertex, where each edge is in two lines."""
    lines = [line for line in text.split("\n") if not line.startswith("%")]
    head = _fields(lines[0].strip(" \t\r"), False)
    if not 2 <= len(head) <= 4:
        raise _WrongError
    n, m = _id(head[0], 0, 2**31 - 1), _id(head[1], 0, 10**20)
    code = head[2].zfill(3) if len(head) > 2 else "000"
    weights = _id(head[3], 0, 2**31 - 1) if len(head) > 3 else 1
    if not re.fullmatch("[01]{3}", code):
        raise _WrongError
    skip, per_arc = int(code[0]) + weights * int(code[1]), 1 + int(code[2])
    if any(line.strip(" \t\r") for line in lines[n + 1 :]):
        raise _WrongError
    edges = []
    for vertex, line in enumerate(lines[1 : n + 1]):
        kept = line.strip(" \t\r")
        fields = [_id(field, -(2**63), 2**63 - 1) for field in _fields(kept, False)] if kept else []
        last = vertex + 2 == len(lines) and not kept
        if not last and (len(fields) < skip or (len(fields) - skip) % per_arc):
            raise _WrongError
        for i in range(skip, len(fields), per_arc):
            if not 1 <= fields[i] <= n:
                raise _WrongError
            edges.append((vertex, fields[i] - 1, float(fields[i + 1]) if per_arc == 2 else None))
    forth = sorted((u, v, w or 0.0) for u, v, w in edges if u <= v)
    back = sorted((v, u, w or 0.0) for u, v, w in edges if u >= v)
    if len(edges) != 2 * m or forth != back:
        raise _WrongError
    return _normal(n, False, [edge for edge in edges if edge[0] <= edge[1]])
