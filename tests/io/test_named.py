"""GraphML and GML: small files, right and wrong, names of vertices, and what NetworkX reads and writes."""

import gzip
import math
import re

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.graphs.convert import edge_arrays

NODES = '<node id="a"/><node id="b"/><node id="c"/>'
WEIGHT = '<key id="w" for="edge" attr.name="weight" attr.type="{}"/>'

TWO_WEIGHTS = WEIGHT.format("int") + WEIGHT.format("double").replace('"w"', '"d"')


def xml(inside, *, before="", kind="undirected"):
    head = '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    return f'{head}{before}<graph edgedefault="{kind}">\n{inside}\n</graph>\n</graphml>\n'


def edge(source, target, *values):
    inside = "".join(f'<data key="{key}">{value}</data>' for key, value in values)
    return f'<edge source="{source}" target="{target}">{inside}</edge>'


GML = "graph [\n{} node [ id 5 ] node [ id 7 ] node [ id 1 ]\n{}\n]\n"

RIGHT = {  # name of the file: (text, options, directed, names, [(src, dst, weight)])
    "plain.graphml": (xml(NODES + edge("a", "b") + edge("c", "b")), {}, False, "abc", [(0, 1), (1, 2)]),
    "directed.graphml": (xml(NODES + edge("c", "a"), kind="directed"), {}, True, "abc", [(2, 0)]),
    "no_edges.graphml": (xml(NODES), {}, False, "abc", []),
    "nothing.graphml": (xml(""), {}, False, "", []),
    "prefix.graphml": (
        '<g:graphml xmlns:g="x"><g:graph edgedefault="directed"><g:node id="a"/></g:graph></g:graphml>',
        {},
        True,
        "a",
        [],
    ),
    "no_namespace.graphml": (
        f'<graphml><graph edgedefault="directed">{NODES}</graph></graphml>',
        {},
        True,
        "abc",
        [],
    ),
    "edges_first.graphml": (xml(edge("b", "a") + NODES), {"directed": True}, True, "bac", [(0, 1), (1, 0)]),
    "whole.graphml": (
        xml(NODES + edge("a", "b", ("w", " 5\n")) + edge("b", "c", ("w", "-6")), before=WEIGHT.format("int")),
        {},
        False,
        "abc",
        [(0, 1, 5), (1, 2, -6)],
    ),
    "double.graphml": (
        xml(NODES + edge("a", "b", ("w", 5)), before=WEIGHT.format("double")),
        {},
        False,
        "abc",
        [(0, 1, 5.0)],
    ),
    "two_keys.graphml": (
        xml(NODES + edge("a", "b", ("w", 5)) + edge("b", "c", ("d", 2.5)), before=TWO_WEIGHTS),
        {},
        False,
        "abc",
        [(0, 1, 5.0), (1, 2, 2.5)],
    ),
    "infinite.graphml": (
        xml(NODES + edge("a", "b", ("w", "INF")), before=WEIGHT.format("double")),
        {},
        False,
        "abc",
        [(0, 1, np.inf)],
    ),
    "default.graphml": (
        xml(
            NODES + edge("a", "b") + edge("b", "c", ("w", 7)),
            before=WEIGHT.format("int").replace("/>", "><default>3</default></key>"),
        ),
        {},
        False,
        "abc",
        [(0, 1, 3), (1, 2, 7)],
    ),
    "other.graphml": (
        xml(NODES + edge("a", "b", ("w", 5), ("d1", "0.5")), before='<key id="d1" for="all" attr.name="length"/>'),
        {"weights": "length"},
        False,
        "abc",
        [(0, 1, 0.5)],
    ),
    "value.graphml": (
        xml(NODES + edge("a", "b", ("d1", 5)), before='<key id="d1" for="edge" attr.name="value"/>'),
        {},
        False,
        "abc",
        [(0, 1, 5)],
    ),
    "no_name.graphml": (
        xml(NODES + edge("a", "b", ("weight", 5)), before='<key id="weight" for="edge"/>'),
        {},
        False,
        "abc",
        [(0, 1, 5)],
    ),
    "of_nodes.graphml": (
        xml('<node id="a"><data key="w">x</data></node>', before=WEIGHT.format("string").replace("edge", "node")),
        {},
        False,
        "a",
        [],
    ),
    "no_weights.graphml": (
        xml(NODES + edge("a", "b", ("w", "nan")), before=WEIGHT.format("double")),
        {"weights": False},
        False,
        "abc",
        [(0, 1)],
    ),
    "other_elements.graphml": (
        xml(
            '<desc>x</desc><node id="a"><data key="k"><y:Node xmlns:y="y"><y:data key="w">8</y:data></y:Node></data>'
            '<port name="p"/></node><node id="b"/>'
            '<edge source="a" target="b" directed="false" sourceport="p"><desc>6</desc>'
            '<data key="w"><y:y xmlns:y="y">9</y:y>5</data></edge>',
            before='<key id="k" for="node" yfiles.type="nodegraphics"/>' + WEIGHT.format("int"),
        ),
        {},
        False,
        "ab",
        [(0, 1, 5)],
    ),
    "latin.graphml": (
        '<?xml version="1.0" encoding="iso-8859-1"?><graphml><graph edgedefault="directed"/></graphml>',
        {},
        True,
        "",
        [],
    ),
    "plain.gml": (GML.format("", "edge [ source 5 target 1 ]"), {}, False, [5, 7, 1], [(0, 2)]),
    "directed.gml": (GML.format("directed 1", "edge [ source 7 target 5 ]"), {}, True, [5, 7, 1], [(1, 0)]),
    "one_line.gml": ("graph[node[id 0]node[id 1]edge[source 1 target 0 w 5]]", {}, False, [0, 1], [(0, 1, 5)]),
    "late.gml": ("graph [ edge [ target 3 source 4 ] node [id 3] node [id 4] directed 1 ]", {}, True, [4, 3], [(0, 1)]),
    "far.gml": (
        f"graph [ node [id {10**20 + 1}] node [id -{10**99}] edge [source {10**20 + 1} target -{10**99}] ]",
        {},
        False,
        [10**20 + 1, -(10**99)],
        [(0, 1)],
    ),
    "far_label.gml": (f"graph [ node [id 1 label {10**23 + 7}] ]", {}, False, [10**23 + 7], []),
    "nothing.gml": ("graph []", {}, False, [], []),
    "others.gml": (
        'Creator "me"\nVersion 1\n# c ]\n\ngraph [\n comment "[ node\nid 9 #"\n label "x"\n'
        ' node [ id 0 graphics [ x 1.5 fill "#0" ] label "a" ]\n'
        ' node [ id 1 label "b" LabelGraphics [ ] ]\n edge [ source 0 target 1 label "e" value 2.5 line [ p 1 ] ]\n]\n',
        {},
        False,
        "ab",
        [(0, 1, 2.5)],
    ),
    "texts.gml": (
        'graph [ node [ id "x" label "a&#38;&quot;&amp;&auml;" ] node [ id "y" label "two\nlines" ] edge [\n'
        'source "y" target "x" weight -1e3 ] ]',
        {"directed": True},
        True,
        ['a&"&ä', "two\nlines"],
        [(0, 1, -1000.0), (1, 0, -1000.0)],
    ),
    "numbers.gml": ("graph [ node [ id 0 label 10 ] node [ id 1 label 2.5 ] ]", {}, False, [10, "2.5"], []),
    "infinite.gml": (
        GML.format("", "edge [ source 5 target 1 weight +INF ] edge [ source 5 target 7 weight -inf ]"),
        {},
        False,
        [5, 7, 1],
        [(0, 1, -np.inf), (0, 2, np.inf)],
    ),
    "other.gml": (
        GML.format("", "edge [ source 5 target 1 weight 3 capacity 4 ]"),
        {"weights": "capacity"},
        False,
        [5, 7, 1],
        [(0, 2, 4)],
    ),
    "first_name.gml": (
        GML.format("", "edge [ source 5 target 1 value 3 weight 4 ]"),
        {},
        False,
        [5, 7, 1],
        [(0, 2, 4)],
    ),
    "no_weights.gml": (
        GML.format("", "edge [ source 5 target 1 weight x ]"),
        {"weights": False},
        False,
        [5, 7, 1],
        [(0, 2)],
    ),
    "crlf.gml": ("graph [\r\nnode [\r\nid 0\r\n]\r\n]\r\n", {}, False, [0], []),
    "mark.gml": ("\ufeffgraph [ node [ id 0 ] ]", {}, False, [0], []),
}

