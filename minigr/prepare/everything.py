"""All programs to check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.prepare.apps import app_programs, walk_programs
from minigr.prepare.following import batch_transforms, following_programs
from minigr.prepare.kernels import kernel_programs
from minigr.prepare.operators import loop_programs, operator_programs
from minigr.prepare.primitives import primitive_programs
from minigr.prepare.program import Program

# With hubs comes code on top of that for other vertices, so what reads weights of each dtype is checked with hubs.
_APPS_ON = "path", "path float32", "star", *(f"star {dtype}" for dtype in WEIGHT_DTYPES), "slabs", "slabs float32"
_FOLLOWED = "int64", "float32"  # whose distances are of either dtype


class Listed(NamedTuple):
    """A program to check; one that is `alone` shares its kernels with no other."""

    name: str
    make: Program
    alone: bool


@cache
def programs() -> list[Listed]:
    """All of them; the same list in every process."""
    groups: tuple[tuple[Callable[[], Iterator[tuple[str, Program]]], bool], ...] = (
        (kernel_programs, True),
        *((made, False) for made in (primitive_programs, operator_programs, loop_programs)),
        (partial(app_programs, _APPS_ON), False),
        (walk_programs, False),
        (partial(following_programs, _FOLLOWED), False),
        (batch_transforms, False),
    )
    return [Listed(name, make, alone) for group, alone in groups for name, make in group()]
