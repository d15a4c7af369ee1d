"""GraphML (.graphml): XML with a node for each vertex and an edge for each edge.

The weight is an attribute of edges with this name. The names of vertices are the ids of nodes, or an attribute of
nodes. Other attributes are kept if requested. Several keys may have one attribute name, for values of several types,
but a node or an edge has at most one of these values. Positions, ports and other additions of programs are skipped.
Mixed graphs, nested graphs and hyperedges are refused. A document type declaration is also refused, because its
entities could make a small file large.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from minigr.errors import FormatError
from minigr.io.attributes import LONGEST_VALUE, WEIGHTS, Written, rows_of, taken_by_weights, written
from minigr.io.contents import Edges, Options
from minigr.io.gathering import Gathering
from minigr.io.names import edges_of, names_of
from minigr.io.note import note_of
from minigr.io.source import open_source
from minigr.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.labels import Labels

_Key = dict[str, str]
"""The attributes of a ``<key>``."""
_Value = tuple[_Key, str]
"""A text, which may include surrounding blanks, and its key, which has the type."""
_BLOCK = 1 << 18
_LONGEST_TAG = 1 << 22  # bytes, including attributes
_DEEPEST = 100
_TYPES = {"int32": "int", "int64": "long", "float32": "float", "float64": "double"}
_REALS = ("float", "double")
_SPACE = " \t\r\n"
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_VALUES: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("int", "long"), int),
    **dict.fromkeys(_REALS, float),
    "boolean": lambda text: _TRUTH[text.strip(_SPACE)],
}
_CARRIAGE = {"\r": "&#13;"}  # XML would take it for the end of a line
_OF_XML = "\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff"
_NO_XML, _NAME = re.compile(f"[^{_OF_XML}]"), f"[{_OF_XML}]+"


def read(path: Path, options: Options) -> Edges:
    """The graph in a GraphML file; see the module's description."""
    with open_source(path, options.progress, utf_16=True) as handle:
        return _Reader(path, options).read(handle)


