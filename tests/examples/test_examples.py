"""Every example runs as a script, on its own graph, and says what it should."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

EXPECTED = {
    "classify_molecules.py": "accuracy 0.9",
    "follow_a_stream.py": "3,523 edges, 3,663 triangles, components: 1; the tree has 398 vertices and is 3 deep",
    "learn_from_samples.py": "of 960 vertices the network is right about 7",
    "over_a_cluster.py": "1,000 graphs of 10 files, by ",
    "from_both_ends.py": "293 edges long, found in 147 steps that look at 147,588 edges",
    "own_program.py": "146,933 vertices",
    "operators_by_hand.py": "hubs: more than 20 neighbors",
    "predict_links.py": "adamic_adar: a hidden edge is above another pair in 98.3%",
    "primitives_by_hand.py": "have more neighbors than any of their neighbors",
    "read_and_plot.py": "wrote read_and_plot_search.png",
    "sliding_window.py": "at the end DynamicGraph(399 vertices, 3,523 edges, undirected",
    "within_budget.py": "with both: 550 vertices, the dearest at 295813\nNumPy agrees",
}
NEEDS = {
    "classify_molecules.py": "sklearn", "learn_from_samples.py": "torch_geometric", "over_a_cluster.py": "distributed",
}  # fmt: skip


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_example(name, device, tmp_path, monkeypatch):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    monkeypatch.setenv("MINIGR_DEVICE", device)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent))
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert EXPECTED[name] in done.stdout
