"""Settings of the emulated device and of the order of turns, read from the environment at the start."""

from __future__ import annotations

import os
from dataclasses import dataclass

_ORDERS = ("rise", "fall", "random")


def _number(name: str, default: float) -> float:
    return float(os.environ.get(f"MINIGR_EMULATE_{name}", default))


@dataclass(frozen=True)
class Settings:
    """The settings; see the docstring of the package for the variables."""

    processors: int
    threads: int
    order: int
    seed: int
    turn: int
    seconds: float
    checks_loads: bool
    turns_at_accesses: bool


def _read() -> Settings:
    order = os.environ.get("MINIGR_EMULATE_ORDER", "rise")
    if order not in _ORDERS:
        raise ValueError(f"MINIGR_EMULATE_ORDER={order}: use one of {', '.join(_ORDERS)}")
    return Settings(
        processors=int(_number("PROCESSORS", 2)),
        threads=int(_number("THREADS", 512)),
        order=_ORDERS.index(order),
        seed=int(_number("SEED", 1)),
        turn=max(int(_number("TURN", 200)), 1),
        seconds=_number("SECONDS", 120),
        checks_loads=bool(_number("LOADS", 0)),
        turns_at_accesses=bool(_number("ACCESSES", 0)),
    )


SETTINGS = _read()