class _Reader:
    """A parser that processes the elements of a file."""

    def __init__(self, path: Path, options: Options) -> None:
        self._path, self._options = path, options
        self._gathering = Gathering(path, options)
        self._within: list[str] = []  # the open elements, down to one whose content is skipped
        self._skipped = 0  # number of open elements below that
        self._directed: bool | None = None  # None: no graph yet
        # The attribute names of labels and of weights.
        self._meant = {"node": None if options.label == "id" else options.label, "edge": None}
        self._keys: dict[str, dict[str, _Key]] = {"node": {}, "edge": {}}  # by id
        self._defaults: dict[str, dict[str, _Value]] = {"node": {}, "edge": {}}  # by attribute name
        self._item: dict[str, str] = {}  # attributes of the open node, edge or key
        self._values: dict[str, _Value] = {}  # data of the open node or edge, by attribute name
        self._line = 0  # the first line of the open node or edge
        self._key: _Key | None = None  # the key of the text that is read
        self._text: list[str] = []
        self._length = 0
        self._parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._take
        parser.CommentHandler = lambda text: self._gathering.see_comment(text, parser.CurrentLineNumber)
        parser.StartDoctypeDeclHandler = self._refuse_declaration

    def read(self, handle: BinaryIO) -> Edges:
        """The graph."""
        read = 0
        try:
            while block := handle.read(_BLOCK):
                self._parser.Parse(block, False)
                read += len(block)
                if read - max(self._parser.CurrentByteIndex, 0) > _LONGEST_TAG:
                    raise self._fault(f"a tag or a comment is longer than {_LONGEST_TAG:,} bytes")
                self._gathering.check_room()
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            what = f"this is not XML: {expat.errors.messages[error.code]}; is the file cut short?"
            raise FormatError(self._path, what, error.lineno) from error
        except LookupError as error:
            raise FormatError(self._path, f"{error}: save it as UTF-8", 1) from error
        if self._directed is None:
            raise FormatError(self._path, "there is no <graph> in this file")
        weight = self._meant["edge"]
        real = any(_name_of(key) == weight and key.get("attr.type") in _REALS for key in self._keys["edge"].values())
        return self._gathering.finish(self._directed, weighted=weight is not None, real=real)

    def _fault(self, what: str, line: int | None = None) -> FormatError:
        return FormatError(self._path, what, self._parser.CurrentLineNumber if line is None else line)

    def _refuse_declaration(self, *_: Any) -> None:
        raise self._fault("a document type declaration is refused, because it may declare entities: remove it")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]  # without the namespace
        if self._skipped:
            self._skipped += 1
            if self._skipped > _DEEPEST:
                raise self._fault(f"elements are nested more than {_DEEPEST} deep")
            return
        parent = self._within[-1] if self._within else ""
        follow = _FOLLOWED.get((parent, name))
        if follow is None:
            self._check_other(parent, name)
            self._skipped = 1
            return
        self._within.append(name)
        follow(self, attributes)

    def _check_other(self, parent: str, name: str) -> None:
        """Refuse elements of unsupported kinds of graphs, and elements that show that the file is not GraphML."""
        if not parent:
            raise self._fault(f"the first element is <{name[:40]}>, but that of a GraphML file is <graphml>")
        if parent == "node" and name == "graph":
            raise self._fault("a graph within a node can't be read")
        if name == "hyperedge":
            raise self._fault("an edge of more than two nodes can't be read")

    def _end(self, _: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        name = self._within.pop()
        if name in ("data", "default"):
            self._end_text(name)
        elif name == "node":
            self._gathering.add_vertex(self._item["id"], self._meant_value("node"), self._line, self._kept("node"))
        elif name == "edge":
            ends = self._item["source"], self._item["target"]
            self._gathering.add_edge(*ends, self._meant_value("edge"), self._line, self._kept("edge"))

    def _kept(self, kind: str) -> dict[str, Any]:
        """The attributes of the node or edge that are kept, by name."""
        if not self._options.attributes:
            return {}
        found = {}
        for name, (key, text) in (self._defaults[kind] | self._values).items():
            if name != self._meant[kind]:
                try:
                    found[name] = _VALUES.get(key.get("attr.type", "string"), str)(text)
                except (ValueError, KeyError):
                    what = f"the attribute {name!r} is {text[:40]!r}, but its type is {key['attr.type']}"
                    raise self._fault(what, self._line) from None
        return found

    def _meant_value(self, kind: str) -> str | None:
        """The label of the node or the weight of the edge."""
        name = self._meant[kind]
        if name is None:
            return None
        value = self._values.get(name, self._defaults[kind].get(name))
        return None if value is None else value[1].strip(_SPACE)

    def _take(self, text: str) -> None:
        if self._key is None or self._skipped:
            return
        self._text.append(text)
        self._length += len(text)
        if self._length > LONGEST_VALUE:
            raise self._fault(f"a value is longer than {LONGEST_VALUE:,} characters")

    def _end_text(self, name: str) -> None:
        if self._key is not None:
            value = self._key, "".join(self._text)
            if name == "data":
                self._values[_name_of(self._key)] = value
            else:
                for kind in _kinds_of(self._key):
                    self._defaults[kind].setdefault(_name_of(self._key), value)
        self._key, self._length = None, 0
        self._text.clear()

    # --- elements that are processed ---------------------------------------------------------------------------------

    def _open_root(self, _: dict[str, str]) -> None:
        """``<graphml>``."""

    def _open_key(self, attributes: dict[str, str]) -> None:
        """An attribute of nodes or edges."""
        self._item = attributes
        key = attributes.get("id")
        if key is None:
            raise self._fault("a <key> needs an id")
        if self._directed is not None:
            raise self._fault("a <key> stands after the graph, but keys come first: move it")
        for kind in _kinds_of(attributes):
            if key in self._keys[kind]:
                raise self._fault(f"another <key> of {kind}s has the id {key!r}: give each key an id of its own")
            self._keys[kind][key] = attributes

    def _open_default(self, _: dict[str, str]) -> None:
        self._key = self._item

    def _open_graph(self, attributes: dict[str, str]) -> None:
        if self._directed is not None:
            raise self._fault("there is another <graph>: give each graph a file of its own")
        kind = attributes.get("edgedefault")
        if kind not in ("directed", "undirected"):
            raise self._fault(f"edgedefault of a <graph> must be 'directed' or 'undirected', got {kind!r}")
        self._directed = kind == "directed"
        options, known = self._options, {_name_of(key) for key in self._keys["edge"].values()}
        if options.attribute is not None and options.attribute not in known:
            told = ", ".join(sorted(known)) or "none"
            raise self._fault(f"edges have no attribute {options.attribute!r}; their attributes are {told}")
        if options.weights:  # the first name listed counts
            names = WEIGHTS if options.attribute is None else (options.attribute,)
            self._meant["edge"] = next((name for name in names if name in known), None)

    def _open_node(self, attributes: dict[str, str]) -> None:
        self._open_item(attributes, "node", ("id",))

    def _open_edge(self, attributes: dict[str, str]) -> None:
        self._open_item(attributes, "edge", ("source", "target"))
        kind = attributes.get("directed")
        if kind is not None and kind != ("true" if self._directed else "false"):
            raise self._fault(f"this edge has directed={kind!r}, unlike edgedefault of the graph: both must agree")

    def _open_item(self, attributes: dict[str, str], name: str, needed: tuple[str, ...]) -> None:
        self._item, self._values, self._line = attributes, {}, self._parser.CurrentLineNumber
        for each in needed:
            if each not in attributes:
                raise self._fault(f"this <{name}> has no {each!r}")

    def _open_data(self, attributes: dict[str, str]) -> None:
        kind = self._within[-2]
        key = self._keys[kind].get(attributes.get("key", ""))
        if key is None or not (self._options.attributes or _name_of(key) == self._meant[kind]):
            return
        if _name_of(key) in self._values:
            raise self._fault(f"this {kind} has two values for {_name_of(key)!r}")
        self._key = key


def _name_of(key: _Key) -> str:
    """The name of an attribute: the id of its key if there is no other."""
    return key.get("attr.name", key["id"])


def _kinds_of(key: _Key) -> list[str]:
    """What a key is for: nodes, edges, or both."""
    return [kind for kind in ("node", "edge") if key.get("for", "all") in (kind, "all")]


_FOLLOWED = {  # by the parent element and the element
    ("", "graphml"): _Reader._open_root,
    ("graphml", "key"): _Reader._open_key,
    ("key", "default"): _Reader._open_default,
    ("graphml", "graph"): _Reader._open_graph,
    ("graph", "node"): _Reader._open_node,
    ("graph", "edge"): _Reader._open_edge,
    ("node", "data"): _Reader._open_data,
    ("edge", "data"): _Reader._open_data,
}


def write(graph: Graph, path: Path, labels: Labels | None = None) -> None:
    """Write `graph`, with labels as the ids of nodes."""
    names = names_of(graph, labels, path)
    for name in names:
        if refused := _NO_XML.search(name):
            what = f"the label {name!r} has the character {refused[0]!r}, which XML can't hold"
            raise FormatError(path, f"{what}: remove the character")
    ids = [quoteattr(name) for name in names]
    weight = "" if graph.weights is None else '<data key="weight">{}</data>'
    columns = {
        "node": written(graph.vertex_columns, path, (), _NAME),
        "edge": written(graph.edge_columns, path, taken_by_weights(graph), _NAME),
    }
    with replacing(path) as handle:
        handle.write(_head(graph, columns).encode())
        nodes = zip(ids, rows_of(columns["node"], len(ids)), strict=True)
        _write_lines(handle, (_element(f"node id={name}", "node", "", row, path) for name, row in nodes))
        rows = rows_of(columns["edge"], graph.num_edges if columns["edge"] else 0)
        for part in edges_of(graph, "INF"):
            _write_lines(
                handle,
                (
                    _element(f"edge source={ids[u]} target={ids[v]}", "edge", weight.format(w), next(rows, []), path)
                    for u, v, w in part
                ),
            )
        handle.write(b"  </graph>\n</graphml>\n")


def _element(tag: str, kind: str, data: str, row: list[tuple[Written, str]], path: Path) -> str:
    """A node or an edge with its data."""
    for column, text in row:
        if refused := _NO_XML.search(text):
            what = f"the column {column.name!r} has a value with the character {refused[0]!r}, which XML can't hold"
            raise FormatError(path, f"{what}: remove the character")
        data += f"<data key={_id_of(kind, column)}>{escape(text, _CARRIAGE)}</data>"
    return f"    <{tag}>{data}</{kind}>" if data else f"    <{tag}/>"


def _id_of(kind: str, column: Written) -> str:
    """The id of a column's key, in quotation marks."""
    return quoteattr(f"{kind} {column.name}")


def _head(graph: Graph, columns: dict[str, list[Written]]) -> str:
    keys, directed = "", "directed" if graph.directed else "undirected"
    if graph.weights is not None:
        keys = f'  <key id="weight" for="edge" attr.name="weight" attr.type="{_TYPES[graph.weights.dtype.name]}"/>\n'
    for kind, those in columns.items():
        for column in those:
            name = f"attr.name={quoteattr(column.name)}"
            keys += f'  <key id={_id_of(kind, column)} for="{kind}" {name} attr.type="{column.kind}"/>\n'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<!-- {note_of(graph)} -->\n"
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n{keys}  <graph edgedefault="{directed}">\n'
    )


def _write_lines(handle: BinaryIO, lines: Any) -> None:
    text = "\n".join(lines)
    handle.write(f"{text}\n".encode() if text else b"")
