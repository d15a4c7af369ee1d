"""A process that times its own first calls, for `minigr.bench.start`.

`COMMAND` starts such a process. The clock starts before minigr is imported, so that imports can be told from the call.
An import within a call is part of the call, and is also reported separately.
"""

from __future__ import annotations

import builtins
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COMMAND = (
    sys.executable,
    "-c",
    "import time; begun = time.perf_counter(); from minigr.bench.first_call import main; main(begun)",
)
"""The beginning of the command. A REQUEST follows: JSON with ``case``, ``device`` and ``folder``."""


class Imports:
    """Milliseconds of the import statements of this thread that ran inside `counted`."""

    def __init__(self) -> None:
        self.ms = 0.0
        self._within = False

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the import statements of the block, each with the imports that it causes."""
        before, thread = builtins.__import__, threading.get_ident()

        def timed(*given: Any, **named: Any) -> Any:
            if self._within or threading.get_ident() != thread:
                return before(*given, **named)
            self._within, started = True, time.perf_counter()
            try:
                return before(*given, **named)
            finally:
                self._within = False
                self.ms += _since(started)

        builtins.__import__ = timed
        try:
            yield
        finally:
            builtins.__import__ = before


def measure(case: str, device: str, folder: Path, begun: float) -> dict[str, Any]:
    """Time the calls of a case, which should be the first calls of this process.

    Returns
    -------
    dict
        ``before``: milliseconds from `begun` to the first call, and the part of imports. ``calls``: for each call the
        wall time, the CPU time of all threads, and the part of imports.
    """
    imports = Imports()
    with imports.counted():
        from minigr import device as devices
        from minigr.bench.start_cases import CASES

        # Earlier imports were of minigr itself, before `counted` could see them.
        imports.ms = _since(begun)
        where, chosen = devices.resolve(device), CASES[case]
        given = chosen.prepare(device, folder)
        where.synchronize()
        before = {"ms": _since(begun), "imports_ms": imports.ms}
        calls = {name: _timed(call, given, where, imports) for name, call in chosen.calls.items()}
    return {"before": before, "calls": calls}


def _timed(call: Callable[[Any], Any], given: Any, where: Any, imports: Imports) -> dict[str, float]:
    imported, busy, started = imports.ms, time.process_time(), time.perf_counter()
    result = call(given)
    where.synchronize()
    found = {"ms": _since(started), "cpu_ms": (time.process_time() - busy) * 1e3, "imports_ms": imports.ms - imported}
    del result
    return found


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1e3


def main(begun: float) -> None:
    """Run the measurement of the first argument, and print the result."""
    request = json.loads(sys.argv[1])
    print(json.dumps(measure(request["case"], request["device"], Path(request["folder"]), begun)))
