"""The Python in README and docs runs, each page's blocks one after the other."""

import linecache
import re
from pathlib import Path

import pytest

from minigr.graphs.layouts import KERNELS
from minigr.program.cuda_views import VIEWS
from minigr.schedules.choice import SCHEDULES
from tests.docs.test_command_lines import PAGES as WITH_COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(set((ROOT / "docs").glob("*.md")) - set(WITH_COMMANDS))])


def blocks(page):
    """The Python blocks of a page, each with the number of its first line."""
    text = page.read_text()
    for match in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 2, match.group(1)


def source(page):
    """The lines of a page with its Python blocks in their places, and nothing else."""
    lines = [""] * page.read_text().count("\n")
    for line, block in blocks(page):
        found = block.splitlines()
        lines[line - 1 : line - 1 + len(found)] = found
    return [f"{line}\n" for line in lines]


LIBRARIES = {"interop.md": ("igraph",)}
"""What the blocks of a page need, and not every machine with minigr has; minigr[test] brings it."""


def test_there_are_blocks():
    assert sum(1 for page in PAGES for _ in blocks(page)) >= 60


@pytest.fixture
def _tables():
    """Leave the tables as they were that a page adds to."""
    tables = (SCHEDULES, KERNELS, VIEWS)
    before = [dict(table) for table in tables]
    yield
    for table, content in zip(tables, before, strict=True):
        table.clear()
        table.update(content)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.usefixtures("_tables")
def test_code_blocks_run(page, device, monkeypatch):
    for library in LIBRARIES.get(page.name, ()):
        pytest.importorskip(library)
    monkeypatch.setenv("MINIGR_DEVICE", device)
    # As notebooks do, so that minigr finds the source of functions.
    monkeypatch.setitem(linecache.cache, str(page), (0, None, source(page), str(page)))
    namespace = {"__name__": "page"}
    for line, block in blocks(page):
        exec(compile("\n" * (line - 1) + block, str(page), "exec"), namespace)
