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

_APPS_ON = [
    f"{shape}{dtype}" for shape in ("path", "star", "slabs") for dtype in ("", *(f" {d}" for d in WEIGHT_DTYPES))
]


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
        (partial(following_programs, WEIGHT_DTYPES), False),
        (batch_transforms, False),
    )
    return [Listed(name, make, alone) for group, alone in groups for name, make in group()]
