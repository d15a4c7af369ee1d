"""Small files of every text format, right and wrong; the wrong ones must be refused at the right line."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pytest

from minigr.errors import FormatError
from minigr.graphs.convert import edge_arrays
from minigr.io import read

BANNER = "%%MatrixMarket matrix coordinate real general\n"

RIGHT = {  # name of the file: (text, options, directed, number of vertices, [(src, dst, weight)])
    "tabs.txt": ("# a\n% b\n\n0\t1\n2\t1\n", {}, False, 3, [(0, 1), (1, 2)]),
    "blanks.el": ("0 1 \n 2  1\n", {"directed": True}, True, 3, [(0, 1), (2, 1)]),
    "crlf.txt": ("# a\r\n0 1\r\n2 1", {}, False, 3, [(0, 1), (1, 2)]),
    "weights.wel": ("0 1 5\n2 1 -6 # why\n", {}, False, 3, [(0, 1, 5), (1, 2, -6)]),
    "extremes.wel": (f"0 1 {-(2**31)}\n2 1 {2**31 - 1}\n", {}, False, 3, [(0, 1, -(2**31)), (1, 2, 2**31 - 1)]),
    "above_int32.wel": (f"0 1 {2**31}\n", {}, False, 2, [(0, 1, 2**31)]),
    "below_int32.wel": (f"0 1 {-(2**31) - 1}\n", {}, False, 2, [(0, 1, -(2**31) - 1)]),
    "reals.txt": ("0 1 .5\n2 1 1e3\n", {}, False, 3, [(0, 1, 0.5), (1, 2, 1000.0)]),
    "no_weights.txt": ("0 1 nan\n", {"weights": False}, False, 2, [(0, 1)]),
    "commas.csv": ("0,1, 5\n2 ,1,6\n", {}, False, 3, [(0, 1, 5), (1, 2, 6)]),
    "header.csv": ("Target,Source,year,w\n0,1,1999,5\n", {}, False, 2, [(0, 1, 5)]),
    "only_header.csv": ("src,dst,weight\n", {}, False, 0, []),
    "named.tsv": ("0\t1\t1999\n", {"columns": ("dst", "src", "year"), "directed": True}, True, 2, [(1, 0)]),
    "ends_last.txt": ("a b 0 1\na c 2 1\n", {"columns": ("x", "y", "src", "dst")}, False, 3, [(0, 1), (1, 2)]),
    "numbered_header.csv": ("1st,2nd,a,b\n7,8,0,1\n", {"columns": ("x", "y", "src", "dst")}, False, 2, [(0, 1)]),
    "renamed.csv": ("who,whom\n0,1\n", {"columns": ("src", "dst")}, False, 2, [(0, 1)]),
    "foreign_comment.txt": ("# a\n0 1\n% b\n2 1\n", {}, False, 3, [(0, 1), (1, 2)]),
    "mark.txt": ("\ufeff0 1\n", {}, False, 2, [(0, 1)]),
    "nothing_but_comments.txt": ("# nothing\n", {}, False, 0, []),
    "sparse_ids.txt": ("7000000000 5\n5 100\n", {"relabel": True}, False, 3, [(0, 1), (0, 2)]),
    "general.mtx": (BANNER + "% c\n3 3 2\n1 2 5\n3 2 -.5\n", {}, True, 3, [(0, 1, 5.0), (2, 1, -0.5)]),
    "jumbled.mtx": (BANNER + "\n3 3 2\n% c\n\n1 2 5\n3 2 6\n", {}, True, 3, [(0, 1, 5.0), (2, 1, 6.0)]),
    "symmetric.mtx": (
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 1 4\n3 2 6\n",
        {},
        False,
        3,
        [(0, 0, 4), (1, 2, 6)],
    ),
    "skew.mtx": (
        "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n",
        {},
        True,
        2,
        [(0, 1, -3.0), (1, 0, 3.0)],
    ),
    "skew_diagonal.mtx": (
        "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n",
        {},
        True,
        2,
        [(0, 0, 0), (0, 1, -3), (1, 0, 3)],
    ),
    "pattern.mtx": ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", {}, True, 2, [(0, 1)]),
    "as_undirected.mtx": (BANNER + "2 2 1\n2 1 3\n", {"directed": False}, False, 2, [(0, 1, 3.0)]),
    "dense_skew.mtx": (
        "%%MatrixMarket matrix array real skew-symmetric\n3 3\n5\n0\n7\n",
        {},
        True,
        3,
        [(0, 1, -5.0), (1, 0, 5.0), (1, 2, -7.0), (2, 1, 7.0)],
    ),
    "dense.mtx": (
        "%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2\n0\n",
        {},
        True,
        2,
        [(0, 1, 2.0), (1, 0, 1.5)],
    ),
    "no_banner.mtx": ("2 2 1\n1 2 3\n", {}, True, 2, [(0, 1, 3.0)]),
    "no_banner_pattern.mtx": ("2 2 1\n1 2\n", {}, True, 2, [(0, 1)]),
    "empty.mtx": (BANNER + "0 0 0\n", {}, True, 0, []),
    "nan.mtx": (BANNER + "2 2 1\n1 2 nan\n", {"weights": False}, True, 2, [(0, 1)]),
    "roads.gr": ("c x\np sp 3 2\nc\na 1 2 5\na 3 2 6\n", {}, True, 3, [(0, 1, 5), (2, 1, 6)]),
    "no_p_line.gr": ("a 0 2 5\na 1 2 6\n", {}, True, 3, [(0, 2, 5), (1, 2, 6)]),
    "steiner.gr": (
        "SECTION Graph\nNodes 4\nEdges 2\nE 1 2 5\nE 3 2 6\nEND\n\nSECTION Terminals\nTerminals 1\nT 1\nEND\n\nEOF\n",
        {},
        False,
        4,
        [(0, 1, 5), (1, 2, 6)],
    ),
    "plain.graph": ("% c\n4 2\n2\n1 3\n2\n\n", {}, False, 4, [(0, 1), (1, 2)]),
    "unsorted.graph": ("3 3 0\n3 2\n% c\n1 3\n2 1\n", {}, False, 3, [(0, 1), (0, 2), (1, 2)]),
    "edge_weights.graph": ("3 2 1\n2 7\n1 7 3 8\n2 8\n", {}, False, 3, [(0, 1, 7), (1, 2, 8)]),
    "extremes.graph": (
        f"3 2 1\n2 {-(2**31)}\n1 {-(2**31)} 3 {2**31 - 1}\n2 {2**31 - 1}\n",
        {},
        False,
        3,
        [(0, 1, -(2**31)), (1, 2, 2**31 - 1)],
    ),
    "above_int32.graph": (f"2 1 1\n2 {2**31}\n1 {2**31}\n", {}, False, 2, [(0, 1, 2**31)]),
    "below_int32.graph": (f"2 1 1\n2 {-(2**31) - 1}\n1 {-(2**31) - 1}\n", {}, False, 2, [(0, 1, -(2**31) - 1)]),
    "vertex_weights.graph": ("3 2 10 2\n9 9 2\n9 9 1 3\n9 9 2\n", {}, False, 3, [(0, 1), (1, 2)]),
    "all_weights.graph": ("2 1 111\n5 9 2 7\n5 9 1 7\n", {}, False, 2, [(0, 1, 7)]),
    "odd_numbers.graph": (
        f"3 2 1\r\n +2\t-7\n1 -7 3 {2**40}\n {2:020} {2**40}\n",
        {},
        False,
        3,
        [(0, 1, -7), (1, 2, 2**40)],
    ),
    "isolated_last.graph": ("3 1\n2\n1", {}, False, 3, [(0, 1)]),
    "both_ways.mtx": (
        "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 4\n",
        {"directed": True},
        True,
        2,
        [(0, 1, 4), (1, 0, 4)],
    ),
    "dense_symmetric.mtx": (
        "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n0\n0\n% c\n3\n0\n",
        {},
        False,
        3,
        [(0, 0, 1), (0, 1, 2), (1, 2, 3)],
    ),
    "no_vertices.metis": ("0 0\n", {}, False, 0, []),
    "long_comment.txt": ("# " + "x" * 65534 + "5 6\n0 1\n#" + "y" * 200000 + "7 8\n", {}, False, 2, [(0, 1)]),
    "long_comment.graph": ("% " + "5 " * 40000 + "\n2 1\n2\n1\n", {}, False, 2, [(0, 1)]),
    "signs.txt": ("+0 1 +5\n0 2 -0\n", {}, False, 3, [(0, 1, 5), (0, 2, 0)]),
    "infinite.txt": ("0 1 inf\n0 2 -Infinity\n", {}, False, 3, [(0, 1, np.inf), (0, 2, -np.inf)]),
    "zeros.txt": ("0 " + "0" * 5000 + "1\n", {}, False, 2, [(0, 1)]),
    "mark.mtx": ("\ufeff" + BANNER + "2 2 1\n1 2 3\n", {}, True, 2, [(0, 1, 3.0)]),
    "mark.gr": ("\ufeffp sp 2 1\na 1 2 3\n", {}, True, 2, [(0, 1, 3)]),
    "mark.graph": ("\ufeff2 1\n2\n1\n", {}, False, 2, [(0, 1)]),
    "more_vertices.txt": ("0 1\n", {"num_vertices": 30_000_000}, False, 30_000_000, [(0, 1)]),
    "other_column.csv": ("src,dst,name\n0,1,TRUE\n1,2,x y\n", {}, False, 3, [(0, 1), (1, 2)]),
}

WRONG = {  # name of the file: (text, line, what the message says)
    "empty.txt": ("", None, "the file is empty"),
    "words.txt": ("hello world\n", 1, "no columns for source and target among 'hello', 'world'"),
    "one_column.txt": ("1\n2\n", 1, "there is one field, but an edge has two ends"),
    "semicolons.csv": ("src;dst;weight\n0;1;2\n", 1, "separate fields by blanks, tabs or commas"),
    "semicolons.txt": ("0;1;2\n", 1, "separate fields by blanks, tabs or commas"),
    "four_columns.txt": ("1 2 3 4\n", 1, r"columns=\("),
    "short_row.txt": ("# c\n0 1\n\n2\n", 4, "expected 2 fields, as in line 2, got 1"),
    "long_row.txt": ("0 1\n1 2\n2 3 4\n", 3, "expected 2 fields"),
    "missing_weight.txt": ("0 1 5\n1 2\n", 2, "expected 3 fields"),
    "letter.txt": ("0 1\n1 x\n", 2, "'x' is not a vertex id"),
    "real_id.txt": ("0 1\n1 1.5\n", 2, "'1.5' is not a vertex id"),
    "negative.txt": ("0 1\n-1 2\n", 2, "the vertex id -1 is not between 0"),
    "too_large.txt": ("0 1\n2147483647 2\n", 2, "2147483647 is not between 0 and 2147483646"),
    "far_too_large.txt": ("0 1\n99999999999999999999 2\n", 2, "is not between"),
    "out_of_proportion.txt": ("0 2000000000\n", None, "relabel=True"),
    "word_for_weight.txt": ("0 1 5\n1 2 heavy\n", 2, "'heavy' is not a weight"),
    "true_for_weight.txt": ("0 1 True\n", 1, "'True' is not a weight"),
    "nan.txt": ("0 1 5\n1 2 nan\n", 2, "NaN; pass weights=False"),
    "huge_weight.txt": ("0 1 5\n1 2 9223372036854775808\n", 2, "too large for int64"),
    "empty_field.csv": ("0,1,5\n1,,5\n", 2, "'' is not a vertex id"),
    "no_banner.mtx": ("hello\n", 1, "expected the size"),
    "banner.mtx": ("%%MatrixMarket matrix\n1 1 1\n", 1, "LAYOUT"),
    "complex.mtx": ("%%MatrixMarket matrix coordinate complex general\n", 1, "the entries are complex"),
    "hermitian.mtx": ("%%MatrixMarket matrix coordinate real hermitian\n", 1, "hermitian"),
    "array_pattern.mtx": ("%%MatrixMarket matrix array pattern symmetric\n3 3 6\n", 1, "no array symmetric pattern"),
    "no_size.mtx": (BANNER + "% c\n", 3, "but the file ends"),
    "bad_size.mtx": (BANNER + "3 x 1\n", 2, "got '3 x 1'"),
    "rectangular.mtx": (BANNER + "3 4 1\n1 1 1\n", 2, "3 by 4"),
    "large.mtx": (BANNER + "3000000000 3000000000 1\n1 1 1\n", 2, "more than int32"),
    "promises.mtx": (BANNER + "3 3 99999999999\n1 1 1\n", 2, "more than the file can hold"),
    "cut_short.mtx": (BANNER + "3 3 2\n1 1 1\n", 3, "promises 2 entries, but there are 1"),
    "one_too_many.mtx": (BANNER + "3 3 1\n1 1 1\n2 2 2\n", 4, "another line follows"),
    "out_of_range.mtx": (BANNER + "3 3 2\n1 1 1\n4 1 1\n", 4, "4 is not between 1 and 3"),
    "zero_id.mtx": (BANNER + "3 3 1\n0 1 1\n", 3, "0 is not between 1 and 3"),
    "no_value.mtx": (BANNER + "3 3 1\n1 1\n", 3, "expected 3 fields, got 2"),
    "word.mtx": (BANNER + "3 3 1\n1 1 x\n", 3, "'x' is not a weight"),
    "nan.mtx": (BANNER + "3 3 1\n1 1 nan\n", 3, "NaN"),
    "real_integer.mtx": ("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", 3, "integer"),
    "trailing.mtx": (BANNER + "1 1 1\n1 1 1.5 2\n", 3, "expected 3 fields, got 4"),
    "cut_short_dense.mtx": ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5, "promises 4 entries"),
    "nothing.gr": ("c\n", 2, "but the file ends"),
    "col.gr": ("p edge 3 2\ne 1 2\n", 1, "got 'p edge 3 2'"),
    "cut_short.gr": ("p sp 3 2\na 1 2 5\n", 2, "promises 2 arcs, but there are 1"),
    "zero_id.gr": ("p sp 3 2\na 1 2 5\na 0 2 5\n", 3, "0 is not between 1 and 3"),
    "out_of_range.gr": ("c\np sp 3 1\na 1 4 5\n", 3, "4 is not between"),
    "other_line.gr": ("p sp 3 1\nb 1 2 5\n", 2, "got 'b 1 2 5'"),
    "no_weight.gr": ("p sp 3 1\na 1 2\n", 2, "got 'a 1 2'"),
    "large.gr": ("p sp 3000000000 1\na 1 2 3\n", 1, "more than int32"),
    "cut_short_steiner.gr": ("SECTION Graph\nNodes 3\nEdges 2\nE 1 2 5\n", None, "cut short"),
    "range_steiner.gr": ("SECTION Graph\nNodes 3\nEdges 1\nE 1 4 5\nEND\n", 4, "4 is not between"),
    "line_steiner.gr": ("SECTION Graph\nNodes 3\nEdges 1\nE 1 2\nEND\n", 4, "got 'E 1 2'"),
    "head.graph": ("x 2\n", 1, "expected 'VERTICES EDGES"),
    "empty.graph": ("", 1, "expected 'VERTICES EDGES"),
    "format.graph": ("2 1 7\n2\n1\n", 1, "format 007"),
    "out_of_range.graph": ("% c\n3 2\n2\n1 4\n2\n", 4, "4 is not between 1 and 3"),
    "letter.graph": ("3 2\n2\n1 x\n2\n", 3, "'x' is not a vertex id"),
    "no_weight.graph": ("3 2 1\n2 7\n1 7 3\n2 8\n", 3, "neighbors and weights"),
    "cut_short.graph": ("3 2\n2\n1 3\n", None, "cut short"),
    "no_last_line.graph": ("2 0 10\n9\n", None, "cut short"),
    "one_too_many.graph": ("2 1\n2\n1\n1\n", 4, "another line follows"),
    "one_way.graph": ("3 1\n2 3\n\n\n", None, "no reverse arc of this weight"),
    "point.txt": ("0 1\n0 1.0\n", 2, "'1.0' is not a vertex id"),
    "exponent.txt": ("0 1\n0 1e2\n", 2, "'1e2' is not a vertex id"),
    "minus_zero.txt": ("0 -0.0\n", 1, "'-0.0' is not a vertex id"),
    "true.txt": ("TRUE 1\n", 1, "'TRUE' is not a vertex id"),
    "underscore.txt": ("0 1 5\n0 1 1_000\n", 2, "'1_000' is not a weight"),
    "hexadecimal.txt": ("0 1 0x10\n", 1, "'0x10' is not a weight"),
    "arabic.txt": ("0 1\n0 \u0661\n", 2, "is not a vertex id"),
    "zero_byte.txt": ("0 1\n0 1\x00\n", 2, "is not a vertex id"),
    "line_separator.txt": ("0 1 \u2028\n1 2 2.5\n", 1, "is not a weight"),
    "vertical_tab.txt": ("0 1\n1 2\x0b\n", 2, "is not a vertex id"),
    "carriage_return.txt": ("0 1\n1 2\r2 3\n", 2, "is not a vertex id|expected 2 fields"),
    "overflow.txt": ("0 1 5\n1 2 1e400\n", 2, "too large for float64; write inf"),
    "far_too_large_weight.txt": ("0 1 5\n1 2 " + "9" * 5000 + "\n", 2, "too large for int64"),
    "mixed_large.txt": ("0 1 0.5\n1 2 9223372036854775808\n", 2, "too large for int64"),
    "long_id.txt": ("0 1\n1 " + "9" * 5000 + "\n", 2, "is not between"),
    "long_line.txt": ("0 1\n" + "1" * 3_000_000, 2, "longer than 65,536 bytes"),
    "wide.csv": ("src,dst\n0,1,9\n1,2,7\n", 2, "expected 2 fields, as in line 1, got 3"),
    "wide_then_not.csv": ("src,dst\n0,1,9\n1,2\n", 2, "expected 2 fields, as in line 1, got 3"),
    "narrow_unread.csv": ("dst,src,year\n0,1,1999\n21,2000\n", 3, "expected 3 fields, as in line 1, got 2"),
    "last_comma.csv": ("src,dst,weight\n0,1,2,\n", 2, "expected 3 fields, as in line 1, got 4"),
    "wide.mtx": (BANNER + "2 2 2\n1 2 0.5 9\n2 1 0.25\n", 3, "expected 3 fields, got 4"),
    "wide_pattern.mtx": ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2 7\n", 3, "expected 2 fields"),
    "wide.gr": ("p sp 2 2\na 1 2 5 9\na 2 1 5 9\n", 2, "got 'a 1 2 5 9'"),
    "comma.graph": ("2 1\n9,2\n9,1\n", 2, "'9,2' is not a vertex id"),
    "zero_byte.graph": ("2 1\n2\n1\x00\n", 3, "is not a vertex id"),
    "real_weight.graph": ("2 1 1\n2 1.5\n1 1.5\n", 2, "'1.5' is not a weight"),
    "long_head.mtx": (BANNER + "9" * 5000 + " 3 1\n", 2, "but an adjacency matrix is square"),
    "long_head.gr": ("p sp " + "9" * 5000 + " 1\n", 1, "more than int32"),
    "long_head.graph": ("9" * 5000 + " 1\n", 1, "at most"),
    "long_head_steiner.gr": ("SECTION Graph\nNodes " + "9" * 5000 + "\n", 2, "is not between"),
    "long_note.txt": ("# minigr: " + "9" * 5000 + " vertices, directed, unweighted\n0 1\n", 1, "is not between"),
    "note_int32.txt": (
        "# minigr: 3 vertices, directed, int32 weights\n0 1 3000000000\n",
        1,
        "can't be stored as int32",
    ),
    "note_whole.txt": ("# minigr: 3 vertices, directed, int32 weights\n0 1 1.7\n", 1, "can't be stored as int32"),
    "note_float32.txt": (
        "# minigr: 3 vertices, directed, float32 weights\n0 1 1e300\n",
        1,
        "can't be stored as float32",
    ),
    "note_weights.txt": ("# minigr: 3 vertices, directed, unweighted\n0 1 5\n", 1, "no weights, but the rows have"),
    "note_no_weights.txt": ("# minigr: 3 vertices, directed, int32 weights\n0 1\n", 1, "weights, but the rows have"),
    "note_count.txt": ("# minigr: 3 vertices, directed, unweighted\n0 3\n", None, "num_vertices is 3"),
    "note_count.mtx": (BANNER + "% minigr: 3 vertices, directed, float64 weights\n2 2 0\n", 2, "the matrix has 2 rows"),
    "note_way.mtx": (BANNER + "% minigr: 2 vertices, undirected, float64 weights\n2 2 0\n", 2, "undirected, but"),
    "missing_lines.graph": ("5 1\n2\n1\n", None, "cut short"),
    "too_many_edges_steiner.gr": ("SECTION Graph\nNodes 3\nEdges 1\nE 1 2 5\nE 1 3 5\nEND\n", 5, "promises 1 edges"),
    "junk.gr": ("\x00\x01\x02\x03", 1, "expected 'p sp"),
    "junk.txt": ("\x00\x01\x02\x03", 1, "there is one field"),
    "junk.mtx": ("\x00\x01\x02\x03", 1, "expected the size"),
    "junk.graph": ("\x00\x01\x02\x03", 1, "expected 'VERTICES"),
}


WAYS = ["plain", "gz", "long"]
"""How a file is read: short ones line by line, long ones by compiled code, which reads all of them in the last case."""


@pytest.fixture(params=WAYS)
def zipped(request, monkeypatch):
    """Whether the file is to be compressed."""
    if request.param == "long":
        monkeypatch.setattr("minigr.io.table.SHORT", 0)
    return request.param == "gz"


def place(folder, name, text, zipped):
    path = folder / (name + ".gz" * zipped)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if zipped else data)
    return path


@pytest.mark.parametrize("name", RIGHT)
def test_right(tmp_path, name, zipped):
    text, options, directed, n, edges = RIGHT[name]
    graph = read(place(tmp_path, name, text, zipped), device="cpu", **options)
    assert (graph.directed, graph.num_vertices) == (directed, n)
    columns = [column.tolist() for column in edge_arrays(graph) if column is not None]
    assert list(zip(*columns, strict=True)) == edges
    if edges and len(edges[0]) == 3:
        whole, wide = isinstance(edges[0][2], int), any(not -(2**31) <= edge[2] < 2**31 for edge in edges)
        assert graph.weights.dtype == (np.float64 if not whole else np.int64 if wide else np.int32)


@pytest.mark.parametrize("name", WRONG)
def test_wrong(tmp_path, name, zipped):
    text, line, says = WRONG[name]
    path = place(tmp_path, name, text, zipped)
    with pytest.raises(FormatError, match=says) as raised:
        read(path, device="cpu")
    assert raised.value.line == line
    assert raised.value.path == str(path)


@pytest.mark.parametrize("name", [name for name in RIGHT if RIGHT[name][-1]])
def test_cut_anywhere(tmp_path, name, zipped):
    """A file cut short is refused, or is a smaller file of its format; nothing else happens."""
    path = place(tmp_path, name, RIGHT[name][0], zipped)
    data = path.read_bytes()
    step = 1 if len(data) < 60 else max(3, len(data) // 100)
    for end in sorted({*range(0, len(data), step), *range(max(0, len(data) - 20), len(data))}):
        path.write_bytes(data[:end])
        try:
            read(path, device="cpu", **RIGHT[name][1])
        except FormatError:
            continue
        assert not zipped


def test_weight_dtype(tmp_path):
    path = place(tmp_path, "a.txt", "0 1 5\n1 2 3000000000\n", False)
    assert read(path, device="cpu").weights.dtype == np.int64
    assert read(path, weight_dtype="float32", device="cpu").weights.dtype == np.float32
    with pytest.raises(FormatError, match="3000000000 of edge 1 can't be stored as int32"):
        read(path, weight_dtype=np.int32, device="cpu")


def test_long_files_are_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("minigr.io.table.SHORT", 0)
    monkeypatch.setattr("minigr.io.source.BLOCK", 50)
    rows = [f"{v} {v + 1} {v / 8}" for v in range(100)]
    path = place(tmp_path, "a.txt", "\n".join(rows), False)
    graph = read(path, directed=True, device="cpu")
    assert graph.weights.tolist() == [v / 8 for v in range(100)]
    rows[77] = "77 bad 1"
    with pytest.raises(FormatError) as raised:
        read(place(tmp_path, "a.txt", "\n".join(rows), False), device="cpu")
    assert raised.value.line == 78


def test_progress_bar(tmp_path, zipped, capsys):
    path = place(tmp_path, "a.txt", "0 1\n", zipped)
    assert read(path, progress=True, device="cpu").num_edges == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.gml", "a.graph", "a.txt.gz"])
def test_files_that_are_no_text_are_called_what_they_are(tmp_path, name):
    text = b"# minigr: 2 vertices, undirected, unweighted\n0 1\n"
    archive = io.BytesIO()
    np.savez(archive, src=[0], dst=[1])
    for data, says in (
        (gzip.compress(text), "holds gzip data: decompress it, or give it a name that ends in .gz"),
        (bz2.compress(text), "holds bzip2 data"),
        (lzma.compress(text), "holds xz data"),
        (b"\x28\xb5\x2f\xfd" + text, "holds zstd data"),
        (archive.getvalue(), "holds a zip archive: unpack it, or give an archive of NumPy a name"),
        (text.decode().encode("utf-16"), "holds text in UTF-16: save it as UTF-8"),
    ):
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        with pytest.raises(FormatError, match=rf"{name}: {says}"):
            read(tmp_path / name, device="cpu")


def test_graphml_may_be_in_utf_16(tmp_path):
    text = '<graphml><graph edgedefault="directed"><node id="a"/></graph></graphml>'
    (tmp_path / "a.graphml").write_bytes(text.encode("utf-16"))
    assert read(tmp_path / "a.graphml", device="cpu").num_vertices == 1
