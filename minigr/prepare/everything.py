"""All programs to check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import NamedTuple

from minigr.prepare.kernels import kernel_programs
from minigr.prepare.machine import Target, recorded_programs, tasks
from minigr.prepare.operators import loop_programs, operator_programs
from minigr.prepare.parts import OVER_PARTS, parts_programs
from minigr.prepare.primitives import primitive_programs
from minigr.prepare.program import Program


class Listed(NamedTuple):
    """Programs to check, which are made together. An entry that is `alone` shares its kernels with no other entry."""

    name: str
    make: Callable[[], Iterable[Program]]
    alone: bool = False


@cache
def programs() -> list[Listed]:
    """All entries; the list is the same in every process."""
    found = [Listed(name, partial(list, [program]), True) for name, program in kernel_programs()]
    for group in (primitive_programs, operator_programs, loop_programs):
        found += [Listed(name, partial(list, [program])) for name, program in group()]
    found += [Listed(f"over parts, {name}", partial(parts_programs, name)) for name in OVER_PARTS]
    return [*found, *_of_algorithms()]


def _of_algorithms() -> Iterator[Listed]:
    for task in tasks(Target(False, ())):
        name = ", ".join(filter(None, task))
        yield Listed(name, partial(recorded_programs, task, typical=True))
