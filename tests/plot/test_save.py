"""`mg.plot.save`: formats, equal files, and what happens without matplotlib."""

from __future__ import annotations

import sys

import pytest

import minigr as mg


def drawn():
    graph = mg.generate.lattice(4, 4, device="cpu")
    return [
        mg.plot.degrees(graph),
        mg.plot.graph(graph, mg.coloring(graph).color, categorical=True, labels=True),
        mg.plot.graph(graph, mg.pagerank(graph).rank, label="rank"),
    ]


@pytest.mark.parametrize(
    ("ending", "begin"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF"), (".SVG", b"<?xml")]
)
def test_equal_figures_make_equal_files(tmp_path, ending, begin):
    for number, figures in enumerate(zip(drawn(), drawn(), strict=True)):
        first, second = (tmp_path / f"{number}-{name}{ending}" for name in "ab")
        mg.plot.save(figures[0], first)
        mg.plot.save(figures[1], str(second))
        assert first.read_bytes().startswith(begin)
        assert first.read_bytes() == second.read_bytes()


def test_svg_has_no_date(tmp_path):
    mg.plot.save(mg.plot.degrees(mg.generate.star(4, device="cpu")), tmp_path / "star.svg")
    assert "<dc:date>" not in (tmp_path / "star.svg").read_text()


def test_another_ending_is_refused(tmp_path):
    figure = mg.plot.degrees(mg.generate.star(4, device="cpu"))
    with pytest.raises(mg.errors.FormatError, match=r"can't end in '\.jpg': use one of \.png, \.svg, \.pdf"):
        mg.plot.save(figure, tmp_path / "star.jpg")
    assert list(tmp_path.iterdir()) == []


def test_an_object_that_is_no_figure_is_refused(tmp_path):
    with pytest.raises(mg.errors.GraphError, match="save: expected a figure of matplotlib, got str"):
        mg.plot.save("a.png", tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(mg.errors.MissingExtraError, match=r"pip install 'minigr\[plot\]'"):
        mg.plot.degrees(mg.generate.star(4, device="cpu"))


def test_without_scipy_positions_are_needed(monkeypatch):
    monkeypatch.delitem(sys.modules, "minigr.plot.layout", raising=False)
    monkeypatch.setitem(sys.modules, "scipy.linalg", None)
    star = mg.generate.star(4, device="cpu")
    with pytest.raises(mg.errors.MissingExtraError, match=r"pip install 'minigr\[plot\]'"):
        mg.plot.graph(star)
    assert mg.plot.graph(star, positions=[[0, 0], [1, 0], [0, 1], [1, 1]]).axes


def test_matplotlib_is_imported_when_something_is_drawn():
    import subprocess

    code = "import sys, minigr as mg; mg.plot.degrees; print('matplotlib' in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "False"
