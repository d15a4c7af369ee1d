"""Fixtures that every test may use."""

import gc
import os
from pathlib import Path

import pytest

from minigr.device import gpu_count

if os.environ.get("MINIGR_EMULATE"):
    from tests.emulator import install
    from tests.emulator.requirements import missing

    if reason := missing():
        pytest.exit(f"MINIGR_EMULATE: {reason}", returncode=pytest.ExitCode.USAGE_ERROR)
    install()

ROOT = Path(__file__).parent.parent
DATA_VARIABLE = "MINIGR_TEST_DATA"


def pytest_collection_modifyitems(items):
    """Skip tests that need a GPU if there is none."""
    if gpu_count() == 0:
        for item in items:
            if item.get_closest_marker("gpu"):
                item.add_marker(pytest.mark.skip(reason="no GPU that this process can use"))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Make Python collect garbage rarely, because each collection goes through all tests and all objects of Numba."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request):
    """The names of the devices on which a test runs."""
    return request.param


@pytest.fixture
def team(monkeypatch):
    """Three threads that share every step, even a small one: there may be more threads than cores."""
    from minigr.program import cpu

    monkeypatch.setenv("MINIGR_NUM_THREADS", "3")
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)


@pytest.fixture(scope="session")
def data_dir():
    """A folder of real graphs outside the project: the one in MINIGR_TEST_DATA, or one next to the project."""
    folder = Path(os.environ.get(DATA_VARIABLE, ROOT.parent / "shared" / "data"))
    if not (folder / "raw").is_dir():
        pytest.skip(f"no real graphs at {folder}; set {DATA_VARIABLE} to a folder that has them")
    return folder
