"""CUDA programs are made of what is there already: functions that were compiled, and kernels that were linked."""

import gc
import os
import struct
import subprocess
import sys
import weakref

import numpy as np
import pytest

import minigr as mg
from minigr.errors import ProblemError
from minigr.jit import cache, compile_cuda, link_cuda
from tests.gone import all_gone
from tests.jit.test_cache import flipped

pytest.importorskip("numba_cuda")
ARCHITECTURE = 90


class Reached(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)


class Reach(mg.Functor):
    def cond_target(dst, depth):
        return depth[dst] < 0

    def apply_advance(dst, iteration, depth):
        depth[dst] = iteration


class Search(mg.Enactor, problem=Reached, functor=Reach):
    def step(self, frontier):
        return self.advance(frontier)


class SearchAndCount(mg.Enactor, problem=Reached, functor=Reach):
    """The same functor, called by another operator of the step."""

    def step(self, frontier):
        self.compute(frontier, Stamp)
        return self.advance(frontier)


class Stamp(mg.Functor):
    def apply(vertex, depth):
        depth[vertex] = 0


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(compile_cuda, "_functions", {})
    return tmp_path / "cache"


@pytest.fixture
def compiled(monkeypatch):
    """The names that functions are compiled under, and the parts that are linked."""
    found = []
    compile_device, link_part = compile_cuda._compile_device, link_cuda.CudaCode._link_part

    def note_function(name, *arguments):
        found.append(name)
        return compile_device(name, *arguments)

    def note_part(self, core, modules, part):
        found.append(part)
        return link_part(self, core, modules, part)

    monkeypatch.setattr(compile_cuda, "_compile_device", note_function)
    monkeypatch.setattr(link_cuda.CudaCode, "_link_part", note_part)
    return found


def code_of(enactor, architecture=ARCHITECTURE):
    from minigr.program.cuda import code_of

    return code_of(enactor(mg.generate.path(9, device="cpu")).record(mg.Frontier.of(0)), architecture)


def code_section(cubin, kernel):
    """The instructions of a kernel; None where the cubin doesn't have it."""
    begin, size, count, names = *struct.unpack_from("<Q", cubin, 40), *struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQ", cubin, begin + number * size) for number in range(count)]
    for name, _, _, _, at, length in headers:
        start = headers[names][4] + name
        if cubin[start : cubin.index(b"\0", start)] == f".text.{kernel}".encode():
            return cubin[at : at + length]
    return None


def test_a_part_has_its_kernels_and_no_others():
    code, text = code_of(Search)
    assert text.parts == [("few",), ("whole",), ("wide_0", "again")]
    few, whole, wide = (path.read_bytes() for path in code.cubins(text.parts))
    for kernel, home in (("few", few), ("whole", whole), ("wide_0", wide), ("again", wide)):
        assert [bool(code_section(cubin, kernel)) for cubin in (few, whole, wide)] == [
            cubin is home for cubin in (few, whole, wide)
        ]
    # The same code, so what the host writes to is read there, too, and is not taken for zeros.
    assert code_section(whole, "whole") == code_section(code.cubin().read_bytes(), "whole")


def test_compiling_holds_nothing_of_who_asked_for_it():
    """Else a graph would take memory after its last name is gone, until Python looks for garbage."""

    def ask():
        graph = mg.generate.path(5, device="cpu")
        code_of(Search)[0].cubins([("again",)])
        return weakref.ref(graph)

    gc.disable()
    try:
        assert all_gone([ask()])
    finally:
        gc.enable()


def test_architectures_with_the_same_code_are_linked_alike():
    """So `minigr.prepare.check` links for one of them."""
    linked = {}
    for architecture in link_cuda.ARCHITECTURES:
        code, _ = code_of(Search, architecture)
        lines = [line for line in code.ptx().splitlines() if not line.startswith(".target")]
        linked.setdefault(code.key, []).append(sorted(lines))
    assert sorted(map(len, linked.values())) == [1, 2, 4]
    for first, *others in linked.values():
        assert first
        assert all(other == first for other in others)


def test_only_what_is_asked_for_is_linked_and_only_once(compiled):
    code, _ = code_of(Search)
    code.cubins([("whole",)])
    assert compiled[-1] == ("whole",)
    again, _ = code_of(Search)
    del compiled[:]
    again.cubins([("whole",), ("wide_0", "again")])
    assert compiled == [("wide_0", "again")]


def test_a_functor_costs_nothing_in_another_program(compiled, monkeypatch):
    code_of(Search)[0].cubins([("again",)])
    known = set(compiled)
    monkeypatch.setattr(compile_cuda, "_functions", {})  # as in another process
    code_of(SearchAndCount)[0].cubins([("again",)])
    functions = [name for name in compiled if isinstance(name, str)]
    assert len(functions) == len(set(functions))
    assert len({*functions} - known) == 1  # that of Stamp


def test_what_an_edit_does_not_reach_is_not_linked_again(compiled, monkeypatch):
    code_of(Search)[0].cubins([("again",)])
    del compiled[:]
    monkeypatch.setattr(compile_cuda, "_functions", {})
    cache._surroundings.cache_clear()
    monkeypatch.setattr(cache, "_sources", lambda: "edited")
    code_of(Search)[0].cubins([("again",)])
    cache._surroundings.cache_clear()
    assert compiled
    assert ("again",) not in compiled


def test_damaged_functions_are_compiled_again(folder, compiled, monkeypatch):
    code_of(Search)[0].cubins([("again",)])
    before = sorted(map(str, compiled))
    del compiled[:]
    for path in [*(folder / "lto").iterdir(), *(folder / "cuda").iterdir()]:
        path.write_bytes(flipped(path.read_bytes(), os.stat(path).st_size // 2))
    monkeypatch.setattr(compile_cuda, "_functions", {})
    code_of(Search)[0].cubins([("again",)])
    assert sorted(map(str, compiled)) == before


# The kernel takes as much shared memory for a block as a step of some hundred operators.
SHARED = """
DECLARATIONS
extern "C" __global__ void fill(int *out) {
  __shared__ int held[SIZE / 4];
  held[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = held[SIZE / 4 - 1 - threadIdx.x];
}
"""


def sharing(size):
    return link_cuda.CudaCode(SHARED.replace("SIZE", str(size)), {}, {}, {}, ARCHITECTURE)


def test_a_program_for_which_a_block_has_too_little_memory():
    assert sharing(49152).link()
    with pytest.raises(ProblemError, match=r"needs 49,156 bytes of shared memory .* a GPU has 49,152: .* two enactors"):
        sharing(49156).link()


def test_the_error_of_a_link_may_be_dropped_by_another_thread():
    """As by a garbage collection there; a notebook, too, keeps the last error with its frames."""
    script = """
import threading
from minigr.errors import ProblemError
from tests.jit.test_link_cuda import sharing

for _ in range(8):
    errors = []
    try:
        sharing(49156).link()
    except ProblemError as error:
        errors.append(error)
    assert errors
    thread = threading.Thread(target=errors.clear)
    thread.start()
    thread.join()
    assert sharing(49152).link()
"""
    subprocess.run([sys.executable, "-c", script], check=True)
