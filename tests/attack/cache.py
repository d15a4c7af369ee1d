"""Damage entries of the cache at random: each is read as it was or counts as missing, and programs are right."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

from minigr.jit import cache
from minigr.jit.kernel import entry
from tests.attack.report import Report

_PROGRAM_EVERY = 50  # trials between two programs, because loaded code stays in the process


def triple(x):
    return 3 * x


def attack(count: int, seed: int, report: Report) -> None:
    """Damage an entry `count` times; sometimes the entry is that of a compiled function."""
    drawn = random.Random(seed)
    before = os.environ.get(cache.DIRECTORY_VARIABLE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[cache.DIRECTORY_VARIABLE] = folder
        try:
            for trial in range(count):
                report.tried()
                _damage_content(trial, drawn, Path(folder, "attacked"), report)
                if trial % _PROGRAM_EVERY == 0:
                    _damage_program(trial, drawn, Path(folder, "cpu"), report)
        finally:
            if before is None:
                del os.environ[cache.DIRECTORY_VARIABLE]
            else:
                os.environ[cache.DIRECTORY_VARIABLE] = before


def _damage_content(trial: int, drawn: random.Random, folder: Path, report: Report) -> None:
    content = drawn.randbytes(drawn.choice((0, 1, 100, 5000)))
    cache.write("attacked", "entry", content)
    path = folder / "entry"
    whole = path.read_bytes()
    path.write_bytes(_damaged(whole, drawn))
    found = cache.read("attacked", "entry")
    if found is not None and (found != content or path.read_bytes() != whole):
        report.fault(f"trial {trial}: a damaged entry was read")


def _damage_program(trial: int, drawn: random.Random, folder: Path, report: Report) -> None:
    entry(triple)(2)
    for path in folder.iterdir():
        path.write_bytes(_damaged(path.read_bytes(), drawn))
    try:
        right = entry(triple)(2) == 6
    except Exception as error:
        report.fault(f"trial {trial}: {type(error).__name__}: {error}")
    else:
        if not right:
            report.fault(f"trial {trial}: a wrong result")


def _damaged(whole: bytes, drawn: random.Random) -> bytes:
    """Cut, extend, zero in part, flip bits of, or replace the content of a file."""
    kind, at = drawn.randrange(6), drawn.randrange(len(whole))
    if kind == 0:
        return whole[:at]
    if kind == 1:
        return whole + drawn.randbytes(1 + drawn.randrange(100))
    if kind == 2:
        return whole[:at] + bytes(len(whole) - at)
    if kind == 3:
        return drawn.randbytes(at)
    damaged = bytearray(whole)
    for _ in range(drawn.choice((1, 2, 100))):
        damaged[drawn.randrange(len(damaged))] ^= 1 << drawn.randrange(8)
    return bytes(damaged) if kind == 4 else bytes(damaged[at:])
