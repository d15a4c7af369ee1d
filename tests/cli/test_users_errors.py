"""What a user or a system can do wrong is told in one line, with an exit code of its own, and loses no file."""

from __future__ import annotations

import errno
import io
import json
import os
import resource
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import minigr as mg
from minigr.cli.console import print_table, printable, progress
from minigr.errors import FormatError, OutOfMemoryError

EDGES = "0 1\n1 2\n0 2\n"


def one_line(result, exit_code=1):
    """The one line that is told."""
    assert (result.exit_code, result.stdout) == (exit_code, ""), result.output
    *usage, last = result.stderr.splitlines()
    assert exit_code == 2 or not usage
    assert last.startswith("Error: ")
    return last


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text(EDGES)
    return path


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "mail.txt"
    path.write_text("0 1 10\n1 2 20\n0 2 30\n")
    return path


@contextmanager
def files_of_at_most(size):
    """As a full disk does it: writing beyond fails. Python ignores the signal that comes with it."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


# --- arguments and input ----------------------------------------------------------------------------------------------


def test_a_format_that_does_not_exist(call, edges, tmp_path):
    assert "unknown format 'bad': use one of mtx, edges" in one_line(call("info", edges, "--format", "bad"))
    assert "unknown format 'bad'" in one_line(call("stream", edges, "--format", "bad"))
    with pytest.raises(FormatError, match="'bad': use one of npz"):
        mg.batch.read(tmp_path / "a.npz", format="bad")


def test_options_are_named_as_on_the_command_line(call, edges, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    edges.with_name("weights=1.txt").write_text("0 1 nan\n")
    edges.with_name("nan.txt").write_text("0 1 nan 5\n")
    edges.with_name("far.txt").write_text("0 900000000\n")
    for arguments, message in (
        (["info", edges, "--columns", "a,b"], "name them with --columns"),
        (["stream", edges], "say what they hold, e.g. --columns src,dst,weight,time"),
        (["info", "far.txt"], "pass --relabel to number only vertices that have edges"),
        (["info", "weights=1.txt"], "weights=1.txt:1: the weight is NaN; pass --no-weights"),
        (["stream", "nan.txt"], "nan.txt:1: the weight is NaN; pass --no-weights"),
        (["run", "pagerank", edges, "--damping", "-1"], "--damping -1.0 must be at least 0"),
        (["bench", "memory", edges, "--columns", "a,b"], "name them with --columns"),
    ):
        told = one_line(call(*arguments))
        assert message in told
        assert "columns=" not in told


def test_an_unknown_ending_is_not_mended_by_the_format_of_another_file(call, edges, tmp_path):
    for arguments in (["convert", edges], ["generate", "path", 3], ["generate", "batch", 3]):
        told = one_line(call(*arguments, tmp_path / "a.xyz"), 2)
        assert "ends in '.xyz': use one of " in told
        assert ".npz" in told


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ("0 1 1\n1 2 9000000000000000000\n", ["--batch", "1"], "more than 100,000,000 steps of --batch 1"),
        ("0 1 0.5\n1 2 1e300\n", ["--batch", "1"], "more than 100,000,000 steps of --batch 1"),
        ("0 1 1e300\n1 2 1e300\n", ["--batch", "1"], "lost in rounding"),
    ],
)
def test_extreme_times(call, stream, rows, options, message):
    stream.write_text(rows)
    assert message in one_line(call("stream", stream, *options))


def test_infinite_options_of_a_stream(call, stream):
    for value in ("inf", "nan", "1e400", "-1", "0"):
        assert "must be above 0 and finite" in one_line(call("stream", stream, "--window", value), 2)


def test_fanouts(call, edges):
    assert "'3,x' is not a list of whole numbers, such as 10,5" in one_line(
        call("run", "sample-neighbors", edges, "--fanouts", "3,x"), 2
    )
    assert "fanouts[1] is 0" in one_line(call("run", "sample-neighbors", edges, "--fanouts", "3,0"))


def test_the_whole_range_of_times(call_json, stream):
    stream.write_text(f"0 1 {-(2**63)}\n1 2 0\n2 3 {2**63 - 1}\n")
    document = call_json("stream", stream)
    assert sum(row["inserted"] for row in document["batches"]) == 3
    stream.write_text("0 1 -1e306\n1 2 0\n2 3 1e306\n")
    assert sum(row["inserted"] for row in call_json("stream", stream)["batches"]) == 3


# --- memory, and defects ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), "out of memory"),
        (MemoryError("Allocation failed"), "out of memory: Allocation failed"),
        (OutOfMemoryError("fields would take 9 bytes"), "fields would take 9 bytes"),
        (OSError(errno.EIO, "Input/output error", "a.txt"), "[Errno 5] Input/output error: 'a.txt'"),
    ],
)
def test_what_the_machine_can_not_do(call, edges, monkeypatch, error, told):
    monkeypatch.setattr("minigr.cli.loading.Reading.load", raising(error))
    assert one_line(call("info", edges)) == f"Error: {told}"


def test_a_defect_keeps_its_traceback(call, edges, monkeypatch):
    defect = ValueError("nobody thought of this")
    monkeypatch.setattr("minigr.cli.loading.Reading.load", raising(defect))
    assert call("info", edges).exception is defect


def raising(error):
    def load(*_, **__):
        raise error

    return load


# --- numbers that JSON has not ----------------------------------------------------------------------------------------


def test_json_has_null_for_infinity(call_json, tmp_path):
    path = tmp_path / "infinite.txt"
    path.write_text("0 1 inf\n1 2 1\n")
    summary = call_json("run", "spanning-forest", path)["results"][0]["summary"]
    assert (summary["edges"], summary["total_weight"]) == (2, None)


# --- names ------------------------------------------------------------------------------------------------------------

NAMES = ["[red]x.txt", "[/red]x.txt", "esc\x1b[31mred.txt", "new\nline.txt", "bad\udcff.txt", "größe.txt", " a b .txt"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_shown_as_text(call, call_json, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "/" in name:
        (tmp_path / name).parent.mkdir()
    with open(name, "w") as file:
        file.write(EDGES)
    shown = call("info", name)
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert "\x1b" not in shown.stdout
    assert printable(name).split("\n")[0] in shown.stdout
    assert call_json("info", name)["name"] == name
    assert call("info", name, "--csv", "facts.csv").exit_code == 0
    found = name.replace(".txt", ".csv")
    result = call("run", "components", name, "--output", found)
    assert (result.exit_code, "\x1b" in result.output) == (0, False), result.output
    assert f"wrote {printable(found)}" in result.stdout
    assert pd.read_csv(found).label.tolist() == [0, 0, 0]
    os.unlink(name)
    assert "\x1b" not in one_line(call("info", name))


def test_escapes():
    assert printable("größe\tnaïve\n") == "größe\tnaïve\n"
    assert printable("\x1b]0;title\x07\x9b\u202e\udcff\r") == "\\x1b]0;title\\x07\\x9b\\u202e\\udcff\\r"


def test_a_spinner_shows_markup_as_text(monkeypatch):
    """As on a terminal, where what a command does is shown while it works."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress("reading [/red]\x1b]x.txt") as tell:
        tell("[/bold]")
    assert "reading [/red]\\x1b]x.txt" in terminal.getvalue()


