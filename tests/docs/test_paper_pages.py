"""The pages on papers say what the files of results say."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from minigr.bench import document
from minigr.bench.papers.exhibit import Case, described, measure_paper
from minigr.bench.papers.registry import PAPERS
from minigr.device import CPU

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
PAGES = ("paper_mini_gunrock", "paper_slabgraph", "paper_swarmgraph", "paper_meerkat")
MODULES = ("page_parts", "paper_page", *PAGES, "paper_pages")


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    for name in MODULES:  # they keep the documents, which tests change
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("paper_pages")


def test_the_pages_are_what_the_files_say(script):
    for name, text in script.texts().items():
        assert (script.FOLDER / script.file_of(name)).read_text() == text, "run python benchmarks/paper_pages.py"


def test_every_page_is_of_a_paper_and_names_its_exhibits(script):
    texts = script.texts()
    assert list(texts) == list(PAPERS)
    for name, text in texts.items():
        assert [exhibit.title for exhibit in PAPERS[name].exhibits if exhibit.title not in text] == []


def test_another_number_in_a_file_changes_the_page(script):
    import page_parts

    before = script.texts()["slabgraph"]
    for row in page_parts.document("papers.json")["rows"]:
        row["median"] *= 100
    texts = script.texts()
    after = texts["slabgraph"]
    assert "Operators 150 times as fast as Gunrock's" in texts["mini-gunrock"]
    assert "180 million control flow graphs" in texts["swarmgraph"]
    assert "3.4 to 14.8 times as fast" in before
    assert "340 to 1480 times as fast" in after


def test_a_measured_exhibit_takes_the_place_of_its_command(script, tmp_path, monkeypatch):
    import page_parts
    import paper_page

    paper = PAPERS["slabgraph"]
    case = Case(CPU, 1, 5)
    rows = []
    measure_paper(paper, ["tables-7-9"], case, rows)
    settings = {"paper": "slabgraph", "repeat": 1, "exhibits": described(paper.chosen(["tables-7-9"]))}
    content = document.document("paper", CPU, settings, list(case.facts.values()), rows)
    for module in (page_parts, paper_page):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    for path in (SCRIPTS / "results").glob("*.json"):
        if "-paper-" not in path.name:
            (tmp_path / path.name).symlink_to(path)
    before = script.texts()["slabgraph"]
    document.write(tmp_path / "2030-01-01-cpu-paper.json", content)
    after = script.texts()["slabgraph"]
    command = "not measured yet: `minigr bench paper slabgraph tables-7-9"
    assert command in before
    assert command not in after
    assert "| slabs, has_edge |" in " ".join(after.split())


def test_papers_are_documents_without_infinities():
    rows = json.loads((SCRIPTS / "results" / "papers.json").read_text())["rows"]
    for row in rows:
        assert row["key"]["paper"]
        assert set(row) == {"key", "unit", "median", "card", "year", "where", "read"}


def test_where_theirs_takes_less_time_is_said(script):
    import page_parts

    for row in page_parts.document(page_parts.PEERS)["rows"]:
        if row["key"].get("app") == "bfs" or row["key"].get("call") == "hops":
            row["median"] /= 1e6
    texts = script.texts()
    assert "- BFS on kron21: Mini-Gunrock 9.2e-06 ms, minigr 0.7" in texts["mini-gunrock"]
    assert "- all-pairs hops of tu-NCI1: SwarmGraph 3e-05 ms, minigr 0.22 ms." in texts["swarmgraph"]