WRONG = {  # name of the file: (text, options, line, what the message says)
    "empty.graphml": ("", {}, 1, "this is not XML: no element found"),
    "text.graphml": ("0 1\n", {}, 1, "this is not XML: syntax error"),
    "cut.graphml": (xml(NODES)[:-20], {}, 5, "is the file cut short"),
    "not_closed.graphml": (xml(NODES).replace("/>", ">"), {}, 5, "this is not XML: mismatched tag"),
    "html.graphml": ("<html></html>", {}, 1, "the first element is <html>, but that of a GraphML file is <graphml>"),
    "no_graph.graphml": ("<graphml></graphml>", {}, None, "there is no <graph>"),
    "no_kind.graphml": (xml("").replace("edgedefault", "kind"), {}, 3, "must be 'directed' or 'undirected', got None"),
    "two.graphml": (xml('</graph>\n<graph edgedefault="directed">'), {}, 5, "there is another <graph>"),
    "nested.graphml": (xml('<node id="a">\n<graph edgedefault="directed"/></node>'), {}, 5, "a graph within a node"),
    "hyper.graphml": (xml(NODES + "\n<hyperedge/>"), {}, 5, "more than two nodes"),
    "mixed.graphml": (
        xml(NODES + '\n<edge source="a" target="b" directed="true"/>'),
        {},
        5,
        "this edge has directed='true', unlike edgedefault",
    ),
    "no_id.graphml": (xml("<node/>"), {}, 4, "this <node> has no 'id'"),
    "no_target.graphml": (xml(NODES + '<edge source="a"/>'), {}, 4, "this <edge> has no 'target'"),
    "twice.graphml": (xml(NODES + '\n<node id="b"/>'), {}, 5, "the node 'b' is there twice"),
    "unknown.graphml": (xml(NODES + "\n" + edge("a", "x")), {}, 5, "an edge ends at 'x', which is no node"),
    "word.graphml": (
        xml(NODES + "\n" + edge("a", "b", ("w", "heavy")), before=WEIGHT.format("int")),
        {},
        5,
        "'heavy' is not a weight",
    ),
    "nan.graphml": (
        xml(NODES + "\n" + edge("a", "b", ("w", "NaN")), before=WEIGHT.format("double")),
        {},
        5,
        "NaN; pass weights=False",
    ),
    "some.graphml": (
        xml(f"{NODES}{edge('a', 'b', ('w', 5))}\n{edge('b', 'c')}", before=WEIGHT.format("int")),
        {},
        5,
        "this edge has no weight, unlike the edge in line 4",
    ),
    "attribute.graphml": (
        xml(NODES + edge("a", "b"), before=WEIGHT.format("int")),
        {"weights": "length"},
        3,
        "edges have no attribute 'length'; their attributes are weight",
    ),
    "key.graphml": ("<graphml><key/></graphml>", {}, 1, "a <key> needs an id"),
    "same_id.graphml": (
        xml("", before=WEIGHT.format("int") + "\n" + WEIGHT.format("double")),
        {},
        4,
        "another <key> of edges has the id 'w'",
    ),
    "same_data.graphml": (
        xml(NODES + "\n" + edge("a", "b", ("w", 1), ("w", 2)), before=WEIGHT.format("int")),
        {},
        5,
        "this edge has two values for 'weight'",
    ),
    "same_name.graphml": (
        xml(NODES + "\n" + edge("a", "b", ("w", 1), ("d", 2)), before=TWO_WEIGHTS),
        {},
        5,
        "this edge has two values for 'weight'",
    ),
    "late_key.graphml": (xml("").replace("</graphml>", '<key id="a"/></graphml>'), {}, 6, "keys come first"),
    "entities.graphml": (
        '<?xml version="1.0"?>\n<!DOCTYPE graphml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n' + xml("")[22:],
        {},
        2,
        "a document type declaration is refused",
    ),
    "external.graphml": (
        '<!DOCTYPE graphml [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>',
        {},
        1,
        "a document type declaration is refused",
    ),
    "undeclared.graphml": (xml('<node id="&a;"/>'), {}, 4, "this is not XML: undefined entity"),
    "encoding.graphml": ('<?xml version="1.0" encoding="klingon"?><graphml/>', {}, 1, "klingon"),
    "deep.graphml": (xml("<x>" * 200), {}, 4, "more than 100 deep"),
    "long_value.graphml": (
        xml(NODES + edge("a", "b", ("w", "1" * 70_000)), before=WEIGHT.format("int")),
        {},
        4,
        "a value is longer than 65,536 characters",
    ),
    "note_count.graphml": (
        "<!-- minigr: 2 vertices, undirected, unweighted -->" + xml(NODES)[22:],
        {},
        1,
        "says 2 vertices, but there are 3",
    ),
    "note_way.graphml": (
        "<!-- minigr: 3 vertices, directed, unweighted -->" + xml(NODES)[22:],
        {},
        1,
        "says that edges are directed",
    ),
    "note_weights.gml": (
        "# minigr: 3 vertices, undirected, int32 weights\n" + GML.format("", "edge [ source 5 target 1 ]"),
        {},
        1,
        "weights, but the rows have none",
    ),
    "empty.gml": ("", {}, None, "there is no list called graph"),
    "graphs.gml": ("graph [ ]\ngraph [ ]", {}, 2, "there is another graph"),
    "cut.gml": ("graph [\n node [\n id 0\n", {}, 3, "ends within the list that begins in line 2"),
    "cut_text.gml": ('graph [ label "x\n\n', {}, 2, "the file ends within"),
    "cut_value.gml": ("Version", {}, 1, "the file ends within a value"),
    "closed.gml": ("graph [\n]\n]\n", {}, 3, "']' ends no list"),
    "no_value.gml": ("graph [ directed\n]", {}, 2, "the key 'directed' has no value"),
    "no_key.gml": ("graph [\n 5 ]", {}, 2, "expected a key before '5'"),
    "list.gml": ("graph [\n [ ] ]", {}, 2, "expected a key before '\\['"),
    "sign.gml": ("graph [\n ; ]", {}, 2, "';' begins no key, number, text or list"),
    "way.gml": ("graph [\n directed yes ]", {}, 2, "directed must be 0 or 1, got 'yes'"),
    "no_id.gml": ("graph [\n node [ ] ]", {}, 2, "this node has no 'id'"),
    "no_target.gml": ("graph [ node [ id 0 ]\nedge [ source 0 ] ]", {}, 2, "this edge has no 'target'"),
    "real_id.gml": ("graph [ node [\nid 1.5 ] ]", {}, 1, "the id '1.5' is no whole number"),
    "digits.gml": (f"graph [ node [ id {'1' * 641} ] ]", {}, 1, "is no whole number of at most 640 digits"),
    "far.gml": (
        f"graph [ node [ id {10**21} ]\nnode [ id 1 ]\nedge [ source {10**22 + 5} target 1 ] ]",
        {},
        3,
        f"an edge ends at {10**22 + 5}, which is no node",
    ),
    "twice.gml": ("graph [ node [ id 0 ]\nnode [ id 0 ] ]", {}, 2, "the node 0 is there twice"),
    "two_values.gml": ("graph [ node [ id 0\nid 1 ] ]", {}, 2, "this node has two values for 'id'"),
    "unknown.gml": (
        "graph [ node [ id 0 ]\nedge [ source 0 target 1 ] ]",
        {},
        2,
        "an edge ends at 1, which is no node",
    ),
    "word.gml": (GML.format("", "edge [ source 5 target 1 weight x ]"), {}, 3, "'x' is not a weight"),
    "some.gml": (
        GML.format("", "edge [ source 5 target 1 ]\nedge [ source 5 target 7 weight 2 ]"),
        {},
        4,
        "this edge has a weight, unlike the edge in line 3",
    ),
    "attribute.gml": (
        GML.format("", "edge [ source 5 target 1 weight 2 ]"),
        {"weights": "length"},
        3,
        "this edge has no 'length', its weight",
    ),
    "deep.gml": ("x [ " * 200, {}, 1, "more than 100 deep"),
    "long_value.gml": (f'graph [ label "{"x" * 70_000}" ]', {}, 1, "a value is longer than 65,536 characters"),
    "long_text.gml": ('graph [ label "' + "\n" * 70_000, {}, 65538, "a text is longer than 65,536 characters"),
    "zero_byte.gml": ("graph [ \x00 ]", {}, 1, "begins no key, number"),
}


