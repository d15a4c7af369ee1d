"""The list of what CI compiles; compiling it is CI's. And what a program may need of a GPU at most."""

import re

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
    """Link texts for two architectures; what went wrong with the last, and how many links are noted."""
    pytest.importorskip("cuda.core")
    from minigr.jit.link_cuda import CudaCode

    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "cache"))
    (tmp_path / "seen").mkdir()

    def link_texts(*texts):
        def program(text):
            return Listed(
                "a program", lambda: [lambda architecture: (CudaCode(text, {}, {}, {}, architecture), [("run",)])]
            )

        monkeypatch.setattr(check, "programs", lambda: [program(text) for text in texts])
        errors = [check.check_one(number, (75, 90), False, tmp_path / "seen")[-1] for number in range(len(texts))]
        return errors[-1], len(list((tmp_path / "seen").iterdir()))

    return link_texts


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_kernel_is_reported(link, text):
    error, seen = link(text)
    assert error.startswith("sm_75: ")
    assert seen == 0


def test_programs_take_turns_in_the_architecture_that_they_are_assembled_for(link):
    """Who links to PTX alone does not see an instruction that is not there; assembly does."""
    error, seen = link(KERNEL.format(value="1"), BROKEN["an instruction that is not there"])
    assert error.startswith("sm_90: ")
    assert seen == 3


def test_what_was_seen_is_not_linked_again(link, monkeypatch):
    from minigr.jit.link_cuda import CudaCode

    assert link(KERNEL.format(value="1")) == ("", 2)

    def refuse(self, part=()):
        raise RuntimeError("it is linked")

    monkeypatch.setattr(CudaCode, "link", refuse)
    assert link(KERNEL.format(value="1")) == ("", 2)
    assert link(KERNEL.format(value="2")) == ("sm_75: RuntimeError: it is linked", 2)


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