@pytest.mark.parametrize("columns", ["0", "1", "-5", "wide", ""])
def test_a_terminal_of_no_width(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    print_table(["property", "value"], [["vertices", 12345]])
    assert "12,345" in capsys.readouterr().out


# --- files of results -------------------------------------------------------------------------------------------------

OUTPUTS = [
    (["run", "bfs", "GRAPH", "--output", "FILE"], "a.npz"),
    (["run", "bfs", "GRAPH", "--output", "FILE"], "a.csv"),
    (["run", "bfs", "GRAPH", "--output", "FILE"], "a.parquet"),
    (["run", "bfs", "GRAPH", "--json", "FILE"], "a.json"),
    (["info", "GRAPH", "--csv", "FILE"], "a.csv"),
    (["stream", "STREAM", "--csv", "FILE"], "a.csv"),
    (["generate", "path", 900, "FILE"], "a.mtx"),
    (["generate", "batch", 9, "FILE"], "a.npz"),
    (["plot", "degrees", "GRAPH", "-o", "FILE"], "a.png"),
    (["bench", "primitives", "scan", "--from", 4, "--to", 4, "--repeat", 1, "--json", "FILE"], "a.json"),
]


@pytest.mark.parametrize(("arguments", "name"), OUTPUTS)
def test_a_file_is_replaced_whole_or_not_at_all(call, edges, stream, tmp_path, arguments, name):
    path, link = tmp_path / "there" / name, tmp_path / name
    path.parent.mkdir()
    link.symlink_to(path)
    places = {"GRAPH": edges, "STREAM": stream, "FILE": link}
    arguments = [places.get(argument, argument) for argument in arguments]
    assert call(*arguments).exit_code == 0  # compiles, and draws once
    path.write_bytes(b"old")
    path.chmod(0o600)
    with files_of_at_most(16):
        result = call(*arguments)
    assert result.exit_code == 1, result.output
    assert "File too large" in result.stderr.splitlines()[-1]
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in path.parent.iterdir()] == [name]
    assert call(*arguments).exit_code == 0
    assert path.read_bytes() != b"old"
    assert path.stat().st_mode & 0o777 == 0o600
    assert link.is_symlink()


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["run", "bfs", "FILE.csv", "--output", "FILE.csv"], "output"),
        (["run", "bfs", "FILE.csv", "--output", "./FILE.csv"], "output"),
        (["run", "bfs", "FILE.csv", "--output", "link.csv"], "output"),
        (["info", "link.csv", "--csv", "FILE.csv"], "csv"),
        (["stream", "FILE.csv", "--csv", "hard.csv"], "csv"),
        (["batch", "triangles", "FILE.npz", "--output", "FILE.npz"], "output"),
        (["bench", "compare", "FILE.npz", "FILE.json", "--json", "FILE.json"], "json"),
        (["run", "bfs", "FILE.csv", "--output", "new.csv", "--csv", "./new.csv"], "csv"),
    ],
)
def test_no_result_replaces_a_file_that_is_read_or_another_result(call, tmp_path, monkeypatch, arguments, option):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE.csv").write_text(EDGES)
    for name in ("FILE.npz", "FILE.json"):
        (tmp_path / name).write_bytes(b"anything")
    (tmp_path / "link.csv").symlink_to("FILE.csv")
    os.link("FILE.csv", "hard.csv")
    assert f"--{option}" in one_line(call(*arguments), 2)
    assert (tmp_path / "FILE.csv").read_text() == EDGES
    assert (tmp_path / "FILE.npz").read_bytes() == (tmp_path / "FILE.json").read_bytes() == b"anything"
    assert not (tmp_path / "new.csv").exists()


