"""What the CLI tests share: a way to call it, and two small graphs on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from minigr.cli import main

# 0-1, 0-2, 1-3, 2-3, 3-4 and the lonely 5: from vertex 3, the depths are 2 1 1 0 1 and -1.
EDGES = [(0, 1, 1.0), (0, 2, 4.0), (1, 3, 2.0), (2, 3, 0.5), (3, 4, 8.0)]
NUM_VERTICES = 6
FOR_DIRECTED = ("topological-levels", "longest-path", "transitive-reduction")


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Call ``minigr`` with arguments, on the CPU unless they say otherwise."""
    monkeypatch.setenv("MINIGR_DEVICE", "cpu")
    return lambda *arguments: CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def call_json(call: Callable[..., Result]) -> Callable[..., Any]:
    """Call ``minigr … --json``, which must succeed, and return what it printed."""

    def run(*arguments: object) -> Any:
        result = call(*arguments, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


def _write_matrix_market(path: Path, weighted: bool, symmetry: str = "symmetric") -> Path:
    field = "real" if weighted else "pattern"
    rows = [f"{dst + 1} {src + 1}" + (f" {weight}" if weighted else "") for src, dst, weight in EDGES]
    header = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", f"{NUM_VERTICES} {NUM_VERTICES} {len(EDGES)}"]
    path.write_text("\n".join(header + rows) + "\n")
    return path


@pytest.fixture
def weighted(tmp_path: Path) -> Path:
    return _write_matrix_market(tmp_path / "weighted.mtx", weighted=True)


@pytest.fixture
def acyclic(tmp_path: Path) -> Path:
    """With the same edges, each from the greater vertex to the lesser one."""
    return _write_matrix_market(tmp_path / "acyclic.mtx", weighted=True, symmetry="general")


@pytest.fixture
def unweighted(tmp_path: Path) -> Path:
    return _write_matrix_market(tmp_path / "unweighted.mtx", weighted=False)
