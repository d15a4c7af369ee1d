"""GML (.gml): keys with values, which are numbers, texts or lists of further keys.

In the list ``graph``, the lists ``node`` and ``edge`` are read. A node has an ``id`` and may have a ``label``; an edge
has a ``source`` and a ``target``. The weight is an attribute of edges with this name. Other keys of nodes and edges are
kept if requested; if such a key has several values, the first value is kept. Everything else is skipped. Lines that
begin with # are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.entities import html5
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigr.errors import FormatError
from minigr.io.attributes import LONGEST_VALUE, WEIGHTS, Written, rows_of, taken_by_weights, written
from minigr.io.contents import Edges, Options
from minigr.io.gathering import Gathering
from minigr.io.names import edges_of, names_of
from minigr.io.note import note_of
from minigr.io.source import Line, blocks, open_source
from minigr.io.tokens import MOST_DIGITS, exact, number_fault
from minigr.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.labels import Labels

_TOKEN = re.compile(
    r"[ \t\r\f\v\ufeff]*(?:(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[+\-.0-9][A-Za-z0-9+\-.]*)"
    # Without the end as an alternative, many blanks there would be tried from each of them on.
    r'|(?P<bracket>[\[\]])|"(?P<text>[^"]*)"|"(?P<begun>[^"]*)$|#(?P<comment>.*)|(?P<other>[^ \t\r\f\v\ufeff])|\Z)'
)
_CODE = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_NO_ASCII = re.compile(r'[^ -~]|["&]')
_LISTS = {("file", "graph"): "graph", ("graph", "node"): "node", ("graph", "edge"): "edge"}
_DEEPEST = 100
_KEY = "[A-Za-z_][A-Za-z0-9_]*"


def read(path: Path, options: Options) -> Edges:
    """The graph in a GML file; see the module's description."""
    reader, at = _Reader(path, options), Line(1)
    with open_source(path, options.progress) as handle:
        for block in blocks(handle, path, at, long_lines=True):
            try:
                text = block.decode()
            except UnicodeDecodeError as error:
                bad = at.number + block[: error.start].count(b"\n")
                raise FormatError(path, f"{error.reason} of UTF-8: save the file as UTF-8", bad) from error
            lines = text.removesuffix("\n").split("\n")
            for number, content in enumerate(lines, at.number):
                reader.take(content, number)
            at.number += len(lines)
            reader.check_room()
    return reader.finish(at.number - 1)


class _Reader:
    """A parser that processes the lines of a file."""

    def __init__(self, path: Path, options: Options) -> None:
        self._path, self._options = path, options
        self._gathering = Gathering(path, options)
        self.check_room = self._gathering.check_room
        self._within = ["file"]  # the open lists by kind; empty for lists that are skipped
        self._begun = [0]  # their first lines
        self._key: str | None = None  # the key whose value comes next
        self._values: dict[str, Any] = {}  # of the open node or edge
        self._text: list[str] | None = None  # lines of an open text
        self._length = 0  # of these lines, in characters
        self._directed: bool | None = None  # None: no graph yet
        self._names = WEIGHTS if options.attribute is None else (options.attribute,)
        self._number = 1

    def take(self, line: str, number: int) -> None:
        """Process the next line, without its line end."""
        self._number = number
        if self._text is not None:
            head, end, line = line.partition('"')
            self._text.append(head)
            self._length += len(head) + 1
            if self._length > LONGEST_VALUE:
                raise self._fault(f"a text is longer than {LONGEST_VALUE:,} characters")
            if not end:
                return
            self._value(_decoded("\n".join(self._text)))
            self._text = None
        for token in _TOKEN.finditer(line):
            kind, text = token.lastgroup, token[token.lastindex or 0]
            if kind == "word" and self._key is None:
                self._key = text
            elif kind in ("number", "word"):
                self._value(_Bare(text))
            elif kind == "text":
                self._value(_decoded(text))
            elif kind == "begun":
                self._want_key('"')
                self._text, self._length = [text], len(text)
            elif kind == "bracket":
                (self._open if text == "[" else self._close)()
            elif kind == "comment":
                self._gathering.see_comment(text, number)
            elif kind == "other":
                raise self._fault(f"{text!r} begins no key, number, text or list")

    def finish(self, line: int) -> Edges:
        """The graph, after the last line."""
        if self._key is not None or self._text is not None or len(self._within) > 1:
            what = f"the list that begins in line {self._begun[-1]}" if len(self._within) > 1 else "a value"
            raise FormatError(self._path, f"the file ends within {what}; is it cut short?", line)
        if self._directed is None:
            raise FormatError(self._path, "there is no list called graph in this file")
        return self._gathering.finish(self._directed)

    def _fault(self, what: str) -> FormatError:
        return FormatError(self._path, what, self._number)

    def _want_key(self, text: str) -> None:
        if self._key is None:
            raise self._fault(f"expected a key before {text[:40]!r}")

    def _open(self) -> None:
        self._want_key("[")
        assert self._key is not None
        kind = _LISTS.get((self._within[-1], self._key), "")
        if kind == "graph":
            if self._directed is not None:
                raise self._fault("there is another graph: give each graph a file of its own")
            self._directed = False
        if kind in ("node", "edge"):
            self._values = {}
        if len(self._within) > _DEEPEST:
            raise self._fault(f"lists are nested more than {_DEEPEST} deep")
        self._within.append(kind)
        self._begun.append(self._number)
        self._key = None

    def _close(self) -> None:
        if self._key is not None:
            raise self._fault(f"the key {self._key[:40]!r} has no value")
        if len(self._within) == 1:
            raise self._fault("']' ends no list")
        kind, line = self._within.pop(), self._begun.pop()
        if kind == "node":
            self._add_node(line)
        elif kind == "edge":
            self._add_edge(line)

    def _value(self, value: str) -> None:
        self._want_key(value)
        if len(value) > LONGEST_VALUE:
            raise self._fault(f"a value is longer than {LONGEST_VALUE:,} characters")
        key, within = self._key, self._within[-1]
        self._key = None
        if within == "graph" and key == "directed":
            if value not in ("0", "1"):
                raise self._fault(f"directed must be 0 or 1, got {value[:40]!r}")
            self._directed = value == "1"
        elif within in ("node", "edge"):
            assert key is not None
            if key in self._values:
                if key in ("id", "source", "target", "label", *self._names):
                    raise self._fault(f"this {within} has two values for {key!r}")
                return
            self._values[key] = value

    def _add_node(self, line: int) -> None:
        asked = self._options.label or "label"
        label = None if asked == "id" else self._values.get(asked)
        if isinstance(label, _Bare):
            number = exact(label)
            label = str(label) if number is None else number
        self._gathering.add_vertex(self._id("node", "id", line), label, line, self._kept("id", asked))

    def _kept(self, *read: str) -> dict[str, Any]:
        """The attributes that are kept: all attributes except those in `read`."""
        if not self._options.attributes:
            return {}
        return {name: _plain(value) for name, value in self._values.items() if name not in read}

    def _add_edge(self, line: int) -> None:
        weight, name = None, None
        if self._options.weights:
            name = next((name for name in self._names if name in self._values), None)
            if name is not None:
                weight, self._names = self._values[name], (name,)
        source, target = (self._id("edge", name, line) for name in ("source", "target"))
        self._gathering.add_edge(source, target, weight, line, self._kept("source", "target", name or ""))

    def _id(self, kind: str, name: str, line: int) -> Any:
        """An id: a whole number or a text."""
        value = self._values.get(name)
        if value is None:
            raise FormatError(self._path, f"this {kind} has no {name!r}", line)
        found = exact(value) if isinstance(value, _Bare) else value
        if found is None:
            raise FormatError(
                self._path, f"the {name} {value[:40]!r} is no whole number of at most {MOST_DIGITS} digits", line
            )
        return found


