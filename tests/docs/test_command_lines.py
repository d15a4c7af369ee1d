"""The command lines on the pages of the command line and of plots run, one after the other with the Python between."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from minigr.cli import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "cli.md", DOCS / "plots.md"]


def blocks(page):
    """The blocks of a page: language, text."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def run(line):
    result = CliRunner().invoke(main, shlex.split(line)[1:])
    assert result.exit_code == 0, (line, result.output)
    return result.stdout


def shape(value):
    """What a JSON value is made of, without its numbers."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else type(value).__name__


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_command_lines_run(page, device, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINIGR_DEVICE", device)
    namespace, printed, ran = {"__name__": "page"}, [], 0
    for language, text in blocks(page):
        if language == "python":
            exec(compile(text, str(page), "exec"), namespace)
        elif language == "console":
            lines = [line.removeprefix("$ ") for line in text.splitlines()]
            printed = [run(line) for line in lines]
            ran += len(lines)
        elif language == "json":
            assert shape(json.loads(text)) == shape(json.loads(printed[0]))
    assert ran >= 8


def test_there_is_a_section_for_each_command():
    text = PAGES[0].read_text()
    assert [name for name in main.commands if f"\n## {name}\n" not in text] == []
