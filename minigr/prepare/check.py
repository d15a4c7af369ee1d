"""Compile and link every kernel of the package for every supported architecture; needs no GPU.

    python -m minigr.prepare.check [--architecture 90] [--jobs 2] [--thorough]

So a kernel that is broken is found before somebody runs it. What a kernel's text depends on is gone through as far as
it shapes code: each primitive with every dtype and reduction, and its flags with one of them; each operator with every
combination of its options, but what places or sums the results of a reduction with two of them, and strategies of load
balancing with few; on a graph with hubs, and in part on one without; and what the ready algorithms run, which is found
out by running them on the CPU. Functors stand for the user's: there is one for each use of what an operator supplies,
not every one there could be.

Every program is compiled for each generation of architectures, and linked for each architecture. Optimizing and
assembling it takes ten times as long, and is done for one architecture: the programs take turns, so each architecture
has a share of each kind of programs. Kernels without functors are assembled for every architecture, and with
``--thorough`` all programs are. Nothing is taken from or left in the user's cache.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from typing import Any

import minigr.apps
from minigr.jit.cache import DIRECTORY_VARIABLE
from minigr.jit.functor import Functor
from minigr.jit.link_cuda import ARCHITECTURES, CudaCode
from minigr.prepare.everything import programs
from minigr.prepare.machine import begin


def check_one(number: int, architectures: Sequence[int], thorough: bool, seen: Path) -> tuple[int, float, str]:
    """Link the programs listed as `number` for each architecture: the number, the seconds, and what went wrong.

    In the folder `seen` it is noted what was linked; what is noted there is not linked again.
    """
    begun, listed, where = time.perf_counter(), programs()[number], "made"
    try:
        for turn, program in enumerate(listed.make(), number):
            chosen = architectures[turn % len(architectures)]  # so those that are alike, side by side, have others
            for architecture in architectures:
                where = f"sm_{architecture}"
                code, _ = program(architecture)
                optimized = thorough or listed.alone or architecture == chosen
                _link(code, optimized, seen / code.content_key(()))
                for bound in code.users.values():
                    (seen / _name(bound.function)).touch()
            where = "made"
    except Exception as error:  # whatever it is, it is reported with the program's name, and the rest goes on
        return number, time.perf_counter() - begun, f"{where}: {type(error).__name__}: {error}"
    return number, time.perf_counter() - begun, ""


def _name(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def functions_of_apps() -> set[str]:
    """The functions of the apps' functors, which all must have been compiled at the end."""
    for module in pkgutil.walk_packages(minigr.apps.__path__, "minigr.apps."):
        import_module(module.name)
    known: list[Any] = [Functor]
    for kind in known:
        known += kind.__subclasses__()
    own = [kind for kind in known if kind.__module__.startswith("minigr.apps.")]
    return {_name(each.__func__) for kind in own for each in vars(kind).values() if isinstance(each, staticmethod)}


def _link(code: CudaCode, optimized: bool, mark: Path) -> None:
    if mark.exists():  # a program with other options, but the same code
        return
    if optimized:
        code.link()  # all parts at once, which takes less time
    else:
        code.ptx()
    mark.touch()


def main(arguments: list[str] | None = None) -> int:
    """Compile and link everything and report; 1 if a program failed, or else 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--architecture", type=int, action="append", choices=ARCHITECTURES, help="only this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes that compile (default: all cores)")
    parser.add_argument("--thorough", action="store_true", help="optimize and assemble for every architecture")
    options = parser.parse_args(arguments)
    architectures = tuple(options.architecture or ARCHITECTURES)
    begun = time.perf_counter()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ[DIRECTORY_VARIABLE] = folder
        seen = Path(folder, "seen")
        seen.mkdir()
        names = [program.name for program in programs()]
        with ProcessPoolExecutor(options.jobs, initializer=begin) as pool:
            tasks = [pool.submit(check_one, n, architectures, options.thorough, seen) for n in range(len(names))]
            for done, task in enumerate(as_completed(tasks), 1):
                number, seconds, error = task.result()
                failed += bool(error)
                verdict = f"FAILED {error}" if error else f"{seconds:.1f} s"
                print(f"[{done}/{len(names)}] {names[number]}: {verdict}", flush=True)
        for name in sorted(name for name in functions_of_apps() if not (seen / name).exists()):
            failed += 1
            print(f"FAILED {name}: no algorithm of minigr.calls runs it", flush=True)
    targets = ", ".join(f"sm_{a}" for a in architectures)
    print(f"{len(names)} programs for {targets} in {time.perf_counter() - begun:.0f} s; {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
