"""The peak memory of an app in relation to the size of the graph, with a new process for each app.

On the host, the peak is the high-water mark of the resident set, which Linux counts. On a GPU, it is the high-water
mark of the bytes that CuPy's pool has given out. Counting starts when the graph is in memory and the program is loaded,
so it includes neither Numba nor the reading of the file.

``python -m minigr.bench.memory REQUEST`` runs such a process; REQUEST is JSON.
"""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import minigr as mg
from minigr.bench.apps import APPS
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, ignore
from minigr.bench.named import without_weights
from minigr.device import Device, resolve
from minigr.errors import DeviceError, MeasurementError

_CLEAR = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


def measure_memory(
    name: str,
    reading: Mapping[str, Any],
    device: str,
    source: int,
    apps: Sequence[str],
    repeat: int,
    tell: Tell = ignore,
) -> Iterator[Row]:
    """Run each app `repeat` times, each time in a new process, and record its peak memory.

    Parameters
    ----------
    name : str
        The name of the graph in the rows' keys.
    reading : mapping
        Arguments of `minigr.read`, as values for JSON.
    device : str
    source : int
    apps : sequence of str
        Names of `minigr.bench.apps.APPS`.
    repeat : int

    Yields
    ------
    Row
        As soon as an app is measured, in bytes that it allocates in addition to the graph; with ``graph_bytes``, and
        ``over_graph``: the size of graph and app together over the size of the graph.

    Raises
    ------
    DeviceError
        On a host whose system does not count a high-water mark.
    MeasurementError
        If a process fails. The message has the output of the process.
    """
    check_counted(resolve(device))
    for app in apps:
        found = []
        for turn in range(repeat):
            tell(f"{app} on {name}: process {turn + 1} of {repeat}")
            request = {"reading": dict(reading), "device": device, "source": source, "app": app}
            done = subprocess.run(
                [sys.executable, "-m", "minigr.bench.memory", json.dumps(request)],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                raise MeasurementError(f"the process that runs {app} failed:\n{done.stderr}")
            found.append(json.loads(done.stdout))
        own = found[0]["graph"]
        samples = [answer["peak"] for answer in found]
        peak = row({"graph": name, "app": app, "by": MINIGR}, samples, "bytes", graph_bytes=own)
        yield peak | {"over_graph": (own + peak["median"]) / max(own, 1)}


def probe(request: Mapping[str, Any]) -> dict[str, int]:
    """The bytes of the graph, and the peak of one run of an app in addition to them; for a process of its own."""
    app = APPS[request["app"]]
    graph = mg.read(**request["reading"], device=request["device"])
    if not app.keeps_weights:
        graph = without_weights(graph)
    own = graph.memory
    app.call(_like(graph), 0)  # loads Numba or the driver, and the compiled program
    return {"graph": own, "peak": peak_of(graph._device, lambda: app.call(graph, request["source"]))[0]}


def _like(graph: Any) -> Any:
    """A path of three vertices for which the CPU uses the same compiled program as for `graph`."""
    weights = None if graph.weights is None else graph.weights[:2]
    ends = ([0, 1], [1, 2])
    if weights is not None and len(weights) < 2:
        weights = graph._device.full(2, 1, graph.weights.dtype)
    return mg.Graph.from_edges(*ends, weights, directed=graph.directed, device=graph.device)


def check_counted(device: Device) -> None:
    """Raise `DeviceError` if nothing counts the peak memory of a process."""
    if not device.is_cuda and not _CLEAR.exists():
        raise DeviceError("the peak memory of a CPU run is read from Linux's /proc: measure it on Linux")


def peak_of(device: Device, call: Callable[[], Any]) -> tuple[int, Any]:
    """The peak memory of a call in addition to the memory before it, and the result of the call."""
    return _peak_on_gpu(device, call) if device.is_cuda else _peak_on_host(call)


def _peak_on_host(call: Callable[[], Any]) -> tuple[int, Any]:
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):  # give freed memory back, or the call could use it without being counted
        libc.malloc_trim(0)
    _CLEAR.write_text("5")  # resets the high-water mark
    before = _status("VmRSS")
    result = call()
    return max(_status("VmHWM") - before, 0), result


def _peak_on_gpu(device: Device, call: Callable[[], Any]) -> tuple[int, Any]:
    """The peak by a hook on the pool, because the pool's own total includes the blocks that it keeps for later."""
    import cupy

    class Peak(cupy.cuda.MemoryHook):
        name = "peak"
        used = most = 0
        sizes: dict[int, int]

        def malloc_postprocess(self, **given: Any) -> None:
            self.sizes[given["pmem_id"]] = given["mem_size"]
            self.used += given["mem_size"]
            self.most = max(self.most, self.used)

        def free_preprocess(self, **given: Any) -> None:
            self.used -= self.sizes.pop(given["pmem_id"], 0)

    hook = Peak()
    hook.sizes = {}
    with hook:
        result = call()
        device.synchronize()
    return int(hook.most), result


def _status(name: str) -> int:
    match = re.search(rf"^{name}:\s*(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    if match is None:
        raise DeviceError(f"{_STATUS} has no {name}: measure peak memory on Linux")
    return int(match.group(1)) * 1024


if __name__ == "__main__":
    print(json.dumps(probe(json.loads(sys.argv[1]))))
