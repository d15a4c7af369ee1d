"""Compile and link every kernel of the package for every supported architecture; needs no GPU.

    python -m minigr.prepare.check [--architecture 90] [--jobs 2] [--thorough] [--again]

The check finds a broken kernel before a user runs it. It covers everything that a kernel's code depends on: each
primitive with every dtype and reduction, and its flags with one of these; each operator with all combinations of its
options, except that options which place or sum the results of a reduction are combined with only two reductions, and
strategies of load balancing with few options; all on a graph with hubs, and partly on a graph without hubs; and the
programs of the ready algorithms, which are found by running the algorithms on the CPU. Functors stand for the user's
functors. There is one for each use of a value that an operator supplies, but not every possible functor.

Every program is compiled and linked for each generation of architectures. Within a generation, architectures share one
LTO-IR, and linking it gives the same PTX, except for its target and the order of constants. Optimizing and assembling a
program takes ten times as long as linking it. A program is assembled for one architecture only. If programs differ only
in dtypes, one of them is assembled for an architecture, and the programs take turns, so that each architecture gets a
share of each kind of program. Kernels without functors are assembled for every architecture, and with ``--thorough`` so
are all programs.

The cache records successful checks by the code and the versions of the compilers, so after an edit only the changed
code is checked again. With ``--again`` everything is linked, whatever the cache has.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import re
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from typing import Any, NamedTuple

import minigr.apps
from minigr.jit import cache
from minigr.jit.functor import Functor
from minigr.jit.link_cuda import ARCHITECTURES, CudaCode
from minigr.prepare.everything import programs
from minigr.prepare.machine import begin

_RECORD = "checked"  # the kind of cache entry that records what was done: _LINKED or _ASSEMBLED
_LINKED, _ASSEMBLED = b"linked", b"assembled"
_DTYPE = re.compile(r"\b(?:int|float)(?:32|64)\b")


class Options(NamedTuple):
    """The extent of the check: the architectures, whether all programs are assembled, and whether to ignore records."""

    architectures: Sequence[int] = ARCHITECTURES
    thorough: bool = False
    again: bool = False


class Checked(NamedTuple):
    """The result for one entry of the list: its number, the time, the error, and the names of its functions."""

    number: int
    seconds: float
    error: str
    functions: set[str]


def check_one(number: int, options: Options) -> Checked:
    """Link the programs of entry `number` for each generation of architectures."""
    begun, listed, where = time.perf_counter(), programs()[number], "made"
    functions: set[str] = set()
    error, architectures = "", options.architectures
    turn, turns = _turn(number)
    try:
        for place, program in enumerate(listed.make()):
            chosen = architectures[(number + place) % len(architectures)]  # differs among similar, adjacent ones
            linked: set[str] = set()
            for architecture in (chosen, *(each for each in architectures if each != chosen)):
                where = f"sm_{architecture}"
                code, _ = program(architecture)
                in_turn = architecture == chosen and place % turns == turn
                assembled = options.thorough or listed.alone or in_turn
                if assembled or code.key not in linked:
                    _link(code, assembled, options.again)
                    linked.add(code.key)
                functions |= {_name(bound.function) for bound in code.users.values()}
            where = "made"
    except Exception as failure:  # any error is reported with the program's name, and the check continues
        error = f"{where}: {type(failure).__name__}: {failure}"
    return Checked(number, time.perf_counter() - begun, error, functions)


def _turn(number: int) -> tuple[int, int]:
    """The position of an entry among the entries whose names differ only in dtypes, and the number of these entries."""
    names = [_DTYPE.sub("", listed.name) for listed in programs()]
    return names[:number].count(names[number]), names.count(names[number])


def _name(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def functions_of_apps() -> set[str]:
    """The functions of the apps' functors. All of them must have been compiled at the end."""
    for module in pkgutil.walk_packages(minigr.apps.__path__, "minigr.apps."):
        import_module(module.name)
    known: list[Any] = [Functor]
    for kind in known:
        known += kind.__subclasses__()
    own = [kind for kind in known if kind.__module__.startswith("minigr.apps.")]
    return {_name(each.__func__) for kind in own for each in vars(kind).values() if isinstance(each, staticmethod)}


def _link(code: CudaCode, assembled: bool, again: bool) -> None:
    key = code.content_key(())
    known = None if again else cache.read(_RECORD, key)
    if known == _ASSEMBLED or (known == _LINKED and not assembled):
        return
    if assembled:
        code.link()  # all parts together, which is faster
    else:
        code.ptx()
    cache.write(_RECORD, key, _ASSEMBLED if assembled else _LINKED)


def main(arguments: list[str] | None = None) -> int:
    """Compile and link everything and report; return 1 if a program failed, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--architecture", type=int, action="append", choices=ARCHITECTURES, help="only this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes that compile (default: all cores)")
    parser.add_argument("--thorough", action="store_true", help="optimize and assemble for every architecture")
    parser.add_argument("--again", action="store_true", help="also check programs that passed before")
    given = parser.parse_args(arguments)
    options = Options(tuple(given.architecture or ARCHITECTURES), given.thorough, given.again)
    begun, failed = time.perf_counter(), 0
    names = [program.name for program in programs()]
    compiled: set[str] = set()
    with ProcessPoolExecutor(given.jobs, initializer=begin) as pool:
        tasks = [pool.submit(check_one, number, options) for number in range(len(names))]
        for done, task in enumerate(as_completed(tasks), 1):
            number, seconds, error, functions = task.result()
            compiled |= functions
            failed += bool(error)
            verdict = f"FAILED {error}" if error else f"{seconds:.1f} s"
            print(f"[{done}/{len(names)}] {names[number]}: {verdict}", flush=True)
    for name in sorted(functions_of_apps() - compiled):
        failed += 1
        print(f"FAILED {name}: no algorithm of minigr.calls runs this function", flush=True)
    targets = ", ".join(f"sm_{a}" for a in options.architectures)
    print(f"{len(names)} programs for {targets} in {time.perf_counter() - begun:.0f} s; {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