def test_a_pipe_and_a_device_are_written_into(call, edges, tmp_path):
    (tmp_path / "null.csv").symlink_to("/dev/null")
    (tmp_path / "full.csv").symlink_to("/dev/full")
    assert call("run", "bfs", edges, "--output", tmp_path / "null.csv").exit_code == 0
    assert os.strerror(errno.ENOSPC) in one_line(call("run", "bfs", edges, "--output", tmp_path / "full.csv"))
    assert os.path.realpath(tmp_path / "null.csv") == "/dev/null"
    for name, read in (("p.csv", pd.read_csv), ("p.npz", np.load)):
        os.mkfifo(tmp_path / name)
        command = ["cat", tmp_path / name]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
            result = call("run", "bfs", edges, "--source", 0, "--output", tmp_path / name)
            assert result.exit_code == 0, result.output
            assert list(read(io.BytesIO(reader.communicate()[0]))["depth"]) == [0, 1, 1]


# --- standard streams -------------------------------------------------------------------------------------------------


def minigr(line, **environment):
    """What a shell's command line does: its exit code and what it tells."""
    command = f"{sys.executable} -m {line}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        check=False,
        env={**os.environ, "MINIGR_DEVICE": "cpu", **environment},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_standard_output_that_is_closed_or_full(edges):
    code, _, told = minigr(f"minigr info {edges} --json >&-")
    assert (code, told) == (
        1, "Error: standard output is closed: send it to a file or, if it isn't wanted, to /dev/null\n"
    )  # fmt: skip
    for arguments in ("--help", f"info {edges}", f"info {edges} --json", f"info {edges} --csv"):
        code, _, told = minigr(f"minigr {arguments} > /dev/full")
        assert (code, told) == (1, "Error: [Errno 28] No space left on device\n")


def test_a_reader_that_goes_away_ends_quietly(tmp_path):
    stream = tmp_path / "long.txt"
    stream.write_text("".join(f"0 1 {i}\n" for i in range(3000)))
    code, shown, told = minigr(f"minigr stream {stream} --batch 1 --csv | head -1")
    assert (code, shown.count("\n"), told) == (1, 1, "")


def test_standard_error_that_is_closed(edges, stream):
    for arguments in (f"info {edges} --json", f"stream {stream} --json"):
        code, shown, told = minigr(f"minigr {arguments} 2>&-")
        assert (code, told) == (0, "")
        json.loads(shown)
    assert minigr("minigr info nothing.txt 2>&-") == (1, "", "")


def test_standard_output_that_takes_ascii_only(tmp_path):
    path = tmp_path / "größe.txt"
    path.write_text(EDGES)
    code, shown, told = minigr(f"minigr info {path}", PYTHONIOENCODING="ascii")
    assert (code, told) == (0, "")
    assert "gr\\xf6\\xdfe.txt" in "".join(line.split("|")[-2].strip() for line in shown.splitlines() if "|" in line)
