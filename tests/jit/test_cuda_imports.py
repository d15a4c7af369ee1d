"""The packages that make CUDA programs, wanted by a second thread while a first one imports them."""

import subprocess
import sys

import pytest

pytest.importorskip("cuda.core", reason="cuda-core is not installed (pip install 'minigr[cuda13]')")

CODE = """
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from minigr.jit.cuda_imports import cuda_core, numba_cuda

def is_half_done():
    return getattr(sys.modules.get("cuda.core"), "__name__", "cuda.core") != "cuda.core"

with ThreadPoolExecutor(1) as pool:
    first = pool.submit(FIRST)
    while not (first.done() or is_half_done()):
        time.sleep(0.001)
    found = cuda_core()
    assert found.Linker and found.graph.GraphDefinition
    first.result()
"""


@pytest.mark.parametrize("first", ["cuda_core", "numba_cuda"])
def test_a_second_thread_waits_for_the_import(first):
    command = [sys.executable, "-c", CODE.replace("FIRST", first)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