@pytest.fixture(params=["plain", "gz"])
def place(request, tmp_path):
    """A function that makes a file of a text."""

    def make(name, text):
        path = tmp_path / (name + (".gz" if request.param == "gz" else ""))
        path.write_bytes(gzip.compress(text.encode()) if request.param == "gz" else text.encode())
        return path

    return make


@pytest.mark.parametrize("name", RIGHT)
def test_right(place, name):
    text, options, directed, names, edges = RIGHT[name]
    path = place(name, text)
    graph, labels = mg.read_named(path, device="cpu", **options)
    assert (graph.directed, list(labels)) == (directed, list(names))
    columns = [column.tolist() for column in edge_arrays(graph) if column is not None]
    assert list(zip(*columns, strict=True)) == edges
    if edges and len(edges[0]) == 3:
        assert graph.weights.dtype == (np.int32 if isinstance(edges[0][2], int) else np.float64)
    again = mg.read(path, device="cpu", **options)
    for one, other in zip(again.to_edges(), graph.to_edges(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", WRONG)
def test_wrong(place, name):
    text, options, line, says = WRONG[name]
    path = place(name, text)
    for read in (mg.read, mg.read_named):
        with pytest.raises(FormatError, match=says) as raised:
            read(path, device="cpu", **options)
        assert (raised.value.line, raised.value.path) == (line, str(path))


@pytest.mark.parametrize("name", [name for name in RIGHT if RIGHT[name][-1]])
def test_cut_anywhere(place, name):
    path = place(name, RIGHT[name][0])
    data = path.read_bytes()
    for end in range(0, len(data.rstrip(b"\n")), max(1, len(data) // 60)):
        path.write_bytes(data[:end])
        with pytest.raises(FormatError):
            mg.read(path, device="cpu", **RIGHT[name][1])


def test_bytes_that_are_no_text(tmp_path):
    for name, content, says in (
        ("a.gml", b'graph [\n node [ id 0 label "\xe4" ] ]', r"gml:2: .* of UTF-8"),
        (
            "a.graphml",
            b'<graphml>\n<graph edgedefault="\xe4"/></graphml>',
            r"graphml:2: this is not XML: not well-formed",
        ),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FormatError, match=says):
            mg.read(tmp_path / name, device="cpu")
    text = xml('<node id="\u00e4"/>').replace('"1.0"', '"1.0" encoding="utf-16"')
    (tmp_path / "a.graphml").write_bytes(text.encode("utf-16"))
    assert list(mg.read_named(tmp_path / "a.graphml", device="cpu")[1]) == ["ä"]


def test_tags_and_lines_without_an_end(tmp_path):
    path = tmp_path / "a.graphml.gz"
    path.write_bytes(gzip.compress(b"<graphml><!-- " + b"x" * 6_000_000))
    with pytest.raises(FormatError, match="a tag or a comment is longer than 4,194,304 bytes"):
        mg.read(path, device="cpu")


# --- names -----------------------------------------------------------------------------------------------------------


def test_which_attribute_is_the_name(tmp_path):
    path = tmp_path / "a.gml"
    path.write_text('graph [ node [ id 3 label "x" city "Rome" ] node [ id 4 label "x" city "Oslo" ] ]')
    assert list(mg.read_named(path, label="city", device="cpu")[1]) == ["Rome", "Oslo"]
    assert list(mg.read_named(path, label="id", device="cpu")[1]) == [3, 4]
    with pytest.raises(FormatError, match=r"a\.gml: the label 'x' is there twice.*; pass label='id'"):
        mg.read_named(path, device="cpu")
    assert mg.read(path, device="cpu").num_vertices == 2
    with pytest.raises(FormatError, match=r"a\.gml:1: the node 3 has no 'name'; pass another label="):
        mg.read_named(path, label="name", device="cpu")
    path.write_text('graph [ node [ id 3 ] node [ id 4 label "x" ] ]')
    with pytest.raises(FormatError, match="the node 3 has no label, unlike other nodes: pass label='id'"):
        mg.read_named(path, device="cpu")

    path = tmp_path / "a.graphml"
    path.write_text(
        xml(
            '<node id="n0"><data key="d">Rome</data></node><node id="n1"/>',
            before='<key id="d" for="node" attr.name="city" attr.type="string"><default>Oslo</default></key>',
        )
    )
    assert list(mg.read_named(path, label="city", device="cpu")[1]) == ["Rome", "Oslo"]
    assert list(mg.read_named(path, device="cpu")[1]) == ["n0", "n1"]
    with pytest.raises(FormatError, match="the node 'n0' has no 'label'"):
        mg.read_named(path, label="label", device="cpu")


NAMES = ['a "quoted" & <b>', "tab\tline\nend\r", "ÄÖ ☃ \U0001f600", "  blanks ", ""]


@pytest.mark.parametrize("ending", ["graphml", "gml", "graphml.gz"])
def test_written_names_are_read_again(tmp_path, device, ending):
    graph = mg.Graph.from_edges([0, 1, 4, 4], [2, 3, 4, 0], [0.1, 2.0, 3.0, 1e-300], directed=True, device=device)
    path = tmp_path / f"a.{ending}"
    mg.write(graph, path, labels=mg.Labels(NAMES))
    again, labels = mg.read_named(path, device=device)
    assert list(labels) == NAMES
    for one, other in zip(again.to_edges(), graph.to_edges(), strict=True):
        np.testing.assert_array_equal(CPU.asarray(one), CPU.asarray(other))
    mg.write(graph, path)
    assert list(mg.read_named(path, device=device)[1]) == list("01234")


@pytest.mark.parametrize("ending", ["graphml", "gml"])
def test_vertices_without_edges_are_left_out_with_their_names(tmp_path, device, ending):
    graph = mg.Graph.from_edges([1, 4], [3, 1], num_vertices=6, device=device).with_columns({"age": range(6)})
    mg.write(graph, tmp_path / f"a.{ending}", labels=mg.Labels("abcdef"))
    found, labels = mg.read_named(tmp_path / f"a.{ending}", relabel=True, attributes=True, device=device)
    assert "".join(labels) == "bde"
    assert [column.tolist() for column in found.to_edges()[:2]] == [[0, 0], [1, 2]]
    assert found.vertex_columns["age"].tolist() == [1, 3, 4]


def test_names_that_can_not_be_written(tmp_path):
    graph = mg.generate.path(2, device="cpu")
    for labels, ending, error, says in (
        (mg.Labels(["a"]), "gml", GraphError, "there are 1 labels, but 2 vertices"),
        (mg.Labels([1, "1"]), "gml", FormatError, "two labels are '1' as text"),
        (mg.Labels(["a", "x" * 65_537]), "gml", FormatError, "there is a label of more than 65,536 characters"),
        (mg.Labels(["a", "x" * 65_537]), "graphml", FormatError, "there is a label of more than 65,536 characters"),
        (
            mg.Labels(["a", "b\x01"]),
            "graphml",
            FormatError,
            r"the label 'b\x01' has the character '\x01', which XML can't hold",
        ),
        (mg.Labels(["a", "b"]), "mtx", FormatError, "the format mtx has no place for labels: write graphml or gml"),
        (["a", "b"], "gml", GraphError, "labels must be mg.Labels, got list"),
    ):
        with pytest.raises(error, match=re.escape(says)):
            mg.write(graph, tmp_path / f"a.{ending}", labels=labels)
        assert not list(tmp_path.iterdir())


def test_formats_without_names(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("0 1 5\n")
    with pytest.raises(FormatError, match="vertices have no names in the format edges, only in graphml and gml"):
        mg.read_named(path, device="cpu")
    with pytest.raises(
        FormatError, match="has no attributes of edges, such as 'length', only graphml and gml have these"
    ):
        mg.read(path, weights="length", device="cpu")


def test_a_folder_of_what_was_read(tmp_path):
    source, into = tmp_path / "a.gml", tmp_path / "a.minigr"
    source.write_text(GML.format("directed 1", "edge [ source 5 target 1 length 2.5 ]"))
    mg.convert(source, into, weights="length")
    assert mg.read(into, device="cpu").to_edges()[2].tolist() == [2.5]
    with pytest.raises(FormatError, match=r"a\.gml: holds a whole graph"):
        mg.read([source, source], device="cpu")
    with pytest.raises(mg.errors.EstimateError, match="only reading the file tells"):
        mg.memory.estimate(mg.read, source, device="cpu")


# --- NetworkX --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["graphml", "gml"])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_what_networkx_writes_and_reads(tmp_path, ending, kind):
    rng = np.random.default_rng(2)
    theirs = kind((f"v{u}", f"v{v}") for u, v in rng.integers(0, 12, (40, 2)))
    weights = rng.random(len(theirs.edges)).round(3).tolist()
    for held, weight in zip((data for *_, data in theirs.edges(data=True)), weights, strict=True):
        held["weight"] = weight
    path = tmp_path / f"a.{ending}"
    getattr(nx, f"write_{ending}")(theirs, path)
    graph, labels = mg.read_named(path, device="cpu")
    assert list(labels) == list(theirs)
    ordered = mg.Graph.from_networkx(theirs, "weight", device="cpu")
    for one, other in zip(graph.to_edges(), ordered.to_edges(), strict=True):
        np.testing.assert_array_equal(one, other)
    mg.write(graph, path, labels=labels)
    again = getattr(nx, f"read_{ending}")(path)
    assert again.is_directed() == theirs.is_directed()
    triples = [sorted((*sorted(e[:2]), e[2]) if not each.is_directed() else e for e in each.edges(data="weight"))
               for each in (again, theirs)]  # fmt: skip
    assert triples[0] == triples[1]


@pytest.mark.parametrize("blank", " \t")
def test_blanks_at_the_end_of_a_line_take_no_time(tmp_path, blank):
    many = blank * 1_000_000  # hours, if each was tried
    (tmp_path / "a.gml").write_text(f'graph [ node [ id 1 label "x {blank}\n" ]{many}\n]{many}')
    assert list(mg.read_named(tmp_path / "a.gml", device="cpu")[1]) == [f"x {blank}\n"]


def test_gml_of_infinite_values_and_of_codes_of_no_character(tmp_path):
    path = tmp_path / "a.gml"
    graph = mg.generate.path(2, device="cpu").with_columns({"value": [-math.inf, math.inf]})
    mg.write(graph, path)
    found, _ = mg.read_named(path, attributes=True, device="cpu")
    assert found.vertex_columns["value"].tolist() == [-math.inf, math.inf]
    path.write_text('graph [ node [ id 0 label "&#1114112;&#65;" ] ]')
    assert list(mg.read_named(path, device="cpu")[1]) == ["&#1114112;A"]
