"""The list of what CI compiles; compiling it is CI's."""

import pkgutil
from importlib import import_module

import pytest

import minigr as mg
import minigr.apps
from minigr.apps import random_walks
from minigr.jit import cache
from minigr.prepare import check
from minigr.prepare.everything import Listed, programs


def subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def test_every_program_is_recorded_under_a_name_of_its_own():
    names = [program.name for program in programs()]
    assert len(names) > 450
    assert len(set(names)) == len(names)


def test_the_programs_of_every_app_are_recorded():
    found = pkgutil.walk_packages(minigr.apps.__path__, "minigr.apps.")
    modules = {module.name: import_module(module.name) for module in found}
    homes = {getattr(mg, name).__module__ for name in mg.__all__ if callable(getattr(mg, name))}
    assert len(homes & modules.keys()) > 15  # what follows looks at the modules of the public apps
    enactors = {each for each in subclasses(mg.Enactor) if each.__module__ in modules and not each.__subclasses__()}
    assert {enactor.__module__ for enactor in enactors} >= {"minigr.apps.bfs", "minigr.apps.dynamic.core_number.loops"}
    recorded = [record for program in programs() for record in getattr(program.make, "args", ())]
    problems = {type(record.problem) for record in recorded if hasattr(record, "problem")}
    assert [each for each in enactors if not any(issubclass(p, each._problem_class) for p in problems)] == []
    calls = {bound.function for record in recorded if hasattr(record, "users") for bound in record.users().values()}
    assert calls >= {random_walks.walk_evenly, random_walks.walk_by_weight, random_walks.sum_row}


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
                "a program", lambda architecture: (CudaCode(text, {}, {}, {}, architecture), [("run",)]), False
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
