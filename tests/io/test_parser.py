"""What compiled code reads of a text is what is read line by line, to the bit; what it leaves is read line by line."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigr.errors import FormatError
from minigr.io import parser
from minigr.io.parser import Parser
from minigr.io.table import Table, line_by_line

EDGES = Table(("src", "dst", "weight"), comment="#%")
TABLES = {
    "edges": EDGES,
    "commas": Table(("src", "dst", "weight"), ",", comment="#%"),
    "left out": Table(("src", "name", "dst", "time"), ",", comment="#%"),
    "marks": Table(("mark", "src", "dst", "weight"), comment="", comment_line="c", mark="a", lowest=1, highest=20),
    "whole": Table(("src", "dst", "weight"), comment="%", lowest=1, highest=2**31 - 2, whole=True),
    "wide": Table(("dst", "src"), comment="#%", highest=2**63 - 1),
}


@pytest.fixture(autouse=True)
def every_block_is_parsed(monkeypatch):
    monkeypatch.setattr("minigr.io.table.SHORT", -1)


def assert_same(text, table):
    """True if compiled code read the text, after a comparison with what there is line by line."""
    found = Parser(table).columns(text)
    if found is None:
        return False
    columns, lines = found
    assert lines == text.count(b"\n") + (not text.endswith(b"\n"))
    want = line_by_line(text, Path("a.txt"), table, 1)
    assert list(columns) == list(want)
    for name, column in want.items():
        if len(column):
            assert columns[name].dtype == column.dtype
        assert columns[name].tobytes() == column.tobytes()
    return True


REALS = st.floats(allow_nan=False, allow_infinity=False).map(repr)
WRITTEN = st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@given(st.lists(REALS | WRITTEN, min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_real_numbers_are_the_nearest(tokens):
    for token in tokens:
        try:
            assert_same(f"0 1 {token}\n".encode(), EDGES)
        except FormatError:
            pytest.fail(f"{token} is not a number, but was read as one")


@pytest.mark.parametrize(
    "token",
    ["9007199254740993e0", "9007199254740992.999999", "1.7976931348623157e308", "2.2250738585072014e-308", "1e22",
     "1e23", "0.00012345678901234568", "0.12345678901234567890", "-0.0", "8.5e-27", "123456789012345678e-30",
     "4.656612873077393e-10", "1.00000000000000011102230246251565404236316680908203125"],
)  # fmt: skip
def test_real_numbers_that_are_read_wrong_easily(token):
    text = f"0 1 {token}\n".encode()
    columns, _ = Parser(EDGES).columns(text) or (line_by_line(text, Path("a.txt"), EDGES, 1), 1)
    assert columns["weight"].tobytes() == np.array([float(token)]).tobytes()


def test_reals_of_all_lengths_are_read_by_compiled_code():
    draw = random.Random(3)
    rows = [f"{i} {i + 1} {draw.uniform(-1, 1) * 10.0 ** draw.randint(-30, 30)!r}" for i in range(3000)]
    rows += [f"{i} {i + 1} {draw.random():.{draw.randint(1, 24)}f}" for i in range(3000)]
    assert assert_same("\n".join(rows).encode(), EDGES)


FIELD = st.sampled_from(
    ["0", "1", "7", "19", "+3", "-0", "-1", "007", "2147483646", "2147483647", "9223372036854775807", "1.5", "1e3", "x",
     "-2.5e-3", "inf", "nan", "", "a", "5x", "1_0", ".5", "."]
)  # fmt: skip
GAP = st.sampled_from([" ", "\t", "  ", ",", " , ", ",", "\r", "\x0b"])
END = st.sampled_from(
    ["\n", "\n", "\n", "\r\n", "\r", " \n", "# why\n", " %x\r\n", "\n\n", "\n#c\n", "\nc d\n", "\n \t\r\n"]
)


@given(
    st.lists(st.tuples(st.lists(st.tuples(GAP, FIELD), max_size=5), END), max_size=6), st.sampled_from(sorted(TABLES))
)
@settings(max_examples=500, deadline=None)
def test_anything_that_is_parsed_is_right(rows, kind):
    text = "".join("".join(gap * (i > 0) + field for i, (gap, field) in enumerate(row)) + end for row, end in rows)
    try:
        assert_same(text.encode(), TABLES[kind])
    except FormatError as error:
        pytest.fail(f"{text!r} was read, but {error}")


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_plain_rows_are_parsed(data):
    kind = data.draw(st.sampled_from(sorted(TABLES)))
    table = TABLES[kind]
    ids = st.integers(max(table.lowest, 1), min(table.highest, 2**57))
    drawn = {"mark": st.just("a"), "name": st.text("abc é7", max_size=3)}
    weights = st.integers(-(2**63) + 1, 2**63 - 1)
    weights = weights if table.whole else weights | st.floats(-1e300, 1e300).filter(lambda x: abs(x) > 1e-300)
    rows = []
    for _ in range(data.draw(st.integers(1, 5))):
        columns = [drawn.get(name, weights if name in ("weight", "time") else ids) for name in table.names]
        rows.append(table.separator.join(str(data.draw(column)) for column in columns))
    assert assert_same("\n".join(rows).encode(), table)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_share_a_block_by_lines(threads, monkeypatch):
    monkeypatch.setattr(parser, "_A_THREAD", 1)
    monkeypatch.setenv("MINIGR_NUM_THREADS", str(threads))
    for rows in (0, 1, 2, 3, 50):
        text = "".join(f"# {i * 'x'}\n{i} {i * i} {i if i < 30 else i / 8}\n" for i in range(rows)) or "#\n"
        assert assert_same(text.encode(), EDGES)
        assert assert_same(text.rstrip("\n").encode(), EDGES)