class _Bare(str):
    """A value without quotation marks, which is not a text."""


def _plain(value: str) -> Any:
    """A number or a text."""
    if not isinstance(value, _Bare):
        return value
    found = exact(value)
    if found is not None:
        return found
    return str(value) if number_fault(value, "value") else float(value)


def _decoded(text: str) -> str:
    """A text with codes and names of characters replaced by the characters."""

    def character(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] != "#":
            return html5.get(f"{code};", found[0])
        number = int(code[2:], 16) if code[1] in "xX" else int(code[1:])
        return chr(number) if number < 0x110000 else found[0]

    return _CODE.sub(character, text) if "&" in text else text


def write(graph: Graph, path: Path, labels: Labels | None = None) -> None:
    """Write `graph`, with vertex numbers as ids and labels as labels."""
    names = names_of(graph, labels, path)
    weight = "" if graph.weights is None else "\n    weight {}"
    of_vertices = written(graph.vertex_columns, path, ("id", "label"), _KEY)
    of_edges = written(graph.edge_columns, path, ("source", "target", *taken_by_weights(graph)), _KEY)
    head = [f"# {note_of(graph)}", "graph [", f"  directed {int(graph.directed)}"]
    if graph.has_parallel_edges:
        head.append("  multigraph 1")
    with replacing(path) as handle:

        def put(lines: Iterable[str]) -> None:
            handle.writelines(f"{line}\n".encode() for line in lines)

        put(head)
        nodes = enumerate(zip(names, rows_of(of_vertices, len(names)), strict=True))
        put(f'  node [\n    id {v}\n    label "{_quoted(name)}"{_values(row)}\n  ]' for v, (name, row) in nodes)
        rows = rows_of(of_edges, graph.num_edges if of_edges else 0)
        for part in edges_of(graph, "+INF"):
            put(
                f"  edge [\n    source {u}\n    target {v}{weight.format(w)}{_values(next(rows, []))}\n  ]"
                for u, v, w in part
            )
        put(["]"])


def _values(row: list[tuple[Written, str]]) -> str:
    """The lines with the attributes of a node or an edge."""
    return "".join(f"\n    {column.name} {_value(column.kind, text)}" for column, text in row)


def _value(kind: str, text: str) -> str:
    """A number, 0 or 1 for a bool, or a text."""
    if kind == "boolean":
        return str(int(text == "true"))
    return f'"{_quoted(text)}"' if kind == "string" else text.replace("INF", "+INF").replace("-+", "-")


def _quoted(text: str) -> str:
    return _NO_ASCII.sub(_code, text)


def _code(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"
