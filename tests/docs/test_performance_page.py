"""The page on performance says what the files of results say."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "performance_page.py"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPT.parent)
    monkeypatch.delitem(sys.modules, "page_parts", raising=False)  # it keeps the documents, which tests change
    spec = importlib.util.spec_from_file_location("performance_page", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_files_say(script):
    assert script.PAGE.read_text() == script.page(), "run python benchmarks/performance_page.py"


def test_another_number_in_a_file_changes_the_page(script):
    page = script.page()
    row = next(row for row in script.document(script.H200_APPS)["rows"] if row["key"]["app"] == "bfs")
    row["median"] *= 1000
    line = "- BFS with parents on kron21, H200: cuGraph 1.57 ms"
    assert line not in page
    assert line in script.page()


def test_a_table_never_takes_one_row_for_another(script):
    rows = script.document(script.PEERS)["rows"]
    rows.append(rows[0])
    with pytest.raises(AssertionError):
        script.found(script.PEERS, **rows[0]["key"])
