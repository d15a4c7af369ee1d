"""The example of a sliding window, on streams small enough to count again from nothing at each step."""

import gzip
import importlib
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

# An edge that is seen again, the other way round too; one that is seen once; a self-loop; a second component.
TINY = [(0, 1, 100), (1, 2, 101), (2, 1, 104), (3, 3, 104), (5, 4, 105), (0, 1, 107), (1, 0, 107), (4, 5, 109)]


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("sliding_window")


def counted_afresh(src, dst, time, end, width):
    """Edges, components and the largest one of what was seen in the window."""
    kept = (end - width <= time) & (time < end) & (src != dst)
    graph = nx.Graph(list(zip(src[kept], dst[kept], strict=True)))
    sizes = [len(component) for component in nx.connected_components(graph)]
    return graph.number_of_edges(), len(sizes), max(sizes, default=0)


def check(example, stream, device, steps, window, width):
    src, dst, time = stream
    graph, ends, counts = example.replay(src, dst, time, steps, window, device)
    assert graph.device.startswith(device)
    assert (len(ends), ends[-1]) == (steps, time[-1] + 1)
    np.testing.assert_array_equal(counts, [counted_afresh(src, dst, time, end, width) for end in ends])


def test_a_tiny_stream(example, device):
    src, dst, time = np.array(TINY, np.int64).T
    check(example, (src, dst, time), device, 10, 3, 3)
    _, _, counts = example.replay(src, dst, time, 10, 3, device)
    assert counts[:, 0].tolist() == [1, 2, 2, 1, 1, 2, 2, 2, 1, 2]  # times 100 to 109
    check(example, (src, dst, time), device, 3, 2, 6)
    check(example, (src, dst, time), device, 40, 1, 1)  # steps shorter than the unit of time


@pytest.mark.parametrize("seed", range(4))
def test_random_streams(example, device, seed):
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, 30, (2, 400))
    time = np.sort(rng.integers(-500, 500, 400))
    duration = int(time[-1] - time[0]) + 1
    check(example, (src, dst, time), device, 25, 4, duration * 4 // 25)


@pytest.mark.parametrize("ending", ["txt", "txt.gz", "npz"])
def test_files_of_streams(example, tmp_path, ending):
    path = tmp_path / f"stream.{ending}"
    shuffled = np.array(TINY)[[3, 0, 7, 1, 2, 6, 5, 4]]
    if ending == "npz":
        np.savez(path, **dict(zip(("src", "dst", "time"), shuffled.astype(np.int32).T, strict=True)))
    else:
        text = "# src dst time\n" + "".join(f"{u} {v} {t}\n" for u, v, t in shuffled)
        path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    found = sorted(zip(*example.read(path), strict=True))
    assert found == sorted(TINY)
    assert (np.diff(example.read(path)[2]) >= 0).all()


def test_the_script_takes_a_stream(device, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent))
    stream, picture = tmp_path / "stream.txt", tmp_path / "window.svg"
    stream.write_text("".join(f"{u} {v} {t}\n" for u, v, t in TINY))
    command = [sys.executable, EXAMPLES / "sliding_window.py", stream, "--picture", picture, "--device", device]
    done = subprocess.run(
        [*command, "--steps", "10", "--window", "3"], cwd=EXAMPLES.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "8 timed edges; at the end DynamicGraph(6 vertices, 2 edges, undirected, unweighted" in done.stdout
    assert "most edges 2; largest component 3 of 6 vertices" in done.stdout
    assert "<!-- components -->" in picture.read_text()
