"""The list of what CI compiles; compiling it is CI's. And what a program may need of a GPU at most."""

import re
from functools import partial

import numpy as np
import pytest

import minigr as mg
from minigr import calls
from minigr.jit import cache
from minigr.prepare import check
from minigr.prepare.check import functions_of_apps
from minigr.prepare.everything import Listed, programs
from minigr.prepare.program import of_plan


def test_every_program_is_recorded_under_a_name_of_its_own():
    names = [program.name for program in programs()]
    assert len(names) > 450
    assert len(set(names)) == len(names)


def test_what_the_apps_run_is_checked():
    algorithms = {program.name.split(",")[0] for program in programs() if program.make.keywords}
    assert algorithms == calls.ALGORITHMS.keys()
    found = functions_of_apps()
    assert len(found) > 150
    assert found >= {"minigr.apps.bfs.BFSFunctor.cond_advance", "minigr.apps.dynamic.core_number.loops.Fall.map"}


def test_what_no_algorithm_runs_is_reported(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path))  # which `main` sets, and is to be as it was
    monkeypatch.setattr(check, "programs", list)
    monkeypatch.setattr(check, "functions_of_apps", lambda: {"minigr.apps.new.Functor.map"})
    assert check.main([]) == 1
    assert "FAILED minigr.apps.new.Functor.map" in capsys.readouterr().out


KERNEL = 'extern "C" __global__ void run(int *p) {{ *p = {value}; }}'
BROKEN = {
    "a text that is no C++": KERNEL.format(value="1 +"),
    "a function that is not there": 'extern "C" __device__ int missing();\n' + KERNEL.format(value="missing()"),
    "an instruction that is not there": KERNEL.format(value='1; asm("fly.away;")'),
    "more shared memory than there is": KERNEL.format(value="1; __shared__ int a[1 << 20]; a[*p] = 1; *p = a[p[1]]"),
}


@pytest.fixture
def link(tmp_path, monkeypatch):
    """Link lists of texts; what went wrong with the last, and what is on record of all."""
    pytest.importorskip("cuda.core")
    from minigr.jit.link_cuda import CudaCode

    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path))

    def program(text):
        return lambda architecture: (CudaCode(text, {}, {}, {}, architecture), [("run",)])

    def link_texts(*lists, names=None, architectures=(75, 90), **options):
        names = names or [f"entry {place}" for place in "abc"]
        listed = [Listed(name, partial(map, program, texts)) for name, texts in zip(names, lists, strict=False)]
        monkeypatch.setattr(check, "programs", lambda: listed)
        given = check.Options(architectures, **options)
        errors = [check.check_one(number, given).error for number in range(len(listed))]
        return errors[-1], sorted(cache.read("checked", key).decode() for key in cache.sizes("checked"))

    return link_texts


RIGHT = [KERNEL.format(value=value) for value in range(4)]


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_kernel_is_reported(link, text):
    error, record = link([text])
    assert error.startswith("sm_75: ")
    assert record == []


def test_programs_take_turns_in_the_architecture_that_they_are_assembled_for(link):
    """Who links to PTX alone does not see an instruction that is not there; assembly does."""
    error, record = link(RIGHT[:1], [BROKEN["an instruction that is not there"]])
    assert error.startswith("sm_90: ")
    assert record == ["assembled", "linked"]


def test_programs_are_linked_once_for_a_generation_of_architectures(link):
    assert link(RIGHT[:1], architectures=(75, 80, 86, 90, 100, 120)) == ("", ["assembled", "linked", "linked"])


def test_programs_that_differ_in_dtypes_take_turns_in_being_assembled(link):
    assert link(RIGHT[:2], RIGHT[2:], names=["sum int32", "sum float64"]) == ("", ["assembled"] * 2 + ["linked"] * 6)


def test_a_thorough_check_assembles_all(link):
    assert link(RIGHT[:2], names=["sum int32"], thorough=True) == ("", ["assembled"] * 4)


def test_what_was_found_right_is_linked_again_only_if_asked_to(link, monkeypatch):
    from minigr.jit.link_cuda import CudaCode

    assert link(RIGHT[:1]) == ("", ["assembled", "linked"])

    def refuse(self, part=()):
        raise RuntimeError("it is linked")

    monkeypatch.setattr(CudaCode, "link", refuse)
    assert link(RIGHT[:1]) == ("", ["assembled", "linked"])
    assert link(RIGHT[:1], again=True)[0] == link(RIGHT[1:2])[0] == "sm_75: RuntimeError: it is linked"
    assert link(RIGHT[:1], thorough=True)[0] == "sm_90: RuntimeError: it is linked"


class Values(mg.Problem):
    rank_of = mg.vertex_field(np.float64)
    total = mg.scalar_field(np.float64)


class Every(mg.Functor):
    def cond_filter(iteration):
        return iteration < 5

    def cond_count(count):
        return count > 0

    def apply_count(count):
        return 0.5 * count

    def key(dst):
        return np.int64(dst)

    def apply_best(vertex, score, rank_of):
        rank_of[vertex] = score

    def priority(vertex, rank_of):
        return rank_of[vertex]


class EveryUse(mg.Enactor, problem=Values, functor=Every):
    """A step with every use that operators have of a block's shared memory, for items of every size."""

    bins = 2

    def step(self, near, edges, pairs):
        self.reduce_by_key(near)
        self.intersect(mg.Frontier.all_edges(), into="total", output="edges")
        near, edges, pairs = (self.filter(each, duplicates="cull") for each in (near, edges, pairs))
        return self.near_far(near, width=1.0, bins=self.bins), edges, pairs


@pytest.mark.parametrize("bins", [2, 32])
def test_operators_share_the_shared_memory_of_a_block(bins):
    """A block has 48 KiB. The control block takes more of it the more operators a step has."""
    pytest.importorskip("cuda.core")
    use = EveryUse(mg.generate.star(3000, device="cpu"))
    use.bins = bins
    plan = use.record((mg.Frontier.of(0), mg.Frontier.of_edges([0]), mg.Frontier.of_pairs([0], [1])))
    code, _ = of_plan(plan, 90)
    found = re.findall(r"\.shared \.align \d+ \.[bfsu](\d+) (\w+)(?:\[(\d+)\])?", code.ptx())
    sizes = {name: int(bits) // 8 * int(count or 1) for bits, name, count in found}
    assert sum("memory" in name for name in sizes) == 2
    assert sum(size for name, size in sizes.items() if "words" not in name) < 40 << 10
    assert sum(sizes.values()) < 48 << 10
